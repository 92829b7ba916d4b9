"""Sketches: equal documents share a digest, and the bytes estimate the Jaccard similarity of the shingles."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.text import sketches
from chronotope.text.sketches import Sketches, sketch_documents
from chronotope.text.store import TokenStore

WORDS = [f"word{i}" for i in range(4000)]


def sketched(texts: list[str]) -> Sketches:
    with TokenStore(texts, str.split) as store:
        return sketch_documents(store, lambda: None)


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return set(zip(words, words[1:], words[2:], strict=False))


def test_the_estimate_is_close_to_the_jaccard_similarity_of_the_shingles() -> None:
    rng = np.random.default_rng(0)
    pairs = []
    for share in np.linspace(0, 0.3, 60):
        words = rng.choice(WORDS, 400)
        other = np.where(rng.random(400) < share, rng.choice(WORDS, 400), words)
        pairs.append((" ".join(words), " ".join(other)))
    found = sketched([text for pair in pairs for text in pair])
    exact = [len(shingles(a) & shingles(b)) / len(shingles(a) | shingles(b)) for a, b in pairs]
    error = found.similarity(np.arange(0, 120, 2), np.arange(1, 120, 2)) - exact
    assert min(exact) < 0.3
    assert np.sqrt(np.mean(error**2)) < 0.045  # 128 bins: √(J (1 − J) / 128) is at most 0.044
    assert abs(np.mean(error)) < 0.02


def test_the_estimate_is_as_close_for_documents_of_few_shingles() -> None:
    rng = np.random.default_rng(2)
    texts = []
    for _ in range(200):
        words = rng.choice(WORDS, 22, replace=False).tolist()
        texts += [" ".join(words), " ".join([*words[:-1], "other"])]  # 19 of 21 shingles in common
    even = np.arange(0, 400, 2)
    error = sketched(texts).similarity(even, even + 1) - 19 / 21
    assert np.sqrt(np.mean(error**2)) < 0.044
    assert abs(np.mean(error)) < 0.02
    assert np.max(sketched(texts).similarity(even[1:], even[:-1])) < 0.1


@pytest.mark.parametrize(
    ("one", "other"),
    [("a b b a", "b a a b"), ("x y a x y b x y", "x y b x y a x y"), ("a b", "a b a"), ("", "a"), ("a", "b")],
)
def test_only_the_same_words_in_the_same_order_have_the_same_digest(one: str, other: str) -> None:
    found = sketched([one, other, one])
    assert found.digests[0] == found.digests[2]
    assert found.digests[0] != found.digests[1]


def test_sketches_depend_neither_on_other_documents_nor_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(WORDS, n)) for n in (3, 50, 0, 1, 2, 70, 4)]
    whole = sketched(texts)
    monkeypatch.setattr(sketches, "BLOCK", 5)
    parts = sketched(texts)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(sketched(texts[::-1]).sketches[::-1], whole.sketches)


def test_breaks_between_words_are_not_words() -> None:
    with TokenStore(["a,,b,c,", "a,b,c"], lambda text: text.split(",")) as store:
        assert list(store.lengths) == [5, 3]
        found = sketch_documents(store, lambda: None)
    assert list(found.lengths) == [3, 3]
    assert found.digests[0] == found.digests[1]
    np.testing.assert_array_equal(found.sketches[0], found.sketches[1])
