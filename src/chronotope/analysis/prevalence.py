"""Prevalence of topics, their share of the text, by period and group; and representative documents."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.corpus.corpus import Corpus
from chronotope.corpus.groups import groups_of
from chronotope.dates.periods import Periods, choose_periods, with_dates
from chronotope.model.completion import alpha_of_rows

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


def topic_shares(
    model: DynamicTopicModel,
    corpus: Corpus,
    periods: Any = None,
    *,
    by: str | Sequence[Any] | None = None,
    shares: Floats | None = None,
) -> pd.DataFrame:
    """Prevalence of each topic in each period: its share of the text, in tokens.

        share_kp = Σ_{d in p} n_dk / Σ_{d in p} n_d          n_dk : expected tokens of topic k in document d

    model : DynamicTopicModel, fitted
    corpus : Corpus of D documents
    periods : str, number or list of times, default None; length of the periods, as "decade", or their edges; None for a
        round length; see `choose_periods`
    by : str or list of D labels, default None; a column of corpus.metadata, or the group of each document: prevalence
        is then computed within every group
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again

    Returns a table with one row per period and topic, and per group with `by`:
    group : its name, "(none)" for documents without a label; only with `by`
    period : its name;  start, end, time : its edges and its middle
    topic : its number;  share : its prevalence, NaN in a period without tokens
    tokens : all tokens of the period (of the group), the denominator;  documents : number of documents with words
    """
    chosen = choose_periods(periods, corpus.main_span, corpus.calendar)
    names, group = ([""], np.zeros(len(corpus), np.int64)) if by is None else groups_of(corpus, by)
    row = chosen.place(corpus.times)
    lengths = document_lengths(corpus)
    _warn_outside(row)
    G, P, K = len(names), len(chosen.names), len(model.alpha_)
    tokens, documents, mass = np.zeros((G, P)), np.zeros((G, P), dtype=np.int64), np.zeros((G, P, K))
    inside = row >= 0
    cell = group[inside], row[inside]
    np.add.at(mass, cell, topic_tokens(model, corpus, shares)[inside])
    np.add.at(tokens, cell, lengths[inside])
    np.add.at(documents, cell, lengths[inside] > 0)
    share = np.divide(mass, tokens[..., None], out=np.full_like(mass, np.nan), where=tokens[..., None] > 0)
    table = chosen.columns(corpus.calendar).loc[np.tile(np.repeat(np.arange(P), K), G)].reset_index(drop=True)
    table = table.assign(
        topic=np.tile(np.arange(K), G * P),
        share=share.ravel(),
        tokens=np.repeat(tokens.astype(np.int64).ravel(), K),
        documents=np.repeat(documents.ravel(), K),
    )
    if by is not None:
        table.insert(0, "group", np.repeat(np.array(names, dtype=object), P * K))
    return table


def _warn_outside(row: Ints) -> None:
    """Say how many documents are in no period.   row : (D,), their periods, −1 for none."""
    outside = int(np.sum(row < 0))
    if outside:
        warnings.warn(
            f"{outside:,} of {len(row):,} documents lie outside the periods and are dropped.", UserWarning, stacklevel=3
        )


def representative_documents(
    model: DynamicTopicModel, corpus: Corpus, periods: Any = None, n: int = 3, *, shares: Floats | None = None
) -> pd.DataFrame:
    """The documents with the highest share of each topic in each period.

    model : DynamicTopicModel, fitted
    corpus : Corpus of D documents; those without words are never chosen
    periods : str, number or list of times, default None; as in `topic_shares`
    n : int, default 3; documents per topic and period; a period with fewer documents has fewer rows
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again

    Returns a table with one row per topic, period and rank:
    topic : its number;  period : its name;  rank : from 1, the highest share;  document : row of the corpus
    id, time, tokens : identifier, time and number of tokens of the document;  text : if the corpus kept it
    share : share of the topic in the document
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; expected at least 1 document.")
    chosen = choose_periods(periods, corpus.main_span, corpus.calendar)
    theta = document_shares(model, corpus, shares)
    found = _highest(theta, _rows(chosen, corpus), n)
    topic, period, rank, document = (np.array(column, dtype=np.int64) for column in zip(*found, strict=True))
    table = pd.DataFrame(
        {"topic": topic, "period": np.array(chosen.names, dtype=object)[period], "rank": rank, "document": document}
    )
    return describe_documents(table, corpus).assign(share=theta[document, topic])


def describe_documents(table: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    """Add id, time, tokens and text of documents to a table whose column `document` holds rows of the corpus."""
    rows = table["document"].to_numpy()
    more = {"id": corpus.ids[rows], "time": corpus.times[rows], "tokens": document_lengths(corpus)[rows]}
    if corpus.texts is not None:
        more["text"] = corpus.texts[rows]
    return with_dates(table.assign(**more), corpus.calendar)


def document_lengths(corpus: Corpus) -> Ints:
    """Tokens of each document, (D,)."""
    return np.asarray(corpus.counts.sum(axis=1), dtype=np.int64).ravel()


def document_shares(model: DynamicTopicModel, corpus: Corpus, shares: Floats | None = None) -> Floats:
    """Mean topic shares of the documents, (D, K): `shares` if given, else model.transform(corpus)."""
    if shares is None:
        return model.transform(corpus)
    given = np.asarray(shares, dtype=np.float64)
    if given.shape != (len(corpus), len(model.alpha_)):
        raise ValueError(
            f"shares has shape {given.shape}; expected {(len(corpus), len(model.alpha_))}, as model.transform(corpus)."
        )
    return given


def topic_tokens(model: DynamicTopicModel, corpus: Corpus, shares: Floats | None = None) -> Floats:
    """Expected tokens of each topic in each document, (D, K): the mean shares without the contribution of the prior.

    θ_dk = (α_k + n_dk) / (α_0 + n_d)     hence     n_dk = θ_dk (α_0 + n_d) − α_k        with prevalence, α_d
    """
    theta = document_shares(model, corpus, shares)
    lengths, alpha_of = document_lengths(corpus)[:, None], alpha_of_rows(model, corpus)
    alpha = model.alpha_[None] if alpha_of is None else alpha_of(slice(None))
    tokens = np.maximum(theta * (alpha.sum(axis=1, keepdims=True) + lengths) - alpha, 0.0)
    total = tokens.sum(axis=1, keepdims=True)
    result: Floats = np.where(lengths > 0, tokens * lengths / np.maximum(total, np.finfo(float).tiny), 0.0)
    return result


def _rows(chosen: Periods, corpus: Corpus) -> Ints:
    """Period of each document, (D,); −1 outside all periods or without words."""
    row = chosen.place(corpus.times)
    row[document_lengths(corpus) == 0] = -1
    return row


def _highest(theta: Floats, row: Ints, n: int) -> list[tuple[int, int, int, int]]:
    """(topic, period, rank, document) of the n highest shares of each topic in each period."""
    found = []
    for k in range(theta.shape[1]):
        for p in np.unique(row[row >= 0]):
            here = np.flatnonzero(row == p)
            best = here[np.argsort(-theta[here, k], kind="stable")[:n]]
            found += [(k, int(p), rank, int(d)) for rank, d in enumerate(best, start=1)]
    return found
