"""Prevalence on the page: the model's own curves with bands where it has them, counted shares otherwise."""

import numpy as np
import pytest
from report.test_report import data_of

import chronotope as ct


@pytest.fixture(scope="module")
def data(parties):
    return data_of(parties)


@pytest.fixture(scope="module")
def written(data):
    """The times with documents, and the others."""
    here = np.array(data["written"], dtype=bool)
    return np.array(data["times"])[here], here


def test_curves_are_the_model_s_own_and_empty_in_gaps(data, written, grouped):
    (times, here), prevalence = written, grouped[1].prevalence_
    assert 0 < here.sum() < len(here)
    for k, topic in enumerate(data["topics"]):
        table = prevalence.curve(k, times)
        for name in ("share", "low", "high"):
            drawn = np.array(topic["prevalence"][name], dtype=float)
            np.testing.assert_allclose(drawn[here], table[name], atol=1e-5)
            assert np.isnan(drawn[~here]).all()
        assert topic["peak"] == np.flatnonzero(here)[table["share"].argmax()]
    assert "what all groups by “party” share" in data["sharesNote"]
    assert "counted" in data["countedNote"]


def test_sizes_stay_counts(data, grouped):
    corpus, model = grouped
    counted = ct.analysis.topic_shares(model, corpus).groupby("topic")["tokens"].sum()
    np.testing.assert_allclose([topic["share"] for topic in data["topics"]], counted / counted.sum(), atol=0.02)
    np.testing.assert_allclose(
        np.array([topic["shares"] for topic in data["topics"]], dtype=float).sum(axis=0)[np.array(data["written"]) > 0],
        1.0,
        atol=1e-4,
    )


@pytest.mark.parametrize("terms", [None, "constant + ou", "constant + ou + linear(age)"])
def test_without_groups_there_is_no_page_of_groups(terms, tmp_path):
    rng = np.random.default_rng(0)
    corpus = ct.Corpus(rng.poisson(1.0, (30, 6)), np.arange(30.0), metadata={"age": rng.normal(50, 10, 30)})
    model = ct.DynamicTopicModel(2, "ou(1, 5)", prevalence=terms, max_epochs=1, n_threads=1, verbose=False).fit(corpus)
    data = data_of(ct.write_report(model, corpus, tmp_path / "r.html", verbose=False))
    assert data["groups"] is None
    for topic in data["topics"]:
        assert topic["groups"] is None
        assert (topic["prevalence"] is None) == (terms is None)
    assert ("counted" in (data["countedNote"] or "")) == (terms is not None)
    assert "groups" not in data["sharesNote"]
    assert ("“age” is at its mean" in data["sharesNote"]) == ("age" in (terms or ""))
