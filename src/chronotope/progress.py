"""Progress on the screen for anything that takes longer than a moment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chronotope.inference.loop import Progress, Watch


@contextmanager
def progress_bar(done: int, documents: int, verbose: bool | None, what: str) -> Iterator[Watch]:
    """A bar with documents a second, bound and time left; verbose None shows it where somebody is watching.

    done, documents : those looked at before, by the fit that is resumed, and those to look at in all, every pass anew
    """
    if not (sys.stderr.isatty() if verbose is None else verbose):
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    head = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%")
    middle = TextColumn("{task.fields[rate]} documents/s"), TextColumn("bound {task.fields[bound]}")
    with Bar(*head, *middle, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=documents, completed=done, bound="-", rate="-")

        def watch(progress: Progress) -> None:
            bar.update(task, completed=progress.documents)
            speed = bar.tasks[task].speed
            rate = "-" if speed is None else f"{speed:,.0f}"
            bound = f"{progress.bounds[-1]:,.0f}" if progress.bounds else "-"
            bar.update(task, total=progress.documents if progress.converged else documents, rate=rate, bound=bound)

        yield watch


@contextmanager
def counting_bar(total: int, done: int, verbose: bool | None, what: str) -> Iterator[Callable[[], None]]:
    """A bar over so many things to do, some of them done; call what it gives when another one is."""
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
