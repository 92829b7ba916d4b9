"""Progress of long work: a bar on a terminal or in a notebook, lines in a log, and records for `logging`.

The bars are tqdm's. Records of the level INFO go to loggers under the name "chronotope".
"""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

INTERVAL = 30.0  # seconds between two lines of a log, at least
LONGEST = 26  # characters of a name on a screen: at 80 columns there is room for the time left, the rate and the bound
HEAD, TAIL = 14, 8  # characters kept of a longer name

COMPILING = "compiling for this machine, once after an installation: about a quarter of a minute"

logger = logging.getLogger(__name__)
_listening = ContextVar("listening", default=False)


class Formats(NamedTuple):
    """What tqdm writes, on a screen and as a line of a log."""

    screen: str
    log: str


FIT = Formats(
    "{desc}: {percentage:3.0f}%|{bar}| {remaining} left, {rate_noinv_fmt}{postfix}",
    "{desc}: {percentage:.0f}%, {remaining} left, {rate_noinv_fmt}{postfix}",
)
COUNT = Formats("{desc}: {n:,}/{total:,}|{bar}| {remaining} left", "{desc}: {n:,} of {total:,}, {remaining} left")
UNKNOWN = Formats("{desc}: {n:,} in {elapsed}", "{desc}: {n:,} in {elapsed}")  # how many there are is not known


class FitProgress(Protocol):
    """How far a fit has come; documents are counted again in every pass."""

    steps: int
    documents: int
    bounds: list[float]
    converged: bool


def is_shown(verbose: bool | None) -> bool:
    """Whether to show progress: always (True), never (False), or if stderr is a terminal or in a notebook (None)."""
    return _on_screen() if verbose is None else verbose


@contextmanager
def progress_bar(done: int, documents: int, verbose: bool | None, what: str) -> Iterator[Callable[[FitProgress], None]]:
    """Documents per second, bound and time left of a fit; yields a function to call after every step.

    done : documents processed before, by the fit that is resumed
    documents : documents to process in total, those of every pass
    verbose : see `is_shown`;  what : name of the work
    """
    if not is_shown(verbose):
        yield lambda progress: None
        return
    with _bar(what, FIT, total=documents, initial=done, unit=" docs", unit_scale=True, miniters=1) as bar:

        def show(progress: FitProgress) -> None:
            if progress.converged:
                bar.total = progress.documents
            if progress.bounds:
                bar.set_postfix_str(f"bound {progress.bounds[-1]:,.0f}", refresh=False)
            bar.update(progress.documents - bar.n)

        yield show


@contextmanager
def counting_bar(
    total: int | None, done: int, verbose: bool | None, what: str, delay: float = 0.0
) -> Iterator[Callable[..., None]]:
    """Items done and time left; yields a function to call after every item, or with the number of items just done.

    total : number of items, None if unknown;  done : items done before
    verbose : see `is_shown`;  what : name of the work;  delay : seconds without a bar, as quick work needs none
    """
    if done == total or not is_shown(verbose):
        yield lambda n=1: None
        return
    with _bar(what, UNKNOWN if total is None else COUNT, total=total, initial=done, delay=delay) as bar:
        yield lambda n=1: bar.update(n)


@contextmanager
def compiling_shown(verbose: bool | None) -> Iterator[None]:
    """Say so, once, if loops have to be compiled; within another such context, that one says it.

    verbose : see `is_shown`
    """
    from chronotope.loops import on_compile  # loads numba, which bars of other work do not need

    told = [_listening.get()]

    def tell(name: str) -> None:
        if not told[0]:
            told[0] = True
            logger.info(COMPILING)
            if is_shown(verbose):
                _write_line(COMPILING)

    before = _listening.set(True)
    try:
        with on_compile(tell):
            yield
    finally:
        _listening.reset(before)


@contextmanager
def logged_fit(progress: FitProgress, **facts: object) -> Iterator[None]:
    """Log the start of a fit, and its end with steps, seconds and the final bound.

    progress : updated by the fit;  facts : what is known at the start by name, such as kernel="ou(6, 50)", nodes=30
    """
    logger.info("fit started: %s", ", ".join(f"{name} {fact}" for name, fact in facts.items()))
    start, ended = time.perf_counter(), "interrupted"
    try:
        yield
        ended = "converged" if progress.converged else "not converged"
    finally:
        bound = f"{progress.bounds[-1]:,.1f}" if progress.bounds else "unknown"
        seconds = time.perf_counter() - start
        logger.info("fit ended: %d steps, %.1f seconds, bound %s, %s", progress.steps, seconds, bound, ended)


def _write_line(text: str) -> None:
    """A line above the bar, if there is one."""
    from tqdm import tqdm

    tqdm.write(text, file=sys.stderr)


def _bar(what: str, formats: Formats, **options: Any) -> Any:
    """A bar where it can be drawn, else a line now and then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without ipywidgets a notebook gets a bar of text, which will do
        from tqdm.auto import tqdm
    if _on_screen():
        return tqdm(desc=_shortened(what), bar_format=formats.screen, dynamic_ncols=True, **options)
    times = {"mininterval": INTERVAL, "maxinterval": INTERVAL}
    return tqdm(desc=what, bar_format=formats.log, file=_LogLines(), **times, **options)


class _LogLines:
    """Writes lines to stderr, where tqdm would overwrite a single one after a carriage return."""

    def write(self, text: str) -> None:
        if line := text.strip():
            print(line, file=sys.stderr, flush=True)

    def flush(self) -> None:
        """Nothing is held back."""


def _on_screen() -> bool:
    """Whether stderr is a terminal, or this is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    return sys.stderr.isatty() or (ipython is not None and hasattr(ipython.get_ipython(), "kernel"))


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[:HEAD]}…{name[-TAIL:]}"
