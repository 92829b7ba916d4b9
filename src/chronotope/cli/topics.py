"""chronotope topics"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import ModelDocuments, load_saved, read_for
from chronotope.cli.io import check_table, write_if_wanted
from chronotope.cli.output import answer, column_of_times, overview, overview_text, screen_table
from chronotope.cli.values import check_topics, comma_separated, number_or_text

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.model.estimator import DynamicTopicModel
    from chronotope.topics import Topics


class Show(StrEnum):
    """The tables to choose from."""

    overview = "overview"
    words = "words"
    curves = "curves"
    shares = "shares"
    documents = "documents"


@dataclass(frozen=True)
class Asked:
    """What is asked.

    topics : numbers of topics, all if empty;  n_words : words of a topic;  words : words to draw, top words if empty
    times, periods : as the tables take them;  n_documents : of a topic in a period;  by : column of groups
    """

    topics: Sequence[int]
    n_words: int
    words: Sequence[str]
    times: Any
    periods: Any
    n_documents: int
    by: str | None = None


def make_table(model: DynamicTopicModel, found: ModelDocuments | None, show: Show, asked: Asked) -> pd.DataFrame:
    """The table, of the topics asked for."""
    from chronotope import analysis

    learned = model.topics_
    if show == Show.overview:
        table = overview(learned, asked.n_words)
    elif show == Show.words:
        table = analysis.top_words_table(model, asked.times or asked.periods, asked.n_words)
    elif show == Show.curves:
        table = analysis.trajectory_table(model, _words_by_topic(learned, asked), asked.times)
    elif found is None:
        raise ValueError(f"--show {show} is about documents; pass the corpus after the model.")
    elif show == Show.shares:
        table = analysis.topic_shares(model, found.corpus, asked.periods, by=asked.by, shares=found.shares())
    else:
        table = analysis.representative_documents(
            model, found.corpus, asked.periods, asked.n_documents, shares=found.shares()
        )
    return table[table["topic"].isin(asked.topics)].reset_index(drop=True) if asked.topics else table


def table_text(table: pd.DataFrame, show: Show, topics: Topics) -> str:
    """The table for the screen: the words of a topic in one cell, shares with one column per topic."""
    if show == Show.overview:
        return overview_text(table, topics)
    if show == Show.words:
        keys = ["topic", column_of_times(table)]
        table = table.groupby(keys, sort=False)["word"].agg(" ".join).reset_index().rename(columns={"word": "words"})
    if show == Show.shares:
        keys = [key for key in ("group", "period", "documents", "tokens") if key in table.columns]
        names = [f"topic {k}" for k in dict.fromkeys(table["topic"])]
        wide = table["share"].to_numpy().reshape(-1, len(names))  # the topics of a period are adjacent rows
        table = table.iloc[:: len(names)][keys].reset_index(drop=True)
        table[names] = wide
    return screen_table(table)


def _words_by_topic(topics: Topics, asked: Asked) -> dict[int, Sequence[str]]:
    chosen = asked.topics or range(topics.n_topics)
    return {k: asked.words or [word for word, _ in topics.top_words(k, n=asked.n_words)] for k in chosen}


NO_DOCUMENTS = "--show {show} is about words and does not need the corpus; remove {corpus!r}."


def command(
    model: options.ModelPath,
    source: options.OptionalCorpusOptions,
    show: Annotated[
        Show,
        typer.Option(
            help="overview: top words at the start and at the end; words: top words at the times of --at or --periods; "
            "curves: probabilities of single words, with bands; shares: prevalence, the share of the text that is "
            "about a topic; documents: the most representative ones.",
        ),
    ] = Show.overview,
    topic: Annotated[list[int] | None, typer.Option(help="Only this topic; may be given several times.")] = None,
    words: Annotated[int, typer.Option(min=1, help="Number of words of a topic.")] = 8,
    word: Annotated[str | None, typer.Option(help="Comma-separated words, for curves.")] = None,
    at: options.At = None,
    periods: options.PeriodLength = None,
    by: options.GroupColumn = None,
    documents: Annotated[int, typer.Option(min=1, help="Number of documents of a topic in a period.")] = 3,
    out: options.TableOut = None,
    no_cache: options.NoCache = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show the topics of a saved model: their words, how these changed, and the topics' prevalence.

    ```
    chronotope topics model.ct
    chronotope topics model.ct --show words --at 1900,1950,2000 --words 15
    chronotope topics model.ct --show curves --topic 3 --word war,peace --out curves.csv
    chronotope topics model.ct texts.csv --show shares --periods decade --by party --out shares.csv
    ```

    Shares and documents are about documents, so they need the corpus after the model.
    """
    with sentences():
        check_table(out, force)
        if source.corpus and show not in (Show.shares, Show.documents):
            raise ValueError(NO_DOCUMENTS.format(show=show.value, corpus=source.corpus))
        if by is not None and show != Show.shares:
            raise ValueError(f"--by groups the documents of shares; pass --show shares, not {show.value}.")
        asked = Asked(
            topics=topic or [],
            n_words=words,
            words=comma_separated(word),
            times=comma_separated(at) if at else None,
            periods=number_or_text(periods) if periods else None,
            n_documents=documents,
            by=by,
        )
        saved, texts = load_saved(model, quiet), show == Show.documents
        learned = saved.model
        check_topics(asked.topics, learned.topics_.n_topics)
        found = None
        if source.corpus:
            found = read_for(saved, source, keep_texts=texts, no_cache=no_cache, quiet=quiet)
        table = make_table(learned, found, show, asked)
        written = write_if_wanted(table, out, quiet)
        text = "" if written else table_text(table, show, learned.topics_)
    answer(text, {"show": show.value, "rows": table, "written": written}, json)
