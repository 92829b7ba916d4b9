"""The history of a Git repository: every commit message with its date."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

from chronotope.readers.rows import Row, Rows, Source

_FIELDS = ("id", "time", "author", "text")
_FORMAT = "%H%x00%aI%x00%an%x00%B"  # none of them can contain a NUL
_CHUNK = 2**16


def is_repository(path: Path) -> bool:
    """Whether the folder is the top of a Git repository, or a bare one."""
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


def git_source(path: Path) -> Source:
    """The commits reachable from HEAD, newest first, at their author's date."""
    source = Source(path.name, "Git history", partial(_rows, path), {"text": "text", "time": "time", "id": "id"})
    source.notes.say(f'{path.name} is a Git repository: its commit messages are read, not its files (format="folder")')
    return source


def _rows(path: Path) -> Rows:
    """Rows as Git prints them; Git is stopped when the loop ends."""
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                _command(path), stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, env=_environment()
            )
        except FileNotFoundError:
            raise OSError("reading a repository needs the program git, which was not found; install it.") from None
        assert process.stdout is not None
        try:
            yield from _commits(process.stdout)
            _check_ending(process, errors, path)
        finally:
            process.stdout.close()
            process.kill()
            process.wait()


def _command(path: Path) -> list[str]:
    """The call; a repository's own settings must not make Git run other programs, such as a checker of signatures."""
    settings = ["-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "log.mailmap=false"]
    shown = ["log", "-z", "--no-show-signature", "--no-color", "--no-notes", "--encoding=UTF-8", f"--format={_FORMAT}"]
    return ["git", "--no-pager", *settings, "-C", os.fspath(path.absolute()), *shown, "HEAD", "--"]


def _environment() -> dict[str, str]:
    """The environment without variables that point Git to another repository, and without network access."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _commits(stream: IO[bytes]) -> Iterator[Row]:
    """Every four fields between NULs are a commit."""
    fields: list[str] = []
    rest = b""
    while chunk := stream.read(_CHUNK):
        *parts, rest = (rest + chunk).split(b"\0")
        for part in parts:
            fields.append(part.decode("utf-8", "replace"))
            if len(fields) == len(_FIELDS):
                yield Row(f"commit {fields[0][:10]}", dict(zip(_FIELDS, fields, strict=True)))
                fields = []


def _check_ending(process: subprocess.Popen[bytes], errors: IO[bytes], path: Path) -> None:
    """Turn a failure of Git into an error."""
    if process.wait() == 0:
        return
    errors.seek(0)
    said = errors.read(2000).decode("utf-8", "replace").strip().splitlines()
    raise OSError(f"git cannot read the history of {path.name}: {said[0] if said else 'no error message'}.")
