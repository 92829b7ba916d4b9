"""Tasks of compiled loops on several threads."""

import multiprocessing
import threading

import numpy as np
import pytest

from chronotope.loops import available_threads, run_loop, threads


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 17])
def test_every_task_is_run_once_whatever_the_number_of_threads(width, n):
    done = np.zeros(n, int)

    def loop(first, last, out):
        out[first:last] += 1

    with threads(width):
        run_loop(loop, n, done)
    assert (done == 1).all()


def test_ranges_run_on_threads_of_their_own():
    both = threading.Barrier(2, timeout=60)  # neither passes before the other has come
    with threads(2):
        run_loop(lambda first, last: both.wait(), 2)


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_is_raised_after_all_threads_have_ended(failing):
    ended = []

    def loop(first, last):
        ended.append(first)
        if first == failing:
            raise ValueError("a loop failed")

    with threads(2), pytest.raises(ValueError, match="a loop failed"):
        run_loop(loop, 2)
    assert sorted(ended) == [0, 1]


def test_the_number_of_threads_is_given_back_and_never_above_that_of_the_cores():
    before = available_threads()
    with threads(1):
        assert available_threads() == 1
        with threads(10**6):
            assert available_threads() == before
    assert available_threads() == before


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_forked_process_starts_threads_of_its_own():
    with threads(2):
        run_loop(lambda first, last: None, 2)
        child = multiprocessing.get_context("fork").Process(target=run_loop, args=(lambda first, last: None, 2))
        child.start()
        child.join(60)
    assert child.exitcode == 0
