"""Fits after a fork, and fits on several threads of one program, whatever numba's own threads are made of."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

PROGRAM = """
import multiprocessing, os, sys, threading
import numpy as np
import chronotope as ct

rng = np.random.default_rng(0)
corpus = ct.Corpus(rng.poisson(0.5, (60, 30)), np.repeat(np.arange(12.0), 5))

def fit(seed=0):
    return float(ct.DynamicTopicModel(2, seed=seed, max_epochs=3, verbose=False, n_threads=2).fit(corpus).bounds_[-1])

if __name__ == "__main__":
    found, threads = [fit()], []
    if sys.argv[1] == "threads":
        threads = [threading.Thread(target=lambda: found.append(fit())) for _ in range(3)]
    for thread in threads:
        thread.start()
    if sys.argv[1] == "pool":
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found += pool.map(fit, [0, 0, 0])
    if sys.argv[1] == "fork within a fit":
        thread = threading.Thread(target=lambda: [fit() for _ in range(20)])
        thread.start()
        for _ in range(3):
            child = multiprocessing.get_context("fork").Process(target=fit)
            child.start()
            child.join()
            assert child.exitcode == 0
        thread.join()
    for thread in threads:
        thread.join()
    print(len(found), len(set(found)))
"""


@pytest.mark.slow
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.parametrize(("how", "fits"), [("pool", 4), ("threads", 4), ("fork within a fit", 1)])
def test_fits_after_a_fork_and_on_several_threads_end_the_same(how: str, fits: int) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_THREADING_LAYER": "workqueue"}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, f"{fits} 1\n"), ended.stderr
