"""Pictures of forecasts show the past, the forecast and its band as the tables hold them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chronotope.plots import plot_share_forecast

K, P, H = 5, 8, 3


@pytest.fixture(scope="module")
def shares() -> pd.DataFrame:
    share = np.random.default_rng(0).dirichlet(np.arange(1.0, K + 1), P)
    share[3] = np.nan
    times = np.repeat(np.arange(1900.5, 1900.5 + P), K)
    table = pd.DataFrame({"time": times, "topic": np.tile(np.arange(K), P), "share": share.ravel()})
    return table.assign(tokens=100, date="1900-07-01")


@pytest.fixture(scope="module")
def forecast() -> pd.DataFrame:
    share = np.random.default_rng(1).dirichlet(np.arange(1.0, K + 1), H).ravel()
    times = np.repeat(np.arange(1908.5, 1908.5 + H), K)
    table = pd.DataFrame({"time": times, "topic": np.tile(np.arange(K), H), "share": share})
    return table.assign(low=0.5 * share, high=1.5 * share)


def test_the_past_is_a_line_and_the_forecast_a_dashed_one_with_a_band(
    shares: pd.DataFrame, forecast: pd.DataFrame
) -> None:
    ax = plot_share_forecast(shares, forecast, [4, 1], names=[f"{k} $word" for k in range(K)])
    dashed = [line for line in ax.get_lines() if line.get_linestyle() == "--"]
    for k, line, ahead, band in zip((4, 1), ax.get_lines(), dashed, ax.collections, strict=False):
        past, coming = shares[shares["topic"] == k], forecast[forecast["topic"] == k]
        np.testing.assert_array_equal(line.get_ydata(), past["share"])
        np.testing.assert_array_equal(ahead.get_ydata(), [past["share"].iloc[-1], *coming["share"]])
        assert line.get_color() == ahead.get_color()
        corners = band.get_paths()[0].vertices
        assert set(np.round(coming["high"], 12)) <= set(np.round(corners[:, 1], 12))
    assert len(dashed) == len(ax.collections) == 2
    assert [text.get_text() for text in ax.texts] == [r"4 \$word", r"1 \$word"]
    assert ax.get_ylim()[1] >= forecast[forecast["topic"].isin([1, 4])]["high"].max()
    assert ax.get_xlim()[1] >= 1910.5
    ax.figure.canvas.draw()  # type: ignore[union-attr]


def test_the_three_most_prevalent_topics_are_drawn_by_default(shares: pd.DataFrame, forecast: pd.DataFrame) -> None:
    assert len(plot_share_forecast(shares, forecast).collections) == 3


def test_a_single_period_is_a_bar(shares: pd.DataFrame, forecast: pd.DataFrame) -> None:
    one = forecast[forecast["time"] == 1908.5]
    ax = plot_share_forecast(shares, one, [2])
    segment = ax.collections[0].get_segments()[0]  # type: ignore[attr-defined]
    low, high = one[one["topic"] == 2][["low", "high"]].to_numpy()[0]
    np.testing.assert_allclose(segment[:, 1], [low, high], rtol=1e-12)


def test_other_tables_are_refused(shares: pd.DataFrame, forecast: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"has no low, high; pass the table of analysis\.forecast_shares"):
        plot_share_forecast(shares, forecast.drop(columns=["low", "high"]))
    with pytest.raises(ValueError, match="groups"):
        plot_share_forecast(shares.assign(group="a"), forecast)
    with pytest.raises(ValueError, match=r"topics \[4\] are in one of the tables only"):
        plot_share_forecast(shares, forecast[forecast["topic"] < 4])
