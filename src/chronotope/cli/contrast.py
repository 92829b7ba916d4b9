"""chronotope contrast"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import load_saved
from chronotope.cli.io import check_distinct, check_table, write_if_wanted
from chronotope.cli.output import answer, working
from chronotope.cli.prevalence import check_groups, contrast_text, learned_prevalence, times_asked
from chronotope.cli.values import check_topics, comma_separated, number_or_text

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.model.curves import Prevalence


def command(
    model: options.ModelPath,
    a: Annotated[str | None, typer.Argument(help="A group; with none, all groups are compared.")] = None,
    b: Annotated[str | None, typer.Argument(help="The group that it is compared with.")] = None,
    topic: Annotated[
        list[int] | None,
        typer.Option(help="Only this topic, and between two groups over time; may be given several times."),
    ] = None,
    at: Annotated[
        str | None, typer.Option(help="Comma-separated times or dates; a ranking is of the average over them.")
    ] = None,
    periods: options.PeriodLength = None,
    level: Annotated[float, typer.Option(help="Posterior probability of the intervals.")] = 0.9,
    out: options.TableOut = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare how much groups wrote about each topic, and say how sure that is.

    ```
    chronotope contrast model.ct
    chronotope contrast model.ct Whig Democrat
    chronotope contrast model.ct Whig Democrat --topic 3 --periods decade --out taxes.csv
    ```

    The first ranks topics by how much groups differ in them: which wrote most and least about each, the probability of
    that, the difference of their expected shares of a document, and the ratio. The second does so for two groups, and
    the third follows a topic over time: the probability is that the first group wrote more. The model has to be fitted
    with --groups; no corpus is needed.
    """
    with sentences():
        check_table(out, force)
        check_distinct({"--out": out}, {"the model": model})
        groups = _two(a, b)
        learned = load_saved(model, quiet).model
        prevalence = learned_prevalence(learned)
        check_groups(prevalence)
        check_topics(topic or [], learned.topics_.n_topics)
        times = times_asked(prevalence, comma_separated(at), number_or_text(periods) if periods else None)
        with working("Drawing curves", quiet):
            if groups and topic:
                table = _over_time(prevalence, topic, groups, times, level)
            else:
                table = prevalence.differences(times, level, groups=groups or None)
        if topic:
            table = table[table["topic"].isin(topic)].reset_index(drop=True)
        written = write_if_wanted(table, out, quiet)
        text = "" if written else contrast_text(table, learned.topics_)
    answer(text, {"groups": groups or prevalence.groups, "rows": table, "written": written}, json)


def _two(a: str | None, b: str | None) -> tuple[str, ...]:
    """The two groups, or none; refuses one alone."""
    if a is None:
        return ()
    if b is None or a == b:
        raise ValueError(f"a contrast is between two groups, but only {a!r} is given; pass another, or none for all.")
    return a, b


def _over_time(
    prevalence: Prevalence, topics: Sequence[int], groups: tuple[str, ...], times: Any, level: float
) -> pd.DataFrame:
    """The contrast of two groups at each time, of each topic."""
    import pandas as pd

    a, b = groups
    tables = [prevalence.contrast(k, a, b, times, level) for k in topics]
    for k, table in zip(topics, tables, strict=True):
        table.insert(0, "topic", k)
    return pd.concat(tables, ignore_index=True)
