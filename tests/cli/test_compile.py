"""chronotope compile"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chronotope.evaluate import count_windows
from chronotope.loops import cache_folder
from chronotope.model import ahead

Run = Callable[..., Any]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Loops that the command finds not compiled."""
    count_windows([["war", "peace"]], ["war"], 2)
    found: list[str] = []
    monkeypatch.setattr(ahead, "compile_ahead", lambda tell: tell("priors of a test") or found)
    return found


def test_what_was_compiled_and_where_it_is_kept_are_printed(run: Run, compiled: list[str]) -> None:
    compiled += ["_infer", "_centre"]
    result = run("compile")
    assert result.stdout.startswith("Compiled 2 loops in ")
    assert str(cache_folder()) in result.stdout
    assert "Loops of priors of a test" in result.stderr


def test_a_second_run_has_nothing_left_to_do(run: Run, compiled: list[str]) -> None:
    run("compile")
    result = run("compile", "--quiet")
    assert result.stdout.startswith("Everything is compiled already. The cache is in ")
    assert result.stderr == ""
