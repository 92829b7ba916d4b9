"""What no topic explains: words that documents have far more often than their mixtures of topics predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.analysis.prevalence import describe_documents, document_lengths, document_shares
from chronotope.corpus.corpus import Corpus
from chronotope.dates.periods import choose_periods
from chronotope.display.progress import counting_bar
from chronotope.model.completion import SMALLEST, mixture_probabilities

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

EVIDENCE = 4.0  # nats from which a word of a document is in excess
REPEATED = 2  # tokens of a word of a document that is in excess, at least
ERRORS = 2.0  # standard errors by which the unexplained share of a document is lowered
WORDS = 8  # words of a document in the table
DOCUMENTS = 3  # documents of a period in which a word is in excess, at least
BLOCK = 2_000  # documents per update of the bar


class Excess(NamedTuple):
    """Words of documents that are in excess, one entry per document and word.

    document, word : row and column in the counts;  observed, expected : tokens
    """

    document: Ints
    word: Ints
    observed: Floats
    expected: Floats

    @property
    def tokens(self) -> Floats:
        """Tokens beyond the expected ones."""
        beyond: Floats = self.observed - self.expected
        return beyond


def find_excess(
    model: DynamicTopicModel, corpus: Corpus, shares: Floats | None = None, verbose: bool | None = None
) -> Excess:
    """The words of documents that are in excess over what their topics predict.

        λ_dv = n_d Σ_k θ_dk E[π_kv(τ_d)],      n_dv log(n_dv / λ_dv) − (n_dv − λ_dv) ≥ 4,      n_dv > λ_dv

    The left side is the evidence against a Poisson count of mean λ, in nats. A word that a document has once is never
    in excess, however rare it is.

    model : DynamicTopicModel, fitted
    corpus : Corpus of D documents
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again
    verbose : bool, default None; whether progress is shown; None shows it if stderr is a terminal or in a notebook

    Returns a named tuple of arrays: document, word, observed, expected.
    """
    theta = document_shares(model, corpus, shares)
    order, found = np.argsort(corpus.times, kind="stable"), []
    with counting_bar(-(-len(corpus) // BLOCK), 0, verbose, "comparing words with topics") as done:
        for start in range(0, len(corpus), BLOCK):
            rows = order[start : start + BLOCK]
            found.append(_excess_of(model, corpus[rows], theta[rows], rows))
            done()
    return Excess(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _excess_of(model: DynamicTopicModel, corpus: Corpus, theta: Floats, rows: Ints) -> Excess:
    """The excess of some documents.   theta : (D, K);  rows : (D,), their rows in the whole corpus."""
    counts = corpus.counts
    n = counts.data.astype(np.float64)
    document = np.repeat(np.arange(len(corpus)), np.diff(counts.indptr))
    probability = mixture_probabilities(model.topics_, theta, counts, corpus.times)
    expected = document_lengths(corpus).astype(np.float64)[document] * np.maximum(probability, SMALLEST)
    evidence = n * np.log(n / expected) - (n - expected)
    above = (n >= REPEATED) & (n > expected) & (evidence >= EVIDENCE)
    return Excess(rows[document[above]], counts.indices[above].astype(np.int64), n[above], expected[above])


def unexplained_documents(
    model: DynamicTopicModel,
    corpus: Corpus,
    periods: Any = None,
    n: int = 3,
    *,
    shares: Floats | None = None,
    excess: Excess | None = None,
    verbose: bool | None = None,
) -> pd.DataFrame:
    """The documents of each period that the topics explain least.

        unexplained_d = (E_d − 2 √E_d) / n_d,   at least 0          E_d = Σ_v (n_dv − λ_dv)

    The sum is over the words that the document has far more often than its mixture of topics predicts, see
    `find_excess`. So it is the share of the document's tokens that no topic accounts for, less two standard errors, for
    a short document that says a few words twice is little evidence. Rare words alone do not make a document
    unexplained: it has to repeat them.

    model : DynamicTopicModel, fitted
    corpus : Corpus of D documents
    periods : str, number or list of times, default None; as in `topic_shares`
    n : int, default 3; documents per period; a period with fewer unexplained documents has fewer rows
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again
    excess : Excess, default None; the result of find_excess(model, corpus), to avoid computing it again
    verbose : bool, default None; whether progress is shown; None shows it if stderr is a terminal or in a notebook

    Returns a table with one row per period and rank:
    period : its name;  rank : from 1, the least explained;  document : row of the corpus
    id, time, tokens : identifier, time and number of tokens of the document;  text : if the corpus kept it
    unexplained : as above, from 0 to 1;  words : list of str, at most 8, those most in excess first
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; expected at least 1 document.")
    found = find_excess(model, corpus, shares, verbose) if excess is None else excess
    chosen = choose_periods(periods, corpus.main_span, corpus.calendar)
    beyond = np.bincount(found.document, found.tokens, len(corpus))
    unexplained = np.maximum(beyond - ERRORS * np.sqrt(beyond), 0.0) / np.maximum(document_lengths(corpus), 1)
    place, rows = chosen.place(corpus.times), []
    for p in range(len(chosen.names)):
        here = np.flatnonzero((place == p) & (unexplained > 0.0))
        best = here[np.argsort(-unexplained[here], kind="stable")[:n]]
        rows += [(chosen.names[p], rank, int(d)) for rank, d in enumerate(best, start=1)]
    table = pd.DataFrame(rows, columns=["period", "rank", "document"]).astype({"rank": int, "document": int})
    documents = table["document"].tolist()
    table = describe_documents(table, corpus).assign(unexplained=unexplained[documents])
    table["words"] = [_words_of(found, d, corpus) for d in documents]
    return table


def _words_of(found: Excess, document: int, corpus: Corpus) -> list[str]:
    """The words of a document that are most in excess."""
    here = np.flatnonzero(found.document == document)
    best = here[np.argsort(-found.tokens[here], kind="stable")[:WORDS]]
    return [str(corpus.vocabulary[v]) for v in found.word[best]]


def unexplained_words(
    model: DynamicTopicModel,
    corpus: Corpus,
    periods: Any = None,
    n: int = 10,
    *,
    shares: Floats | None = None,
    excess: Excess | None = None,
    verbose: bool | None = None,
) -> pd.DataFrame:
    """What is in each period that is none of the topics: words in excess in several of its documents.

        worth_pv = E_pv log[(E_pv + 1) / (R_pv + 1)]              E_pv = Σ_{d in p} (n_dv − λ_dv)

    The sum is over the documents of the period in which the word is in excess, see `find_excess`. R is what E would be
    at the rate of all other documents. So words that documents repeat at all times do not come first.

    model : DynamicTopicModel, fitted
    corpus : Corpus of D documents
    periods : str, number or list of times, default None; as in `topic_shares`
    n : int, default 10; words per period; a period with fewer such words has fewer rows
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again
    excess : Excess, default None; the result of find_excess(model, corpus), to avoid computing it again
    verbose : bool, default None; whether progress is shown; None shows it if stderr is a terminal or in a notebook

    Returns a table with one row per period and rank:
    period : its name;  rank : from 1, the word of highest worth;  word : it is in excess in at least 3 documents
    observed, expected : its tokens in these documents, and what their topics predict;  ratio : of the two
    documents : their number
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; expected at least 1 word.")
    found = find_excess(model, corpus, shares, verbose) if excess is None else excess
    chosen = choose_periods(periods, corpus.main_span, corpus.calendar)
    place, lengths = chosen.place(corpus.times), document_lengths(corpus)
    total = np.bincount(found.word, found.tokens, corpus.n_words)
    tables = []
    for p, name in enumerate(chosen.names):
        here = Excess(*(column[place[found.document] == p] for column in found))
        inside, outside = lengths[place == p].sum(), lengths[place != p].sum()
        others = total - np.bincount(here.word, here.tokens, corpus.n_words)
        tables.append(_most_in_excess(here, others * (inside / max(int(outside), 1)), corpus, n).assign(period=name))
    table = pd.concat(tables, ignore_index=True)
    return table[["period", "rank", "word", "observed", "expected", "ratio", "documents"]]


def _most_in_excess(found: Excess, usual: Floats, corpus: Corpus, n: int) -> pd.DataFrame:
    """Words of highest worth in one period.   found : in its documents;  usual : (V,) R; see `unexplained_words`."""
    V = corpus.n_words
    documents = np.bincount(found.word, minlength=V)
    beyond, observed, expected = (
        np.bincount(found.word, tokens, V) for tokens in (found.tokens, found.observed, found.expected)
    )
    worth = beyond * np.log((beyond + 1.0) / (np.maximum(usual, 0.0) + 1.0))
    several = np.flatnonzero((documents >= DOCUMENTS) & (worth > 0.0))
    best = several[np.argsort(-worth[several], kind="stable")[:n]]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(best) + 1),
            "word": corpus.vocabulary[best].astype(object),
            "observed": observed[best].astype(np.int64),
            "expected": expected[best],
            "ratio": observed[best] / np.maximum(expected[best], SMALLEST),
            "documents": documents[best],
        }
    )
