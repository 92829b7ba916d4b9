"""How a model learns to date documents, and what its file holds of that."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone

from chronotope._typing import Floats, Mask
from chronotope.corpus import Corpus
from chronotope.dates.candidates import candidate_times
from chronotope.dating import Dated, Dating
from chronotope.dating.dating import LEVELS, Weighing
from chronotope.dating.evidence import Evidence
from chronotope.dating.words import CURVES, WordDates, cell_of
from chronotope.gp import one_blas_thread
from chronotope.kernels import By, Kernel, Sum
from chronotope.storage.model_file import DATING

PART = 0.08  # of the documents, and of the dates, on which the kinds of evidence are weighed
OF_DATES = 0.3  # weight of a document of such a date
MOST, UNSEEN = 50_000, 3_000  # documents learned from, and weighed on, at most
FEWEST = 8  # documents that can be weighed on
WEIGHINGS = ("all", "words")  # names of the weighings in files
OWN = 0xDA7E  # begins random numbers of their own: data may be drawn with the seed of the model
PASSES = 6  # of the fit that has not seen them


def dated_sample(corpus: Corpus) -> Corpus:
    """The documents with exact dates and words, at most so many, drawn at random."""
    rows = np.flatnonzero((corpus.stored.sizes > 0) & corpus.exact)
    if len(rows) > MOST:
        rows = np.sort(np.random.default_rng(OWN).choice(rows, MOST, replace=False))
    return corpus[rows] if len(rows) else corpus


def unseen_weights(corpus: Corpus, seed: int) -> Floats:
    """Weights of documents when the kinds of evidence are weighed, (D,); 0 for those that the evidence is learned from.

    Some are drawn singly; those of some dates, none of which is seen, count less: else the evidence that fails there
    would count for little everywhere.
    """
    rng, D = np.random.default_rng([seed, OWN]), len(corpus)
    weight, n = np.zeros(D), min(round(PART * D), UNSEEN)
    edges = candidate_times(np.unique(corpus.times), *corpus.span)[1]
    cell = cell_of(corpus.times, edges)
    used = np.unique(cell)
    weight[np.isin(cell, rng.permutation(used)[: round(n / D * len(used))])] = OF_DATES
    weight[rng.permutation(D)[:n]] = 1.0
    return weight


def counts_and_times(corpus: Corpus) -> tuple[sp.csr_array, Floats]:
    """Counts (D, V) in memory, and times (D,)."""
    return corpus.counts, corpus.times


def check_datable(corpus: Corpus, unseen: Mask) -> None:
    """Refuse a corpus from which nothing can be learned about dates."""
    if corpus.n_times < 2:
        raise ValueError(
            f"all {len(corpus):,} documents with an exact date have the same; dates are learned from at least 2."
        )
    if not FEWEST <= unseen.sum() < len(corpus) - 1:
        raise ValueError(
            f"dates are learned from at least {round(FEWEST / PART):,} documents with exact dates, but there are "
            f"{len(corpus):,}; pass the corpus that the model was fitted on."
        )


def dating_content(dating: Dating) -> tuple[dict[str, Any], dict[str, Floats]]:
    """What a model file holds of dating: a header, and arrays by name."""
    words = dating.words
    arrays = {"times": words.times, "edges": words.edges, "documents": words.documents, "idf": words.idf}
    arrays |= {"bins": words.bins, "line": words.line}
    for name, (beta, levels) in zip(WEIGHINGS, dating[1:], strict=True):
        arrays |= {f"{name}_beta": beta, f"{name}_levels": levels}
    arrays |= {"used": words.used.astype(np.float32), "classes": words.classes.astype(np.float32)}
    return {"curves": list(CURVES)}, {f"{DATING}{name}": values for name, values in arrays.items()}


def dating_of(header: Mapping[str, Any], arrays: Mapping[str, Floats], V: int) -> Dating:
    """The dating that `dating_content` described; ValueError if it is damaged.   arrays : of the whole file."""
    own = {name.removeprefix(DATING): values for name, values in arrays.items() if name.startswith(DATING)}
    C, B, P = len(own["times"]), len(own["bins"]), len(own["classes"])
    shapes = {"times": (C,), "edges": (C + 1,), "documents": (C,), "used": (C, V), "idf": (V,), "bins": (B,)}
    shapes |= {"classes": (P, V + 1, B), "line": (V + 1,)}
    for name, F in zip(WEIGHINGS, (len(CURVES), len(CURVES) - 1), strict=True):
        shapes |= {f"{name}_beta": (F,), f"{name}_levels": (LEVELS,)}
    if header["curves"] != list(CURVES) or {name: x.shape for name, x in own.items()} != shapes:
        raise ValueError("its tables of dates are not those of dating")
    if np.any(np.diff(own["times"]) <= 0) or np.any(np.diff(own["edges"]) <= 0) or own["used"].min() < 0:
        raise ValueError("its candidate dates do not increase, or counts are negative")
    weighings = [Weighing(own.pop(f"{name}_beta"), own.pop(f"{name}_levels")) for name in WEIGHINGS]
    if any(np.any(np.diff(levels) < 0) or levels[0] < 0 or levels[-1] > 1 for _, levels in weighings):
        raise ValueError("the levels of its intervals are not probabilities")
    return Dating(WordDates(**{name: values.astype(np.float64) for name, values in own.items()}), *weighings)


def learned_dating(model: Any, corpus: Corpus) -> Dating:
    """How a fitted model dates documents: learned from those it was fitted on, weighed on some of them.

    A second, shorter fit without these gives the evidence of topics that have not seen them.
    """
    whole = dated_sample(corpus)
    weight = unseen_weights(whole, model.seed)
    unseen = weight > 0.0
    check_datable(whole, unseen)
    known = whole[~unseen]
    second = shorter_fit(model, known)
    evidence = Evidence(second.topics_, second.alpha_)
    return Dating.learn(
        counts_and_times(known), counts_and_times(whole[unseen]), weight[unseen], counts_and_times(whole), evidence
    )


def shorter_fit(model: Any, corpus: Corpus) -> Any:
    """A model like a fitted one, with its kernel and fewer passes, fitted on other documents."""
    kernel = with_column(model.kernel_, model.tracks_.columns[0]) if hasattr(model, "tracks_") else model.kernel_
    shorter = clone(model).set_params(
        kernel=kernel, learn_kernel=False, max_epochs=PASSES, prevalence=None, groups=None, checkpoint=None
    )
    shorter.set_params(n_inducing=min(len(model.topics_.times), corpus.n_times))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"[\d,]+ of [\d,]+ documents have no ")  # said when the model was fitted
        return shorter.fit(corpus)


def with_column(kernel: Kernel, column: str) -> Kernel:
    """The kernel with this column as that of its groups."""
    if isinstance(kernel, Sum):
        return Sum(*(with_column(part, column) for part in kernel.parts))
    return replace(kernel, column=column) if isinstance(kernel, By) else kernel


def dated(model: Any, corpus: Corpus, level: float, topics: Any = None) -> Dated:
    """Documents dated by a model.   corpus : with its words; exact dates in it are not looked at, rough ones are.

    topics : another model whose topics are asked, default None for the same
    """
    evidence = Evidence((topics or model).topics_, (topics or model).alpha_)
    counts = corpus.counts
    mass = model.dating_.mass(evidence, counts, known_of_dates(model.dating_, corpus))
    given = corpus.ids, corpus.vocabulary, model.topics_.calendar, level
    return Dated(model.dating_, evidence, counts, mass, open_ends(corpus), *given)


def dated_by_others(model: Any, corpus: Corpus, level: float) -> Dated:
    """The documents with rough dates, by topics that have seen those with exact ones alone."""
    if corpus.rough is None:
        raise ValueError("fitted=True dates documents whose dates are rough, but the corpus has none.")
    return dated(model, corpus[~corpus.exact], level, shorter_fit(model, dated_sample(corpus)))


def open_ends(corpus: Corpus) -> Mask:
    """Whether documents may be from before, or after, all that is known, (D, 2): not if their rough dates say so."""
    found = np.ones((len(corpus), 2), np.bool_)
    if corpus.rough is not None:
        first, last = corpus.rough.corners[:, 0], corpus.rough.corners[:, 3]
        found[corpus.rough.documents] = False
        for side, corner in enumerate((first, last)):
            found[corpus.rough.document[np.isinf(corner)], side] = True
    return found


def known_of_dates(dating: Dating, corpus: Corpus) -> Floats | None:
    """log of the mass that rough dates give to the candidate times, (D, C), 0 for others; None if there are none.

    A date without any of the candidates says nothing.
    """
    if corpus.rough is None:
        return None
    words = dating.words
    closed = corpus.rough.within(words.edges[0], words.edges[-1])
    mass = closed.mass(words.edges)
    mass[mass.sum(axis=1) == 0.0] = 1.0
    found = np.zeros((len(corpus), len(words.times)))
    with np.errstate(divide="ignore"):
        found[closed.documents] = np.log(mass)
    return found


def date_errors(model: Any, corpus: Corpus, level: float, folds: int) -> pd.DataFrame:
    """Documents whose dates are hard to believe, by parts of the corpus that the others date; see `check_dates`."""
    whole = corpus[np.flatnonzero((corpus.stored.sizes > 0) & corpus.exact)]
    fold, words = np.random.default_rng([model.seed, OWN]).integers(folds, size=len(whole)), model.dating_.words
    cell, parts = cell_of(whole.times, words.edges), []
    for i in range(folds):
        rows, others = np.flatnonzero(fold == i), dated_sample(whole[fold != i])
        shorter = shorter_fit(model, others)
        with one_blas_thread():
            known = WordDates.learn(*counts_and_times(others), words.times, words.edges)
        evidence, dating = Evidence(shorter.topics_, shorter.alpha_), model.dating_._replace(words=known)
        asked = whole[rows]
        mass, about = dating.mass(evidence, asked.counts), (asked.ids, asked.vocabulary, asked.calendar, level)
        part = Dated(dating, evidence, asked.counts, mass, open_ends(asked), *about)
        at = mass[np.arange(len(rows)), cell[rows]]
        surprise = np.log(mass.max(axis=1)) - np.log(np.maximum(at, np.finfo(float).tiny))
        table = part.table.drop(columns="median")
        table.insert(1, "given", whole.times[rows])
        table.insert(2, "surprise", surprise)
        parts.append(table)
    return pd.concat(parts).sort_values("surprise", ascending=False, kind="stable").reset_index(drop=True)


def check_dating(model: Any) -> None:
    """Refuse a model that has not learned to date."""
    if not hasattr(model, "dating_"):
        raise ValueError(
            "this model has not learned to date texts; call model.learn_dating(corpus) with the corpus it was fitted "
            "on, or fit it by chronotope fit --dating."
        )
