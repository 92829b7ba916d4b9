"""Rough dates in a report: as they are known, as bars, spread over time; what their documents' pages show."""

import base64

import numpy as np
import pytest
from report.test_report import data_of

import chronotope as ct
from chronotope.report import dated
from chronotope.report.dated import candidate_data, dated_documents
from chronotope.report.rough import date_bars, document_date, documents_around

DATES = ["1930s", "1931-05-01", "n.d.", "before 1914", "c. 1850", "1851 or 1853", "1900-01-01"]
NO_LINKS = [None] * 1_000


@pytest.fixture(scope="module")
def seven():
    return ct.Corpus(np.ones((7, 2), int), DATES)


def test_dates_are_shown_as_they_are_known(seven):
    assert [document_date(seven, row) for row in range(7)] == [
        "1930 to 1939",
        "1931-05-01",
        "unknown",
        "before 1914",
        "1840 to 1860, most likely 1848 to 1852",
        "1851 or 1853",
        "1900-01-01",
    ]


def test_bars_are_of_the_rough_dates_alone_and_end_where_the_axis_does(seven):
    found = date_bars(seven, range(7), (1845.0, 1935.0))
    assert list(found) == [document_date(seven, row) for row in (0, 2, 3, 4, 5)]
    assert found["unknown"] == [(1845, 1845, 1935, 1935)]
    assert found["1930 to 1939"] == [(1930, 1930, 1935, 1935)]
    assert found["before 1914"] == [(1845, 1845, 1914, 1914)]
    assert len(found["1851 or 1853"]) == 2
    assert date_bars(seven, [5], (1900.0, 1935.0)) == {"1851 or 1853": []}


def test_rough_documents_are_spread_over_the_times_they_can_be_from(seven):
    years = np.arange(1840.0, 1941.0)
    found = documents_around(seven, years)
    assert found.sum() == pytest.approx(7.0)
    assert found[years == 1935][0] == pytest.approx(0.1 + 1 / 101, abs=1e-3)
    exact = ct.Corpus(np.ones((3, 2), int), ["1900", "1900", "1905"])
    np.testing.assert_array_equal(documents_around(exact, np.arange(1900.0, 1906.0)), [2, 0, 0, 0, 0, 1])


def test_a_corpus_of_rough_dates_alone_has_them_all_on_its_axis():
    corpus = ct.Corpus(np.ones((2, 2), int), ["1930s", "1940s"])
    found = documents_around(corpus, np.linspace(1930, 1950, 21))
    assert found.sum() == pytest.approx(2.0)
    assert documents_around(corpus, np.array([1940.0])).tolist() == [2.0]


def test_pages_are_of_the_rough_documents_among_those_shown(archive, dating_model):
    rough = np.flatnonzero(~archive.exact)
    rows = np.r_[rough[5:8], np.flatnonzero(archive.exact)[:4]]
    found = dated_documents(dating_model, archive, rows, NO_LINKS, False)
    assert found.number == {int(row): i for i, row in enumerate(rough[5:8])}
    assert [entry["date"] for entry in found.entries] == [document_date(archive, row) for row in rough[5:8]]
    given = dating_model.date(archive[np.union1d(rough[5:8], np.flatnonzero(archive.exact))], fitted=True)
    for i, entry in enumerate(found.entries):
        assert entry["best"] == given.table["date"].iloc[i]
        assert [word for word, _ in entry["words"]] == given.why(i, 8)["word"].tolist()
        curve = np.zeros(len(given.times))
        q = np.frombuffer(base64.b64decode(entry["curve"]), dtype="u1")
        curve[entry["start"] : entry["start"] + len(q)] = q / q.sum()
        np.testing.assert_allclose(curve, given.probabilities[i], rtol=0, atol=0.01)


def test_documents_that_the_model_was_not_fitted_on_need_no_other_fit(archive, dating_model, monkeypatch):
    some = archive[~archive.exact]
    monkeypatch.setattr("chronotope.model.dating.shorter_fit", None)
    found = dated_documents(dating_model, some, np.arange(3), NO_LINKS, False)
    assert len(found.entries) == 3


def test_many_documents_have_no_words_and_too_many_no_page(archive, dating_model, monkeypatch):
    monkeypatch.setattr(dated, "DATED", 5)
    monkeypatch.setattr(dated, "EXPLAINED", 2)
    some = archive[~archive.exact]
    found = dated_documents(dating_model, some, np.arange(len(some)), NO_LINKS, False)
    assert [entry["words"] is None for entry in found.entries] == [False, False, True, True, True]


def test_without_rough_dates_or_a_model_that_dates_there_are_no_pages(archive, dating_model, model, corpus, tmp_path):
    assert dated_documents(dating_model, archive[archive.exact], np.arange(9), NO_LINKS, False).entries == []
    data = data_of(ct.write_report(model, corpus, tmp_path / "r.html", verbose=False))
    assert (data["bars"], data["dated"], data["candidates"]) == ({}, [], None)


def test_edges_and_names_of_dates_are_those_of_the_library(archive, dating_model):
    found = candidate_data(dating_model.dating_, True)
    assert tuple(found["inner"]) == dating_model.date(archive[:1].counts).inner
    assert found["cut"] == 6
    assert len(found["times"]) + 1 == len(found["edges"])
