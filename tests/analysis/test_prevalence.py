"""Shares are sums over documents with their denominator; representative documents have the highest shares."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from planted import Planted, plant

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck
from chronotope.analysis import representative_documents, topic_shares


def with_empty_documents(corpus: Corpus) -> Corpus:
    """Two documents more: one without words among the others, one without words in a period of its own."""
    counts = sp.vstack([corpus.counts, sp.csr_array((2, corpus.n_words), dtype=np.int32)])
    texts = [f"text {d}" for d in range(len(corpus) + 2)]
    return Corpus(counts, [*corpus.times, 1.0, 33.0], corpus.vocabulary, texts=texts)


def test_shares_are_the_documents_expected_tokens_added_up_one_by_one(
    model: DynamicTopicModel, planted: Planted
) -> None:
    corpus = with_empty_documents(planted.corpus)
    theta, n = model.transform(corpus), np.asarray(corpus.counts.sum(axis=1)).ravel()
    table = topic_shares(model, corpus, 5.0)
    for row in table.itertuples():
        here = [d for d in range(len(corpus)) if row.start <= corpus.times[d] < row.end]
        tokens = sum(n[d] for d in here)
        assert row.tokens == tokens
        assert row.documents == sum(n[d] > 0 for d in here)
        if tokens:
            mass = sum(
                theta[d, row.topic] * (model.alpha_.sum() + n[d]) - model.alpha_[row.topic] for d in here if n[d]
            )
            np.testing.assert_allclose(row.share, mass / tokens, rtol=1e-6)
        else:
            assert np.isnan(row.share)
    assert (table["tokens"] == 0).sum() == 2 * 2  # two topics, two periods after the last word
    np.testing.assert_allclose(table.groupby("start")["share"].sum(min_count=1).dropna(), 1.0, rtol=1e-9)


def test_shares_agree_with_what_was_planted() -> None:
    """Five times the documents of the other tests: the topics of few are found less exactly than this asks for."""
    kernel = OrnsteinUhlenbeck(2, 10)
    planted = plant(kernel, np.arange(12) * 2.0, 2, 15, documents=40, length=60, seed=1)
    model = DynamicTopicModel(2, kernel, alpha=0.3, max_epochs=15).fit(planted.corpus)
    table = topic_shares(model, planted.corpus, [0.0, 12.0, 24.0])
    found = np.sort(table["share"].to_numpy().reshape(2, 2), axis=1)
    early = planted.corpus.times < 12
    truth = np.sort([planted.shares[early].mean(axis=0), planted.shares[~early].mean(axis=0)], axis=1)
    np.testing.assert_allclose(found, truth, atol=0.04, rtol=0)


def test_shares_at_hand_are_used_and_checked(model: DynamicTopicModel, planted: Planted) -> None:
    theta = model.transform(planted.corpus)
    given = topic_shares(model, planted.corpus, shares=theta)
    np.testing.assert_array_equal(given["share"], topic_shares(model, planted.corpus)["share"])
    with pytest.raises(ValueError, match=r"shares has shape \(3, 2\); expected \(96, 2\)"):
        topic_shares(model, planted.corpus, shares=theta[:3])


def test_shares_of_groups_are_those_of_the_groups_own_documents(model: DynamicTopicModel, planted: Planted) -> None:
    counts, times, words = planted.corpus.counts, planted.corpus.times, planted.corpus.vocabulary
    house = ["lower" if d % 3 else None for d in range(len(times))]
    corpus = Corpus(counts, times, words, metadata=pd.DataFrame({"house": house}))
    table = topic_shares(model, corpus, [0.0, 12.0, 24.0], by="house")
    assert list(table.columns[:2]) == ["group", "period"]
    assert table["group"].unique().tolist() == ["(none)", "lower"]
    for name, chosen in (("(none)", slice(0, None, 3)), ("lower", np.arange(len(times)) % 3 > 0)):
        alone = topic_shares(model, corpus[np.arange(len(times))[chosen]], [0.0, 12.0, 24.0])
        own = table[table["group"] == name].drop(columns="group").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, alone)
    np.testing.assert_array_equal(topic_shares(model, corpus, [0.0, 12.0, 24.0], by=house)["share"], table["share"])


@pytest.mark.parametrize(
    ("by", "sentence"),
    [
        ("party", r"by is 'party', which is not a column of the corpus' metadata; it has none"),
        (["a", "b"], "by has 2 labels for 96 documents"),
    ],
)
def test_groups_that_cannot_be_are_refused(
    model: DynamicTopicModel, planted: Planted, by: str | list[str], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        topic_shares(model, planted.corpus, by=by)


def test_representative_documents_have_the_highest_shares_of_their_period(
    model: DynamicTopicModel, planted: Planted
) -> None:
    corpus = with_empty_documents(planted.corpus)
    theta = model.transform(corpus)
    table = representative_documents(model, corpus, 5.0, n=3)
    assert (table["tokens"] > 0).all()
    assert table["text"].tolist() == [f"text {d}" for d in table["document"]]
    for (topic, period), rows in table.groupby(["topic", "period"]):
        low, high = (float(edge) for edge in str(period).split(" to "))
        here = np.flatnonzero((corpus.times >= low) & (corpus.times < high) & (np.arange(len(corpus)) < 96))
        np.testing.assert_array_equal(rows["rank"], [1, 2, 3])
        np.testing.assert_allclose(rows["share"], np.sort(theta[here, topic])[::-1][:3], rtol=1e-12)


def test_dates_stand_beside_times_where_there_is_a_calendar() -> None:
    rng = np.random.default_rng(0)
    corpus = Corpus(rng.poisson(2, (6, 4)), [f"2001-{month:02d}-15" for month in range(1, 7)])
    model = DynamicTopicModel(2, max_epochs=2).fit(corpus)
    table = topic_shares(model, corpus, "quarter")
    assert table["period"].unique().tolist() == ["2001-01 to 2001-03", "2001-04 to 2001-06"]
    assert table["end_date"].unique().tolist() == ["2001-04-01", "2001-07-01"]
    documents = representative_documents(model, corpus, "quarter", n=1)
    assert "text" not in documents
    assert documents["date"].str.startswith("2001-0").all()


def test_one_time_is_one_period() -> None:
    corpus = Corpus([[2, 1], [0, 3]], [5.0, 5.0])
    table = topic_shares(DynamicTopicModel(2, max_epochs=2).fit(corpus), corpus)
    assert table["tokens"].tolist() == [6, 6]
    np.testing.assert_allclose(table["share"].sum(), 1.0, rtol=1e-9)


def test_no_documents_are_no_answer(model: DynamicTopicModel, planted: Planted) -> None:
    with pytest.raises(ValueError, match="n is 0; expected at least 1 document"):
        representative_documents(model, planted.corpus, n=0)


def test_documents_outside_the_periods_are_counted(model: DynamicTopicModel, planted: Planted) -> None:
    with pytest.warns(UserWarning, match="16 of 96 documents lie outside the periods and are dropped"):
        table = topic_shares(model, planted.corpus, [4.0, 12.0, 30.0])
    assert table["documents"].iloc[::2].sum() == 80
