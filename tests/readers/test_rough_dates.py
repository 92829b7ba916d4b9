"""Rough dates in files: every row is accounted for, in memory, on disk and by columns that are guessed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import chronotope as ct
from chronotope.readers import read, read_corpus

ROUGH = ["circa 1850", "c. 1850?", "1930s", "early 19th century", "between 1914 and 1918", "n.d."]
KEPT = {"preprocessing": ct.Preprocessing(stop_words=None, min_count=1, min_document_words=0, duplicates=None)}
HEAD = "dates: 3 exact, 2 rough, 1 unknown"
LETTERS = """date,text
1840-03-04,War and peace
circa 1850,Bread and wine
n.d.,Nobody dated it
1860,Peace and bread
lost,This one is lost
1880-01-01,Wine and war
before 1845,The war is over
"""


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    (tmp_path / "letters.csv").write_text(LETTERS, encoding="utf-8")
    return tmp_path / "letters.csv"


def spreadsheet(n: int) -> pd.DataFrame:
    """A table of n rows, a tenth each of six rough forms, the others days from 1800 to 1949."""
    rng = np.random.default_rng(0)
    days = np.datetime64("1800-01-01") + rng.integers(0, 150 * 365, n)
    dates = [ROUGH[row % 10] if row % 10 < len(ROUGH) else str(days[row]) for row in range(n)]
    return pd.DataFrame({"when": dates, "text": [f"word{row % 50} peace" for row in range(n)]})


@pytest.mark.slow
def test_a_spreadsheet_of_ten_thousand_rows_keeps_every_one(tmp_path: Path) -> None:
    n = 10_000
    spreadsheet(n).to_csv(tmp_path / "sheet.csv", index=False)
    held = read_corpus(tmp_path / "sheet.csv", **KEPT)
    stored = read_corpus(tmp_path / "sheet.csv", folder=tmp_path / "corpus", **KEPT)
    for corpus in (held, stored):
        assert len(corpus) == n
        assert corpus.rough is not None
        np.testing.assert_array_equal(corpus.rough.document, np.flatnonzero(np.arange(n) % 10 < 6))
        assert len(corpus.rough.unknown) == n // 10
        assert "dates: 4,000 exact, 5,000 rough, 1,000 unknown" in repr(corpus)
        assert np.all(corpus.times[0::10] == 1850.5)
        assert np.all(corpus.times[2::10] == 1935.0)
    assert held.digest() == stored.digest()
    exact = held.times[held.exact]
    np.testing.assert_allclose(held.times[5], 0.5 * (exact.min() + exact.max()), rtol=1e-15)
    assert held.report is not None
    assert "'early 19th century' as 1800 to 1833" in "\n".join(held.report.notes)


def test_rows_are_kept_with_their_rough_dates_or_dropped_with_a_reason(letters: Path) -> None:
    corpus = read_corpus(letters, **KEPT)
    assert corpus.ids.tolist() == [0, 1, 2, 3, 5, 6]
    np.testing.assert_allclose(corpus.times[[0, 1, 3]], [1840 + 63 / 366, 1850.5, 1860], rtol=1e-15)
    assert corpus.exact.tolist() == [True, False, False, True, True, False]
    assert corpus.report is not None
    notes = "\n".join(corpus.report.notes)
    assert HEAD in notes
    assert "'before 1845' as before 1845" in notes
    assert "1 × unreadable time (line 6 'lost')" in notes


def test_the_folder_is_the_corpus_in_memory(letters: Path, tmp_path: Path) -> None:
    held, stored = read_corpus(letters, **KEPT), read_corpus(letters, folder=tmp_path / "corpus", **KEPT)
    np.testing.assert_array_equal(held.times, stored.times)
    assert held.digest() == stored.digest() == ct.open_corpus(tmp_path / "corpus").digest()
    assert held.report is not None
    assert stored.report is not None
    assert stored.report.notes[: len(held.report.notes)] == held.report.notes


def test_dropped_they_are_unreadable_as_others(letters: Path, tmp_path: Path) -> None:
    corpus = read_corpus(letters, rough_dates="drop", **KEPT)
    assert corpus.ids.tolist() == [0, 3, 5]
    assert corpus.rough is None
    assert corpus.report is not None
    assert corpus.report["unreadable time"].documents == 4
    read_corpus(letters, folder=tmp_path / "corpus", **KEPT)
    assert len(read_corpus(tmp_path / "corpus", rough_dates="drop")) == 3
    with pytest.raises(ValueError, match='expected "use" or "drop"'):
        read_corpus(letters, rough_dates="keep")
    with pytest.raises(ValueError, match='expected "use" or "drop"'):
        read_corpus(tmp_path / "corpus", rough_dates="keep")


def test_records_have_rough_dates_as_they_are_written(letters: Path) -> None:
    reading = read(letters)
    times = [record.time for record in reading]
    assert times == ["1840-03-04", "circa 1850", "n.d.", "1860", "1880-01-01", "before 1845"]
    assert reading.n_records == 6
    again = ct.Corpus(np.ones((6, 1), dtype=int), times)
    np.testing.assert_array_equal(again.times, read_corpus(letters, **KEPT).times)


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ({"start": "1850"}, ["circa 1850", "1860", "1880-01-01"]),
        ({"end": "1850"}, ["1840-03-04", "circa 1850", "before 1845"]),
        ({"start": "1851"}, ["1860", "1880-01-01"]),
        ({"start": "1800", "end": "1855"}, ["1840-03-04", "circa 1850"]),
    ],
)
def test_a_window_holds_those_that_are_in_it_for_certain(letters: Path, window: Any, expected: list[str]) -> None:
    assert [record.time for record in read(letters, **window)] == expected


def test_a_column_of_rough_dates_is_guessed_by_its_content_and_one_of_unknown_words_is_not() -> None:
    rows = {
        "state": ["unknown"] * 6,
        "place": ["n.d.", "nd", "unknown"] * 2,
        "origin": ["circa 1850", "1930s", "n.d.", "19th century", "1914-18", ""],
        "text": ["A text of more than two words"] * 6,
    }
    reading = read(pd.DataFrame(rows))
    assert reading.columns["time"] == "origin"
    assert Counter(record.time for record in reading)["n.d."] == 1


def test_a_column_of_years_beside_rough_dates_is_a_calendar() -> None:
    corpus = read_corpus(pd.DataFrame({"year": [1850, 1860, "c. 1855"], "text": ["war", "peace", "bread"]}), **KEPT)
    assert corpus.calendar
    assert corpus.times.tolist() == [1850, 1860, 1855.5]


def test_plain_numbers_have_no_rough_dates() -> None:
    table = pd.DataFrame({"time": [0.5, 1.5, "n.d."], "text": ["war", "peace", "bread"]})
    assert len(read_corpus(table, **KEPT)) == 2


def test_dates_of_which_none_is_known_are_refused(tmp_path: Path) -> None:
    table = pd.DataFrame({"date": ["n.d.", "undated"], "text": ["war", "peace"]})
    with pytest.raises(ValueError, match="none of the 2 dates is known; pass at least one"):
        read_corpus(table, time="date", **KEPT)


def test_several_tables_on_disk_and_in_memory_are_the_same(tmp_path: Path) -> None:
    lines = LETTERS.splitlines()
    for number, rows in enumerate((lines[1:4], lines[4:])):
        (tmp_path / f"part{number}.csv").write_text("\n".join([lines[0], *rows]), encoding="utf-8")
    held = read_corpus(str(tmp_path / "part*.csv"), **KEPT)
    stored = read_corpus(str(tmp_path / "part*.csv"), folder=tmp_path / "corpus", **KEPT)
    assert held.digest() == stored.digest()
    assert HEAD in repr(stored)


def test_duplicates_of_a_rough_document_are_found_by_its_middle() -> None:
    ends = ("ful", "less", "like", "man", "time")
    words = " ".join(word + end for word in ("war", "peace", "bread", "wine", "trade") for end in ends)
    table = pd.DataFrame({"date": ["1860", "circa 1850", "1900"], "text": [words, words, "another text"]})
    corpus = read_corpus(table, ct.Preprocessing(stop_words=None, min_count=1, duplicates="drop"), time="date")
    assert corpus.ids.tolist() == [1, 2]
