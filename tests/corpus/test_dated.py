"""Documents whose dates are known only roughly stay with their dates: in memory, on disk, in selections and splits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chronotope as ct
from chronotope.corpus.align import with_vocabulary
from chronotope.corpus.dated import checked_rough
from chronotope.corpus.disk import FORMAT, UNSEALED
from chronotope.dates.rough import UNKNOWN, RoughDates

INF = np.inf
DATES = ["1840", "circa 1850", "1860-07-01", "n.d.", "1851 or 1853", "before 1845", "1880", "after 1870"]
COUNTS = np.arange(1, 17).reshape(8, 2)
TEXTS = ["war and peace", "peace and bread", "bread and war", "war", "bread", "peace", "war and war", "peace bread"]
MIDDLES = [1840, 1850.5, 1860 + 182 / 366, 1860, 1852.5, 1842.5, 1880, 1875.5]
ROWS = [1, 3, 4, 4, 5, 7]


@pytest.fixture
def corpus() -> ct.Corpus:
    return ct.Corpus(COUNTS, DATES, ["war", "peace"])


def same(one: ct.Corpus, other: ct.Corpus) -> None:
    np.testing.assert_array_equal(one.times, other.times)
    assert (one.rough is None) == (other.rough is None)
    for own, others in zip(one.rough or (), other.rough or (), strict=True):
        np.testing.assert_array_equal(own, others)
    assert one.digest() == other.digest()
    assert repr(one) == repr(other)


def test_rough_documents_have_the_middles_of_their_densities_as_times(corpus: ct.Corpus) -> None:
    np.testing.assert_allclose(corpus.times, MIDDLES, rtol=1e-15)
    assert corpus.calendar
    assert corpus.rough is not None
    assert corpus.rough.document.tolist() == ROWS
    assert corpus.exact.tolist() == [True, False, True, False, False, False, True, False]
    assert corpus[corpus.exact].rough is None
    np.testing.assert_array_equal(
        corpus[corpus.exact].times, ct.Corpus(COUNTS[[0, 2, 6]], ["1840", "1860-07-01", "1880"]).times
    )


def test_the_corpus_says_how_many_dates_are_rough_and_how_they_were_read(corpus: ct.Corpus) -> None:
    assert repr(corpus).endswith("; dates: 3 exact, 4 rough, 1 unknown)")
    assert "3 exact, 4 rough, 1 unknown" in corpus._repr_html_()
    first, second = str(corpus.report).splitlines()[:2]
    assert first == "dates: 3 exact, 4 rough, 1 unknown"
    assert "'circa 1850' as 1840 to 1860, most likely 1848 to 1852; '1851 or 1853' as 1851 or 1853" in second
    exact = corpus[corpus.exact]
    assert "dates" not in repr(exact)
    assert "exact" not in exact._repr_html_()
    assert ct.Corpus(COUNTS[:2], ["1840", "n.d."]).report is not None


@pytest.mark.parametrize("keep_texts", [True, False])
def test_from_texts_keeps_them_in_memory_and_on_disk(tmp_path: Path, keep_texts: bool) -> None:
    given: dict[str, Any] = {"preprocessing": ct.Preprocessing(stop_words=None, min_count=1, min_document_words=1)}
    held = ct.Corpus.from_texts([*TEXTS[:5], "", *TEXTS[6:]], DATES, keep_texts=keep_texts, **given)
    stored = ct.Corpus.from_texts(iter([*TEXTS[:5], "", *TEXTS[6:]]), DATES, folder=tmp_path / "corpus", **given)
    same(held, stored)
    assert held.ids.tolist() == [0, 1, 2, 3, 4, 6, 7]
    assert held.rough is not None
    assert held.rough.document.tolist() == [1, 3, 4, 4, 6]
    assert held.report is not None
    assert stored.report is not None
    assert held.report.notes == stored.report.notes
    assert held.report.notes[0] == "dates: 3 exact, 3 rough, 1 unknown"


def test_dropped_they_count_as_unreadable() -> None:
    with pytest.raises(ValueError, match=r"5 of 8 dates could not be read \(first: row 1, 'circa 1850'\)"):
        ct.Corpus(COUNTS, DATES, rough_dates="drop")
    dropped = ct.Corpus(COUNTS, DATES, rough_dates="drop", on_bad_time="drop")
    assert dropped.times.tolist() == [1840, 1860 + 182 / 366, 1880]
    assert dropped.rough is None
    assert len(ct.Corpus.from_texts(TEXTS, DATES, rough_dates="drop", on_bad_time="drop")) == 3
    with pytest.raises(ValueError, match='expected "use" or "drop"'):
        ct.Corpus(COUNTS, DATES, rough_dates="no")  # type: ignore[arg-type]


def test_what_cannot_be_read_at_all_is_refused_or_dropped_with_its_reason() -> None:
    dates = [*DATES[:6], "Y-12000", "44 BC"]
    with pytest.raises(ValueError, match=r"2 of 8 .*row 6, 'Y-12000', which is not between the years 1 and 9999"):
        ct.Corpus(COUNTS, dates)
    corpus = ct.Corpus(COUNTS, dates, on_bad_time="drop")
    assert len(corpus) == 6
    assert corpus.rough is not None
    assert corpus.rough.document.tolist() == [1, 3, 4, 4, 5]


def test_dates_of_which_none_is_known_are_refused_and_finite_ones_make_the_span() -> None:
    with pytest.raises(ValueError, match="none of the 8 dates is known; pass at least one"):
        ct.Corpus(COUNTS, ["n.d.", "undated"] * 4)
    rough = ct.Corpus(COUNTS, ["1930s", "n.d."] * 4)
    assert rough.times.tolist() == [1935.0] * 8
    assert not rough.exact.any()


def test_bare_years_beside_rough_dates_are_a_calendar_and_other_numbers_have_no_rough_dates() -> None:
    assert ct.Corpus(COUNTS[:3], [1840, "circa 1850", 1860]).calendar
    with pytest.raises(ValueError, match="1 of 3 times could not be read"):
        ct.Corpus(COUNTS[:3], [12.5, "circa 1850", 3])


def test_selections_have_the_dates_of_their_documents_repeats_too(corpus: ct.Corpus) -> None:
    rows = [6, 4, 4, 0, 1, 5]
    chosen = corpus[rows]
    np.testing.assert_array_equal(chosen.times, corpus.times[rows])
    assert chosen.rough is not None
    assert chosen.rough.document.tolist() == [1, 1, 2, 2, 4, 5]
    assert chosen.rough.corners[:, 0].tolist() == [1851, 1853, 1851, 1853, 1840, -INF]
    assert corpus[[0, 2]].rough is None


def test_the_digest_covers_rough_dates_and_is_as_before_without(corpus: ct.Corpus) -> None:
    other = ct.Corpus(COUNTS, ["1840", "1850?", *DATES[2:]], ["war", "peace"])
    assert other.times[1] == corpus.times[1]
    assert corpus.digest() != other.digest()
    bare = ct.Corpus(COUNTS, corpus.times, ["war", "peace"], calendar=True)
    assert bare.digest() != corpus.digest()
    assert bare.digest() == "9093cf659ce2aa68e7be0fc72e637160da30d011124984ac1d64ad20c9d83ed0"


def test_a_folder_keeps_them_and_says_when_they_changed(corpus: ct.Corpus, tmp_path: Path) -> None:
    corpus.save(tmp_path / "corpus")
    opened = ct.open_corpus(tmp_path / "corpus")
    same(corpus, opened)
    same(corpus[[4, 4, 0]], opened[[4, 4, 0]])
    np.save(tmp_path / "corpus/rough_corners.npy", np.zeros((6, 4)))
    with pytest.raises(ValueError, match=r"rough_corners.npy has changed since it was written"):
        ct.open_corpus(tmp_path / "corpus")


def test_a_part_of_a_selection_is_saved_with_the_times_it_has(corpus: ct.Corpus, tmp_path: Path) -> None:
    corpus[[3, 6]].save(tmp_path / "part")
    assert ct.open_corpus(tmp_path / "part").times.tolist() == [1860.0, 1880.0]


def test_folders_without_rough_dates_have_the_format_of_before(corpus: ct.Corpus, tmp_path: Path) -> None:
    corpus[corpus.exact].save(tmp_path / "exact")
    header = json.loads((tmp_path / "exact/corpus.json").read_text(encoding="utf-8"))
    assert header["format"] == FORMAT > UNSEALED
    assert not list((tmp_path / "exact").glob("rough*"))
    assert ct.open_corpus(tmp_path / "exact").rough is None


def test_a_writer_places_rough_dates_when_all_are_known(tmp_path: Path, corpus: ct.Corpus) -> None:
    with ct.CorpusWriter(tmp_path / "written", ["war", "peace"]) as writer:
        for rows in (slice(3, 6), slice(0, 3), slice(6, 8)):  # of the first three none is exact
            writer.add(COUNTS[rows], DATES[rows])
    same(ct.open_corpus(tmp_path / "written"), corpus[[3, 4, 5, 0, 1, 2, 6, 7]])


def test_a_window_holds_those_whose_middle_is_in_it(corpus: ct.Corpus) -> None:
    assert corpus.between("1850", "1859").times.tolist() == [1850.5, 1852.5]
    assert corpus.between("1841", "1845").times.tolist() == [1842.5]


def test_rough_documents_are_always_in_training(corpus: ct.Corpus) -> None:
    for seed in range(5):
        train, test = corpus.split_times(0.4, seed)
        assert test.rough is None
        assert len(test) == 1
        assert len(train) == 7
    with pytest.raises(ValueError, match="the exact dates are 1 different times"):
        corpus[[0, 1, 3]].split_times()


def test_splits_of_exact_dates_are_as_before() -> None:
    corpus = ct.Corpus(np.ones((20, 1), dtype=int), np.arange(20.0) // 2)
    held_out = np.random.default_rng(3).choice(10, size=3, replace=False)
    np.testing.assert_array_equal(np.unique(corpus.split_times(0.3, 3)[1].times), np.sort(held_out))


def test_other_columns_of_words_do_not_change_them(corpus: ct.Corpus) -> None:
    aligned = with_vocabulary(corpus[[3, 1, 6]], ["peace", "other"])
    np.testing.assert_array_equal(aligned.times, corpus.times[[3, 1, 6]])
    assert aligned.rough is not None
    assert aligned.rough.document.tolist() == [0, 1]


def test_densities_of_ones_own_take_the_place_of_times() -> None:
    own = RoughDates.of([(1, [(2.0, 3.0, 3.0, 4.0)]), (2, [UNKNOWN])])
    corpus = ct.Corpus(COUNTS[:4], [0.0, np.nan, np.nan, 10.0], rough=own)
    assert corpus.times.tolist() == [0.0, 3.0, 5.0, 10.0]
    assert not corpus.calendar
    assert repr(corpus).endswith("; dates: 2 exact, 1 rough, 1 unknown)")
    with pytest.raises(ValueError, match="1 of 4 times could not be read"):
        ct.Corpus(COUNTS[:4], [0.0, np.nan, np.nan, np.nan], rough=own)
    same(ct.Corpus(COUNTS, np.arange(8.0), rough=RoughDates.of([])), ct.Corpus(COUNTS, np.arange(8.0)))


@pytest.mark.parametrize(
    ("document", "corners", "words"),
    [
        ([2, 1], [[0, 0, 1, 1]] * 2, "rough.document is not increasing from 0 to at most 3"),
        ([4], [[0, 0, 1, 1]], "rough.document is not increasing from 0 to at most 3"),
        ([0], [[0, 2, 1, 3]], r"rough.corners\[0\] is \[0.0, 2.0, 1.0, 3.0\]; expected four numbers that do not"),
        ([0], [[0, np.nan, 1, 3]], r"rough.corners\[0\]"),
        ([0], [[0, 1, 3]], r"rough.corners has shape \(1, 3\); expected \(1, 4\)"),
    ],
)
def test_densities_that_are_none_are_refused(document: list[int], corners: list[list[float]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        checked_rough(RoughDates(np.array(document), np.array(corners)), 4)
