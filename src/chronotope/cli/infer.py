"""chronotope infer"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.io import check_table, read_for, write_if_wanted
from chronotope.cli.output import answer, note, screen_table, working

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.align import Prepared
    from chronotope.model import DynamicTopicModel


def command(
    model: options.ModelPath,
    source: options.CorpusOptions,
    out: options.TableOut = None,
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
    with sentences():
        from chronotope.model.persistence import load

        check_table(out, force)
        learned = load(model)
        prepared = read_for(learned, source, quiet=quiet)
        with working("Inferring their topics", quiet):
            table = share_table(learned, prepared)
        unknown = int((table["known"] == 0).sum())
        if unknown:
            note(f"  {unknown:,} of {len(table):,} documents have no word of the model, and therefore no shares", quiet)
        written = write_if_wanted(table, out, quiet)
        text = "" if written else screen_table(table)
    counts = {"documents": len(table), "without_known_words": unknown, "known_share": prepared.known_share}
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
