"""Inner loops as they are compiled: from Python, the plain function would be called."""

from numba import njit


def from_python(loop):
    """A compiled function that calls an inner loop."""

    @njit
    def call(*given):
        return loop(*given)

    return call
