"""Starting points of small corpora: which are tried, and that the best is kept."""

import numpy as np
import pytest
from planted import match_topics, plant, total_variation

import chronotope as ct
from chronotope.inference import trials
from chronotope.inference.state import Settings
from chronotope.kernels import OrnsteinUhlenbeck

KERNEL = OrnsteinUhlenbeck(3, 60)


def settings(**more):
    given = {"local": "sampled", "epochs": 50, "tolerance": 0.0, "learn_alpha": True, "batch_size": 300}
    return Settings(**given | more, offset=1.0, decay=0.7)


@pytest.mark.parametrize(
    ("tokens", "nodes", "topics", "more"),
    [
        (10**7, 20, 4, {}),
        (10**4, 1, 4, {}),
        (10**4, 20, 1, {}),
        (10**4, 20, 4, {"batch_size": 100}),
        (10**4, 20, 4, {"epochs": trials.PASSES}),
        (10**4, 20, 4, {"local": "mean-field"}),
    ],
    ids=["large", "static", "one topic", "minibatches", "short", "mean field"],
)
def test_only_dynamic_sampled_fits_of_small_corpora_try_several_starts(tokens, nodes, topics, more):
    assert trials.number_of_trials(tokens, 300, nodes, topics, settings(**more)) == 1
    assert trials.number_of_trials(10**4, 300, 20, 4, settings()) == trials.STARTS


def test_the_start_with_the_best_prediction_is_kept(monkeypatch):
    scores = {1: -3.0, 2: -1.0, 3: -2.0, 4: np.nan}
    monkeypatch.setattr(trials, "fit_whole", lambda docs, state, settings, watch: None)
    states = {start: _state([score] * 9) for start, score in scores.items()}
    assert trials.best_start([1, 2, 3, 4], states.__getitem__, None, settings()) == 2
    assert trials.best_start([4], states.__getitem__, None, settings()) == 4


class _state:
    """A state of which only the predictions are looked at."""

    def __init__(self, predicted):
        self.progress = type("Progress", (), {"predicted": predicted})


@pytest.mark.slow
def test_several_starts_find_topics_that_one_joins_wrongly(monkeypatch):
    def distance(seed):
        planted = plant(KERNEL, np.arange(20.0), 4, 80, documents=15, length=100, alpha=1.0, seed=seed)
        model = ct.DynamicTopicModel(4, KERNEL, prior_mean="zero", alpha=1.0, seed=seed, verbose=False)
        found = model.fit(planted.corpus).topics_.probabilities(planted.times)
        order = match_topics(found, planted.probabilities)
        return total_variation(found[:, order], planted.probabilities).mean()

    several = np.mean([distance(seed) for seed in range(4)])
    monkeypatch.setattr(trials, "STARTS", 1)
    assert several < np.mean([distance(seed) for seed in range(4)]) - 0.005
