"""Coastlines and borders behind maps; what they are taken from is said in the file."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

import numpy as np

from chronotope._typing import Floats

FILE = "coastline.json"  # made by tools/make_coastline.py
KINDS = ("coast", "borders", "states")


@cache
def outlines() -> dict[str, list[Floats]]:
    """Lines by their kind, coast, borders or states, each (n, 2) longitude and latitude in degrees."""
    stored = json.loads((files("chronotope.plots") / FILE).read_text(encoding="utf-8"))
    return {
        kind: [np.cumsum(np.reshape(line, (-1, 2)), axis=0) / stored["scale"] for line in stored[kind]]
        for kind in KINDS
    }


def beside(longitude: Floats, middle: float) -> Floats:
    """Longitudes relative to a middle one, from -180 up to 180 degrees."""
    found: Floats = (longitude - middle + 180.0) % 360.0 - 180.0
    return found


def lines_around(kind: str, middle: float) -> list[Floats]:
    """Lines of a kind with longitudes relative to a middle one, cut where they leave the map on one side."""
    found = []
    for line in outlines()[kind]:
        moved = np.column_stack([beside(line[:, 0], middle), line[:, 1]])
        found += np.split(moved, np.flatnonzero(np.abs(np.diff(moved[:, 0])) > 180.0) + 1)
    return [part for part in found if len(part) > 1]


def middle_longitude(longitude: Floats) -> float:
    """The middle of the shortest arc that holds all longitudes, also across the date line."""
    around = np.unique(np.mod(longitude, 360.0))
    gaps = np.diff(np.append(around, around[0] + 360.0))
    first = around[(int(gaps.argmax()) + 1) % len(around)]
    return float(beside(np.array(first + 0.5 * (360.0 - gaps.max())), 0.0))
