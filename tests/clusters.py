"""Clusters of this machine: workers that are killed, and calls for workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np


def worker_pids(client: Any) -> list[int]:
    """Processes of the workers of a cluster on this machine."""
    return [pid for worker in client.cluster.workers.values() if (pid := getattr(worker, "pid", None))]


@contextmanager
def kills(client: Any, number: int, pause: float) -> Iterator[list[int]]:
    """SIGKILL to a random worker now and then, so often in all; yields the list of those that were killed."""
    killed, done, rng = list[int](), threading.Event(), np.random.default_rng(number)

    def kill() -> None:
        while len(killed) < number and not done.wait(pause * rng.uniform(0.3, 1.7)):
            if pids := worker_pids(client):
                killed.append(int(rng.choice(pids)))
                os.kill(killed[-1], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        done.set()
        killer.join()


def double(x: int) -> int:
    time.sleep(0.02 * (x % 3))
    return 2 * x


def fail(x: int, error: type[Exception]) -> int:
    raise error(f"number {x}")


def die_at_first(x: int, folder: str) -> int:
    """Kill the worker the first time that a call runs."""
    marker = Path(folder) / str(x)
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def die(x: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def add(x: int, shared: np.ndarray) -> float:
    return float(x + shared.sum())
