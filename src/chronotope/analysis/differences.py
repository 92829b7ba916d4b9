"""How two groups differ in the words of a topic over time, and whether the difference began: a model of log ratios.

Of every word v, the sites of two groups tell the difference of its logits at the nodes, with known noise:

    Δ_jv = d_v(z_j) + noise,   noise ~ N(0, φ (1/b_jv + 1/b'_jv) + κ (1/N_j + 1/N'_j))      of both groups
    d_v = c_v + w_v + s_v h,   c_v ~ N(0, γ²),   w_v ~ GP(0, ω² exp(−|τ − τ'| / l))
    s_v ~ p N(0, σ²) + (1 − p) δ₀                     p : part of the words that change

φ and κ are what documents have of their own: a few long ones tell less than as many tokens would. N : tokens. h is a
change that all words have at the same time: it is 0 before, 1 after, and linear between. With 1 − h in its place the
groups drew nearer. The variances, p and h are not estimated but averaged over, with the evidence as weight. A
difference from the start is c, one that comes and goes is w; neither is a parting. Some words are restless, such as
names and those of the news: their c and w are large and short, whatever those of the others are. Many words tell no
more than 100 that were independent: their evidence is raised to a power, for words of the same documents go together.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from chronotope._typing import Floats, Ints
from chronotope.gp import one_blas_thread
from chronotope.gp.base import root

WANDERING = ((0.0, 1.0), *product((0.08, 0.5), (0.08, 0.4)))  # ω², and l as a part of the span
LEVELS = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0)  # γ²
CLUSTERED = ((1.0, 0.0), (2.0, 100.0))  # φ and κ
RESTLESS, SOME = ((2.0, 0.1), 8.0, (2.0, 100.0)), 0.1  # the same of restless words, and how many there are
SIZES = (0.05, 0.3, 1.5)  # σ²
PARTS = (0.15, 0.6)  # p
WIDTHS = (0.0, 0.15, 0.3, 0.6)  # of the change from 0 to 1, as parts of the span
PRIOR = (0.5, 0.25, 0.25)  # of no change, of parting, of drawing nearer
LEAST = 0.1  # least part of the text before and after a change
INDEPENDENT = 100  # words, that all of them tell as much as at most: those of the same documents go together
CONFIGURATIONS = 40  # maximum number of different settings that draws are from

Setting = tuple[tuple[float, float], float, tuple[float, float]]  # ((ω², l), γ², (φ, κ))

BACKGROUNDS: tuple[Setting, ...] = tuple(product(WANDERING, LEVELS, CLUSTERED))
CHANGES = tuple(product(SIZES, PARTS))


class Observed(NamedTuple):
    """Differences of W words at J times.

    times : (J,);  value, noise : (J, W) Δ and Σ 1/b;  thin : (J,) Σ 1/N
    """

    times: Floats
    value: Floats
    noise: Floats
    thin: Floats

    @property
    def span(self) -> float:
        """From the first to the last time."""
        return float(self.times[-1] - self.times[0])

    def variance(self, setting: Setting) -> Floats:
        """Variances of the noise of all words, (W, J)."""
        factor, tokens = setting[2]
        found: Floats = (factor * self.noise + tokens * self.thin[:, None]).T
        return found


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


def shapes_of(seen: Observed) -> Shapes:
    """Changes between neighbouring times, at once or over a while within the span.

    A tenth of the text at least is before and after the middle of each: of less nobody can tell that it lasts
    [trimming, as in Andrews 1993].
    """
    times, before = seen.times, np.cumsum(1.0 / seen.thin)[:-1]
    side = np.minimum(before, before[-1] + 1.0 / seen.thin[-1] - before) / np.sum(1.0 / seen.thin)
    middles = 0.5 * (times[1:] + times[:-1])[side >= min(LEAST, side.max())]
    some = [(x, part * seen.span) for part in WIDTHS for x in middles if _fits(x, part * seen.span, times)]
    middle, width = np.array(some).T
    return Shapes(middle, width, np.array([ramp(times, x, length) for x, length in some]))


def _fits(middle: float, width: float, times: Floats) -> bool:
    return width == 0.0 or bool(middle - 0.5 * width >= times[0] and middle + 0.5 * width <= times[-1])


def background(setting: Setting, x: Floats, y: Floats, span: float) -> Floats:
    """Prior covariance of c + w between times, (n, m).   setting : ((ω², l), γ², (φ, κ))"""
    (variance, length), level, _ = setting
    found: Floats = level + variance * np.exp(-np.abs(x[:, None] - y) / (length * span))
    return found


def weigh(seen: Observed) -> Weights:
    """Posterior probabilities of all settings, by the evidence of each; the same on any number of threads."""
    with one_blas_thread():
        return _weighed(seen)


def _weighed(seen: Observed) -> Weights:
    shapes = shapes_of(seen)
    none = np.empty(len(BACKGROUNDS))
    change = np.empty((2, len(BACKGROUNDS), len(CHANGES), len(shapes.middle)))
    alone, changed = _evidence(seen, RESTLESS, shapes)
    alone, changed = alone + np.log(SOME), changed + np.log(SOME)
    for i, setting in enumerate(BACKGROUNDS):
        usual, gained = _evidence(seen, setting, shapes)
        none[i] = np.logaddexp(usual + np.log1p(-SOME), alone).sum()
        change[:, i] = np.logaddexp(gained + np.log1p(-SOME), changed).sum(axis=2)
    per_time = np.bincount(np.unique(shapes.middle, return_inverse=True)[1])  # every time has the same prior
    prior = 1.0 / per_time[np.unique(shapes.middle, return_inverse=True)[1]] / len(per_time)
    worth = min(1.0, INDEPENDENT / seen.value.shape[1])
    none, change = worth * none, worth * change
    none += np.log(PRIOR[0] / len(BACKGROUNDS))
    change += np.log(prior / (len(BACKGROUNDS) * len(CHANGES))) + np.log(PRIOR[1:])[:, None, None, None]
    total = np.logaddexp(logsumexp(none), logsumexp(change))
    return Weights(np.exp(none - total), np.exp(change - total), shapes)


def _evidence(seen: Observed, setting: Setting, shapes: Shapes) -> tuple[Floats, Floats]:
    """Log evidence of every word without a change, (W,), and with one of each kind, (2, changes, W, H).

    log N(Δ; 0, C + σ² h hᵀ) − log N(Δ; 0, C) = ½ [σ² y² / (1 + σ² x) − log(1 + σ² x)]
    x = hᵀMh,   y = hᵀMΔ,   M = C⁻¹
    """
    C = background(setting, seen.times, seen.times, seen.span) + seen.variance(setting)[:, :, None] * np.eye(
        len(seen.times)
    )
    M, log_det = np.linalg.inv(C), np.linalg.slogdet(C)[1]  # (W, J, J)
    pulled = np.einsum("wij,jw->wi", M, seen.value)
    none = -0.5 * (log_det + np.einsum("jw,wj->w", seen.value, pulled))
    MH = M @ shapes.values.T  # (W, J, H)
    x, y = np.einsum("wjh,hj->wh", MH, shapes.values), pulled @ shapes.values.T
    ones, total, of_one = MH.sum(axis=1), M.sum(axis=(1, 2))[:, None], pulled.sum(axis=1)[:, None]
    change = np.empty((2, len(CHANGES), *x.shape))
    for side, (a, b) in enumerate([(x, y), (np.maximum(total - 2.0 * ones + x, 0.0), of_one - y)]):
        for j, (size, part) in enumerate(CHANGES):
            gain = 0.5 * (size * b**2 / (1.0 + size * a) - np.log1p(size * a))
            change[side, j] = none[:, None] + np.logaddexp(np.log1p(-part), np.log(part) + gain)
    return none, change


def draw(seen: Observed, weights: Weights, at: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Joint posterior draws of d at any times, over all settings: (n, T, W).   at : (T,)"""
    chance = np.concatenate([weights.none, weights.change.ravel()])
    chosen = rng.choice(len(chance), min(n, CONFIGURATIONS), p=chance / chance.sum())
    number, repeats = np.unique(np.resize(chosen, n), return_counts=True)
    with one_blas_thread():
        parts = [_draw_one(seen, weights, int(i), at, int(many), rng) for i, many in zip(number, repeats, strict=True)]
    return rng.permutation(np.concatenate(parts))


def _draw_one(seen: Observed, weights: Weights, number: int, at: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Draws under one setting, (n, T, W).   number : of the setting, those without change first

    Each word is usual or restless, and changes or does not: a mixture of Gaussians, drawn from by Matheron's rule.
    """
    both, i, change, part = np.concatenate([seen.times, at]), number, np.zeros(1), 0.0
    if number >= len(weights.none):
        side, i, j, h = (int(x) for x in np.unravel_index(number - len(weights.none), weights.change.shape))
        (size, part), rise = CHANGES[j], weights.shapes.at(h, both)
        change = size * np.outer(*[rise if side == 0 else 1.0 - rise] * 2)
    kinds = [
        (setting, inside, chance * (part if inside else 1.0 - part))
        for setting, chance in ((BACKGROUNDS[i], 1.0 - SOME), (RESTLESS, SOME))
        for inside in (False, True)
    ]
    kinds = [(setting, inside, chance) for setting, inside, chance in kinds if chance > 0.0]
    (J, W), T = seen.value.shape, len(at)
    covariances = [background(setting, both, both, seen.span) + inside * change for setting, inside, _ in kinds]
    noises, logs, gains = [seen.variance(setting) for setting, *_ in kinds], [], []
    for K, noise, (*_, chance) in zip(covariances, noises, kinds, strict=True):
        C = K[:J, :J] + noise[:, :, None] * np.eye(J)
        right = np.concatenate([np.broadcast_to(K[:J, J:], (W, J, T)), seen.value.T[:, :, None]], axis=2)
        solved = np.linalg.solve(C, right)
        square = np.einsum("jw,wj->w", seen.value, solved[:, :, T])
        logs.append(np.log(chance) - 0.5 * (np.linalg.slogdet(C)[1] + square))
        gains.append(solved[:, :, :T])
    chances = np.exp(logs - logsumexp(logs, axis=0))  # (kinds, W)
    kind = (rng.random((n, 1, W)) > np.cumsum(chances, axis=0)[:-1]).sum(axis=1)  # (n, W)
    found = np.empty((n, W, T))
    for which, (K, noise, gain) in enumerate(zip(covariances, noises, gains, strict=True)):
        prior = rng.standard_normal((n, W, J + T)) @ root(K).T
        residual = seen.value.T - prior[:, :, :J] - np.sqrt(noise) * rng.standard_normal((n, W, J))
        drawn = prior[:, :, J:] + np.einsum("nwj,wjt->nwt", residual, gain)
        np.copyto(found, drawn, where=(kind == which)[:, :, None])
    return found.swapaxes(1, 2)


def shortest_interval(times: Floats, chance: Floats, level: float) -> tuple[float, float]:
    """The shortest interval of the given times that has this probability.   chance : (n,), sums to 1"""
    total = np.concatenate([[0.0], np.cumsum(chance)])
    last = np.searchsorted(total, total[:-1] + level * total[-1] - 1e-12)  # (n,) ends, n + 1 for none
    fits: Ints = np.flatnonzero(last < len(total))
    best = fits[np.argmin(times[last[fits] - 1] - times[fits])]
    return float(times[best]), float(times[last[best] - 1])


__all__ = ["Observed", "Weights", "draw", "shortest_interval", "weigh"]
