"""Exponentials and logarithms of arrays in single precision, vectorised.

The compiler vectorises loops over sums and products (SIMD), but not loops that call `math.exp`.
These polynomials (coefficients of the Cephes library, S. Moshier) are accurate to the last digits of single precision.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from chronotope._typing import Array
from chronotope.loops import FAST, inner

LOWEST, HIGHEST = np.float32(-87.0), np.float32(88.0)  # range of exponents in single precision
PER_OCTAVE, OCTAVE_HIGH, OCTAVE_LOW = np.float32(1.44269504), np.float32(0.693359375), np.float32(-2.12194440e-4)
OCTAVE, HALF_OCTAVE_DOWN = np.float32(0.69314718), np.float32(0.70710678)
EXP = tuple(
    np.float32(c)
    for c in (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
)
LOG = tuple(
    np.float32(c)
    for c in (
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    )
)


def _to_float(_: Any, bits: Any) -> Any:
    """The single-precision number with the given 32 bits."""
    return types.float32(bits), lambda _, builder, __, args: builder.bitcast(args[0], ir.FloatType())


def _to_bits(_: Any, number: Any) -> Any:
    """The 32 bits of a single-precision number."""
    return types.int32(number), lambda _, builder, __, args: builder.bitcast(args[0], ir.IntType(32))


_as_float: Any = intrinsic(_to_float)
_as_bits: Any = intrinsic(_to_bits)


@inner(fastmath={"contract"})
def exponentials(x: Array) -> None:
    """x ← exp(x), x clipped to −87 and 88.   x : (n,), updated

    exp(x) = 2^i exp(r),   i = round(x / log 2),   |r| ≤ log(2)/2;  double precision uses `math.exp`
    """
    if x.itemsize != 4:
        for j in range(len(x)):
            x[j] = math.exp(x[j])
        return
    for j in range(len(x)):
        y = min(max(np.float32(x[j]), LOWEST), HIGHEST)
        i = np.floor(y * PER_OCTAVE + np.float32(0.5))
        r = y - i * OCTAVE_HIGH - i * OCTAVE_LOW
        p = ((((EXP[0] * r + EXP[1]) * r + EXP[2]) * r + EXP[3]) * r + EXP[4]) * r + EXP[5]
        power = _as_float(np.int32((np.int32(i) + np.int32(127)) << np.int32(23)))
        x[j] = (p * r * r + r + np.float32(1.0)) * power


@inner(fastmath={"contract"})
def entropies(x: Array) -> None:
    """x ← −x log x, 0 where x is 0.   x : (n,) float32, not negative, updated

    log x = i log 2 + log f,   x = 2^i f,   ½ ≤ f² ≤ 2
    """
    for j in range(len(x)):
        bits = _as_bits(x[j])
        f = _as_float(np.int32((bits & np.int32(0x007FFFFF)) | np.int32(0x3F000000)))
        i = np.float32((bits >> np.int32(23)) - np.int32(126))
        low = np.float32(f < HALF_OCTAVE_DOWN)
        i -= low
        f += low * f - np.float32(1.0)
        p = ((((LOG[0] * f + LOG[1]) * f + LOG[2]) * f + LOG[3]) * f + LOG[4]) * f + LOG[5]
        p = ((p * f + LOG[6]) * f + LOG[7]) * f + LOG[8]
        square = f * f
        x[j] *= -(p * f * square - np.float32(0.5) * square + f + i * OCTAVE)


@inner(fastmath=FAST)
def sum_between(x: Array, first: int, last: int) -> Any:
    """Σ x_j from first to last, not included.

    A loop of its own: its rounding depends on their number alone, not on where other arrays lie in memory.
    """
    total = x.dtype.type(0.0)
    for j in range(first, last):
        total += x[j]
    return total
