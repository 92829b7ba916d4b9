"""The page that dates texts: what is in the file, that it dates as the library does, and when it is refused."""

import base64
import logging

import numpy as np
import pytest
from report.test_report import data_of

import chronotope as ct
from chronotope.dating.stack import posterior, quantiles
from chronotope.dating.weights import damped, profiles
from chronotope.dating.words import between
from chronotope.report import dating
from chronotope.report.dating import dating_bytes, dating_data, encoded_rows, usage_at_nodes


def numbers(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind).astype(float)


def rows_of(encoded, n):
    return numbers(encoded["table"], "u1").reshape(n, -1) * numbers(encoded["steps"], "<f4")[:, None]


def page_mass(found, times, counts):
    """What the page computes from its tables.   counts : (D, L), of the report's words"""
    L = counts.shape[1]
    x = profiles(counts, numbers(found["idf"], "<f4"))
    used = damped(counts) @ rows_of(found["usage"], L)
    classed = x @ rows_of(found["classes"], L) + np.array(found["intercepts"])
    about = np.clip(x @ numbers(found["line"], "<f4") + found["start"], times[0], times[-1])
    said = between(used, np.array(found["nodes"]), times) + between(classed, np.array(found["bins"]), times)
    said -= 0.5 * found["beta"]["line"] * ((times - about[:, None]) / found["width"]) ** 2
    said[np.diff(counts.indptr) == 0] = 0.0
    return posterior((said + found["beta"]["prior"] * np.array(found["prior"]))[None], np.ones(1))


@pytest.fixture(scope="module")
def listed(dating_model):
    """Another order of the words than the model's."""
    return np.random.default_rng(0).permutation(len(dating_model.topics_.vocabulary))


def library_mass(model, counts):
    return posterior(model.dating_.words.curves(counts), model.dating_.without_topics.beta)


def test_tables_of_bytes_date_as_the_library_does_by_words_alone(dating_model, archive, listed):
    found, words = dating_data(dating_model, listed), dating_model.dating_.words
    page = page_mass(found, words.times, archive.counts[:, listed])
    right = library_mass(dating_model, archive.counts)
    apart = 0.5 * np.abs(page - right).sum(axis=1)
    assert apart.mean() < 0.01
    assert apart.max() < 0.04
    levels = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(*(quantiles(mass, words.edges, levels) for mass in (page, right)), rtol=0, atol=0.1)


def test_fewer_times_than_candidates_date_nearly_the_same(dating_model, archive, listed, monkeypatch):
    monkeypatch.setattr(dating, "NODES", 30)
    found, words = dating_data(dating_model, listed), dating_model.dating_.words
    assert len(found["nodes"]) == 30 < len(words.times)
    page = page_mass(found, words.times, archive.counts[:, listed])
    right = library_mass(dating_model, archive.counts)
    medians = [quantiles(mass, words.edges, np.array([0.5])) for mass in (page, right)]
    assert np.abs(np.diff(medians, axis=0)).mean() < 0.5


def test_values_between_nodes_are_the_closest_there_are(dating_model, listed, monkeypatch):
    words, beta = dating_model.dating_.words, np.array([0.5, 0.2, 0.1])
    table = sum(part * each for part, each in zip(beta, words.tables, strict=True))[:, listed].T
    np.testing.assert_allclose(usage_at_nodes(words, beta, listed)[1], table, rtol=0, atol=1e-12)
    monkeypatch.setattr(dating, "NODES", 20)
    nodes, fitted = usage_at_nodes(words, beta, listed)
    sampled = table[:, np.searchsorted(words.times, nodes)]
    errors = [((between(values, nodes, words.times) - table) ** 2).sum() for values in (fitted, sampled)]
    assert errors[0] < errors[1]


def test_rows_of_bytes_are_right_to_half_a_step():
    table = np.random.default_rng(0).normal(size=(5, 40)) * np.array([[1e-3], [1.0], [50.0], [0.0], [1e-30]])
    back = rows_of(encoded_rows(table), 5)
    size = np.ptp(table, axis=1, keepdims=True)
    assert np.all(np.abs(back - (table - table.min(axis=1, keepdims=True))) <= size / 255 * 0.501 + 1e-30)


def test_levels_of_intervals_are_those_that_hold_what_they_promise(dating_model, listed):
    levels = dating_data(dating_model, listed)["levels"]
    assert [name for name, _ in levels] == ["50%", "80%", "95%"]
    assert [level for _, level in levels] == [dating_model.dating_.without_topics.level(x) for x in (0.5, 0.8, 0.95)]


def test_rules_of_words_follow_the_model_s_preprocessing(dating_model, archive, listed):
    rules = dating_data(dating_model, listed)["tokens"]
    assert rules == {"how": "words", "lowercase": True, "lemmatised": False, "phrases": False, "whole": []}
    own = ct.Preprocessing(token_pattern=r"\w+", lowercase=False, stop_words=None)
    pattern = ct.Corpus.from_texts(list(archive.texts[:200]), archive.times[:200], preprocessing=own)
    model = ct.DynamicTopicModel(2, max_epochs=1, n_threads=1, verbose=False).fit(pattern).learn_dating(pattern)
    rules = dating_data(model, np.arange(pattern.n_words))["tokens"]
    assert (rules["how"], rules["lowercase"]) == ("runs", False)


def test_the_page_is_there_when_asked_for_and_its_size_is_said(
    dating_model, archive, dating_page, listed, tmp_path, caplog
):
    with caplog.at_level(logging.INFO, logger="chronotope"):
        without = ct.write_report(dating_model, archive[archive.exact], tmp_path / "r.html", verbose=False)
        assert "dates texts" not in caplog.text
        ct.write_report(dating_model, archive[archive.exact], tmp_path / "d.html", dating=True, verbose=False)
    assert data_of(without)["dating"] is data_of(without)["candidates"] is None
    assert "its page that dates texts takes 0.0" in caplog.text
    found = data_of(dating_page)
    assert len(found["candidates"]["edges"]) == len(found["candidates"]["times"]) + 1
    assert dating_bytes(found) == pytest.approx((1.0 + 40 / 60) * 4 / 3 * 60 * 60, rel=0.5)


def test_a_model_that_cannot_date_is_refused_before_the_work(model, corpus, tmp_path):
    with pytest.raises(ValueError, match=r"has not learned to date texts; call model\.learn_dating"):
        ct.write_report(model, corpus, tmp_path / "r.html", dating=True)
    assert not list(tmp_path.iterdir())
