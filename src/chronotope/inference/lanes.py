"""Products and sums of eight numbers at a time, in single precision.

The compiler vectorises long loops (SIMD), but a token has few topics: loops over 20 of them would run one by one. So
arrays over topics are padded with zeros to a multiple of eight, and these operations take eight of them at once. The
order of every sum is fixed, so results do not depend on the machine.

Arrays are one-dimensional and contiguous; j is the first of the eight numbers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 8
VECTOR = ir.VectorType(ir.FloatType(), LANES)


def padded(n: int) -> int:
    """The multiple of eight that n numbers fill."""
    return -(-n // LANES) * LANES


def _place(context: Any, builder: Any, kind: Any, array: Any, j: Any) -> Any:
    """Pointer to the eight numbers of an array from j on."""
    data = context.make_array(kind)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [j]), VECTOR.as_pointer())


def _load(context: Any, builder: Any, kind: Any, array: Any, j: Any) -> Any:
    return builder.load(_place(context, builder, kind, array, j), align=4)


def _fill(builder: Any, number: Any) -> Any:
    """Eight times the same number."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), mask)


def _sum(builder: Any, vector: Any) -> Any:
    """Sum of the eight numbers: of halves, then of halves of these."""
    n = LANES
    while n > 1:
        n //= 2
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [(i + n) % LANES for i in range(LANES)])
        vector = builder.fadd(vector, builder.shuffle_vector(vector, ir.Constant(VECTOR, ir.Undefined), mask))
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


def _dot(_: Any, a: Any, b: Any, j: Any) -> Any:
    """Σ_l a_{j+l} b_{j+l} over the eight."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x, y = (_load(context, builder, signature.args[i], args[i], args[2]) for i in (0, 1))
        return _sum(builder, builder.fmul(x, y))

    return types.float32(a, b, types.intp), generate


def _add_product(_: Any, target: Any, a: Any, b: Any, size: Any, j: Any) -> Any:
    """target_{j+l} += size · a_{j+l} b_{j+l} for each of the eight."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x, y = (_load(context, builder, signature.args[i], args[i], args[4]) for i in (1, 2))
        place = _place(context, builder, signature.args[0], args[0], args[4])
        change = builder.fmul(builder.fmul(x, y), _fill(builder, args[3]))
        builder.store(builder.fadd(builder.load(place, align=4), change), place, align=4)
        return context.get_dummy_value()

    return types.void(target, a, b, types.float32, types.intp), generate


def _add_scaled(_: Any, target: Any, a: Any, size: Any, j: Any) -> Any:
    """target_{j+l} += size · a_{j+l} for each of the eight."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x = _load(context, builder, signature.args[1], args[1], args[3])
        place = _place(context, builder, signature.args[0], args[0], args[3])
        change = builder.fmul(x, _fill(builder, args[2]))
        builder.store(builder.fadd(builder.load(place, align=4), change), place, align=4)
        return context.get_dummy_value()

    return types.void(target, a, types.float32, types.intp), generate


def _mix(_: Any, target: Any, a: Any, b: Any, wa: Any, wb: Any, j: Any) -> Any:
    """target_{j+l} = wa a_{j+l} + wb b_{j+l} for each of the eight."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x, y = (_load(context, builder, signature.args[i], args[i], args[5]) for i in (1, 2))
        mixed = builder.fadd(builder.fmul(x, _fill(builder, args[3])), builder.fmul(y, _fill(builder, args[4])))
        builder.store(mixed, _place(context, builder, signature.args[0], args[0], args[5]), align=4)
        return context.get_dummy_value()

    return types.void(target, a, b, types.float32, types.float32, types.intp), generate


dot: Any = intrinsic(_dot)
add_product: Any = intrinsic(_add_product)
add_scaled: Any = intrinsic(_add_scaled)
mix: Any = intrinsic(_mix)
