"""Make the outlines behind maps, src/chronotope/plots/coastline.json: `python tools/make_coastline.py`; needs npm.

Coastlines and borders of countries are of Natural Earth (1:50m), which is in the public domain, and borders of the
states of the USA of its Census Bureau, in the public domain as well. Both come from packages of the npm registry,
world-atlas and us-atlas, as TopoJSON, whose arcs say what they are: an arc of two areas is a border, of one a coast.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # (n, 2), longitude and latitude in degrees

OUT = Path(__file__).resolve().parents[1] / "src" / "chronotope" / "plots" / "coastline.json"
WORLD, STATES = ("world-atlas@2.0.2", "countries-50m.json"), ("us-atlas@3.0.1", "states-10m.json")
SCALE = 100  # units of a degree in the file
TOLERANCE = 0.06  # degrees, about, by which lines may be off
SMALLEST = 0.4  # degrees, the extent of the smallest islands
SOURCE = (
    "Coastlines and borders of countries: Natural Earth 4.1, 1:50m, public domain (npm world-atlas 2.0.2). Borders of "
    "states: United States Census Bureau, 2017, public domain (npm us-atlas 3.0.1). Simplified by "
    "tools/make_coastline.py."
)
FORM = "Each line: longitude and latitude of its first point in units of 1/scale degrees, then the steps to the others."


def main() -> None:
    """Write the file, and say how large it is."""
    with tempfile.TemporaryDirectory() as folder:
        world, states = (topology(*package, Path(folder)) for package in (WORLD, STATES))
    coast, borders = lines(world, "countries")
    _, inner = lines(states, "states")
    coast = [line for line in coast if extent(line) > SMALLEST or (line[0] != line[-1]).any()]
    parts = {"coast": coast, "borders": borders, "states": inner}
    found: dict[str, Any] = {"source": SOURCE, "form": FORM, "scale": SCALE}
    found |= {name: [packed(simplified(line)) for line in each] for name, each in parts.items()}
    OUT.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
    print(
        f"{OUT.name}: {OUT.stat().st_size:,} bytes, " + ", ".join(f"{len(each)} {name}" for name, each in parts.items())
    )


def topology(package: str, file: str, folder: Path) -> Any:
    """A TopoJSON file of a package."""
    done = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"npm pack {package} failed: {done.stderr.strip()}")
    with tarfile.open(folder / done.stdout.strip().splitlines()[-1]) as archive:
        content = archive.extractfile(f"package/{file}")
        assert content is not None
        return json.load(content)


def lines(found: Any, areas: str) -> tuple[list[Points], list[Points]]:
    """Lines of one area and of two, in degrees, cut at the date line, without its own."""
    uses = np.zeros(len(found["arcs"]), dtype=int)
    for area in found["objects"][areas]["geometries"]:
        for arc in {arc if arc >= 0 else ~arc for arc in flat(area.get("arcs", []))}:
            uses[arc] += 1
    scale, first = (np.array(found["transform"][name]) for name in ("scale", "translate"))
    degrees = [np.cumsum(np.array(arc, dtype=float), axis=0) * scale + first for arc in found["arcs"]]
    once, twice = ([degrees[i] for i in np.flatnonzero(uses == n)] for n in (1, 2))
    return [part for line in once for part in cut(line)], [part for line in twice for part in cut(line)]


def flat(nested: Any) -> list[int]:
    """The numbers in nested lists."""
    return [nested] if isinstance(nested, int) else [number for part in nested for number in flat(part)]


def cut(line: Points) -> list[Points]:
    """The parts of a line between crossings of the date line, without what runs along it or at a pole."""
    edge = (np.abs(np.abs(line[:, 0]) - 180.0) < 0.02) | (np.abs(line[:, 1]) > 89.0)
    along = edge[1:] & edge[:-1]
    jump = np.abs(np.diff(line[:, 0])) > 180.0
    parts = np.split(line, np.flatnonzero(along | jump) + 1)
    return [part for part in parts if len(part) > 1]


def extent(line: Points) -> float:
    """The longer side of the box around a line, in degrees at the equator."""
    width, height = np.ptp(line, axis=0)
    return float(max(width * np.cos(np.radians(line[:, 1].mean())), height))


def simplified(line: Points) -> Points:
    """A line with few points, from which the others are not far (Ramer, Douglas and Peucker)."""
    plane = line * [np.cos(np.radians(line[:, 1].mean())), 1.0]
    keep, todo = {0, len(line) - 1}, [(0, len(line) - 1)]
    while todo:
        a, b = todo.pop()
        if b - a < 2:
            continue
        along, off = plane[b] - plane[a], plane[a + 1 : b] - plane[a]
        place = np.clip(off @ along / max(along @ along, 1e-12), 0.0, 1.0)
        far = np.sqrt(((off - place[:, None] * along) ** 2).sum(axis=1))
        i = int(far.argmax())
        if far[i] > TOLERANCE:
            keep.add(a + 1 + i)
            todo += [(a, a + 1 + i), (a + 1 + i, b)]
    return line[sorted(keep)]


def packed(line: Points) -> list[int]:
    """A line as the file has it."""
    units = np.rint(line * SCALE).astype(int)
    steps = np.diff(units, axis=0)
    return [*units[0].tolist(), *steps[(steps != 0).any(axis=1)].ravel().tolist()]


if __name__ == "__main__":
    main()
