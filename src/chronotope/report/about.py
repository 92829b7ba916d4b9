"""The page about the model, in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from chronotope.display.describe import describe_kernel, describe_model
from chronotope.model.plan import starting_kernel
from chronotope.report.axis import even_marks
from chronotope.report.encode import rounded

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

LAGS = 121
HALF = 0.5  # the lag at which the prior correlation falls below it is reported
LOCAL = {
    "sampled": "topics of tokens by sampling, with a document’s shares integrated out",
    "mean-field": "topics of tokens by mean-field variational inference, as in the paper",
}
COUNTED = (
    "Prevalence: a topic’s share of the text, of all words around a time, smoothed over about a fiftieth of the whole "
    "span, so that a single document does not make a peak."
)
LEARNED = (
    "Prevalence: how much of a document is expected to be about a topic, by its date. The curve is a part of the "
    "model, with a band, and every document counts alike, however long. Shares of the text, such as the sizes of "
    "topics and the picture of all topics, are counted, and long documents count more."
)


def about_model(model: DynamicTopicModel, corpus: Corpus, level: str) -> dict[str, Any]:
    """The data of the page about the model, by name;  level : posterior probability of the bands, in percent."""
    lags, correlation = prior_memory(model)
    unit = "years" if model.topics_.calendar else "units of time"
    return {
        "standfirst": "A topic is a set of word probabilities that may change over time. The prior states how freely; "
        "the documents show how they did.",
        "prior": prior_sentences(model, lags, correlation),
        "lags": rounded(lags, 6),
        "lagTicks": [(lag, f"{lag:.6g}") for lag in even_marks(0.0, float(lags[-1]))] if len(lags) > 1 else [],
        "correlation": rounded(correlation, 4),
        "memoryNote": f"Prior correlation of a word’s level at two times, by the {unit} between them.",
        "reading": reading(level, hasattr(model, "prevalence_")),
        "facts": facts(model, corpus),
    }


def prior_memory(model: DynamicTopicModel) -> tuple[Any, Any]:
    """Lags, and the prior correlation of a logit at the first time with later ones, κ(τ₀, τ) / √(κ(τ₀, τ₀) κ(τ, τ))."""
    first, last = model.topics_.main_span
    times = np.linspace(first, last, LAGS) if last > first else np.array([first])
    covariance = model.topics_.kernel(times[:1], times)[0]
    variance = model.topics_.kernel.diag(times)
    scale = np.sqrt(np.maximum(variance[0] * variance, np.finfo(float).tiny))
    return times - first, covariance / scale


def prior_sentences(model: DynamicTopicModel, lags: Any, correlation: Any) -> list[str]:
    """What the kernel assumes, for a reader who does not know kernels."""
    topics = model.topics_
    variance = float(np.mean(topics.kernel.diag(topics.times)))
    factor = math.exp(min(float(ndtri(0.95)) * math.sqrt(variance), 700.0))
    around = "its frequency in the whole corpus" if model.prior_mean == "frequencies" else "an equal share of all words"
    learned = "Its parameters were learned from the corpus." if _is_learned(model) else ""
    sentences = [
        "Every word of every topic has a level, its logit, that is a function of time. Its prior is a Gaussian "
        f"process: {describe_kernel(topics.kernel, topics.calendar)}. {learned}".strip(),
        f"A priori, with a probability of 90%, a word’s odds in a topic are within a factor of {factor:,.0f} of "
        f"{around}.",
    ]
    if len(lags) > 1:
        sentences.append(_memory_sentence(lags, correlation, "years" if topics.calendar else "units of time"))
    return sentences


def _is_learned(model: DynamicTopicModel) -> bool:
    """Whether the kernel is another than the one that the fit started from."""
    start = starting_kernel(model.get_params(deep=False), model.kernel_span_)
    return model.learn_kernel is not False and model.kernel_ != start


def _memory_sentence(lags: Any, correlation: Any, unit: str) -> str:
    below = np.flatnonzero(correlation < HALF)
    tenth = len(lags) // 10
    start = f"Levels {lags[tenth]:.3g} {unit} apart have a prior correlation of {correlation[tenth]:.2f}"
    if not len(below):
        return (
            f"{start}, and over the whole span it stays above {correlation.min():.2f}: topics keep what they are about."
        )
    return f"{start}; after {lags[below[0]]:.3g} {unit} it is below one half."


def reading(level: str, learned: bool) -> list[str]:
    """What bands, prevalence and names of topics mean.   learned : whether prevalence is a part of the model"""
    return [
        f"Bands: given the model and the documents, a curve lies within its band with a probability of {level} at each "
        "time. Bands are wide, as they should be, at times with few documents or little text of the topic.",
        LEARNED if learned else COUNTED,
        "Topics are found, not given: each is a group of words that occur together. Its name is the words that are "
        "more frequent in it than elsewhere.",
    ]


def prevalence_fact(model: DynamicTopicModel) -> str:
    """What prevalence follows, and the kernel as it was learned."""
    terms, kernel = model.prevalence_.columns.terms, model.prevalence_.prior.eta.prior.kernel
    parts = [describe_kernel(kernel, model.topics_.calendar)]
    parts += [f"own curves of {len(model.prevalence_.groups):,} groups by “{terms.by}”"] if terms.by else []
    parts += [f"an effect of “{column}”" for column in terms.linear]
    return "; ".join(parts)


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
        "resolution": described["resolution"],
        "documents fitted": described["documents"],
        "documents in this report": f"{len(corpus):,}, with {corpus.n_tokens:,} tokens at {corpus.n_times:,} times",
        "alpha, the prior on a document’s topics": f"{shown}, {'learned' if isinstance(model.alpha, str) else 'given'}",
        "inference": f"{LOCAL[model.local]}; {described['fit']}",
        "bands": described["bands"],
        "seed": described["seed"],
    }
    if hasattr(model, "prevalence_"):
        entries["prior on prevalence"] = prevalence_fact(model)
    if corpus.report is not None:
        entries["what was read"] = "; ".join(line.strip() for line in str(corpus.report).splitlines())
    return list(entries.items())
