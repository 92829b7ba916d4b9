"""Prevalence that a model has learned: its tables, and their text, which is no finer than the numbers are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chronotope.cli.output import screen_table

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.model import DynamicTopicModel
    from chronotope.model.curves import Prevalence
    from chronotope.topics import Topics

NONE = (
    "the model was fitted without prevalence; fit it with --groups, as chronotope fit texts.csv --groups party, or "
    'with --prevalence "constant + ou"; --words-by party is for words that differ between groups.'
)
NO_GROUPS = "the model was fitted without groups; fit it with --groups, as chronotope fit texts.csv --groups party."
NO_NUMBERS = 'prevalence follows no numbers; fit the model with --prevalence "constant + ou + linear(age)".'
INTERVALS = ("difference", "ratio")  # columns with an interval beside them
SURE = 0.995  # above it, more draws would be needed to say how sure


def learned_prevalence(model: DynamicTopicModel) -> Prevalence:
    """The prevalence of a model; refuses one that has learned none."""
    if not hasattr(model, "prevalence_"):
        raise ValueError(NONE)
    found: Prevalence = model.prevalence_
    return found


def check_groups(prevalence: Prevalence) -> None:
    """Refuse prevalence without groups."""
    if not prevalence.groups:
        raise ValueError(NO_GROUPS)


def times_asked(prevalence: Prevalence, times: Any, periods: Any) -> Any:
    """The times given, or the middles of periods, of a round length if that is not given."""
    import numpy as np

    from chronotope.dates.periods import choose_periods

    if times:
        return times
    middles = choose_periods(periods, prevalence.span, prevalence.calendar).times
    return np.unique(np.clip(middles, *prevalence.span))


def groups_asked(prevalence: Prevalence, by: str | None) -> tuple[str, ...] | None:
    """The groups of a column, all that were fitted; None for what all of them share."""
    if by is None:
        return None
    check_groups(prevalence)
    fitted = prevalence.columns.terms.by
    if by != fitted:
        raise ValueError(f"--by is {by!r}, but the model was fitted with groups of {fitted!r}; pass --by {fitted}.")
    return prevalence.groups


def effects_table(prevalence: Prevalence, level: float) -> pd.DataFrame:
    """Effects of numbers on prevalence; refuses prevalence without any."""
    if not prevalence.columns.terms.linear:
        raise ValueError(NO_NUMBERS)
    return prevalence.effects(level)


def curves_text(table: pd.DataFrame, topics: Topics) -> str:
    """Curves or effects for the screen: named topics, and a value as finely as its band tells."""
    from chronotope.display.tables import known

    value = "share" if "share" in table.columns else "estimate"
    widths = table["high"] - table["low"]
    shown = {name: list(map(known, table[name], widths)) for name in (value, "low", "high")}
    return screen_table(_named(table, topics).assign(**shown))


def contrast_text(table: pd.DataFrame, topics: Topics) -> str:
    """Contrasts for the screen: named topics, and a cell for each value with its interval."""
    shown = _named(table, topics)
    shown["probability"] = shown["probability"].map(as_probability)
    for name in INTERVALS:
        low, high = f"{name}_low", f"{name}_high"
        cells = zip(shown[name], shown[low], shown[high], strict=True)
        shown[name] = [_interval(name, cell) for cell in cells]
        shown = shown.drop(columns=[low, high])
    return screen_table(shown)


def _named(table: pd.DataFrame, topics: Topics) -> pd.DataFrame:
    """The table with the names of the topics."""
    from chronotope.analysis import topic_names

    return table.assign(topic=table["topic"].map(dict(enumerate(topic_names(topics)))))


def as_probability(value: float) -> str:
    """A probability for the screen, no surer than draws can tell."""
    return "> 0.99" if value > SURE else "< 0.01" if value < 1.0 - SURE else f"{value:.2f}"


def _interval(name: str, values: Sequence[float]) -> str:
    """A value and its interval, as "1.4 (1.1 to 1.9)"; the width of a ratio's is that of its lower end."""
    from chronotope.display.tables import known

    _, low, high = values
    width = low * math.log(high / low) if name == "ratio" else high - low
    value, first, last = (known(x, width) for x in values)
    return f"{value} ({first} to {last})"
