"""Options of preprocessing: the paper's values, their JSON form, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chronotope.text.options import Preprocessing, options_from_json, options_to_json
from chronotope.text.phrases import Phrases


def test_the_papers_preset_has_the_papers_values() -> None:
    paper = Preprocessing.paper()
    assert (paper.stop_words, paper.min_count, paper.min_document_words) == ("english", 25, 10)
    assert (paper.max_vocabulary, paper.min_score) == (5000, None)
    assert Preprocessing.paper(min_score=1e-4).max_vocabulary is None
    assert Preprocessing.paper(max_vocabulary=100).max_vocabulary == 100


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stop_words": ["war", "corn"]},
        {"stop_words": None, "lowercase": False, "token_pattern": r"\w+"},
        {"stop_words": "de, en", "phrases": Phrases(min_count=2, min_score=0.1), "lemmatize": "en"},
        {"phrases": ["corn_prices"], "vocabulary": ["war", "corn_prices"], "min_document_words": 0},
    ],
)
def test_options_are_read_back_from_json(options: dict[str, Any]) -> None:
    preprocessing = Preprocessing(**options)
    assert options_from_json(json.loads(json.dumps(options_to_json(preprocessing)))) == preprocessing
    assert options_from_json(options_to_json(None)) is None


def test_functions_are_not_written_and_this_is_said() -> None:
    with pytest.warns(UserWarning, match="tokenizer is a function, which no file can hold"):
        assert options_to_json(Preprocessing(tokenizer=str.split)) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stop_words": "klingon"}, "stop_words is 'klingon'"),
        ({"min_count": 0}, "min_count is 0; expected at least 1"),
        ({"min_documents": 0}, "min_documents is 0"),
        ({"max_vocabulary": 0}, "max_vocabulary is 0"),
        ({"min_document_words": -1}, "min_document_words is -1"),
        ({"max_document_share": 0.0}, "max_document_share is 0.0"),
        ({"max_document_share": 50}, "max_document_share is 50"),
        ({"rank": "name"}, 'rank is .name.; expected "score" or "count"'),
        ({"vocabulary": "war"}, "vocabulary is 'war'.*pass a list of words"),
        ({"vocabulary": ["war", "war"]}, "vocabulary has 2 words, 1 of them different"),
        ({"tokenizer": "spaces"}, 'tokenizer is .spaces.; expected "words", "pairs" or a function'),
        ({"tokenizer": str.split, "token_pattern": "a"}, "pass one of them"),
        ({"tokenizer": "pairs", "phrases": True}, "phrases are made of words"),
        ({"phrases": "united states"}, "phrases is 'united states'; expected True"),
        ({"phrases": ["united"]}, "the phrase 'united' does not have two words"),
        ({"lemmatize": 3}, "lemmatize is 3; expected a language"),
        ({"lemmatize": "klingon"}, "lemmatize is 'klingon', which is not a known language"),
        ({"token_pattern": "("}, "expected a regular expression"),
        ({"token_pattern": "(a)(b)"}, "has 2 groups"),
    ],
)
def test_an_impossible_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Preprocessing(**options)


def test_a_pattern_that_may_take_very_long_is_told() -> None:
    with pytest.warns(UserWarning, match=r"token_pattern '\(a\+\)\+\$' may take very long on some texts"):
        Preprocessing(token_pattern="(a+)+$")
