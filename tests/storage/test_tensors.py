"""Arrays and a header in a file: as safetensors writes them, one array after the other, sealed by a digest."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from chronotope import __version__
from chronotope.storage import tensors as module
from chronotope.storage.digest import check_seal, parse_json, sealed
from chronotope.storage.tensors import TYPES, Kind, read_header, read_tensors, write_tensors

KIND = Kind("thing", "chronotope thing", 2, "a test", also=(1,), sealed=2)
ARRAYS = {
    "many": np.arange(24.0).reshape(2, 3, 4),
    "none": np.empty((0, 3), np.float32),
    "one": np.array(3, np.uint16),
    "masked": np.array([True, False, True]),
    "across": np.arange(12, dtype=np.int32).reshape(3, 4).T,
    "other way round": np.arange(5, dtype=">i8"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "thing"


def test_safetensors_reads_what_is_written(path: Path) -> None:
    write_tensors(path, KIND, {"words": ["é", "時"], "n": 3}, ARRAYS)
    found = load_file(path)
    assert found.keys() == ARRAYS.keys()
    for name, values in ARRAYS.items():
        assert found[name].shape == values.shape
        np.testing.assert_array_equal(found[name], values)
    content = {"format": 2, "version": __version__, "words": ["é", "時"], "n": 3}
    assert read_header(path, KIND) == sealed(content, found)


@pytest.mark.parametrize("name", TYPES)
def test_numbers_of_every_type_come_back(path: Path, name: str) -> None:
    given = {"x": np.array([[0, 1, 1]]).astype(name)}
    write_tensors(path, KIND, {}, given)
    _, found = read_tensors(path, KIND)
    assert found["x"].dtype == given["x"].dtype
    np.testing.assert_array_equal(found["x"], given["x"])


def test_other_types_are_refused_and_nothing_is_left(path: Path) -> None:
    with pytest.raises(ValueError, match="numbers of type complex128 cannot be written"):
        write_tensors(path, KIND, {}, {"x": np.ones(2, complex)})
    assert not list(path.parent.iterdir())


def test_arrays_are_not_copied_to_be_written(path: Path) -> None:
    given = {"x": np.zeros(4_000_000), "y": np.zeros(4_000_000)}
    tracemalloc.start()
    try:
        write_tensors(path, KIND, {}, given)
        assert tracemalloc.get_traced_memory()[1] < given["x"].nbytes / 2
    finally:
        tracemalloc.stop()


def test_halves_of_characters_are_kept(path: Path) -> None:
    write_tensors(path, KIND, {"words": ["a\ud800", "é"]}, ARRAYS)
    assert read_tensors(path, KIND)[0]["words"] == ["a\ud800", "é"]


def test_a_header_that_no_reader_takes_is_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 1000)
    with pytest.raises(ValueError, match=r"is not written: its header, with all words, has 2,\d\d\d bytes"):
        write_tensors(path, KIND, {"words": "a" * 2000}, {})
    assert not path.exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"many": np.arange(1.0, 25.0).reshape(2, 3, 4)},
        {"many": np.arange(24.0).reshape(4, 3, 2)},
        {"many": np.arange(24.0).reshape(2, 3, 4).view(np.int64)},
        {"extra": np.ones(1)},
    ],
    ids=["value", "shape", "type", "name"],
)
def test_any_change_of_an_array_breaks_the_seal(path: Path, changed: dict[str, Any]) -> None:
    write_tensors(path, KIND, {}, ARRAYS)
    metadata = {KIND.key: json.dumps(read_header(path, KIND))}
    save_file(load_file(path) | changed, path, metadata=metadata)
    with pytest.raises(ValueError, match=r"cannot be read as a thing \(its content has changed since it was written\)"):
        read_tensors(path, KIND)


def test_a_seal_may_be_missing_only_where_there_was_none() -> None:
    check_seal({"a": 1}, needed=False)
    check_seal(sealed({"a": 1}), needed=False)
    for header in ({"a": 1}, sealed({"a": 1}) | {"a": 2}, {"a": 1, "sha256": None}):
        with pytest.raises(ValueError, match="has changed"):
            check_seal(header)


ENDLESS = {
    "twice": '{"a": 1, "a": 2}',
    "twice within": '{"b": {"a": 1, "a": 1}}',
    "lists": "[" * 10**6,
    "tables": '{"a":' * 10**6,
    "open": "{",
    "not text": b"\xff",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_json_that_is_ambiguous_or_endless_is_a_value_error(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(ENDLESS[name])
