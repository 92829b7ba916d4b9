"""Tables as a screen shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

WIDEST = 60  # characters of a cell
TIMES = {"time": "date", "start": "start_date", "end": "end_date", "peak": "peak_date", "origin": "origin_date"}


def column_of_times(table: pd.DataFrame) -> str:
    """The column of the times as people read them: dates where there are any."""
    return "date" if "date" in table.columns else "time"


def screen_table(table: pd.DataFrame) -> str:
    """The table in text; a time whose date stands beside it is left out, long texts are cut."""
    from chronotope.tables import text_table

    doubled = [time for time, date in TIMES.items() if time in table.columns and date in table.columns]
    shown = table.drop(columns=doubled)
    return text_table(shown.apply(lambda column: column.map(_cell))) if len(shown) else "nothing"


def _cell(value: Any) -> str:
    from chronotope.tables import number

    if isinstance(value, list | tuple):
        value = " ".join(map(str, value))
    if isinstance(value, float):
        return number(value)
    text = " ".join(str(value).split())
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."
