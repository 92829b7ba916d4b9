"""Arrow batches as rows, and Parquet files: a repeated value is in memory once, however many rows hold it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from chronotope.readers.open import SizeLimit, decompressed
from chronotope.readers.rows import Bad, Row, Rows, Source

_BATCH = 1000, 32 * 2**20  # rows and bytes of a batch
_BUFFER = 2**20  # bytes of each column that are read at a time
_NO_VALUE = (ArithmeticError, ValueError, LookupError, OSError)  # dates, bytes and time zones that Python cannot have


def parquet_source(path: Path, max_ratio: float | None = None) -> Source:
    """The rows of a Parquet file; one compressed as a whole is decompressed to a temporary file."""
    with _opened(path, max_ratio) as table:
        if not table.metadata.num_rows:
            raise ValueError(f"{path.name} is empty; expected one row per document.")
        columns = frozenset(table.schema_arrow.names)
    return Source(path.name, "Parquet file", partial(_parquet_rows, path, max_ratio), columns=columns)


def _parquet_rows(path: Path, max_ratio: float | None) -> Rows:
    """The rows, refused when their values are longer than the size of the file allows: a value may be repeated."""
    limit = SizeLimit.of(path, max_ratio)
    with _opened(path, max_ratio) as table:
        about = table.metadata
        size = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
        limit.check(max(size, about.num_rows * about.num_columns))
        n = min(_BATCH[0], max(1, _BATCH[1] * about.num_rows // max(size, 1)))
        length = 0
        for row in arrow_rows(table.iter_batches(batch_size=n)):
            if isinstance(row, Row):
                length += sum(len(value) for value in row.fields.values() if isinstance(value, str | bytes))
                limit.check(length)
            yield row


def arrow_rows(batches: Iterable[Any]) -> Rows:
    """The rows of record batches; one with a value that Python cannot have, such as a day in 300000, is bad."""
    number = 0
    for batch in batches:
        columns = [_values(column) for column in batch.columns]
        for values in zip(*columns, strict=True):
            fields = dict(zip(batch.schema.names, values, strict=True))
            bad = next((name for name, value in fields.items() if isinstance(value, _Unreadable)), None)
            place = f"row {number}"
            yield Row(place, fields) if bad is None else Bad(place, f"unreadable value of {bad!r}", str(fields[bad]))
            number += 1


class _Unreadable(str):
    """What is wrong with a value."""


def _values(column: Any) -> Iterable[Any]:
    """The values of a column; equal ones of a dictionary are the same object, lists and the like come one at a time."""
    if column.type.num_fields:
        return map(_value, column)
    if not hasattr(column, "dictionary"):
        return _converted(column)
    used = column.indices.drop_null().unique()
    known = dict(zip(used.to_pylist(), _converted(column.dictionary.take(used)), strict=True))
    return map(known.get, column.indices.to_pylist())


def _converted(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
    except _NO_VALUE:
        return list(map(_value, column))
    return values


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except _NO_VALUE as error:
        return _Unreadable(error)


@contextmanager
def _opened(path: Path, max_ratio: float | None) -> Iterator[Any]:
    """The open file, as pyarrow has it."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ImportError('Parquet files need pyarrow; pip install "chronotope[files]".') from error
    with decompressed(path, max_ratio) as file, _seekable(file) as whole:
        try:
            schema = ParquetFile(whole).schema
            leaves = (schema.column(at) for at in range(len(schema)))
            repeated = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
            yield ParquetFile(whole, read_dictionary=repeated, buffer_size=_BUFFER)
        except (ArrowException, OSError) as error:
            raise ValueError(f"{path.name} is not a Parquet file or is damaged ({error}).") from None


@contextmanager
def _seekable(file: IO[bytes]) -> Iterator[IO[bytes]]:
    """A seekable file, since Parquet is read from its end."""
    if file.seekable():
        yield file
        return
    with tempfile.TemporaryFile() as whole:
        shutil.copyfileobj(file, whole)
        whole.seek(0)
        yield whole
