"""How loops are compiled, and how one hears of it."""

from contextlib import nullcontext

import numba
import numpy as np
import pytest

from chronotope.inference import loop as _library  # noqa: F401
from chronotope.loops import LOOPS, cache_folder, inlined, inner, on_compile, outer
from chronotope.loops import compiled as module


def total(x):
    result = 0.0
    for v in x:
        result += v
    return result


@pytest.fixture(autouse=True)
def _loops_of_its_own(monkeypatch):
    monkeypatch.setattr(module, "LOOPS", [])


@pytest.mark.parametrize("decorate", [inner(), inlined])
def test_a_loop_is_a_part_of_those_that_call_it_and_python_can_call_it_too(decorate):
    part = decorate(total)

    @numba.njit
    def whole(x):
        return 2.0 * part(x)

    assert whole(np.arange(4.0)) == 12.0
    assert part(np.arange(4.0)) == 6.0


def test_one_hears_of_each_version_that_is_compiled_while_one_listens():
    heard, loop = [], numba.njit(total)
    with on_compile(heard.append):
        for x in (np.ones(2), np.zeros(3), np.ones(2, np.float32)):
            loop(x)
    loop(np.ones(2, int))
    assert heard.count("total") == 2


def test_without_a_folder_for_a_cache_loops_are_compiled_all_the_same(monkeypatch):
    def compiled(**options):
        if options.pop("cache", False):
            raise RuntimeError("no locator available")
        return numba.njit(**options)

    monkeypatch.setattr(module, "compiled", compiled)
    monkeypatch.setattr(module, "spare_cache", nullcontext)
    loop = outer()(total)
    assert loop(np.arange(4.0)) == 6.0
    assert [loop] == module.LOOPS
    assert cache_folder() is None


def test_all_loops_of_the_library_are_in_one_cache():
    assert LOOPS
    assert all(loop.stats.cache_path for loop in LOOPS)
