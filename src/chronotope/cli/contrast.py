"""chronotope contrast"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.contrast_words import (
    check_words,
    contrast_table,
    divergence_table,
    two_groups,
    words_text,
)
from chronotope.cli.documents import load_saved
from chronotope.cli.io import check_distinct, check_table, write_if_wanted
from chronotope.cli.output import answer, working
from chronotope.cli.prevalence import check_groups, contrast_text, learned_prevalence, times_asked
from chronotope.cli.values import check_topics, comma_separated, number_or_text

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.model.curves import Prevalence
    from chronotope.topics import Topics


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
    words: Annotated[
        bool,
        typer.Option(
            "--words",
            help="Compare the words of groups or places within a topic, not how much they wrote about it: the default "
            "if groups differ in words alone. Without --topic, topics are ranked by how surely groups parted.",
        ),
    ] = False,
    divergence: Annotated[
        bool, typer.Option("--divergence", help="How far apart the words of two groups are over time, in bits.")
    ] = False,
    top: Annotated[int, typer.Option(min=1, help="With --words, number of words of each side.")] = 10,
    level: Annotated[float, typer.Option(help="Posterior probability of the intervals.")] = 0.9,
    out: options.TableOut = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare how much groups wrote about each topic, or which words they used, and say how sure that is.

    ```
    chronotope contrast model.ct
    chronotope contrast model.ct Whig Democrat
    chronotope contrast model.ct Whig Democrat --topic 3 --periods decade --out taxes.csv
    chronotope contrast model.ct Whig Democrat --topic 3 --words --at 1840,1860
    ```

    The first ranks topics by how much groups differ in them: which wrote most and least about each, the probability of
    that, the difference of their expected shares of a document, and the ratio. The second does so for two groups, and
    the third follows a topic over time: the probability is that the first group wrote more. The model has to be fitted
    with --groups; no corpus is needed.

    The fourth is for a model with words by group, as of fit --words-by: the words of the topic that set the groups
    apart, with the ratio of their probabilities. With --divergence, how far apart the groups are; without --topic,
    whether they parted in each topic, and when.
    """
    with sentences():
        check_table(out, force)
        check_distinct({"--out": out}, {"the model": model})
        groups = _two(a, b)
        learned = load_saved(model, quiet).model
        topics, length = learned.topics_, number_or_text(periods) if periods else None
        check_topics(topic or [], topics.n_topics)
        if words or divergence or (topics.groups and not hasattr(learned, "prevalence_")):
            check_words(topics)
            groups = two_groups(topics, groups, needed=bool(topic))
            asked = AboutWords(topic or [], groups, _times_of_words(topics, at, length), top, level, divergence)
            with working("Comparing words", quiet):
                table, all_groups = _words(topics, asked), topics.groups
            text = words_text(table, topics, groups)
        else:
            prevalence = learned_prevalence(learned)
            check_groups(prevalence)
            times, all_groups = times_asked(prevalence, comma_separated(at), length), prevalence.groups
            with working("Drawing curves", quiet):
                if groups and topic:
                    table = _over_time(prevalence, topic, groups, times, level)
                else:
                    table = prevalence.differences(times, level, groups=groups or None)
            if topic:
                table = table[table["topic"].isin(topic)].reset_index(drop=True)
            text = contrast_text(table, topics)
        written = write_if_wanted(table, out, quiet)
    answer("" if written else text, {"groups": groups or all_groups, "rows": table, "written": written}, json)


class AboutWords(NamedTuple):
    """What is asked about words.

    numbers : of topics, all if empty;  groups : two, or none for all pairs;  times : None for all together
    top : words of each side;  level : of the intervals;  divergence : whether how far apart, in place of words
    """

    numbers: Sequence[int]
    groups: tuple[str, ...]
    times: Any
    top: int
    level: float
    divergence: bool


def _words(topics: Topics, asked: AboutWords) -> pd.DataFrame:
    """The table about words; without topics, those in which the groups parted, most probable first."""
    from chronotope.analysis import partings

    if asked.numbers:
        given = topics, asked.numbers, asked.groups, asked.times
        return (
            divergence_table(*given, asked.level)
            if asked.divergence
            else contrast_table(*given, asked.top, asked.level)
        )
    if asked.divergence or asked.times is not None:
        what = "--divergence is" if asked.divergence else "--at and --periods are"
        raise ValueError(f"{what} about the words of one topic; pass --topic 3.")
    return partings(topics, *asked.groups, level=asked.level)


def _times_of_words(topics: Topics, at: str | None, periods: Any) -> Any:
    """The times given, or the middles of periods; None for neither."""
    import numpy as np

    from chronotope.dates.periods import choose_periods

    if at or periods is None:
        return comma_separated(at) or None
    return np.unique(np.clip(choose_periods(periods, topics.main_span, topics.calendar).times, *topics.main_span))


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
