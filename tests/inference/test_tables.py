"""Tables with the topics innermost against transposed arrays, and sums over tasks against plain ones."""

import numpy as np
import pytest

from chronotope.inference.lanes import padded
from chronotope.inference.tables import BLOCK, TopicTables, sum_tasks

J, K, V = 3, 5, 2 * BLOCK + 7
SINGLE = 1e-6


@pytest.fixture(params=["float32", "float64"])
def topics(rng, request):
    """Topics at nodes whose words do not fill the last block."""
    logits, s = rng.normal(0, 2, (J, K, V)), rng.gamma(1.0, 0.1, (J, K, V))
    return TopicTables(logits.astype(request.param), s.astype(request.param), rng.normal(3, 1, (J, K)))


@pytest.mark.parametrize("powers", [False, True])
def test_tables_by_word_are_the_logits_or_their_exponentials_and_the_variances(topics, powers):
    table, spread = topics.by_word(powers)
    exact = (topics.logits.astype(np.float64) - topics.log_zeta[:, :, None]).transpose(0, 2, 1)
    exact = np.exp(exact) if powers else exact
    np.testing.assert_allclose(table[:, :, :K], exact, rtol=10 * SINGLE if powers else SINGLE, atol=SINGLE)
    np.testing.assert_allclose(spread[:, :, :K], topics.s.transpose(0, 2, 1), rtol=SINGLE, atol=0)
    assert table.shape == spread.shape == (J, V, padded(K))
    assert table.dtype == spread.dtype == np.float32


@pytest.mark.parametrize("powers", [False, True])
def test_the_topics_of_the_padding_have_no_probability(topics, powers):
    table, _ = topics.by_word(powers)
    chance = table if powers else np.exp(table)
    np.testing.assert_allclose(chance[:, :, K:], 0.0, rtol=0, atol=1e-37)


def test_rows_of_tasks_are_summed_at_their_nodes(rng):
    lowest, rows = np.array([0, 0, 1, 2]), np.array([0, 2, 5, 7, 8])
    n = rng.random((rows[-1], V, padded(K))).astype(np.float32)
    out = np.zeros((J, K, V), np.float32)
    sum_tasks(lowest, rows, n, out)
    exact = np.zeros((J, K, V))
    for first, start, end in zip(lowest, rows, rows[1:], strict=False):
        for row in range(start, end):
            exact[first + row - start] += n[row, :, :K].T
    np.testing.assert_allclose(out, exact, rtol=SINGLE, atol=0)


def test_rows_past_the_last_node_are_left_out(rng):
    """A task that ends at the last node has a row too many where its documents have weight on one node alone."""
    n = rng.random((3, V, padded(K))).astype(np.float32)
    out = np.zeros((2, K, V))
    sum_tasks(np.array([0]), np.array([0, 3]), n, out)
    np.testing.assert_allclose(out, n[:2, :, :K].transpose(0, 2, 1), rtol=SINGLE, atol=0)
