"""chronotope infer"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import ModelDocuments, load_saved, read_for
from chronotope.cli.io import check_distinct, check_table, engine_of, write_if_wanted
from chronotope.cli.output import answer, note, screen_table

if TYPE_CHECKING:
    import pandas as pd


def command(
    model: options.ModelPath,
    source: options.CorpusOptions,
    out: options.TableOut = None,
    cluster: options.Cluster = None,
    no_cache: options.NoCache = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the topics of new documents, at their own dates.

    ```
    chronotope infer model.ct new.csv --out shares.csv
    ```

    Texts are preprocessed as those that the model was fitted on. The table has one row per document: its id and time,
    the number of its tokens that the model knows and of those that it does not, and the share of every topic. A
    document without a word that the model knows has no shares.
    """
    with sentences(), engine_of(cluster, quiet) as engine:
        check_table(out, force)
        check_distinct({"--out": out}, {"the model": model} | source.files)
        found = read_for(load_saved(model, quiet), source, no_cache=no_cache, quiet=quiet)
        found.model.engine = engine
        table = share_table(found)
        unknown = int((table["known"] == 0).sum())
        if unknown:
            note(f"  {unknown:,} of {len(table):,} documents have no word of the model, and therefore no shares", quiet)
        written = write_if_wanted(table, out, quiet)
        text = "" if written else screen_table(table)
    counts = {"documents": len(table), "without_known_words": unknown, "known_share": found.prepared.known_share}
    answer(text, counts | {"rows": table, "written": written}, json)


def share_table(found: ModelDocuments) -> pd.DataFrame:
    """Columns: id, time, date (of a calendar), known, unknown (tokens), topic0, topic1, ..."""
    import numpy as np
    import pandas as pd

    from chronotope.dates.periods import with_dates

    corpus = found.corpus
    known = np.asarray(corpus.counts.sum(axis=1), dtype=np.int64)
    shares = np.where(known[:, None] > 0, found.shares(), np.nan)
    about = {"id": corpus.ids, "time": corpus.times, "known": known, "unknown": found.prepared.unknown}
    table = pd.DataFrame(about | dict(zip(found.model.get_feature_names_out(), shares.T, strict=True)))
    return with_dates(table, corpus.calendar)
