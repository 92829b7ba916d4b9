"""Topics at a glance: how large they are, their words over all times, at first and at last."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.topics import Topics

OVERALL, AT_ENDS = 8, 5  # words shown


def overview(topics: Topics, n_words: int = OVERALL) -> pd.DataFrame:
    """A row for each topic, the largest first.  Columns: topic, share (of all tokens), words, first, last (lists)."""
    import pandas as pd

    share = topics.mass.sum(axis=0) / topics.mass.sum()
    first, last = topics.span
    rows = []
    for k in (-share).argsort(kind="stable").tolist():
        asked = ((None, n_words), (first, min(n_words, AT_ENDS)), (last, min(n_words, AT_ENDS)))
        overall, early, late = ([word for word, _ in topics.top_words(k, time, n)] for time, n in asked)
        rows.append({"topic": k, "share": float(share[k]), "words": overall, "first": early, "last": late})
    return pd.DataFrame(rows)


def overview_text(table: pd.DataFrame, topics: Topics) -> str:
    """The same for the screen."""
    import pandas as pd

    from chronotope.tables import text_table
    from chronotope.times import format_time

    first, last = (format_time(time, topics.calendar) for time in topics.span)
    shown = pd.DataFrame({"topic": table["topic"].astype(str), "share": table["share"].map("{:.1%}".format)})
    for name, title in (("words", "words"), ("first", f"in {first}"), ("last", f"in {last}")):
        shown[title] = table[name].map(" ".join)
    return text_table(shown)
