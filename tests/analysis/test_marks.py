"""Planted ways of speaking, mixtures, noise and twins are marked, and planted subjects are not."""

from __future__ import annotations

import numpy as np
import pytest
from subjects import SUBJECTS, TOPICS

from chronotope import Corpus, DynamicTopicModel, Topics
from chronotope.analysis import topic_marks
from chronotope.analysis.marks import mark_text
from chronotope.gp import Sites


def with_a_twin(topics: Topics) -> Topics:
    """The same topics and the first once more, half of its text for each."""
    order = [*range(topics.n_topics), 0]
    g, b = (values[:, order] for values in topics.posterior.own)
    mass = topics.mass[:, order] * np.where(np.isin(order, 0), 0.5, 1.0)
    posterior = topics.posterior._replace(own=Sites(g, b))
    return Topics(posterior, topics.mean, mass, topics.vocabulary, topics.calendar, topics.coverage)


def test_every_planted_fault_is_marked_and_no_subject(subjects: DynamicTopicModel, archive: Corpus) -> None:
    table = topic_marks(subjects, archive)
    marks = dict(zip(TOPICS, table["mark"], strict=True))
    assert marks == dict.fromkeys(SUBJECTS, "") | {"speech": "register", "name": "junk", "noise": "junk"}
    why = dict(zip(TOPICS, table["why"], strict=True))
    assert why["speech"].startswith("A way of speaking")
    assert "of the pairs of its words are clearly less often in the same documents than by chance" in why["name"]
    assert why["noise"] == "Words of a few documents: half of it is in 2 of 450."
    assert all(why[name] == "" for name in SUBJECTS)
    assert (table["other"] == -1).all()
    np.testing.assert_allclose(table["share"].sum(), 1.0, rtol=1e-9)


def test_a_topic_with_the_words_of_another_is_its_twin_and_so_is_the_other(subjects: DynamicTopicModel) -> None:
    table = topic_marks(with_a_twin(subjects.topics_))
    twins = table[table["mark"] == "twin"]
    assert twins[["topic", "other"]].to_numpy().tolist() == [[0, len(TOPICS)], [len(TOPICS), 0]]
    np.testing.assert_allclose(twins["similarity"], 1.0, atol=1e-6)
    assert twins["why"].iloc[0].startswith(f"Its words are those of topic {len(TOPICS)}: 100%")
    assert list(table.columns) == ["topic", "share", "mark", "other", "why", "similarity", "breadth"]


def test_topics_that_share_less_than_half_of_their_words_are_no_twins(subjects: DynamicTopicModel) -> None:
    table = topic_marks(subjects)
    assert 0.3 < table["similarity"].max() < 0.5
    assert (table["mark"] == "").all()


def test_topics_of_a_fitted_corpus_of_subjects_have_no_marks(model: DynamicTopicModel, planted) -> None:  # type: ignore[no-untyped-def]
    assert (topic_marks(model, planted.corpus)["mark"] == "").all()


def test_a_topic_alone_has_no_twin() -> None:
    corpus = Corpus([[2, 1], [0, 3]], [1.0, 2.0])
    table = topic_marks(DynamicTopicModel(1, max_epochs=1).fit(corpus), corpus)
    assert table["mark"].tolist() == [""]


@pytest.mark.parametrize(
    ("mark", "other", "text"),
    [("", -1, ""), ("junk", -1, "junk"), ("twin", 7, "twin of 7"), ("register", -1, "register")],
)
def test_marks_in_a_word_or_two(mark: str, other: int, text: str) -> None:
    assert mark_text(mark, other) == text
