"""The static fit that a dynamic one starts from: the same model with one node, annealed, with moves of whole topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chronotope._typing import Floats
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Documents
from chronotope.inference.hyper import LOWEST, learn_alpha_from_tokens
from chronotope.inference.loop import local_step
from chronotope.inference.posterior import FULL_STEP, TopicPosterior, caution
from chronotope.inference.shares import Shares
from chronotope.inference.splits import Move, Moves, Tokens
from chronotope.inference.state import Progress, Settings, Watch
from chronotope.inference.statistics import Statistics, sum_statistics

STARTS_FEW, STARTS_MANY, MANY = 3, 2, 10_000  # starts with few and with many documents, and how many are many
ANNEALED, COOLED = 10, 18  # passes while α falls, and passes after them
BLOCKS, BLOCK = 16, 250  # maximum number of blocks of documents in a pass, and the least number of documents in one
ANNEAL_FROM, ANNEAL_TO = 2.0, 0.1  # α at the start and at the end of the annealed passes
LEARN_EVERY = 4  # passes after which α is learned again
ONE_SWEEP = (0, 1)  # burn-in and kept sweeps in a pass
TRIALS = 6  # maximum number of trials of moves
TRIAL = 8  # passes after a move, before it is judged
LAST = 2  # passes by which it is judged
WORTH, FAILURES = 1e-3, 2  # gain of log-likelihood per token that is worth a trial, and trials in a row without it
SETTLE = 8  # global steps that fit topics to the tokens they are given


def number_of_starts(documents: int) -> int:
    """Number of static fits that are annealed; the best is continued."""
    return STARTS_FEW if documents <= MANY else STARTS_MANY


@dataclass
class Kept:
    """What failed moves are undone by."""

    alpha: Floats
    chains: Chains
    g: np.ndarray
    b: np.ndarray
    lam: Floats
    found: list[Statistics]


class StartingFit:
    """Passes through blocks of documents: the topics are updated after every block with the statistics of all blocks.

    This is incremental EM [Neal, Hinton 1998].
    """

    def __init__(
        self,
        docs: Documents,
        posterior: TopicPosterior,
        alpha: Floats,
        learn: bool,
        rng: np.random.Generator,
        watch: Watch,
    ) -> None:
        """posterior : of one node, holds the first topics;  alpha : (K,);  learn : whether it is learned."""
        D = len(docs.left)
        self.docs, self.posterior, self.progress, self.rng, self.watch = docs, posterior, Progress(alpha), rng, watch
        self.alpha, self.learn, self.chains, self.passes = alpha, learn, Chains.of(docs), 0
        parts = np.array_split(rng.permutation(D), int(np.clip(D // BLOCK, 1, BLOCKS)))
        self.blocks = [np.sort(rows) for rows in parts]
        self.parts = [docs.take(rows) for rows in self.blocks]
        self.lam, self.found = np.zeros((D, len(alpha))), list[Statistics]()
        self.settings = Settings("sampled", ANNEALED, 0.0, learn, D, 1.0, 1.0, seed=int(rng.integers(2**31)))

    def anneal(self) -> float:
        """The first passes. α is large, so that documents hold many topics and these can still move, and falls.

        Returns the mean log-likelihood of each token given all others in the last ones.
        """
        values = []
        for epoch in range(ANNEALED):
            self.progress.alpha = np.full_like(
                self.alpha, ANNEAL_FROM * (ANNEAL_TO / ANNEAL_FROM) ** (epoch / ANNEALED)
            )
            values.append(self.sweep(caution(epoch), restart=False))
        return float(np.mean(values[-LAST:]))

    def sweep(self, caution: float = 0.0, restart: bool = True) -> float:
        """One pass; returns the log-likelihood of each token given all others.   restart : whether some chains do."""
        progress, predicted = self.progress, 0.0
        epoch = self.passes if restart else None
        for i, (rows, part) in enumerate(zip(self.blocks, self.parts, strict=True)):
            own = Shares(progress.alpha, self.lam[rows], self.chains.take(rows))
            stats = local_step(part, self.posterior, progress, own, self.settings, epoch, ONE_SWEEP, False)
            self.found[i : i + 1] = [stats]
            self.lam[rows], self.chains.started[rows] = own.lam, True
            predicted += stats.predicted
            seen = sum(len(block) for block in self.blocks[: len(self.found)])
            self.posterior.step(sum_statistics(self.found, len(self.lam) / seen), FULL_STEP, caution)
            progress.steps, progress.documents = progress.steps + 1, progress.documents + len(rows)
            self.watch(progress)
        self.passes += 1
        return predicted / max(float(self.docs.data.sum()), 1.0)

    def update_alpha(self) -> None:
        """Learn α again every few passes, or set it to the one that is given."""
        if not self.learn:
            self.progress.alpha = self.alpha
        elif self.passes % LEARN_EVERY == 0:
            self.progress.alpha = learn_alpha_from_tokens(self.progress.alpha, self.lam - self.progress.alpha)

    def improve(self, fixed: int = 0) -> None:
        """Divide topics and merge others as long as documents are predicted better then.

        fixed : number of the first topics that keep their subject
        """
        tokens = Tokens.of(self.docs, self.posterior.m.shape[2])
        moves = Moves(tokens, len(self.alpha), fixed, self.rng)
        predicted, failures = -np.inf, 0
        for _ in range(TRIALS):
            proposed = moves.propose(self.chains.topic, self.topics(), self.progress.alpha)
            if not proposed or failures == FAILURES:
                break
            if not np.isfinite(predicted):
                predicted = self.continued(LAST)
            kept = self.keep()
            self.make(proposed, tokens)
            gain = self.continued(TRIAL) - predicted
            moves.record(proposed, gain > 0.0)
            failures = 0 if gain > WORTH else failures + 1
            if gain > 0.0:
                predicted += gain
            else:
                self.undo(kept)

    def continued(self, passes: int) -> float:
        """More passes; returns the mean log-likelihood of each token given all others in the last ones."""
        values = []
        for _ in range(passes):
            self.update_alpha()
            values.append(self.sweep())
        return float(np.mean(values[-LAST:]))

    def make(self, moves: list[Move], tokens: Tokens) -> None:
        """Give tokens their new topics, and fit the topics to them."""
        topic, alpha = self.chains.topic, self.progress.alpha.copy()
        for into, freed, divided, part in ((*move[:3], move.apply(tokens, topic)) for move in moves):
            alpha[into] += alpha[freed]
            alpha[freed], alpha[divided] = part * alpha[divided], (1.0 - part) * alpha[divided]
        self.progress.alpha = np.maximum(alpha, LOWEST) if self.learn else self.alpha
        self.found = [self._counted(rows, tokens) for rows in self.blocks]
        together, mean = sum_statistics(self.found, 1.0), self.posterior.mean
        first = together.n[0] + np.exp(mean) / np.exp(mean).mean()
        first /= first.sum(axis=1, keepdims=True)
        self.posterior = TopicPosterior(self.posterior.prior, first, mean, self.posterior.g.dtype.name)
        for step in range(SETTLE):
            self.posterior.step(together, FULL_STEP, caution(step))

    def _counted(self, rows: np.ndarray, tokens: Tokens) -> Statistics:
        """Statistics of some documents from the topics of their tokens alone."""
        chosen = np.zeros(len(self.lam), np.bool_)
        chosen[rows] = True
        n = tokens.counts(self.chains.topic, len(self.alpha), chosen[tokens.document])[None]
        return Statistics(n.astype(self.posterior.g.dtype), n.sum(axis=-1), np.nan)

    def topics(self) -> Floats:
        """Topics as they are, (K, V)."""
        found: Floats = np.exp(self.posterior.expected_logits()[0] - self.posterior.log_zeta[0][:, None])
        return found

    def keep(self) -> Kept:
        """The state before moves."""
        g, b = self.posterior.g.copy(), self.posterior.b.copy()
        return Kept(self.progress.alpha, self.chains.apart(), g, b, self.lam.copy(), list(self.found))

    def undo(self, kept: Kept) -> None:
        """Return to the state before moves."""
        self.progress.alpha, self.chains, self.lam, self.found = kept.alpha, kept.chains, kept.lam, kept.found
        self.posterior.g, self.posterior.b = kept.g, kept.b
        self.posterior.refresh()
