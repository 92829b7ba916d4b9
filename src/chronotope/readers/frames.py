"""Tables in memory: pandas, polars, Arrow and whatever else narwhals knows."""

from __future__ import annotations

from functools import partial
from typing import Any

from chronotope.readers.rows import Row, Rows, Source


def frame(table: Any) -> Source:
    """The rows of a table in memory."""
    import narwhals.stable.v1 as nw
    from narwhals.exceptions import NarwhalsError

    try:
        data = nw.from_native(table)
        columns: list[Any] = list(data.collect_schema().names())
    except (TypeError, ValueError, NarwhalsError) as error:
        raise ValueError(
            f"the source is a {type(table).__name__}, which cannot be read ({error}); "
            "pass a path, or a table of pandas, polars or Arrow."
        ) from None
    if isinstance(data, nw.LazyFrame):
        data = data.collect()
    if not (columns and len(data)):
        raise ValueError("the table is empty; expected one row per document.")
    return Source("the table", f"{type(table).__module__.split('.')[0]} table", partial(_rows, data))


def _rows(data: Any) -> Rows:
    for number, fields in enumerate(data.iter_rows(named=True)):
        yield Row(f"row {number}", {str(name): value for name, value in fields.items()})
