"""chronotope date"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import load_saved, read_for
from chronotope.cli.io import check_distinct, check_table, write_if_wanted
from chronotope.cli.output import answer, note, screen_table, working

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.dating import Dated
    from chronotope.model.estimator import DynamicTopicModel

SHOWN = 20  # rows of a check that are printed, unless a file is given
NEVER_READ = ("rough_dates", "day_first", "century_start", "limit")


def command(
    model: options.ModelPath,
    source: options.CorpusOptions,
    level: Annotated[float, typer.Option(help="Probability with which an interval holds the date.")] = 0.8,
    why: Annotated[
        int, typer.Option(min=0, help="Number of words to name that say most for the date of each text.")
    ] = 0,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="The texts are those that the model was fitted on: list those whose given dates are hard to believe.",
        ),
    ] = False,
    out: options.TableOut = None,
    no_cache: options.NoCache = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say when undated texts were written, or which given dates are hard to believe.

    ```
    chronotope fit dated.csv --dating --out model.ct
    chronotope date model.ct undated.csv --why 5
    chronotope date model.ct dated.csv --check
    ```

    The model has to have learned it, by fit --dating. Texts need no dates: one that is known roughly, such as "1850s"
    or "before 1914", limits the answer, exact ones are not looked at. A text that may be older or newer than all that
    the model knows is said to be from its edge "or before", or "or after". With --check all texts are dated by the
    others, in four parts.
    """
    from chronotope.model.dating import check_dating

    with sentences():
        check_table(out, force)
        check_distinct({"--out": out}, {"the model": model} | source.files)
        saved = load_saved(model, quiet)
        check_dating(saved.model)
        if check:
            documents = read_for(saved, source, no_cache=no_cache, quiet=quiet).corpus
            with working("Dating each text by the others", quiet, has_bar=True):
                table = saved.model.check_dates(documents, level=level)
            shown = in_words(table, saved.model.topics_.calendar)
        else:
            found = date_texts(saved.model, source, level, quiet)
            table = found.table if not why else found.table.assign(why=reasons(found, why))
            shown = found.text() if not why else found.text().assign(why=table["why"])
        written = write_if_wanted(table, out, quiet)
        text = "" if written else screen_table(shown.head(SHOWN) if check else shown)
        if check and not written and len(shown) > SHOWN:
            note(f"  the {SHOWN} most surprising of {len(shown):,}; all of them with --out table.csv", quiet)
    answer(text, {"documents": len(table), "level": level, "rows": table, "written": written}, json)


def date_texts(model: DynamicTopicModel, source: options.CorpusOptions, level: float, quiet: bool) -> Dated:
    """The texts of a source, dated; what was dropped is noted."""
    from chronotope.model.undated import undated_corpus
    from chronotope.readers.undated import read_undated

    given = {name: value for name, value in source.reading.items() if name not in NEVER_READ}
    if isinstance(given.get("time"), list):
        raise ValueError("--time names several columns; a date that limits the answer has to be in one.")
    with working(f"Reading {source.corpus}", quiet):
        texts = read_undated(source.corpus, **given)
    for line in texts.notes:
        note(f"  {line}", quiet)
    if texts.dropped.total:
        note(f"  {texts.dropped.total:,} rows dropped: {texts.dropped}", quiet)
    with working(f"Dating {len(texts.texts):,} texts", quiet):
        return model.date(undated_corpus(model, texts.texts, texts.ids, texts.rough), level=level)


def reasons(found: Dated, n: int) -> list[str]:
    """The words that say most for the date of each text, comma-separated; those that speak against it have a minus."""
    return [
        ", ".join(
            f"{'−' if weight < 0 else ''}{word}" for word, weight in found.why(i, n)[["word", "weight"]].to_numpy()
        )
        for i in range(len(found))
    ]


def in_words(table: pd.DataFrame, calendar: bool) -> pd.DataFrame:
    """A table of `check_dates` with dates to the day, or to the year if all are years."""
    from chronotope.dates.decimal import format_time

    def date(time: Any) -> str:
        return format_time(float(time), calendar) if abs(float(time)) != float("inf") else ""

    found = table.drop(columns="beyond")
    for name in ("given", "date", "low", "high"):
        found[name] = [date(time) for time in found[name]]
        if calendar and found[name].str.endswith("-01-01").all():
            found[name] = found[name].str[:-6]
    return found.assign(surprise=found["surprise"].round(1))
