"""State-space forms of Markov kernels: f(τ) = H·x(τ), where the state x is a Gauss-Markov process over sorted times.

    x(t1) = A x(t0) + noise,   noise ~ N(0, Q),   cov x(t1) = A cov x(t0) Aᵀ + Q,   κ(t1, t0) = Hᵀ A cov x(t0) H

The process noise Q is computed without cancellation, so that it keeps its precision for short steps.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt
from scipy.special import gammainc

from chronotope._typing import Floats

FORGOTTEN = 1e4  # length scales after which e^−s is 0 in floating point


class StateSpace(ABC):
    """State-space model of a Markov kernel: measurement vector H (S,), transition A and process noise Q (n, S, S)."""

    H: Floats

    @property
    def size(self) -> int:
        """State size S."""
        return len(self.H)

    def covariance(self, t: npt.ArrayLike) -> Floats:
        """Prior covariance of the state at time t;  t : () or (n,).  Returns (S, S) or (n, S, S)."""
        t = np.asarray(t, dtype=np.float64)
        return self._covariance(t.reshape(-1)).reshape(*t.shape, self.size, self.size)

    def transition(self, t0: npt.ArrayLike, t1: npt.ArrayLike) -> Floats:
        """Transition matrices A from t0 to t1;  t0, t1 : (n,), t0 ≤ t1.  Returns (n, S, S)."""
        return self._transition(*_ordered(t0, t1))

    def noise(self, t0: npt.ArrayLike, t1: npt.ArrayLike) -> Floats:
        """Covariances Q of the process noise from t0 to t1;  t0, t1 : (n,), t0 ≤ t1.  Returns (n, S, S)."""
        return self._noise(*_ordered(t0, t1))

    @abstractmethod
    def _covariance(self, t: Floats) -> Floats: ...

    @abstractmethod
    def _transition(self, t0: Floats, t1: Floats) -> Floats: ...

    @abstractmethod
    def _noise(self, t0: Floats, t1: Floats) -> Floats: ...


class MaternSpace(StateSpace):
    """Matérn ν = S − ½; state f and its derivatives in the unit 1/λ, λ = √(2ν)/l, functions of s = λ (t1 − t0) alone.

    The drift F is the companion matrix of (1 + z)^S, so N = F + I is nilpotent, and with p(u) the last column of Σ_k,

        A = e^−s Σ_{k<S} N^k s^k / k!,     Q = q ∫_0^s e^−2u p(u) p(u)ᵀ du,     cov x = Q(s → ∞) with (cov x)_00 = σ²
    """

    def __init__(self, variance: float, length_scale: float, size: int) -> None:
        drift = np.eye(size, k=1)
        drift[-1] -= [math.comb(size, j) for j in range(size)]
        nilpotent = drift + np.eye(size)
        powers = [np.linalg.matrix_power(nilpotent, k) / math.factorial(k) for k in range(size)]
        self.H = np.eye(size)[0]
        self.rate = math.sqrt(2 * size - 1) / length_scale
        self.powers = np.stack(powers)  # (S, S, S), power of s first
        p = self.powers[:, :, -1].T  # (S, S), row i holds the coefficients of p_i
        outer = np.array([[np.convolve(p[i], p[j]) for j in range(size)] for i in range(size)])
        total = outer @ _moments(np.inf, 2 * size - 1)
        self.outer = outer * (variance / total[0, 0])  # (S, S, 2S − 1), q p pᵀ by power of u
        self.stationary = total * (variance / total[0, 0])

    def _elapsed(self, t0: Floats, t1: Floats) -> Floats:
        """s = λ (t1 − t0), at most FORGOTTEN, so that its powers do not overflow."""
        elapsed: Floats = np.minimum(self.rate * (t1 - t0), FORGOTTEN)
        return elapsed

    def _covariance(self, t: Floats) -> Floats:
        return np.tile(self.stationary, (len(t), 1, 1))

    def _transition(self, t0: Floats, t1: Floats) -> Floats:
        s = self._elapsed(t0, t1)
        polynomial = s[:, None] ** np.arange(self.size)  # (n, S)
        return np.tensordot(np.exp(-s)[:, None] * polynomial, self.powers, axes=1)

    def _noise(self, t0: Floats, t1: Floats) -> Floats:
        moments = _moments(self._elapsed(t0, t1), 2 * self.size - 1)
        return np.ascontiguousarray(np.moveaxis(self.outer @ moments, -1, 0))


class WienerSpace(StateSpace):
    """Two-sided Wiener process of variance c(t) = σ₀² + σ² |t − o|; state f itself.

    With m = o clipped to [t0, t1], a step runs towards the origin up to m and away from it after m:

        A = c(m) / c(t0),     Q = A σ² (m − t0) + σ² (t1 − m)
    """

    def __init__(self, variance: float, initial_variance: float, origin: float) -> None:
        self.H = np.ones(1)
        self.variance = variance
        self.initial_variance = initial_variance
        self.origin = origin

    def _variance_at(self, t: Floats) -> Floats:
        return self.initial_variance + self.variance * np.abs(t - self.origin)

    def _shrinkage(self, t0: Floats, middle: Floats) -> Floats:
        start, shrinkage = self._variance_at(t0), np.ones(len(t0))
        np.divide(self._variance_at(middle), start, out=shrinkage, where=start > 0)  # 1 at an origin of variance 0
        return shrinkage

    def _covariance(self, t: Floats) -> Floats:
        return self._variance_at(t)[:, None, None]

    def _transition(self, t0: Floats, t1: Floats) -> Floats:
        return self._shrinkage(t0, np.clip(self.origin, t0, t1))[:, None, None]

    def _noise(self, t0: Floats, t1: Floats) -> Floats:
        m = np.clip(self.origin, t0, t1)
        noise: Floats = self.variance * (self._shrinkage(t0, m) * (m - t0) + (t1 - m))
        return noise[:, None, None]


class LinearSpace(StateSpace):
    """A line through (o, 0); state f and its slope, A = [[1, t1 − t0], [0, 1]], Q = 0."""

    def __init__(self, variance: float, origin: float) -> None:
        self.H = np.array([1.0, 0.0])
        self.variance = variance
        self.origin = origin

    def _covariance(self, t: Floats) -> Floats:
        direction = np.stack([t - self.origin, np.ones(len(t))], axis=1)  # (n, 2)
        return self.variance * direction[:, :, None] * direction[:, None, :]

    def _transition(self, t0: Floats, t1: Floats) -> Floats:
        transition = np.tile(np.eye(2), (len(t0), 1, 1))
        transition[:, 0, 1] = t1 - t0
        return transition

    def _noise(self, t0: Floats, t1: Floats) -> Floats:
        return np.zeros((len(t0), 2, 2))


class ConstantSpace(StateSpace):
    """One value for all times; state f, A = 1, Q = 0."""

    def __init__(self, variance: float) -> None:
        self.H = np.ones(1)
        self.variance = variance

    def _covariance(self, t: Floats) -> Floats:
        return np.full((len(t), 1, 1), self.variance)

    def _transition(self, t0: Floats, t1: Floats) -> Floats:
        return np.ones((len(t0), 1, 1))

    def _noise(self, t0: Floats, t1: Floats) -> Floats:
        return np.zeros((len(t0), 1, 1))


class WhiteSpace(StateSpace):
    """Independent values at different times; state f, A = 1[t0 = t1], Q = σ² 1[t0 ≠ t1]."""

    def __init__(self, variance: float) -> None:
        self.H = np.ones(1)
        self.variance = variance

    def _covariance(self, t: Floats) -> Floats:
        return np.full((len(t), 1, 1), self.variance)

    def _transition(self, t0: Floats, t1: Floats) -> Floats:
        return np.equal(t0, t1).astype(np.float64)[:, None, None]

    def _noise(self, t0: Floats, t1: Floats) -> Floats:
        return self.variance * np.not_equal(t0, t1).astype(np.float64)[:, None, None]


class SumSpace(StateSpace):
    """Sum of kernels: states stacked; A, Q and covariance block diagonal."""

    def __init__(self, spaces: Sequence[StateSpace]) -> None:
        self.spaces = tuple(spaces)
        self.H = np.concatenate([space.H for space in spaces])

    def _covariance(self, t: Floats) -> Floats:
        return _block_diagonal([space._covariance(t) for space in self.spaces])

    def _transition(self, t0: Floats, t1: Floats) -> Floats:
        return _block_diagonal([space._transition(t0, t1) for space in self.spaces])

    def _noise(self, t0: Floats, t1: Floats) -> Floats:
        return _block_diagonal([space._noise(t0, t1) for space in self.spaces])


class ProductSpace(StateSpace):
    """Product of kernels: Kronecker products of H, A and covariance, and with Cᵢ = Aᵢ Pᵢ Aᵢᵀ, Pᵢ the covariance at t0,

    Q = C₁ ⊗ Q₂ + Q₁ ⊗ C₂ + Q₁ ⊗ Q₂
    """

    def __init__(self, spaces: Sequence[StateSpace]) -> None:
        self.spaces = tuple(spaces)
        self.H = reduce(np.multiply.outer, [space.H for space in spaces]).reshape(-1)

    def _covariance(self, t: Floats) -> Floats:
        return reduce(_kronecker, [space._covariance(t) for space in self.spaces])

    def _transition(self, t0: Floats, t1: Floats) -> Floats:
        return reduce(_kronecker, [space._transition(t0, t1) for space in self.spaces])

    def _noise(self, t0: Floats, t1: Floats) -> Floats:
        propagated = [_propagated(space, t0, t1) for space in self.spaces]
        noise = [space._noise(t0, t1) for space in self.spaces]
        C, Q = propagated[0], noise[0]
        for C2, Q2 in zip(propagated[1:], noise[1:], strict=True):
            C, Q = _kronecker(C, C2), _kronecker(C, Q2) + _kronecker(Q, C2) + _kronecker(Q, Q2)
        return Q


def _propagated(space: StateSpace, t0: Floats, t1: Floats) -> Floats:
    """Covariance propagated from t0 to t1 without noise, A cov x(t0) Aᵀ : (n, S, S)."""
    A = space._transition(t0, t1)
    propagated: Floats = A @ space._covariance(t0) @ A.transpose(0, 2, 1)
    return propagated


def _moments(s: npt.ArrayLike, n: int) -> Floats:
    """∫_0^s u^k e^−2u du = k! / 2^(k+1) · P(k + 1, 2s), P the regularised incomplete gamma function, for k < n."""
    scale = np.array([math.factorial(k) / 2.0 ** (k + 1) for k in range(n)])
    s = np.asarray(s, dtype=np.float64)
    moments: Floats = np.stack([scale[k] * gammainc(k + 1.0, 2.0 * s) for k in range(n)])
    return moments


def _kronecker(a: Floats, b: Floats) -> Floats:
    """Kronecker products of a stack;  a : (n, p, p), b : (n, q, q).  Returns (n, pq, pq)."""
    size = a.shape[1] * b.shape[1]
    product: Floats = np.einsum("nij,nkl->nikjl", a, b).reshape(len(a), size, size)
    return product


def _block_diagonal(blocks: Sequence[Floats]) -> Floats:
    """Block diagonal matrices of a stack;  blocks : (n, p, p), (n, q, q), ...  Returns (n, p + q + ..., same)."""
    size = sum(block.shape[1] for block in blocks)
    joined, start = np.zeros((len(blocks[0]), size, size)), 0
    for block in blocks:
        stop = start + block.shape[1]
        joined[:, start:stop, start:stop] = block
        start = stop
    return joined


def _ordered(t0: npt.ArrayLike, t1: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Start and end of every step as (n,) arrays; ValueError if a step runs backwards."""
    start, stop = np.broadcast_arrays(np.atleast_1d(np.asarray(t0, np.float64)), np.asarray(t1, np.float64))
    if start.ndim != 1 or not np.all(start <= stop):
        raise ValueError("a step runs backwards in time or times are not one-dimensional; pass sorted times, t0 ≤ t1.")
    return start, stop
