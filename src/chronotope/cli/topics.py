"""chronotope topics"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import ModelDocuments, load_saved, read_for
from chronotope.cli.io import check_distinct, check_table, write_if_wanted
from chronotope.cli.output import (
    answer,
    column_of_times,
    note,
    overview,
    overview_text,
    screen_table,
    verbosity,
    working,
)
from chronotope.cli.prevalence import curves_text, effects_table, groups_asked, learned_prevalence, times_asked
from chronotope.cli.values import check_topics, comma_separated, group_of, number_or_text

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
    related = "related"
    marks = "marks"
    unexplained = "unexplained"
    unexplained_words = "unexplained-words"
    prevalence = "prevalence"
    effects = "effects"


LEARNED = (Show.prevalence, Show.effects)
WITHOUT_DOCUMENTS = (Show.words, Show.curves, *LEARNED)
OF_A_GROUP = (Show.overview, Show.words, Show.curves)
WITHOUT_TOPICS = (Show.unexplained, Show.unexplained_words)
RELATED = 3  # related topics of a topic


@dataclass(frozen=True)
class Asked:
    """What is asked.

    topics : numbers of topics, all if empty;  n_words : words of a topic;  words : words to draw, top words if empty
    times, periods : as the tables take them;  n_documents : of a topic in a period;  by : column of groups
    group : whose words, None for what all share;  level : of the bands
    verbose : whether progress is shown, None if stderr is a terminal
    """

    topics: Sequence[int]
    n_words: int
    words: Sequence[str]
    times: Any
    periods: Any
    n_documents: int
    by: str | None = None
    group: str | None = None
    level: float = 0.9
    verbose: bool | None = None


def make_table(model: DynamicTopicModel, found: ModelDocuments | None, show: Show, asked: Asked) -> pd.DataFrame:
    """The table, of the topics asked for."""
    from chronotope import analysis

    learned = model.topics_
    corpus, shares = (None, None) if found is None else (found.corpus, found.shares())
    if show == Show.overview:
        table = overview(learned, asked.n_words, analysis.topic_marks(model, corpus, shares=shares), asked.group)
    elif show == Show.words:
        times = asked.times or asked.periods
        table = analysis.top_words_table(model, times, asked.n_words, level=asked.level, group=asked.group)
    elif show == Show.curves:
        words = _words_by_topic(learned, asked)
        table = analysis.trajectory_table(model, words, asked.times, asked.level, group=asked.group)
    elif show in LEARNED:
        table = _learned_table(model, show, asked)
    elif show == Show.related:
        table = analysis.related_topics(model, corpus, RELATED, shares=shares)
    elif show == Show.marks:
        table = analysis.topic_marks(model, corpus, shares=shares)
    elif found is None:
        raise ValueError(f"--show {show} is about documents; pass the corpus after the model.")
    else:
        return _table_of_documents(found, show, asked)
    return _of_topics(table, asked.topics)


def _learned_table(model: DynamicTopicModel, show: Show, asked: Asked) -> pd.DataFrame:
    """A table of the prevalence that the model has learned."""
    prevalence = learned_prevalence(model)
    if show == Show.effects:
        return effects_table(prevalence, asked.level)
    times, groups = times_asked(prevalence, asked.times, asked.periods), groups_asked(prevalence, asked.by)
    with working("Drawing curves", asked.verbose is False):
        return prevalence.curves(times, groups, asked.level)


def _table_of_documents(found: ModelDocuments, show: Show, asked: Asked) -> pd.DataFrame:
    """A table that cannot be made without documents."""
    from chronotope import analysis

    given, periods = (found.model, found.corpus), asked.periods
    how: dict[str, Any] = {"shares": found.shares(), "verbose": asked.verbose}
    if show == Show.unexplained:
        return analysis.unexplained_documents(*given, periods, asked.n_documents, **how)
    if show == Show.unexplained_words:
        return analysis.unexplained_words(*given, periods, asked.n_words, **how)
    if show == Show.shares:
        table = analysis.topic_shares(*given, periods, by=asked.by, shares=found.shares())
    else:
        table = analysis.representative_documents(*given, periods, asked.n_documents, shares=found.shares())
    return _of_topics(table, asked.topics)


def _of_topics(table: pd.DataFrame, topics: Sequence[int]) -> pd.DataFrame:
    """The rows of these topics, all if there are none."""
    return table[table["topic"].isin(topics)].reset_index(drop=True) if topics else table


def table_text(table: pd.DataFrame, show: Show, topics: Topics) -> str:
    """The table for the screen: the words of a topic in one cell, shares with one column per topic."""
    if show == Show.overview:
        return overview_text(table, topics)
    if show in (Show.related, Show.marks):
        return _named_table(table, show, topics)
    if show in LEARNED:
        return curves_text(table, topics)
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


def _named_table(table: pd.DataFrame, show: Show, topics: Topics) -> str:
    """Relations or marks, with the names of the topics; only the topics that are marked."""
    from chronotope.analysis import topic_names

    names = dict(enumerate(topic_names(topics)))
    if show == Show.marks:
        table = table.loc[table["mark"] != "", ["topic", "share", "mark", "why"]]
        if not len(table):
            return "no topic is marked"
    named = {column: table[column].map(names) for column in ("topic", "other") if column in table.columns}
    return screen_table(table.assign(**named))


def _words_by_topic(topics: Topics, asked: Asked) -> dict[int, Sequence[str]]:
    chosen = asked.topics or range(topics.n_topics)
    return {
        k: asked.words or [word for word, _ in topics.top_words(k, n=asked.n_words, group=asked.group)] for k in chosen
    }


NO_DOCUMENTS = "--show {show} is all in the model and does not need the corpus; remove {corpus!r}."

ONLY_TWINS = "  by words alone only twins are seen; for the other marks, pass the corpus after the model"


def command(
    model: options.ModelPath,
    source: options.OptionalCorpusOptions,
    show: Annotated[
        Show,
        typer.Option(
            help="overview: top words at the start and at the end; words: top words at the times of --at or --periods; "
            "curves: probabilities of single words, with bands; shares: prevalence, the share of the text that is "
            "about a topic; documents: the most representative ones; related: topics with the same words or in the "
            "same documents; marks: topics that are a way of speaking, junk or twins; unexplained: documents that the "
            "topics explain least, and unexplained-words: their words; prevalence: as the model has learned it, with "
            "bands, if it was fitted with --prevalence or --groups; effects: of numbers on it.",
        ),
    ] = Show.overview,
    topic: Annotated[list[int] | None, typer.Option(help="Only this topic; may be given several times.")] = None,
    words: Annotated[int, typer.Option(min=1, help="Number of words of a topic or of a period.")] = 8,
    word: Annotated[str | None, typer.Option(help="Comma-separated words, for curves.")] = None,
    at: options.At = None,
    periods: options.PeriodLength = None,
    by: Annotated[
        str | None,
        typer.Option(help="Column of groups: of the corpus for shares; for prevalence, that of the fit."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            help="Words of this group or place, by name or number, if they differ; of what all share by default."
        ),
    ] = None,
    level: options.Level = 0.9,
    documents: Annotated[int, typer.Option(min=1, help="Number of documents of a topic or of all, in a period.")] = 3,
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
    chronotope topics model.ct --show prevalence --by party --topic 3
    chronotope topics model.ct --show words --group Whig
    chronotope topics model.ct texts.csv --show related
    chronotope topics model.ct texts.csv --show unexplained-words --periods year
    ```

    Shares, documents and what is unexplained need the corpus after the model. The overview, relations and marks are
    those of words without it, and of words and documents with it.
    """
    with sentences():
        check_table(out, force)
        check_distinct({"--out": out}, {"the model": model} | source.files)
        if source.corpus and show in WITHOUT_DOCUMENTS:
            raise ValueError(NO_DOCUMENTS.format(show=show.value, corpus=source.corpus))
        if topic and show in WITHOUT_TOPICS:
            raise ValueError(f"--show {show.value} is about what is in no topic; remove --topic.")
        if by is not None and show not in (Show.shares, Show.prevalence):
            raise ValueError(f"--by groups shares and prevalence; pass --show shares or prevalence, not {show.value}.")
        if group is not None and show not in OF_A_GROUP:
            raise ValueError(f"--group is about words; pass --show overview, words or curves, not {show.value}.")
        asked = Asked(
            topics=topic or [],
            n_words=words,
            words=comma_separated(word),
            times=comma_separated(at) if at else None,
            periods=number_or_text(periods) if periods else None,
            n_documents=documents,
            by=by,
            group=group,
            level=level,
            verbose=verbosity(quiet),
        )
        if show == Show.marks and not source.corpus:
            note(ONLY_TWINS, quiet)
        saved, texts = load_saved(model, quiet), show in (Show.documents, Show.unexplained)
        learned = saved.model
        asked = asked if group is None else replace(asked, group=group_of(learned.topics_, group))
        check_topics(asked.topics, learned.topics_.n_topics)
        found = None
        if source.corpus:
            found = read_for(saved, source, keep_texts=texts, no_cache=no_cache, quiet=quiet)
        table = make_table(learned, found, show, asked)
        written = write_if_wanted(table, out, quiet)
        text = "" if written else table_text(table, show, learned.topics_)
    answer(text, {"show": show.value, "rows": table, "written": written}, json)
