"""Tables to build a corpus from, and tokenisers that workers can import."""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

WORDS = [a + b + c for a in "bdfg" for b in "aeiou" for c in ("m", "n", "rt", "st")]
REPRINT = " ".join(np.random.default_rng(7).choice(WORDS, 40))


def rows_of(seed: int, n: int) -> pd.DataFrame:
    """Dated texts with ids: some are empty, undated, without an id, in HTML, known roughly, or reprints."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 30))) for _ in range(n)]
    dates = [f"{1900 + year}-05-01" for year in rng.integers(0, 30, n).tolist()]
    names: list[Any] = [f"{seed}-{'x' * (i % 5)}{i}" for i in range(n)]
    texts[1 : n : n // 2] = [REPRINT, f"<p>{REPRINT} bam</p>"][: len(texts[1 : n : n // 2])]
    texts[2], dates[3], names[4] = "", "n/a", ""
    if seed == 1:
        dates[5] = "1200-01-01"
    if seed in (0, 2):
        dates[6:9] = ["circa 1910", "n.d.", "1911 or 1913"]
    return pd.DataFrame({"text": texts, "date": dates, "name": names})


def write_tables(folder: Path, n: int = 40) -> Path:
    """Four tables of three formats in a folder, with the same columns."""
    folder.mkdir()
    rows_of(0, n).to_parquet(folder / "part-0.parquet")
    rows_of(1, n).to_csv(folder / "part-1.csv", index=False)
    lines = [json.dumps(row) for row in rows_of(2, n).to_dict("records")]
    (folder / "part-2.jsonl").write_text("\n".join([*lines[:5], "{broken", *lines[5:]]))
    (folder / "part-3.csv").write_bytes(rows_of(3, n).replace("bam", "größer").to_csv(index=False).encode("cp1252"))
    return folder


def dying_split(flag: str, text: str) -> list[str]:
    """The words of a text; the process that is the first to split a certain one is killed.   flag : a path"""
    if text.startswith(REPRINT[:20]) and not os.path.exists(flag):
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return text.split()


class AnyOrder:
    """What takes the place of workers: calls are sent as bytes, and done in any order, one of them twice."""

    def __init__(self, client: Any) -> None:
        self.random = random.Random(client)

    def map(self, function: Any, calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """The results, in the order of the calls."""
        sent = [pickle.dumps((function, call)) for call in calls]
        results: dict[int, bytes] = {}
        for i in self.random.sample([*range(len(sent)), 0], len(sent) + 1):
            called, given = pickle.loads(sent[i])
            results[i] = pickle.dumps(called(*given))
        return (pickle.loads(results[i]) for i in range(len(sent)))
