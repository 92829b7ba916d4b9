"""The state of a fit between two steps: settings, progress, running averages; as plain arrays and back, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints, Values
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Documents
from chronotope.inference.hyper import Learning
from chronotope.inference.pace import Pace
from chronotope.inference.posterior import Common, TopicPosterior
from chronotope.inference.share_prior import SharePrior
from chronotope.inference.share_tables import Covariates
from chronotope.inference.statistics import Statistics
from chronotope.inference.store import DocumentStore
from chronotope.storage.model_file import SHARES

Local = Literal["sampled", "mean-field"]
Arrays = dict[str, np.ndarray]

# m is stored too: rounding makes it differ in the last bit from what g and b give, see `centre_sites`
POSTERIOR = {"g": "JKV", "b": "JKV", "m": "JKV", "s": "JKV", "kl": "K", "log_zeta": "JK", "step_size": "K"}
COMMON = {"g": "J1V", "b": "J1V", "m": "J1V", "s": "J1V", "kl": "1", "step_size": "1"}  # of the part all topics share
PROGRESS = {"kernel": "P", "alpha": "K", "mass": "JK", "bounds": "B", "seen": "B", "predicted": "B"}
LOCAL = {"mean-field": {"lam": "DK"}, "sampled": {"topic": "T", "started": "D"}}  # of the documents
MINIBATCHES = {"order": "D", "n": "JKV", "N": "JK"}
TYPES = {"order": "int64", "seen": "int64", "topic": "uint16", "started": "bool"}
DOCUMENTS = ("lam", "topic", "started")
NUMBERS = ("steps", "documents", "idle")


@dataclass(frozen=True)
class Settings:
    """How to fit.

    local : the local step;  epochs : maximum number of passes over the corpus
    tolerance : relative gain below which a pass counts as no gain, see `recent_gain`
    learn_alpha : whether α is learned;  learning : which kernel parameters are learned, None for none
    batch_size : documents per step;  offset, decay : of the Robbins-Monro step sizes
    seed : of the sampled local step
    """

    local: Local
    epochs: int
    tolerance: float
    learn_alpha: bool
    batch_size: int
    offset: float
    decay: float
    seed: int = 0
    learning: Pace | Learning | None = None


@dataclass
class Progress:
    """What has been done so far.

    alpha : (K,), with `prevalence` its mean over documents;  prevalence : the prior on shares if it follows documents
    bounds : the ELBO (an estimate of it for minibatches), one value per step;  seen : documents processed by then
    predicted : log-likelihood of each token given all others, of sampling;  the bound, of a mean field
    mass : (J, K) expected tokens of each topic at each node
    lam : (D, K) λ of the documents, of a mean field
    topic, started : (tokens,) and (D,), where topics are sampled; see `Chains`
    idle : passes in a row without gain
    diverged : whether the fit ended because its numbers were no longer finite; see `Guard`
    doubt : whether the posterior contains the doubt about the topics of tokens, after the fit; see `add_doubt`
    averages, order : of minibatches, their running averages and the order of the documents in this pass, (D,)
    """

    alpha: Floats
    steps: int = 0
    documents: int = 0
    bounds: list[float] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    predicted: list[float] = field(default_factory=list)
    prevalence: SharePrior | None = None
    mass: Floats | None = None
    converged: bool = False
    lam: Floats | None = None
    topic: np.ndarray | None = None
    started: np.ndarray | None = None
    idle: int = 0
    averages: Averages | None = None
    order: Ints | None = None
    diverged: bool = False
    doubt: bool = False

    def alpha_of(self, at: Covariates | None) -> Floats:
        """α of documents: (K,) for all, or of each, (D, K).   at : what it follows, None if it does not."""
        return self.alpha if self.prevalence is None or at is None else self.prevalence.alpha(at)

    def add(self, stats: Statistics, kl: float, scale: float) -> None:
        """Add the bound of a step.   kl : of the posterior;  scale : corpus per documents of the step."""
        self.bounds.append(stats.bound * scale - kl)
        self.predicted.append(stats.predicted * scale if np.isfinite(stats.predicted) else self.bounds[-1])
        self.seen.append(self.documents)


Watch = Callable[[Progress], None]  # called after every step


class State(NamedTuple):
    """All that a fit needs to continue, between two steps."""

    posterior: TopicPosterior
    progress: Progress
    rng: np.random.Generator


class Averages:
    """Running averages over minibatches, per document: expected counts n and N at the nodes.

        n̄ ← (1−ρ) n̄ + ρ n_S/|S|

    The global step is taken with D n̄. It has the same fixed point as the plain stochastic step, and far less noise.
    """

    def __init__(self, n: Values, N: Floats) -> None:
        self.n, self.N = n, N

    def add(self, stats: Statistics, documents: int, rho: float) -> None:
        """Add a minibatch; the arrays of its statistics are overwritten."""
        for mean, new in ((self.n, stats.n), (self.N, stats.N)):
            new *= rho / documents
            mean *= 1.0 - rho
            mean += new

    def of_corpus(self, D: int, out: Values | None = None) -> Statistics:
        """Statistics of a corpus of D documents like those seen.   out : (J, K, V) for n, a new array by default."""
        return Statistics(np.multiply(self.n, self.n.dtype.type(D), out=out), self.N * D, 0.0)


def pack(state: State) -> tuple[Arrays, dict[str, Any]]:
    """Arrays and numbers of a state after one step or more; `unpack` reads them."""
    posterior, progress, rng = state
    arrays: Arrays = {name: getattr(posterior, name) for name in POSTERIOR}
    if posterior.prior.common is not None:
        arrays |= {f"common_{name}": np.atleast_1d(getattr(posterior.common, name)) for name in COMMON}
    arrays |= {"kernel": posterior.prior.kernel.learnable, "alpha": progress.alpha}
    arrays |= {"bounds": np.array(progress.bounds), "seen": np.array(progress.seen, dtype=np.int64)}
    arrays["predicted"] = np.array(progress.predicted)
    arrays["mass"] = np.asarray(progress.mass)
    arrays |= {name: value for name in DOCUMENTS if (value := getattr(progress, name)) is not None}
    if progress.order is not None and (averages := progress.averages) is not None:
        arrays |= {"order": progress.order.astype(np.int64), "n": averages.n, "N": averages.N}
    if progress.prevalence is not None:
        arrays |= {f"{SHARES}{name}": values for name, values in progress.prevalence.arrays().items()}
    numbers = {name: getattr(progress, name) for name in (*NUMBERS, "converged")}
    return arrays, numbers | {"random": rng.bit_generator.state}


def unpack(
    arrays: Arrays, numbers: dict[str, Any], state: State, docs: Documents | DocumentStore, settings: Settings
) -> None:
    """Set a fresh state of the same fit, to these documents, to a packed one; ValueError where that is impossible."""
    posterior, progress, rng = state
    start, common = posterior.prior.kernel, posterior.prior.common is not None
    (J, K, V), D = posterior.g.shape, len(docs.left)
    whole, sampled = settings.batch_size >= D, settings.local == "sampled"
    sizes = {"J": J, "K": K, "V": V, "1": 1, "D": D, "P": len(start.learnable), "B": arrays["bounds"].size}
    sizes["T"] = len(Chains.of(docs).topic) if sampled else 0
    wanted = POSTERIOR | PROGRESS | ({} if whole else MINIBATCHES) | (LOCAL[settings.local] if whole or sampled else {})
    wanted |= {f"common_{name}": axes for name, axes in COMMON.items()} if common else {}
    shares = {name: values for name, values in arrays.items() if name.startswith(SHARES)}
    arrays = {name: values for name, values in arrays.items() if name not in shares}
    _check(arrays, sizes, posterior.g.dtype.name, wanted)
    if (progress.prevalence is None) == bool(shares):
        raise ValueError(f"it holds {'' if shares else 'no '}prevalence")
    if progress.prevalence is not None:
        progress.prevalence.restore({name.removeprefix(SHARES): values for name, values in shares.items()})
    if sizes["T"] and arrays["topic"].max() >= K:
        raise ValueError(f"topic has numbers up to {arrays['topic'].max()}")
    for name in POSTERIOR:
        setattr(posterior, name, arrays[name])
    if common:
        g, b, m, s, kl, size = (arrays[f"common_{name}"] for name in COMMON)
        posterior.common = Common(g, b, m, s, float(kl[0]), float(size[0]))
    posterior.started = True
    posterior.prior = posterior.prior.with_kernel(start.with_values(arrays["kernel"]))
    progress.alpha, progress.mass = arrays["alpha"], arrays["mass"]
    progress.bounds, progress.seen, progress.predicted = (arrays[x].tolist() for x in ("bounds", "seen", "predicted"))
    for name in NUMBERS:
        setattr(progress, name, int(numbers[name]))
    progress.converged = bool(numbers["converged"])
    for name in (*DOCUMENTS, "order"):
        setattr(progress, name, arrays.get(name))
    progress.averages = None if whole else Averages(arrays["n"], arrays["N"])
    rng.bit_generator.state = numbers["random"]


def _check(arrays: Arrays, sizes: dict[str, int], dtype: str, axes: dict[str, str]) -> None:
    """Refuse arrays whose names, shapes or types are not those of `axes`."""
    if arrays.keys() != axes.keys():
        raise ValueError(f"it holds {', '.join(sorted(arrays))}")
    for name, letters in axes.items():
        shape = tuple(sizes[letter] for letter in letters)
        wanted = TYPES.get(name, dtype if letters in ("JKV", "J1V") else "float64")
        if arrays[name].shape != shape or arrays[name].dtype.name != wanted:
            raise ValueError(f"{name} has shape {arrays[name].shape} and type {arrays[name].dtype}")
