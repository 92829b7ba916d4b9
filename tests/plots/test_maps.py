"""Maps: circles where the cells are, on one side of the map also across the date line, over lines that do not smear."""

from __future__ import annotations

import matplotlib
import matplotlib.image
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from somewhere import PLACES, fitted

from chronotope.analysis.places import topic_map, word_map
from chronotope.plots import plot_map
from chronotope.plots.coastline import KINDS, beside, lines_around, middle_longitude, outlines


def test_the_middle_of_places_across_the_date_line_is_there() -> None:
    assert middle_longitude(np.array([170.0, -170.0])) == -180.0
    assert middle_longitude(PLACES[:, 1]) == -180.0
    assert middle_longitude(np.array([-10.0, 30.0])) == 10.0
    assert middle_longitude(np.array([7.0, 7.0])) == 7.0
    assert beside(np.array([170.0, -170.0]), 180.0).tolist() == [-10.0, 10.0]


@pytest.mark.parametrize("middle", [0.0, 180.0, -97.3])
@pytest.mark.parametrize("kind", KINDS)
def test_no_line_runs_across_the_map(kind: str, middle: float) -> None:
    lines = lines_around(kind, middle)
    assert max(np.abs(np.diff(line[:, 0])).max() for line in lines) < 30
    assert all(np.abs(line[:, 0]).max() <= 180 and np.abs(line[:, 1]).max() <= 90 for line in lines)


def test_coasts_are_where_they_are() -> None:
    """Land's End, the Cape of Good Hope, Cape Horn and Florida are near a point of a coast; Kansas is near none."""
    coast = np.concatenate(outlines()["coast"])

    def off(lat: float, lon: float) -> float:
        return float(np.hypot((coast[:, 0] - lon) * np.cos(np.radians(lat)), coast[:, 1] - lat).min())

    assert max(off(*place) for place in ((50.07, -5.72), (-34.36, 18.47), (-55.98, -67.27), (25.2, -80.5))) < 0.8
    assert off(38.5, -98.0) > 8


def test_circles_are_where_cells_are_and_their_area_follows_tokens() -> None:
    ax = plot_map(fitted(), 0, "east")
    table = word_map(fitted(), 0, "east")
    circles = next(each for each in ax.collections if not isinstance(each, LineCollection))
    np.testing.assert_allclose(
        np.asarray(circles.get_offsets()),
        np.column_stack([beside(table["longitude"].to_numpy(), 180.0), table["latitude"]]),
    )
    area, tokens = circles.get_sizes(), table["tokens"].to_numpy()
    np.testing.assert_allclose(area / area.max(), tokens / tokens.max(), rtol=1e-6)
    np.testing.assert_allclose(np.asarray(circles.get_array()), table["ratio"].clip(0.25, 4), rtol=1e-12)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert -16 < left < -10
    assert 10 < right < 16
    np.testing.assert_allclose([low, high], [-12.0, 12.0], rtol=1e-9)


def test_a_far_cell_with_next_to_no_tokens_is_outside_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    table = topic_map(fitted(), 0)
    table.loc[0, ["name", "latitude", "longitude", "tokens"]] = ["far away", 60.0, 20.0, 1.0]
    monkeypatch.setattr("chronotope.analysis.places.topic_map", lambda *given: table)
    ax = plot_map(fitted(), 0)
    assert ax.get_xlabel() == "outside: far away"
    assert ax.get_ylim()[1] < 20
    table.loc[0, "tokens"] = 500.0
    ax = plot_map(fitted(), 0)
    assert ax.get_xlabel() == ""
    assert ax.get_ylim()[1] > 60


def test_edges_are_black_where_the_band_does_not_hold_all_places() -> None:
    table = word_map(fitted(), 0, "east")
    overall = table["mean"] / table["ratio"]
    apart = ((overall < table["low"]) | (overall > table["high"])).to_numpy()
    assert apart.any()
    circles = plot_map(fitted(), 0, "east").collections[-1]
    assert [colour[:3].max() == 0 for colour in circles.get_edgecolors()] == apart.tolist()


def test_a_degree_is_as_long_as_at_the_middle_latitude_and_ticks_name_the_side() -> None:
    ax = plot_map(fitted(), 1)
    assert ax.get_aspect() == pytest.approx(1.0)
    ax.figure.draw_without_rendering()
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    assert "180°" in names
    assert any(name.endswith("°E") for name in names)
    assert any(name.endswith("°W") for name in names)


def test_titles_say_word_topic_and_time_without_formulas(tmp_path) -> None:
    assert plot_map(fitted(), 0).get_title(loc="left").startswith("topic 0 ")
    title = plot_map(fitted(), 0, "east", "2001").get_title(loc="left")
    assert title.startswith("east in topic 0 ")
    assert title.endswith(", 2001")
    ax = plot_map(fitted(), 0, '<b>&"')
    ax.figure.savefig(tmp_path / "map.png")
    assert matplotlib.image.imread(tmp_path / "map.png").std() > 0
    assert plot_map(fitted(), 0, ax=ax) is ax


def test_all_of_a_topic_is_drawn_by_its_share() -> None:
    circles = plot_map(fitted(), 1).collections[-1]
    np.testing.assert_allclose(np.asarray(circles.get_array()), topic_map(fitted(), 1)["ratio"], rtol=1e-12)


def test_a_time_without_a_word_is_refused() -> None:
    with pytest.raises(ValueError, match="time is for a word, but no word was given; pass one, or remove time"):
        plot_map(fitted(), 0, time=2001)
