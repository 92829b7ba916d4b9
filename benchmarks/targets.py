"""What was aimed at, as ratios within one run, and whether it was met."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.reach import DEFAULT, DYNAMIC, GIBBS, OURS, SKLEARN, best_static, seconds_to_reach
from benchmarks.startup import FIRST, SECOND, in_words, multiple

MEMORY = 2.0  # GB
STAMPS, SLOPE, KERNEL = 1.3, 1.0, 3.0
FIRST_FIT = 25.0


class Target(NamedTuple):
    """A target: what, for whom, what was measured, the most it may be, and a note on how it came about.

    measured : None if it was not, infinite if a goal was never reached
    """

    what: str
    who: str
    measured: float | None
    limit: float
    note: str = ""

    @property
    def figure(self) -> str:
        """What was measured, in print."""
        return "–" if self.measured is None or math.isinf(self.measured) else f"{self.measured:.3g}"

    @property
    def verdict(self) -> str:
        """Whether it was met."""
        if self.measured is None:
            return "not measured"
        if math.isinf(self.measured):
            return "missed: never reached"
        return "met" if round(self.measured, 4) <= self.limit else f"missed by {self.measured / self.limit:.2f}×"


class Goal(NamedTuple):
    """A peer's perplexity after so many iterations (its last point if None), to be reached in a share of its time."""

    peer: str
    iterations: int | None
    share: float


GOALS = (
    Goal(SKLEARN, None, 1 / 8),
    Goal(GIBBS, 50, 1.0),
    Goal(GIBBS, 250, 1 / 2),
    Goal(DYNAMIC, None, 1 / 100),
)
BEST_STATIC = 1 / 4  # of the time of the best static system, to its perplexity


def judge(results: dict[str, Any]) -> list[Target]:
    """All targets that the results tell anything about."""
    found: list[Target] = []
    if "reach" in results:
        found += _reached(results["reach"])
    if "cost" in results:
        found += _costs(results["cost"])
    if "startup" in results:
        found += _first_fit(results["startup"])
    return found


def _reached(reach: dict[str, Any]) -> Iterator[Target]:
    best = best_static(reach["runs"])
    if best is not None:
        what = f"time to reach the best static perplexity, of {best[0]}, relative to its time"
        yield _against(what, DEFAULT, best[1], reach["runs"][DEFAULT], BEST_STATIC, None)
    for goal in GOALS:
        run = reach["runs"][goal.peer]
        label = None if goal.iterations is None else f"{goal.iterations} iterations"
        point = next((p for p in reversed(run["points"]) if label in (None, p["label"])), None)
        after = point["label"] if point else label or "its fit"
        what = f"time to reach the perplexity of {goal.peer} after {after}, relative to its time"
        for who in OURS:
            yield _against(what, who, point, reach["runs"][who], goal.share, run["failure"])
    peak = reach["alone"]["peak"]
    yield Target("peak memory of a fit, GB", next(iter(OURS)), peak, MEMORY)


def _against(
    what: str, who: str, point: dict[str, Any] | None, ours: dict[str, Any], share: float, failure: str | None
) -> Target:
    if point is None or ours["failure"]:
        return Target(what, who, None, share, ours["failure"] or failure or "not run")
    seconds = seconds_to_reach(ours, point["perplexity"])
    goal = f"{point['perplexity']:,.0f}, {point['seconds']:.1f} s"
    if seconds is None:
        best = min((p["perplexity"] for p in ours["points"]), default=float("nan"))
        return Target(what, who, math.inf, share, f"{goal}; ours {best:,.0f} at best")
    return Target(what, who, seconds / point["seconds"], share, f"{goal}; ours {seconds:.1f} s")


def _costs(cost: dict[str, Any]) -> Iterator[Target]:
    curves = {each["letter"]: each for each in cost["curves"]}
    T, M = curves["T"], curves["M"]
    stamps = f"time of a step with {T['x'][-1]:,.0f} distinct times, relative to {T['x'][0]:,.0f}"
    yield Target(stamps, "Chronotope", T["seconds"][-1] / T["seconds"][0], STAMPS, "same documents, times rounded")
    nodes = f"slope of a global step's time from {M['x'][0]:,.0f} to {M['x'][-1]:,.0f} nodes"
    yield Target(nodes, "Chronotope", M["slope"], SLOPE, "on logarithmic axes")
    for name in ("se", "cauchy"):
        kernel, ou = cost["kernels"][name], cost["kernels"]["ou"]
        note = f"rank {kernel['rank']}, {kernel['nodes']} nodes; ou {ou['nodes']} nodes"
        what = f"time of a pass with kernel {name}, relative to ou"
        yield Target(what, "Chronotope", kernel["seconds"] / ou["seconds"], KERNEL, note)


def _first_fit(startup: dict[str, Any]) -> Iterator[Target]:
    what = "time of the first small fit after an installation, compiling included, relative to the second"
    times = multiple(startup)
    details = [in_words(startup[name]) for name in (FIRST, SECOND) if startup.get(name)]
    yield Target(what, "Chronotope", times, FIRST_FIT, f"each in a new process: {'; '.join(details)}" if times else "")
