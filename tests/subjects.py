"""A corpus with planted subjects, a way of speaking, a mixture of names and the noise of a few documents."""

from __future__ import annotations

import numpy as np

from chronotope import Corpus, DynamicTopicModel, Topics
from chronotope.analysis.prevalence import topic_tokens

YEARS, EACH, LENGTH = 10, 45, 60
SUBJECTS = ("sea", "ship", "law", "court", "corn")  # sea and ship share documents, law and court share words
GROUPS = {name: [f"{name}{i}" for i in range(12)] for name in (*SUBJECTS, "noise")}
GROUPS["court"][:5] = GROUPS["law"][:5]
GROUPS["speech"] = [f"speech{i}" for i in range(40)]
GROUPS["name"] = [f"name{i}" for i in range(10)]
TOPICS = (*SUBJECTS, "speech", "name", "noise")
SMALL, SURE = 1e-4, 1e6  # probability of words of other topics, and the precision of the logits
SPANISH = ["uno", "dos", "tres", "cuatro", "cinco", "seis"]
NOISY = (3, 4, 5)  # documents of noise
FOREIGN = (100, 101, 102, 103)  # documents of another language, all of one period


def _tokens(rng: np.random.Generator, d: int) -> list[str]:
    """The words of one document: speech in all, a subject or two, and one name, repeated."""
    if d in NOISY:
        return [*rng.choice(GROUPS["noise"], 3 * LENGTH)]
    if d in FOREIGN:
        return [*rng.choice(SPANISH, LENGTH)]
    first = SUBJECTS[d % len(SUBJECTS)]
    second = {"sea": "ship", "ship": "sea"}.get(first, str(rng.choice(SUBJECTS[2:])))
    words = [*rng.choice(GROUPS["speech"], LENGTH // 3), *rng.choice(GROUPS[first], LENGTH // 3)]
    words += [*rng.choice(GROUPS[second], LENGTH // 5)]
    return words + [str(rng.choice(GROUPS["name"]))] * 4


def planted_subjects() -> Corpus:
    """450 documents in ten years."""
    rng = np.random.default_rng(0)
    texts = [" ".join(map(str, _tokens(rng, d))) for d in range(YEARS * EACH)]
    vocabulary = sorted({word for text in texts for word in text.split()})
    column = {word: v for v, word in enumerate(vocabulary)}
    counts = np.zeros((len(texts), len(vocabulary)), dtype=np.int64)
    for d, text in enumerate(texts):
        np.add.at(counts[d], [column[word] for word in text.split()], 1)
    times = 1900.0 + np.repeat(np.arange(YEARS), EACH)
    return Corpus(counts, times, vocabulary, texts=texts, calendar=True)


def with_subjects(corpus: Corpus) -> DynamicTopicModel:
    """A model whose topics are exactly `TOPICS`, the same at all times: sites that leave the prior no say."""
    settings = {"alpha": 0.1, "shared": 0.0, "dtype": "float64", "max_epochs": 1, "n_threads": 1, "verbose": False}
    model = DynamicTopicModel(len(TOPICS), "constant(6) + ou(1, 20)", **settings).fit(corpus)
    fitted = model.topics_
    words = np.array([np.isin(fitted.vocabulary, GROUPS[name]) for name in TOPICS]) + SMALL
    logits = np.log(words / words.sum(axis=1, keepdims=True)) - fitted.mean
    sites = fitted.posterior.own
    strong = np.full_like(sites.b, SURE)
    posterior = fitted.posterior._replace(own=type(sites)(strong * logits, strong))
    model.topics_ = Topics(posterior, fitted.mean, fitted.mass, fitted.vocabulary, True, fitted.coverage)
    node = np.argmin(np.abs(corpus.times[:, None] - fitted.times), axis=1)
    model.topics_.node_mass = np.zeros_like(fitted.node_mass)
    np.add.at(model.topics_.node_mass, node, topic_tokens(model, corpus))
    return model
