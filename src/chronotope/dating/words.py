"""What words say about dates, learned from dated documents apart from topics: tables of words, no documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.dating.regression import class_scores, fit_classes, fit_line, near_bins
from chronotope.dating.usage import date_prior, usage_counts, usage_table
from chronotope.dating.weights import damped, inverse_frequencies, profiles

BINS = 40  # maximum number of bins of the regression
WIDTHS = (0.005, 0.02, 0.08)  # over which usage is smoothed, parts of the span
PENALTIES = (0.03,)  # of the regressions
NEAR = 3.0  # distances of dates that a regression does not tell apart
LINE_WIDTH = 0.05  # of the dates around it, part of the span
PRIOR_WIDTH = 0.06  # over which the dates of the documents are smoothed, part of the span
CURVES = ("topics", *("usage",) * len(WIDTHS), *("regression",) * len(PENALTIES), "line", "prior")


@dataclass(frozen=True)
class WordDates:
    """What words say about dates.

    times (C,), edges (C + 1,) : candidate times, and the time that each stands for
    documents : (C,) dated documents at each;  used : (C, V) damped counts of words;  idf : (V,)
    bins : (B,);  classes : (penalties, V + 1, B) weights of logistic regressions;  line : (V + 1,) of a linear one
    """

    times: Floats
    edges: Floats
    documents: Floats
    used: Floats
    idf: Floats
    bins: Floats
    classes: Floats
    line: Floats

    @classmethod
    def learn(cls, counts: sp.csr_array, times: Floats, candidates: Floats, edges: Floats) -> WordDates:
        """Learn from dated documents.   counts : (D, V);  times : (D,)."""
        cell, C = cell_of(times, edges), len(candidates)
        idf = inverse_frequencies(counts)
        X, bins = profiles(counts, idf), np.linspace(candidates[0], candidates[-1], min(BINS, C))
        targets, classes = near_bins(times, bins, NEAR * apart(candidates)), list[Floats]()
        for penalty in PENALTIES:
            classes.append(fit_classes(X, targets, penalty, classes[-1] if classes else None))
        documents = np.bincount(cell, minlength=C).astype(np.float64)
        return cls(
            candidates,
            edges,
            documents,
            usage_counts(counts, cell, C),
            idf,
            bins,
            np.stack(classes),
            fit_line(X, times),
        )

    @property
    def span(self) -> float:
        """From the first candidate to the last."""
        return max(float(self.times[-1] - self.times[0]), np.finfo(float).tiny)

    @property
    def prior(self) -> Floats:
        """log p(t_c) of a document of which nothing is known, (C,)."""
        return date_prior(self.documents, self.times, max(PRIOR_WIDTH * self.span, 2.0 * apart(self.times)))

    @cached_property
    def tables(self) -> list[Floats]:
        """log p_v(t_c) at each width of smoothing, (C, V) each."""
        return [usage_table(self.used, self.times, max(width * self.span, apart(self.times))) for width in WIDTHS]

    def curves(self, counts: sp.csr_array) -> Floats:
        """What the words of documents say, (F − 1, D, C), all but the evidence of topics; see `CURVES`."""
        X, weighed = profiles(counts, self.idf), damped(counts)
        usage = [weighed @ table.T for table in self.tables]
        classes = [between(class_scores(X, weights), self.bins, self.times) for weights in self.classes]
        found = np.clip(X @ self.line[:-1] + self.line[-1], self.times[0], self.times[-1])
        line = -0.5 * ((self.times - found[:, None]) / (LINE_WIDTH * self.span)) ** 2
        known = np.stack([*usage, *classes, line])
        known[:, np.diff(counts.indptr) == 0] = 0.0  # a document without known words says nothing
        prior = np.broadcast_to(self.prior, line.shape)
        return np.concatenate([known, prior[None]])


def apart(times: Floats) -> float:
    """The usual distance between neighbouring times."""
    return float(np.median(np.diff(times))) if len(times) > 1 else 1.0


def cell_of(times: Floats, edges: Floats) -> Ints:
    """The candidate that stands for each time, (n,)."""
    found: Ints = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, len(edges) - 2)
    return found


def between(values: Floats, nodes: Floats, times: Floats) -> Floats:
    """Values at nodes, (D, J), at times between them, (D, C); linear, and flat beyond the ends."""
    if len(nodes) == 1:
        return np.repeat(values, len(times), axis=1)
    left = np.clip(np.searchsorted(nodes, times, side="right") - 1, 0, len(nodes) - 2)
    part = np.clip((times - nodes[left]) / (nodes[left + 1] - nodes[left]), 0.0, 1.0)
    found: Floats = values[:, left] * (1.0 - part) + values[:, left + 1] * part
    return found
