"""Words of groups for chronotope contrast: which set two groups apart, how far these are, and when they parted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from chronotope.cli.output import screen_table
from chronotope.cli.prevalence import as_probability
from chronotope.cli.values import group_of

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.topics import Topics

NO_WORDS = (
    "the words of the model do not differ between groups; fit it with --words-by, as chronotope fit texts.csv "
    '--words-by party, or with --kernel "constant + ou + space(1, 300 km)" for places.'
)
UNLABELLED = "(none)", "(no place)"  # groups of documents without one


def check_words(topics: Topics) -> None:
    """Refuse a model whose words do not differ between groups or places."""
    if not topics.groups:
        raise ValueError(NO_WORDS)


def two_groups(topics: Topics, given: Sequence[str], needed: bool) -> tuple[str, ...]:
    """The groups given; without any, those of a model that has two; else none, or refused if they are needed."""
    if given:
        return tuple(group_of(topics, group) for group in given)
    groups = tuple(group for group in topics.groups if group not in UNLABELLED)
    if len(groups) == 2:
        return groups
    if needed or len(groups) > _most():
        kind = "groups" if topics.places is None else "cells"
        shown = ", ".join(map(repr, groups[:8])) + ", ..." * (len(groups) > 8)
        raise ValueError(f"the model has {len(groups):,} {kind}; name two of them, by name or number: {shown}.")
    return ()


def _most() -> int:
    from chronotope.analysis.parted import GROUPS

    return GROUPS


def contrast_table(
    topics: Topics, numbers: Sequence[int], groups: tuple[str, ...], times: Any, n: int, level: float
) -> pd.DataFrame:
    """Words that set two groups apart, of each topic; see `contrast`."""
    from chronotope.analysis import contrast

    a, b = groups
    return _of_each(numbers, lambda k: contrast(topics, k, a, b, times, n, level=level))


def divergence_table(
    topics: Topics, numbers: Sequence[int], groups: tuple[str, ...], times: Any, level: float
) -> pd.DataFrame:
    """How far apart two groups are over time, in each topic; see `divergence`."""
    from chronotope.analysis import divergence

    a, b = groups
    return _of_each(numbers, lambda k: divergence(topics, k, a, b, times, level=level))


def _of_each(numbers: Sequence[int], make: Callable[[int], pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    tables = [make(k) for k in numbers]
    for k, table in zip(numbers, tables, strict=True):
        table.insert(0, "topic", k)
    return pd.concat(tables, ignore_index=True)


def words_text(table: pd.DataFrame, topics: Topics, groups: tuple[str, ...]) -> str:
    """A table of this file for the screen: named topics, a cell for each value with its interval."""
    from chronotope.analysis import topic_names
    from chronotope.display.tables import known

    shown = table.assign(topic=table["topic"].map(dict(enumerate(topic_names(topics)))))
    if "probability" in shown:
        shown["probability"] = shown["probability"].map(lambda value: "" if value != value else as_probability(value))
    if "share_a" in shown:
        cells = zip(shown["ratio"], shown["low"], shown["high"], strict=True)
        shown["ratio"] = [ratio_text(*cell) for cell in cells]
        names = {f"share_{side}": f"in {group}" for side, group in zip("ab", groups, strict=True)}
        shown = shown.rename(columns=names)
    elif "divergence" in shown:
        cells = zip(shown["divergence"], shown["low"], shown["high"], strict=True)
        shown["divergence"] = ["{} ({} to {})".format(*(known(x, cell[2] - cell[1]) for x in cell)) for cell in cells]
    else:
        return screen_table(_parting_columns(shown))
    return screen_table(shown.drop(columns=["low", "high"]))


def _parting_columns(table: pd.DataFrame) -> pd.DataFrame:
    """The columns of partings that a screen has room for; nothing where the groups have too little text in common."""
    ends = ["low_date", "high_date"] if "date" in table else ["low_time", "high_time"]
    when = "date" if "date" in table else "time"
    shown = table[["topic", "a", "b", "probability", when, *ends, "before", "after"]].astype(object)
    shown = shown.where(
        table["probability"].notna().to_numpy()[:, None] | (shown.columns.isin(["topic", "a", "b"])), ""
    )
    return shown.rename(columns={when: "when", ends[0]: "from", ends[1]: "to", "probability": "parted"})


def ratio_text(value: float, low: float, high: float) -> str:
    """A ratio and its interval, as finely as the interval tells."""
    from chronotope.display.tables import known

    width = low * math.log(high / low)
    return "{} ({} to {})".format(*(known(x, width) for x in (value, low, high)))
