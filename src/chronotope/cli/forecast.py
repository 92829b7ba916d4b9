"""chronotope forecast"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.io import check_table, read_for, write_if_wanted
from chronotope.cli.output import answer, screen_table, working
from chronotope.cli.topics import Show, table_text
from chronotope.cli.values import check_topics, comma_separated, number_or_text

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.model.estimator import DynamicTopicModel
    from chronotope.topics import Topics

STEPS = 3  # times ahead by default
NO_CORPUS = "--check fits the model again on the past only; pass the corpus after the model."


def command(
    model: options.ModelPath,
    source: options.OptionalCorpusOptions,
    at: options.At = None,
    topic: Annotated[list[int] | None, typer.Option(help="Only this topic; may be given several times.")] = None,
    words: Annotated[int, typer.Option(min=1, help="Number of words of a topic.")] = 8,
    word: Annotated[str | None, typer.Option(help="Comma-separated words to forecast.")] = None,
    level: Annotated[float, typer.Option(help="Posterior probability of the bands.")] = 0.9,
    check: Annotated[
        str | None,
        typer.Option(help='Instead, score past forecasts at these comma-separated horizons: "1 year,5 years".'),
    ] = None,
    out: options.TableOut = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Forecast which words come next, after the last document, and how sure that is.

    ```
    chronotope forecast model.ct --at 2030,2040
    chronotope forecast model.ct --topic 3 --word war,peace --at 2030
    chronotope forecast model.ct texts.csv --check "1 year,5 years"
    ```

    The check fits the model five times on the past only, and scores it on what came after, next to topics that do not
    change after that date: a ratio of perplexities below 1 means that forecasting helped.
    """
    with sentences():
        from chronotope.model import load

        check_table(out, force)
        if check and not source.corpus:
            raise ValueError(NO_CORPUS)
        learned = load(model)
        if check:
            table = _checked(learned, source, comma_separated(check), quiet)
            text = screen_table(table)
        else:
            times = comma_separated(at) if at else _ahead(learned.topics_)
            table = _forecast(learned, times, topic or [], words, comma_separated(word), level)
            text = screen_table(table) if word else table_text(table, Show.words, learned.topics_)
        written = write_if_wanted(table, out, quiet)
    answer("" if written else text, {"rows": table, "written": written}, json)


def _forecast(
    model: DynamicTopicModel, times: Any, topics: list[int], n: int, words: list[str], level: float
) -> pd.DataFrame:
    from chronotope import analysis

    check_topics(topics, model.topics_.n_topics)
    by_topic = {k: words for k in topics or range(model.topics_.n_topics)} if words else None
    table = analysis.forecast_words(model, times, by_topic, n=n, level=level)
    return table[table["topic"].isin(topics)].reset_index(drop=True) if topics else table


def _ahead(topics: Topics) -> list[float]:
    """The next few times, as far apart as the periods of the span."""
    from chronotope.dates.periods import choose_periods

    edges = choose_periods(None, topics.main_span, topics.calendar).edges
    return [topics.main_span[1] + step * float(edges[1] - edges[0]) for step in range(1, STEPS + 1)]


def _checked(model: DynamicTopicModel, source: options.CorpusOptions, horizons: list[str], quiet: bool) -> pd.DataFrame:
    """Scores of forecasts from several dates of the past."""
    from chronotope.analysis import rolling_origin, summarise_rolling

    corpus = read_for(model, source, quiet=quiet).corpus
    with working("Fitting on the past of five dates", quiet):
        scores = rolling_origin(corpus, model, [number_or_text(text) for text in horizons], verbose=False)
    return summarise_rolling(scores)
