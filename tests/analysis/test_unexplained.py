"""What no topic explains is found: documents of another language, and their words in their period."""

from __future__ import annotations

import numpy as np
import pytest
from subjects import FOREIGN, SPANISH

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis import find_excess, unexplained_documents, unexplained_words
from chronotope.model.completion import mixture_probabilities


def test_documents_of_another_language_are_explained_least(subjects: DynamicTopicModel, archive: Corpus) -> None:
    table = unexplained_documents(subjects, archive, "decade", n=4)
    assert set(table["document"]) == set(FOREIGN)
    assert table["rank"].tolist() == [1, 2, 3, 4]
    assert (table["unexplained"] > 0.7).all()
    assert all(set(words) <= set(SPANISH) for words in table["words"])
    assert table["text"].tolist() == [archive.texts[d] for d in table["document"]]  # type: ignore[index]


def test_their_words_are_what_is_in_their_year_that_is_none_of_the_topics(
    subjects: DynamicTopicModel, archive: Corpus
) -> None:
    table = unexplained_words(subjects, archive, "year", n=6)
    [year] = {int(time) for time in archive.times[list(FOREIGN)]}
    here = table[table["period"] == str(year)]
    assert set(here["word"]) == set(SPANISH)
    assert here["documents"].tolist() == [4] * 6
    counts = archive.counts[list(FOREIGN)]
    for row in here.itertuples():
        assert row.observed == counts[:, [list(archive.vocabulary).index(row.word)]].sum()
    np.testing.assert_allclose(table["ratio"], table["observed"] / table["expected"], rtol=1e-9)
    assert not set(table[table["period"] != str(year)]["word"]) & set(SPANISH)


def test_the_excess_is_that_of_the_docstring(subjects: DynamicTopicModel, archive: Corpus) -> None:
    theta = subjects.transform(archive)
    found = find_excess(subjects, archive, theta)
    dense = archive.counts.toarray()
    at = dict(zip(zip(found.document.tolist(), found.word.tolist(), strict=True), found.expected, strict=True))
    for d in (0, 3, FOREIGN[0], 449):
        pi = subjects.topics_.probabilities([archive.times[d]])[0]
        expected = dense[d].sum() * (theta[d] @ pi)
        for v in np.flatnonzero(dense[d]):
            n, mean = dense[d, v], expected[v]
            above = n >= 2 and n > mean and n * np.log(n / mean) - (n - mean) >= 4
            assert ((d, v) in at) == above
            if above:
                np.testing.assert_allclose(at[d, v], mean, rtol=1e-4)


def test_a_word_that_is_said_once_is_never_in_excess(subjects: DynamicTopicModel, archive: Corpus) -> None:
    """A document of many rare words is not unexplained; one that repeats one of them is."""
    rare = [list(archive.vocabulary).index(word) for word in SPANISH]
    counts = np.zeros((2, archive.n_words), dtype=int)
    counts[:, np.char.startswith(archive.vocabulary, "speech")] = 1
    counts[0, rare] = 1
    counts[1, rare[0]] = 6
    corpus = Corpus(counts, [1903.0, 1904.0], archive.vocabulary, calendar=True)
    found = find_excess(subjects, corpus)
    assert found.document.tolist() == [1]
    assert found.word.tolist() == rare[:1]


def test_documents_drawn_from_the_topics_are_explained(model: DynamicTopicModel, planted) -> None:  # type: ignore[no-untyped-def]
    assert len(unexplained_words(model, planted.corpus, 24.0)) == 0
    table = unexplained_documents(model, planted.corpus, 24.0, n=1)
    assert not len(table) or table["unexplained"].max() < 0.1


def test_what_is_at_hand_changes_nothing(subjects: DynamicTopicModel, archive: Corpus) -> None:
    excess = find_excess(subjects, archive, subjects.transform(archive), verbose=False)
    for ask in (unexplained_documents, unexplained_words):
        assert ask(subjects, archive, "5 years", excess=excess).equals(ask(subjects, archive, "5 years"))
        with pytest.raises(ValueError, match="n is 0; expected at least 1"):
            ask(subjects, archive, n=0)


def test_mixtures_are_sums_over_topics_at_the_documents_own_times(model: DynamicTopicModel, planted) -> None:  # type: ignore[no-untyped-def]
    counts, times = planted.corpus.counts[::7], planted.corpus.times[::7]
    theta = model.transform(planted.corpus)[::7]
    found = mixture_probabilities(model.topics_, theta, counts, times)
    words = counts.tocoo()
    pi = model.topics_.probabilities(times)
    np.testing.assert_allclose(
        found, np.einsum("ek,eke->e", theta[words.row], pi[words.row][:, :, words.col]), rtol=1e-4
    )
