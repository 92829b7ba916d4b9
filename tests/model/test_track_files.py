"""Files of models with groups and places: damaged ones are refused in a sentence, whatever is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import chronotope as ct
from chronotope.storage.digest import SEAL, sealed

RNG = np.random.default_rng(0)
COUNTS, TIMES = RNG.poisson(1.0, (24, 6)), np.arange(24.0) // 4
PARTY = np.array(["Whig", "Tory"])[np.arange(24) % 2]
KINDS = {
    "groups": ("constant + ou + by(ou, party)", {"party": PARTY}),
    "places": ("constant + ou + space(1, 300 km)", {"lat": RNG.uniform(30, 40, 24), "lon": RNG.uniform(0, 9, 24)}),
    "neither": ("constant + ou", {"party": PARTY}),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    paths = {}
    for kind, (kernel, columns) in KINDS.items():
        paths[kind] = tmp_path_factory.mktemp("models") / "m"
        corpus = ct.Corpus(COUNTS, TIMES, metadata=columns)
        ct.DynamicTopicModel(2, kernel, max_epochs=1, verbose=False).fit(corpus).save(paths[kind])
    return paths


def header_of(path: Path) -> dict[str, Any]:
    with safe_open(path, framework="numpy") as file:
        header: dict[str, Any] = json.loads(file.metadata()["chronotope"])
    return header


def damaged(path: Path, folder: Path, header: dict[str, Any], arrays: dict[str, Any]) -> Path:
    """A copy with other entries, or without those that are None, under a seal that is right."""
    given = {key: value for key, value in (load_file(path) | arrays).items() if value is not None}
    content = {key: value for key, value in (header_of(path) | header).items() if key != SEAL and value is not None}
    save_file(given, folder / "m", metadata={"chronotope": json.dumps(sealed(content, given))})
    return folder / "m"


def test_what_is_not_damaged_is_read(saved: dict[str, Path], tmp_path: Path) -> None:
    for kind, path in saved.items():
        assert len(ct.load(damaged(path, tmp_path, {}, {})).topics_.groups) == {"groups": 2, "places": 4}.get(kind, 0)


TRACKS: dict[str, Any] = {
    "nothing": {},
    "null": None,
    "a list": ["Tory", "Whig"],
    "a word": "Tory",
    "no columns": {"names": ["Tory", "Whig"]},
    "no names": {"columns": ["party"]},
    "columns a word": {"columns": "party", "names": ["Tory", "Whig"]},
    "columns of numbers": {"columns": [1], "names": ["Tory", "Whig"]},
    "two columns": {"columns": ["lat", "lon"], "names": ["Tory", "Whig"]},
    "names a word": {"columns": ["party"], "names": "TW"},
    "names of numbers": {"columns": ["party"], "names": [1, 2]},
    "names twice": {"columns": ["party"], "names": ["Tory", "Tory"]},
    "one name": {"columns": ["party"], "names": ["Tory"]},
    "three names": {"columns": ["party"], "names": ["Tory", "Whig", "Green"]},
    "more names than rows": {"columns": ["party"], "names": [str(i) for i in range(1_000)]},
    "names without end": {"columns": ["party"], "names": [str(i) for i in range(200_000)]},
    "names nested": {"columns": ["party"], "names": [["Tory"], ["Whig"]]},
    "many rows of few nodes": {"columns": ["party"], "names": [str(i) for i in range(12)]},
}


@pytest.mark.parametrize("name", TRACKS)
def test_groups_that_do_not_fit_are_refused(saved: dict[str, Path], tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"m' cannot be read as a model \("):
        ct.load(damaged(saved["groups"], tmp_path, {"tracks": TRACKS[name]}, {}))


PLACES: dict[str, Any] = {
    "none": None,
    "fewer": np.zeros((3, 2)),
    "three columns": np.zeros((4, 3)),
    "flat": np.zeros(8),
    "single precision": np.zeros((4, 2), np.float32),
    "whole numbers": np.zeros((4, 2), np.int64),
    "all missing": np.full((4, 2), np.nan),
    "a latitude out of range": np.array([[91.0, 0], [1, 1], [2, 2], [3, 3]]),
    "a longitude out of range": np.array([[0.0, 200], [1, 1], [2, 2], [3, 3]]),
    "infinite": np.array([[0.0, np.inf], [1, 1], [2, 2], [3, 3]]),
}


@pytest.mark.parametrize("name", PLACES)
def test_places_that_do_not_fit_are_refused(saved: dict[str, Path], tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"m' cannot be read as a model \("):
        ct.load(damaged(saved["places"], tmp_path, {}, {"places": PLACES[name]}))


@pytest.mark.parametrize(
    ("kind", "kernel"),
    [
        ("groups", "constant(6) + ou(1, 2)"),
        ("groups", "constant(6) + ou(1, 2) + space(1, 300)"),
        ("groups", "constant(6) + ou(1, 2) + by(ou)"),
        ("groups", "constant(6) + ou(1, 2) + by(by(ou(1, 2)))"),
        ("groups", "ou(1, 2) * by(ou(1, 2))"),
        ("groups", "by(" * 60 + "ou(1, 2)" + ")" * 60),
        ("places", "constant(6) + ou(1, 2)"),
        ("places", "constant(6) + ou(1, 2) + by(ou(1, 2))"),
        ("places", "constant(6) + ou(1, 2) + space(1, nu=1.5)"),
        ("neither", "constant(6) + ou(1, 2) + by(ou(1, 2))"),
        ("neither", "constant(6) + ou(1, 2) + space(1, 300)"),
    ],
)
def test_a_kernel_that_does_not_fit_its_tracks_is_refused(
    saved: dict[str, Path], tmp_path: Path, kind: str, kernel: str
) -> None:
    with pytest.raises(ValueError, match=r"m' cannot be read as a model \("):
        ct.load(damaged(saved[kind], tmp_path, {"kernel": kernel}, {}))


def test_tracks_of_a_model_without_any_are_refused(saved: dict[str, Path], tmp_path: Path) -> None:
    tracks = {"columns": ["party"], "names": ["Tory", "Whig"]}
    with pytest.raises(ValueError, match=r"m' cannot be read as a model \("):
        ct.load(damaged(saved["neither"], tmp_path, {"tracks": tracks}, {}))
    with pytest.raises(ValueError, match=r"m' cannot be read as a model \("):
        ct.load(damaged(saved["neither"], tmp_path, {}, {"places": np.zeros((2, 2))}))


def test_a_changed_name_is_seen(saved: dict[str, Path], tmp_path: Path) -> None:
    header = header_of(saved["groups"])
    header["tracks"]["names"] = ["Whig", "Tory"]
    save_file(load_file(saved["groups"]), tmp_path / "m", metadata={"chronotope": json.dumps(header)})
    with pytest.raises(ValueError, match="its content has changed since it was written"):
        ct.load(tmp_path / "m")


def test_names_of_any_script_survive(tmp_path: Path) -> None:
    names = np.array(["Grüne", "自民党", "'a' \"b\"", "new\nline"])[np.arange(24) % 4]
    corpus = ct.Corpus(COUNTS, TIMES, metadata={"political party": names})
    model = ct.DynamicTopicModel(2, "constant + by(ou, 'political party')", max_epochs=1).fit(corpus)
    model.save(tmp_path / "m")
    assert ct.load(tmp_path / "m").topics_.groups == model.topics_.groups == tuple(sorted(set(names)))
