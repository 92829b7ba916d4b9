"""Numbers and texts inside an HTML file: compact, and unable to end the script element that holds them."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope._typing import Floats

FLOOR = 1e-9  # probabilities below it are shown as 0
STEPS = 65_535


def quantise(probabilities: ArrayLike) -> NDArray[np.uint16]:
    """Probabilities on a logarithmic scale of 16 bits, 0 below the floor: an error of 0.02% at most.

    q = round(65535 (1 − log p / log floor))
    """
    p = np.clip(np.asarray(probabilities, dtype=np.float64), FLOOR, 1.0)
    q: NDArray[np.uint16] = np.rint(STEPS * (1.0 - np.log(p) / np.log(FLOOR))).astype(np.uint16)
    return q


def quantise_signed(values: Floats) -> tuple[NDArray[np.uint16], float]:
    """Values of both signs on an even scale of 16 bits, and the largest size R: an error of R / 65535 at most.

    q = round(65535 (x / R + 1) / 2)
    """
    reach = float(np.abs(values).max(initial=np.finfo(np.float32).tiny))
    q: NDArray[np.uint16] = np.rint(0.5 * STEPS * (values / reach + 1.0)).astype(np.uint16)
    return q, reach


def to_base64(values: NDArray[np.uint16]) -> str:
    """The values in base64, little-endian."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<u2").tobytes()).decode()


def bytes_to_base64(values: NDArray[np.uint8] | NDArray[np.float32]) -> str:
    """Bytes, or numbers of four bytes, little-endian, in base64."""
    kind = "u1" if values.dtype == np.uint8 else "<f4"
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def significant(values: ArrayLike, digits: int) -> list[float]:
    """Numbers with few significant digits."""
    return [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=np.float64)]


def rounded(values: ArrayLike, digits: int = 5) -> list[float]:
    """Numbers with few decimal places."""
    return [round(float(value), digits) for value in np.asarray(values, dtype=np.float64)]


def json_for_html(data: Any) -> str:
    """JSON for a script element: no text in it can end the element, start a comment, or fail to be UTF-8."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode()  # a lone surrogate has no UTF-8
