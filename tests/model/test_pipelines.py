"""Pipelines, searches and cross-validation of scikit-learn: with metadata routing, and refused without times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline

from chronotope import Corpus, DynamicTopicModel

TEXTS = ["war army peace war", "wheat corn trade corn"] * 8
TIMES = np.repeat(np.arange(1900, 1908), 2)
DATES = [f"{time}-05-01" for time in TIMES]
WEIGHT = np.linspace(0.1, 2.0, len(TEXTS))
GRID = {"model__n_topics": [1, 2]}
LINES = (
    r"(?s)sklearn\.set_config\(enable_metadata_routing=True\)"
    r".*set_fit_request\(times=True\)\.set_transform_request\(times=True\)\.set_score_request\(times=True\)"
    r".*call the model directly"
)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def quick() -> DynamicTopicModel:
    return DynamicTopicModel(2, "ou(6, 50)", init="samples", max_epochs=2, n_threads=1, verbose=False)


def with_requests() -> DynamicTopicModel:
    model = quick().set_fit_request(times=True).set_transform_request(times=True)
    return model.set_score_request(times=True, sample_weight=True)


def counted(model: DynamicTopicModel, *steps: Any) -> Pipeline:
    return Pipeline([("counts", CountVectorizer()), ("model", model), *steps])


# with routing


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("times", [TIMES, DATES], ids=["numbers", "dates"])
def test_a_pipeline_answers_as_the_model_alone_does(times: Any) -> None:
    pipe = counted(with_requests()).fit(TEXTS, times=times)
    counts = pipe["counts"].transform(TEXTS)
    alone = quick().fit(counts, times=times)
    shares = alone.transform(counts, times=times)
    np.testing.assert_array_equal(pipe.transform(TEXTS, times=times), shares)
    np.testing.assert_array_equal(counted(with_requests()).fit_transform(TEXTS, times=times), shares)
    assert pipe.score(TEXTS, times=times) == alone.score(counts, times=times)
    weighted = pipe.score(TEXTS, times=times, sample_weight=WEIGHT)
    assert weighted == alone.score(counts, times=times, sample_weight=WEIGHT)


@pytest.mark.usefixtures("routing")
def test_topic_shares_are_features_of_a_classifier() -> None:
    labels = np.arange(len(TEXTS)) % 2
    pipe = counted(with_requests(), ("label", LogisticRegression())).fit(TEXTS, labels, times=TIMES)
    assert pipe.predict(TEXTS, times=TIMES).shape == labels.shape
    with pytest.raises(ValueError, match=LINES):
        pipe.predict(TEXTS)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("given", [{"times": TIMES}, {"times": DATES, "sample_weight": WEIGHT}], ids=["", "weights"])
def test_a_search_takes_the_best_of_finite_scores(given: Any) -> None:
    search = GridSearchCV(counted(with_requests()), GRID, cv=2, error_score="raise").fit(TEXTS, **given)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert search.best_params_ == {"model__n_topics": 1 + int(np.argmax(scores))}
    assert search.best_estimator_["model"].topics_.coverage.documents.tolist() == [2.0] * 8
    assert np.isfinite(search.score(TEXTS, **given))


@pytest.mark.usefixtures("routing")
def test_cross_validation_scores_documents_at_their_times() -> None:
    found = cross_validate(counted(with_requests()), TEXTS, cv=2, params={"times": TIMES}, error_score="raise")
    pipe = counted(with_requests()).fit(TEXTS[8:], times=TIMES[8:])
    assert np.isfinite(found["test_score"]).all()
    assert found["test_score"][0] == pipe.score(TEXTS[:8], times=TIMES[:8])


@pytest.mark.usefixtures("routing")
def test_times_that_nobody_requests_are_an_error_of_scikit_learn() -> None:
    with pytest.raises(UnsetMetadataPassedError, match=r"\[times\] are passed but are not explicitly set"):
        counted(quick()).fit(TEXTS, times=TIMES)
    only_fit = counted(quick().set_fit_request(times=True))
    with pytest.raises(UnsetMetadataPassedError, match="set_score_request"):
        GridSearchCV(only_fit, GRID, cv=2, error_score="raise").fit(TEXTS, times=TIMES)


@pytest.mark.usefixtures("routing")
def test_a_fit_that_requests_times_and_gets_none_is_refused() -> None:
    pipe = counted(with_requests())
    with pytest.raises(
        ValueError, match=r"no times were given, but set_fit_request\(times=True\) .*; pass times="
    ) as error:
        pipe.fit(TEXTS)
    error.match(LINES)
    with pytest.raises(ValueError, match="All the 4 fits failed") as failed:
        GridSearchCV(pipe, GRID, cv=2).fit(TEXTS)
    failed.match(LINES)


@pytest.mark.usefixtures("routing")
def test_a_corpus_has_its_own_times_whatever_is_requested() -> None:
    corpus = Corpus(CountVectorizer().fit_transform(TEXTS), TIMES)
    model = with_requests().fit(corpus)
    np.testing.assert_allclose(model.transform(corpus).sum(axis=1), 1.0, rtol=1e-12, atol=0)


# without routing


def test_a_pipeline_without_routing_says_how_to_turn_it_on() -> None:
    pipe = counted(quick()).fit(TEXTS, model__times=TIMES)
    for call in (pipe.transform, pipe.score):
        with pytest.raises(
            ValueError, match="no times were given, but the model was fitted with times, 1900 to 1907"
        ) as error:
            call(TEXTS)
        error.match(LINES)
    counts = pipe["counts"].transform(TEXTS)
    assert pipe["model"].transform(counts, times=TIMES).shape == (len(TEXTS), 2)


def test_texts_without_times_say_how_to_turn_routing_on() -> None:
    with pytest.raises(ValueError, match="texts were given without times") as error:
        Pipeline([("model", quick())]).fit(TEXTS)
    error.match(LINES)


@pytest.mark.parametrize("alone", [True, False], ids=["model", "pipeline"])
def test_the_warning_of_a_failed_score_says_how_to_turn_routing_on(alone: bool) -> None:
    model, documents = (quick(), CountVectorizer().fit_transform(TEXTS)) if alone else (counted(quick()), TEXTS)
    given = {"times" if alone else "model__times": TIMES}
    with pytest.warns(UserWarning, match=LINES):
        scores = cross_val_score(model, documents, cv=2, params=given)
    assert np.isnan(scores).all()
    with pytest.raises(ValueError, match=LINES):
        cross_val_score(model, documents, cv=2, params=given, error_score="raise")


def test_a_search_stops_at_missing_times_if_errors_are_raised() -> None:
    search = GridSearchCV(counted(quick()), GRID, cv=2, error_score="raise")
    with pytest.raises(ValueError, match=LINES):
        search.fit(TEXTS, model__times=TIMES)


def test_a_pipeline_fitted_without_times_warns_and_goes_on_without() -> None:
    with pytest.warns(UserWarning, match="all documents share one time") as warned:
        pipe = counted(quick()).fit(TEXTS)
    assert "enable_metadata_routing" in str(warned[0].message)
    with pytest.warns(UserWarning, match="all documents share one time"):
        assert pipe.transform(TEXTS).shape == (len(TEXTS), 2)
