"""What the tests of several modules share is imported from this folder."""

import atexit
import os
import secrets
import shutil
import signal
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def writable(folder: Path) -> bool:
    """Whether this folder can be written to, or made."""
    return os.access(next(path for path in (folder, *folder.parents) if path.exists()), os.W_OK | os.X_OK)


def spare_folder(variable: str, usual: Path) -> None:
    """Name a temporary folder in the environment if it names none and the usual one cannot be written to."""
    if variable not in os.environ and not writable(usual):
        os.environ[variable] = tempfile.mkdtemp(prefix="chronotope-")
        atexit.register(shutil.rmtree, os.environ[variable], ignore_errors=True)


# before numba and matplotlib are imported, here and in every process that a test starts
os.environ.setdefault("NUMBA_NUM_THREADS", "2")  # one thread is compared with two on any number of cores
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that wait leave their core to other processes
spare_folder("NUMBA_CACHE_DIR", HERE.parent / "src" / "chronotope" / "inference" / "__pycache__")
spare_folder("MPLCONFIGDIR", Path(os.path.expanduser("~")) / ".config")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from chronotope.loops import threads  # noqa: E402

settings.register_profile("unhurried", deadline=None)  # no test depends on a clock
settings.load_profile("unhurried")


@pytest.fixture
def one_thread():
    """Compiled loops on one thread: on small arrays two threads mostly wait for each other."""
    with threads(1):
        yield


@pytest.fixture
def drawn_seed():
    """A seed drawn anew for every run and shown if the test fails; CHRONOTOPE_TEST_SEED=... gives the same again."""
    seed = int(os.environ.get("CHRONOTOPE_TEST_SEED") or secrets.randbits(32))
    print(f"to run it again: CHRONOTOPE_TEST_SEED={seed}")
    return seed


@pytest.fixture
def ctrl_c():
    """Ctrl-C as a program has it, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_make_parametrize_id(val, argname):
    """Bytes are called by their argument: a compressed file holds the time, and ids are the same in every process."""
    return argname if isinstance(val, bytes) else None
