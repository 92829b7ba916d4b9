"""Clients of Dask clusters: of one that is running, by its address, or of one that is started on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chronotope.cluster.workers import INSTALL

LOCAL = "local:"  # before the number of workers of a cluster on this machine
SECONDS = 30.0  # to wait for a scheduler to answer
EXPECTED = "expected tcp://host:8786, a scheduler file, or local:4 for four workers on this machine."


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A client of a Dask cluster, closed in the end.

    address : str; "tcp://host:8786", the path of a scheduler file, or "local:4" to start four workers of one thread
        each on this machine, which are stopped in the end
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ImportError(INSTALL) from None
    if address.startswith(LOCAL):
        options: dict[str, Any] = {"n_workers": _workers(address), "threads_per_worker": 1, "processes": True}
        options |= {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}
        options |= {"preload": "chronotope.cluster.patient"}
        with LocalCluster(**options) as cluster, Client(cluster, set_as_default=False) as client:
            yield client
        return
    where = {"scheduler_file": address} if Path(address).is_file() else {"address": _checked(address)}
    try:
        client = Client(**where, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConnectionError(f"no Dask scheduler answers at {address!r} ({error}); is it running?") from None
    with client:
        yield client


def _workers(address: str) -> int:
    """The number of workers of a cluster on this machine."""
    number = address.removeprefix(LOCAL)
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise ValueError(f"the cluster is {address!r}; {EXPECTED}")
    return int(number)


def _checked(address: str) -> str:
    """An address; refused if it is neither that of a host nor a file."""
    if ":" not in address or os.sep in address.partition("://")[0]:
        raise ValueError(f"the cluster is {address!r}, which is no address and no file; {EXPECTED}")
    return address
