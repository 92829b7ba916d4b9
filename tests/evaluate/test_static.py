"""Static topics of scikit-learn: scored by the same function, with the same halves, as other models."""

from __future__ import annotations

import numpy as np

from chronotope import Corpus, DynamicTopicModel
from chronotope.evaluate import completion_scores, perplexity, split_tokens
from chronotope.evaluate.static import fit_static, static_perplexity, static_scores


def test_scores_of_one_topic_are_its_log_probabilities() -> None:
    rng = np.random.default_rng(0)
    corpus, pi = Corpus(rng.poisson(3.0, (8, 5)), np.arange(8.0)), rng.dirichlet(np.ones(5))
    log_p, tokens = static_scores(pi[None], 0.5, corpus, seed=3)
    scored = split_tokens(corpus.counts, 3)[1].toarray()
    np.testing.assert_allclose(log_p, scored @ np.log(pi), rtol=1e-6)
    np.testing.assert_array_equal(tokens, scored.sum(axis=1))
    np.testing.assert_allclose(static_perplexity(pi[None], 0.5, corpus, 3), perplexity(log_p, tokens), rtol=1e-12)


def test_halves_have_a_seed_of_their_own(small) -> None:
    train, test = small.split_times(seed=0)
    fit = fit_static(train, test, 2, 0.5, seed=1, passes=2, halves=7)
    assert fit.perplexity == static_perplexity(fit.topics, 0.5, test, 7)
    assert fit.standard_error > 0
    assert fit_static(train, test, 2, 0.5, seed=1, passes=2).perplexity == static_perplexity(fit.topics, 0.5, test, 1)


def test_the_same_topics_have_the_same_score_as_static_ones_and_as_a_models_own(small) -> None:
    train, test = small.split_times(seed=0)
    model = DynamicTopicModel(2, "constant", max_epochs=3).fit(train)
    topics = model.topics_.probabilities([0.0])[0]
    log_p, tokens = static_scores(topics, model.alpha_, test, seed=5)
    own, number = completion_scores(model, test, 5)
    np.testing.assert_array_equal(tokens, number)
    np.testing.assert_allclose(log_p, own, rtol=1e-3)
    np.testing.assert_allclose(perplexity(log_p, tokens), perplexity(own, number), rtol=1e-4)
    assert perplexity(*static_scores(topics, model.alpha_, test, 5, "mean-field")) != perplexity(log_p, tokens)
