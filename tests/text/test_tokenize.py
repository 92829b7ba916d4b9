"""Tokens: words of every script are whole, and what is no word parts its neighbours."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.corpus.build import count_words
from chronotope.text.options import Preprocessing
from chronotope.text.tokenize import clean, word_splitter

split = word_splitter(lowercase=True, whole=frozenset({"don't", "aujourd'hui"}))


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("aBcÀéßλΣ19_-,.' \n"), max_size=60))
def test_words_of_alphabets_are_runs_of_three_letters(text: str) -> None:
    plain = word_splitter(lowercase=True)
    assert plain(text) == re.findall(r"\b[^\W\d_]{3,}\b", text.lower())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The President's well-known view", ["the", "president", "well", "known", "view"]),
        ("I don't; DON\u2019T!", ["don't", "don't"]),
        ("l'homme d\u2019aujourd'hui", ["homme", "aujourd'hui"]),
        ("dell'arte", ["dell", "arte"]),
        ("об'єкт, п\u02bcять", ["об'єкт", "п'ять"]),
        ("हिन्दी में किताब", ["हिन्दी", "में", "किताब"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("경제 성장 이", ["경제", "성장"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("مُحَمَّد محمد كتـــاب كتاب", ["محمد", "محمد", "كتاب", "كتاب"]),
        ("שָׁלוֹם שלום", ["שלום", "שלום"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("\u202bعربي\u202c", ["عربي"]),
        ("İstanbul ISTANBUL", ["istanbul", "istanbul"]),
        ("ﬁeld exam\u00adple", ["field", "example"]),
        ("Ελλάδα ΛΈΞΗ", ["ελλάδα", "λέξη"]),
        ("party🎉time 👍🏽", ["party", "time"]),
        ("covid19 word2vec x_y 1790 १२३ ab", []),
    ],
)
def test_words_of_many_scripts_are_whole(text: str, words: list[str]) -> None:
    assert split(text) == words


def test_what_stands_between_two_words_parts_them_beside_spaces_and_hyphens() -> None:
    parted = word_splitter(lowercase=True, breaks=True)
    assert parted("New York, New-York of 1812 war") == ["new", "york", "", "new", "york", "", "", "war"]
    assert parted("größer ist, größe") == ["größer", "ist", "", "größe"]


def test_cleaning_twice_is_cleaning_once() -> None:
    for text in ("ﬁeld\u00ad", "e\u0301", "مُ", "don\u2019t"):
        assert clean(clean(text)) == clean(text)


CHINESE = ["中国经济发展迅速，人民生活水平提高。", "战争结束了，和平来临。"]
JAPANESE = ["日本の経済は急速に成長している。", "コンピュータを使う。"]
THAI = ["ประเทศไทยมีเศรษฐกิจที่เติบโตอย่างรวดเร็ว"]


@pytest.mark.parametrize("texts", [CHINESE, JAPANESE, THAI])
def test_texts_without_spaces_are_refused_with_what_to_do(texts: list[str]) -> None:
    with pytest.raises(ValueError, match=r"100% of the letters .* without spaces .*tokenizer=jieba.lcut"):
        count_words(texts)


def test_some_text_without_spaces_is_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"11% of the letters .* without spaces"):
        counted = count_words(["the economy of a large country " * 3, "中国经济发展迅速"])
    assert "without spaces" in counted.report.notes[0]


def test_pairs_of_characters_stand_in_for_words() -> None:
    counted = count_words([*CHINESE, "war and peace", JAPANESE[1]], Preprocessing(tokenizer="pairs"))
    assert {"中国", "经济", "发展", "战争", "和平", "peace", "コンピュータ", "使"} <= set(counted.vocabulary)
    with pytest.raises(ValueError, match="without spaces"):
        count_words(THAI, Preprocessing(tokenizer="pairs"))


def test_a_tokenizer_of_ones_own_decides() -> None:
    def tokenizer(text: str) -> list[str]:
        return re.findall(r"..|.", text)

    counted = count_words(["战争，和平。", "War!"], Preprocessing(tokenizer=tokenizer, stop_words=None))
    assert list(counted.vocabulary) == ["r!", "wa", "平。", "战争", "，和"]
    split = Preprocessing(tokenizer=lambda text: ["The", "，", " ", "\u200b", "1790", "🎉"]).splitter()
    assert split("") == ["the", "", "", "", "1790", "🎉"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("one string", r"tokenizer gave 'one string' for 'war'; expected a list of words"),
        (None, "tokenizer gave None"),
        ([1], r"tokenizer gave 1 \(int\) as a word; expected strings"),
    ],
)
def test_a_tokenizer_that_gives_no_words_is_named(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count_words(["war"], Preprocessing(tokenizer=lambda text: given))


def test_a_group_of_the_pattern_is_the_word() -> None:
    counted = count_words(["#war and #peace"], Preprocessing(token_pattern=r"#(\w+)"))
    assert list(counted.vocabulary) == ["peace", "war"]


def test_marks_without_end_are_cut_before_they_are_put_in_order() -> None:
    assert len(clean("a" + "\u0301\u0327" * 500_000)) < 40  # in quadratic time, this would not end
    few = "e\u0301\u0327 a" + "\u0316\u0301" * 14
    assert clean(few) == unicodedata.normalize("NFKC", few)
