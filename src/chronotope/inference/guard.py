"""The guard of a fit: numbers that are not finite end it, with the state after the last good step."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp import TopicPrior
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.state import Progress, State, Watch


class NotFinite(ValueError):
    """The numbers of a fit are not finite, or negative where they count something, or count nothing."""


def is_sound(posterior: TopicPosterior, progress: Progress, due: float = math.inf) -> bool:
    """Whether all numbers of a fit after a step are finite, and what counts something is not negative.

    One of m, s, g or b that is not finite shows in the KL or in a normaliser: these are sums over all words.
    due : documents processed from which on there must be tokens at the nodes
    """
    mass = np.asarray(progress.mass, dtype=np.float64)
    sums = (posterior.kl, posterior.common.kl, posterior.log_zeta, progress.bounds[-1:], progress.alpha, mass)
    counted = (posterior.b, posterior.common.b, progress.alpha, mass)
    good = progress.prevalence is None or progress.prevalence.is_sound
    if progress.documents >= due and mass.sum() == 0.0:
        return False
    return good and all(np.isfinite(x).all() for x in sums) and all(x.min(initial=0.0) >= 0.0 for x in counted)


class LastGood(NamedTuple):
    """What a model is made of, after some step.   sites : by name;  values : how many bounds there were."""

    prior: TopicPrior
    sites: dict[str, Values]
    alpha: Floats
    mass: Floats
    steps: int
    documents: int
    values: int
    shares: dict[str, Floats]


class Guard:
    """Keeps the state after the last good step of a fit."""

    def __init__(self, state: State, due: float = math.inf) -> None:
        """due : see `is_sound`."""
        self.state, self.due = state, due
        self.kept: LastGood | None = None
        self._room = {name: np.empty_like(values) for name, values in state.posterior.sites().arrays().items()}
        if state.posterior.started:  # a fit that is resumed
            self.keep()

    @property
    def holds(self) -> bool:
        """Whether the state is good; that before the first step is not."""
        return self.state.posterior.started and is_sound(self.state.posterior, self.state.progress, self.due)

    def watched(self, watch: Watch) -> Watch:
        """`watch` for good states; others are an error of type `NotFinite`, before anybody can save them."""

        def check(progress: Progress) -> None:
            self.check()
            self.keep()
            watch(progress)

        return check

    def check(self) -> None:
        """Refuse a state that is not good."""
        if not self.holds:
            raise NotFinite(f"step {self.state.progress.steps:,} is not sound")

    def keep(self) -> None:
        """Copy the state; the arrays of the copy before are overwritten."""
        posterior, progress, _ = self.state
        _copy(posterior.sites().arrays(), self._room)
        numbers = progress.steps, progress.documents, len(progress.bounds)
        shares = {} if progress.prevalence is None else progress.prevalence.arrays()
        alpha, mass = progress.alpha.copy(), np.array(progress.mass)
        self.kept = LastGood(
            posterior.prior, self._room, alpha, mass, *numbers, {name: x.copy() for name, x in shares.items()}
        )

    def restore(self) -> bool:
        """Set posterior and progress to the last good state; returns whether there is one."""
        if self.kept is None:
            return False
        (posterior, progress, _), kept = self.state, self.kept
        posterior.prior = kept.prior
        now = posterior.sites().arrays()
        _copy(kept.sites, now)
        posterior.refresh()
        _copy(kept.sites, now)  # bit for bit: computing the marginals has rounded them
        progress.alpha, progress.mass = kept.alpha, kept.mass
        if progress.prevalence is not None:
            progress.prevalence.restore(kept.shares)
        progress.steps, progress.documents = kept.steps, kept.documents
        for values in (progress.bounds, progress.predicted, progress.seen):
            del values[kept.values :]
        progress.converged, progress.diverged = False, True
        return True


def _copy(given: dict[str, Values], to: dict[str, Values]) -> None:
    for name, values in given.items():
        np.copyto(to[name], values)
