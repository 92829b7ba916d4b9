"""chronotope infer"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.cli import options as inputs
from chronotope.cli.app import sentences
from chronotope.cli.io import TableOut, check_table, read_for, write
from chronotope.cli.output import answer, note, screen_table, working

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.align import Prepared
    from chronotope.model import DynamicTopicModel


def infer(
    model: inputs.ModelPath,
    source: inputs.Source,
    out: TableOut = None,
    force: inputs.Force = False,
    json: inputs.Json = False,
    quiet: inputs.Quiet = False,
) -> None:
    """Find the topics of new documents, at their own dates.

    ```
    chronotope infer model.ct new.csv --out shares.csv
    ```

    Texts are prepared as those that the model was fitted on. A row for each document: its id and time, how many of its
    words the model knows and how many it does not, and the share of every topic. A document without a word that the
    model knows has no shares.
    """
    with sentences():
        from chronotope.model.persistence import load

        check_table(out, force)
        learned = load(model)
        prepared = read_for(learned, source, quiet=quiet)
        with working("Finding their topics", quiet):
            table = share_table(learned, prepared)
        silent = int((table["known"] == 0).sum())
        if silent:
            note(f"  {silent:,} of {len(table):,} documents have no word of the model, and so no shares", quiet)
        written = write(table, out, quiet)
        text = "" if written else screen_table(table)
    counts = {"documents": len(table), "without_known_words": silent, "known_share": prepared.known_share}
    answer(text, counts | {"rows": table, "written": written}, json)


def share_table(model: DynamicTopicModel, prepared: Prepared) -> pd.DataFrame:
    """Columns: id, time, date (of a calendar), known, unknown (tokens), topic0, topic1, ..."""
    import numpy as np
    import pandas as pd

    from chronotope.dates.periods import with_dates

    corpus = prepared.corpus
    known = np.asarray(corpus.counts.sum(axis=1), dtype=np.int64)
    shares = np.where(known[:, None] > 0, model.transform(corpus), np.nan)
    about = {"id": corpus.ids, "time": corpus.times, "known": known, "unknown": prepared.unknown}
    table = pd.DataFrame(about | dict(zip(model.get_feature_names_out(), shares.T, strict=True)))
    return with_dates(table, corpus.calendar)
