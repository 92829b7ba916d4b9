"""Parquet files, read a batch of rows at a time."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from chronotope.readers.opening import unpacked
from chronotope.readers.rows import Row, Rows, Source

_BATCH = 1000


def parquet(path: Path, max_ratio: float | None = None) -> Source:
    """The rows of a Parquet file; one that was packed again with gzip is unpacked to a temporary file."""
    with _opened(path, max_ratio) as table:
        if not table.metadata.num_rows:
            raise ValueError(f"{path.name} is empty; expected one row per document.")
    return Source(path.name, "Parquet file", partial(_rows, path, max_ratio))


def _rows(path: Path, max_ratio: float | None) -> Rows:
    number = 0
    with _opened(path, max_ratio) as table:
        for batch in table.iter_batches(batch_size=_BATCH):
            for fields in batch.to_pylist():
                yield Row(f"row {number}", fields)
                number += 1


@contextmanager
def _opened(path: Path, max_ratio: float | None) -> Iterator[Any]:
    """The open file, as pyarrow has it."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ImportError('Parquet files need pyarrow; pip install "chronotope[files]".') from error
    with unpacked(path, max_ratio) as file, _seekable(file) as whole:
        try:
            yield ParquetFile(whole)
        except (ArrowException, OSError) as error:
            raise ValueError(f"{path.name} is no Parquet file or is damaged ({error}).") from None


@contextmanager
def _seekable(file: IO[bytes]) -> Iterator[IO[bytes]]:
    """A file one can move about in, for Parquet is read from its end."""
    if file.seekable():
        yield file
        return
    with tempfile.TemporaryFile() as whole:
        shutil.copyfileobj(file, whole)
        whole.seek(0)
        yield whole
