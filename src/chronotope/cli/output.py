"""What is printed: results on stdout, as text or as JSON; notes and progress on stderr, unless quiet."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.topics import Topics

OPTIONS = {  # how messages of the library name parameters, and the options that set them
    "day_first=True or day_first=False": "--day-first or --month-first",
    r"start= and end=": "--from and --to",
    r'format="(\w+)"': r"--format \1",
    r'(groups|place|kernel)="([^"]+)"': r'--\1 "\2"',
    r"n_cells=(\d+)": r"--cells \1",
    r"n_cells(?!\w)": "--cells",
    r"smaller n_inducing": "smaller --nodes",
    r"cells \(n_cells\)": "cells (--cells)",
    r"(text|time|id|format|encoding|delimiter|table|sheet|link|groups)=": r"--\1",
    r"limit=(\d+)": r"--limit \1",
    r"follow_links=True": "--follow-links",
    r"max_ratio=": "--max-ratio ",
    r"stop_words=": "--stop-words ",
    r"century_start=": "--century-start",
    r"max_document_share=": "--max-document-share ",
    r'duplicates="(\w+)"': r"--duplicates \1",
    r"fit\(\.\.\., resume=True\)": "--resume",
    r"n_inducing=(\d+)": r"--nodes \1",
    r"topics \(n_topics\)": "topics (--topics)",
    r"words \(Preprocessing\(max_vocabulary=\.\.\.\)\)": "words (--max-vocabulary)",
    r"grid \(n_inducing\)": "grid (--nodes)",
    r' or dtype="float32"': "",
    r"smaller batch_size": "smaller --batch-size",
    r"disk \(corpus\.save\(folder\), then ct\.open_corpus\(folder\)\)": "disk (--on-disk)",
    r", or pass (it|them) as (vocabulary|times)=": "",
}


def note(text: str, quiet: bool) -> None:
    """Print a line on stderr, unless quiet."""
    if not quiet:
        with suppress(OSError):  # stderr may be full or closed, which does not concern the result
            typer.echo(shown(in_options(text)), err=True)


def in_options(message: str) -> str:
    """A message of the library with options in place of parameters."""
    for written, option in OPTIONS.items():
        begin = "" if written.startswith((",", " ")) else r"(?<![\w(])"  # at the beginning of a word
        message = re.sub(begin + written, option, message)
    return message


def answer(text: str, facts: Mapping[str, Any], as_json: bool) -> None:
    """Print the result of a command: the text, nothing if it is empty, or the facts as one JSON document."""
    if as_json or text:
        typer.echo(json_text(facts) if as_json else shown(text))


def json_text(facts: Mapping[str, Any]) -> str:
    """Facts as JSON; undefined numbers are null, tables are lists of rows."""
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    return json.dumps(_plain(facts), indent=1, ensure_ascii=not unicode, allow_nan=False)


def shown(text: str) -> str:
    """Text without control characters: what a file holds must not control the terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)


def verbosity(quiet: bool) -> bool | None:
    """The library's `verbose`: no progress if quiet, else if stderr is a terminal."""
    return False if quiet else None


def size_text(n_bytes: float) -> str:
    """A size in words."""
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{max(1, round(n_bytes / 1e6)):,} MB"


@contextmanager
def working(text: str, quiet: bool, has_bar: bool = False) -> Iterator[None]:
    """Note what is being done, on a terminal with a spinner;  has_bar : whether the work shows a bar of its own."""
    from chronotope.display.progress import compiling_shown

    if quiet or has_bar or not sys.stderr.isatty():
        note(text, quiet)
        with compiling_shown(not quiet):
            yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(shown(text))), compiling_shown(True):
        yield


def _plain(value: Any) -> Any:
    """A value of a type that JSON has."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if hasattr(value, "to_dict"):
        return [_plain(row) for row in value.to_dict("records")]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


EXCERPT = 200  # characters of a document's text on a terminal
TIMES = {"time": "date", "start": "start_date", "end": "end_date", "peak": "peak_date", "origin": "origin_date"}


def column_of_times(table: pd.DataFrame) -> str:
    """The column of the times as people read them: dates if there are any."""
    return "date" if "date" in table.columns else "time"


def screen_width() -> int | None:
    """Columns of the terminal; None if stdout is not a terminal, so that nothing is folded or cut in a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def screen_table(table: pd.DataFrame) -> str:
    """The table as text, without times that have a date beside them; texts of documents last, cut on a terminal."""
    from chronotope.display.tables import text_table

    doubled = [time for time, date in TIMES.items() if time in table.columns and date in table.columns]
    cells = table.drop(columns=doubled).apply(lambda column: column.map(_cell))
    width = screen_width()
    if "text" in cells:
        texts = cells.pop("text")
        cells["text"] = texts if width is None else texts.map(_excerpt)
    return text_table(cells, width) if len(cells) else "nothing"


def _cell(value: Any) -> str:
    from chronotope.display.tables import number

    if isinstance(value, float):
        return number(value)
    if isinstance(value, list | tuple):
        value = " ".join(map(str, value))
    return " ".join(str(value).split())


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}..."


OVERALL, AT_ENDS = 8, 5  # words shown


def overview(
    topics: Topics, n_words: int = OVERALL, marks: pd.DataFrame | None = None, group: str | None = None
) -> pd.DataFrame:
    """One row per topic, the most prevalent first.

    Columns: topic, share of all tokens, lists of words: those that name it, and the first at both ends of the time;
    and its mark, as "twin of 7", empty without one.   marks : from `topic_marks`, default None for those of words alone
    group : whose words and tokens, default None for all
    """
    import pandas as pd

    from chronotope.analysis.keywords import distinctive_words, word_uses
    from chronotope.analysis.marks import mark_text, topic_marks

    mass = (topics.mass if group is None else topics.track_mass[topics.track(group)]).sum(axis=0)
    share = mass / max(mass.sum(), 1e-12)
    first, last = topics.main_span
    named = distinctive_words(word_uses(topics, group=group), topics.vocabulary, n_words)
    found = topic_marks(topics) if marks is None else marks
    marked = [mark_text(mark, other) for mark, other in zip(found["mark"], found["other"], strict=True)]
    rows = []
    for k in (-share).argsort(kind="stable").tolist():
        n = min(n_words, AT_ENDS)
        early, late = ([word for word, _ in topics.top_words(k, time, n, group=group)] for time in (first, last))
        words = {"words": named[k], "first": early, "last": late}
        rows.append({"topic": k, "share": float(share[k]), **words, "mark": marked[k]})
    return pd.DataFrame(rows)


def overview_text(table: pd.DataFrame, topics: Topics) -> str:
    """The same for the screen."""
    import pandas as pd

    from chronotope.analysis import turning_topics
    from chronotope.dates.decimal import format_time
    from chronotope.display.tables import text_table

    first, last = (format_time(time, topics.calendar) for time in topics.main_span)
    shown = pd.DataFrame({"topic": table["topic"].astype(str), "share": table["share"].map("{:.1%}".format)})
    for name, title in (("words", "words"), ("first", f"in {first}"), ("last", f"in {last}")):
        shown[title] = table[name].map(" ".join)
    if (table["mark"] != "").any():
        shown["mark"] = table["mark"]
    turns = [
        f"topic {turn.topic} turns into another around {turn.date}: {' '.join(turn.before)} → {' '.join(turn.after)}"
        for turn in turning_topics(topics)
    ]
    return "\n".join([text_table(shown, screen_width()), *turns])
