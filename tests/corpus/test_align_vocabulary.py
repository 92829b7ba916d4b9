"""Counting with given words: each count lands in the column of its word."""

import numpy as np
import pytest

from chronotope import Corpus
from chronotope.corpus.align import every_word, with_vocabulary


def test_counts_move_to_the_columns_of_their_words():
    corpus = Corpus([[1, 2, 3], [0, 5, 0]], [1900, 1901], ["war", "the", "army"], ids=["a", "b"], calendar=True)
    counted = with_vocabulary(corpus, ["army", "peace", "war"])
    np.testing.assert_array_equal(counted.counts.toarray(), [[3, 0, 1], [0, 0, 0]])
    assert counted.vocabulary.tolist() == ["army", "peace", "war"]
    assert (counted.ids.tolist(), counted.times.tolist(), counted.calendar) == (["a", "b"], [1900, 1901], True)


def test_no_word_in_common_is_a_sentence():
    with pytest.raises(ValueError, match="none of the corpus' 2 words is among the 1 given"):
        with_vocabulary(Corpus([[1, 2]], [0], ["krieg", "frieden"]), ["war"])


@pytest.mark.parametrize(("words", "found"), [(["the", "war"], ["the", "war"]), (["The", "war"], ["The", "war"])])
def test_every_word_is_kept_in_the_case_of_the_vocabulary(words, found):
    corpus = Corpus.from_texts(["The war", "no"], [1, 2], preprocessing=every_word(words))
    assert sorted(corpus.vocabulary) == sorted(found)
    assert len(corpus) == 2
