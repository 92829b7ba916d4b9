"""Places of documents: latitude and longitude from two columns of the metadata, gathered into cells."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.corpus.corpus import Corpus
from chronotope.corpus.groups import columns_of, numbers_of
from chronotope.kernels import on_sphere

NAMES = ("latitude", "lat"), ("longitude", "long", "lng", "lon")  # of columns, in any case
LIMITS = 90.0, 360.0  # of latitude and longitude in degrees; longitudes may run from 0 to 360
LEAST, MOST, TOKENS = 4, 40, 4_000  # cells, and the tokens that one is worth
STEPS = 10  # in which middles of cells move to those of their documents


class Cells(NamedTuple):
    """Cells that documents are gathered in.   middle : (S, 2) latitude and longitude, in degrees."""

    middle: Floats

    def nearest(self, places: Floats) -> Ints:
        """The cell of each place, that with the nearest middle; −1 where there is no place.   places : (D, 2)."""
        known = np.isfinite(places).all(axis=1)
        found = np.full(len(places), -1)
        if known.any():
            found[known] = _nearest(on_sphere(places[known]), on_sphere(self.middle))
        return found


def place_columns(corpus: Corpus, place: str | None) -> tuple[str, str]:
    """The columns of latitude and longitude.   place : "lat,lon", or None to find them by their names."""
    columns = columns_of(corpus)
    if place is not None:
        named = [name.strip() for name in place.split(",")] if isinstance(place, str) else []
        if len(named) != 2 or not all(named):
            raise ValueError(f'place is {place!r}; expected the columns of latitude and longitude, as "lat,lon".')
        missing = [name for name in named if name not in columns]
        if missing:
            shown = ", ".join(map(repr, columns)) or "none"
            raise ValueError(f"place is {place!r}, but {missing[0]!r} is not a column of the metadata; it has {shown}.")
        if named[0].lower() in NAMES[1] and named[1].lower() in NAMES[0]:
            _warn(f"latitudes are taken from {named[0]!r} and longitudes from {named[1]!r}, as place={place!r} says.")
        return named[0], named[1]
    found = [next((column for column in columns if column.lower() in names), None) for names in NAMES]
    if found[0] is None or found[1] is None:
        shown = ", ".join(map(repr, columns)) or "none"
        raise ValueError(
            "the kernel has space(...), and the metadata has no columns of latitude and longitude; pass "
            f'place="lat,lon" with their names. The columns are: {shown}.'
        )
    return found[0], found[1]


def places_of(corpus: Corpus, columns: tuple[str, str], quiet: bool = False) -> Floats:
    """Latitude and longitude of each document in degrees, (D, 2), NaN where one of them is missing."""
    places = np.column_stack([numbers_of(corpus, column, "place") for column in columns])
    missing = ~np.isfinite(places).all(axis=1)
    places[missing] = np.nan
    far = [np.nanmax(np.abs(x), initial=0.0) > limit for x, limit in zip(places.T, LIMITS, strict=True)]
    if far[0] or far[1]:
        axis = 0 if far[0] else 1
        first = int(np.flatnonzero(np.abs(places[:, axis]) > LIMITS[axis])[0])
        wanted = "latitudes from -90 to 90" if axis == 0 else "longitudes from -180 to 180"
        advice = ""
        if far[0] and float(np.nanmax(np.abs(places[:, 1]), initial=0.0)) <= LIMITS[0]:
            advice = f'; latitude and longitude seem to be swapped: pass place="{columns[1]},{columns[0]}"'
        raise ValueError(
            f"{columns[axis]!r} is {places[first, axis]:g} in row {first + 1}; expected {wanted} in degrees{advice}."
        )
    if missing.all() and not quiet:
        raise ValueError(f"no document has both {columns[0]!r} and {columns[1]!r}.")
    if missing.any() and not quiet:
        _warn(
            f"{int(missing.sum()):,} of {len(places):,} documents have no place; they count as one place, far from "
            "all others."
        )
    places[:, 1] = (places[:, 1] + 180.0) % 360.0 - 180.0
    return places


def number_of_cells(places: Floats, tokens: float) -> int:
    """How many cells the documents are worth: one for some thousand tokens, and no more than there are places."""
    known = places[np.isfinite(places).all(axis=1)]
    return int(min(np.clip(tokens // TOKENS, LEAST, MOST), len(np.unique(known.round(6), axis=0))))


def cells_of(places: Floats, n: int) -> Cells:
    """About n cells: halves of halves, with as many documents each, then each document in the nearest (Lloyd).

    The group that is cut next has most documents times their mean squared distance: cells are smaller where there are
    more documents, but hold more of them. Halves are cut across the direction in which the places are spread most, on
    the sphere: neither the date line nor a pole is an edge.
    """
    xyz = on_sphere(places[np.isfinite(places).all(axis=1)])
    groups = [np.arange(len(xyz))]
    while len(groups) < n:
        largest = max(range(len(groups)), key=lambda i: len(groups[i]) * _spread(xyz[groups[i]]))
        rows = groups[largest]
        if _spread(xyz[rows]) < 1e-9:
            break
        centred = xyz[rows] - xyz[rows].mean(axis=0)
        axis = np.linalg.eigh(centred.T @ centred)[1][:, -1]
        order = np.argsort(centred @ axis, kind="stable")
        along = (centred @ axis)[order]
        steps = np.flatnonzero(np.diff(along) > 1e-12) + 1  # equal places stay together
        cut = int(steps[np.argmin(np.abs(steps - len(rows) / 2))])
        groups[largest : largest + 1] = [rows[order[:cut]], rows[order[cut:]]]
    middle = np.stack([_middle(xyz[rows]) for rows in groups])
    for _ in range(STEPS):
        near = _nearest(xyz, middle)
        middle = np.stack([_middle(xyz[near == i]) for i in np.unique(near)])
    lat, lon = np.degrees(np.arcsin(np.clip(middle[:, 2], -1, 1))), np.degrees(np.arctan2(middle[:, 1], middle[:, 0]))
    order = np.lexsort((lon.round(9), -lat.round(9)))
    return Cells(np.column_stack([lat, lon])[order])


def _nearest(xyz: Floats, middle: Floats) -> Ints:
    """The nearest middle of each point of the sphere, (D,).   xyz : (D, 3);  middle : (S, 3)"""
    found: Ints = (xyz @ middle.T).argmax(axis=1)
    return found


def _spread(xyz: Floats) -> float:
    """Mean squared distance of points to their middle."""
    return float(((xyz - xyz.mean(axis=0)) ** 2).sum(axis=1).mean())


def _middle(xyz: Floats) -> Floats:
    """The point of the sphere that is nearest to the mean; the first one if they are all around it."""
    mean = xyz.mean(axis=0)
    length = float(np.sqrt((mean**2).sum()))
    found: Floats = mean / length if length > 1e-9 else xyz[0]
    return found


def _warn(sentence: str) -> None:
    warnings.warn(sentence, UserWarning, stacklevel=5)
