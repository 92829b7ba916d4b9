"""Pictures of shares, words and events show what their tables hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from planted import plant

from chronotope import DynamicTopicModel, OrnsteinUhlenbeck, Topics
from chronotope.plots import plot_events, plot_heatmap, plot_river, plot_shares

K, P = 9, 6


@pytest.fixture(scope="module")
def shares() -> pd.DataFrame:
    share = np.random.default_rng(0).dirichlet(np.ones(K), P)
    share[2] = np.nan
    tokens = np.where(np.isnan(share[:, 0]), 0, 100)
    times = np.arange(1900.0, 1900 + P)
    table = pd.DataFrame({"time": np.repeat(times, K), "topic": np.tile(np.arange(K), P), "share": share.ravel()})
    return table.assign(tokens=np.repeat(tokens, K), date="1900-01-01")


@pytest.fixture(scope="module")
def topics() -> Topics:
    corpus = plant(OrnsteinUhlenbeck(2, 10), np.arange(6.0), 2, 12, documents=4, length=40).corpus
    return DynamicTopicModel(2, max_epochs=3).fit(corpus).topics_


def events(*rows: tuple[int, str, float, float, float]) -> pd.DataFrame:
    table = pd.DataFrame(list(rows), columns=["topic", "kind", "start", "peak", "end"])
    return table.assign(
        strength=np.arange(len(rows), 0, -1.0), words=[["war", "$5", "army", "navy", "men"]] * len(rows)
    )


def test_lines_are_the_shares_with_gaps_where_there_are_no_words(shares: pd.DataFrame) -> None:
    ax = plot_shares(shares, [4, 1], names=[f"{k} $word" for k in range(K)])
    for line, k in zip(ax.get_lines(), (4, 1), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), shares[shares["topic"] == k]["share"])
    assert [text.get_text() for text in ax.texts if text.get_text()] != []
    assert len(plot_shares(shares).get_lines()) == 7
    ax.figure.canvas.draw()  # type: ignore[union-attr]
    assert "1902" in [tick.get_text() for tick in ax.get_xticklabels()]


def test_a_table_of_some_topics_has_their_lines_and_bands(shares: pd.DataFrame) -> None:
    some = shares[shares["topic"].isin([5, 8])]
    ax = plot_shares(some, names=[f"name {k}" for k in range(K)])
    for line, k in zip(ax.get_lines(), (5, 8), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), shares[shares["topic"] == k]["share"])
        assert line.get_label() == f"name {k}"
    assert len(plot_river(some, [8]).collections) == 3


def test_a_river_is_as_wide_as_all_the_text_and_its_bands_as_the_shares(shares: pd.DataFrame) -> None:
    ax = plot_river(shares, [0, 3])
    below, above, *bands = (band.get_paths() for band in ax.collections)
    assert len(bands) == 2
    share = shares[shares["topic"] == 0]["share"].to_numpy()
    for paths in (below, above, *bands):
        assert len(paths) == 2  # on both sides of the gap
    first = bands[0][0].vertices
    heights = [np.ptp(first[first[:, 0] == time, 1]) for time in (1900.0, 1901.0)]
    np.testing.assert_allclose(heights, share[:2], rtol=1e-9)
    assert min(path.vertices[:, 1].min() for path in below) == pytest.approx(-0.5)
    assert max(path.vertices[:, 1].max() for path in above) == pytest.approx(0.5)


def test_names_of_bands_do_not_cover_each_other_and_are_inside_their_bands() -> None:
    first = np.array([0.02, 0.2, 0.6, 0.3, 0.2, 0.2, 0.2, 0.2])
    second = np.array([0.2, 0.02, 0.02, 0.02, 0.02, 0.06, 0.05, 0.05])  # widest beside the middle of the first
    share, times = np.column_stack([first, second, 1 - first - second]), np.repeat(np.arange(8.0), 3)
    table = pd.DataFrame({"time": times, "topic": np.tile(np.arange(3), 8), "share": share.ravel(), "tokens": 100})
    ax = plot_river(table, [0, 1], names=["0 war army enemy", "1 wheat corn farm", "2 all others"])
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == 2
    assert not boxes[0].overlaps(boxes[1])
    for text in ax.texts:
        time, height = text.get_position()
        band = next(band for band in ax.collections if band.get_label() == text.get_text())
        at = band.get_paths()[0].vertices
        low, high = np.sort(at[np.isclose(at[:, 0], time), 1])[[0, -1]]
        assert low < height < high


def test_a_heat_map_has_a_row_a_word_in_order_of_their_peaks(topics: Topics) -> None:
    words = ["word3", "word0", "word7"]
    ax = plot_heatmap(topics, 1, words, times=np.arange(6.0))
    values = np.asarray(ax.collections[0].get_array()).reshape(3, 6)
    np.testing.assert_allclose(values.max(axis=1), 1.0, rtol=1e-12)
    assert (np.diff(np.argmax(values, axis=1)) >= 0).all()
    for label, row in zip(ax.get_yticklabels(), values, strict=True):
        mean = topics.trajectory(1, label.get_text().split()[0], np.arange(6.0))["mean"]
        np.testing.assert_allclose(row, mean / mean.max(), rtol=1e-9)
    assert len(plot_heatmap(topics, 0).get_yticklabels()) == 12


def test_events_are_bars_from_start_to_end_the_strongest_first_chosen() -> None:
    table = events((0, "words", 3.0, 4.0, 6.0), (1, "share", 1.0, 1.0, 1.0), (0, "words", 8.0, 8.5, 9.0))
    ax = plot_events(table, n=2)
    bars = [patch.get_bbox() for patch in ax.patches]
    assert [(bar.x0, bar.x1) for bar in bars][1] == (3.0, 6.0)
    assert bars[0].width > 0
    assert [label.get_text() for label in ax.get_yticklabels()] == ["topic 1", "topic 0"]
    assert ax.texts[0].get_text() == r"war \$5 army navy"
    assert len(ax.get_legend().get_texts()) == 2  # type: ignore[union-attr]


def test_no_events_are_said() -> None:
    assert plot_events(events()).texts[0].get_text() == "no events"


def test_what_cannot_be_drawn_is_refused(shares: pd.DataFrame, topics: Topics) -> None:
    with pytest.raises(ValueError, match=r"topics is \[9\]; expected numbers from 0 to 8"):
        plot_river(shares, [9])
    with pytest.raises(ValueError, match="the table has no share"):
        plot_shares(shares.drop(columns="share"))
    with pytest.raises(ValueError, match="no period of the table has words"):
        plot_shares(shares.assign(share=np.nan))
    with pytest.raises(ValueError, match="no words were given"):
        plot_heatmap(topics, 0, [])
    with pytest.raises(ValueError, match="n is 0"):
        plot_events(events(), n=0)
