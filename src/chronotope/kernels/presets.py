"""Presets: priors named by the question they answer. Their kernels depend on the times of the corpus."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from chronotope._typing import Floats
from chronotope.kernels.base import Kernel, check_span
from chronotope.kernels.defaults import in_years
from chronotope.kernels.parameters import Parameter, duration
from chronotope.kernels.stationary import Cauchy, Constant, OrnsteinUhlenbeck, Periodic, SquaredExponential

EVENT_LENGTH, EVENT_VARIANCE = 0.03, 1.0  # length scale of "events" as a fraction of the span; its variance
SEASON_LENGTH, SEASON_VARIANCE = 1.5, 0.3  # length scale of the seasonal component, which has no unit; its variance

NO_PERIOD = '"{name}" takes no numbers; write it alone, or write the kernel itself, such as "ou(6, 50)".'
NOT_YEARS = (
    '"seasonal" means the seasons of the year, and the times, from {first:g} to {last:g}, are not taken for years; '
    'pass dates, or the length of a period in the unit of the times, such as "seasonal(12)".'
)
TOO_SHORT = (
    '"seasonal" has a period of {period:g}, but the times span only {span:g}; pass times of several periods, or '
    'another period, such as "seasonal({other:g})".'
)

PRESETS = {
    "slow drift": "How do topics drift? Words keep a level of their own and wander around it: constant + ou.",
    "events": "What happened when? Words jump and soon come back to their level: constant + a short ou.",
    "long memory": "What lasts? Words change smoothly, and the past is long remembered: constant + cauchy.",
    "seasonal": "What comes again every year? A season beside a smooth drift: constant + cauchy + periodic * se.",
}

_WRITTEN = re.compile(r"(?P<words>[a-z]+(?:[\s_-]+[a-z]+)?)\s*(?:\(\s*(?P<period>[^()]*?)\s*\))?")


@dataclass(frozen=True)
class Preset:
    """A prior by name. It is not a kernel: `resolve` returns the kernel for a corpus.

    name : str, one of PRESETS
    period : float > 0 or duration such as "6 months", default None; the period of "seasonal", in the unit of the times.
        None is one year
    """

    name: str
    period: Parameter[float | str] = Parameter(duration)  # noqa: RUF009 (a descriptor)

    def __post_init__(self) -> None:
        if self.name not in PRESETS:
            raise ValueError(f"the preset is {self.name!r}; pass one of {', '.join(PRESETS)}.")
        if self.period is not None and self.name != "seasonal":
            raise ValueError(NO_PERIOD.format(name=self.name))

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""
        return self.name if self.period is None else f"{self.name}({self.period!r})"

    def resolve(self, first: float, last: float) -> Kernel:
        """The kernel for a corpus whose times run from `first` to `last`; every parameter has a value."""
        first, last = check_span(first, last)
        return _KERNELS[self.name](self.period, first, last).resolve(first, last)

    def forget(self) -> Preset:
        """The preset itself: it holds no variances or length scales."""
        return self

    def _refuse(self, other: object) -> NoReturn:
        raise TypeError(
            f'"{self.text}" is a preset, which cannot be added or multiplied; call resolve(first, last), or write the '
            'kernel itself, such as "constant + ou".'
        )

    __add__ = __radd__ = __mul__ = __rmul__ = _refuse


@dataclass(frozen=True)
class Deferred(Kernel):
    """A preset as a part of a kernel, which it becomes when its parameters are set for a corpus.   preset : Preset"""

    preset: Preset

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""
        return self.preset.text

    @property
    def parameters(self) -> dict[str, float | None]:
        """The kernel is not set yet."""
        return {"kernel": None}

    @property
    def theta_names(self) -> tuple[str, ...]:
        """None before it is set."""
        return ()

    def _matrix(self, x: Floats, y: Floats) -> Floats:
        raise self._unset()

    def _pairs(self, x: Floats, y: Floats) -> Floats:
        raise self._unset()

    def _with_values(self, values: Floats) -> Kernel:
        raise self._unset()

    def _unset(self) -> ValueError:
        return ValueError(f'"{self.text}" has no parameters yet; call resolve(first, last).')

    def _resolved(self, first: float, last: float) -> Kernel:
        return self.preset.resolve(first, last)


Recipe: TypeAlias = Kernel | Preset  # what a model takes as its prior; both have text, resolve and forget


def find_preset(text: str) -> Preset | None:
    """The preset written in a text, in any case and with spaces, hyphens or underscores; None if it is not a preset."""
    match = _WRITTEN.fullmatch(text.strip().lower())
    name = " ".join(re.split(r"[\s_-]+", match["words"])) if match else ""
    if match is None or name not in PRESETS:
        return None
    if match["period"] is None:
        return Preset(name)
    if name != "seasonal":
        raise ValueError(NO_PERIOD.format(name=name))
    return Preset(name, _period(match["period"].removeprefix("period=").strip(" \"'")))


def _period(written: str) -> float | str:
    try:
        return float(written)
    except ValueError:
        return written


def _slow_drift(period: float | None, first: float, last: float) -> Kernel:
    return Constant() + OrnsteinUhlenbeck()


def _events(period: float | None, first: float, last: float) -> Kernel:
    span = last - first if last > first else 1.0
    return Constant() + OrnsteinUhlenbeck(EVENT_VARIANCE, EVENT_LENGTH * span)


def _long_memory(period: float | None, first: float, last: float) -> Kernel:
    return Constant() + Cauchy()


def _seasonal(period: float | None, first: float, last: float) -> Kernel:
    """A periodic component whose shape may change over the span of the corpus, and a smooth drift."""
    if period is None and not in_years(first, last):
        raise ValueError(NOT_YEARS.format(first=first, last=last))
    period, span = period or 1.0, last - first
    if span < period:
        raise ValueError(TOO_SHORT.format(period=period, span=span, other=span / 4 or 1.0))
    season = Periodic(SEASON_VARIANCE, SEASON_LENGTH, period)
    return Constant() + Cauchy() + season * SquaredExponential(1.0, span)


_KERNELS: dict[str, Callable[[float | None, float, float], Kernel]] = {
    "slow drift": _slow_drift,
    "events": _events,
    "long memory": _long_memory,
    "seasonal": _seasonal,
}
