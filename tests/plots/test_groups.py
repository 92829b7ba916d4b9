"""Pictures of the prevalence in groups: a panel a topic, a line a group, and the difference of two groups."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest

from chronotope.plots import plot_contrast, plot_river, plot_shares
from chronotope.plots.share_table import lone_values

K, P = 9, 6
TIMES = np.arange(1900.0, 1900 + P)


def table(*groups: tuple[str, int, set[int]]) -> pd.DataFrame:
    """Shares of groups: their names, tokens per period, and the periods without words."""
    rng, parts = np.random.default_rng(0), []
    for name, tokens, silent in groups:
        share = rng.dirichlet(np.ones(K), P)
        share[list(silent)] = np.nan
        part = pd.DataFrame({"time": np.repeat(TIMES, K), "topic": np.tile(np.arange(K), P), "share": share.ravel()})
        parts.append(part.assign(group=name, tokens=np.where(part["share"].isna(), 0, tokens), date="1900-01-01"))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def shares() -> pd.DataFrame:
    return table(("away", 50, {2}), ("$home$", 100, set()), ("(none)", 10, {0, 2, 4}))


def legend(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def of(shares: pd.DataFrame, topic: int, group: str) -> np.ndarray:
    return shares[(shares["topic"] == topic) & (shares["group"] == group)]["share"].to_numpy()


def test_a_panel_a_topic_and_a_line_a_group_with_gaps_where_the_group_has_no_words(shares: pd.DataFrame) -> None:
    panels = plot_shares(shares, [4, 1], names=[f"{k} $word" for k in range(K)])
    assert [ax.get_title(loc="left") for ax in panels] == [r"4 \$word", r"1 \$word"]
    for ax, k in zip(panels, (4, 1), strict=True):
        for line, group in zip(ax.get_lines(), ("away", "$home$", "(none)"), strict=True):
            np.testing.assert_array_equal(line.get_xdata(), TIMES)
            np.testing.assert_array_equal(line.get_ydata(), of(shares, k, group))
    assert np.isnan(panels[0].get_lines()[0].get_ydata()[2])


def test_groups_have_the_same_line_in_all_panels_and_one_legend(shares: pd.DataFrame) -> None:
    panels = plot_shares(shares, [0, 1, 2])
    styles = [[(line.get_color(), line.get_linestyle()) for line in ax.get_lines()] for ax in panels]
    assert styles[0] == styles[1] == styles[2]
    assert len(set(styles[0])) == 3
    assert legend(panels[0].figure) == ["away", r"\$home\$", "(none)"]
    assert not any(ax.get_legend() for ax in panels)


def test_all_panels_have_one_probability_axis_that_holds_every_line(shares: pd.DataFrame) -> None:
    panels = plot_shares(shares)
    assert len({ax.get_ylim() for ax in panels}) == len({ax.get_xlim() for ax in panels}) == 1
    assert panels[0].get_ylim()[1] >= max(np.nanmax(line.get_ydata()) for ax in panels for line in ax.get_lines())
    assert panels[0].get_ylim()[0] == 0


def test_seven_topics_are_drawn_by_default_in_order_of_their_numbers(shares: pd.DataFrame) -> None:
    tokens = (shares["share"] * shares["tokens"]).groupby(shares["topic"]).sum()
    panels = plot_shares(shares)
    assert [ax.get_title(loc="left") for ax in panels] == [f"topic {k}" for k in sorted(tokens.nlargest(7).index)]
    assert list(panels[0].figure.axes) == list(panels)  # no empty panels
    panels[0].figure.draw_without_rendering()
    bottom = [any(tick.label1.get_visible() for tick in ax.xaxis.get_major_ticks()) for ax in panels]
    assert bottom == [False] * 4 + [True] * 3  # also above the empty places


def test_the_seven_groups_with_most_tokens_are_drawn_and_a_note_names_the_others() -> None:
    many = table(*((f"g{i}", 100 + i, set()) for i in range(14)), ("silent", 0, set(range(P))))
    figure = plot_shares(many, [0])[0].figure
    assert legend(figure) == [f"g{i}" for i in range(7, 14)]
    note = " ".join(figure.get_supxlabel().split())
    assert note.startswith("7 of 15 groups")
    assert note.endswith("without: g0, g1, g2, g3, g4 and 3 more")


def test_without_other_groups_there_is_no_note_and_long_names_are_cut(tmp_path) -> None:
    figure = plot_shares(table(("x" * 100, 10, set())), [0])[0].figure
    assert figure.get_supxlabel() == ""
    assert legend(figure) == ["x" * 29 + "…"]
    figure.savefig(tmp_path / "groups.png")
    assert matplotlib.image.imread(tmp_path / "groups.png").std() > 0


def test_a_group_without_words_has_no_line_and_is_in_the_note() -> None:
    panel = plot_shares(table(("a", 10, set()), ("silent", 0, set(range(P)))), [0])[0]
    assert len(panel.get_lines()) == 1
    assert panel.figure.get_supxlabel().endswith("without: silent")


def test_a_value_between_two_gaps_is_a_point(shares: pd.DataFrame) -> None:
    nan = np.nan
    assert lone_values(np.array([1.0, nan, 2.0, 3.0, nan, 4.0])).tolist() == [0, 5]
    assert lone_values(np.array([1.0, 2.0])).tolist() == []
    line = plot_shares(shares, [0])[0].get_lines()[2]  # words in periods 1, 3 and 5 only
    assert (line.get_marker(), line.get_markevery()) == ("o", [1, 3, 5])
    alone = plot_shares(shares[shares["group"] == "(none)"].drop(columns="group"), [0]).get_lines()[0]
    assert alone.get_markevery() == [1, 3, 5]


def test_a_contrast_is_the_difference_with_gaps_where_either_group_has_no_words(shares: pd.DataFrame) -> None:
    ax = plot_contrast(shares, 3, "away", "$home$", names=[f"name {k}" for k in range(K)])
    zero, line = ax.get_lines()
    np.testing.assert_array_equal(zero.get_ydata(), [0.0, 0.0])
    np.testing.assert_array_equal(zero.get_xdata(), TIMES[[0, -1]])
    np.testing.assert_allclose(line.get_ydata(), of(shares, 3, "away") - of(shares, 3, "$home$"), rtol=1e-12)
    assert np.flatnonzero(np.isnan(line.get_ydata())).tolist() == [2]
    assert [text.get_text() for text in ax.texts] == ["more in away", r"more in \$home\$"]
    assert ax.get_title(loc="left") == "name 3"
    low, high = ax.get_ylim()
    assert low == -high
    ax.figure.draw_without_rendering()
    assert "0" in [tick.get_text() for tick in ax.get_yticklabels()]
    assert plot_contrast(shares, 3, "away", "away", ax=ax) is ax


def test_what_cannot_be_drawn_is_refused(shares: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="remove ax"):
        plot_shares(shares, ax=matplotlib.figure.Figure().subplots())
    with pytest.raises(ValueError, match=r"topics is \[9\]; expected numbers from 0 to 8"):
        plot_shares(shares, [9])
    with pytest.raises(ValueError, match="the table has 3 groups, and a river is of one"):
        plot_river(shares)
    assert plot_river(shares[shares["group"] == "away"]).collections
    with pytest.raises(ValueError, match="'west' is not a group of the table; its groups are '\\$home\\$', '"):
        plot_contrast(shares, 0, "away", "west")
    with pytest.raises(ValueError, match="the table has no groups"):
        plot_contrast(shares.drop(columns="group"), 0, "away", "(none)")
    with pytest.raises(ValueError, match="have words in no common period"):
        plot_contrast(table(("a", 9, {0, 1, 2}), ("b", 9, {3, 4, 5})), 0, "a", "b")
