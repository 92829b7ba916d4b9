"""Weights of the words of documents: words come in bursts, so a word's second token says less than its first."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats


def damped(counts: sp.csr_array) -> sp.csr_array:
    """log2(1 + n_dv) for each count: one token counts 1, three count 2.   counts : (D, V)."""
    return with_values(counts, np.log2(1.0 + counts.data))


def inverse_frequencies(counts: sp.csr_array) -> Floats:
    """idf_v = 1 + log (1 + D)/(1 + D_v), D_v the documents that have word v, (V,)."""
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    weights: Floats = 1.0 + np.log((1.0 + counts.shape[0]) / (1.0 + documents))
    return weights


def profiles(counts: sp.csr_array, idf: Floats) -> sp.csr_array:
    """log(1 + n_dv) idf_v, each document divided by its length as a vector.   counts : (D, V);  idf : (V,)."""
    values = np.log1p(counts.data) * idf[counts.indices]
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    norms = np.sqrt(squares[counts.indptr[1:]] - squares[counts.indptr[:-1]])
    return with_values(counts, values / np.repeat(np.maximum(norms, 1e-12), np.diff(counts.indptr)))


def with_values(counts: sp.csr_array, values: Floats) -> sp.csr_array:
    """The same matrix with other values."""
    return sp.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
