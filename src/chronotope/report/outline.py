"""The ground of a map: coastlines and borders around some places, projected, as paths of SVG."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.kernels import on_sphere
from chronotope.plots.coastline import beside, middle_longitude, outlines

WIDTH = 2_000  # units from the left of a map to its right
NEAR = 50.0  # degrees from the middle up to which areas are kept true
MARGIN, LEAST = 0.09, 2.0  # around the places: part of their extent, and degrees
SHAPE = 0.45, 0.85  # least and largest height of a map, as part of its width
APART = 3  # units between the points of a line, at least
STEPS = 1.0, 2.0, 5.0, 10.0, 20.0, 30.0  # degrees between lines of latitude and longitude
LINES = 8  # of latitude or longitude, at most


class Frame(NamedTuple):
    """A map. Points around the middle are projected with true areas (Lambert), of the whole world as a plate.

    middle : latitude and longitude;  round : whether areas are true
    corner, unit : the lower left corner, and the length of a unit;  height : in units, the width is `WIDTH`
    """

    middle: Floats
    round: bool
    corner: Floats
    unit: float
    height: int

    def units(self, places: Floats) -> Floats:
        """Where places are on the map, right and down, (n, 2); NaN beyond its half of the world.   places : (n, 2)"""
        x, y = (project(places, self.middle, self.round) - self.corner).T / self.unit
        return np.column_stack([x, self.height - y])


def project(places: Floats, middle: Floats, round_: bool) -> Floats:
    """Places in the plane, in degrees, (n, 2); NaN beyond the half of the world around the middle if it is round.

        x = c cos φ sin λ,   y = c (cos φ₀ sin φ − sin φ₀ cos φ cos λ),   c = √(2 / (1 + cos d))

    λ is the longitude from the middle, and d the distance to it.   [Lambert's azimuthal projection of equal areas]
    """
    lat, lon = np.radians(places[:, 0]), np.radians(beside(places[:, 1], middle[1]))
    if not round_:
        plate: Floats = np.degrees(np.column_stack([lon, lat]))
        return plate
    at = np.radians(middle[0])
    towards = np.sin(at) * np.sin(lat) + np.cos(at) * np.cos(lat) * np.cos(lon)  # cos d
    scale = np.sqrt(2.0 / np.maximum(1.0 + towards, 1e-9))
    y = np.cos(at) * np.sin(lat) - np.sin(at) * np.cos(lat) * np.cos(lon)
    found: Floats = np.degrees(scale[:, None] * np.column_stack([np.cos(lat) * np.sin(lon), y]))
    found[towards < 0.0] = np.nan
    return found


def frame_of(places: Floats) -> Frame:
    """The map of some places, with a margin.   places : (S, 2) latitude and longitude"""
    middle = np.array([0.5 * (places[:, 0].min() + places[:, 0].max()), middle_longitude(places[:, 1])])
    xyz, centre = on_sphere(places), on_sphere(middle[None])[0]
    round_ = bool(np.degrees(np.arccos(np.clip(xyz @ centre, -1.0, 1.0))).max() <= NEAR)
    middle = middle if round_ else np.array([0.0, middle[1]])
    at = project(places, middle, round_)
    margin = max(MARGIN * float(np.ptp(at, axis=0).max()), LEAST)
    low, high = at.min(axis=0) - margin, at.max(axis=0) + margin
    wide, tall = high - low
    more = np.maximum([tall / SHAPE[1] - wide, wide * SHAPE[0] - tall], 0.0)
    low, high = low - 0.5 * more, high + 0.5 * more
    unit = float((high[0] - low[0]) / WIDTH)
    return Frame(middle, round_, low, unit, int(np.ceil((high[1] - low[1]) / unit)))


def ground(frame: Frame) -> dict[str, Any]:
    """Paths of coasts, borders, states, and of the net of latitudes and longitudes with its labels."""
    kinds = {
        kind: "".join(path for line in lines for path in line_paths(frame, line[:, ::-1]))
        for kind, lines in outlines().items()
    }
    return {"width": WIDTH, "height": frame.height, **kinds, **net(frame)}


def line_paths(frame: Frame, line: Floats) -> list[str]:
    """A line as paths of SVG, without what is not on the map.   line : (n, 2) latitude and longitude"""
    at = frame.units(line)
    inside = (at[:, 0] > -50) & (at[:, 0] < WIDTH + 50) & (at[:, 1] > -50) & (at[:, 1] < frame.height + 50)
    if not inside.any():
        return []
    kept = inside | np.append(inside[1:], False) | np.append(False, inside[:-1])
    kept &= np.isfinite(at).all(axis=1)
    far = np.append(False, np.abs(np.diff(np.nan_to_num(at[:, 0]))) > 0.5 * WIDTH)  # around the back of the world
    starts = np.flatnonzero(kept & (far | ~np.append(False, kept[:-1])))
    parts = [at[start:stop] for start, stop in zip(starts, [*starts[1:], len(at)], strict=True)]
    own = [kept[start:stop] for start, stop in zip(starts, [*starts[1:], len(at)], strict=True)]
    return [path for part, here in zip(parts, own, strict=True) if (path := _path(np.rint(part[here]).astype(int)))]


def _path(points: Ints) -> str:
    """Steps between points that are some units apart; empty if that leaves none."""
    chosen = [0]
    for i in range(1, len(points)):
        if np.abs(points[i] - points[chosen[-1]]).max() >= APART or i == len(points) - 1:
            chosen.append(i)
    thin = points[chosen]
    if len(thin) < 2 or np.ptp(thin, axis=0).max() < APART:
        return ""
    steps = " ".join(f"{x} {y}" for x, y in np.diff(thin, axis=0))
    return f"M{thin[0, 0]} {thin[0, 1]}l{steps}".replace(" -", "-")


def net(frame: Frame) -> dict[str, Any]:
    """Lines of latitude and longitude on the map, and their labels at its left and lower side."""
    lat, lon = np.meshgrid(np.arange(-90.0, 90.1, 1.0), np.arange(-180.0, 180.0, 1.0), indexing="ij")
    world = np.column_stack([lat.ravel(), lon.ravel()])
    at = frame.units(world)
    seen = (at[:, 0] >= 0) & (at[:, 0] <= WIDTH) & (at[:, 1] >= 0) & (at[:, 1] <= frame.height)
    if not seen.any():
        return {"net": "", "netLabels": []}
    extent = np.array([np.ptp(world[seen, 0]), np.ptp(beside(world[seen, 1], frame.middle[1]))])
    step = next((step for step in STEPS if extent.max() / step <= LINES), STEPS[-1])
    paths, labels = [], []
    for value in np.arange(-90.0 + step, 90.0, step):
        line = np.column_stack([np.full(721, value), frame.middle[1] + np.linspace(-180.0, 180.0, 721)])
        paths += line_paths(frame, line)
        labels += _label(frame, line, 0, value, "NS")
    for value in np.arange(-180.0, 180.0, step):
        line = np.column_stack([np.linspace(-89.0, 89.0, 357), np.full(357, value)])
        paths += line_paths(frame, line)
        labels += _label(frame, line, 1, value, "EW")
    return {"net": "".join(paths), "netLabels": labels}


def _label(frame: Frame, line: Floats, axis: int, value: float, sides: str) -> list[list[Any]]:
    """Where a line enters the map, left or below, and its name: [x, y, text] or nothing."""
    at = frame.units(line)
    across = at[:, axis] if axis == 0 else frame.height - at[:, 1]
    along, most = (at[:, 1], frame.height) if axis == 0 else (at[:, 0], WIDTH)
    crossed = np.flatnonzero(
        (across[:-1] <= 0) & (across[1:] > 0) & (along[:-1] > 0.06 * most) & (along[:-1] < 0.94 * most)
    )
    if not len(crossed):
        return []
    side = "" if abs(value) in (0.0, 180.0) else sides[int(value < 0)]
    x, y = at[crossed[0] + 1]
    return [[round(float(x)), round(float(y)), f"{abs(value):g}°{side}"]]
