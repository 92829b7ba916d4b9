"""Which group or place each document belongs to, by the metadata of a corpus, for a kernel over time and track."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Ints
from chronotope.corpus import Corpus
from chronotope.corpus.groups import UNLABELLED, columns_of, groups_of, groups_to_fit
from chronotope.corpus.places import Cells, cells_of, number_of_cells, place_columns, places_of
from chronotope.gp import Tracks
from chronotope.kernels import Kernel, as_kernel, check_tracks, column_of_groups, has_by, has_space, has_tracks
from chronotope.storage.model_file import PLACES

NOWHERE = "(no place)"  # name of the track of documents without a place


class TrackColumns(NamedTuple):
    """How documents are assigned to tracks.   columns : of the groups, or of latitude and longitude."""

    columns: tuple[str, ...]
    tracks: Tracks

    @classmethod
    def of(cls, parameters: Mapping[str, Any], corpus: Corpus, quiet: bool = False) -> TrackColumns | None:
        """The tracks of the documents to fit; None if words do not differ between tracks.   parameters : by name."""
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore")
            return cls._of(parameters, corpus)

    @classmethod
    def _of(cls, parameters: Mapping[str, Any], corpus: Corpus) -> TrackColumns | None:
        kernel = as_kernel(parameters["kernel"])
        if not isinstance(kernel, Kernel) or not has_tracks(kernel):
            return None
        if has_space(kernel):
            return _places(corpus, parameters["place"], parameters["n_cells"])
        column = group_column(kernel, parameters["groups"])
        names, group = groups_to_fit(corpus, column)
        if len(names) == 1:
            nobody = names[0] == UNLABELLED
            alone = "no document has a label" if nobody else f"all documents are of the group {names[0]!r}"
            _warn(f"groups is {column!r}, and {alone}: there is nothing to compare.")
        elif UNLABELLED in names:
            missing = int((group == names.index(UNLABELLED)).sum())
            _warn(f"{missing:,} of {len(corpus):,} documents have no {column!r}; they are a group of their own.")
        return cls((column,), Tracks(tuple(names)))

    def track_of(self, corpus: Corpus, quiet: bool = False) -> Ints:
        """The track of each document, (D,), −1 for one that was not fitted."""
        missing = self._missing(corpus)
        if missing:
            if not quiet:
                shared = f"all {'groups' if self.tracks.places is None else 'places'} share"
                _warn(f"the documents have no column {missing[0]!r}, and are read with the words that {shared}.")
            return np.full(len(corpus), -1)
        if self.tracks.places is not None:
            places = places_of(corpus, self._place, quiet=True)
            somewhere = np.isfinite(self.tracks.places).all(axis=1)
            found = Cells(self.tracks.places[somewhere]).nearest(places)
            nowhere = self.tracks.names.index(NOWHERE) if NOWHERE in self.tracks.names else -1
            return np.where(found < 0, nowhere, found)
        names, label = groups_of(corpus, self.columns[0], "groups")
        place = {name: i for i, name in enumerate(self.tracks.names)}
        track = np.array([place.get(name, -1) for name in names], dtype=np.int64)[label]
        new = [name for name in names if name not in place]
        if new and not quiet:
            n = int((track < 0).sum())
            shown = ", ".join(map(repr, new[:3])) + ", ..." * (len(new) > 3)
            _warn(
                f"{n:,} {'documents are' if n > 1 else 'document is'} of groups that were not fitted ({shown}), with "
                "the words that all groups share."
            )
        return track

    def grown(self, corpus: Corpus) -> TrackColumns:
        """The same, with the groups of more documents after those that are known; cells of places stay."""
        missing, tracks = self._missing(corpus), self.tracks
        if missing:
            raise ValueError(
                f"the documents have no column {missing[0]!r}, by which the words of this model differ; pass documents "
                "with metadata that have it."
            )
        if tracks.places is not None:
            nowhere = NOWHERE not in tracks.names and np.isnan(places_of(corpus, self._place, quiet=True)).any()
            added = Tracks((*tracks.names, NOWHERE), np.concatenate([tracks.places, np.full((1, 2), np.nan)]))
            return self._replace(tracks=added) if nowhere else self
        names, _ = groups_of(corpus, self.columns[0], "groups")
        new = tuple(name for name in names if name not in tracks.names)
        return self._replace(tracks=Tracks((*tracks.names, *new)))

    @property
    def _place(self) -> tuple[str, str]:
        """Columns of latitude and longitude."""
        return self.columns[0], self.columns[1]

    def _missing(self, corpus: Corpus) -> list[str]:
        """Columns that the metadata of a corpus do not have."""
        known = columns_of(corpus)
        return [column for column in self.columns if column not in known]


def group_column(kernel: Kernel, groups: str | None) -> str:
    """The column that the groups of a kernel are in.   groups : parameter of the model"""
    column = column_of_groups(kernel)
    if column is not None and groups is not None and column != groups:
        raise ValueError(f"groups is {groups!r}, but the kernel has by(..., {column}); name one column.")
    if column is None and groups is None:
        raise ValueError(
            f'the kernel {kernel.text!r} has by(...), and no column of groups is named; pass groups="party", or write '
            "by(ou, party)."
        )
    return str(column or groups)


def check_tracks_given(given: Mapping[str, Any]) -> None:
    """Refuse parameters over groups and places that do not fit together.   given : parameters by name"""
    kernel = as_kernel(given["kernel"])
    if isinstance(kernel, Kernel):
        check_tracks(kernel)
    if isinstance(kernel, Kernel) and has_by(kernel):
        group_column(kernel, given["groups"])
    place, n = given["place"], given["n_cells"]
    if not (place is None or (isinstance(place, str) and place.count(",") == 1)):
        raise ValueError(f'place is {place!r}; expected the columns of latitude and longitude, as "lat,lon", or None.')
    if (place is not None or n is not None) and not (isinstance(kernel, Kernel) and has_space(kernel)):
        raise ValueError(
            f"{'place' if place is not None else 'n_cells'} was given, but the kernel has no space(...); pass a kernel "
            'such as "constant + ou + space(1, 300 km)".'
        )


def _places(corpus: Corpus, place: str | None, n_cells: int | None) -> TrackColumns:
    """Tracks of places: cells of the documents, and one for those without a place if there are any."""
    columns = place_columns(corpus, place)
    places = places_of(corpus, columns)
    missing = bool(np.isnan(places).any())
    cells = cells_of(places, n_cells or number_of_cells(places, corpus.n_tokens))
    if len(cells.middle) == 1:
        _warn(
            f"{'n_cells is 1' if n_cells == 1 else 'all documents are at the same place'}: there is nothing to compare."
        )
    names = [cell_name(lat, lon) for lat, lon in cells.middle] + [NOWHERE] * missing
    middle = np.concatenate([cells.middle, np.full((int(missing), 2), np.nan)])
    return TrackColumns(columns, Tracks(tuple(_different(names)), middle))


def cell_name(lat: float, lon: float) -> str:
    """A cell by the place of its middle, such as "31.2°N 97.4°W"."""
    return f"{abs(lat):.1f}°{'N' if lat >= 0 else 'S'} {abs(lon):.1f}°{'E' if lon >= 0 else 'W'}"


def _different(names: list[str]) -> list[str]:
    """Names with numbers where some are the same."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _warn(sentence: str) -> None:
    warnings.warn(sentence, UserWarning, stacklevel=5)


def tracks_content(tracks: TrackColumns) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tracks as a part of the header of a model file, and as arrays."""
    places = tracks.tracks.places
    header = {"columns": list(tracks.columns), "names": list(tracks.tracks.names)}
    return header, {} if places is None else {PLACES: places}


def tracks_of(header: Mapping[str, Any], arrays: Mapping[str, Any]) -> TrackColumns:
    """The tracks of a model file, whose content was checked."""
    return TrackColumns(tuple(header["columns"]), Tracks(tuple(header["names"]), arrays.get(PLACES)))
