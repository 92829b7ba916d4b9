"""chronotope forecast"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options as inputs
from chronotope.cli.app import sentences
from chronotope.cli.io import TableOut, check_table, read_for, write
from chronotope.cli.output import answer, screen_table, working
from chronotope.cli.topics import Show, table_text

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.model import DynamicTopicModel
    from chronotope.topics import Topics

STEPS = 3  # times ahead if none are said
NO_CORPUS = "--check fits the model anew on the past only; pass the corpus after the model."


def forecast(
    model: inputs.ModelPath,
    source: inputs.MaybeSource,
    at: inputs.At = None,
    topic: Annotated[list[int] | None, typer.Option(help="Only this topic; may be given several times.")] = None,
    words: Annotated[int, typer.Option(min=1, help="How many words of a topic.")] = 8,
    word: Annotated[str | None, typer.Option(help="Which words, with commas between.")] = None,
    level: Annotated[float, typer.Option(help="Posterior probability of the bands.")] = 0.9,
    check: Annotated[
        str | None,
        typer.Option(help='Instead, measure how good forecasts would have been, so far ahead: "1 year,5 years".'),
    ] = None,
    out: TableOut = None,
    force: inputs.Force = False,
    json: inputs.Json = False,
    quiet: inputs.Quiet = False,
) -> None:
    """Say which words come next, past the last document, and how sure that is.

    ```
    chronotope forecast model.ct --at 2030,2040
    chronotope forecast model.ct --topic 3 --word war,peace --at 2030
    chronotope forecast model.ct texts.csv --check "1 year,5 years"
    ```

    The check fits the model five times on the past only, and scores it on what came after, next to topics that stay as
    they were: a ratio below 1 says that forecasting helped.
    """
    with sentences():
        from chronotope.model.persistence import load

        check_table(out, force)
        if check and not source.corpus:
            raise ValueError(NO_CORPUS)
        learned = load(model)
        if check:
            table = _checked(learned, source, inputs.words(check), quiet)
            text = screen_table(table)
        else:
            times = inputs.words(at) if at else _ahead(learned.topics_)
            table = _forecast(learned, times, topic or [], words, inputs.words(word or ""), level)
            text = screen_table(table) if word else table_text(table, Show.words, learned.topics_)
        written = write(table, out, quiet)
    answer("" if written else text, {"rows": table, "written": written}, json)


def _forecast(
    model: DynamicTopicModel, times: Any, topics: list[int], n: int, words: list[str], level: float
) -> pd.DataFrame:
    from chronotope import analysis as answers

    chosen = [model.topics_.check_topic(topic) for topic in topics]
    by_topic = {k: words for k in chosen or range(model.topics_.n_topics)} if words else None
    table = answers.forecast_words(model, times, by_topic, n=n, level=level)
    return table[table["topic"].isin(chosen)].reset_index(drop=True) if chosen else table


def _ahead(topics: Topics) -> list[float]:
    """The next few times, a round length apart that suits the span."""
    from chronotope.analysis import choose_periods

    edges = choose_periods(None, topics.span, topics.calendar).edges
    return [topics.span[1] + step * float(edges[1] - edges[0]) for step in range(1, STEPS + 1)]


def _checked(model: DynamicTopicModel, source: inputs.Source, horizons: list[str], quiet: bool) -> pd.DataFrame:
    """Forecasts from several dates of the past against what came after."""
    from chronotope.analysis import rolling_origin, summarise_rolling

    corpus = read_for(model, source, quiet=quiet).corpus
    with working("Fitting up to five dates", quiet):
        scores = rolling_origin(corpus, model, [inputs.number(text) for text in horizons], verbose=False)
    return summarise_rolling(scores)
