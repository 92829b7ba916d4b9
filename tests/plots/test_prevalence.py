"""Pictures of the prevalence that a model has learned show its curves and their bands."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest

from chronotope.plots import plot_prevalence

K, T = 3, 6


class Learned:
    """Curves in place of those of a fitted model: the level is the width of the band."""

    n_topics, calendar = K, True

    def __init__(self, *groups: str) -> None:
        self.groups = groups

    def curves(self, times, groups, level) -> pd.DataFrame:
        at = np.linspace(1900, 1910, T) if times is None else np.array(times)
        named = [None] if groups is None else groups
        share = np.random.default_rng(0).dirichlet(np.ones(K), (len(named), len(at))).transpose(2, 0, 1).ravel()
        topic = np.repeat(np.arange(K), len(named) * len(at))
        table = pd.DataFrame({"topic": topic, "time": np.tile(at, K * len(named)), "share": share})
        table = table.assign(low=(1 - level / 2) * share, high=(1 + level / 2) * share, date="1900-01-01")
        return table if groups is None else table.assign(group=np.tile(np.repeat(named, len(at)), K))


def test_every_group_is_a_line_with_its_band() -> None:
    learned = Learned("away", "$home$")
    ax = plot_prevalence(learned, 1, level=0.5, names=["0 a", "1 $b", "2 c"])
    table = learned.curves(None, learned.groups, 0.5)
    for line, band, group in zip(ax.get_lines(), ax.collections, learned.groups, strict=True):
        curve = table[(table["topic"] == 1) & (table["group"] == group)]
        np.testing.assert_array_equal(line.get_xdata(), curve["time"])
        np.testing.assert_array_equal(line.get_ydata(), curve["share"])
        assert set(np.round(curve["low"], 12)) <= set(np.round(band.get_paths()[0].vertices[:, 1], 12))
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.get_lines()}) == 2
    assert sorted(text.get_text() for text in ax.texts) == [r"\$home\$", "away"]
    assert ax.get_title(loc="left") == r"1 \$b"
    assert ax.get_ylim() == (0, pytest.approx(1.3 * max(line.get_ydata().max() for line in ax.get_lines())))


def test_some_groups_at_some_times_on_axes_of_ones_own(tmp_path) -> None:
    ax = matplotlib.figure.Figure().subplots()
    assert plot_prevalence(Learned("a", "b", "c"), 0, ["c"], times=[1902, 1904, 1900], ax=ax) is ax
    (line,) = ax.get_lines()
    assert (line.get_label(), line.get_xdata().tolist()) == ("c", [1900, 1902, 1904])
    assert ax.get_title(loc="left") == "topic 0"
    ax.figure.savefig(tmp_path / "x.png")


@pytest.mark.parametrize(("learned", "groups"), [(Learned(), None), (Learned("a", "b"), [])])
def test_what_all_groups_share_is_one_line_without_a_name(learned: Learned, groups: list[str] | None) -> None:
    ax = plot_prevalence(learned, 2, groups)
    assert len(ax.get_lines()) == len(ax.collections) == 1
    assert not ax.texts


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="topic is 3; expected a number from 0 to 2"):
        plot_prevalence(Learned("a"), 3)
    many = Learned(*"abcdefgh")
    with pytest.raises(ValueError, match="there are 8 groups, and a figure shows at most 7; pass groups="):
        plot_prevalence(many, 0)
    assert len(plot_prevalence(many, 0, many.groups[1:]).get_lines()) == 7
