"""What the figures were taken on and with."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("chronotope", "numba", "numpy", "scipy", "scikit-learn", "tomotopy", "topica", "gensim")


def describe_machine(threads: int) -> dict[str, Any]:
    """Cores and processor, versions, date."""
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "threads": threads,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def _version(name: str) -> str:
    if name == "chronotope":
        from chronotope import __version__

        return __version__
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
