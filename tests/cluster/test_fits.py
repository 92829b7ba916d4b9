"""Fits on a real cluster: the same bits as without one, whatever happens to its workers."""

from __future__ import annotations

import mmap
import pickle
from itertools import count
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import kills
from interrupted import assert_same
from sklearn.base import clone

import chronotope as ct
from chronotope.cluster import ClusterLost, connect
from chronotope.cluster.workers import Workers
from chronotope.corpus.placed import CountsPlace
from chronotope.dates.rough import UNKNOWN, RoughDates
from chronotope.inference import chains
from chronotope.inference.documents import LEAST_WORK


def drawn(D: int = 400, V: int = 120, times: int = 40, seed: int = 0) -> ct.Corpus:
    """Documents of two drifting subjects, at irregular times, some equal, one empty, one word many times."""
    rng = np.random.default_rng(seed)
    tau = np.sort(rng.choice(np.linspace(1900.0, 1950.0, times), D))
    rate = 0.3 + 2.0 * (np.arange(V) < V / 2) * ((tau[:, None] - 1900.0) / 50.0)
    counts = rng.poisson(rate * rng.gamma(0.5, 1.0, (D, 1)))
    counts[3], counts[5, 7] = 0, 400
    return ct.Corpus(sp.csr_array(counts), rng.permutation(tau))


CORPUS = drawn()
MODEL = {"n_topics": 3, "max_epochs": 4, "verbose": False}
assert CORPUS.stored.sizes.sum() > 2 * LEAST_WORK  # several calls in each step


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 150},
        {"kernel": "se(2, 20)", "n_inducing": 9},
        {"kernel": "constant + matern32", "batch_size": 150, "dtype": "float64"},
        {"local": "mean-field"},
        {"local": "mean-field", "batch_size": 150, "alpha": 0.1},
        {"max_epochs": 14, "n_inducing": 6},
    ],
    ids=str,
)
def test_a_fit_has_the_same_bits_as_without_a_cluster(client, options):
    given = MODEL | options
    assert_same(ct.DynamicTopicModel(**given, engine=client).fit(CORPUS), ct.DynamicTopicModel(**given).fit(CORPUS))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"batch_size": 150}], ids=str)
def test_documents_with_rough_dates_go_where_they_do_without_a_cluster(client, options):
    corpus = CORPUS[:]
    dates = [(d, [UNKNOWN if d % 2 else (1910.0, 1910.0, 1920.0, 1920.0)]) for d in range(0, 400, 3)]
    corpus.rough, corpus.calendar = RoughDates.of(dates), True
    given = MODEL | options | {"max_epochs": 8}
    assert_same(ct.DynamicTopicModel(**given, engine=client).fit(corpus), ct.DynamicTopicModel(**given).fit(corpus))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "constant + ou + by(ou, side)", "batch_size": 150},
        {"kernel": "constant + ou + by(ou)", "groups": "side", "n_inducing": 6},
        {"kernel": "constant + ou + space(1, 300 km)", "n_cells": 3, "local": "mean-field"},
    ],
    ids=str,
)
def test_groups_and_places_have_the_same_bits_as_without_a_cluster(client, options):
    rng = np.random.default_rng(0)
    about = {"side": np.array(["left", "right"])[rng.integers(0, 2, 400)]}
    about |= {"lat": rng.uniform(30, 40, 400), "lon": rng.uniform(-100, -90, 400)}
    corpus = ct.Corpus(CORPUS.counts, CORPUS.times, metadata=about)
    dates = [(d, [UNKNOWN if d % 2 else (1910.0, 1910.0, 1920.0, 1920.0)]) for d in range(0, 400, 5)]
    corpus.rough, corpus.calendar = RoughDates.of(dates), True
    alone, spread = (ct.DynamicTopicModel(**MODEL | options, engine=engine).fit(corpus) for engine in (None, client))
    assert_same(spread, alone)
    np.testing.assert_array_equal(spread.topics_.node_mass, alone.topics_.node_mass)
    np.testing.assert_array_equal(spread.transform(corpus), alone.transform(corpus))
    assert spread.perplexity(corpus) == alone.perplexity(corpus)


@pytest.mark.slow
def test_a_corpus_on_disk_is_read_by_the_workers(client, tmp_path):
    side = np.array(["left", "right"])[np.arange(len(CORPUS)) % 2]
    ct.Corpus(CORPUS.counts, CORPUS.times, metadata={"side": side}).save(tmp_path / "corpus")
    stored, given = ct.open_corpus(tmp_path / "corpus"), MODEL | {"batch_size": 150, "groups": "side"}
    train, test = stored.split_times(0.2, seed=1)
    alone, spread = (ct.DynamicTopicModel(**given, engine=engine).fit(train) for engine in (None, client))
    assert_same(spread, alone)
    np.testing.assert_array_equal(spread.prevalence_.prior.eta.m, alone.prevalence_.prior.eta.m)
    np.testing.assert_array_equal(spread.transform(test), alone.transform(test))
    assert spread.perplexity(test) == alone.perplexity(test)
    weight = np.arange(len(test))
    assert spread.score(test, sample_weight=weight) == alone.score(test, sample_weight=weight)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [False, True])
def test_topics_of_many_tokens_are_in_a_file(client, monkeypatch, spread):
    given = MODEL | {"batch_size": 150}
    expected = ct.DynamicTopicModel(**given).fit(CORPUS)
    monkeypatch.setattr(chains, "MANY", 1)
    assert isinstance(chains.new_topics(4).base.obj, mmap.mmap)
    assert_same(ct.DynamicTopicModel(**given, engine=client if spread else None).fit(CORPUS), expected)


def test_counts_that_a_worker_does_not_see_are_said(tmp_path):
    nowhere = CountsPlace(str(tmp_path / "nowhere"), np.arange(3, dtype=np.int32), 3, np.arange(2))
    with pytest.raises(FileNotFoundError, match=r"a worker does not see the counts in '.*nowhere'.* corpus\.save"):
        nowhere.read(np.arange(2))


@pytest.mark.slow
def test_a_comparison_has_the_same_runs(client, tmp_path):
    given: dict[str, Any] = {"kernels": ["constant", "ou"], "seeds": [0, 1], "n_topics": 2, "max_epochs": 3}
    alone = ct.evaluate.compare(CORPUS, **given, jobs=1)
    spread = ct.evaluate.compare(CORPUS, **given, engine=client, out=tmp_path)
    assert [run.perplexity for run in spread.runs] == [run.perplexity for run in alone.runs]
    assert len(list(tmp_path.glob("*.json"))) == 4


@pytest.mark.slow
def test_workers_that_are_killed_change_nothing():
    given = MODEL | {"max_epochs": 20, "batch_size": 150}
    alone = ct.DynamicTopicModel(**given).fit(CORPUS)
    with connect("local:2") as client, kills(client, 4, 0.5) as killed:
        spread = ct.DynamicTopicModel(**given, engine=client).fit(CORPUS)
    assert killed
    assert_same(spread, alone)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "call", "said"),
    [
        ({"batch_size": 150}, 4, r"Stopped after step 3; '.*' holds step 3\. Resume it"),
        ({"batch_size": 150}, 14, "All steps are done, and '.*' holds them: finish the fit"),
        ({"local": "mean-field", "max_epochs": 6}, 3, "Stopped after step 2;"),  # λ was reinitialised just before
    ],
    ids=str,
)
def test_a_fit_whose_scheduler_is_lost_is_resumed_without_one(tmp_path, monkeypatch, options, call, said):
    given, path, calls, original = MODEL | options, str(tmp_path / "fit.checkpoint"), count(1), Workers.map

    def lost_at_that_call(workers: Workers, *work: Any) -> Any:
        if next(calls) == call:
            workers.client.cluster.close()
        return original(workers, *work)

    monkeypatch.setattr(Workers, "map", lost_at_that_call)
    with connect("local:1") as client:
        model = ct.DynamicTopicModel(**given, engine=client, checkpoint=path)
        with pytest.raises(ClusterLost, match=rf"is gone .*\. {said}.* with another cluster, or without one"):
            model.fit(CORPUS)
    model = ct.DynamicTopicModel(**given, checkpoint=path).fit(CORPUS, resume=True)
    assert_same(model, ct.DynamicTopicModel(**given).fit(CORPUS))


def test_a_model_with_an_engine_is_cloned_pickled_and_saved_without_the_connection(client, tmp_path):
    model = ct.DynamicTopicModel(**MODEL | {"max_epochs": 1}, engine=client)
    assert clone(model).engine is client
    model.fit(CORPUS)
    assert pickle.loads(pickle.dumps(model)).engine is None
    assert model.engine is client
    model.save(tmp_path / "model.ct")
    assert ct.load(tmp_path / "model.ct").engine is None


def test_an_engine_that_is_no_client_is_refused():
    with pytest.raises(ValueError, match="engine is 'local:2'; expected a Client"):
        ct.DynamicTopicModel(2, engine="local:2").fit(CORPUS)
