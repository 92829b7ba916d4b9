"""Texts in few bytes: they come back as they were, from characters that JSON and HTML leave alone."""

import json
import re

import numpy as np
import pytest

from chronotope.report.compact import (
    LETTERS,
    MOST,
    UNSPACED,
    Numbering,
    common_length,
    encode_numbers,
    gaps,
    pieces,
    plain_text,
    words,
)
from chronotope.report.encode import json_for_html

TEXTS = (
    'Sen. Snowe (R-Maine) said: "no" -- it’s _fine_, 600 000',
    "</script><script>alert(1)</script> & <b>",
    "中国 经济 and 経済 in 1990年 ก่อน หน้า",
    "😀 wow 😀",
    "  two  spaces\nand a line ",
    "",
)
CODES = {code: n for n, code in enumerate(code for first, last in LETTERS for code in range(first, last + 1))}


def decode(text):
    return [CODES[ord(character)] for character in text]


def joined(found):
    """Pieces as the page joins them: a space between two words, none beside a character of a script without."""

    def is_word(piece):
        return re.search(r"[^\W_]", piece) and not re.search(f"[{UNSPACED}]", piece)

    text = ""
    for i, piece in enumerate(found):
        text += " " if i and is_word(found[i - 1]) and is_word(piece) else ""
        text += piece
    return text


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_join_to_the_text(text):
    plain = plain_text(text)
    assert joined(pieces(plain)) == plain


def test_ranked_numbers_lead_back_to_the_pieces_and_frequent_ones_come_first():
    numbering = Numbering()
    used = [numbering.numbers(pieces(plain_text(text))) for text in [*TEXTS, "fine " * 20]]
    entries, rank = numbering.ranked(used)
    assert entries[0] == "fine"
    assert [[entries[n] for n in rank[numbers]] for numbers in used[:-1]] == [pieces(plain_text(t)) for t in TEXTS]


def test_every_number_is_a_character_that_json_and_html_leave_alone():
    numbers = np.concatenate([np.arange(70_000), [MOST - 1]])
    text = encode_numbers(numbers)
    assert json_for_html(text) == f'"{text}"'
    assert decode(json.loads(json_for_html(text))) == numbers.tolist()
    assert len(encode_numbers(np.arange(90)).encode()) == 90
    assert decode(encode_numbers(np.array([MOST + 5]))) == [MOST - 1]


def test_gaps_add_up_to_the_numbers():
    rising = np.array([0, 3, 4, 90])
    np.testing.assert_array_equal(np.cumsum(gaps(rising)), rising)


@pytest.mark.parametrize("budget", [1, 40, 500, 5_000])
def test_the_common_length_uses_the_budget_and_no_more(budget):
    lengths = np.random.default_rng(0).integers(0, 100, 60)
    cut = common_length(lengths, budget)
    assert np.minimum(lengths, cut).sum() <= budget
    assert cut == lengths.max() or np.minimum(lengths, cut + 1).sum() > budget


def test_words_are_in_lower_case_and_characters_without_spaces_are_words():
    assert words("The war, 中国 & the_war") == {"the", "war", "中", "国"}
