"""What groups and places have of their own is found again in corpora drawn from the model, with bands that hold it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planted import Floats, PlantedTracks, match_topics, plant_tracks, total_variation

import chronotope as ct
from chronotope.gp import Tracks
from chronotope.kernels import parse_kernel

TIMES = np.arange(8.0)
CASES: dict[str, tuple[str, Tracks, dict[str, Any]]] = {
    "two groups": ("constant(2) + ou(0.5, 6) + by(ou(0.5, 12), party)", Tracks(("left", "right")), {"documents": 8}),
    "two groups apart by level": ("ou(2, 8) + by(constant(0.5), party)", Tracks(("left", "right")), {"documents": 8}),
    "fourteen groups": (
        "constant(2) + ou(0.5, 6) + by(ou(0.5, 12), party)",
        Tracks(tuple("abcdefghijklmn")),
        {"documents": 3},
    ),
    "places": (
        "constant(2) + ou(0.5, 6) + space(0.7, 800 km)",
        Tracks(tuple("abcd"), np.array([[30.0, -98.0], [33.0, -97.0], [47.0, 8.0], [52.5, 13.4]])),
        {"documents": 5},
    ),
}


def fit(case: str, seed: int, **changed: Any) -> tuple[ct.DynamicTopicModel, PlantedTracks, list[str]]:
    """A model told the kernel, what it was fitted to, and the names it has for the planted tracks."""
    text, tracks, size = CASES[case]
    planted = plant_tracks(parse_kernel(text), tracks, TIMES, n_words=30, length=80, seed=seed, **size)
    given = {"kernel": text, "alpha": 0.3, "prior_mean": "zero", "shared": 0.0, "max_epochs": 30, "seed": seed}
    model = ct.DynamicTopicModel(2, **given | changed).fit(planted.corpus)
    of_document = model.tracks_.track_of(planted.corpus)
    names = [model.topics_.groups[of_document[planted.track == s][0]] for s in range(tracks.size)]
    return model, planted, names


def found(model: ct.DynamicTopicModel, planted: PlantedTracks, names: list[str]) -> tuple[Floats, Any]:
    """Probabilities (S, T, K, V) in the order of the planted topics, and that order."""
    p = np.stack([model.topics_.probabilities(planted.times, name) for name in names])
    order = match_topics(p.reshape(-1, *p.shape[2:]), planted.probabilities.reshape(-1, *p.shape[2:]))
    return p[:, :, order], order


def held(model: ct.DynamicTopicModel, planted: PlantedTracks, names: list[str], order: Any) -> Floats:
    """Which 90% bands hold the true probability, (S, K, V, T)."""
    inside = []
    for s, name in enumerate(names):
        for k, topic in enumerate(order):
            bands = model.topics_.trajectories(int(topic), range(30), planted.times, group=name)
            low, high = (bands[side].to_numpy().reshape(30, -1) for side in ("low", "high"))
            truth = planted.probabilities[s, :, k].T
            inside.append((low <= truth) & (truth <= high))
    return np.array(inside, dtype=np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_bands_of_groups_hold_what_was_planted_about_as_often_as_they_say(case: str) -> None:
    rates = []
    for seed in range(3):
        model, planted, names = fit(case, seed)
        p, order = found(model, planted, names)
        assert total_variation(p, planted.probabilities).mean() < 0.12
        rates.append(held(model, planted, names, order).mean())
    assert 0.85 < np.mean(rates) < 0.95


@pytest.mark.slow
def test_planted_differences_are_found_and_their_sign_is_right() -> None:
    model, planted, names = fit("two groups", 0)
    p, _ = found(model, planted, names)
    truth, seen = (np.log(x[0]) - np.log(x[1]) for x in (planted.probabilities, p))
    usual = planted.probabilities.mean(axis=0) > 0.02
    assert np.corrcoef(truth[usual], seen[usual])[0, 1] > 0.75
    far = usual & (np.abs(truth) > 0.8)
    assert (np.sign(truth) == np.sign(seen))[far].mean() > 0.93


@pytest.mark.slow
def test_groups_are_predicted_better_with_what_is_their_own_than_pooled() -> None:
    text, tracks, _ = CASES["two groups"]
    planted = plant_tracks(parse_kernel(text), tracks, TIMES, n_words=30, length=80, documents=16)
    test = np.arange(len(planted.corpus)) % 4 == 0
    given = {"seed": 0, "max_epochs": 20}
    apart = ct.DynamicTopicModel(2, "constant + ou + by(ou, party)", **given).fit(planted.corpus[~test])
    pooled = ct.DynamicTopicModel(2, "constant + ou", **given).fit(planted.corpus[~test])
    assert apart.perplexity(planted.corpus[test]) < 0.98 * pooled.perplexity(planted.corpus[test])


@pytest.mark.slow
def test_differences_that_are_not_there_are_learned_to_be_small() -> None:
    tracks = Tracks(("left", "right"))
    alike = plant_tracks(parse_kernel("constant(2) + ou(0.5, 6)"), tracks, TIMES, n_words=30, documents=8)
    apart = plant_tracks(parse_kernel(CASES["two groups"][0]), tracks, TIMES, n_words=30, documents=8)
    kernels = [
        ct.DynamicTopicModel(2, "constant + ou + by(ou, party)", learn_kernel="bound", max_epochs=30)
        .fit(planted.corpus)
        .kernel_.parameters["2.variance"]
        for planted in (alike, apart)
    ]
    assert kernels[0] < 0.3 * kernels[1]  # type: ignore[operator]
