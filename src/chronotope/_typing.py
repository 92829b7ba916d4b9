"""Types of arrays, defined once."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Values = NDArray[np.floating]  # single or double precision, as the model's dtype says
Array = Any  # arrays of compiled loops: their shapes are in the docstrings
PathLike = str | os.PathLike[str]
