"""Compiled loops: how they are compiled, and how they run on several threads."""

from chronotope.loops.compiled import FAST, LOOPS, cache_folder, inlined, inner, on_compile, outer
from chronotope.loops.tasks import available_threads, run_loop, threads

__all__ = [
    "FAST",
    "LOOPS",
    "available_threads",
    "cache_folder",
    "inlined",
    "inner",
    "on_compile",
    "outer",
    "run_loop",
    "threads",
]
