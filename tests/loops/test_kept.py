"""Compiled loops are kept where that is possible, and a damaged file among them is made anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import chronotope
from chronotope.loops import LOOPS, kept
from chronotope.loops.kept import SealedFiles

# a loop of its own in a copy of the package
LOOP = """
from chronotope.loops import cache_folder, on_compile, outer

@outer()
def total(x):
    result = 0.0
    for v in x:
        result += v
    return result
"""
RUN = """
import warnings
import numpy as np

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from chronotope.loops import cache_folder, on_compile
    import chronotope.dates.looping as one, chronotope.kernels, chronotope.inference.lanes
compiled = []
with on_compile(compiled.append):
    assert one.total(np.arange(4.0)) == 6.0
print(compiled.count("total"), cache_folder(), [str(each.message) for each in caught])
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package without its cache."""
    source = Path(chronotope.__file__).parent
    shutil.copytree(source, tmp_path / "lib" / "chronotope", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "lib" / "chronotope" / "dates" / "looping.py").write_text(LOOP)
    return tmp_path / "lib"


def run(package: Path, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    return subprocess.run(
        [sys.executable, "-c", RUN],
        env=clean | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout.strip()


def test_all_loops_of_the_library_have_sealed_files() -> None:
    assert all(type(loop._cache._cache_file) is SealedFiles for loop in LOOPS if loop.stats.cache_path)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="what cannot be written to is arranged as on Linux")
def test_without_any_folder_a_temporary_one_is_used_with_one_warning(package: Path, tmp_path: Path) -> None:
    for folder in [path for path in package.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").write_bytes(b"")  # as if read-only, also for root
    place = tmp_path / "temporary"
    place.mkdir()
    environment = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache", "TMPDIR": str(place)}
    said = run(package, **environment)
    assert said.startswith(f"1 {place}/chronotope-loops-")
    assert said.count("Set NUMBA_CACHE_DIR to a folder") == 1
    assert run(package, **environment).startswith("0 ")  # the next process finds it
    [folder] = place.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)  # somebody else may have put code there
    assert run(package, **environment).startswith("1 ")
    assert len(list(place.iterdir())) == 2


@pytest.mark.slow
def test_a_damaged_file_is_made_anew(package: Path, tmp_path: Path) -> None:
    place = tmp_path / "cache"
    environment = {"NUMBA_CACHE_DIR": str(place)}
    assert run(package, **environment).startswith("1 ")
    assert run(package, **environment).startswith("0 ")
    for file in (path for path in sorted(place.rglob("*looping.total*")) if path.is_file()):
        data = file.read_bytes()
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 8]) + data[middle + 1 :]
        for damaged in (data[:middle], flipped):
            file.write_bytes(damaged)
            assert run(package, **environment).startswith("1 "), file.name


class Files:
    """A place for the files of one loop."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def new(self) -> SealedFiles:
        return SealedFiles(str(self.folder), "loop", "stamp")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    found = Files(tmp_path)
    found.new().save("key", {"code": bytes(range(200))})
    return found


def test_what_is_kept_comes_back(files: Files) -> None:
    assert files.new().load("key") == {"code": bytes(range(200))}
    assert files.new().load("another") is None
    assert SealedFiles(str(files.folder), "loop", "another stamp").load("key") is None


def test_every_flipped_bit_and_every_cut_is_as_if_there_were_no_file_or_harmless(files: Files) -> None:
    assert len(list(files.folder.iterdir())) == 2
    good = files.new().load("key")
    for path in files.folder.iterdir():
        data = path.read_bytes()
        for at in range(len(data)):
            for damaged in (data[:at], data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]):
                path.write_bytes(damaged)
                assert files.new().load("key") in (None, good)
        path.write_bytes(data)
    assert files.new().load("key") == good


def test_files_of_numba_itself_are_left_alone_and_numba_leaves_these(files: Files) -> None:
    plain = kept.IndexDataCacheFile(str(files.folder), "loop", "stamp")
    assert plain.load("key") is None
    plain.save("key", {"code": b""})
    assert files.new().load("key") is None


def test_a_full_disk_does_not_end_a_fit(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.replace", fail)
    files.new().save("other", {})
