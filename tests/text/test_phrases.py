"""Phrases: found by the formula, exact in any number of parts, joined from the left, never across a boundary."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.corpus.align import every_word, with_vocabulary
from chronotope.corpus.build import count_words
from chronotope.corpus.corpus import Corpus
from chronotope.evaluate.windows import find_in_corpus
from chronotope.text import phrases
from chronotope.text import store as token_store
from chronotope.text.options import Preprocessing
from chronotope.text.phrases import Phrases, phrase_score

ANY = Phrases(min_count=2, min_score=0.3)
TEXTS = ["united states army", "the united states, united we stand", "states of peace", "army of united states"] * 3

word = st.sampled_from(["tax", "war", "peace", "wool", "rail"])
texts = st.lists(st.lists(word, max_size=12).map(" ".join), min_size=1, max_size=6).filter(lambda ts: any(ts))


def joined_by_hand(texts: list[str], options: Phrases) -> list[Counter[str]]:
    """Plain Python: count, score, join from the left."""
    documents = [text.split() for text in texts]
    single = Counter(word for words in documents for word in words)
    pairs = Counter(pair for words in documents for pair in pairwise(words))
    M = single.total()
    found = set()
    for (a, b), n in pairs.items():
        score = 1.0 if n == M else np.log(n * M / (single[a] * single[b])) / np.log(M / n)
        if n >= options.min_count and score >= options.min_score - 1e-12:
            found.add((a, b))
    counted = []
    for words in documents:
        tokens, at = [], 0
        while at < len(words):
            joins = tuple(words[at : at + 2]) in found
            tokens.append("_".join(words[at : at + 2]) if joins else words[at])
            at += 1 + joins
        counted.append(Counter(tokens))
    return counted


@settings(deadline=None)
@given(texts, st.integers(1, 40), st.integers(1, 60))
def test_counts_with_phrases_equal_counting_by_hand_whatever_the_blocks_and_parts(
    texts: list[str], block: int, pairs: int
) -> None:
    options = Phrases(min_count=2, min_score=0.2503)  # no score is exactly this, as some are 1/4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_store, "_BLOCK", block)
        patch.setattr(phrases, "_PAIRS", pairs)
        keep_all = Preprocessing(None, phrases=options, min_count=1, max_vocabulary=None, min_document_words=0)
        counted = count_words(texts, keep_all)
    expected = [[row[word] for word in counted.vocabulary] for row in joined_by_hand(texts, options)]
    np.testing.assert_array_equal(counted.counts.toarray(), expected)
    assert counted.counts.sum() == sum(row.total() for row in joined_by_hand(texts, options))


def test_the_score_is_one_for_words_that_only_meet_and_zero_by_chance() -> None:
    n = np.array([10, 10, 1, 100])
    scores = phrase_score(n, np.array([10, 20, 10, 100]), np.array([10, 50, 10, 100]), 100)
    np.testing.assert_allclose(scores, [1.0, 0.0, 0.0, 1.0], rtol=0, atol=1e-12)


def test_stop_words_commas_and_short_words_part_phrases() -> None:
    options = Preprocessing(phrases=ANY, min_count=1)
    counted = count_words(TEXTS, options)
    assert [word for word in counted.vocabulary if "_" in word] == ["united_states"]
    assert any(note.startswith("1 phrase was joined (united_states)") for note in counted.report.notes)
    assert dict(zip(counted.vocabulary, counted.counts.sum(axis=0), strict=True))["united_states"] == 9


def test_of_overlapping_phrases_the_first_is_taken() -> None:
    counted = count_words(["new york city"] * 4, Preprocessing(phrases=ANY))
    assert list(counted.vocabulary) == ["city", "new_york"]


def test_phrases_that_are_given_are_joined() -> None:
    counted = count_words(["United States army", "army united"], Preprocessing(phrases=["united states", "no_such"]))
    assert list(counted.vocabulary) == ["army", "united", "united_states"]


def test_a_vocabulary_with_phrases_counts_them_again() -> None:
    corpus = Corpus.from_texts(TEXTS, range(len(TEXTS)), preprocessing=Preprocessing(phrases=ANY))
    again = count_words(TEXTS, Preprocessing(vocabulary=corpus.vocabulary))
    np.testing.assert_array_equal(again.counts.toarray(), corpus.counts.toarray())
    picked = Corpus.from_texts(TEXTS, range(len(TEXTS)), preprocessing=every_word(corpus.vocabulary))
    np.testing.assert_array_equal(with_vocabulary(picked, corpus.vocabulary).counts.toarray(), corpus.counts.toarray())


def test_the_places_of_phrases_are_found_in_the_texts() -> None:
    options = Preprocessing(phrases=ANY)
    corpus = Corpus.from_texts(TEXTS, range(len(TEXTS)), preprocessing=options)
    places = find_in_corpus(corpus, ["united_states"], options)
    assert len(places.word) == 9


@pytest.mark.parametrize(
    ("given", "message"), [({"min_count": 1}, "min_count of Phrases"), ({"min_score": 2}, "min_sc")]
)
def test_impossible_phrases_are_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Phrases(**given)  # type: ignore[arg-type]
