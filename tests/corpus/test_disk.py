"""A corpus on disk is the corpus that was saved, gives the same models to the last bit, and is never half there."""

from __future__ import annotations

import json
import shutil
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from planted import plant

import chronotope as ct
from chronotope.corpus.counts import blocks
from chronotope.storage.digest import SEAL, file_digest, sealed

TIMES = np.arange(12.0)
FILES = {"corpus.json", "data.npy", "ids.npy", "indices.npy", "indptr.npy", "times.npy", "vocabulary.json"}
FILES |= {"columns.json", "column0.npy", "column1.npy"}

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def corpus() -> ct.Corpus:
    """Documents in no order of time, one of them empty."""
    whole = plant(ct.OrnsteinUhlenbeck(2.0, 5.0), TIMES, n_topics=2, n_words=15, documents=8, length=20).corpus
    mixed = whole[np.random.default_rng(0).permutation(len(whole))]
    counts = mixed.counts.toarray()
    counts[5] = 0
    ids = [f"d{i}" for i in mixed.ids]
    metadata = {"party": [("Whig", "Democrat", None)[i % 3] for i in range(len(ids))], "age": np.arange(len(ids)) / 4}
    return ct.Corpus(counts, mixed.times, ids=ids, metadata=metadata, calendar=True)


@pytest.fixture
def folder(corpus: ct.Corpus, tmp_path: Path) -> Path:
    corpus.save(tmp_path / "corpus")
    return tmp_path / "corpus"


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "__defaults__", (100,))


def same(one: ct.Corpus, other: ct.Corpus) -> None:
    np.testing.assert_array_equal(one.counts.toarray(), other.counts.toarray())
    for name in ("times", "vocabulary", "ids"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.calendar, repr(one), one.n_empty) == (other.calendar, repr(other), other.n_empty)
    assert one.digest() == other.digest()
    assert one.metadata is not None
    assert other.metadata is not None
    assert one.metadata["party"].astype(object).fillna("").equals(other.metadata["party"].astype(object).fillna(""))
    np.testing.assert_array_equal(one.metadata["age"], other.metadata["age"])


def test_what_is_opened_is_what_was_saved(corpus: ct.Corpus, folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == FILES
    assert {path.name for path in folder.parent.iterdir()} == {"corpus"}
    same(ct.open_corpus(folder), corpus)
    same(ct.open_corpus(str(folder)), corpus)


def test_parts_of_a_corpus_on_disk_are_those_of_the_corpus(corpus: ct.Corpus, folder: Path, tmp_path: Path) -> None:
    opened = ct.open_corpus(folder)
    for one, other in zip(opened.split_times(0.3, seed=1), corpus.split_times(0.3, seed=1), strict=True):
        same(one, other)
    part = opened[::-3]
    same(part, corpus[::-3])
    part.save(tmp_path / "part")
    same(ct.open_corpus(tmp_path / "part"), corpus[::-3])


@pytest.mark.parametrize("local", ["sampled", "mean-field"])
@pytest.mark.parametrize("init", ["lda", "documents"])
@pytest.mark.parametrize("batch_size", [None, 30])
@pytest.mark.usefixtures("small_blocks")
def test_models_are_the_same_to_the_last_bit(
    corpus: ct.Corpus, folder: Path, local: str, init: str, batch_size: int | None
) -> None:
    options = {"kernel": "ou(2, 5)", "shared": 0.5, "n_inducing": 6, "max_epochs": 2, "alpha": "learn"}
    models = []
    for documents in (corpus, ct.open_corpus(folder)):
        train, test = documents.split_times(0.3)
        model = ct.DynamicTopicModel(2, batch_size=batch_size, local=local, init=init, **options).fit(train)
        models.append((model, model.transform(test), model.perplexity(test)))
    (one, shares, perplexity), (other, other_shares, other_perplexity) = models
    sites, others = (topics.posterior.arrays() for topics in (one.topics_, other.topics_))
    for name in ("g", "b", "common_g", "common_b"):
        np.testing.assert_array_equal(sites[name], others[name])
    for name in ("mean", "mass"):
        np.testing.assert_array_equal(getattr(one.topics_, name), getattr(other.topics_, name))
    np.testing.assert_array_equal(one.bounds_, other.bounds_)
    np.testing.assert_array_equal(shares, other_shares)
    assert perplexity == other_perplexity


def test_answers_in_blocks_are_those_without(corpus: ct.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ct.DynamicTopicModel(2, "ou(2, 5)", max_epochs=2, dtype="float64").fit(corpus)
    shares, perplexity = model.transform(corpus), model.perplexity(corpus)
    monkeypatch.setattr(blocks, "__defaults__", (50,))
    np.testing.assert_allclose(model.transform(corpus), shares, rtol=1e-9)
    assert model.perplexity(corpus) == pytest.approx(perplexity, rel=1e-9)


@pytest.mark.slow
def test_training_from_disk_needs_memory_for_a_batch_not_for_the_corpus(tmp_path: Path) -> None:
    D, V, n = 60_000, 50, 20
    rng = np.random.default_rng(0)
    words = np.sort(rng.permuted(np.tile(np.arange(V, dtype=np.int32), (D, 1)), axis=1)[:, :n], axis=1).ravel()
    counts = sp.csr_array((np.ones(D * n, np.int32), words, np.arange(0, D * n + 1, n)), shape=(D, V))
    with ct.CorpusWriter(tmp_path / "corpus", [f"w{v}" for v in range(V)]) as writer:
        for start in range(0, D, 20_000):
            writer.add(counts[start : start + 20_000], rng.uniform(0, 9, 20_000))
    del counts, words
    corpus = ct.open_corpus(tmp_path / "corpus")
    model = ct.DynamicTopicModel(2, "ou(2, 5)", n_inducing=4, batch_size=500, max_epochs=1, init="samples")
    model.fit(corpus[:2_000])  # loads the compiled loops
    blocks.__defaults__, before = (100_000,), blocks.__defaults__
    tracemalloc.start()
    try:
        model.fit(corpus)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        blocks.__defaults__ = before
    assert (
        peak < 200 * D
    )  # bytes; all counts as one step uses them would be 320 a document, and as much again on the way


def test_counts_are_written_some_at_a_time(corpus: ct.Corpus, tmp_path: Path) -> None:
    with ct.CorpusWriter(tmp_path / "corpus", corpus.vocabulary.tolist(), calendar=True) as writer:
        for start in range(0, len(corpus), 17):
            part = corpus[start : start + 17]
            writer.add(part.counts, part.times, part.ids)
        writer.metadata = corpus.metadata
    same(ct.open_corpus(tmp_path / "corpus"), corpus)


def test_dates_are_written_as_decimal_years_and_ids_are_numbers_by_default(tmp_path: Path) -> None:
    with ct.CorpusWriter(tmp_path / "corpus", ["war", "peace"]) as writer:
        writer.add([[1, 0], [300, 2]], ["1914-08-01", "1918-11-11"])
        writer.add([[70_000, 0]], ["1939-09-01"])
    corpus = ct.open_corpus(tmp_path / "corpus")
    assert corpus.calendar
    assert corpus.ids.tolist() == [0, 1, 2]
    assert corpus.counts.toarray().tolist() == [[1, 0], [300, 2], [70_000, 0]]
    assert repr(corpus).endswith("3 times from 1914-08-01 to 1939-09-01)")


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([([[1, 0]], [1914]), ([[1, 0]], ["1914-08-01"])], "these times are dates, and those before were numbers"),
        ([([[1, 0, 1]], [1914])], "vocabulary has 2 words but counts has 3 columns"),
        ([([[1, 0]], [1914]), ([[1, -1]], [1915])], "is -1; expected at least 0"),
        ([], "no documents were given"),
    ],
)
def test_what_cannot_be_added_is_said_and_leaves_nothing_behind(
    tmp_path: Path, pieces: list[tuple[list[list[int]], list[object]]], message: str
) -> None:
    def write() -> None:
        with ct.CorpusWriter(tmp_path / "corpus", ["war", "peace"]) as writer:
            for counts, times in pieces:
                writer.add(counts, times)

    with pytest.raises(ValueError, match=message):
        write()
    assert not list(tmp_path.iterdir())


def reseal(folder: Path, **changed: object) -> None:
    """Put other entries into the header, None for no such one, under a seal that is right, also of changed files."""
    header = json.loads((folder / "corpus.json").read_text()) | changed
    files = {file.name: file_digest(file) for file in folder.iterdir() if file.name != "corpus.json"}
    header = {name: value for name, value in (header | {"files": files}).items() if value is not None and name != SEAL}
    (folder / "corpus.json").write_text(json.dumps(sealed(header)))


def test_nothing_is_written_over(corpus: ct.Corpus, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="already exists; choose another name, or delete it first"):
        corpus.save(folder)
    same(ct.open_corpus(folder), corpus)
    (tmp_path / "empty").mkdir()
    corpus.save(tmp_path / "empty")
    same(ct.open_corpus(tmp_path / "empty"), corpus)


def test_a_folder_that_is_no_corpus_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ct.open_corpus(tmp_path / "none")
    with pytest.raises(ValueError, match=r"is not a corpus: it has no corpus.json; pass a folder written by"):
        ct.open_corpus(tmp_path)


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("damage", ["gone", "half", "garbage", "empty", "pickle"])
def test_a_damaged_folder_ends_in_a_sentence(folder: Path, name: str, damage: str) -> None:
    file = folder / name
    if damage == "gone":
        file.unlink()
    elif damage == "half":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif damage == "garbage":
        file.write_bytes(np.random.default_rng(0).bytes(500))
    elif damage == "empty":
        file.write_bytes(b"")
    else:
        np.save(file.with_suffix(".npy"), np.array([print], dtype=object), allow_pickle=True)
        file.with_suffix(".npy").replace(file)
    with pytest.raises(ValueError, match=r"(cannot be read as a corpus|is not a corpus)") as told:
        ct.open_corpus(folder)
    assert "pickle" not in str(told.value)
    if name != "corpus.json":
        reseal(folder)
        with pytest.raises(ValueError, match="cannot be read as a corpus"):
            ct.open_corpus(folder)


@pytest.mark.parametrize("name", sorted(name for name in FILES if name.endswith(".npy")))
@pytest.mark.parametrize(("old", "new"), [(b"}", b" "), (b"{", b"1"), (b"\x93", b"x"), (b"'shape': (", b"'shape': [")])
def test_a_damaged_header_of_an_array_is_told_without_advice_to_trust_it(
    folder: Path, name: str, old: bytes, new: bytes
) -> None:
    (folder / name).write_bytes((folder / name).read_bytes().replace(old, new, 1))
    reseal(folder)
    with pytest.raises(ValueError, match=r"cannot be read as a corpus \(ValueError: .*build it anew") as told:
        ct.open_corpus(folder)
    assert "pickle" not in str(told.value)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_flipped_bit_is_refused_wherever_it_is(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    for at in np.linspace(0, len(data) - 1, 30).astype(int).tolist():
        if chr(data[at]).isspace():
            continue  # between the entries of a header
        (folder / name).write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        with pytest.raises(ValueError, match=r"(cannot be read as a corpus|has format)"):
            ct.open_corpus(folder)


def test_a_folder_of_the_format_without_digests_is_read(corpus: ct.Corpus, folder: Path) -> None:
    header = json.loads((folder / "corpus.json").read_text())
    del header[SEAL], header["files"]
    (folder / "corpus.json").write_text(json.dumps(header))
    with pytest.raises(ValueError, match="its content has changed since it was written"):
        ct.open_corpus(folder)
    (folder / "corpus.json").write_text(json.dumps(header | {"format": 1}))
    same(ct.open_corpus(folder), corpus)


def test_digests_are_taken_a_piece_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch, corpus: ct.Corpus) -> None:
    monkeypatch.setattr("chronotope.storage.digest.PIECE", 7)
    same(ct.open_corpus(folder), corpus)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("documents", 95),
        ("documents", -1),
        ("documents", "many"),
        ("documents", float("inf")),
        ("documents", 10**30),
        ("entries", float("nan")),
        ("words", 14),
        ("entries", 7),
        ("report", {"documents": 1}),
        ("calendar", None),
    ],
)
def test_a_header_that_does_not_fit_is_refused(folder: Path, name: str, change: object) -> None:
    reseal(folder, **{name: change})
    with pytest.raises(ValueError, match="the folder is damaged, build it anew"):
        ct.open_corpus(folder)


@pytest.mark.parametrize(
    ("name", "values"),
    [("indptr", [5, 0]), ("times", [np.nan]), ("times", [np.inf])],
    ids=["rows that run backwards", "no number", "not finite"],
)
def test_arrays_that_make_no_sense_are_refused(folder: Path, name: str, values: list[float]) -> None:
    stored = np.load(folder / f"{name}.npy", mmap_mode="r+")
    stored[1 : 1 + len(values)] = values
    stored.flush()
    reseal(folder)
    with pytest.raises(ValueError, match="the folder is damaged, build it anew"):
        ct.open_corpus(folder)


def test_a_format_of_the_future_is_named(folder: Path) -> None:
    header = json.loads((folder / "corpus.json").read_text()) | {"format": 99}
    (folder / "corpus.json").write_text(json.dumps(header))
    with pytest.raises(ValueError, match="has format 99 of Chronotope"):
        ct.open_corpus(folder)


def test_a_moved_folder_opens_and_a_repeated_word_does_not(corpus: ct.Corpus, folder: Path) -> None:
    moved = Path(shutil.move(folder, folder.parent / "moved"))
    same(ct.open_corpus(moved), corpus)
    words = corpus.vocabulary.tolist()
    (moved / "vocabulary.json").write_text(json.dumps([*words[:-1], words[0]]))
    reseal(moved)
    with pytest.raises(ValueError, match="not a list of 15 different words"):
        ct.open_corpus(moved)
