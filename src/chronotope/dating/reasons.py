"""Why a document is dated as it is: what each of its words says for that time, and against all others."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.dating.dating import Dating
from chronotope.dating.evidence import Evidence
from chronotope.dating.weights import damped, profiles
from chronotope.dating.words import LINE_WIDTH, WIDTHS, between


def word_reasons(dating: Dating, evidence: Evidence, counts: sp.csr_array, cell: int) -> tuple[Ints, Floats]:
    """What each word of one document says for a candidate time: its part of log p there, less its mean over all.

    counts : (1, V);  cell : the candidate.  Returns columns of words (W,), and their parts (W,)
    """
    words, beta, columns = dating.words, dating.weighing.beta, counts.indices.astype(np.int64)
    usual = np.exp(words.prior)
    usage_beta, class_beta = beta[1 : 1 + len(WIDTHS)], beta[1 + len(WIDTHS) : -2]
    found = beta[0] * topic_reasons(dating, evidence, counts, cell, usual)
    for part, table in zip(usage_beta, words.tables, strict=True):
        found += part * damped(counts).data * above_mean(table[:, columns], cell, usual)
    weight = profiles(counts, words.idf).data
    for part, weights in zip(class_beta, words.classes, strict=True):
        found += part * weight * above_mean(between(weights[columns], words.bins, words.times).T, cell, usual)
    away = (words.times[cell] - usual @ words.times) / (LINE_WIDTH * words.span) ** 2
    found += beta[-2] * weight * words.line[columns] * away
    return columns, found


def topic_reasons(dating: Dating, evidence: Evidence, counts: sp.csr_array, cell: int, usual: Floats) -> Floats:
    """Σ_v n_v log Σ_k θ_k π_kv(τ) by word, less its mean over time, (W,); θ is that of the candidate time."""
    theta = evidence.shares(counts, int(np.abs(evidence.nodes - dating.words.times[cell]).argmin()))
    chances = np.log(np.maximum(evidence.probabilities(counts.indices.astype(np.int64)) @ theta, 1e-12))  # (J, W)
    over_time = between(chances.T, evidence.nodes, dating.words.times).T
    found: Floats = damped(counts).data * above_mean(over_time, cell, usual)
    return found


def above_mean(values: Floats, cell: int, usual: Floats) -> Floats:
    """Values at a candidate, less their mean over all, (W,).   values : (C, W);  usual : (C,) weights that sum to 1."""
    found: Floats = values[cell] - usual @ values
    return found
