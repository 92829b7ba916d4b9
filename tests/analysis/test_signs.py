"""Signs are 0 or 1 where they must be: words thrown at random, even topics, words that exclude each other."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from chronotope.analysis.signs import (
    clumping_in_documents,
    documents_with_half,
    pairs_apart,
    spread_over_documents,
    time_blocks,
)


def test_blocks_hold_equally_many_documents_in_order_of_time() -> None:
    times = np.random.default_rng(0).uniform(0, 9, 530)
    place, sizes = time_blocks(times)
    assert sizes.tolist() == [106] * 5
    assert all(times[place == b].max() <= times[place == b + 1].min() for b in range(4))


def test_words_thrown_at_random_do_not_clump_and_repeated_ones_do() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(20, 200, 1_000)
    even = rng.poisson(lengths * 0.01)
    repeated = rng.poisson(lengths * 0.001) * 10
    late = np.where(np.arange(1_000) < 500, 0, rng.poisson(lengths * 0.02))  # new, but even once it is there
    counts = sp.csr_array(np.column_stack([even, repeated, late]))
    found = clumping_in_documents(counts, lengths.astype(float), time_blocks(np.arange(1_000.0)))
    np.testing.assert_allclose(found[[0, 2]], 0.0, atol=0.05)
    assert found[1] > 1.5


def test_words_that_exclude_each_other_are_apart_and_words_of_different_times_are_not_judged() -> None:
    half = np.arange(400) % 2 == 0
    early = np.arange(400) < 200
    counts = sp.csr_array(np.column_stack([half, ~half, half & early, half & ~early]).astype(int))
    blocks = time_blocks(np.arange(400.0))
    apart, together, later = pairs_apart(counts, [[0, 1], [0, 2], [2, 3]], [["a", "b"], ["a", "c"], ["c", "d"]], blocks)
    assert apart == (1, 1.0, ("a", "b"))
    assert together[:2] == (1, 0.0)
    assert later.judged == 0


def test_of_words_that_have_nothing_to_do_with_each_other_one_pair_in_six_is_apart() -> None:
    rng = np.random.default_rng(0)
    counts = sp.csr_array((rng.random((3_000, 60)) < 0.1).astype(int))
    names = [f"w{v}" for v in range(60)]
    [found] = pairs_apart(counts, [list(range(60))], [names], time_blocks(np.arange(3_000.0)))
    assert found.judged == 60 * 59 // 2
    np.testing.assert_allclose(found.apart, 0.16, atol=0.04)


def test_spread_is_one_for_an_even_topic_and_a_fraction_for_one_in_that_part_of_the_text() -> None:
    lengths = np.array([10.0, 30.0, 20.0, 0.0])
    tokens = np.column_stack([0.3 * lengths, [10.0, 0.0, 0.0, 0.0]])
    np.testing.assert_allclose(spread_over_documents(tokens, lengths), [1.0, 1 / 6], rtol=1e-12)


def test_half_of_a_topic_is_counted_from_its_longest_documents() -> None:
    tokens = np.array([[5.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    assert documents_with_half(tokens).tolist() == [1, 2]
