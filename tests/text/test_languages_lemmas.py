"""Lemmas: forms of a word are counted as one, stop words in any of their forms are removed."""

from __future__ import annotations

import sys

import pytest

from chronotope.corpus.build import count_words
from chronotope.corpus.corpus import Corpus
from chronotope.evaluate.windows import find_in_corpus
from chronotope.text.options import Preprocessing


def test_forms_of_a_word_are_one() -> None:
    pytest.importorskip("simplemma")
    counted = count_words(["Taxes and tax", "the wars were long", "war taxes"], Preprocessing(lemmatize="English"))
    assert dict(zip(counted.vocabulary, counted.counts.sum(axis=0), strict=True)) == {"long": 1, "tax": 3, "war": 2}
    assert "were brought to" in counted.report.notes[0]


def test_a_function_may_give_the_lemma() -> None:
    options = Preprocessing(lemmatize=lambda word: word.rstrip("s"), phrases=["war_tax"])
    texts = ["wars taxs", "war tax this"]
    counted = count_words(texts, options)
    assert list(counted.vocabulary) == ["war_tax"]  # "this" is a stop word, and stays itself until it is removed
    places = find_in_corpus(Corpus.from_texts(texts, [1, 2], preprocessing=options), ["war_tax"], options)
    assert len(places.word) == 2


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simplemma.strategies.dictionaries.dictionary_factory", None)
    with pytest.raises(ImportError, match=r'pip install "chronotope\[lemmas\]"'):
        Preprocessing(lemmatize="de")
