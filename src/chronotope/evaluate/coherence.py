"""Coherence of topics: NPMI and C_V of their top words in reference texts, as gensim computes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints, Mask
from chronotope.corpus.corpus import Corpus
from chronotope.dates.decimal import format_time, parse_times
from chronotope.evaluate.change import best_words, check_n_words, fitted_topics
from chronotope.evaluate.windows import Places, WindowCounts, count_places, find_in_corpus
from chronotope.text.options import Preprocessing
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

Measure = Literal["npmi", "c_v"]
WordLists = Sequence[Sequence[str]]

EPSILON = 1e-12  # added to the probability of a pair, as in gensim
WINDOWS = {"npmi": 10, "c_v": 110}  # default length in tokens, as in gensim


class Part(NamedTuple):
    """The documents of a period, and the words of the topics then.   documents : (D,) mask;  words : K lists."""

    label: str
    time: float
    documents: Mask
    words: WordLists


def npmi(topics_words: WordLists, counts: WindowCounts) -> Floats:
    """Mean normalised pointwise mutual information of the pairs of a topic's words.

        npmi_ij = log[(p_ij + ε) / (p_i p_j)] / −log(p_ij + ε),   p = together / windows,   ε = 10⁻¹²

    Words that occur in no window are ignored. Two words that are both in every window have −1, as in gensim.

    topics_words : K lists of words; all of them were counted
    counts : WindowCounts from `count_windows`

    Returns (K,), from −1 to 1; NaN for a topic with fewer than two words that occur.
    """
    return _each_topic(_mean_pair, topics_words, counts)


def c_v(topics_words: WordLists, counts: WindowCounts) -> Floats:
    """Mean cosine between the context vector of each word of a topic and that of the whole topic.

        v_i = (npmi_ij)_j,   v = Σ_i v_i,   C_V = mean_i cos(v_i, v)       [Röder, Both, Hinneburg 2015, γ = 1]

    Words that occur in no window are ignored.

    topics_words : K lists of words; all of them were counted
    counts : WindowCounts from `count_windows`

    Returns (K,), from −1 to 1; NaN for a topic with fewer than two words that occur.
    """
    return _each_topic(_mean_cosine, topics_words, counts)


MEASURES = {"npmi": npmi, "c_v": c_v}


def topic_coherence(
    given: DynamicTopicModel | Topics | WordLists,
    corpus: Corpus,
    measure: Measure = "npmi",
    n_words: int = 10,
    periods: int | Iterable[Any] | None = None,
    *,
    window: int | None = None,
    exact: bool = False,
    preprocessing: Preprocessing | None = None,
) -> pd.DataFrame:
    """Coherence of every topic over the whole corpus and, optionally, in each period.

    For the whole corpus a topic has its top words over all times. In a period it has those at the mean time of the
    documents (the middle of the period without documents), and only the texts of that period count.

    given : DynamicTopicModel or Topics, fitted, or one list of words per topic, the same at all times
    corpus : Corpus, the reference texts; without texts, only counts, each document is one window
    measure : "npmi" or "c_v", default "npmi"
    n_words : int, default 10; number of top words per topic
    periods : int or list of times, default None; a number of periods of equal length, or their edges; a period
        includes its start, the last one also its end
    window : int, default None; length in tokens; None for 10 with npmi and 110 with c_v
    exact : bool, default False; see `count_windows`
    preprocessing : Preprocessing, default None; the one the corpus was built with, which defines tokens; None for the
        defaults

    Returns a table with one row per period and topic:
    period : "all" for the whole corpus, else its name;  time : at which the topics were evaluated, NaN for "all"
    documents : number of documents;  topic : its number;  measure : "npmi" or "c_v"
    value : the coherence, NaN if fewer than two words occur
    words : number of the topic's words that occur in the documents; the others are ignored
    """
    if measure not in MEASURES:
        raise ValueError(f'measure is {measure!r}; expected "npmi" or "c_v".')
    if window is not None and corpus.texts is None:
        raise ValueError(
            f"window is {window} but the corpus has no texts, only counts; keep its texts, or pass no window."
        )
    size = WINDOWS[measure] if window is None else window
    words = _overall_words(given, n_words)
    parts = [Part("all", np.nan, np.ones(len(corpus), dtype=bool), words)]
    if periods is not None:
        parts += _period_parts(fitted_topics(given), corpus, words, _edges(corpus, periods))
    places = find_in_corpus(corpus, (word for part in parts for topic in part.words for word in topic), preprocessing)
    _check_found(places, corpus, preprocessing)
    tables = [_table(part, places, measure, size, exact) for part in parts]
    return pd.concat(tables, ignore_index=True)


def _each_topic(value: Callable[[Floats], float], topics_words: WordLists, counts: WindowCounts) -> Floats:
    """`value` of the (W, W) matrix of NPMI of each topic's W words that occur, (K,); NaN with fewer than two."""
    column = {word: i for i, word in enumerate(counts.words)}
    values = np.full(len(topics_words), np.nan)
    for k, words in enumerate(topics_words):
        found = _found(words, column, counts)
        if len(found) > 1:
            values[k] = value(_pair_npmi(counts.together[np.ix_(found, found)] / counts.windows))
    return values


def _found(words: Sequence[str], column: dict[str, int], counts: WindowCounts) -> list[int]:
    """Columns of a topic's words that occur in some window."""
    if len(set(words)) < len(words):
        raise ValueError(f"a topic has a word twice in {list(words)}; pass every word once.")
    for word in words:
        if word not in column:
            raise ValueError(f"the word {word!r} is not among the {len(column):,} that were counted; count it too.")
    return [column[word] for word in words if counts.together[column[word], column[word]]]


def _pair_npmi(p: Floats) -> Floats:
    """NPMI of all pairs.   p : (W, W), p_ij of the pairs, p_i of the words on the diagonal."""
    single = p.diagonal()
    pairs: Floats = np.log((p + EPSILON) / np.outer(single, single)) / -np.log(p + EPSILON)
    return pairs


def _mean_pair(pairs: Floats) -> float:
    return float(pairs[np.triu_indices(len(pairs), 1)].mean())


def _mean_cosine(pairs: Floats) -> float:
    total = pairs.sum(axis=0)
    return float(np.mean(pairs @ total / (np.linalg.norm(pairs, axis=1) * np.linalg.norm(total))))


def _overall_words(given: Any, n_words: int) -> WordLists:
    """The top words of every topic over all times, or the lists that were given."""
    topics = fitted_topics(given)
    if topics is None:
        return _check_lists(given, n_words)
    check_n_words(n_words, len(topics.vocabulary))
    return [[word for word, _ in topics.top_words(k, n=n_words)] for k in range(topics.n_topics)]


def _period_parts(topics: Topics | None, corpus: Corpus, words: WordLists, edges: Floats) -> Iterator[Part]:
    """Documents and words of each period.   topics : None if `words` are the same in all periods;  edges : (P + 1,)."""
    period = _period_of(corpus.times, edges)
    masks = [period == i for i in range(len(edges) - 1)]
    at = [corpus.times[inside].mean() if inside.any() else edges[i : i + 2].mean() for i, inside in enumerate(masks)]
    by_period = [words] * len(masks) if topics is None else _words_at(topics, at, len(words[0]))
    for i, inside in enumerate(masks):
        label = " to ".join(format_time(edge, corpus.calendar) for edge in edges[i : i + 2])
        yield Part(label, float(at[i]), inside, by_period[i])


def _words_at(topics: Topics, times: Sequence[float], n_words: int) -> list[WordLists]:
    """The top words of every topic at each of the times."""
    best = best_words(topics.probabilities(np.array(times)), n_words)
    words: list[WordLists] = topics.vocabulary[best].tolist()
    return words


def _check_lists(given: Any, n_words: int) -> list[list[str]]:
    """Lists of words, the first n_words of each."""
    if isinstance(given, str) or not all(isinstance(words, list | tuple | np.ndarray) for words in given):
        raise ValueError("the topics are not lists; pass a fitted model, its topics_, or one list of words per topic.")
    if n_words < 1:
        raise ValueError(f"n_words is {n_words}; expected at least 1.")
    lists = [[str(word) for word in words][:n_words] for words in given]
    if not lists:
        raise ValueError("there are no topics; pass at least one list of words.")
    return lists


def _edges(corpus: Corpus, periods: int | Iterable[Any]) -> Floats:
    """Edges of the P periods, (P + 1,), increasing."""
    if isinstance(periods, int | np.integer):
        if periods < 1:
            raise ValueError(f"periods is {periods}; expected at least 1.")
        first, last = corpus.main_span
        if first == last and periods > 1:
            raise ValueError(f"periods is {periods} but all documents have the same time; pass 1, or bounds.")
        return np.linspace(first, last, int(periods) + 1)
    edges = parse_times(periods).values
    if len(edges) < 2 or np.any(np.diff(edges) <= 0):
        raise ValueError(
            f"periods has the bounds {edges.tolist()}; expected two or more, each later than the one before."
        )
    if np.all(_period_of(corpus.times, edges) < 0):
        span = " to ".join(format_time(time, corpus.calendar) for time in corpus.span)
        raise ValueError(f"no document is within the periods {edges.tolist()}; pass bounds within {span}.")
    return edges


def _period_of(times: Floats, edges: Floats) -> Ints:
    """Period of each time, (D,); −1 outside all periods."""
    period = np.searchsorted(edges, times, side="right") - 1
    period[times == edges[-1]] = len(edges) - 2
    return np.where(period < len(edges) - 1, period, -1)


def _check_found(places: Places, corpus: Corpus, preprocessing: Preprocessing | None) -> None:
    if not len(places.word):
        what = (preprocessing or Preprocessing()).what_is_a_word
        where = "the corpus' vocabulary" if corpus.texts is None else f"the texts, in which {what}"
        raise ValueError(
            f"none of the topics' {len(places.words):,} words is in {where}; pass the corpus of the topics, "
            "and the preprocessing it was built with."
        )


def _table(part: Part, places: Places, measure: Measure, window: int, exact: bool) -> pd.DataFrame:
    """The rows of one period, one per topic."""
    counts = count_places(places.select(part.documents, (w for words in part.words for w in words)), window, exact)
    occurs = dict(zip(counts.words, counts.together.diagonal() > 0, strict=True))
    return pd.DataFrame(
        {
            "period": part.label,
            "time": part.time,
            "documents": int(part.documents.sum()),
            "topic": np.arange(len(part.words)),
            "measure": measure,
            "value": MEASURES[measure](part.words, counts),
            "words": [sum(bool(occurs[word]) for word in words) for words in part.words],
        }
    )
