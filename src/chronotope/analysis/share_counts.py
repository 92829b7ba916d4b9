"""The text of periods as observations of prevalence: shares, and how much is known from so many documents.

Documents differ: most of one is about a few topics. So the share of a topic in a period varies with the documents that
happen to be written, far more than the number of tokens says. P is the number of periods that have text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints

LEAST = 1e-3  # smallest dispersion: that of documents which all have the same shares


class PeriodShares(NamedTuple):
    """Prevalence as it was observed.

        Var[share_pk] = φ_k π_pk (1 − π_pk) / m_p,      m_p = (Σ_d n_d)² / Σ_d n_d²

    times : (P,), the middle of each period, increasing;  share : (P, K)
    effective : (P,) m, the effective number of documents;  documents : (P,), their number
    dispersion : (K,) φ, from near 0 if all documents are alike to 1 if each is about one topic alone
    """

    times: Floats
    share: Floats
    effective: Floats
    documents: Ints
    dispersion: Floats

    @property
    def weight(self) -> Floats:
        """Number of independent documents of a single topic each that would tell as much, m / φ: (P, K)."""
        result: Floats = self.effective[:, None] / self.dispersion
        return result


def observe(tokens: Floats, place: Ints, middles: Floats) -> PeriodShares:
    """Shares of the periods that have text; the others were not observed.

    tokens : (D, K) expected tokens of each topic in each document;  place : (D,) period of each, −1 for none
    middles : (n,) the middle of each period
    """
    lengths = tokens.sum(axis=1)
    used = (place >= 0) & (lengths > 0)
    seen, row = np.unique(place[used], return_inverse=True)
    share, effective = _pooled(tokens[used], row, len(seen))
    phi = dispersion(tokens[used], row)
    return PeriodShares(middles[seen], share, effective, np.bincount(row, minlength=len(seen)), phi)


def dispersion(tokens: Floats, row: Ints) -> Floats:
    """How much documents of the same period differ, φ: (K,).

        φ_k = Σ_p S_pk / Σ_p [y_pk (1 − y_pk) A_p + S_pk / m_p]
        S_pk = Σ_d (n_dk − y_pk n_d)²,   E S_pk = φ_k π_pk (1 − π_pk) A_p,   A = Σ n² − 2 Σ n³ / Σ n + (Σ n² / Σ n)²

    The sums are over periods, or over groups of neighbouring ones if they have a single document each. Documents that
    are all alike give 0, and documents of one topic each 1.   tokens : (D, K);  row : (D,) periods 0 … P − 1, all used
    """
    group = _groups(row)[row]
    G, lengths = int(group.max(initial=-1)) + 1, tokens.sum(axis=1)
    y, m = _pooled(tokens, group, G)
    S = np.zeros_like(y)
    np.add.at(S, group, (tokens - y[group] * lengths[:, None]) ** 2)
    total, squares, cubes = (np.bincount(group, lengths**power, G) for power in (1, 2, 3))
    A = squares - 2 * cubes / total + (squares / total) ** 2
    most = (y * (1 - y) * A[:, None] + S / m[:, None]).sum(axis=0)
    together = float(S.sum() / most.sum()) if most.sum() > 0 else 1.0
    phi = np.divide(S.sum(axis=0), most, out=np.full(len(most), together), where=most > 1e-9 * squares.sum())
    result: Floats = np.clip(phi, LEAST, 1.0)
    return result


def _pooled(tokens: Floats, row: Ints, n: int) -> tuple[Floats, Floats]:
    """Shares (n, K) of the documents of each row together, and their effective number (n,)."""
    lengths = tokens.sum(axis=1)
    mass = np.zeros((n, tokens.shape[1]))
    np.add.at(mass, row, tokens)
    total = np.bincount(row, lengths, n)
    return mass / total[:, None], total**2 / np.bincount(row, lengths**2, n)


def _groups(row: Ints) -> Ints:
    """Group of each period, (P,): itself, or joined with the next ones until there are two documents."""
    group = np.zeros(int(row.max(initial=-1)) + 1, np.int64)
    current, held = 0, 0
    for p, documents in enumerate(np.bincount(row)):
        group[p], held = current, held + int(documents)
        if held >= 2:
            current, held = current + 1, 0
    return group
