"""A corpus built on disk from texts is the one built in memory, and nothing else is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import chronotope as ct
from chronotope.corpus.groups import groups_of, numbers_of
from chronotope.text import store as token_store

WORDS = [a + b + c for a in "bdfg" for b in "aeiou" for c in "mnrt"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS, rng.integers(0, 12))) for _ in range(120)]


@pytest.fixture(scope="module")
def times() -> list[str]:
    rng = np.random.default_rng(1)
    return [f"{1900 + year}-05-01" if year else "n/a" for year in rng.integers(0, 30, 120)]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens go to disk at once, and are read back a few at a time."""
    monkeypatch.setattr(token_store, "_IN_MEMORY", 1)
    monkeypatch.setattr(token_store, "_BLOCK", 50)


def same(one: ct.Corpus, other: ct.Corpus) -> None:
    np.testing.assert_array_equal(one.counts.toarray(), other.counts.toarray())
    for name in ("times", "vocabulary", "ids"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.calendar == other.calendar


@pytest.mark.parametrize(
    "options",
    [
        ct.Preprocessing(),
        ct.Preprocessing(min_count=8, min_document_words=4, max_vocabulary=30),
        ct.Preprocessing(min_count=1, min_document_words=11),
        ct.Preprocessing(vocabulary=["bam", "nowhere", "dit"], min_document_words=0),
    ],
    ids=["default", "few words", "long documents", "given words"],
)
def test_texts_on_disk_give_the_corpus_of_texts_in_memory(
    texts: list[str], times: list[str], options: ct.Preprocessing, tmp_path: Path
) -> None:
    ids = [f"t{i}" for i in range(len(texts))]
    held = ct.Corpus.from_texts(texts, times, preprocessing=options, ids=ids, on_bad_time="drop")
    on_disk = ct.Corpus.from_texts(
        iter(texts), times, preprocessing=options, ids=ids, on_bad_time="drop", folder=tmp_path / "corpus"
    )
    same(on_disk, held)
    assert str(on_disk.report) == str(held.report)
    assert on_disk.report == held.report
    assert on_disk.report.removed_words().equals(held.report.removed_words())
    assert on_disk.texts is None
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]
    same(ct.open_corpus(tmp_path / "corpus"), held)


def test_files_are_read_to_disk(texts: list[str], times: list[str], tmp_path: Path) -> None:
    rows = [f"{time},{text},x{i}" for i, (time, text) in enumerate(zip(times, texts, strict=True))]
    (tmp_path / "letters.csv").write_text("\n".join(["date,text,id", *rows]))
    held = ct.read_corpus(tmp_path / "letters.csv")
    on_disk = ct.read_corpus(tmp_path / "letters.csv", folder=tmp_path / "corpus")
    same(on_disk, held)
    assert on_disk.metadata is None
    assert on_disk.report.removed == held.report.removed
    assert on_disk.report.notes[-1].startswith("the corpus is on disk, without texts and metadata")
    assert on_disk.report.notes[:-1] == held.report.notes


def test_ready_counts_are_read_to_disk(tmp_path: Path) -> None:
    (tmp_path / "x-mult.dat").write_text("2 0:1 1:2\n1 1:300\n")
    (tmp_path / "x-seq.dat").write_text("2\n1\n1\n")
    held = ct.read_corpus(tmp_path / "x-mult.dat")
    same(ct.read_corpus(tmp_path / "x-mult.dat", folder=tmp_path / "corpus"), held)
    same(ct.read_corpus(str(tmp_path / "corpus")), held)
    with pytest.raises(ValueError, match="corpus holds ready counts; pass no preprocessing"):
        ct.read_corpus(tmp_path / "corpus", ct.Preprocessing())


def test_metadata_that_are_named_are_kept_on_disk(tmp_path: Path) -> None:
    rows = [
        "date,text,party,age,url",
        "1840,war and war,Whig,40,x/1",
        "1841,army and army,,51.5,x/2",
        "1842,,Whig,9,x/3",
    ]
    (tmp_path / "letters.csv").write_text("\n".join([*rows, "1843,war and army,Democrat,,x/4"]))
    asked = {"metadata": ["party", "age"], "preprocessing": ct.Preprocessing(min_count=1, min_document_words=1)}
    held = ct.read_corpus(tmp_path / "letters.csv", **asked)
    on_disk = ct.read_corpus(tmp_path / "letters.csv", folder=tmp_path / "corpus", **asked)
    for corpus in (on_disk, ct.open_corpus(tmp_path / "corpus")):
        assert list(corpus.metadata) == ["party", "age"]
        (names, group), (expected, of_each) = (groups_of(one, "party") for one in (corpus, held))
        assert names == expected == ["(none)", "Democrat", "Whig"]
        np.testing.assert_array_equal(group, of_each)
        np.testing.assert_array_equal(numbers_of(corpus, "age"), numbers_of(held, "age"))
    assert on_disk.report.notes[-1].startswith("the corpus is on disk, without texts; ids say")
    texts, times = ["war and army", "war", "army of war"], [1914, "n/a", 1916]
    made = ct.Corpus.from_texts(
        texts,
        times,
        metadata={"by": ["x", "y", "z"]},
        folder=tmp_path / "other",
        on_bad_time="drop",
        preprocessing=asked["preprocessing"],
    )
    assert groups_of(made, "by")[0] == ["x", "z"]


def test_an_existing_folder_is_refused_before_the_first_text_is_read(tmp_path: Path) -> None:
    def untouched() -> Iterator[str]:
        raise AssertionError
        yield ""

    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(FileExistsError, match="already exists"):
        ct.Corpus.from_texts(untouched(), [1914], folder=tmp_path / "full")


@pytest.mark.parametrize(
    ("bad", "message"), [(7, r"texts\[1\] is 7"), ("", "nothing is left|no words were found")], ids=["number", "empty"]
)
def test_texts_that_cannot_be_counted_leave_nothing_behind(tmp_path: Path, bad: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ct.Corpus.from_texts([bad if bad == "" else "war", bad], [1914, 1915], folder=tmp_path / "corpus")  # type: ignore[list-item]
    assert not list(tmp_path.iterdir())
