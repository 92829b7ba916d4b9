"""Do the words of a topic belong together?  NPMI and C_V against reference texts, as gensim computes them."""

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
WINDOWS = {"npmi": 10, "c_v": 110}


class Part(NamedTuple):
    """Some of the documents, as a mask (D,), and the words of the topics in their time."""

    label: str
    time: float
    documents: Mask
    words: WordLists


def npmi(topics_words: WordLists, counts: WindowCounts) -> Floats:
    """Mean normalised pointwise mutual information of the pairs of a topic's words.

        npmi_ij = log[(p_ij + ε) / (p_i p_j)] / −log(p_ij + ε),   p = together / windows,   ε = 10⁻¹²

    Words that are in no window are left out; NaN where fewer than two are left. Two words that are both in every window
    have −1, as in gensim.   topics_words : K lists of counted words.  Returns (K,), within −1 and 1.
    """
    return _each_topic(_mean_pair, topics_words, counts)


def c_v(topics_words: WordLists, counts: WindowCounts) -> Floats:
    """Mean cosine between the context of a topic's word and that of the whole topic.

        v_i = (npmi_ij)_j,   v = Σ_i v_i,   C_V = mean_i cos(v_i, v)       [Röder, Both, Hinneburg 2015, γ = 1]

    Words that are in no window are left out; NaN where fewer than two are left.
    topics_words : K lists of counted words.  Returns (K,), within −1 and 1.
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
    """Coherence of every topic over the whole corpus and, if asked for, in each period.

    For the whole corpus a topic has its top words over all times; in a period those at the mean time of its documents
    (the middle, if there are none), against the texts of that period alone. Lists of words are the same at all times.
    periods : a number of equally long ones, or their bounds; each has its first bound, the last has both
    window : tokens; 10 for npmi and 110 for c_v if left out;  exact : see `count_windows`
    preprocessing : the one the corpus was made with, for what a token is

    A corpus without texts has no order of words: each document is then one window.
    Columns: period ("all" for the whole corpus), time, documents, topic, measure, value, words. `words` is how many of
    the topic's words occur in the documents; the others are left out, and the value is NaN where fewer than two do.
    """
    if measure not in MEASURES:
        raise ValueError(f'measure is {measure!r}; expected "npmi" or "c_v".')
    if window is not None and corpus.texts is None:
        raise ValueError(
            f"window is {window} but the corpus has no texts, only counts; keep its texts, or leave it out."
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
    """A value of the matrix of npmi, (n, n), of each topic's words that occur."""
    column = {word: i for i, word in enumerate(counts.words)}
    values = np.full(len(topics_words), np.nan)
    for k, words in enumerate(topics_words):
        found = _found(words, column, counts)
        if len(found) > 1:
            values[k] = value(_pair_npmi(counts.together[np.ix_(found, found)] / counts.windows))
    return values


def _found(words: Sequence[str], column: dict[str, int], counts: WindowCounts) -> list[int]:
    """The columns of a topic's words that are in some window."""
    if len(set(words)) < len(words):
        raise ValueError(f"a topic has a word twice in {list(words)}; pass every word once.")
    for word in words:
        if word not in column:
            raise ValueError(f"the word {word!r} is not among the {len(column):,} that were counted; count it too.")
    return [column[word] for word in words if counts.together[column[word], column[word]]]


def _pair_npmi(p: Floats) -> Floats:
    """The npmi of all pairs from their probabilities, the diagonal being those of the words.  p : (n, n)."""
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
    """Each period's documents and the topics' words in it; without topics the words are the same in all."""
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
    """The bounds of the periods, increasing."""
    if isinstance(periods, int | np.integer):
        if periods < 1:
            raise ValueError(f"periods is {periods}; expected at least 1.")
        first, last = corpus.span
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
    """Which period each time is in, −1 for none."""
    period = np.searchsorted(edges, times, side="right") - 1
    period[times == edges[-1]] = len(edges) - 2
    return np.where(period < len(edges) - 1, period, -1)


def _check_found(places: Places, corpus: Corpus, preprocessing: Preprocessing | None) -> None:
    if not len(places.word):
        what = (preprocessing or Preprocessing()).what_is_a_word
        where = "the corpus' vocabulary" if corpus.texts is None else f"the texts, in which {what}"
        raise ValueError(
            f"none of the topics' {len(places.words):,} words is in {where}; pass the corpus the topics are of, "
            "and the preprocessing it was made with."
        )


def _table(part: Part, places: Places, measure: Measure, window: int, exact: bool) -> pd.DataFrame:
    """The rows of one part, a topic each."""
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
