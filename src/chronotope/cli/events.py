"""chronotope events"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import load_saved, read_for
from chronotope.cli.io import check_distinct, check_table, write_if_wanted
from chronotope.cli.output import answer, note, screen_table, verbosity

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.corpus import Corpus
    from chronotope.model.estimator import DynamicTopicModel

DETAILS = ["low", "high", "strength"]  # columns of the file that are not on the screen


def command(
    model: options.ModelPath,
    source: options.OptionalCorpusOptions,
    factor: Annotated[float, typer.Option(help="Minimum ratio of a burst to the usual level.")] = 2.0,
    probability: Annotated[float, typer.Option(help="Minimum posterior probability of a burst.")] = 0.8,
    words: Annotated[int, typer.Option(min=1, help="Maximum number of words of an event.")] = 6,
    documents: Annotated[int, typer.Option(min=1, help="Maximum number of documents of an event.")] = 3,
    out: options.TableOut = None,
    no_cache: options.NoCache = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find dated bursts of words and of whole topics, the strongest first, and the documents behind them.

    ```
    chronotope events model.ct texts.csv
    chronotope events model.ct texts.csv --factor 3 --probability 0.95 --out events.csv
    ```

    Without the corpus there are no documents, bursts of topics are less exact, and a word that one long document
    repeats may be an event. A model with the kernel "events" finds short bursts that other kernels smooth out.
    """
    with sentences():
        check_table(out, force)
        check_distinct({"--out": out}, {"the model": model} | source.files)
        saved = load_saved(model, quiet)
        asked: dict[str, Any] = {
            "factor": factor,
            "probability": probability,
            "n_words": words,
            "n_documents": documents,
        }
        if source.corpus:
            documents_of = read_for(saved, source, no_cache=no_cache, quiet=quiet)
            table = _named(documents_of.events(**asked), documents_of.corpus)
        else:
            table = _without_documents(saved.model, asked, quiet)
        written = write_if_wanted(table, out, quiet)
        text = "" if written else screen_table(table.drop(columns=DETAILS))
    answer(text, {"events": table, "written": written}, json)


def _without_documents(model: DynamicTopicModel, asked: dict[str, Any], quiet: bool) -> pd.DataFrame:
    """Events from the model alone."""
    from chronotope.analysis import find_events

    note("Looking for events", quiet)
    return find_events(model, **asked, verbose=verbosity(quiet))


def _named(table: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    """The documents by their ids instead of their rows."""
    return table.assign(documents=table["documents"].map(lambda rows: [str(corpus.ids[row]) for row in rows]))
