"""Times of the documents of a corpus, of which some may be known only roughly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from chronotope.corpus.arrays import mapped_array
from chronotope.dates.decimal import OnBadTime, ParsedTimes, UseRough, parse_times
from chronotope.dates.rough import RoughDates
from chronotope.dates.rough_text import Examples


def given_times(times: Any, on_bad: OnBadTime, rough_dates: UseRough, given: RoughDates | None = None) -> ParsedTimes:
    """The times of documents, see `parse_times`.

    given : default None; dates that are known roughly, in place of the times of their documents
    """
    if given is None:
        return parse_times(times, on_bad, rough_dates)
    parsed = parse_times(times, "drop", "drop")
    rough = checked_rough(given, len(parsed.values))
    keep = parsed.keep.copy()
    keep[rough.document] = True
    if on_bad == "raise" and not keep.all():
        n, first = int(np.sum(~keep)), int(np.argmin(keep))
        advice = 'drop them with on_bad_time="drop"'
        raise ValueError(f"{n:,} of {len(keep):,} times could not be read (first: row {first}); {advice}.")
    if not len(rough.document):
        return parsed
    return ParsedTimes(rough.placed(parsed.values), keep, parsed.calendar, rough, Examples())


def checked_rough(given: RoughDates, D: int) -> RoughDates:
    """Rough dates of some of D documents, refused if they are not in order, or their corners do not increase."""
    document = np.array(given.document, dtype=np.int64)
    corners = np.array(given.corners, dtype=np.float64)
    if document.ndim != 1 or corners.shape != (len(document), 4):
        raise ValueError(
            f"rough.corners has shape {corners.shape}; expected ({len(document)}, 4), a row for each piece."
        )
    if len(document) and (np.any(np.diff(document) < 0) or document[0] < 0 or document[-1] >= D):
        raise ValueError(
            f"rough.document is not increasing from 0 to at most {D - 1:,}; pass rows of documents in order."
        )
    wrong = ~(corners[:, 1:] >= corners[:, :-1]).all(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"rough.corners[{row}] is {corners[row].tolist()}; expected four numbers that do not decrease."
        )
    return RoughDates(document, corners)


def followed_by(before: RoughDates | None, later: RoughDates, n_before: int) -> RoughDates:
    """Rough dates of documents and of those that come after them.   n_before : number of the first documents."""
    moved = RoughDates(later.document + n_before, later.corners)
    if before is None:
        return moved
    document = np.concatenate([before.document, moved.document])
    return RoughDates(document, np.concatenate([before.corners, moved.corners]))


def write_rough_dates(rough: RoughDates, folder: Path) -> None:
    """Write rough dates to the folder of a corpus, and their middles to those of its times that are not known yet."""
    for name, array in rough._asdict().items():
        np.save(folder / f"rough_{name}.npy", array, allow_pickle=False)
    times = np.load(folder / "times.npy", mmap_mode="r+")
    missing = np.isnan(times)
    if missing.any():
        times[missing] = rough.placed(np.array(times))[missing]
        times.flush()


def read_rough_dates(folder: Path) -> RoughDates:
    """The rough dates of a folder."""
    return RoughDates(*(np.array(mapped_array(folder, f"rough_{name}")) for name in RoughDates._fields))


def rows_of(rough: RoughDates | None, rows: Any) -> RoughDates | None:
    """The rough dates of some documents, None if there are none."""
    found = None if rough is None else rough.take(rows)
    return found if found is not None and len(found.document) else None
