"""Long tests of fits on a cluster: `make test-cluster`."""

from __future__ import annotations

import os
import threading
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from clusters import kills, worker_pids
from interrupted import assert_same

import chronotope as ct
from chronotope.cluster import connect

FITS, KILLS = 10, 5  # each fit is hit so often


@pytest.fixture(scope="module")
def speeches() -> ct.Corpus:
    """The State of the Union."""
    return ct.datasets.state_of_the_union()


def options(number: int) -> dict[str, Any]:
    """A whole corpus and minibatches in turn, with other kernels and seeds."""
    kernel = ("constant + ou", "constant + matern32", "se")[number % 3]
    batch = None if number % 2 else 400
    return {"n_topics": 5, "kernel": kernel, "batch_size": batch, "max_epochs": 8, "seed": number, "verbose": False}


@pytest.mark.long
@pytest.mark.parametrize("number", range(FITS))
def test_five_kills_in_a_fit_change_nothing(speeches, number):
    alone = ct.DynamicTopicModel(**options(number)).fit(speeches)
    with connect("local:2") as client:
        with kills(client, KILLS, 1.5) as killed:
            spread = ct.DynamicTopicModel(**options(number), engine=client).fit(speeches)
        pids = {*killed, *worker_pids(client)}
    assert len(killed) == KILLS
    assert_same(spread, alone)
    assert not [pid for pid in pids if os.path.exists(f"/proc/{pid}")]


@pytest.mark.long
@pytest.mark.parametrize("batch", [None, 500])
def test_any_number_of_workers_gives_the_same_bits(speeches, batch):
    given = {"n_topics": 10, "batch_size": batch, "max_epochs": 14, "verbose": False}
    alone = ct.DynamicTopicModel(**given).fit(speeches)
    for n in (1, 2, 4):
        with connect(f"local:{n}") as client:
            spread = ct.DynamicTopicModel(**given, engine=client).fit(speeches)
            assert_same(spread, alone)
            np.testing.assert_array_equal(spread.transform(speeches), alone.transform(speeches))


@pytest.mark.long
def test_workers_that_leave_and_join_change_nothing(speeches):
    given = {"n_topics": 5, "batch_size": 400, "max_epochs": 12, "verbose": False}
    alone, done = ct.DynamicTopicModel(**given).fit(speeches), threading.Event()
    with connect("local:2") as client:
        mover = threading.Thread(target=come_and_go, args=(client, done))
        mover.start()
        try:
            spread = ct.DynamicTopicModel(**given, engine=client).fit(speeches)
        finally:
            done.set()
            mover.join()
    assert_same(spread, alone)


def come_and_go(client: Any, done: threading.Event) -> None:
    """One, three, two workers in turn."""
    numbers = cycle([1, 3, 2])
    while not done.wait(1.5):
        client.cluster.scale(next(numbers))
