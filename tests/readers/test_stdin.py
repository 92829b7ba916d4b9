"""Standard input: known by its first bytes, read several times, and gone when the process ends."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from typing import Any

import pytest

from chronotope.readers import read, read_corpus

OBJECTS = [{"date": "1861", "text": "war"}, {"date": "1862", "text": "peace"}]
CSV = "date,text\n1861,war\n1862,peace\n"


class Piped(io.TextIOWrapper):
    """Standard input with given bytes, which may be a terminal."""

    def __init__(self, data: bytes, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(data))
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.mark.parametrize(
    "content",
    [CSV, CSV.replace(",", "\t"), "\n".join(map(json.dumps, OBJECTS)), json.dumps(OBJECTS), json.dumps({"a": OBJECTS})],
    ids=["csv", "tsv", "lines", "array", "object"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_known_by_its_first_bytes(monkeypatch: pytest.MonkeyPatch, content: str, pack: Any) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(pack(content.encode())))
    corpus = read_corpus("-")
    assert corpus.vocabulary.tolist() == ["peace", "war"]
    assert corpus.times.tolist() == [1861, 1862]


def test_a_reading_of_standard_input_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(CSV.encode()))
    reading = read("-")
    assert list(reading) == list(reading)
    assert str(reading).startswith("standard input: table")


def test_nothing_to_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(b""))
    with pytest.raises(ValueError, match=r"standard input is empty; expected a table"):
        read("-")
    monkeypatch.setattr(sys, "stdin", Piped(b"", is_terminal=True))
    with pytest.raises(ValueError, match=r"nothing is piped into it; pass a path, or pipe a table"):
        read("-")


@pytest.mark.slow
def test_the_copy_is_removed_when_the_process_ends(tmp_path: Any) -> None:
    program = (
        "import sys, tempfile; from pathlib import Path; from chronotope.readers import read; "
        "tempfile.tempdir = sys.argv[1]; print(len(list(read('-')))); print(len(list(Path(sys.argv[1]).iterdir())))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path], input=CSV.encode(), capture_output=True, check=True
    )
    assert done.stdout.split() == [b"2", b"1"]
    assert list(tmp_path.iterdir()) == []
