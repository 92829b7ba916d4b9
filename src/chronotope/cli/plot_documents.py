"""Figures of documents for chronotope plot: prevalence of topics, as lines, as a river or as a contrast, and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from chronotope.cli.documents import ModelDocuments
from chronotope.cli.options import CorpusOptions, flag

if TYPE_CHECKING:
    import pandas as pd


TITLE = 10  # font size


class Picture(StrEnum):
    """The figures to choose from."""

    words = "words"
    shares = "shares"
    river = "river"
    contrast = "contrast"
    events = "events"
    prevalence = "prevalence"
    word_contrast = "word-contrast"
    divergence = "divergence"
    map = "map"


@dataclass(frozen=True)
class Drawing:
    """What is asked.

    topics : numbers of topics, the most prevalent if empty;  periods : as `analysis.topic_shares` takes them
    by : column of groups;  between : the two groups of a contrast
    """

    show: Picture
    topics: Sequence[int] = ()
    periods: Any = None
    by: str | None = None
    between: Sequence[str] = ()


def check_words_only(source: CorpusOptions, asked: Drawing) -> None:
    """Refuse options about documents if words are shown."""
    options = {"corpus": source.corpus, **source.reading, **source.window, "periods": asked.periods, "by": asked.by}
    options |= {"between": asked.between or None}
    given = [flag(name) for name, value in options.items() if value not in ("", None)]
    if given:
        raise ValueError(f"{given[0]} is about documents; pass --show shares, river, contrast or events, or remove it.")
    if len(asked.topics) > 1:
        raise ValueError(f"--topic is given {len(asked.topics)} times, but words are those of one topic; give it once.")


def check_documents_only(n_models: int, source: CorpusOptions, asked: Drawing, about_words: Mapping[str, Any]) -> None:
    """Refuse several models, no corpus, and options about words if documents are shown.

    about_words : the values of these options by name
    """
    show = asked.show.value
    if n_models > 1:
        raise ValueError(f"--show {show} is of one model, but {n_models} files are given; name the corpus by --corpus.")
    if not source.corpus:
        raise ValueError(f"--show {show} is about documents; pass the corpus, as --corpus texts.csv.")
    given = [flag(name) for name, value in about_words.items() if value]
    if given:
        raise ValueError(f"{given[0]} is not for --show {show}; remove one of them.")
    if asked.by is not None and asked.show not in (Picture.shares, Picture.contrast):
        raise ValueError(f"--by groups the documents of shares; pass --show shares or contrast, not {show}.")
    if asked.between and asked.show != Picture.contrast:
        raise ValueError(f"--between names the groups of a contrast; pass --show contrast, not {show}.")
    if asked.show == Picture.contrast and (asked.by is None or len(asked.between) != 2 or len(asked.topics) != 1):
        raise ValueError(
            "--show contrast is the difference of a topic between two groups; pass the topic, the column and the "
            "groups, as --topic 3 --by party --between Democratic,Republican."
        )
    if asked.periods is not None and asked.show == Picture.events:
        raise ValueError("--periods is for shares and rivers; events have dates of their own, remove it.")


def draw_documents(name: str, found: ModelDocuments, asked: Drawing) -> tuple[Any, list[int]]:
    """The figure, and the numbers of the topics in it.   name : of the model, for the title."""
    draw = {Picture.events: _draw_events, Picture.contrast: _draw_contrast}.get(asked.show, _draw_shares)
    return draw(name, found, asked)


def _shares(found: ModelDocuments, asked: Drawing) -> pd.DataFrame:
    """Prevalence in the periods, and in the groups if any are asked for."""
    from chronotope.analysis import topic_shares

    return topic_shares(found.model, found.corpus, asked.periods, by=asked.by, shares=found.shares())


def _draw_contrast(name: str, found: ModelDocuments, asked: Drawing) -> tuple[Any, list[int]]:
    """The difference of a topic's prevalence between two groups."""
    from chronotope.analysis import topic_names
    from chronotope.plots import plot_contrast
    from chronotope.plots.axes import plain

    table = _shares(found, asked)
    [topic], (first, second), names = asked.topics, asked.between, topic_names(found.model)
    ax = plot_contrast(table, topic, first, second, names=names)
    ax.set_title(plain(f"{name}: {names[topic]}, by {asked.by}"), loc="left", fontsize=TITLE)
    return ax.figure, [topic]


def _draw_shares(name: str, found: ModelDocuments, asked: Drawing) -> tuple[Any, list[int]]:
    """Prevalence as lines, in panels if there are groups, or as a river."""
    from chronotope.analysis import topic_names
    from chronotope.plots import plot_river, plot_shares
    from chronotope.plots.axes import plain
    from chronotope.plots.share_table import chosen_topics

    table = _shares(found, asked)
    chosen, names = chosen_topics(table, asked.topics or None), topic_names(found.model)
    title = f"{name}: prevalence of topics"
    if asked.by is not None:
        figure = plot_shares(table, chosen, names=names)[0].figure
        legend = figure.legends[0]
        legend.set_title(plain(f"{title} by {asked.by}"), prop={"size": TITLE})
        legend.set_alignment("left")
        return figure, chosen
    ax = (plot_river if asked.show == Picture.river else plot_shares)(table, chosen, names=names)
    ax.set_title(plain(title), loc="left", fontsize=TITLE)
    return ax.figure, chosen


def _draw_events(name: str, found: ModelDocuments, asked: Drawing) -> tuple[Any, list[int]]:
    """The strongest events, of the topics asked for."""
    from chronotope.analysis import topic_names
    from chronotope.plots import plot_events
    from chronotope.plots.axes import plain
    from chronotope.plots.events import N_EVENTS

    events = found.events()
    if asked.topics:
        events = events[events["topic"].isin(asked.topics)]
    shown: pd.DataFrame = events.head(N_EVENTS)  # the strongest are first
    some = f"the {N_EVENTS} strongest of {len(events):,} events" if len(events) > N_EVENTS else "events"
    figure: Any = plot_events(shown, names=topic_names(found.model)).figure
    figure.suptitle(plain(f"{name}: {some}"), x=0.01, ha="left", fontsize=TITLE)  # above the legend
    return figure, sorted({int(k) for k in shown["topic"]})
