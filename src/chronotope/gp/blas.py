"""Linear algebra on one thread."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401   loads the BLAS that compiled loops call, for `_thread_pools` to find
from threadpoolctl import ThreadpoolController


@cache
def _thread_pools() -> ThreadpoolController:
    """The thread pools of this process, looked up once: the search among its libraries takes longer than a step."""
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """BLAS on one thread: results must not depend on the number of threads, and small matrices are quicker on one."""
    limited: AbstractContextManager[Any] = _thread_pools().limit(limits=1, user_api="blas")
    return limited
