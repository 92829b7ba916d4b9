"""From texts to counts: they are right, every filter does what it says, every removal is reported."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.corpus.build import check_texts, count_words
from chronotope.text.options import Preprocessing
from chronotope.text.report import PreprocessingReport, Removed

TEXTS = [
    "Taxes and the tariff on wool",
    "the war with Mexico",
    "taxes, war and peace",
    "a b c",
    "Railroads cross states",
]
PLAIN = Preprocessing(stop_words=None, min_count=1, min_document_words=0, max_vocabulary=None)

word = st.sampled_from(["tax", "war", "peace", "wool", "the", "rail"])
texts = st.lists(st.lists(word, max_size=8).map(" ".join), min_size=1, max_size=8).filter(lambda ts: any(ts))


def as_table(texts: list[str], **options: Any) -> pd.DataFrame:
    counted = count_words(texts, Preprocessing(**options))
    return pd.DataFrame(counted.counts.toarray(), columns=counted.vocabulary)


@given(texts)
def test_counts_equal_counting_by_hand(texts: list[str]) -> None:
    counted = count_words(texts, PLAIN)
    expected = [[text.split().count(word) for word in counted.vocabulary] for text in texts]
    np.testing.assert_array_equal(counted.counts.toarray(), expected)
    assert counted.counts.dtype == np.int32
    assert list(counted.vocabulary) == sorted({word for text in texts for word in text.split()})


@settings(max_examples=40)
@given(texts, st.randoms(use_true_random=False), st.integers(1, 4))
def test_the_order_of_documents_is_irrelevant_to_the_vocabulary(texts: list[str], random: Any, size: int) -> None:
    options = Preprocessing(stop_words=None, min_count=1, max_vocabulary=size)
    shuffled = random.sample(texts, len(texts))
    assert list(count_words(texts, options).vocabulary) == list(count_words(shuffled, options).vocabulary)


@settings(max_examples=40)
@given(texts)
def test_a_document_written_twice_has_doubled_counts(texts: list[str]) -> None:
    once = count_words(texts, PLAIN).counts.toarray()
    twice = count_words([f"{text} {text}" for text in texts], PLAIN).counts.toarray()
    np.testing.assert_array_equal(twice, 2 * once)


@settings(deadline=None)
@given(texts, st.integers(1, 3), st.integers(0, 3), st.integers(1, 4))
def test_what_is_read_is_kept_or_reported(texts: list[str], min_count: int, min_words: int, size: int) -> None:
    options = Preprocessing(min_count=min_count, min_document_words=min_words, max_vocabulary=size)
    try:
        counted = count_words(texts, options)
    except ValueError:
        return
    report = counted.report
    assert report.documents == len(texts) == len(counted.keep)
    assert report.tokens - sum(step.tokens for step in report.removed) == counted.counts.sum()
    assert report.words - sum(step.words for step in report.removed) == len(counted.vocabulary)
    assert report.documents - sum(step.documents for step in report.removed) == counted.keep.sum()
    assert counted.counts.shape == (counted.keep.sum(), len(counted.vocabulary))


def test_the_vocabulary_keeps_the_highest_scores() -> None:
    texts = ["tax tax tax war", "tax war", "war rail rail rail"]  # the counts of the formula's test
    assert list(as_table(texts, min_count=1, max_vocabulary=2)) == ["rail", "tax"]
    assert list(as_table(texts, min_count=1, max_vocabulary=1)) == ["rail"]
    assert list(as_table(texts, min_count=1, min_score=1e-9)) == ["rail", "tax"]
    assert list(as_table(texts, min_count=1, min_score=0.2)) == ["rail"]


def test_the_vocabulary_may_keep_the_most_frequent() -> None:
    texts = ["tax tax tax war", "tax war", "war rail rail rail war"]
    assert list(as_table(texts, min_count=1, max_vocabulary=2, rank="count")) == ["tax", "war"]
    report = count_words(texts, Preprocessing(min_count=1, max_vocabulary=2, rank="count")).report
    assert report["less frequent words"] == Removed("less frequent words", words=1, tokens=3)


def test_a_given_vocabulary_is_the_columns_in_its_order() -> None:
    table = as_table(["the tax", "war war", "rail"], vocabulary=["war", "peace", "the"], min_document_words=0)
    assert table.to_dict("list") == {"war": [0, 2, 0], "peace": [0, 0, 0], "the": [1, 0, 0]}
    counted = count_words(["the tax", "war"], Preprocessing(vocabulary=["war"]))
    assert counted.keep.tolist() == [False, True]
    assert counted.report["words not in the vocabulary"] == Removed("words not in the vocabulary", words=2, tokens=2)
    with pytest.raises(ValueError, match=r"nothing is left of 1 documents.*words not in the vocabulary: 1 word"):
        count_words(["tax"], Preprocessing(vocabulary=["war"]))


def test_equal_scores_are_ordered_by_count_then_name() -> None:
    assert list(as_table(["war tax tax rail"], min_count=1, max_vocabulary=2)) == ["rail", "tax"]


def test_defaults_work_on_a_handful_of_short_texts() -> None:
    counted = count_words(TEXTS)
    assert counted.keep.tolist() == [True, True, True, False, True]
    assert counted.report["empty documents"] == Removed("empty documents", documents=1)
    assert {"taxes", "war", "mexico"} <= set(counted.vocabulary)
    assert not {"and", "the", "with"} & set(counted.vocabulary)


@pytest.mark.parametrize(("tokens", "kept_from"), [(100, 1), (10_000, 2), (40_000, 5), (1_100_000, 25)])
def test_the_default_rarity_grows_with_the_corpus_up_to_the_papers(tokens: int, kept_from: int) -> None:
    words = [f"{chr(97 + n)}word" for n in range(26)]
    rare = [word for n, word in enumerate(words, start=1) for _ in range(n)]  # aword once, bword twice, ...
    filler = ["filler"] * (tokens - len(rare))
    table = as_table([" ".join(rare + filler)], stop_words=None)
    assert [word for word in table if word != "filler"] == words[kept_from - 1 :]


def test_the_papers_preset_filters_words_then_documents() -> None:
    texts = ["tax war rail wool " * 3] * 9 + ["tax war"] * 3 + ["peace peace"]  # peace is rare, three are short
    counted = count_words(texts, Preprocessing.paper())
    assert list(counted.vocabulary) == ["rail", "tax", "war", "wool"]
    assert counted.keep.tolist() == [True] * 9 + [False] * 4
    assert counted.report["rare words"] == Removed("rare words", words=1, tokens=2)
    assert counted.report["short documents"] == Removed("short documents", tokens=6, documents=3)
    assert counted.report["empty documents"] == Removed("empty documents", documents=1)


def test_each_option_filters_what_it_names() -> None:
    texts = ["tax tax war", "tax rail", "tax war peace"]
    assert set(as_table(texts, min_count=2)) == {"tax", "war"}
    assert set(as_table(texts, min_count=1, min_documents=2)) == {"tax", "war"}
    assert set(as_table(texts, min_count=1, max_document_share=0.7)) == {"war", "rail", "peace"}
    assert set(as_table(texts, min_count=1, stop_words=["TAX"])) == {"war", "rail", "peace"}
    assert set(as_table(["The the Tax"], stop_words=None, lowercase=False)) == {"The", "the", "Tax"}
    assert set(as_table(["The the Tax"], lowercase=False)) == {"Tax"}
    assert set(as_table(["b2b tax"], token_pattern=r"\w+")) == {"b2b", "tax"}


def test_words_of_dropped_documents_leave_the_vocabulary() -> None:
    counted = count_words(["tax war rail", "wool"], Preprocessing(min_count=1, min_document_words=2))
    assert list(counted.vocabulary) == ["rail", "tax", "war"]
    assert counted.report["words of dropped documents"].words == 1


def test_words_of_any_script_are_read() -> None:
    assert list(as_table(["Größe налог φόρος", "налог 1790 under_score"], stop_words=None)) == [
        "größe",
        "φόρος",
        "налог",
    ]


def test_the_report_reads_as_a_few_lines() -> None:
    lines = str(count_words(TEXTS).report).splitlines()
    assert lines[0] == "read 5 documents, 12 words, 16 tokens"
    assert lines[1] == "  removed stop words: 3 words, 5 tokens (and, the, with)"
    assert lines[2] == "  removed empty documents: 1 document"
    assert lines[-1] == "kept 4 documents, 9 words, 11 tokens"
    assert str(Removed("rare words")) == "rare words: nothing"
    assert PreprocessingReport(1, 1, 1, ())["rare words"] == Removed("rare words")


def test_nothing_left_says_which_step_removed_what() -> None:
    message = r"nothing is left of 3 documents and 6 tokens. Removed rare words: 2 words, 6 tokens .*Relax.*min_count"
    with pytest.raises(ValueError, match=message):
        count_words(["tax war"] * 3, Preprocessing.paper())
    with pytest.raises(ValueError, match="short documents: 2 documents, 4 tokens"):
        count_words(["tax war"] * 2, Preprocessing(min_document_words=5))
    with pytest.raises(ValueError, match=r"Removed stop words: 2 words, 2 tokens"):
        count_words(["the and"])


@pytest.mark.parametrize("texts", [["1 2", "a b"], [""], ["", "   "]])
def test_texts_without_a_word_are_refused(texts: list[str]) -> None:
    with pytest.raises(
        ValueError, match=r"no words were found in \d texts; a word is three or more letters. Pass another tokenizer"
    ):
        count_words(texts)


@pytest.mark.parametrize("bad", [None, float("nan"), b"bytes", 5, ["a list"]], ids=repr)
def test_a_text_that_is_no_string_is_named(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"texts\[1\] is .*; expected a string"):
        count_words(["fine", bad, "fine"])


@pytest.mark.parametrize("bad", ["one string", b"bytes", None, 5], ids=repr)
def test_texts_that_are_no_list_are_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"texts is .* pass a list with one string per document"):
        count_words(bad)


def test_no_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="texts is empty"):
        count_words([])


def test_series_arrays_and_generators_of_strings_are_read() -> None:
    for form in (pd.Series(TEXTS, index=range(9, 4, -1)), np.array(TEXTS), tuple(TEXTS), (text for text in TEXTS)):
        assert check_texts(form) == TEXTS


def test_texts_are_taken_one_at_a_time_and_not_kept() -> None:
    alive: list[weakref.ref[Any]] = []

    class Text(str):
        """A string that can be watched."""

    def stream() -> Iterator[str]:
        for n in range(50):
            assert sum(reference() is not None for reference in alive) <= 2
            text = Text(f"war number {n}")
            alive.append(weakref.ref(text))
            yield text

    assert count_words(stream(), PLAIN).counts.shape[0] == 50


def test_a_failure_of_the_stream_is_not_taken_for_a_lack_of_words() -> None:
    def stream() -> Iterator[str]:
        yield "1790"
        raise ValueError("the file is cut short")

    with pytest.raises(ValueError, match="the file is cut short"):
        count_words(stream())


def test_earlier_steps_come_first_in_a_report() -> None:
    report = count_words(TEXTS).report.after(Removed("no date", documents=2), notes=["the date is in 'day'"])
    assert report.documents == 7
    assert str(report).splitlines()[:3] == [
        "the date is in 'day'",
        "read 7 documents, 12 words, 16 tokens",
        "  removed no date: 2 documents",
    ]
    assert str(report).splitlines()[-1] == "kept 4 documents, 9 words, 11 tokens"


def widespread(n: int, **options: Any) -> list[str]:
    """Notes on 20 texts with "said" in n of them, and words of their own."""
    own = ["alpha", "beta", "gamma", "delta"]
    texts = [f"{own[i % 4]} {own[i % 4]} {'said' if i < n else 'wrote'}" for i in range(20)]
    report = count_words(texts, Preprocessing(stop_words=None, min_count=1, **options)).report
    return [note for note in report.notes if "more than half" in note]


def test_words_in_more_than_half_of_the_documents_are_named_with_what_removes_them() -> None:
    assert widespread(11) == [
        "1 word is in more than half of all documents (said): remove it with max_document_share=0.5"
    ]
    assert widespread(11, max_document_share=0.5) == []
    assert widespread(10) == []
    assert widespread(11, vocabulary=["said", "alpha"]) == []


def test_the_most_widespread_words_are_named_first_and_the_others_counted() -> None:
    texts = [" ".join(f"{'abcdefgh'[k]}word" for k in range(8) if i < 20 - k) for i in range(20)]
    notes = count_words(texts, Preprocessing(stop_words=None, min_count=1)).report.notes
    assert notes == (
        "8 words are in more than half of all documents (aword, bword, cword, dword, eword, ...): remove them with "
        "max_document_share=0.5",
    )
    assert count_words(texts[:19], Preprocessing(stop_words=None, min_count=1)).report.notes == ()
