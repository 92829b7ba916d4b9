"""Documents that are written somewhere: one word is used in the east only, another one everywhere."""

from __future__ import annotations

from functools import cache

import numpy as np

from chronotope import Corpus, DynamicTopicModel

WORDS = [*"abcdefgh", "east", '<b>&"']
PLACES = np.array([[10.0, 170.0], [0.0, 175.0], [-10.0, 178.0], [10.0, -178.0], [0.0, -175.0], [-10.0, -170.0]])
KERNEL = "constant + ou(0.05, 5) + space(0.5, 800 km)"


def written_at(places: np.ndarray, n: int = 40, length: int = 30, seed: int = 0) -> Corpus:
    """n documents at each place; the word "east" is ten times as frequent east of the date line as west of it."""
    rng = np.random.default_rng(seed)
    at = np.repeat(places, n, axis=0)
    weight = np.ones((len(at), len(WORDS)))
    weight[:, WORDS.index("east")] = np.where(at[:, 1] < 0, 3.0, 0.3)
    counts = np.array([rng.multinomial(length, row / row.sum()) for row in weight])
    times = rng.integers(2000, 2004, len(at)).astype(float)
    return Corpus(counts, times, WORDS, metadata={"lat": at[:, 0], "lon": at[:, 1]})


@cache
def fitted() -> DynamicTopicModel:
    """A model with one cell a place."""
    model = DynamicTopicModel(2, KERNEL, n_cells=len(PLACES), max_epochs=5, verbose=False, seed=0)
    return model.fit(written_at(PLACES))
