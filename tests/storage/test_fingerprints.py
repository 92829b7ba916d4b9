"""Fingerprints of files: no change of content is missed, and files that did not change are not read again."""

import os

import pytest

from chronotope.storage import fingerprints
from chronotope.storage.digest import file_digest
from chronotope.storage.fingerprints import NONE, RECENT, Fingerprints, take_fingerprints


@pytest.fixture
def files(tmp_path):
    """Two files that were written an hour ago, as the clock of the fingerprints has it."""
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"content of {name}")
    return {name: tmp_path / name for name in ("a", "b")}


@pytest.fixture
def later(monkeypatch):
    """The clock of the fingerprints, an hour ahead of that of the files."""
    now = fingerprints.time.time
    monkeypatch.setattr(fingerprints.time, "time", lambda: now() + 3600.0)


@pytest.fixture
def read(monkeypatch):
    """The names of the files that are read."""
    seen = []

    def digest(path):
        seen.append(path.name)
        return file_digest(path)

    monkeypatch.setattr(fingerprints, "file_digest", digest)
    return seen


def test_files_that_did_not_change_are_not_read_again(files, later, read):
    before = take_fingerprints(files)
    assert read == ["a", "b"]
    assert take_fingerprints(files, Fingerprints.from_json(before.to_json())) == before
    assert read == ["a", "b"]


def test_another_content_of_the_same_size_and_date_is_seen(files, later):
    before, path = take_fingerprints(files), files["a"]
    date = path.stat()
    path.write_text("CONTENT OF A")
    os.utime(path, ns=(date.st_atime_ns, date.st_mtime_ns))
    assert path.stat().st_size == date.st_size
    after = take_fingerprints(files, before)
    assert after.digests["a"] == file_digest(path) != before.digests["a"]
    assert after.digests["b"] == before.digests["b"]
    assert not before.still_hold(files)


def test_a_file_that_was_just_written_is_read_again(files, read):
    before = take_fingerprints(files)  # a change within the resolution of the clock would leave its dates as they are
    assert take_fingerprints(files, before).digests == before.digests
    assert read == ["a", "b", "a", "b"]
    assert RECENT > 2.0  # seconds: the coarsest dates of file systems in use


def test_a_file_with_another_date_and_the_same_content_has_the_same_digest(files, later, read):
    before = take_fingerprints(files)
    os.utime(files["b"], (0, 0))
    after = take_fingerprints(files, before)
    assert after.digests == before.digests
    assert after != before  # so that it can be kept, and the file is not read a third time
    assert read == ["a", "b", "b"]
    assert take_fingerprints(files, after) == after


def test_a_file_that_is_gone_or_new_is_seen(files, later):
    before = take_fingerprints(files)
    files.pop("b").unlink()
    assert not before.still_hold(files)
    assert take_fingerprints(files, before).digests.keys() == {"a"}
    assert take_fingerprints({}, NONE).digests == {}


@pytest.mark.parametrize("given", [{}, {"states": {"a": [1]}, "digests": {}, "taken": 0}, {"states": 1}])
def test_other_content_is_an_error_of_its_own(given):
    with pytest.raises((KeyError, ValueError, TypeError, AttributeError)):
        Fingerprints.from_json(given)
