"""Tables of `chronotope topics`: which there are, how they are made, how they look on a screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from chronotope.cli.overview import overview, overview_text
from chronotope.cli.tables import column_of_times, screen_table

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus import Corpus
    from chronotope.model import DynamicTopicModel
    from chronotope.topics import Topics


class Show(StrEnum):
    """The tables there are."""

    overview = "overview"
    words = "words"
    curves = "curves"
    shares = "shares"
    documents = "documents"


@dataclass(frozen=True)
class Asked:
    """What is asked: numbers of topics, how many words or which, times, periods, how many documents, which groups."""

    topics: Sequence[int]
    n_words: int
    words: Sequence[str]
    times: Any
    periods: Any
    n_documents: int
    by: str | None = None


def make_table(model: DynamicTopicModel, corpus: Corpus | None, show: Show, asked: Asked) -> pd.DataFrame:
    """The table, of the topics asked for."""
    from chronotope import answers

    learned = model.topics_
    for topic in asked.topics:
        learned._topic(topic)
    if show == Show.overview:
        table = overview(learned, asked.n_words)
    elif show == Show.words:
        table = answers.top_words(model, asked.times or asked.periods, asked.n_words)
    elif show == Show.curves:
        table = answers.trajectories(model, _words_by_topic(learned, asked), asked.times)
    elif corpus is None:
        raise ValueError(f"--show {show} is about documents; pass the corpus after the model.")
    elif show == Show.shares:
        table = answers.topic_shares(model, corpus, asked.periods, by=asked.by)
    else:
        table = answers.representative_documents(model, corpus, asked.periods, asked.n_documents)
    return table[table["topic"].isin(asked.topics)].reset_index(drop=True) if asked.topics else table


def table_text(table: pd.DataFrame, show: Show, topics: Topics) -> str:
    """The table for the screen: words of a topic on one line, shares with a column for each topic."""
    if show == Show.overview:
        return overview_text(table, topics)
    if show == Show.words:
        keys = ["topic", column_of_times(table)]
        table = table.groupby(keys, sort=False)["word"].agg(" ".join).reset_index().rename(columns={"word": "words"})
    if show == Show.shares:
        keys = [key for key in ("group", "period", "documents", "tokens") if key in table.columns]
        names = [f"topic {k}" for k in dict.fromkeys(table["topic"])]
        wide = table["share"].to_numpy().reshape(-1, len(names))  # the topics of a period stand together
        table = table.iloc[:: len(names)][keys].reset_index(drop=True)
        table[names] = wide
    return screen_table(table)


def _words_by_topic(topics: Topics, asked: Asked) -> dict[int, Sequence[str]]:
    chosen = asked.topics or range(topics.n_topics)
    return {k: asked.words or [word for word, _ in topics.top_words(k, n=asked.n_words)] for k in chosen}
