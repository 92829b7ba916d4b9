"""Loaded by the workers of a cluster on this machine: Ctrl-C is for the process that started them, which stops them."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Called by Dask when a worker starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
