"""Documents that were dated: the most probable date of each, intervals, the whole distribution, and the reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Mask
from chronotope.dates.decimal import cut_date, format_time
from chronotope.dating.dating import Dating
from chronotope.dating.evidence import Evidence
from chronotope.dating.reasons import word_reasons
from chronotope.dating.stack import quantiles

EDGE = 0.02  # part of the candidate times at either end: a date there may as well be beyond
BEFORE, AFTER = "before", "after"


class Dated:
    """Documents that `DynamicTopicModel.date` has dated.

    times : (C,) candidate times;  probabilities : (D, C), rows sum to 1;  ids : (D,) names of the documents
    open_ends : (D, 2) whether each may be from before, or after, all of these times
    level : of the intervals of the table
    """

    def __init__(
        self,
        dating: Dating,
        evidence: Evidence,
        counts: sp.csr_array,
        probabilities: Floats,
        open_ends: Mask,
        ids: NDArray[Any],
        vocabulary: NDArray[np.str_],
        calendar: bool,
        level: float,
    ) -> None:
        self._dating, self._evidence, self._counts, self._vocabulary = dating, evidence, counts, vocabulary
        self.probabilities, self.open_ends = probabilities, open_ends
        self.ids, self.calendar, self.level = ids, calendar, level

    @property
    def times(self) -> Floats:
        """Candidate times, (C,)."""
        return self._dating.words.times

    @property
    def inner(self) -> tuple[float, float]:
        """Where the edges of the dates that the model knows begin."""
        n, edges = max(1, round(EDGE * len(self.times))), self._dating.words.edges
        return float(edges[n]), float(edges[-1 - n])

    @property
    def table(self) -> pd.DataFrame:
        """A row for each document, with intervals of the level that was asked for; see `intervals`."""
        return self.intervals(self.level)

    def intervals(self, level: float = 0.8) -> pd.DataFrame:
        """The most probable date of each document, and an interval that holds its date with some probability.

        level : float, default 0.8; the probability, what is left being divided between both sides

        Returns a table with one row per document:
        id : its name;  date : the most probable time;  median : half of the probability is on either side
        low, high : the interval, infinite where it reaches the edge of the times that the model knows
        beyond : "before" or "after" if the most probable time is at that edge, so that it may be beyond, or ""
        """
        if not 0.0 < level < 1.0:
            raise ValueError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.8.")
        wide = self._dating.weighing.level(level) / 2
        at = quantiles(self.probabilities, self._dating.words.edges, np.array([0.5 - wide, 0.5, 0.5 + wide]))
        (first, last), (before, after) = self.inner, self.open_ends.T
        best = self.times[self.probabilities.argmax(axis=1)]
        return pd.DataFrame(
            {
                "id": self.ids,
                "date": best,
                "median": at[:, 1],
                "low": np.where((at[:, 0] < first) & before, -np.inf, at[:, 0]),
                "high": np.where((at[:, 2] > last) & after, np.inf, at[:, 2]),
                "beyond": np.select([(best < first) & before, (best >= last) & after], [BEFORE, AFTER], ""),
            }
        )

    def text(self) -> pd.DataFrame:
        """The same table with dates in words, as finely as candidate times are apart: "1931", "1795 or before".

        Returns a table with one row per document: id, date, low, high
        """
        found = self.table
        dates = [
            self._date(time) + (f" or {side}" if side else "")
            for side, time in zip(found["beyond"], found["date"], strict=True)
        ]
        low, high = ([self._date(time) for time in found[name]] for name in ("low", "high"))
        return pd.DataFrame({"id": found["id"], "date": dates, "low": low, "high": high})

    def curve(self, document: int) -> pd.DataFrame:
        """The distribution of a document's date.

        document : int, its row

        Returns a table with one row per candidate time: time, probability
        """
        return pd.DataFrame({"time": self.times, "probability": self.probabilities[self._row(document)]})

    def why(self, document: int, n: int = 10, time: float | None = None) -> pd.DataFrame:
        """The words of a document that say most for a date, against all others.

        document : int, its row;  n : int, default 10; number of words
        time : float, default None for the most probable one; the date

        Returns a table with one row per word, those that say most first: word, count, weight, its part of the
        log-probability of the date, less its mean over all dates; negative if it speaks against it
        """
        row = self._row(document)
        mass = self.probabilities[row]
        cell = int(mass.argmax() if time is None else np.abs(self.times - time).argmin())
        counts = self._counts[[row]]
        columns, weight = word_reasons(self._dating, self._evidence, counts, cell)
        order = np.argsort(-np.abs(weight), kind="stable")[:n]
        order = order[np.argsort(-weight[order], kind="stable")]
        words = self._vocabulary[columns[order]].astype(object)
        return pd.DataFrame({"word": words, "count": counts.data[order], "weight": weight[order]})

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"{len(self):,} documents, {self.level:.0%} intervals\n{self.text()}"

    def _row(self, document: int) -> int:
        if not -len(self) <= document < len(self):
            raise ValueError(f"document is {document!r}; expected a row from 0 to {len(self) - 1:,}.")
        return int(document)

    def _date(self, time: float) -> str:
        """A time in words; "" if it is not known."""
        if not np.isfinite(time):
            return ""
        apart = float(np.median(np.diff(self._dating.words.edges)))
        return cut_date(format_time(time, True), apart) if self.calendar else f"{time:.6g}"
