"""Corpus: what goes in stays aligned, bad input is named, splits part the time stamps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from chronotope.corpus.corpus import Corpus
from chronotope.text.options import Preprocessing

COUNTS = np.array([[1, 0, 2], [0, 0, 0], [3, 1, 0], [0, 4, 0]])
TIMES = ["1790-01-08", "1790-12-08", "1800", "1846-05-13"]
WORDS = ["war", "größe", "tax"]


def test_given_arrays_are_neither_changed_nor_shared() -> None:
    counts, times = sp.csr_array(COUNTS.astype(np.int32)), np.array([1.0, 2.0, 3.0, 4.0])
    words, ids = np.array(["a", "b", "c"]), np.arange(4)
    table = pd.DataFrame({"x": [1, 2, 3, 4]})
    corpus = Corpus(counts, times, words, ids=ids, metadata=table)
    corpus.counts.data[:], corpus.times[:], corpus.ids[:], corpus.vocabulary[:] = 9, 9, 9, "z"
    corpus.metadata["x"] = 0  # type: ignore[index]
    np.testing.assert_array_equal(counts.toarray(), COUNTS)
    assert times.tolist() == [1, 2, 3, 4]
    assert words.tolist() == ["a", "b", "c"]
    assert ids.tolist() == [0, 1, 2, 3]
    assert table["x"].tolist() == [1, 2, 3, 4]


def test_sizes_are_counted() -> None:
    corpus = Corpus(COUNTS, [1, 1, 2, 5])
    assert (corpus.n_documents, corpus.n_words, corpus.n_tokens, corpus.n_times, len(corpus)) == (4, 3, 11, 3, 4)
    assert corpus.span == (1.0, 5.0)
    assert corpus.report is None
    assert corpus.vocabulary.tolist() == ["word0", "word1", "word2"]


def test_empty_documents_are_kept_and_counted() -> None:
    corpus = Corpus(COUNTS, TIMES)
    assert (corpus.n_documents, corpus.n_empty) == (4, 1)
    assert Corpus(np.zeros((2, 2), int), [0, 1]).n_empty == 2


def test_the_repr_is_one_line_with_dates_or_numbers() -> None:
    sizes = "Corpus(4 documents, 3 words, 11 tokens, 4 times from "
    assert repr(Corpus(COUNTS, TIMES)) == sizes + "1790-01-08 to 1846-05-13)"
    assert repr(Corpus(COUNTS, [1, 2, 3, 4.5])) == sizes + "1 to 4.5)"
    assert repr(Corpus(COUNTS, [1790, 1791, 1792, 1800.5], calendar=True)) == sizes + "1790-01-01 to 1800-07-02)"


def test_one_time_per_document_is_required() -> None:
    with pytest.raises(ValueError, match="times has 120 entries but counts has 118 rows; pass one time per document"):
        Corpus(np.ones((118, 2)), np.arange(120))
    with pytest.raises(ValueError, match="times has 1 entries but texts has 2 rows; pass one time per document"):
        Corpus.from_texts(["tax war", "war"], [1790])


@pytest.mark.parametrize("bad", [None, "n/a", float("nan")], ids=repr)
def test_unreadable_times_are_named_or_dropped(bad: Any) -> None:
    times = ["1790-01-08", bad, "1800", bad]
    with pytest.raises(ValueError, match=r'2 of 4 dates could not be read \(first: row 1, .*on_bad_time="drop"'):
        Corpus(COUNTS, times)
    corpus = Corpus(COUNTS, times, texts=list("abcd"), metadata={"x": [0, 1, 2, 3]}, on_bad_time="drop")
    assert corpus.ids.tolist() == [0, 2]
    assert corpus.texts is not None
    assert corpus.texts.tolist() == ["a", "c"]
    assert corpus.metadata is not None
    assert corpus.metadata["x"].tolist() == [0, 2]
    np.testing.assert_array_equal(corpus.counts.toarray(), COUNTS[[0, 2]])
    assert "removed documents without a readable time: 2 documents, 4 tokens" in str(corpus.report)


def test_dropping_every_document_is_refused() -> None:
    with pytest.raises(ValueError, match="none of the 4 times could be read"):
        Corpus(COUNTS, ["n/a"] * 4, on_bad_time="drop")
    with pytest.raises(ValueError, match="none of the 2 times could be read"):
        Corpus.from_texts(["tax", "war"], ["n/a"] * 2, on_bad_time="drop")


@given(st.lists(st.sampled_from(["tax war rail", "war", "", "the", "wool wool tax"]), min_size=1), st.data())
def test_everything_stays_aligned_when_documents_are_dropped(texts: list[str], data: Any) -> None:
    times = data.draw(st.lists(st.sampled_from([1.5, 2.5, None]), min_size=len(texts), max_size=len(texts)))
    kept = [i for i, (text, time) in enumerate(zip(texts, times, strict=True)) if text not in ("", "the") and time]
    if not kept:
        return
    metadata = {"row": np.arange(len(texts))}
    corpus = Corpus.from_texts(texts, times, metadata=metadata, on_bad_time="drop")
    assert corpus.ids.tolist() == kept
    assert corpus.texts is not None
    assert corpus.texts.tolist() == [texts[i] for i in kept]
    assert corpus.times.tolist() == [times[i] for i in kept]
    assert corpus.metadata is not None
    assert corpus.metadata["row"].tolist() == kept
    assert corpus.report is not None
    assert corpus.report.documents == len(texts)
    assert sum(step.documents for step in corpus.report.removed) == len(texts) - len(kept)
    assert np.diff(corpus.counts.indptr).tolist() == [len(set(texts[i].split())) for i in kept]


def test_texts_are_counted_with_the_given_preprocessing() -> None:
    corpus = Corpus.from_texts(
        ["Tax war", "war WAR rail"],
        ["1790", "1791-06"],
        preprocessing=Preprocessing(min_count=2),
        ids=["x", "y"],
        keep_texts=False,
    )
    assert corpus.calendar
    assert corpus.texts is None
    assert corpus.vocabulary.tolist() == ["war"]
    assert corpus.counts.toarray().tolist() == [[1], [2]]
    assert corpus.ids.tolist() == ["x", "y"]


@pytest.mark.parametrize("times", [["1790", "n/a", "1792", "1793"], [1, None, 3, 4]])
def test_an_iterator_of_texts_gives_the_same_corpus_without_keeping_them(times: list[Any]) -> None:
    texts = ["tax war", "peace", "the", "rail war"]
    options: dict[str, Any] = {"ids": list("abcd"), "metadata": {"x": [0, 1, 2, 3]}, "on_bad_time": "drop"}
    whole = Corpus.from_texts(texts, times, **options)
    streamed = Corpus.from_texts(iter(texts), times, keep_texts=False, **options)
    assert streamed.texts is None
    np.testing.assert_array_equal(streamed.counts.toarray(), whole.counts.toarray())
    np.testing.assert_array_equal(streamed.times, whole.times)
    assert streamed.vocabulary.tolist() == whole.vocabulary.tolist()
    assert streamed.ids.tolist() == whole.ids.tolist() == ["a", "d"]
    assert streamed.report == whole.report


@pytest.mark.parametrize("n", [1, 2, 4])
def test_an_iterator_of_another_length_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match=f"times has 3 entries but texts has {n} rows; pass one time per document"):
        Corpus.from_texts((text for text in ["tax war"] * n), [1, 2, 3], keep_texts=False)


@pytest.mark.parametrize("keep_texts", [True, False])
def test_a_text_that_is_no_string_is_named_by_its_own_row(keep_texts: bool) -> None:
    with pytest.raises(ValueError, match=r"texts\[2\] is None .*; expected a string"):
        Corpus.from_texts(["tax", "war", None], ["n/a", "1790", "1791"], on_bad_time="drop", keep_texts=keep_texts)


def test_a_selection_takes_rows_and_keeps_the_vocabulary() -> None:
    corpus = Corpus(COUNTS, TIMES, list("abc"), texts=list("wxyz"), metadata={"x": [0, 1, 2, 3]})
    for selection in ([2, 3], np.array([False, False, True, True]), slice(2, None), [-2, -1], pd.Series([2, 3])):
        part = corpus[selection]
        np.testing.assert_array_equal(part.counts.toarray(), COUNTS[2:])
        np.testing.assert_allclose(part.times, corpus.times[2:], rtol=0, atol=0)
        assert part.ids.tolist() == [2, 3]
        assert part.texts is not None
        assert part.texts.tolist() == ["y", "z"]
        assert part.metadata is not None
        assert part.metadata.index.tolist() == [0, 1]
        assert part.vocabulary.tolist() == ["a", "b", "c"]
        assert part.calendar
    assert len(corpus[1]) == 1
    assert len(corpus) == 4


def test_a_wrong_or_empty_selection_is_refused() -> None:
    corpus = Corpus(COUNTS, TIMES)
    with pytest.raises(IndexError, match=r"the mask has shape \(2,\) but the corpus has 4 documents"):
        corpus[np.array([True, False])]
    selections: tuple[Any, ...] = ([], np.zeros(4, bool), slice(0, 0))
    for nothing in selections:
        with pytest.raises(ValueError, match="no documents"):
            corpus[nothing]


@given(st.lists(st.integers(0, 12), min_size=2, max_size=40), st.floats(0.01, 0.99), st.integers(0, 5))
@pytest.mark.slow
def test_a_split_partitions_the_stamps(times: list[int], test_size: float, seed: int) -> None:
    T = len(set(times))
    if T < 2:
        return
    corpus = Corpus(np.ones((len(times), 2), int), times)
    train, test = corpus.split_times(test_size, seed)
    assert set(train.times).isdisjoint(test.times)
    assert set(train.times) | set(test.times) == set(times)
    assert test.n_times == max(1, int(test_size * T))
    assert sorted([*train.ids, *test.ids]) == list(range(len(times)))
    np.testing.assert_array_equal(corpus.split_times(test_size, seed)[1].ids, test.ids)


def test_another_seed_holds_out_other_stamps() -> None:
    corpus = Corpus(np.ones((100, 1)), np.arange(100))
    assert set(corpus.split_times(seed=0)[1].ids) != set(corpus.split_times(seed=1)[1].ids)


@pytest.mark.parametrize("n_documents", [1, 3])
def test_a_single_time_is_a_corpus_but_cannot_be_split(n_documents: int) -> None:
    corpus = Corpus(np.ones((n_documents, 2)), [1790.0] * n_documents)
    assert corpus.n_times == 1
    assert corpus.span == (1790.0, 1790.0)
    with pytest.raises(ValueError, match=r"documents have the same time; splitting by time needs at least 2 times"):
        corpus.split_times()


@pytest.mark.parametrize("bad", [0, 1, -0.5, 30])
def test_an_impossible_test_size_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="test_size is"):
        Corpus(COUNTS, TIMES).split_times(bad)


def at_times(*times: Any) -> Corpus:
    """A corpus of a word per document at these times."""
    every = np.concatenate([np.atleast_1d(x) for x in times])
    return Corpus(np.ones((len(every), 1), int), every)


EVEN = np.linspace(1900.0, 2000.0, 2000)


@pytest.mark.parametrize("outlying", [[1000.0], np.full(100, 1000.0), [1000.0, 9999.0]], ids=["one", "many", "both"])
def test_outlying_times_are_not_in_the_main_span(outlying: Any) -> None:
    corpus = at_times(EVEN, outlying)
    assert corpus.main_span == (1900.0, 2000.0)
    assert corpus.span == (1000.0, max(2000.0, np.max(outlying)))


@pytest.mark.parametrize("times", [EVEN, [3.0, 3.0, 3.0], [7.0], [1.0, 2.0]], ids=["even", "equal", "one", "two"])
def test_without_outlying_times_the_main_span_is_the_span(times: Any) -> None:
    corpus = at_times(times)
    assert corpus.main_span == corpus.span


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_the_main_span_lies_between_two_times_of_the_corpus(times: list[float]) -> None:
    corpus = at_times(times)
    first, last = corpus.main_span
    assert first <= last
    assert {first, last} <= set(corpus.times)


def test_the_digest_of_a_corpus_stays_the_same_so_that_old_checkpoints_match() -> None:
    corpus = Corpus([[1, 0, 2], [0, 3, 0], [0, 0, 0]], ["1790-01-08", "1800-06", "1846-05-13T10:00"], WORDS)
    assert corpus.digest() == "fa15727ac05a69bcd4a1fe59824226b04c16b4ea088c4db401461ae66d420fe7"
    assert corpus[[0, 2, 1]].digest() != corpus.digest()
