"""When documents were written: all that topics and words say, weighed, as a distribution over time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.dates.candidates import candidate_times
from chronotope.dating.evidence import Evidence
from chronotope.dating.stack import fit_coefficients, holding_levels, posterior
from chronotope.dating.words import WordDates, between, cell_of
from chronotope.gp import one_blas_thread

AT_ONCE = 1_000  # documents
LEVELS = 101  # of intervals, that are kept


class Weighing(NamedTuple):
    """How much each kind of evidence counts, and how wide intervals have to be.

    beta : (F,) see `CURVES`;  levels : (LEVELS,) of intervals, from 0 to 1, that held so much of the unseen dates
    """

    beta: Floats
    levels: Floats

    @classmethod
    def learn(cls, curves: Floats, cell: Ints, weight: Floats) -> Weighing:
        """Weigh curves of documents, (F, D, C), whose true candidates are known, (D,).   weight : (D,) of documents."""
        beta = fit_coefficients(curves, cell, weight)
        return cls(beta, holding_levels(posterior(curves, beta), cell, np.linspace(0.0, 1.0, LEVELS), weight))

    def level(self, wanted: float) -> float:
        """The level of an interval that holds a date with some probability: that which was wanted, or a higher one."""
        return max(wanted, float(np.interp(wanted, np.linspace(0.0, 1.0, LEVELS), self.levels)))


class Dating(NamedTuple):
    """How a model dates documents.

    words : what words say;  weighing : of all kinds of evidence;  without_topics : of words alone, as in a browser
    """

    words: WordDates
    weighing: Weighing
    without_topics: Weighing

    @classmethod
    def learn(
        cls,
        known: tuple[sp.csr_array, Floats],
        unseen: tuple[sp.csr_array, Floats],
        weight: Floats,
        whole: tuple[sp.csr_array, Floats],
        evidence: Evidence,
    ) -> Dating:
        """Weigh the kinds of evidence on documents that none of them has seen, then learn from all.

        known, unseen, whole : counts (D, V) and times (D,);  weight : (D,) of the unseen ones
        evidence : of topics that have seen the known ones alone
        """
        exact = np.unique(whole[1])
        times, edges = candidate_times(exact, exact[0], exact[-1])
        counts, truth = unseen
        with one_blas_thread():
            curves = all_curves(WordDates.learn(*known, times, edges), evidence, counts)
            cell = cell_of(truth, edges)
            weighings = Weighing.learn(curves, cell, weight), Weighing.learn(curves[1:], cell, weight)
            return cls(WordDates.learn(*whole, times, edges), *weighings)

    def mass(self, evidence: Evidence, counts: sp.csr_array, log_prior: Floats | None = None) -> Floats:
        """p(τ = t_c | words) of documents, (D, C).

        evidence : of the model's topics;  counts : (D, V);  log_prior : (D, C), what is known of each date, or None
        """
        found = np.empty((counts.shape[0], len(self.words.times)))
        for start in range(0, len(found), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            given = None if log_prior is None else log_prior[rows]
            with one_blas_thread():
                found[rows] = posterior(all_curves(self.words, evidence, counts[rows]), self.weighing.beta, given)
        return found


def all_curves(words: WordDates, evidence: Evidence, counts: sp.csr_array) -> Floats:
    """All kinds of evidence of documents over the candidate times, (F, D, C); see `CURVES`."""
    topics = between(evidence.of(counts), evidence.nodes, words.times)
    topics -= topics.max(axis=1, keepdims=True)
    return np.concatenate([topics[None], words.curves(counts)])
