"""Events are found where they were planted, and hardly anywhere else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis import event_documents, find_events

T, K, V, DOCUMENTS, LENGTH = 40, 2, 24, 6, 60
WORDS, SHARE = range(14, 18), range(27, 31)  # when words burst, and when a topic does


def dated_corpus(seed: int, bursts: bool) -> Corpus:
    """Two topics that never change but for this: two words of the first burst once, and so does the second's share."""
    rng = np.random.default_rng(seed)
    topics = np.full((K, V), 0.2)
    topics[0, :12], topics[1, 12:] = 4.0, 4.0
    counts = []
    for t in range(T):
        pi = topics.copy()
        if bursts and t in WORDS:
            pi[0, :2] *= 8.0
        pi /= pi.sum(axis=1, keepdims=True)
        alpha = [0.4, 0.1] if not (bursts and t in SHARE) else [0.1, 0.9]
        counts += [rng.multinomial(LENGTH, theta @ pi) for theta in rng.dirichlet(alpha, DOCUMENTS)]
    counts[5] = np.zeros(V, dtype=int)  # a document without words
    return Corpus(np.array(counts), np.repeat(1900.0 + np.arange(T), DOCUMENTS), calendar=True)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return dated_corpus(0, bursts=True)


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> DynamicTopicModel:
    return DynamicTopicModel(K, learn_kernel=False, max_epochs=15).fit(corpus)


@pytest.fixture(scope="module")
def found(model: DynamicTopicModel, corpus: Corpus) -> pd.DataFrame:
    return find_events(model, corpus, window="30 years")


def first_topic(model: DynamicTopicModel) -> int:
    return int(np.argmax(model.topics_.probabilities([1905.0])[0, :, :12].sum(axis=1)))


def test_the_burst_of_words_is_found_with_its_dates_and_its_words(
    model: DynamicTopicModel, found: pd.DataFrame
) -> None:
    best = found[found["kind"] == "words"].iloc[0]
    assert best.topic == first_topic(model)
    assert abs(best.start - 1914) <= 1
    assert abs(best.end - 1917) <= 1
    assert best.start <= best.peak <= best.end
    assert set(best.words[:2]) == {"word0", "word1"}
    assert best.probability > 0.95
    truth = (8 / (26 / 12 * 12)) / (1 / 12)  # 8 of 26 parts and not 1 of 12, where other topics are left aside
    assert best.low * 0.8 < truth < best.high * 1.25
    assert best.start_date.startswith("191")


def test_the_burst_of_a_topic_is_found_with_its_dates(model: DynamicTopicModel, found: pd.DataFrame) -> None:
    best = found[found["kind"] == "share"].iloc[0]
    assert best.topic == 1 - first_topic(model)
    assert abs(best.start - 1927) <= 1
    assert abs(best.end - 1930) <= 1
    assert set(best.words) <= {f"word{v}" for v in range(12, 24)}
    assert best.probability > 0.8


def test_the_documents_behind_an_event_are_of_its_time_and_full_of_it(
    corpus: Corpus, model: DynamicTopicModel, found: pd.DataFrame
) -> None:
    theta = model.transform(corpus)
    for row in found.itertuples():
        assert len(row.documents) == 3
        columns = [int(word[4:]) for word in row.words] if row.kind == "words" else range(V)
        worth = corpus.counts.toarray()[:, list(columns)].sum(axis=1) * theta[:, row.topic]
        inside = (corpus.times >= row.start) & (corpus.times <= row.end)
        np.testing.assert_allclose(worth[row.documents], np.sort(worth[inside])[::-1][:3], rtol=1e-9)
    table = event_documents(found, corpus)
    assert table["document"].tolist() == [d for row in found["documents"] for d in row]
    assert table["event"].tolist() == [i for i in range(len(found)) for _ in range(3)]


def test_on_a_coarse_grid_an_event_has_the_dates_of_its_documents(corpus: Corpus) -> None:
    coarse = DynamicTopicModel(K, learn_kernel=False, n_inducing=5, max_epochs=15).fit(corpus)
    assert coarse.topics_.resolution > 8
    best = find_events(coarse, corpus, window="30 years").query("kind == 'words'").iloc[0]
    assert (abs(best.start - 1914) <= 1, abs(best.end - 1917) <= 1) == (True, True)
    assert 1914 <= best.peak <= 1917
    assert all(best.start <= corpus.times[d] <= best.end for d in best.documents)


def test_without_a_corpus_dates_are_no_finer_than_the_grid(corpus: Corpus) -> None:
    coarse = DynamicTopicModel(K, learn_kernel=False, n_inducing=14, max_epochs=15).fit(corpus)
    found = find_events(coarse, window="30 years")
    assert len(found)
    assert found["peak_date"].str.fullmatch(r"\d{4}").all()


def test_outlying_documents_change_no_event(corpus: Corpus, model: DynamicTopicModel, found: pd.DataFrame) -> None:
    counts = np.vstack([corpus.counts.toarray(), corpus.counts.toarray()[:2]])
    more = Corpus(counts, [*corpus.times, 1000.0, 9952.0], corpus.vocabulary, calendar=True)
    same = find_events(model, more, window="30 years")
    pd.testing.assert_frame_equal(same.drop(columns="documents"), found.drop(columns="documents"))


def test_events_are_in_order_of_strength_and_no_less_probable_than_asked(found: pd.DataFrame) -> None:
    assert found["strength"].is_monotonic_decreasing
    assert (found["probability"] >= 0.8).all()
    assert (found["low"] <= found["ratio"]).all()


def test_without_a_corpus_the_same_bursts_are_found(model: DynamicTopicModel, found: pd.DataFrame) -> None:
    alone = find_events(model, window=30.0)
    assert "documents" not in alone
    for kind in ("words", "share"):
        best, same = (table[table["kind"] == kind].iloc[0] for table in (alone, found))
        assert (best.topic, best.start) == (same.topic, same.start)
    with pytest.raises(ValueError, match="the table has no column documents"):
        event_documents(alone, dated_corpus(0, bursts=True))


def test_topics_that_do_not_change_have_hardly_any_events() -> None:
    number = 0
    for seed in (1, 2):
        corpus = dated_corpus(seed, bursts=False)
        number += len(find_events(DynamicTopicModel(K, max_epochs=10).fit(corpus), corpus))
    assert number <= 1


@pytest.mark.parametrize("with_corpus", [True, False])
@pytest.mark.parametrize("kernel", ["events", "constant + ou"])
@pytest.mark.parametrize("length", [50, 400])
def test_topics_that_never_change_have_no_events(length: int, kernel: str, with_corpus: bool) -> None:
    """Every document has its own time, so that a topic may follow a single one."""
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        theta, topics = rng.dirichlet(np.full(3, 0.3), 150), rng.dirichlet(np.full(60, 0.2), 3)
        counts = np.array([rng.multinomial(length, p / p.sum()) for p in theta @ topics])
        corpus = Corpus(counts, rng.uniform(2000.0, 2020.0, 150))
        model = DynamicTopicModel(3, kernel, max_epochs=8, seed=seed).fit(corpus)
        assert len(find_events(model, corpus if with_corpus else None)) == 0


def test_words_that_little_text_around_lacks_are_no_event_if_they_are_as_frequent_as_ever() -> None:
    """Every document has the word once, but for one document in each of the years around 1920."""
    quiet = [*range(1915, 1920), *range(1921, 1926)]
    number = [1 if year in quiet else 7 for year in range(1900, 1900 + T)]
    times = np.repeat(1900.0 + np.arange(T), number)
    counts = np.full((len(times), 30), 2)
    for elsewhere, expected in ((1, 0), (0, 1)):  # said at other times too, or only in 1920
        counts[:, 0] = np.where(times == 1920.0, 1, elsewhere) * ~np.isin(times, quiet)
        corpus = Corpus(counts, times, calendar=True)
        found = find_events(DynamicTopicModel(1, max_epochs=5).fit(corpus), corpus, window="8 years")
        assert sum("word0" in words for words in found["words"]) == expected


def test_one_document_is_no_event() -> None:
    """It has ten words of a topic that no other has, six times each: most of the topic's tokens of its year."""
    corpus = dated_corpus(1, bursts=False)
    counts = np.hstack([corpus.counts.toarray(), np.zeros((len(corpus), 10), dtype=int)])
    counts[100] = np.concatenate([counts[100][:V], np.full(10, 6)])
    told = counts.copy()
    told[97:102, V:] = 6  # five documents of one and the next year have them
    found = [
        find_events(DynamicTopicModel(K, max_epochs=10).fit(each), each)
        for each in (Corpus(x, corpus.times, calendar=True) for x in (counts, told))
    ]
    assert not any({f"word{V + i}" for i in range(10)} & set(words) for words in found[0]["words"])
    assert any({f"word{V + i}" for i in range(10)} & set(words) for words in found[1]["words"])


def test_an_event_that_is_long_remembered_is_found_at_its_height() -> None:
    """Words are used three times as much for ten of forty years, longer than an event may last, and most at first."""
    rng, times = np.random.default_rng(0), np.repeat(1900.0 + np.arange(T), DOCUMENTS)
    usual = np.full(V, 1.0)
    counts = []
    for year in times:
        pi = usual.copy()
        pi[:2] *= 30.0 if year in (1915.0, 1916.0) else 3.0 if 1917 <= year < 1925 else 0.3
        counts.append(rng.multinomial(LENGTH, pi / pi.sum()))
    corpus = Corpus(np.array(counts), times, calendar=True)
    found = find_events(DynamicTopicModel(1, max_epochs=10).fit(corpus), corpus, window="20 years")
    own = found[[bool({"word0", "word1"} & set(words)) for words in found["words"]]]
    assert len(own) == 1
    assert (own["start"].iloc[0], own["end"].iloc[0]) == (1915.0, 1916.0)


def test_one_time_and_two_have_no_events() -> None:
    for times in ([1.0, 1.0], [1.0, 2.0]):
        corpus = Corpus([[3, 1, 0], [0, 2, 5]], times)
        table = find_events(DynamicTopicModel(2, max_epochs=2).fit(corpus), corpus)
        assert len(table) == 0
        assert {"topic", "start", "peak", "end", "probability", "words", "documents"} <= set(table.columns)
        assert len(event_documents(table, corpus)) == 0


@pytest.mark.parametrize("wrong", [{"factor": 1.0}, {"probability": 2}, {"draws": 1}, {"window": 0}, {"level": 0}])
def test_what_cannot_be_asked_is_refused(model: DynamicTopicModel, wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        find_events(model, **wrong)
