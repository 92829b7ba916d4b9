"""Duplicates: planted ones are found, the first in time is the original, and nothing is a duplicate by chance."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.text.duplicates import LEAST, NEAR, Duplicates, duplicates_note, repeated_documents
from chronotope.text.store import TokenStore

WORDS = [f"word{i}" for i in range(3000)]


def written(rng: np.random.Generator, n: int) -> list[str]:
    """Words as frequent as in texts: the i-th has a frequency of about 1 / i."""
    return [WORDS[int(i)] for i in np.exp(rng.random(n) * np.log(len(WORDS)))]


def changed(rng: np.random.Generator, words: list[str], share: float) -> list[str]:
    """A copy with a share of the words replaced."""
    return [WORDS[rng.integers(len(WORDS))] if rng.random() < share else word for word in words]


def found_in(texts: list[list[str]], times: list[float] | None = None) -> Duplicates:
    with TokenStore([" ".join(words) for words in texts], str.split) as store:
        return repeated_documents(store, np.array(times if times is not None else range(len(texts)), dtype=np.float64))


def pairs(found: Duplicates) -> list[tuple[int, int]]:
    return list(zip(found.row.tolist(), found.original.tolist(), strict=True))


def test_planted_duplicates_are_found_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    texts = [written(rng, int(rng.integers(100, 400))) for _ in range(600)]
    copies = texts[:50]
    edited = [changed(rng, words, 0.015) for words in texts[50:150]]
    headed = [written(rng, 8) + words for words in texts[150:200]]
    rewritten = [changed(rng, words, 0.2) for words in texts[200:300]]
    found = found_in([*texts, *copies, *edited, *headed, *rewritten])
    assert set(pairs(found)) <= {(600 + i, i) for i in range(200)}
    assert found.exact.sum() >= 50
    assert set(found.row[found.exact]) >= set(range(600, 650))
    assert len(found.row) >= 194
    assert np.all(found.similarity >= NEAR)
    np.testing.assert_array_equal(found.similarity[found.exact], 1.0)


def test_the_first_in_time_is_the_original_and_the_first_row_if_times_are_equal() -> None:
    rng = np.random.default_rng(1)
    words, others = written(rng, 60), written(rng, 60)
    found = found_in([words, others, words, others, words], [3.0, 1.0, 2.0, 1.0, 3.0])
    assert pairs(found) == [(0, 2), (3, 1), (4, 2)]


def test_short_documents_repeat_nothing() -> None:
    rng = np.random.default_rng(2)
    words = written(rng, LEAST)
    assert pairs(found_in([words, words])) == [(1, 0)]
    assert not len(found_in([words[1:], words[1:], ["ok", "thanks"], ["ok", "thanks"], [], []]).row)


def test_small_changes_do_not_join_documents_that_are_not_similar() -> None:
    """Each differs from the one before it in a tenth of the words; what is dropped is similar to what is kept."""
    rng = np.random.default_rng(3)
    chain = [written(rng, 200)]
    for step in range(20):
        at = 10 * step
        chain.append([*chain[-1][:at], *written(rng, 10), *chain[-1][at + 10 :]])
    found = found_in(chain)
    assert 5 <= len(found.row) < 18
    assert not set(found.original) & set(found.row)
    shingled = [set(zip(words, words[1:], words[2:], strict=False)) for words in chain]
    for row, original in pairs(found):
        a, b = shingled[row], shingled[original]
        assert len(a & b) / len(a | b) > NEAR - 0.12  # three standard errors


def test_a_copy_of_a_near_duplicate_repeats_the_original() -> None:
    rng = np.random.default_rng(4)
    words = written(rng, 200)
    edited = [*words[:100], "other", *words[101:]]
    found = found_in([words, edited, edited])
    assert pairs(found) == [(1, 0), (2, 0)]
    assert not found.exact.any()


def test_a_common_beginning_makes_no_duplicates_and_no_quadratic_number_of_pairs() -> None:
    rng = np.random.default_rng(5)
    header = written(rng, 15)
    assert not len(found_in([header + written(rng, 25) for _ in range(2000)]).row)


def test_no_document_at_all_has_no_duplicates() -> None:
    assert not len(found_in([["a"], []]).row)


@pytest.mark.parametrize(
    ("exact", "dropped", "note"),
    [
        ([True], False, "1 of 9 documents repeats another one exactly (first: row 4 repeats row 2): drop it with "),
        ([True, False], False, "1 of 9 documents repeats another one exactly, 1 more nearly so (first: row 4 repeats "),
        ([True, True], True, "2 of 9 documents repeat another one exactly (first: row 4 repeats row 2), and were drop"),
        ([False, False], False, "2 of 9 documents nearly repeat another one (first: row 4 repeats row 2): drop them "),
    ],
)
def test_the_note_counts_both_kinds_and_names_the_first(exact: list[bool], dropped: bool, note: str) -> None:
    n = len(exact)
    found = Duplicates(np.array([4, 6])[:n], np.array([2, 2])[:n], np.array(exact), np.ones(n))
    (said,) = duplicates_note(found, 9, "row {}".format, dropped=dropped)
    assert said.startswith(note)
    assert said.endswith("dropped" if dropped else 'with duplicates="drop"')
