"""What the tests of several modules share is imported from this folder."""

import signal
import sys
from pathlib import Path

import numba
import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("unhurried", deadline=None)  # no test depends on a clock
settings.load_profile("unhurried")


@pytest.fixture
def one_thread():
    """Compiled loops on one thread: on small arrays two threads mostly wait for each other."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before)


@pytest.fixture
def ctrl_c():
    """Ctrl-C as a program has it, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
