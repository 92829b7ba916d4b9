"""Starting topics of groups: each has a static fit of its own, whose topics are paired with those of all documents.

Groups that start from the same topics stay near them: steps that each move a little do not leave that optimum, though
the prior lets groups differ. A static fit of a group's own documents finds what it writes about. Its topics get the
names of those of all documents that they are most like; where none is alike, the group starts from the common one, so
that a topic is about the same subject in all groups.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from chronotope._typing import Floats, Ints
from chronotope.gp import one_blas_thread
from chronotope.inference.init import Start, start_from_lda
from chronotope.inference.store import DocumentStore

ALIKE = 0.6  # least affinity of a group's topic to the common one, from 0 to 1
TOKENS = 100_000  # least tokens of a group that has a static fit of its own
GROUPS = 3, 12  # number of groups of which each has one: two rarely gain by it, and it takes as long as their fit


def with_groups(
    start: Start,
    docs: DocumentStore,
    size: tuple[int, int],
    tracks: int,
    learn: bool,
    rng: np.random.Generator,
    dtype: str = "float64",
    verbose: bool | None = False,
) -> Start:
    """The start of a fit whose groups start from topics of their own, as far as they have enough text.

    start : from all documents;  size : words V, and rows S · J of the sites;  tracks : S;  learn : whether α is learned
    """
    (V, rows), K = size, start.topics.shape[1 if start.topics.ndim == 3 else 0]
    if not GROUPS[0] <= tracks <= GROUPS[1] or start.topics.ndim == 3 or K == 1:
        return start
    lengths = docs.per_document(lambda counts: counts)
    topics = np.repeat(start.topics[None], tracks, axis=0)  # (S, K, V)
    changed = False
    for s in range(tracks):
        own = np.flatnonzero(docs.track == s)
        if lengths[own].sum() < TOKENS:
            continue
        found = start_from_lda(docs.take(own), V, start.alpha, learn, rng, dtype, verbose)
        topics[s], changed = paired(start.topics, found.topics), True
    if not changed:
        return start
    return Start(np.repeat(topics, rows // tracks, axis=0), start.alpha)


def paired(common: Floats, own: Floats) -> Floats:
    """The topics of a group in the order of the common ones, (K, V); a common one where the group's is not alike.

    Pairs maximise the sum of the affinities Σ_v √(p_v q_v)        [Bhattacharyya 1943]
    """
    with one_blas_thread():
        affinity = np.sqrt(common) @ np.sqrt(own).T
    one, other = linear_sum_assignment(-affinity)
    order: Ints = other[np.argsort(one)]
    alike = affinity[np.arange(len(common)), order] >= ALIKE
    found: Floats = np.where(alike[:, None], own[order], common)
    return found
