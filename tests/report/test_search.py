"""The documents that can be searched: which are drawn, and what of them is in the file."""

import numpy as np
import pytest
from report.test_compact import decode, joined
from report.test_report import data_of

import chronotope as ct
from chronotope.report import search
from chronotope.report.search import drawn_documents, main_topics, other_forms, window_edges


def text_of(found, d):
    return joined([found["dictionary"][n] for n in decode(found["texts"][d])])


def later_words(found, d):
    return {found["dictionary"][n] for n in np.cumsum(decode(found["words"][d]))}


@pytest.fixture
def searched(model, corpus, tmp_path):
    """What a report has to search, for a corpus and options."""

    def write(some=corpus, **options):
        return data_of(ct.write_report(model, some, tmp_path / "r.html", verbose=False, **options))["search"]

    return write


def test_documents_are_drawn_evenly_over_time_with_the_representative_ones_and_always_the_same():
    times = np.random.default_rng(0).permutation(1000.0 + np.arange(1000))
    first = np.array([5, 17, 999])
    assert all(len(drawn_documents(times, first, n)) == n for n in (1, 600, 999))
    rows = drawn_documents(times, first, 103)
    assert len(rows) == len(set(rows)) == 103
    assert set(first) <= set(rows)
    assert np.all(np.diff(times[rows]) > 0)
    number, _ = np.histogram(times[rows], bins=10, range=(1000, 2000))
    assert number.min() >= 9
    assert number.max() <= 14
    np.testing.assert_array_equal(rows, drawn_documents(times, first, 103))


def test_all_documents_are_there_if_there_are_no_more_and_representative_ones_come_first():
    times = np.array([3.0, 1.0, 2.0])
    assert drawn_documents(times, np.array([0]), 5).tolist() == [1, 2, 0]
    assert drawn_documents(times, np.array([0]), 1).tolist() == [0]
    assert len(drawn_documents(times, np.array([0, 1]), 1)) == 1


def test_a_window_holds_all_of_the_times_that_its_labels_name():
    times, dates = np.array([1900.4, 1902.4]), np.array([1899.9, 1900.0, 1900.9, 1901.5, 1902.0, 1902.9, 1903.0])
    edges = window_edges(times, dates, lambda time: str(int(time)))
    assert edges == {"starts": [1, 4], "ends": [3, 6]}


def test_texts_in_the_file_are_those_of_the_corpus_in_order_of_time(searched, corpus):
    found = searched()
    order = np.argsort(corpus.times, kind="stable")
    assert [text_of(found, d) for d in range(len(corpus))] == [corpus.texts[row] for row in order]
    assert found["note"] == "All 244 documents can be searched here."
    assert found["cut"] is None
    assert sum(n for _, n in found["dates"]) == len(corpus)
    assert found["dates"][0] == ["1900-06-01", 4]


def test_of_a_long_text_the_start_is_in_the_file_and_the_words_that_come_later(searched, corpus, monkeypatch):
    monkeypatch.setattr(search, "CHARACTERS", 50 * len(corpus))
    found = searched()
    order = np.argsort(corpus.times, kind="stable")
    assert found["cut"] == "50"
    for d in (0, 100, 243):
        text, start = corpus.texts[order[d]], text_of(found, d)
        assert len(start) <= 50
        assert text.startswith(start + " ")
        assert later_words(found, d) == set(text.split()) - set(start.split())


def test_a_sample_is_said_to_be_one(searched):
    found = searched(search_documents=50)
    assert found["note"].startswith("50 of 244 documents can be searched here")
    assert len(found["texts"]) == len(found["names"]) == len(found["topics"]) == 50
    assert searched(search_documents=0) is None


def test_without_texts_the_words_of_the_model_are_searched_with_their_counts(searched, corpus):
    found = searched(ct.Corpus(corpus.counts, corpus.times, corpus.vocabulary, calendar=True))
    assert found["texts"] is None
    assert "has no texts" in found["note"]
    row = np.argsort(corpus.times, kind="stable")[7]
    words = [found["dictionary"][n] for n in np.cumsum(decode(found["words"][7]))]
    expected = {str(corpus.vocabulary[v]): n for v, n in enumerate(corpus.counts[[row]].toarray()[0]) if n}
    assert dict(zip(words, decode(found["counts"][7]), strict=True)) == expected


def test_main_topics_are_the_largest_with_their_shares_in_percent():
    assert main_topics(np.array([0.04, 0.6, 0.3, 0.06])) == [1, 60, 2, 30, 3, 6]
    assert main_topics(np.array([0.96, 0.04])) == [0, 96]


def test_words_are_listed_under_their_lemmas():
    options = ct.Preprocessing(lemmatize=lambda word: word.removesuffix("s"))
    assert other_forms(["Wars", "war", ", ", "ships"], options) == [(0, "war"), (3, "ship")]
    assert other_forms(["Wars"], None) == []


def test_links_are_those_of_every_document_shown(model, corpus, tmp_path):
    path = ct.write_report(model, corpus, tmp_path / "r.html", link="https://archive.example/{id}", verbose=False)
    data = data_of(path)
    assert data["search"]["links"] == [f"https://archive.example/{name[9:]}" for name in data["search"]["names"]]
    cards = [card for topic in data["topics"] for period in topic["documents"] for card in period]
    cards += [card for topic in data["topics"] for event in topic["events"] for card in event["documents"]]
    assert cards
    assert all(card["link"] == f"https://archive.example/{card['name'][9:]}" for card in cards)
