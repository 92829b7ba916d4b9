"""Raw texts are prepared as the model's own documents were, wherever documents are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import chronotope as ct
from chronotope.model.inputs import holds_texts

WAR, FARM = "The War: an army, the armies and a battle-ship at war", "Wheat, corn and wheat prices of the harvest"
TEXTS = [WAR, FARM] * 10
TIMES = [f"{1900 + i // 2}-05-01" for i in range(20)]
NEW, WHEN = ["war and wheat at the harvest", "nothing known here", ""], ["1903", "1904", "1905"]
OPTIONS = {"max_epochs": 4, "init": "samples", "n_threads": 1, "verbose": False}


@pytest.fixture(scope="module")
def model() -> ct.DynamicTopicModel:
    options = ct.Preprocessing(stop_words=["the", "and"], phrases=True, min_count=2)
    return ct.DynamicTopicModel(2, **OPTIONS).fit(ct.Corpus.from_texts(TEXTS, TIMES, preprocessing=options))


def kinds() -> list:
    pl = pytest.importorskip("polars")
    kept = (list, tuple, pd.Series, pl.Series, lambda texts: np.array(texts, dtype=object), np.array)
    return [kind(TEXTS) for kind in kept]


def test_texts_are_transformed_as_the_corpus_of_them_is(model):
    own = model.transform(ct.Corpus.from_texts(TEXTS, TIMES, preprocessing=model.preprocessing_))
    for texts in kinds():
        np.testing.assert_array_equal(model.transform(texts, times=TIMES), own)


def test_no_text_is_dropped_and_unknown_words_count_for_nothing(model):
    shares = model.transform(NEW, times=WHEN)
    assert shares.shape == (3, 2)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12, atol=0)
    np.testing.assert_allclose(shares[2], model.alpha_ / model.alpha_.sum(), rtol=1e-6, atol=0)


def test_texts_are_scored_as_the_corpus_of_them_is(model):
    corpus = ct.Corpus.from_texts(TEXTS, TIMES, preprocessing=model.preprocessing_)
    assert model.perplexity(TEXTS, times=TIMES) == model.perplexity(corpus)
    assert model.score(pd.Series(TEXTS), times=TIMES) == model.score(corpus)


def test_later_texts_bring_new_words_or_not(model):
    later, when = ["war by telegram and telegram", "wheat by telegram"], ["1911", "1912"]
    grown = ct.DynamicTopicModel(2, **OPTIONS).fit(TEXTS, times=TIMES)
    before = grown.topics_.vocabulary.tolist()
    grown.partial_fit(later, times=when)
    assert grown.topics_.vocabulary.tolist() == [*before, "telegram"]
    assert grown.n_documents_ == 22
    with pytest.warns(UserWarning, match="1 words, 3 of .* tokens, are not in the model"):
        fixed = (
            ct.DynamicTopicModel(2, **OPTIONS)
            .fit(TEXTS, times=TIMES)
            .partial_fit(later, times=when, new_words="ignore")
        )
    assert fixed.topics_.vocabulary.tolist() == before


def test_a_fit_to_texts_is_one_to_the_corpus_of_them():
    texts = ct.DynamicTopicModel(2, **OPTIONS).fit(TEXTS, times=TIMES)
    corpus = ct.DynamicTopicModel(2, **OPTIONS).fit(ct.Corpus.from_texts(TEXTS, TIMES))
    np.testing.assert_array_equal(texts.topics_.posterior.own.g, corpus.topics_.posterior.own.g)
    assert texts.preprocessing_ == corpus.preprocessing_
    np.testing.assert_array_equal(
        ct.DynamicTopicModel(2, **OPTIONS).fit_transform(TEXTS, times=TIMES), texts.transform(TEXTS, times=TIMES)
    )


def test_a_saved_model_prepares_texts_in_the_same_way(model, tmp_path):
    model.save(tmp_path / "model.ct")
    loaded = ct.load(tmp_path / "model.ct")
    np.testing.assert_array_equal(loaded.transform(NEW, times=WHEN), model.transform(NEW, times=WHEN))


def test_a_pipeline_takes_raw_texts():
    pipeline = make_pipeline(ct.DynamicTopicModel(2, **OPTIONS))
    pipeline.fit(TEXTS, dynamictopicmodel__times=TIMES)
    alone = ct.DynamicTopicModel(2, **OPTIONS).fit(TEXTS, times=TIMES)
    np.testing.assert_array_equal(pipeline[-1].transform(NEW, times=WHEN), alone.transform(NEW, times=WHEN))


def test_what_is_missing_or_wrong_is_a_sentence(model):
    with pytest.raises(ValueError, match=r"texts were given without times; pass times=\.\.\., one time per text"):
        ct.DynamicTopicModel(2, **OPTIONS).fit(TEXTS)
    with pytest.raises(
        ValueError, match="no times were given, but the model was fitted with times, 1900-05-01 to 1909"
    ):
        model.transform(TEXTS)
    with pytest.raises(ValueError, match="X is one string, 'The War"):
        model.transform(WAR, times=["1900"])
    with pytest.raises(ValueError, match="times has 1 entries but texts has 2 rows"):
        model.transform([WAR, FARM], times=["1900"])
    with pytest.raises(ValueError, match=r"texts\[1\] is None \(NoneType\); expected a string"):
        model.transform([WAR, None], times=["1900", "1901"])
    with pytest.raises(ValueError, match="none of the corpus' 2 words is among"):
        model.transform(["quite unknown"], times=["1900"])


@pytest.mark.parametrize("other", [np.zeros((2, 2)), [[1, 2], [3, 4]], pd.DataFrame({"a": [1]}), [], np.zeros(0)])
def test_counts_are_not_taken_for_texts(other):
    assert not holds_texts(other)
