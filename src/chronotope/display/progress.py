"""Progress on the screen for anything that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rich.console import Console

    from chronotope.inference.state import Progress, Watch

LINES = 30.0  # seconds between two lines where there is no screen


@contextmanager
def progress_bar(done: int, documents: int, verbose: bool | None, what: str) -> Iterator[Watch]:
    """Documents a second, bound and time left; verbose None shows them where somebody is watching.

    A bar on a screen, a line every half minute elsewhere.
    done, documents : those looked at before, by the fit that is resumed, and those to look at in all, every pass anew
    """
    if not (sys.stderr.isatty() if verbose is None else verbose):
        yield lambda progress: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    show = (
        _bar(console, done, documents, what)
        if console.is_terminal or console.is_jupyter
        else _lines(done, documents, what)
    )
    with show as watch:
        yield watch


@contextmanager
def _bar(console: Console, done: int, documents: int, what: str) -> Iterator[Watch]:
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    head = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%")
    middle = TextColumn("{task.fields[rate]} documents/s"), TextColumn("bound {task.fields[bound]}")
    with Bar(*head, *middle, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task(what, total=documents, completed=done, bound="-", rate="-")

        def watch(progress: Progress) -> None:
            bar.update(task, completed=progress.documents)
            rate = _number(bar.tasks[task].speed)
            total = progress.documents if progress.converged else documents
            bar.update(task, total=total, rate=rate, bound=_last(progress.bounds))

        yield watch


@contextmanager
def _lines(done: int, documents: int, what: str) -> Iterator[Watch]:
    """The first step, then a line every so often, and the last step."""
    start, shown, line = time.monotonic(), -np.inf, ""

    def watch(progress: Progress) -> None:
        nonlocal shown, line
        now = time.monotonic()
        rate = (progress.documents - done) / max(now - start, 1e-3)
        total = progress.documents if progress.converged else documents
        share, left = progress.documents / total, timedelta(seconds=round((total - progress.documents) / rate))
        line = f"{what}: {share:.0%}, {rate:,.0f} documents/s, bound {_last(progress.bounds)}, {left} left"
        if now - shown >= LINES:
            print(line, file=sys.stderr, flush=True)
            shown, line = now, ""

    try:
        yield watch
    finally:
        if line:
            print(line, file=sys.stderr, flush=True)


def _last(bounds: list[float]) -> str:
    return _number(bounds[-1] if bounds else None)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


@contextmanager
def counting_bar(total: int | None, done: int, verbose: bool | None, what: str) -> Iterator[Callable[[], None]]:
    """A bar over so many things to do (None: unknown), some of them done; call what it gives when another one is."""
    if done == total or not (sys.stderr.isatty() if verbose is None else verbose):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description}"), SpinnerColumn(), BarColumn(), MofNCompleteColumn()
    with Bar(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total, completed=done)
        yield lambda: bar.advance(task)
