"""Models in files: a loaded model answers like the saved one, and a file that is not one is refused in a sentence."""

from __future__ import annotations

import json
import os
import pickle
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import plant
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import chronotope as ct
from chronotope.storage.digest import SEAL, sealed

KERNELS = {
    "ou": ct.OrnsteinUhlenbeck(2, 1 / 3),
    "sum": ct.Wiener(0.1, 1.0) + ct.Constant(0.7),
    "cauchy": ct.Cauchy(2, 6),
}
PLANTED = plant(ct.OrnsteinUhlenbeck(2, 20), np.arange(6) / 7, n_topics=2, n_words=8, documents=5, length=30)
CORPUS = PLANTED.corpus
Header = dict[str, Any]


def bell(x: np.ndarray, y: np.ndarray, variance: float, width: float) -> np.ndarray:
    return variance * np.exp(-((x - y) ** 2) / width)


@pytest.fixture(scope="module", params=[(kernel, dtype) for kernel in KERNELS for dtype in ("float32", "float64")])
def saved_and_loaded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ct.DynamicTopicModel, ct.DynamicTopicModel]:
    kernel, dtype = request.param
    model = ct.DynamicTopicModel(2, KERNELS[kernel], alpha="learn", dtype=dtype, max_epochs=6).fit(CORPUS)
    path = tmp_path_factory.mktemp("models") / "model.chronotope"
    model.save(path)
    return model, ct.load(path)


@pytest.fixture(scope="module")
def model() -> ct.DynamicTopicModel:
    return ct.DynamicTopicModel(2, "ou(2, 10)", shared=0.5, alpha=np.array([0.2, 0.4]), max_epochs=4, seed=5).fit(
        CORPUS
    )


@pytest.fixture
def path(model: ct.DynamicTopicModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "model.chronotope")
    return tmp_path / "model.chronotope"


def header_of(path: Path) -> Header:
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["chronotope"])


def rewrite(path: Path, header: Any = None, arrays: dict[str, Any] | None = None) -> None:
    """Put another header, or other arrays, into a model's file, under a seal that is right."""
    given = {key: value for key, value in (load_file(path) | (arrays or {})).items() if value is not None}
    if not isinstance(header, str):
        content = {key: value for key, value in (header or header_of(path)).items() if key != SEAL}
        header = json.dumps(sealed(content, given) if content["format"] == 9 else content)
    save_file(given, path, metadata={"chronotope": header})


def test_a_loaded_model_answers_bitwise_like_the_saved_one(
    saved_and_loaded: tuple[ct.DynamicTopicModel, ct.DynamicTopicModel],
) -> None:
    one, other = saved_and_loaded
    at = np.array([-1.0, 0.0, 0.31, 5.0])
    np.testing.assert_array_equal(one.topics_.probabilities(at), other.topics_.probabilities(at))
    np.testing.assert_array_equal(one.transform(CORPUS), other.transform(CORPUS))
    np.testing.assert_array_equal(one.topics_.shares(), other.topics_.shares())
    np.testing.assert_array_equal(one.topics_.draws(0, at, n=2), other.topics_.draws(0, at, n=2))
    assert one.perplexity(CORPUS) == other.perplexity(CORPUS)
    assert one.topics_.top_words(1) == other.topics_.top_words(1)


def test_what_fit_sets_survives_the_file(saved_and_loaded: tuple[ct.DynamicTopicModel, ct.DynamicTopicModel]) -> None:
    one, other = saved_and_loaded
    names = (
        "alpha_",
        "bounds_",
        "n_steps_",
        "converged_",
        "diverged_",
        "kernel_",
        "kernel_span_",
        "n_features_in_",
        "n_features_out_",
    )
    for name in names:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    sites, loaded = one.topics_.posterior.arrays(), other.topics_.posterior.arrays()
    for name, values in sites.items():
        np.testing.assert_array_equal(values, loaded[name])
        assert values.dtype == loaded[name].dtype
    assert one.topics_.mass.dtype == other.topics_.mass.dtype
    assert other.topics_.calendar is False
    assert repr(one.topics_) == repr(other.topics_)


def test_partial_fit_goes_on_bitwise_from_a_file(
    saved_and_loaded: tuple[ct.DynamicTopicModel, ct.DynamicTopicModel], tmp_path: Path
) -> None:
    saved_and_loaded[0].save(tmp_path / "m")
    one, other = (ct.load(tmp_path / "m") for _ in range(2))
    for _ in range(2):
        one.partial_fit(CORPUS)
    other.partial_fit(CORPUS).save(tmp_path / "n")
    other = ct.load(tmp_path / "n").partial_fit(CORPUS)
    np.testing.assert_array_equal(one.topics_.posterior.own.g, other.topics_.posterior.own.g)
    np.testing.assert_array_equal(one.bounds_, other.bounds_)
    np.testing.assert_array_equal(one.alpha_, other.alpha_)


def test_settings_survive_the_file_and_fit_the_same_model_again(model: ct.DynamicTopicModel, path: Path) -> None:
    loaded = ct.load(path)
    for name, value in model.get_params().items():
        np.testing.assert_array_equal(getattr(loaded, name), value)
    np.testing.assert_array_equal(clone(loaded).fit(CORPUS).topics_.posterior.own.g, model.topics_.posterior.own.g)


@pytest.mark.parametrize(
    "alpha", [0.5, np.float32(0.5), [0.5, np.float32(0.5)], (0.5, 0.4), np.array([0.5, 0.4]), "learn"]
)
def test_every_form_of_alpha_that_fits_can_be_saved(alpha: Any, tmp_path: Path) -> None:
    model = ct.DynamicTopicModel(np.int64(2), alpha=alpha, max_epochs=2, seed=np.int64(1)).fit(CORPUS)
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(ct.load(tmp_path / "m").alpha_, model.alpha_)


def test_words_of_any_script_survive(tmp_path: Path) -> None:
    words = ["café", "時間", "Ω", "naïve\n", '"quoted"', "a b", "🜁", "\\u0041"]
    dated = ct.Corpus(CORPUS.counts, np.repeat(np.arange("2001", "2007", dtype="datetime64[Y]"), 5), words)
    ct.DynamicTopicModel(2, max_epochs=2).fit(dated).save(tmp_path / "m")
    loaded = ct.load(tmp_path / "m")
    assert loaded.topics_.vocabulary.tolist() == words
    assert loaded.topics_.calendar is True
    assert loaded.transform(dated).shape == (30, 2)


def test_column_names_are_still_checked_after_loading(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(CORPUS.counts.toarray(), columns=list("abcdefgh"))
    ct.DynamicTopicModel(2, max_epochs=2).fit(table, times=CORPUS.times).save(tmp_path / "m")
    with pytest.raises(ValueError, match="feature names"):
        ct.load(tmp_path / "m").transform(table[list("hgfedcba")], times=CORPUS.times)


def test_a_kernel_of_ones_own_is_given_again(tmp_path: Path) -> None:
    kernel = ct.FunctionKernel(bell, "bell", variance=2.0, width=0.3)
    model = ct.DynamicTopicModel(2, kernel + ct.Constant(1), max_epochs=3).fit(CORPUS)
    model.save(tmp_path / "m")
    loaded = ct.load(tmp_path / "m", kernels={"bell": bell})
    np.testing.assert_array_equal(loaded.topics_.probabilities([0.1, 3]), model.topics_.probabilities([0.1, 3]))
    assert loaded.kernel_ == model.kernel_
    np.testing.assert_array_equal(loaded.fit(CORPUS).topics_.posterior.own.g, model.topics_.posterior.own.g)


def test_a_kernel_of_ones_own_that_is_not_given_is_named(tmp_path: Path) -> None:
    ct.DynamicTopicModel(2, ct.FunctionKernel(bell, "bell", variance=2.0, width=0.3), max_epochs=2).fit(CORPUS).save(
        tmp_path / "m"
    )
    with pytest.raises(ValueError, match=r"'bell'.*kernels="):
        ct.load(tmp_path / "m")


def test_the_header_is_plain_json(model: ct.DynamicTopicModel, path: Path) -> None:
    header = header_of(path)
    assert header["format"] == 9
    assert len(header["sha256"]) == 64
    assert header["version"] == ct.__version__
    assert header["kernel"] == "ou(2, 10)"
    assert header["vocabulary"] == [f"word{v}" for v in range(8)]
    assert header["settings"] == {key: getattr(model, key) for key in model.get_params()} | {"alpha": [0.2, 0.4]}
    assert set(load_file(path)) == {
        "g",
        "b",
        "nodes",
        "mean",
        "mass",
        "alpha",
        "bounds",
        "seen",
        "common_g",
        "common_b",
        "covered_times",
        "covered_documents",
    }


def test_levels_that_topics_shared_before_format_5_are_read_as_they_were(tmp_path: Path) -> None:
    """There the constants were shared like the change: with a share of η, a topic's own level had 1 − η of them."""
    model = ct.DynamicTopicModel(2, "constant(3) + ou(2, 4)", shared=0.25, max_epochs=3).fit(CORPUS)
    model.save(tmp_path / "m")
    rewrite(tmp_path / "m", header_of(tmp_path / "m") | {"format": 4, "kernel": "constant(4) + ou(2, 4)"})
    loaded, at = ct.load(tmp_path / "m"), [0.1, 3.0, 9.0]
    assert loaded.kernel_.text == "constant(3) + ou(2, 4)"
    np.testing.assert_allclose(loaded.topics_.probabilities(at), model.topics_.probabilities(at), rtol=1e-6, atol=0)


def test_an_unfitted_model_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        ct.DynamicTopicModel().save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_what_could_not_be_loaded_is_not_saved(
    model: ct.DynamicTopicModel, path: Path, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    mass = model.topics_.mass.copy()
    mass[1, 1] = value
    monkeypatch.setattr(model.topics_, "node_mass", mass)
    with pytest.raises(ValueError, match="the model cannot be saved: mass has numbers that are"):
        model.save(path)
    assert path.read_bytes() == before


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nothing.*; check the path"):
        ct.load(tmp_path / "nothing")


def test_saving_into_a_missing_folder_is_refused(model: ct.DynamicTopicModel, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*missing.* to save in; make it first"):
        model.save(tmp_path / "missing" / "m")


def test_a_saved_file_is_as_readable_as_any_other_new_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_a_relative_path_and_a_string_are_taken(
    model: ct.DynamicTopicModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model.save("m.chronotope")
    assert ct.load("m.chronotope").n_topics == 2
    assert os.listdir() == ["m.chronotope"]


def fail(*args: Any, **kwargs: Any) -> None:
    raise OSError("no space left on device")


def interrupt(*args: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("name", "replacement", "error"),
    [
        ("chronotope.storage.atomic.os.replace", fail, OSError),
        ("chronotope.storage.atomic.os.fsync", fail, OSError),
        ("chronotope.storage.atomic.os.fsync", interrupt, KeyboardInterrupt),
    ],
)
def test_a_failing_save_leaves_the_old_file_and_nothing_else(
    model: ct.DynamicTopicModel,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    replacement: Callable[..., None],
    error: type[BaseException],
) -> None:
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(name, replacement)
        with pytest.raises(error):
            model.save(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]
    model.save(path)
    assert path.read_bytes() == before


def test_saving_twice_writes_the_same_bytes(model: ct.DynamicTopicModel, tmp_path: Path) -> None:
    for name in "ab":
        model.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


class Bomb:
    """Says so when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("import os; os.environ['CHRONOTOPE_TEST_BOMB'] = 'exploded'",)


def flip_header(path: Path) -> bytes:
    data = bytearray(path.read_bytes())
    data[12:40] = bytes(byte ^ 0xFF for byte in data[12:40])
    return bytes(data)


DAMAGED: dict[str, Callable[[Path], bytes]] = {
    "empty": lambda path: b"",
    "one byte": lambda path: b"\x08",
    "random bytes": lambda path: np.random.default_rng(0).bytes(5000),
    "half": lambda path: path.read_bytes()[: path.stat().st_size // 2],
    "last byte missing": lambda path: path.read_bytes()[:-1],
    "header cut": lambda path: path.read_bytes()[:50],
    "header flipped": flip_header,
    "huge header length": lambda path: struct.pack("<Q", 2**62) + path.read_bytes()[8:],
    "a pickle": lambda path: pickle.dumps(Bomb()),
    "text": lambda path: b"once upon a time\n" * 10,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_refused_in_a_sentence_and_not_executed(path: Path, damage: str) -> None:
    path.write_bytes(DAMAGED[damage](path))
    with pytest.raises(ValueError, match=r"model\.chronotope.* cannot be read as a model .*the file is damaged"):
        ct.load(path)
    assert "CHRONOTOPE_TEST_BOMB" not in os.environ


@pytest.mark.slow
def test_every_flipped_bit_is_refused(path: Path) -> None:
    """Wherever one bit is wrong, the file is refused by name; blanks between entries do not count."""
    data = path.read_bytes()
    size = 8 + struct.unpack("<Q", data[:8])[0]
    places = [at for at in (*range(0, size, 7), *range(size, len(data), 31)) if data[at] != ord(" ")]
    for at in places:
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        with pytest.raises(ValueError, match=r"model\.chronotope"):
            ct.load(path)


@pytest.mark.parametrize("number", [2, 4, 5])
def test_another_format_does_not_hide_a_change(path: Path, number: int) -> None:
    header = header_of(path) | {"format": number}
    save_file(load_file(path), path, metadata={"chronotope": json.dumps(header)})
    with pytest.raises(ValueError, match="its content has changed since it was written"):
        ct.load(path)


def test_a_file_without_a_seal_is_read_only_in_a_format_that_had_none(model: ct.DynamicTopicModel, path: Path) -> None:
    header, arrays = header_of(path), load_file(path)
    del header[SEAL]
    save_file(arrays, path, metadata={"chronotope": json.dumps(header)})
    with pytest.raises(ValueError, match="its content has changed since it was written"):
        ct.load(path)
    save_file(arrays, path, metadata={"chronotope": json.dumps(header | {"format": 5})})
    np.testing.assert_array_equal(ct.load(path).topics_.mass, model.topics_.mass)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read as a model"):
        ct.load(tmp_path)


def test_another_safetensors_file_is_refused(tmp_path: Path) -> None:
    save_file({"g": np.zeros(3)}, tmp_path / "other")
    with pytest.raises(ValueError, match=r"is not a Chronotope model; pass a file written by model\.save"):
        ct.load(tmp_path / "other")


@pytest.mark.parametrize("number", [1, 10, "9", None])
def test_another_format_is_named(path: Path, number: object) -> None:
    rewrite(path, header_of(path) | {"format": number, "version": "9.9"})
    with pytest.raises(ValueError, match=rf"has format {number!r} of Chronotope 9\.9.*reads format 9"):
        ct.load(path)


ARRAYS: dict[str, dict[str, Any]] = {
    "no g": {"g": None},
    "flat g": {"g": np.zeros(96, np.float32)},
    "fewer nodes": {"nodes": np.arange(5.0)},
    "more words": {"g": np.zeros((6, 2, 9), np.float32), "b": np.zeros((6, 2, 9), np.float32)},
    "b of another shape": {"b": np.zeros((6, 2, 7), np.float32)},
    "b of another type": {"b": np.zeros((6, 2, 8), np.float64)},
    "g of whole numbers": {"g": np.zeros((6, 2, 8), np.int32), "b": np.zeros((6, 2, 8), np.int32)},
    "negative b": {"b": -np.ones((6, 2, 8), np.float32)},
    "g not finite": {"g": np.full((6, 2, 8), np.nan, np.float32)},
    "mass of another shape": {"mass": np.zeros((6, 3))},
    "mass not finite": {"mass": np.full((6, 2), np.inf)},
    "alpha of another shape": {"alpha": np.ones(3)},
    "alpha not positive": {"alpha": np.array([1.0, -1.0])},
    "nodes out of order": {"nodes": np.arange(6.0)[::-1].copy()},
    "nodes not finite": {"nodes": np.array([0, 1, 2, 3, 4, np.nan])},
    "bounds of two dimensions": {"bounds": np.zeros((2, 2))},
    "no common sites": {"common_g": None, "common_b": None},
    "half of the common sites": {"common_b": None},
    "common sites of every topic": {"common_g": np.zeros((6, 2, 8), np.float32)},
    "common sites of another type": {"common_g": np.zeros((6, 1, 8), np.float64)},
    "negative common b": {"common_b": -np.ones((6, 1, 8), np.float32)},
    "common g not finite": {"common_g": np.full((6, 1, 8), np.inf, np.float32)},
    "half of the coverage": {"covered_documents": None},
    "no coverage of any time": {"covered_documents": np.empty(0), "covered_times": np.empty(0)},
    "negative documents": {"covered_documents": np.array([-1.0]), "covered_times": np.array([1.0])},
    "coverage out of order": {"covered_documents": np.ones(2), "covered_times": np.array([2.0, 1.0])},
    "superfluous array": {"extra": np.zeros(3)},
    "a number of the sites too large": {"g": np.full((6, 2, 8), 1e38, np.float32)},
    "mass too large": {"mass": np.full((6, 2), 1e300)},
    "times too large": {"nodes": np.array([0, 1, 2, 3, 4, 1e300])},
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_do_not_fit_are_refused(path: Path, name: str) -> None:
    rewrite(path, arrays=ARRAYS[name])
    with pytest.raises(ValueError, match=r"model\.chronotope.* cannot be read as a model"):
        ct.load(path)


def test_sites_of_a_common_part_and_the_share_must_fit(path: Path) -> None:
    header = header_of(path)
    rewrite(path, header | {"settings": header["settings"] | {"shared": 0.0}})
    with pytest.raises(ValueError, match=r"shared is 0\.0, and sites of a common part are there"):
        ct.load(path)
    rewrite(path, header, {"common_g": None, "common_b": None})
    with pytest.raises(ValueError, match=r"shared is 0\.5, and no sites of a common part are there"):
        ct.load(path)


HOSTILE = "__import__('os').environ.__setitem__('CHRONOTOPE_TEST_BOMB', 'exploded')"
HEADERS: dict[str, Any] = {
    "not json": "{",
    "a list": "[1, 2]",
    "a number": "3",
    "null": "null",
    "deeply nested": "[" * 100_000,
    "hostile n_topics": {"settings": {"n_topics": HOSTILE}},
    "negative n_topics": {"settings": {"n_topics": -1}},
    "unknown setting": {"settings": {"code": HOSTILE}},
    "settings a list": {"settings": [1]},
    "hostile kernel": {"kernel": HOSTILE},
    "kernel a number": {"kernel": 3},
    "kernel unresolved": {"kernel": "ou"},
    "hostile steps": {"steps": HOSTILE},
    "steps null": {"steps": None},
    "negative documents": {"documents": -5},
    "no documents": {"documents": 0},
    "vocabulary too short": {"vocabulary": ["a"]},
    "vocabulary of numbers": {"vocabulary": [1, 2, 3, 4, 5, 6, 7, 8]},
    "vocabulary with repeats": {"vocabulary": ["a"] * 8},
    "vocabulary nested": {"vocabulary": [["a"]] * 8},
    "vocabulary a word": {"vocabulary": "abcdefgh"},
    "steps infinite": {"steps": float("inf")},
    "steps not a number": {"steps": float("nan")},
    "half a step": {"steps": 1.5},
    "more steps than there can be": {"steps": 10**400},
    "documents in words": {"documents": "3"},
    "calendar a word": {"calendar": "false"},
    "converged a number": {"converged": 1},
    "kernel too large": {"kernel": "ou(1e300, 1)"},
    "kernel of an origin too far": {"kernel": "wiener(1, 1, 1e300)"},
    "kernel of many parts": {"kernel": "+".join(["ou(1, 1)"] * 500)},
    "kernel without end": {"kernel": "+".join(["ou(1, 1)"] * 5000)},
    "kernel of brackets": {"kernel": "(" * 9_000},
    "setting of a kernel without end": {"settings": {"kernel": "(" * 10**6}},
    "kernel span infinite": {"kernel_span": [0.0, float("inf")]},
    "kernel span of lists": {"kernel_span": [[0.0], [1.0]]},
    "main span too long": {"main_span": [-1e308, 1e308]},
    "main span of one time": {"main_span": [1.0]},
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_hostile_header_is_refused_and_not_executed(path: Path, name: str) -> None:
    given = HEADERS[name]
    header = header_of(path)
    if isinstance(given, dict):
        settings = given.get("settings", {})
        given = header | given
        if isinstance(settings, dict):
            given["settings"] = header["settings"] | settings
    rewrite(path, given)
    with pytest.raises(ValueError, match=r"model\.chronotope"):
        ct.load(path)
    assert "CHRONOTOPE_TEST_BOMB" not in os.environ


@pytest.mark.parametrize("text", ['{"format": 9, "format": 9}', '{"format":' * 10**6], ids=["twice", "deep"])
def test_a_header_that_is_ambiguous_or_endless_is_refused(path: Path, text: str) -> None:
    rewrite(path, text)
    with pytest.raises(ValueError, match=r"model\.chronotope.*its header is not JSON"):
        ct.load(path)


def test_a_file_does_not_say_where_to_write(path: Path, tmp_path: Path) -> None:
    header = header_of(path)
    rewrite(path, header | {"settings": header["settings"] | {"checkpoint": str(tmp_path / "elsewhere")}})
    loaded = ct.load(path)
    assert loaded.checkpoint is None
    loaded.fit(CORPUS)
    assert not (tmp_path / "elsewhere").exists()


TEXTS = ["war and peace", "the price of bread", "peace at last", "bread and war"] * 3


@pytest.mark.parametrize(("pattern", "kept"), [(r"\b\w\w+\b", True), ("[a-z]+(?:-[a-z]+)*", True), (r"(\w+)+$", False)])
def test_a_pattern_of_a_file_is_used_only_if_it_is_quick(pattern: str, kept: bool, tmp_path: Path) -> None:
    corpus = ct.Corpus.from_texts(TEXTS, range(12), preprocessing=ct.Preprocessing())
    model = ct.DynamicTopicModel(2, max_epochs=2).fit(corpus)
    model.preprocessing_ = ct.Preprocessing(token_pattern=pattern)
    model.save(tmp_path / "m")
    if kept:
        assert ct.load(tmp_path / "m").preprocessing_ == model.preprocessing_
        return
    with pytest.warns(UserWarning, match=r"not taken from the file: on some texts its token_pattern .* for ever"):
        loaded = ct.load(tmp_path / "m")
    assert loaded.preprocessing_ is None
    np.testing.assert_array_equal(loaded.transform(corpus), model.transform(corpus))
    assert loaded.transform(["a" * 40 + "! war and peace"], times=[1]).shape == (1, 2)


@pytest.mark.parametrize("key", ["settings", "kernel", "vocabulary", "calendar", "steps", "documents", "converged"])
def test_a_header_without_one_of_its_entries_is_refused(path: Path, key: str) -> None:
    header = header_of(path)
    del header[key]
    rewrite(path, header)
    with pytest.raises(ValueError, match=rf"cannot be read as a model .*{key}"):
        ct.load(path)
