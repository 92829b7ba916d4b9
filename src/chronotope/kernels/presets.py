"""Kernels by the question they answer, for those who would rather not choose among formulas."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from chronotope._typing import Floats
from chronotope.kernels.base import Kernel
from chronotope.kernels.defaults import in_years
from chronotope.kernels.parameters import duration
from chronotope.kernels.stationary import Cauchy, Constant, OrnsteinUhlenbeck, Periodic, SquaredExponential

EVENT_SHARE, EVENT_VARIANCE = 0.03, 1.0  # how long an event is remembered, as a share of the span; how far words swing
SEASON_VARIANCE, SEASON_LENGTH = 0.3, 1.5  # how far words swing with the seasons; how smoothly, without unit
NO_SEASONS = (
    '"seasonal" means the seasons of the year, and the times, from {first:g} to {last:g}, are not taken for years; '
    'pass dates, or say how long a season\'s round is in the unit of the times, such as "seasonal(12)".'
)

TOO_SHORT = (
    '"seasonal" looks for what comes again after {period:g}, but the times span only {span:g}; pass times of several '
    'rounds, or another period, such as "seasonal({other:g})".'
)

QUESTIONS = {
    "slow drift": "How do topics drift? Words keep a level of their own and wander around it: constant + ou.",
    "events": "What happened when? Words jump and soon come back to their level: constant + a short ou.",
    "long memory": "What lasts? Words change smoothly, and the past is long remembered: constant + cauchy.",
    "seasonal": "What comes again every year? A season beside a smooth drift: constant + cauchy + periodic * se.",
}
_WRITTEN = re.compile(r"(?P<words>[a-z]+(?:[\s_-]+[a-z]+)?)\s*(?:\(\s*(?P<period>[^()]*?)\s*\))?")


@dataclass(frozen=True)
class Question(Kernel):
    """What is asked, one of QUESTIONS; `resolve` makes it a kernel that fits the corpus.

    period : of "seasonal", in the unit of the times; None for a year
    """

    name: str
    period: float | None = None

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""
        return self.name if self.period is None else f"{self.name}({self.period!r})"

    @property
    def parameters(self) -> dict[str, float | None]:
        """Nothing is known before the corpus is."""
        return {"variance": None, "length_scale": None}

    @property
    def theta_names(self) -> tuple[str, ...]:
        """What there is to learn is known once it is resolved."""
        return ()

    def _resolved(self, first: float, last: float) -> Kernel:
        return _ANSWERS[self.name](self, first, last).resolve(first, last)

    def _matrix(self, x: Floats, y: Floats) -> Floats:
        raise NotImplementedError(self.text)

    _pairs = _matrix

    def _with_values(self, values: Floats) -> Kernel:
        raise NotImplementedError(self.text)


def find_question(text: str) -> Question | None:
    """The question that a text asks, in any case and with spaces, hyphens or underscores; None if it asks none."""
    match = _WRITTEN.fullmatch(text.strip().lower())
    name = " ".join(re.split(r"[\s_-]+", match["words"])) if match else ""
    if match is None or name not in QUESTIONS:
        return None
    if match["period"] is None:
        return Question(name)
    if name != "seasonal":
        raise ValueError(f'"{name}" takes no numbers; write it alone, or write the kernel itself, such as "ou(6, 50)".')
    return Question(name, _period(match["period"].removeprefix("period=").strip(" \"'")))


def _period(written: str) -> float:
    try:
        return duration("period", float(written))
    except ValueError:
        return duration("period", written)


def _slow_drift(question: Question, first: float, last: float) -> Kernel:
    return Constant() + OrnsteinUhlenbeck()


def _events(question: Question, first: float, last: float) -> Kernel:
    span = last - first if last > first else 1.0
    return Constant() + OrnsteinUhlenbeck(EVENT_VARIANCE, EVENT_SHARE * span)


def _long_memory(question: Question, first: float, last: float) -> Kernel:
    return Constant() + Cauchy()


def _seasonal(question: Question, first: float, last: float) -> Kernel:
    """Seasons whose shape may change in the course of the corpus."""
    if question.period is None and not in_years(first, last):
        raise ValueError(NO_SEASONS.format(first=first, last=last))
    period, span = question.period or 1.0, last - first
    if span < period:
        raise ValueError(TOO_SHORT.format(period=period, span=span, other=span / 4 or 1.0))
    season = Periodic(SEASON_VARIANCE, SEASON_LENGTH, period)
    return Constant() + Cauchy() + season * SquaredExponential(1.0, span)


_ANSWERS: dict[str, Callable[[Question, float, float], Kernel]] = {
    "slow drift": _slow_drift,
    "events": _events,
    "long memory": _long_memory,
    "seasonal": _seasonal,
}
