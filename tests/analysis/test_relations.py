"""Related topics share words beyond the common background, or documents beyond chance."""

from __future__ import annotations

import numpy as np
import pytest
from subjects import GROUPS, SUBJECTS, TOPICS

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis import related_topics
from chronotope.analysis.keywords import shares_at
from chronotope.analysis.prevalence import topic_tokens
from chronotope.analysis.relations import meetings, word_similarity, word_usage

SEA, SHIP, LAW, COURT, CORN = range(len(SUBJECTS))


def test_topics_of_the_same_documents_and_topics_of_the_same_words_are_closest(
    subjects: DynamicTopicModel, archive: Corpus
) -> None:
    table = related_topics(subjects, archive, n=1).set_index("topic")
    assert table.loc[[SEA, SHIP, LAW, COURT], "other"].tolist() == [SHIP, SEA, COURT, LAW]
    assert table.loc[SEA, "together"] > 2.5
    assert table.loc[SEA, "similarity"] < 0.01
    assert 0.3 < table.loc[LAW, "similarity"] < 0.5
    assert set(table.loc[LAW, "words"]) == set(GROUPS["law"]) & set(GROUPS["court"])


def test_without_documents_only_words_are_compared(subjects: DynamicTopicModel) -> None:
    table = related_topics(subjects, n=2)
    assert list(table.columns) == ["topic", "other", "similarity", "words"]
    assert len(table) == 2 * len(TOPICS)
    assert (table["topic"] != table["other"]).all()
    assert table.groupby("topic")["similarity"].is_monotonic_decreasing.all()
    assert table[table["topic"] == LAW]["other"].iloc[0] == COURT


def test_usage_is_the_average_of_the_topic_and_of_the_whole_text_at_its_times(model: DynamicTopicModel) -> None:
    topics = model.topics_
    pi, mass = topics.probabilities(topics.times), topics.mass
    whole = np.einsum("jk,jkv->jv", mass, pi) / mass.sum(axis=1, keepdims=True)
    usage = word_usage(topics)
    for k in range(topics.n_topics):
        weight = mass[:, k] / mass[:, k].sum()
        np.testing.assert_allclose(usage.own[k], weight @ pi[:, k], rtol=1e-5)
        np.testing.assert_allclose(usage.usual[k], weight @ whole, rtol=1e-5)
    np.testing.assert_allclose(usage.excess.sum(axis=1), 1.0, rtol=1e-12)


def test_similarity_is_one_for_the_same_words_and_zero_for_others() -> None:
    found = word_similarity(np.array([[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.3, 0.7]]))
    np.testing.assert_allclose(found, [[1, 1, 0], [1, 1, 0], [0, 0, 1]], atol=1e-12, rtol=0)


def test_meetings_are_those_of_the_docstring(subjects: DynamicTopicModel, archive: Corpus) -> None:
    n = np.asarray(archive.counts.sum(axis=1)).ravel()
    theta = topic_tokens(subjects, archive) / n[:, None]
    share = shares_at(subjects.topics_, archive.times)
    ratio = meetings(subjects, archive)
    K = len(TOPICS)
    off = ~np.eye(K, dtype=bool)
    observed = (theta.T @ theta) * off
    expected = (observed + 0.5) / ratio - 0.5  # a_k a_l Σ s_k s_l, with the margins of what was observed
    np.testing.assert_allclose((expected * off).sum(axis=1), observed.sum(axis=1), rtol=1e-6)
    scaled = np.log(expected[off] / (share.T @ share)[off])
    tendencies = np.array([[(k == i) + (k == j) for k in range(K)] for i, j in zip(*np.nonzero(off), strict=True)])
    a = np.linalg.lstsq(tendencies.astype(float), scaled, rcond=None)[0]
    np.testing.assert_allclose(tendencies @ a, scaled, atol=1e-6, rtol=0)


def test_two_topics_meet_as_often_as_they_must(model: DynamicTopicModel, planted) -> None:  # type: ignore[no-untyped-def]
    np.testing.assert_allclose(related_topics(model, planted.corpus)["together"], 1.0, rtol=1e-9)


def test_shares_at_hand_change_nothing_and_no_topics_are_refused(subjects: DynamicTopicModel, archive: Corpus) -> None:
    given = related_topics(subjects, archive, shares=subjects.transform(archive))
    assert given.equals(related_topics(subjects, archive))
    with pytest.raises(ValueError, match="n is 0; expected at least 1 other topic"):
        related_topics(subjects, n=0)


def test_a_topic_alone_has_no_others() -> None:
    corpus = Corpus([[2, 1], [0, 3]], [1.0, 2.0])
    assert len(related_topics(DynamicTopicModel(1, max_epochs=1).fit(corpus), corpus)) == 0
