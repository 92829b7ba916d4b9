"""How two groups differ in the words of a topic over time, and whether the difference began: a model of log ratios.

Of every word v, the sites of two groups tell the difference of its logits at the nodes, with known noise:

    Δ_jv = d_v(z_j) + noise,   noise ~ N(0, 1/b_jv of one group + 1/b_jv of the other)
    d_v = c_v + w_v + s_v h,   c_v ~ N(0, γ²),   w_v ~ GP(0, ω² exp(−|τ − τ'| / l))
    s_v ~ p N(0, σ²) + (1 − p) δ₀                     p : part of the words that change

h is a change that all words have at the same time: it is 0 before, 1 after, and linear between. With 1 − h in its place
the groups drew nearer. The variances, p and h are not estimated but averaged over, with the evidence as weight. A
difference from the start is c, one that comes and goes is w; neither is a parting.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from chronotope._typing import Floats, Ints

WANDERING = ((0.0, 1.0), *product((0.02, 0.1, 0.4), (0.15, 0.6)))  # ω², and l as a part of the span
LEVELS = (0.0, 0.03, 0.15, 0.6)  # γ²
SIZES = (0.02, 0.1, 0.5, 2.0)  # σ²
PARTS = (0.1, 0.3, 1.0)  # p
WIDTHS = (0.0, 0.15, 0.3, 0.6)  # of the change from 0 to 1, as parts of the span
PRIOR = (0.5, 0.25, 0.25)  # of no change, of parting, of drawing nearer
CONFIGURATIONS = 40  # maximum number of different settings that draws are from

BACKGROUNDS = tuple(product(WANDERING, LEVELS))
CHANGES = tuple(product(SIZES, PARTS))


class Observed(NamedTuple):
    """Differences of W words at J times.   times : (J,);  value, noise : (J, W) Δ and its variance"""

    times: Floats
    value: Floats
    noise: Floats

    @property
    def span(self) -> float:
        """From the first to the last time."""
        return float(self.times[-1] - self.times[0])


class Shapes(NamedTuple):
    """Forms that a change may have.   middle, width : (H,) its time and its length;  values : (H, J) h at the times"""

    middle: Floats
    width: Floats
    values: Floats

    def at(self, number: int, times: Floats) -> Floats:
        """One of them at any times, (T,)."""
        return ramp(times, self.middle[number], self.width[number])


class Weights(NamedTuple):
    """Posterior probabilities of all settings.

    none : (backgrounds,) without a change
    change : (2, backgrounds, changes, H); first of partings, then of drawing nearer
    """

    none: Floats
    change: Floats
    shapes: Shapes

    @property
    def parted(self) -> float:
        """P(the groups parted)."""
        return float(self.change[0].sum())

    def when(self) -> tuple[Floats, Floats]:
        """Times at which they may have parted, and the probability of each if they did, (n,) each."""
        middle, place = np.unique(self.shapes.middle, return_inverse=True)
        chance = np.bincount(place, self.change[0].sum(axis=(0, 1)))
        return middle, chance / max(chance.sum(), np.finfo(float).tiny)

    def length(self) -> float:
        """The most probable length of the change."""
        return float(self.shapes.width[int(np.argmax(self.change[0].sum(axis=(0, 1))))])


def ramp(times: Floats, middle: float, width: float) -> Floats:
    """0 before, 1 after, ½ at the middle, linear over the width."""
    if width == 0.0:
        return (times > middle).astype(np.float64)
    return np.clip((times - middle) / width + 0.5, 0.0, 1.0)


def shapes_of(times: Floats) -> Shapes:
    """Changes between any two neighbouring times, at once or over a while within the span."""
    middles, span = 0.5 * (times[1:] + times[:-1]), times[-1] - times[0]
    some = [(x, part * span) for part in WIDTHS for x in middles if _fits(x, part * span, times)]
    middle, width = np.array(some).T
    return Shapes(middle, width, np.array([ramp(times, x, length) for x, length in some]))


def _fits(middle: float, width: float, times: Floats) -> bool:
    return width == 0.0 or bool(middle - 0.5 * width >= times[0] and middle + 0.5 * width <= times[-1])


def background(setting: tuple[tuple[float, float], float], x: Floats, y: Floats, span: float) -> Floats:
    """Prior covariance of c + w between times, (n, m).   setting : ((ω², l), γ²)"""
    (variance, length), level = setting
    found: Floats = level + variance * np.exp(-np.abs(x[:, None] - y) / (length * span))
    return found


def weigh(seen: Observed) -> Weights:
    """Posterior probabilities of all settings, by the evidence of each."""
    shapes = shapes_of(seen.times)
    none = np.empty(len(BACKGROUNDS))
    change = np.empty((2, len(BACKGROUNDS), len(CHANGES), len(shapes.middle)))
    for i, setting in enumerate(BACKGROUNDS):
        none[i], pairs = _scores(seen, setting, shapes)
        for side, (x, y) in enumerate(pairs):
            for j, (size, part) in enumerate(CHANGES):
                change[side, i, j] = none[i] + _mixed(_gain(x, y, size), part).sum(axis=0)
    per_time = np.bincount(np.unique(shapes.middle, return_inverse=True)[1])  # every time has the same prior
    prior = 1.0 / per_time[np.unique(shapes.middle, return_inverse=True)[1]] / len(per_time)
    none += np.log(PRIOR[0] / len(BACKGROUNDS))
    change += np.log(prior / (len(BACKGROUNDS) * len(CHANGES))) + np.log(PRIOR[1:])[:, None, None, None]
    total = np.logaddexp(logsumexp(none), logsumexp(change))
    return Weights(np.exp(none - total), np.exp(change - total), shapes)


def _scores(
    seen: Observed, setting: tuple[tuple[float, float], float], shapes: Shapes
) -> tuple[float, list[tuple[Floats, Floats]]]:
    """The log evidence of no change, and of each side hᵀMh and hᵀMΔ, (W, H), M the precision matrix of Δ."""
    C = background(setting, seen.times, seen.times, seen.span) + seen.noise.T[:, :, None] * np.eye(len(seen.times))
    M, log_det = np.linalg.inv(C), np.linalg.slogdet(C)[1]  # (W, J, J)
    pulled = np.einsum("wij,jw->wi", M, seen.value)
    none = -0.5 * float((log_det + np.einsum("jw,wj->w", seen.value, pulled)).sum())
    MH = M @ shapes.values.T  # (W, J, H)
    x, y = np.einsum("wjh,hj->wh", MH, shapes.values), pulled @ shapes.values.T
    ones, total, of_one = MH.sum(axis=1), M.sum(axis=(1, 2))[:, None], pulled.sum(axis=1)[:, None]
    return none, [(x, y), (np.maximum(total - 2.0 * ones + x, 0.0), of_one - y)]


def _gain(x: Floats, y: Floats, size: float) -> Floats:
    """Log Bayes factor of a change of variance σ² in a word: ½ [σ² y² / (1 + σ² x) − log(1 + σ² x)]."""
    found: Floats = 0.5 * (size * y**2 / (1.0 + size * x) - np.log1p(size * x))
    return found


def _mixed(gain: Floats, part: float) -> Floats:
    """Log Bayes factor if only a part of the words change."""
    return gain if part == 1.0 else np.logaddexp(np.log1p(-part), np.log(part) + gain)


def draw(seen: Observed, weights: Weights, at: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Joint posterior draws of d at any times, over all settings: (n, T, W).   at : (T,)"""
    chance = np.concatenate([weights.none, weights.change.ravel()])
    chosen = rng.choice(len(chance), min(n, CONFIGURATIONS), p=chance / chance.sum())
    number, repeats = np.unique(np.resize(chosen, n), return_counts=True)
    parts = [_draw_one(seen, weights, int(i), at, int(many), rng) for i, many in zip(number, repeats, strict=True)]
    return rng.permutation(np.concatenate(parts))


def _draw_one(seen: Observed, weights: Weights, number: int, at: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Draws under one setting, by Matheron's rule, (n, T, W).   number : of the setting, those without change first"""
    J, W = seen.value.shape
    both = np.concatenate([seen.times, at])
    side, i, j, h = (-1, number, 0, 0)
    if number >= len(weights.none):
        side, i, j, h = (int(x) for x in np.unravel_index(number - len(weights.none), weights.change.shape))
    K = background(BACKGROUNDS[i], both, both, seen.span)
    shape, size, inside = np.zeros(len(both)), 0.0, np.zeros((n, W), dtype=bool)
    if side >= 0:
        (size, part), rise = CHANGES[j], weights.shapes.at(h, both)
        shape = rise if side == 0 else 1.0 - rise
        alone = Shapes(*(values[h : h + 1] for values in weights.shapes))
        x, y = _scores(seen, BACKGROUNDS[i], alone)[1][side]
        odds = _gain(x[:, 0], y[:, 0], size)
        inside = np.log(rng.random((n, W))) < np.log(part) + odds - _mixed(odds, part)
    change = np.outer(shape, shape) * size
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    prior = rng.standard_normal((n, W, len(both))) @ root.T
    prior += inside[:, :, None] * np.sqrt(size) * rng.standard_normal((n, W, 1)) * shape
    noise = np.sqrt(seen.noise.T) * rng.standard_normal((n, W, J))
    residual = seen.value.T - prior[:, :, :J] - noise
    diagonal = seen.noise.T[:, :, None] * np.eye(J)
    found = prior[:, :, J:]
    for changed in (False, True):
        if (inside == changed).any():
            C = K + change * changed
            gain = np.linalg.solve(C[:J, :J] + diagonal, np.broadcast_to(C[:J, J:], (W, J, len(at))))  # (W, J, T)
            moved = np.einsum("nwj,wjt->nwt", residual, gain)
            found = found + np.where((inside == changed)[:, :, None], moved, 0.0)
    drawn: Floats = found.swapaxes(1, 2)
    return drawn


def shortest_interval(times: Floats, chance: Floats, level: float) -> tuple[float, float]:
    """The shortest interval of the given times that has this probability.   chance : (n,), sums to 1"""
    total = np.concatenate([[0.0], np.cumsum(chance)])
    last = np.searchsorted(total, total[:-1] + level * total[-1] - 1e-12)  # (n,) ends, n + 1 for none
    fits: Ints = np.flatnonzero(last < len(total))
    best = fits[np.argmin(times[last[fits] - 1] - times[fits])]
    return float(times[best]), float(times[last[best] - 1])


__all__ = ["Observed", "Weights", "draw", "shortest_interval", "weigh"]
