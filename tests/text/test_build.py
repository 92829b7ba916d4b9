"""The choice of words: the score is the paper's."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from chronotope.text.build import global_score


def test_the_score_is_the_papers_formula() -> None:
    counts = sp.csr_array(np.array([[3, 1, 0], [1, 1, 0], [0, 1, 3]]))  # M = 10 tokens, D = 3 documents
    by_hand = [4 / 10 * np.log(3 / 2), 0.0, 3 / 10 * np.log(3)]
    np.testing.assert_allclose(global_score(counts), by_hand, rtol=1e-14)
