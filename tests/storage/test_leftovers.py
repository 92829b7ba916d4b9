"""What a killed process has left is removed by the next one that writes there; what a living one uses is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import chronotope as ct
from chronotope.storage import leftovers
from chronotope.storage.atomic import appearing, replacing
from chronotope.storage.leftovers import own_folder, remove_leftovers

# a process that is about to write, and waits to be killed
WRITING = {
    "a file": "with replacing(path) as temporary:\n    temporary.write_bytes(b'half')\n    wait()",
    "a folder": "with appearing(path) as temporary:\n    (temporary / 'half').write_bytes(b'half')\n    wait()",
    "a corpus on disk": "ct.Corpus.from_texts(map(wait, 'ab'), [1, 2], folder=path)",
}
PROGRAM = """
import sys, time
import chronotope as ct
from chronotope.storage.atomic import appearing, replacing

path = sys.argv[1]

def wait(*given):
    print("waiting", flush=True)
    time.sleep(600)

"""


@contextmanager
def writing(what: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PROGRAM + WRITING[what], str(path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "waiting\n"
            yield process
        finally:
            process.kill()


def write(what: str, path: Path) -> None:
    if what == "a file":
        with replacing(path) as temporary:
            temporary.write_bytes(b"whole")
    elif what == "a folder":
        ct.Corpus([[1, 2], [3, 4]], [1, 2]).save(path)
    else:
        ct.Corpus.from_texts(["war and peace", "peace and war"], [1, 2], folder=path)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals, and locks on folders")
@pytest.mark.parametrize("what", WRITING)
def test_what_a_killed_process_left_goes_and_what_a_living_one_writes_stays(what: str, tmp_path: Path) -> None:
    path = tmp_path / "target"
    with writing(what, path) as process:
        [unfinished] = tmp_path.iterdir()
        write(what, path)
        assert {path, unfinished} == set(tmp_path.iterdir())
        process.kill()
        process.wait()
        if path.is_dir():
            path.rename(tmp_path / "other")
        write(what, path)
        assert unfinished not in set(tmp_path.iterdir())
        assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_a_folder_is_held_until_the_end_and_then_gone(tmp_path: Path) -> None:
    with own_folder(tmp_path / "a") as one, own_folder(tmp_path / "a") as other:
        remove_leftovers(tmp_path / "a")
        assert one != other
        assert one.is_dir()
        assert other.is_dir()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of file sizes")
def test_a_full_disk_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    import resource

    kept = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, kept[1]))
    try:
        said = r"[ab] could not be written to the end: the disk is full"
        with pytest.raises(OSError, match=said), replacing(tmp_path / "a") as temporary:
            temporary.write_bytes(b"x" * 100_000)
        with pytest.raises(OSError, match=said), appearing(tmp_path / "b") as folder:
            np.zeros(100_000).tofile(folder / "numbers")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, kept)
    assert not list(tmp_path.iterdir())


def test_without_locks_only_old_folders_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "fcntl", None)
    old, young, inside = (tmp_path / f".a-0000000{i}" for i in range(3))
    for folder in (old, young, inside):
        folder.mkdir()
    (inside / "young").write_bytes(b"")
    for folder in (old, inside):
        os.utime(folder, (0, 0))
    remove_leftovers(tmp_path / "a")
    assert set(tmp_path.iterdir()) == {young, inside}


def test_a_folder_that_is_cleared_away_at_once_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may see the folder before it is held."""
    real, seen = leftovers._locked, []

    def locked(folder: Path, kind: str) -> int | None:
        seen.append(folder)
        if len(seen) == 1:
            folder.rmdir()
        return real(folder, kind)

    monkeypatch.setattr(leftovers, "_locked", locked)
    with own_folder(tmp_path / "a") as folder:
        assert folder.is_dir()
        assert folder == seen[1]
