"""Several starting points of a small corpus: each is fitted for some passes, and the best is kept.

Where there is little text, fits that start from different static topics end in different optima, and some join parts of
two topics. The log-likelihood of each token given all others tells them apart after a few passes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from chronotope.inference.documents import Documents
from chronotope.inference.init import Start
from chronotope.inference.loop import PACE, RESTART, fit_whole
from chronotope.inference.state import Settings, State
from chronotope.inference.store import DocumentStore

STARTS, TOKENS = 4, 200_000  # starting points that are tried, and the tokens of a corpus that is small
PASSES = PACE - 1  # of a trial: all that come before the kernel is learned
SAMPLE, LEAST = 500_000, 1_000  # tokens and documents by which starts of groups are tried
TRIED, GAIN = 8, 1e-3  # passes of such a trial, and the gain in log-likelihood per token that topics apart must have


def number_of_trials(tokens: float, documents: int, nodes: int, topics: int, settings: Settings) -> int:
    """How many starting points are tried: one, but for small corpora and fits that are longer than a trial."""
    small = tokens <= TOKENS and settings.batch_size >= documents
    worth = nodes > 1 and topics > 1 and settings.local == "sampled" and settings.epochs > PASSES
    return STARTS if small and worth else 1


def best_start(
    starts: list[Start], state_of: Callable[[Start], State], docs: DocumentStore, settings: Settings
) -> Start:
    """The start after which tokens are predicted best; the first one if it is alone.

    state_of : the state of a fit before its first step, with arrays of its own
    """
    if len(starts) == 1:
        return starts[0]
    trial = replace(settings, epochs=PASSES, learning=None)
    return max(starts, key=lambda start: _predicted(state_of(start), docs, trial))


def _predicted(state: State, docs: Documents | DocumentStore, settings: Settings) -> float:
    """Log-likelihood of each token given all others, the mean over the last passes in which each chain starts anew."""
    fit_whole(docs, state, settings, lambda progress: None)
    mean = float(np.mean(state.progress.predicted[-RESTART:]))
    return mean if np.isfinite(mean) else -np.inf


def start_of_groups(
    common: Start, apart: Start, state_of: Callable[[Start], State], docs: DocumentStore, settings: Settings
) -> Start:
    """The start in which groups have topics of their own if tokens are predicted better after it, else the common one.

    Both are tried on a sample of the documents.
    """
    rows = docs.main
    most = max(int(SAMPLE / max(float(docs.per_document(lambda counts: counts).sum()), 1.0) * len(rows)), LEAST)
    rows = np.sort(np.random.default_rng(settings.seed).permutation(rows)[:most])
    sample = docs.take(rows)
    trial = replace(settings, epochs=TRIED, learning=None, batch_size=len(rows))
    values = [_predicted(state_of(start._replace(chains=None)), sample, trial) for start in (common, apart)]
    return apart if values[1] - values[0] > GAIN * float(sample.lengths.sum()) else common
