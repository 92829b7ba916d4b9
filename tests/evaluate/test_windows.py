"""Windows: the counts are those of looking into every window, under gensim's rule and under the definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope import Corpus, Preprocessing
from chronotope.evaluate import count_windows
from chronotope.evaluate.windows import count_places, find_in_corpus, find_words

token_lists = st.lists(st.lists(st.sampled_from("abcde"), max_size=14), min_size=1, max_size=5)
NAMES = ("a", "b", "c", "nowhere")


def look_into_windows(documents: list[list[str]], window: int, exact: bool) -> tuple[np.ndarray, int]:
    """The definition: what is inside, window after window; gensim forgets a word when one of its places is left."""
    together, windows = np.zeros((len(NAMES), len(NAMES)), dtype=np.int64), 0
    for tokens in documents:
        inside = set(tokens[:window])
        for start in range(max(1, len(tokens) - window + 1)):
            if start and exact:
                inside = set(tokens[start : start + window])
            elif start:
                inside = (inside - {tokens[start - 1]}) | {tokens[start + window - 1]}
            held = np.array([name in inside for name in NAMES])
            together += np.outer(held, held)
            windows += 1
    return together, windows


@settings(max_examples=300, deadline=None)
@given(token_lists, st.integers(1, 16), st.booleans())
@pytest.mark.slow
def test_counts_equal_those_of_looking_into_every_window(documents: list[list[str]], window: int, exact: bool) -> None:
    words, together, windows = count_windows(documents, NAMES, window, exact)
    expected, n = look_into_windows(documents, window, exact)
    assert words == NAMES
    assert windows == n
    np.testing.assert_array_equal(together, expected)


@settings(max_examples=50, deadline=None)
@given(token_lists, st.integers(1, 16))
def test_the_two_rules_agree_where_no_word_is_twice_in_a_document(documents: list[list[str]], window: int) -> None:
    once = [list(dict.fromkeys(tokens)) for tokens in documents]
    np.testing.assert_array_equal(
        count_windows(once, NAMES, window).together, count_windows(once, NAMES, window, exact=True).together
    )


def test_gensims_rule_drops_a_word_with_the_first_of_its_places() -> None:
    tokens = [list("aabcde")]  # windows aab, abc, bcd, cde
    assert count_windows(tokens, "a", 3).together[0, 0] == 1
    assert count_windows(tokens, "a", 3, exact=True).together[0, 0] == 2


def test_gensim_counts_the_same_windows() -> None:
    gensim = pytest.importorskip("gensim")
    from gensim.topic_coherence.text_analysis import WordOccurrenceAccumulator

    rng = np.random.default_rng(0)
    documents = [list(rng.choice(list("abcdefgh"), size=n)) for n in (0, 1, 9, 10, 11, 40, 200)]
    dictionary = gensim.corpora.Dictionary(documents)
    ids = [dictionary.token2id[word] for word in "abc"]
    theirs = WordOccurrenceAccumulator(set(ids), dictionary).accumulate(documents, 10)
    counts = count_windows(documents, "abc", 10)
    assert counts.windows == theirs.num_docs
    np.testing.assert_array_equal(counts.together, [[theirs[i, j] for j in ids] for i in ids])


def test_selected_places_are_those_found_in_the_selected_documents() -> None:
    rng = np.random.default_rng(1)
    documents = [list(rng.choice(list("abcde"), size=n)) for n in (5, 0, 12, 7, 3)]
    chosen = np.array([True, True, False, True, False])
    part = find_words(documents, "abcde").select(chosen, "dbz")
    direct = count_windows([documents[d] for d in np.flatnonzero(chosen)], "dbz", 4)
    selected = count_places(part, 4)
    assert selected.words == direct.words == ("d", "b", "z")
    assert selected.windows == direct.windows
    np.testing.assert_array_equal(selected.together, direct.together)


def test_without_texts_a_document_is_one_window() -> None:
    counts = sp.csr_array(np.array([[3, 1, 0], [0, 0, 0], [1, 0, 2], [2, 4, 0]]))
    places = find_in_corpus(Corpus(counts, [1, 2, 3, 4], ["war", "army", "corn"]), ["army", "war", "peace"])
    together, windows = count_places(places, 10)[1:]
    assert windows == 4
    np.testing.assert_array_equal(together, [[2, 2, 0], [2, 3, 0], [0, 0, 0]])


def test_tokens_are_those_of_the_corpus_preprocessing_and_include_stop_words() -> None:
    corpus = Corpus.from_texts(["War and the ARMY", "x war_2 go"], [1, 2], preprocessing=Preprocessing(stop_words=None))
    places = find_in_corpus(corpus, ["war", "army", "War"])
    np.testing.assert_array_equal(places.position, [0, 3])
    np.testing.assert_array_equal(places.lengths, [4])  # the second document has no word of three letters
    cased = find_in_corpus(corpus, ["war", "army", "War"], Preprocessing(lowercase=False, token_pattern=r"\w+"))
    np.testing.assert_array_equal(cased.word, [2])


def test_a_window_without_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match="window is 0; expected at least 1 token"):
        count_windows([["a"]], "a", 0)
