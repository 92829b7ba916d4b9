"""chronotope forecast"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import ModelDocuments, load_saved, read_for
from chronotope.cli.io import check_distinct, check_table, write_if_wanted
from chronotope.cli.output import answer, screen_table, working
from chronotope.cli.topics import Show, table_text
from chronotope.cli.values import check_topics, comma_separated, number_or_text

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.model.estimator import DynamicTopicModel
    from chronotope.topics import Topics

STEPS = 3  # times ahead by default
NO_CORPUS = {
    "check": "--check fits the model again on the past only; pass the corpus after the model.",
    "shares": "--show shares is about documents; pass the corpus after the model.",
}


class Forecast(StrEnum):
    """The forecasts to choose from."""

    words = "words"
    shares = "shares"


def command(
    model: options.ModelPath,
    source: options.OptionalCorpusOptions,
    show: Annotated[
        Forecast,
        typer.Option(
            help="words: which words a topic will have; shares: prevalence, the share of the text that will be about a "
            "topic, which needs the corpus.",
        ),
    ] = Forecast.words,
    at: options.At = None,
    topic: Annotated[list[int] | None, typer.Option(help="Only this topic; may be given several times.")] = None,
    words: Annotated[int, typer.Option(min=1, help="Number of words of a topic.")] = 8,
    word: Annotated[str | None, typer.Option(help="Comma-separated words to forecast.")] = None,
    periods: Annotated[
        str | None, typer.Option(help='Length of the periods of shares: decade, "5 years", month, or a number.')
    ] = None,
    level: options.Level = 0.9,
    check: Annotated[
        str | None,
        typer.Option(help='Instead, score past forecasts at these comma-separated horizons: "1 year,5 years".'),
    ] = None,
    out: options.TableOut = None,
    no_cache: options.NoCache = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Forecast which words come next, or how much will be about each topic, and how sure that is.

    ```
    chronotope forecast model.ct --at 2030,2040
    chronotope forecast model.ct --topic 3 --word war,peace --at 2030
    chronotope forecast model.ct texts.csv --show shares --periods year --out shares.csv
    chronotope forecast model.ct texts.csv --check "1 year,5 years"
    ```

    The check fits the model five times on the past only, and scores it on what came after, next to topics that do not
    change after that date: a ratio of perplexities below 1 means that forecasting helped. With --show shares, errors
    are next to those of the last value and of the mean of the past, with the part of the shares inside their bands.
    """
    with sentences():
        check_table(out, force)
        check_distinct({"--out": out}, {"the model": model} | source.files)
        _check_options(show, source, word, periods, check)
        saved = load_saved(model, quiet)
        learned = saved.model
        check_topics(topic or [], learned.topics_.n_topics)
        length = number_or_text(periods) if periods else None
        if check or show == Forecast.shares:
            found = read_for(saved, source, no_cache=no_cache, quiet=quiet)
        if check:
            table = _checked(found, show, comma_separated(check), (length, level), quiet)
        elif show == Forecast.shares:
            table = _shares(found, comma_separated(at), length, level, quiet)
        else:
            times = comma_separated(at) if at else _ahead(learned.topics_)
            table = _words(learned, times, topic or [], words, comma_separated(word), level)
        if topic and not check:
            table = table[table["topic"].isin(topic)].reset_index(drop=True)
        in_cells = show == Forecast.words and not check and not word
        text = table_text(table, Show.words, learned.topics_) if in_cells else _screen(table)
        written = write_if_wanted(table, out, quiet)
    answer("" if written else text, {"rows": table, "written": written}, json)


def _check_options(
    show: Forecast, source: options.CorpusOptions, word: str | None, periods: str | None, check: str | None
) -> None:
    """Refuse a question about documents without a corpus, and options of the other forecast."""
    if not source.corpus and (check or show == Forecast.shares):
        raise ValueError(NO_CORPUS["check" if check else "shares"])
    if word and show == Forecast.shares:
        raise ValueError("--word is about the words of topics; pass --show words, or remove it.")
    if periods and show == Forecast.words:
        raise ValueError("--periods are those of shares; pass --show shares, or remove it.")


def _screen(table: pd.DataFrame) -> str:
    """The table for the screen; a period with a name needs no dates."""
    dates = ["start", "start_date", "end", "end_date", "time", "date"]
    return screen_table(table.drop(columns=dates, errors="ignore") if "period" in table.columns else table)


def _shares(found: ModelDocuments, times: list[str], periods: Any, level: float, quiet: bool) -> pd.DataFrame:
    """Prevalence in the coming periods, or in those of the times given."""
    from chronotope import analysis

    asked = {"periods": periods, "level": level, "shares": found.shares()}
    with working("Forecasting", quiet):
        return analysis.forecast_shares(found.model, found.corpus, times or STEPS, **asked)


def _words(
    model: DynamicTopicModel, times: Any, topics: list[int], n: int, words: list[str], level: float
) -> pd.DataFrame:
    from chronotope import analysis

    by_topic = {k: words for k in topics or range(model.topics_.n_topics)} if words else None
    return analysis.forecast_words(model, times, by_topic, n=n, level=level)


def _ahead(topics: Topics) -> list[float]:
    """The next few times, as far apart as the periods of the span."""
    from chronotope.dates.periods import choose_periods

    edges = choose_periods(None, topics.main_span, topics.calendar).edges
    return [topics.main_span[1] + step * float(edges[1] - edges[0]) for step in range(1, STEPS + 1)]


def _checked(
    found: ModelDocuments, show: Forecast, horizons: list[str], bands: tuple[Any, float], quiet: bool
) -> pd.DataFrame:
    """Scores of forecasts from several dates of the past.   bands : length of periods and level, of shares."""
    from chronotope import analysis

    model, corpus = found.model, found.corpus
    lengths = [number_or_text(text) for text in horizons]
    with working("Fitting on the past of five dates", quiet):
        if show == Forecast.shares:
            periods, level = bands
            scores = analysis.rolling_shares(corpus, model, lengths, periods=periods, level=level, verbose=False)
            return analysis.summarise_rolling_shares(scores)
        return analysis.summarise_rolling(analysis.rolling_origin(corpus, model, lengths, verbose=False))
