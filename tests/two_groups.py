"""Corpora of two groups whose words are planted: alike, different from the start, or parting at a known time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from planted import Floats, softmax

from chronotope import Corpus, DynamicTopicModel

T, K, V = 12, 2, 40
PARTING = 5.5
CONSTANT, CHANGE = 0.6, 1.2  # standard deviations of differences of logits


class TwoGroups(NamedTuple):
    """A corpus, and the word probabilities of groups a and b in it, (2, T, K, V), at times (T,)."""

    corpus: Corpus
    probabilities: Floats
    times: Floats


def planted_groups(kind: str, seed: int, calendar: bool = False) -> TwoGroups:
    """Two groups of which one has twice the documents.

    kind : "never", they are alike; "constant", they differ from the start; "parting", they part in topic 0 at 5.5
    """
    rng, times = np.random.default_rng(seed), np.arange(T, dtype=np.float64)
    logits = -0.7 * np.log(1.0 + rng.permutation(V)) + rng.standard_normal((K, V)) + np.zeros((T, 1, 1))
    logits += 0.1 * np.cumsum(rng.standard_normal((T, K, V)), axis=0)
    d = np.zeros((T, K, V))
    if kind == "constant":
        d += CONSTANT * rng.standard_normal((K, V))
    if kind == "parting":
        d[times > PARTING, 0] = CHANGE * rng.standard_normal(V)
    pi = softmax(np.stack([logits + d / 2, logits - d / 2]))
    counts, at, group = [], [], []
    for s, documents in enumerate((20, 10)):
        for t in range(T):
            shares = rng.dirichlet(np.full(K, 0.2), documents)
            counts.append(rng.multinomial(60, shares @ pi[s, t]))
            at += [times[t]] * documents
            group += ["ab"[s]] * documents
    stamps = np.array(at) + 1900.0 * calendar
    corpus = Corpus(np.concatenate(counts), stamps, calendar=calendar, metadata=pd.DataFrame({"group": group}))
    return TwoGroups(corpus, pi, times)


def fitted(planted: TwoGroups, seed: int = 0) -> DynamicTopicModel:
    """The model with groups, as by default."""
    model = DynamicTopicModel(K, "constant + ou + by(ou)", groups="group", seed=seed, max_epochs=15, verbose=False)
    return model.fit(planted.corpus)
