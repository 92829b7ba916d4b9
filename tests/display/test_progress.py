"""What is seen of a fit while it runs: how fast it goes, how good it is, how long it will take."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from interrupted import CORPUS, model

from chronotope.display import progress as shown
from chronotope.display.progress import progress_bar
from chronotope.inference.state import Progress

LINE = re.compile(
    r"^fitting .*: (\d+)%, ([\d,]+|-) documents/s, bound (-?[\d,]+|-), (\d+:\d\d:\d\d) left$", re.MULTILINE
)
CASE = "minibatches, sampled"


def steps(done: int, documents: int, each: int, n: int, converged: bool = False) -> None:
    """So many steps of so many documents each."""
    with progress_bar(done, documents, True, "fitting x") as watch:
        for step in range(1, n + 1):
            bounds = [-1234.5] * (step - 1)
            watch(Progress(np.ones(2), step, done + each * step, bounds, converged=converged and step == n))


def test_without_a_screen_the_first_and_the_last_step_have_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    steps(0, 100, 10, 6)
    found = LINE.findall(capsys.readouterr().err)
    assert [(share, bound) for share, _, bound, _ in found] == [("10", "-"), ("60", "-1,234")]


def test_every_step_has_its_line_where_it_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "LINES", 0.0)
    steps(0, 100, 10, 6)
    assert len(LINE.findall(capsys.readouterr().err)) == 6


def test_a_fit_that_ends_early_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    steps(0, 100, 10, 2, converged=True)
    share, _, _, left = LINE.findall(capsys.readouterr().err)[-1]
    assert (share, left) == ("100", "0:00:00")


def test_on_a_screen_there_is_a_bar_with_rate_bound_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    steps(0, 60, 10, 6)
    found = re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", capsys.readouterr().err)
    assert re.search(r"fitting x .*100% [\d,]+ documents/s bound -1,234 \d:\d\d:\d\d \d:\d\d:\d\d", found)


@pytest.mark.parametrize("screen", ["", "1"])
def test_a_resumed_fit_starts_where_it_stood_and_counts_only_its_own_documents_a_second(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, screen: str
) -> None:
    if screen:
        monkeypatch.setenv("FORCE_COLOR", screen)
        monkeypatch.setenv("COLUMNS", "200")
    steps(10**9, 2 * 10**9, 1, 3)
    found = re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", capsys.readouterr().err)
    rates = [int(rate.replace(",", "")) for rate in re.findall(r"([\d,]+) documents/s", found)]
    assert "50%" in found
    assert all(rate < 10**8 for rate in rates)


def test_a_fit_shows_its_progress_also_when_it_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model(CASE, tmp_path / "fit", verbose=True, max_epochs=1).fit(CORPUS)
    assert LINE.findall(capsys.readouterr().err)[-1][0] == "100"
    model(CASE, tmp_path / "fit", verbose=True, max_epochs=2).fit(CORPUS, resume=True)
    assert [int(found[0]) > 50 for found in LINE.findall(capsys.readouterr().err)] == [True, True]
