"""chronotope events"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options as inputs
from chronotope.cli.app import sentences
from chronotope.cli.io import TableOut, check_table, read_for, write
from chronotope.cli.output import answer, note, progress, screen_table

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.corpus import Corpus

DETAILS = ["low", "high", "strength"]  # columns for the file, not for the screen


def events(
    model: inputs.ModelPath,
    source: inputs.MaybeSource,
    factor: Annotated[float, typer.Option(help="How many times its usual a burst must be.")] = 2.0,
    probability: Annotated[float, typer.Option(help="How sure a burst must be.")] = 0.8,
    words: Annotated[int, typer.Option(min=1, help="Most words of an event.")] = 6,
    documents: Annotated[int, typer.Option(min=1, help="Most documents of an event.")] = 3,
    out: TableOut = None,
    force: inputs.Force = False,
    json: inputs.Json = False,
    quiet: inputs.Quiet = False,
) -> None:
    """Find dated bursts of words and of whole topics, the strongest first, and the documents behind them.

    ```
    chronotope events model.ct texts.csv
    chronotope events model.ct texts.csv --factor 3 --probability 0.95 --out events.csv
    ```

    Without the corpus there are no documents, and bursts of topics are less exact. A model with the kernel "events"
    sees short bursts that others smooth away.
    """
    with sentences():
        from chronotope.analysis import find_events
        from chronotope.model.persistence import load

        check_table(out, force)
        learned = load(model)
        corpus = read_for(learned, source, quiet=quiet).corpus if source.corpus else None
        note("Looking for events", quiet)
        asked: dict[str, Any] = {
            "factor": factor,
            "probability": probability,
            "n_words": words,
            "n_documents": documents,
        }
        found = find_events(learned, corpus, **asked, verbose=progress(quiet))
        table = found if corpus is None else _named(found, corpus)
        written = write(table, out, quiet)
        text = "" if written else screen_table(table.drop(columns=DETAILS))
    answer(text, {"events": table, "written": written}, json)


def _named(table: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    """The documents by their ids instead of their rows."""
    return table.assign(documents=table["documents"].map(lambda rows: [str(corpus.ids[row]) for row in rows]))
