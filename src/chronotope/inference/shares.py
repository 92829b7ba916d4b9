"""What is known of the topics of documents during a fit."""

from __future__ import annotations

from typing import NamedTuple

from chronotope._typing import Floats, Ints
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Batch, Documents, uniform_lambda
from chronotope.inference.state import Local, Progress
from chronotope.inference.store import DocumentStore


class Shares(NamedTuple):
    """What is known of the topics of D documents.

    alpha : (K,) their prior, or of each, (D, K);  lam : (D, K) λ;  chains : of sampling, None of a mean field
    """

    alpha: Floats
    lam: Floats
    chains: Chains | None

    @classmethod
    def fresh(cls, docs: Documents, alpha: Floats, local: Local) -> Shares:
        """Nothing known: uniform λ, chains that have not started."""
        return cls(alpha, uniform_lambda(docs, alpha), Chains.of(docs) if local == "sampled" else None)

    def take(self, rows: Ints) -> Shares:
        """What is known of some documents; the topics of tokens are shared."""
        alpha = self.alpha if self.alpha.ndim == 1 else self.alpha[rows]
        return Shares(alpha, self.lam[rows], None if self.chains is None else self.chains.take(rows))

    def put(self, rows: Ints, part: Shares) -> None:
        """Set what has become known of some documents."""
        self.lam[rows] = part.lam
        if self.chains is not None and part.chains is not None:
            self.chains.started[rows] = part.chains.started


def known_shares(docs: Documents | DocumentStore, batch: Batch, progress: Progress, local: Local) -> Shares:
    """What a fit to the whole corpus knows of its documents; `progress` keeps it.   batch : all of the documents."""
    alpha = progress.alpha_of(docs.covariates)
    if local == "sampled":
        return Shares(alpha, uniform_lambda(batch, alpha), known_chains(docs, progress))
    progress.lam = uniform_lambda(batch, alpha) if progress.lam is None else progress.lam
    return Shares(alpha, progress.lam, None)


def known_chains(docs: Documents | DocumentStore, progress: Progress) -> Chains:
    """The chains of a fit's documents, as far as they have started; `progress` shares their arrays."""
    chains = Chains.of(docs, progress.topic, progress.started)
    progress.topic, progress.started = chains.topic, chains.started
    return chains


def known_topics(docs: Documents | DocumentStore, progress: Progress) -> Chains | Floats | None:
    """What is known of the topics of all documents: their chains, or λ; None with a mean field and minibatches."""
    return progress.lam if progress.topic is None else known_chains(docs, progress)
