"""Topic shares of documents under learned topics."""

import numpy as np
import pytest
from planted import plant

import chronotope as ct
from chronotope import topics as module
from chronotope.model import estimator
from chronotope.model.transform import infer_topic_shares


@pytest.fixture(scope="module")
def fitted():
    planted = plant(ct.parse_kernel("ou(2, 5)"), np.arange(8.0), documents=4)
    return planted.corpus, ct.DynamicTopicModel(3, "ou(2, 5)", max_epochs=2, verbose=False).fit(planted.corpus)


def test_every_document_is_counted_once_in_the_progress(fitted, monkeypatch):
    corpus, model = fitted
    monkeypatch.setattr(module, "CELLS", 3 * 3 * 40)  # three times at once
    counted = []
    infer_topic_shares(model.topics_, model.alpha_, "sampled", corpus.counts, corpus.times, counted.append)
    assert counted == [12, 12, 8]


def test_shares_do_not_depend_on_how_many_times_are_processed_at_once(fitted, monkeypatch):
    corpus, model = fitted
    whole = model.transform(corpus)
    monkeypatch.setattr(module, "CELLS", 1)
    assert np.array_equal(model.transform(corpus), whole)


def test_a_long_transform_shows_its_progress(fitted, monkeypatch, capsys):
    corpus, _ = fitted
    monkeypatch.setattr(estimator, "QUICK", 0.0)
    shown = ct.DynamicTopicModel(3, "ou(2, 5)", max_epochs=1, verbose=True).fit(corpus)
    capsys.readouterr()
    shown.transform(corpus)
    assert "inferring topics: 32 of 32" in capsys.readouterr().err
