"""Progress of a fit: documents per second, bound and time left, on a terminal, in a notebook and in a log."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path

import numpy as np
import pytest
from interrupted import CORPUS, model
from numba import njit

from chronotope.display import progress as shown
from chronotope.display.progress import compiling_shown, counting_bar, logged_fit, progress_bar
from chronotope.inference.loop import Progress

RATE = r"([\d.]+)([kMG]?) docs/s"
LINE = re.compile(rf"^(?:fitting|starting) .*: (\d+)%, ([\d:]+|\?) left, (?:{RATE}|\? docs/s)(.*)$", re.MULTILINE)
CASE = "minibatches, sampled"
SCALE = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


@pytest.fixture(autouse=True)
def _every_step_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log has no line for a step, however long it takes on this machine."""
    monkeypatch.setattr(shown, "INTERVAL", 1e9)


def steps(done: int, documents: int, each: int, n: int, converged: bool = False, what: str = "fitting x") -> None:
    """So many steps of so many documents each."""
    with progress_bar(done, documents, True, what) as watch:
        for step in range(1, n + 1):
            bounds = [-1234567.5] * (step - 1)
            watch(Progress(np.ones(2), step, done + each * step, bounds, converged=converged and step == n))


@contextmanager
def terminal(columns: int) -> Iterator[list[str]]:
    """A terminal as stderr; at the end the list holds what was written over its line, one after the other."""
    import fcntl
    import pty
    import struct
    import termios

    control, device = pty.openpty()
    fcntl.ioctl(device, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    written: list[str] = []
    with os.fdopen(device, "w", encoding="utf-8") as file:
        with redirect_stderr(file):
            yield written
        print("END", file=file, flush=True)
        read = b""
        while not read.rstrip().endswith(b"END"):
            read += os.read(control, 1_000_000)
    os.close(control)
    written += [part for part in re.split(r"[\r\n]+", read.decode()) if part.strip()][:-1]


def test_a_log_has_a_line_at_the_start_and_at_the_end_and_no_carriage_returns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps(0, 100, 10, 6)
    written = capsys.readouterr().err
    found = LINE.findall(written)
    assert [(share, rest) for share, *_, rest in found] == [("0", ""), ("60", ", bound -1,234,568")]
    assert "\r" not in written
    assert written.count("\n") == len(written.splitlines()) == 2


def test_a_log_has_more_lines_if_a_fit_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "INTERVAL", 0.0)
    steps(0, 100, 10, 6)
    shares = [int(found[0]) for found in LINE.findall(capsys.readouterr().err)]
    assert shares[:7] == [0, 10, 20, 30, 40, 50, 60]


def test_a_fit_that_ends_early_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    steps(0, 100, 10, 2, converged=True)
    share, left, *_ = LINE.findall(capsys.readouterr().err)[-1]
    assert (share, left) == ("100", "00:00")


@pytest.mark.parametrize("what", ["fitting constant() + ou()", "starting from topics that never change, 1 of 3"])
def test_at_80_columns_time_left_rate_and_bound_are_seen(what: str) -> None:
    with terminal(80) as written:
        steps(0, 60, 10, 6, what=what)
    last = written[-1]
    assert len(last) <= 80
    name = r"(fitting constant\(\) \+ ou\(\)|starting from …, 1 of 3)"
    assert re.search(rf"^{name}: 100%\|.*\| \d\d:\d\d left, {RATE}, bound -1,234,568$", last)


def test_a_resumed_fit_starts_where_it_stood_and_its_rate_counts_only_its_own_documents(
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps(10**9, 2 * 10**9, 1, 3)
    with terminal(200) as written:
        steps(10**9, 2 * 10**9, 1, 3)
    for found in (capsys.readouterr().err, " ".join(written)):
        rates = [float(rate) * SCALE[prefix] for rate, prefix in re.findall(RATE, found)]
        assert "50%" in found
        assert rates
        assert all(rate < 10**8 for rate in rates)


def test_nothing_is_shown_in_a_log_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for verbose in (None, False):
        with progress_bar(0, 10, verbose, "fitting") as watch, counting_bar(3, 0, verbose, "counting") as advance:
            watch(Progress(np.ones(2), 1, 10))
            advance()
    assert capsys.readouterr().err == ""


def test_by_default_a_terminal_and_a_notebook_show_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(80) as written, counting_bar(2_000, 1_000, None, "counting") as advance:
        advance()
    assert re.search(r"^counting: 1,001/2,000\|.*\| \d\d:\d\d left$", written[-1])
    assert not shown.is_shown(None)
    notebook = type("IPython", (), {"get_ipython": staticmethod(lambda: type("Shell", (), {"kernel": None}))})
    monkeypatch.setitem(sys.modules, "IPython", notebook)  # type: ignore[arg-type]
    assert shown.is_shown(None)


def test_items_are_counted_also_if_their_number_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    for total, expected in ((5, r"reading: 3 of 5, \d\d:\d\d left"), (None, r"reading: 3 in \d\d:\d\d")):
        with counting_bar(total, 0, True, "reading") as advance:
            for _ in range(3):
                advance()
        assert re.fullmatch(expected, capsys.readouterr().err.splitlines()[-1])


def test_several_items_count_at_once_and_quick_work_has_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with counting_bar(5_000, 0, True, "inferring") as advance:
        advance(3_000)
    assert capsys.readouterr().err.splitlines()[-1].startswith("inferring: 3,000 of 5,000")
    with counting_bar(5_000, 0, True, "inferring", delay=1e6) as advance:
        advance(5_000)
    assert capsys.readouterr().err == ""


def test_a_fit_shows_its_progress_also_when_it_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model(CASE, tmp_path / "fit", verbose=True, max_epochs=1).fit(CORPUS)
    assert LINE.findall(capsys.readouterr().err)[-1][0] == "100"
    model(CASE, tmp_path / "fit", verbose=True, max_epochs=2).fit(CORPUS, resume=True)
    assert [found[0] for found in LINE.findall(capsys.readouterr().err)] == ["50", "100"]


def test_start_and_end_of_a_fit_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    progress = Progress(np.ones(2), 3, 30, [-2.0, -1.5], converged=True)
    with caplog.at_level(logging.INFO, "chronotope"):
        with logged_fit(progress, kernel="ou(6, 50)", nodes=30):
            pass
        with pytest.raises(KeyboardInterrupt), logged_fit(progress, kernel="se"):
            raise KeyboardInterrupt
    started, ended, _, stopped = (record.getMessage() for record in caplog.records)
    assert started == "fit started: kernel ou(6, 50), nodes 30"
    assert re.fullmatch(r"fit ended: 3 steps, \d+\.\d seconds, bound -1\.5, converged", ended)
    assert stopped.endswith("interrupted")


def test_records_are_silent_and_tqdm_is_not_loaded_by_default() -> None:
    code = (
        "import logging, sys, chronotope, chronotope.cli; logging.getLogger('chronotope.x').warning('unheard');"
        "print('tqdm' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("False\n", "")


@pytest.mark.parametrize(("verbose", "shown_times"), [(True, 1), (False, 0)])
def test_compiling_is_announced_once_if_there_is_any(
    verbose: bool, shown_times: int, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="chronotope"), compiling_shown(verbose):
        assert capsys.readouterr().err == ""
        with compiling_shown(True):  # that of a model, within that of a command
            for number in (1, 1.0):
                njit(lambda x: x + 1)(number)
    assert capsys.readouterr().err.count("compiling for this machine") == shown_times
    assert caplog.text.count("compiling for this machine") == 1


def test_a_fit_whose_loops_are_compiled_says_nothing_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        capsys.readouterr()
        model(CASE).set_params(verbose=True).fit(CORPUS)
    assert "compiling" not in capsys.readouterr().err
