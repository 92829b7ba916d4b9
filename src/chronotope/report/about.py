"""The model in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from chronotope.display.describe import describe_kernel, describe_model
from chronotope.report.axis import even_marks
from chronotope.report.encode import rounded

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

LAGS = 121
ALIKE = 0.5  # a correlation below it is said to be forgotten
LOCAL = {
    "sampled": "tokens are given to topics by sampling, a document's shares integrated out",
    "mean-field": "tokens are given to topics by mean field, as in the paper",
}


def about(model: DynamicTopicModel, corpus: Corpus, level: str) -> dict[str, Any]:
    """What the page on the model says."""
    lags, correlation = prior_memory(model)
    unit = "years" if model.topics_.calendar else "units of time"
    return {
        "standfirst": "A topic is a set of word probabilities that may change over time. How freely, the prior says; "
        "how they did change, the documents.",
        "prior": prior_sentences(model, lags, correlation),
        "lags": rounded(lags, 6),
        "lagTicks": [(lag, f"{lag:.6g}") for lag in even_marks(0.0, float(lags[-1]))] if len(lags) > 1 else [],
        "correlation": rounded(correlation, 4),
        "memoryNote": f"Prior correlation of a word’s level at two times, by the {unit} between them.",
        "reading": reading(model, level),
        "facts": facts(model, corpus),
    }


def prior_memory(model: DynamicTopicModel) -> tuple[Any, Any]:
    """Correlation of a logit at the first time with later ones, κ(τ₀, τ) / √(κ(τ₀, τ₀) κ(τ, τ)), by distance."""
    first, last = model.topics_.span
    times = np.linspace(first, last, LAGS) if last > first else np.array([first])
    covariance = model.topics_.kernel(times[:1], times)[0]
    variance = model.topics_.kernel.diag(times)
    scale = np.sqrt(np.maximum(variance[0] * variance, np.finfo(float).tiny))
    return times - first, covariance / scale


def prior_sentences(model: DynamicTopicModel, lags: Any, correlation: Any) -> list[str]:
    """What the kernel believes, for a reader who knows no kernels."""
    topics = model.topics_
    variance = float(np.mean(topics.kernel.diag(topics.times)))
    factor = math.exp(min(float(ndtri(0.95)) * math.sqrt(variance), 700.0))
    around = "its frequency in the whole corpus" if model.prior_mean == "frequencies" else "an equal part of all words"
    learned = "Its numbers were learned from the corpus." if model.learn_kernel else ""
    sentences = [
        "Every word of every topic has a level that is a function of time. Before seeing a document, the model "
        f"believed this of it: {describe_kernel(topics.kernel, topics.calendar)}. {learned}".strip(),
        f"So it expected a word’s odds in a topic to lie, nine times in ten, within a factor of {factor:,.0f} "
        f"of {around}.",
    ]
    if len(lags) > 1:
        sentences.append(_memory_sentence(lags, correlation, "years" if topics.calendar else "units of time"))
    return sentences


def _memory_sentence(lags: Any, correlation: Any, unit: str) -> str:
    below = np.flatnonzero(correlation < ALIKE)
    tenth = len(lags) // 10
    start = f"Levels {lags[tenth]:.3g} {unit} apart were expected to have a correlation of {correlation[tenth]:.2f}"
    if not len(below):
        return (
            f"{start}, and over the whole span it stays above {correlation.min():.2f}: what a topic is about is kept."
        )
    return f"{start}; after {lags[below[0]]:.3g} {unit} it is below one half."


def reading(model: DynamicTopicModel, level: str) -> list[str]:
    """What bands, shares and names mean."""
    return [
        f"Bands: given the model and the documents, a curve lies within its band with a probability of {level} at each "
        "time. Where a topic has little text, or there are no documents, bands are wide, and they should be.",
        "Shares: a topic’s part of all words around a time, smoothed over about a fiftieth of the whole span, so that "
        "a single document does not make a peak.",
        "Topics are found, not given: each is a group of words that occur together. Its name is the words that are "
        "more frequent in it than elsewhere.",
    ]


def facts(model: DynamicTopicModel, corpus: Corpus) -> list[tuple[str, str]]:
    """Settings and figures by name."""
    described = describe_model(model)
    alpha = model.alpha_
    low, high = f"{alpha.min():.3g}", f"{alpha.max():.3g}"
    shown = low if low == high else f"{low} to {high}"
    entries = {
        "prior on change": described["kernel"],
        "topics": described["topics"],
        "words in the vocabulary": described["words"],
        "span and time grid": described["span"],
        "documents fitted": described["documents"],
        "documents in this report": f"{len(corpus):,}, with {corpus.n_tokens:,} tokens at {corpus.n_times:,} times",
        "alpha, the prior on a document’s topics": f"{shown}, {'learned' if isinstance(model.alpha, str) else 'given'}",
        "inference": f"{LOCAL[model.local]}; {described['fit']}",
        "seed": described["seed"],
    }
    if corpus.report is not None:
        entries["what was read"] = "; ".join(line.strip() for line in str(corpus.report).splitlines())
    return list(entries.items())
