"""Rough dates: masses equal those of numerical integration, selections stay aligned, open ends are closed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.dates.rough import UNKNOWN, RoughDate, RoughDates

INF = np.inf
SOME = RoughDates.of(
    [
        (1, [(1840.0, 1848.0, 1853.0, 1861.0)]),
        (2, [(1851.0, 1851.0, 1852.0, 1852.0), (1853.0, 1853.0, 1855.0, 1856.0)]),
        (5, [UNKNOWN]),
        (6, [(-INF, -INF, 1850.0, 1855.0)]),
        (9, [(1890.0, 1890.0, INF, INF)]),
    ]
)
CORNERS = st.lists(st.integers(0, 60), min_size=4, max_size=4).map(sorted).filter(lambda c: c[0] < c[3])


def density(corners: Any, at: Any) -> Any:
    a, b, c, d = corners
    up = np.where(at < b, (at - a) / max(b - a, 1e-300), 1.0)
    down = np.where(at > c, (d - at) / max(d - c, 1e-300), 1.0)
    return np.where((at >= a) & (at < d), np.minimum(up, down), 0.0)


@given(st.lists(CORNERS, min_size=1, max_size=3), st.lists(st.integers(0, 60), min_size=2, max_size=8, unique=True))
def test_masses_are_those_of_numerical_integration(pieces: list[list[int]], edges: list[int]) -> None:
    edges = sorted(edges)
    at = (np.arange(60 * 100) + 0.5) / 100
    height = sum(density(corners, at) for corners in pieces)
    expected = np.array([height[100 * low : 100 * high].sum() for low, high in pairwise(edges)])
    rough = RoughDates.of([(3, [tuple(map(float, corners)) for corners in pieces])])
    total = expected.sum()
    found = rough.mass(np.array(edges, dtype=float))
    np.testing.assert_allclose(found, [expected / total if total > 0 else expected], rtol=0, atol=2e-3)


def test_a_piece_without_width_is_in_the_cell_that_holds_it() -> None:
    rough = RoughDates.of((row, [(at, at, at, at)]) for row, at in enumerate((0.0, 0.5, 1.0, 2.0, 3.0)))
    expected = [[1, 0], [1, 0], [0, 1], [0, 1], [0, 0]]
    np.testing.assert_array_equal(rough.mass(np.array([0.0, 1.0, 2.0])), expected)


@given(st.lists(st.integers(0, 9), max_size=30))
def test_a_selection_has_the_dates_of_its_documents_repeats_too(rows: list[int]) -> None:
    taken = SOME.take(np.array(rows, dtype=np.int64))
    expected = [(new, tuple(c)) for new, row in enumerate(rows) for c in SOME.corners[SOME.document == row].tolist()]
    assert list(zip(taken.document.tolist(), map(tuple, taken.corners.tolist()), strict=True)) == expected


def test_open_ends_are_closed_at_the_span_or_at_the_nearest_known_end() -> None:
    closed = SOME.within(1800.0, 1880.0)
    np.testing.assert_array_equal(closed.corners[3], [1800, 1800, 1880, 1880])
    np.testing.assert_array_equal(closed.corners[4], [1800, 1800, 1850, 1855])
    np.testing.assert_array_equal(closed.corners[5], [1890, 1890, 1890, 1890])  # after the span
    np.testing.assert_array_equal(closed.corners[:3], SOME.corners[:3])
    np.testing.assert_allclose(closed.mass(np.array([1700.0, 1900.0])), 1.0, rtol=1e-12)


def test_documents_and_those_that_are_unknown() -> None:
    assert SOME.documents.tolist() == [1, 2, 5, 6, 9]
    assert SOME.unknown.tolist() == [5]


def test_middles_take_the_place_of_times() -> None:
    times = np.array([1800.0, *[np.nan] * 8, 1.0])
    placed = SOME.placed(times)
    assert placed[[0, 1, 5]].tolist() == [1800.0, 1850.5, 1800.0]  # the only exact date is the span
    assert np.isnan(placed[3])
    assert np.isnan(times[1])
    assert placed[2] == 0.5 * (1851.0 + 1855.5)


def test_without_exact_dates_the_span_is_that_of_known_ends_and_without_any_it_is_refused() -> None:
    assert SOME.span(np.empty(0)) == (1840.0, 1890.0)
    assert SOME.span(np.array([1700.0, 1750.0])) == (1700.0, 1750.0)
    with pytest.raises(ValueError, match="none of the 2 dates is known; pass at least one"):
        RoughDates.of([(0, [UNKNOWN]), (1, [UNKNOWN])]).placed(np.full(2, np.nan))


def test_the_middle_of_an_open_date_is_a_range() -> None:
    assert RoughDate("circa 1850", ((1840.0, 1848.0, 1853.0, 1861.0),)).middle == (1850.5, 1850.5)
    assert RoughDate("before 1914", ((-INF, -INF, 1914.0, 1914.0),)).middle == (-INF, 1914.0)
    assert RoughDate("n.d.", (UNKNOWN,)).middle == (-INF, INF)
