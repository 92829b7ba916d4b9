"""How loops are compiled, and how one hears of it.

An outer loop is called from Python and kept in numba's cache. The code of the loops that it calls becomes a part of it:
inner ones are compiled by themselves first, with floating-point rules of their own; inlined ones only as a part of it,
with its rules. Neither needs an entry for Python or a file in the cache, which would be most of their cost.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from numba import njit
from numba.core import event
from numba.extending import register_jitable

from chronotope.loops.kept import seal_files, spare_cache

LOOPS: list[Any] = []  # the outer loops of all modules that are loaded
FAST = {"reassoc", "contract"}  # `fastmath` of sums that may be vectorised
SHARED = {"error_model": "numpy", "no_cfunc_wrapper": True}  # without a branch at each division, loops vectorise

compiled: Any = njit  # with options that its types do not know
F = TypeVar("F", bound=Callable[..., Any])


def outer(**options: Any) -> Callable[[F], F]:
    """A loop that Python calls, on several threads by `run_loop`.   options : of `numba.njit`."""

    def decorate(function: F) -> F:
        given = {"nogil": True, **SHARED, **options}
        try:
            loop = _kept(function, given)
        except (RuntimeError, OSError):  # not even a temporary folder can be written to
            loop = compiled(**given)(function)
        LOOPS.append(loop)
        return loop

    return decorate


def _kept(function: F, options: dict[str, Any]) -> F:
    """A loop in numba's cache."""
    try:
        loop: F = compiled(cache=True, **options)(function)
    except RuntimeError:  # numba finds no folder that can be written to
        with spare_cache():
            loop = compiled(cache=True, **options)(function)
    seal_files(loop)
    return loop


def inner(**options: Any) -> Callable[[F], F]:
    """A loop that other loops call; in Python it is the function itself.   options : of `numba.njit`."""
    decorate: Callable[[F], F] = register_jitable(**SHARED, **options)
    return decorate


def inlined(function: F) -> F:
    """A loop that is compiled only as a part of others; Python calls it by itself in tests."""
    loop: F = compiled(inline="always")(function)
    return loop


def on_compile(tell: Callable[[str], None]) -> AbstractContextManager[None]:
    """Call `tell` with the name of each function whose compilation starts; what is in the cache is not compiled."""
    heard: AbstractContextManager[None] = event.install_listener("numba:compile", _Listener(tell))
    return heard


def cache_folder() -> str | None:
    """The folder of the cache: beside the source files, else the user's, else a temporary one; None without any."""
    folders = [loop.stats.cache_path for loop in LOOPS]
    return os.path.commonpath(folders) if folders and all(folders) else None


class _Listener(event.Listener):
    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell

    def on_start(self, event: Any) -> None:
        self.tell(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event: Any) -> None:
        """Its start is enough."""
