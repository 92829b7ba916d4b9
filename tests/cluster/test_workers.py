"""Calls on the workers of a real cluster: order, errors, workers that die, and what is left behind."""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from clusters import add, die, die_at_first, double, fail

from chronotope.cluster import ClusterLost, connect
from chronotope.cluster.workers import Workers, check_client, size_of


def left_on(client: Any) -> int:
    """Tasks that the scheduler still knows; those that are being released do not count."""
    for _ in range(50):
        tasks = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        if not tasks:
            break
        time.sleep(0.1)
    return int(tasks)


def test_results_are_in_the_order_of_the_calls_and_nothing_is_left_behind(client):
    workers = Workers(client)
    assert list(workers.map(double, ((i,) for i in range(20)))) == [2 * i for i in range(20)]
    assert workers.calls == 20
    assert left_on(client) == 0


FREED = """
import numpy as np
from chronotope.cluster.workers import free_arrays_at_once
free_arrays_at_once()
big = [np.ones(2**20) for _ in range(2)]  # glibc alone would now keep the places of arrays of this size
del big
arrays, small = [], []
for _ in range(20):
    arrays.append(np.ones(2**20))
    small.append(bytes(100_000))
del arrays
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS")) // 1024)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="about memory that glibc keeps")
def test_large_arrays_leave_memory_once_they_are_free():
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 160  # megabytes; with the arrays it is 160 more


def test_an_error_in_a_call_ends_with_that_error(client):
    for error in (KeyError, FileNotFoundError, TimeoutError):
        with pytest.raises(error, match="number 3"):
            list(Workers(client).map(fail, [(3, error)]))
    assert left_on(client) == 0


def test_a_shared_value_is_given_to_every_call(client):
    workers = Workers(client)
    shared = workers.share(np.arange(4.0))
    assert list(workers.map(add, [(i, shared) for i in range(3)])) == [6.0, 7.0, 8.0]


def test_bytes_of_arrays_are_counted(client):
    workers = Workers(client)
    list(workers.map(add, [(1, np.zeros(100))]))
    assert workers.sent == 800
    assert size_of(({"a": np.zeros(3, np.float32)}, [b"12", 5], None)) == 14


@pytest.mark.slow
def test_calls_whose_workers_are_killed_run_again(tmp_path):
    with connect("local:2") as client:
        assert list(Workers(client).map(die_at_first, [(i, str(tmp_path)) for i in range(4)])) == [0, 1, 2, 3]


@pytest.mark.slow
def test_a_call_that_always_kills_its_worker_ends_with_a_sentence():
    with connect("local:1") as client, pytest.raises(ClusterLost, match=r"workers in a row died .* more of it"):
        list(Workers(client).map(die, [(1,)]))


@pytest.mark.slow
def test_a_cluster_without_workers_is_waited_for_and_then_given_up():
    with connect("local:1") as client:
        client.cluster.scale(0)
        while client.scheduler_info(n_workers=-1)["workers"]:
            time.sleep(0.05)
        with pytest.raises(ClusterLost, match="no workers for 1 seconds; start some"):
            list(Workers(client, patience=1.0).map(double, [(1,)]))


@pytest.mark.slow
def test_a_scheduler_that_is_gone_is_said():
    with connect("local:1") as client:
        client.cluster.close()
        with pytest.raises(ClusterLost, match="the scheduler of the cluster is gone"):
            list(Workers(client).map(double, [(1,)]))


@pytest.mark.parametrize(("held", "other"), [("'0.0.0'", "Chronotope 0.0.0"), ("''", "no Chronotope")])
def test_a_worker_of_another_version_is_refused(client, monkeypatch, held, other):
    monkeypatch.setattr("chronotope.cluster.workers.VERSION", held)
    with pytest.raises(ClusterLost, match=f"the worker at tcp://.* has {other}; install version .* there"):
        list(Workers(client).map(double, [(1,)]))


def test_an_engine_that_is_no_client_is_refused():
    with pytest.raises(ValueError, match="engine is 'local:2'; expected a Client of dask"):
        check_client("local:2")


@pytest.mark.parametrize("address", ["local:", "local:none", "local:0", "somewhere", "./nothing.json"])
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(ValueError, match=r"the cluster is .* expected tcp"), connect(address):
        pass


def test_a_scheduler_that_does_not_answer_is_said(monkeypatch):
    monkeypatch.setattr("chronotope.cluster.clients.SECONDS", 1.0)
    said = r"no Dask scheduler answers at 'tcp://127\.0"
    with pytest.raises(ConnectionError, match=said), connect("tcp://127.0.0.1:9"):
        pass
