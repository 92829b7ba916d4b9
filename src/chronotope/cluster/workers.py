"""Functions called on the workers of a Dask cluster, with results in the order of the calls.

A call is a function of plain values, and gives the same result wherever and however often it runs. What it needs is
sent with it, so that the scheduler can send it again: a worker that dies, leaves or joins changes only the time.
"""

from __future__ import annotations

import ctypes
import logging
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from chronotope._version import __version__
from chronotope.loops import threads

R = TypeVar("R")

logger = logging.getLogger(__name__)
LOGGED = "%d calls, %d bytes sent, %d received: %s, %.3f s"

INSTALL = 'a cluster needs the package distributed; pip install "chronotope[cluster]".'
PATIENCE = 120.0  # seconds that a cluster may be without workers
LOOK = 2.0  # seconds between two looks at it
VERSION = "vars(__import__('importlib').import_module('chronotope._version'))['__version__'] if __import__('importlib')"
VERSION += ".util.find_spec('chronotope') else ''"  # evaluated by a worker that may not have this module
AHEAD, FEWEST_AHEAD = 3, 6  # calls that are sent before their results are needed: for each worker, and at least
M_MMAP_THRESHOLD, LARGE = -3, 1 << 20  # glibc's setting: bytes from which on memory is mapped for each array
TRIES = 3  # times that a call is sent again after the scheduler has given it up, with several workers lost each time


class ClusterLost(ConnectionError):
    """A cluster can no longer be used: its scheduler is gone, or it has no workers."""


class Workers:
    """The workers of a cluster.

    sent, received : bytes of arrays in calls and in results so far;  calls : number of calls so far
    """

    def __init__(self, client: Any, patience: float = PATIENCE) -> None:
        """client : distributed.Client;  patience : seconds that the cluster may be without workers."""
        free_arrays_at_once()
        self.client, self.patience, self._checked = client, patience, False
        self.sent = self.received = self.calls = 0

    def __len__(self) -> int:
        return len(self._known())

    def map(self, function: Callable[..., R], calls: Iterable[tuple[Any, ...]]) -> Iterator[R]:
        """function(*call) for every call, on the workers; results are in the order of the calls.

        An error in a call ends it with that error; ClusterLost if the cluster cannot be used any more. In the end
        nothing of the calls is left on the cluster, also after an interruption. Calls and bytes are logged (INFO).
        """
        self.check()
        name, start = f"{function.__name__}-{uuid4().hex}", time.monotonic()
        before, ahead = (self.calls, self.sent, self.received), max(FEWEST_AHEAD, AHEAD * len(self))
        waiting = deque[tuple[Any, tuple[Any, ...]]]()
        try:
            for i, call in enumerate(calls):
                waiting.append((self._sent(f"{name}-{i}", function, call), call))
                if len(waiting) >= ahead:
                    yield self._first_result(waiting, function)
            while waiting:
                yield self._first_result(waiting, function)
            done = [now - then for now, then in zip((self.calls, self.sent, self.received), before, strict=True)]
            logger.info(LOGGED, *done, function.__name__, time.monotonic() - start)
        finally:
            with suppress(Exception):
                self.client.cancel([future for future, _ in waiting], force=True)

    def run_on_all(self, function: Callable[..., R], *given: Any) -> list[R]:
        """function(*given) on each of the present workers; the first error is raised."""
        self.check()
        return list(self._on_all(run_call, function, *given).values())

    def check(self) -> None:
        """Refuse, once, workers that have no Chronotope or another version; waits for the first worker.

        A worker without it would leave the cluster at every call, and no error would say why.
        """
        if self._checked:
            return
        self._await_some()
        for address, version in self._on_all(eval, VERSION).items():
            if version != __version__:
                other = f"Chronotope {version}" if version else "no Chronotope"
                raise ClusterLost(f"the worker at {address} has {other}; install version {__version__} there.")
        self._checked = True

    def _on_all(self, function: Callable[..., R], *given: Any) -> dict[str, R]:
        """function(*given) on each worker, by its address; those that leave meanwhile are left out."""
        from distributed.comm.core import CommClosedError

        with self._said_if_lost():
            found = self.client.run(function, *given, on_error="return")
        for result in found.values():
            if isinstance(result, Exception) and not isinstance(result, CommClosedError):
                raise result
        return {address: result for address, result in found.items() if not isinstance(result, CommClosedError)}

    def share(self, value: Any) -> Any:
        """A value for several calls, sent once to each worker that needs it; pass what is returned in their place."""
        self.sent += size_of(value)
        with self._said_if_lost():
            return self._submit(f"shared-{uuid4().hex}", _same, (value,))

    def _sent(self, key: str, function: Callable[..., R], call: tuple[Any, ...]) -> Any:
        """The future of a call that is sent for the first time."""
        self.sent, self.calls = self.sent + size_of(call), self.calls + 1
        with self._said_if_lost():
            return self._submit(key, function, call)

    def _submit(self, key: str, function: Callable[..., R], call: tuple[Any, ...]) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")  # arrays are meant to be sent with calls
            return self.client.submit(run_call, function, *call, pure=False, key=key)

    def _first_result(self, waiting: deque[tuple[Any, tuple[Any, ...]]], function: Callable[..., R]) -> R:
        """The result of the first call that is waited for, which is then no more.

        A call is sent again if the scheduler has given it up because workers died.
        """
        from distributed import KilledWorker

        for left in reversed(range(TRIES)):
            future, call = waiting[0]
            try:
                found: R = self._waited(future)
            except KilledWorker as error:
                if not left:
                    raise ClusterLost(
                        f"{TRIES} times several workers in a row died while they worked on {function.__name__}, "
                        "probably for lack of memory; give workers more of it, or make batches smaller."
                    ) from error
                waiting[0] = self._submit(f"{function.__name__}-{uuid4().hex}", function, call), call
            else:
                break
        waiting.popleft()
        self.received += size_of(found)
        return found

    def _waited(self, future: Any) -> Any:
        """The result of a future, or the error of its call. While there is none, the cluster is looked at."""
        while not future.done():
            with self._said_if_lost(), suppress(TimeoutError):
                future.exception(timeout=LOOK)  # returned, not raised
            if not future.done():
                self._await_some()
        if future.status == "error":
            raise future.exception().with_traceback(future.traceback())
        with self._said_if_lost():
            return future.result()

    def _await_some(self) -> None:
        """Return when there are workers; ClusterLost if there are none for too long."""
        until = time.monotonic() + self.patience
        while not len(self):
            if time.monotonic() > until:
                raise ClusterLost(f"the cluster has had no workers for {self.patience:.0f} seconds; start some.")
            time.sleep(min(LOOK, self.patience) / 4)

    def _known(self) -> Mapping[str, Any]:
        """The workers that the scheduler knows, by address."""
        with self._said_if_lost():
            if self.client.status != "running":
                raise CancelledError
            found: Mapping[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
            return found

    @contextmanager
    def _said_if_lost(self) -> Iterator[None]:
        """Errors of a connection that is gone become a sentence."""
        try:
            yield
        except (TimeoutError, ClusterLost):
            raise
        except Exception as error:
            raise ClusterLost(f"the scheduler of the cluster is gone ({type(error).__name__}).") from error


def free_arrays_at_once() -> None:
    """Let arrays of a megabyte or more leave the memory of this process as soon as they are free.

    The process that calls the workers also sends and receives: among its many small pieces of memory, the C library
    (glibc) would keep the places of large ones.
    """
    with suppress(AttributeError, OSError, TypeError):  # other C libraries have no such setting
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)


def run_call(function: Callable[..., R], *given: Any) -> R:
    """A call on a worker: on one thread, as there is a worker for each core."""
    with threads(1):
        return function(*given)


def _same(value: R) -> R:
    return value


def size_of(value: Any) -> int:
    """Bytes of the arrays and byte strings in a value, and in its tuples, lists and dictionaries."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, bytes | bytearray | memoryview):
        return len(value)
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    return sum(map(size_of, value)) if isinstance(value, list | tuple) else 0


def check_client(engine: Any) -> None:
    """Refuse an engine that is not a client, and any without the package for it."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(INSTALL) from None
    if not isinstance(engine, Client):
        raise ValueError(
            f"engine is {engine!r:.60}; expected a Client of dask.distributed, as Client('tcp://host:8786'), or None."
        )
