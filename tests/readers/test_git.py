"""Git histories: every commit with its date; Git's complaints become errors, its settings run nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from chronotope.readers import read, read_corpus

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Run Git in a new repository, with no settings but its own."""
    home = {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Änne", "GIT_AUTHOR_EMAIL": "a@x"}
    home |= {"GIT_COMMITTER_NAME": "B", "GIT_COMMITTER_EMAIL": "b@x", "PATH": os.environ["PATH"]}

    def run(*arguments: str, date: str = "2004-05-01T10:00:00+02:00") -> str:
        return subprocess.run(
            ["git", "-C", str(tmp_path / "repo"), *arguments],
            env=home | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    (tmp_path / "repo").mkdir()
    try:
        run("init", "-q")
    except FileNotFoundError:
        pytest.skip("git is not installed")
    return run


def test_messages_are_read_at_the_authors_date(git: Git, tmp_path: Path) -> None:
    git("commit", "-q", "--allow-empty", "-m", "Add a parser\n\nIt reads größer files")
    git("commit", "-q", "--allow-empty", "-m", "Mend the parser", date="2005-06-01T00:00:00Z")
    git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    reading = read(tmp_path / "repo")
    newest, oldest = reading
    assert newest.text == "Mend the parser\n"
    assert oldest.text == "Add a parser\n\nIt reads größer files\n"
    assert oldest.time == "2004-05-01T08:00:00"
    assert oldest.id == git("rev-parse", "HEAD~2").strip()
    assert oldest.metadata == {"author": "Änne"}
    assert reading.dropped.counts == {"no text": 1}
    assert "its commit messages are read, not its files" in reading.notes[0]


def test_a_folder_within_can_still_be_read_as_files(git: Git, tmp_path: Path) -> None:
    (tmp_path / "repo" / "1862.txt").write_text("war")
    assert [record.text for record in read(tmp_path / "repo", format="folder")] == ["war"]


def test_settings_of_the_repository_run_no_program(git: Git, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    git("commit", "-q", "--allow-empty", "-m", "Add a parser")
    signed = git("cat-file", "commit", "HEAD").replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n\n", 1)
    (tmp_path / "commit").write_text(signed)
    git("reset", "-q", "--hard", git("hash-object", "-t", "commit", "-w", str(tmp_path / "commit")).strip())
    for setting in ("gpg.program", "core.fsmonitor", "core.pager", "core.sshCommand", "diff.external"):
        git("config", setting, str(trap))
    git("config", "log.showSignature", "true")
    assert len(read_corpus(tmp_path / "repo")) == 1
    assert not (tmp_path / "sprung").exists()


def test_another_repository_in_the_environment_is_not_read(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("commit", "-q", "--allow-empty", "-m", "Add a parser")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert [record.text for record in read(tmp_path / "repo")] == ["Add a parser\n"]


def test_a_loop_that_ends_early_stops_git(git: Git, tmp_path: Path) -> None:
    for n in range(3):
        git("commit", "-q", "--allow-empty", "-m", f"Commit number {n}")
    records = iter(read(tmp_path / "repo"))
    assert next(records).text.startswith("Commit number")
    records.close()  # type: ignore[attr-defined]
    assert len(list(read(tmp_path / "repo", limit=1))) == 1


def test_a_repository_without_commits_is_an_error(git: Git, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"git cannot read the history of repo: fatal"):
        read(tmp_path / "repo")


def test_a_missing_git_is_an_error(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OSError, match=r"needs the program git, which was not found; install it"):
        read(tmp_path / "repo")
