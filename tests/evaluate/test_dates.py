"""Errors of dates found from words, and how often intervals hold the truth."""

import numpy as np
import pytest
import scipy.sparse as sp

import chronotope as ct
from chronotope.dates.rough import UNKNOWN, RoughDates
from chronotope.evaluate.dates import dating_error, hold_out, row_of
from chronotope.evaluate.runner import Split, _load_split, _save_corpus

YEARS = np.arange(1900.0, 1940.0)


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    times = rng.choice(YEARS, 400)
    rate = 2.0 * np.exp(-0.5 * ((times[:, None] - np.linspace(1895, 1945, 40)) / 6.0) ** 2) + 0.05
    return ct.Corpus(sp.csr_array(rng.poisson(rate)), times, calendar=True)


def test_documents_or_whole_dates_are_held_out(corpus):
    documents, dates = hold_out(corpus, "documents", seed=1), hold_out(corpus, "dates", seed=1)
    assert documents.sum() == 40
    assert set(corpus.times[dates]).isdisjoint(corpus.times[~dates])
    assert len(set(corpus.times[dates])) == 4
    np.testing.assert_array_equal(dates, hold_out(corpus, "dates", seed=1))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"held_out": "years"}, r"held_out is 'years'; expected \"documents\" or \"dates\""),
        ({"held_out": "dates", "part": 1.5}, r"part is 1\.5; expected a share between 0 and 1"),
    ],
)
def test_what_cannot_be_held_out_is_refused(corpus, given, message):
    with pytest.raises(ValueError, match=message):
        hold_out(corpus, **given)


def test_dates_drawn_from_their_distributions_are_held_as_often_as_is_said():
    rng, edges = np.random.default_rng(0), np.arange(1900.0, 1941.0)
    mass = rng.dirichlet(np.full(40, 0.2), 4_000)
    truth = edges[[rng.choice(40, p=row) for row in mass]]
    row = row_of("drawn", mass, edges, truth)
    for level in (50, 80, 95):
        assert row[f"held_{level}"] == pytest.approx(level / 100, abs=0.02)
    assert row_of("wider", mass, edges, truth, lambda level: 0.99)["held_50"] > 0.97


def test_errors_are_those_of_the_middle_in_whole_years():
    mass = np.array([[0.1, 0.8, 0.1], [0.0, 0.2, 0.8]])
    row = row_of("given", mass, np.array([1900.0, 1901.0, 1902.0, 1903.0]), np.array([1901.0, 1900.0]))
    assert row["mean"] == 1.0
    assert row["documents"] == 2


@pytest.mark.slow
def test_words_date_better_than_chance_and_others_stand_beside(corpus):
    found = dating_error(ct.DynamicTopicModel(2, max_epochs=4, verbose=False), corpus)
    assert list(found["method"]) == ["Chronotope", "unigrams", "nearest neighbours", "ridge"]
    assert found["mean"].max() < np.abs(corpus.times - np.median(corpus.times)).mean()
    assert found["held_80"].notna().tolist() == [True, True, False, False]


def test_comparisons_in_other_processes_keep_rough_dates(corpus, tmp_path):
    given = corpus[:]
    given.rough = RoughDates.of([(3, [UNKNOWN]), (5, [(1910.0, 1910.0, 1920.0, 1920.0)])])
    _save_corpus(given, tmp_path / "corpus.npz")
    train, test = _load_split(tmp_path / "corpus.npz", Split(0.2, 0))
    assert train.rough is not None
    np.testing.assert_array_equal(train.rough.corners, given.rough.corners)
    assert test.rough is None
    assert len(train) + len(test) == len(given)
