from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from chronotope.cluster import connect


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A cluster of two processes on this machine."""
    with connect("local:2") as found:
        yield found
