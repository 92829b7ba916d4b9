"""Questions to a model that was fitted with prevalence and groups: topics, contrast, plot, info."""

import json

import numpy as np
import pandas as pd
import pytest

import chronotope as ct
from chronotope import analysis
from chronotope.cli.prevalence import contrast_text
from chronotope.plots import plot_prevalence

PARTIES = ("Tory", "Whig", "none $a")


@pytest.fixture(scope="module")
def corpus():
    """Texts of two topics: Whigs write mostly of taxes, ever more, and Tories of war."""
    rng = np.random.default_rng(0)
    years, party = rng.integers(1830, 1850, 240), rng.choice(PARTIES, 240, p=[0.45, 0.45, 0.1])
    taxes = np.where(party == "Whig", 0.5 + (years - 1830) / 50, 0.3)
    words = np.array([[0.5, 0.4, 0.05, 0.05], [0.05, 0.05, 0.4, 0.5]])
    counts = np.stack(
        [rng.multinomial(30, x * words[0] + (1 - x) * words[1]) for x in rng.beta(4 * taxes, 4 - 4 * taxes)]
    )
    metadata = {"party": party, "age": rng.normal(50, 10, 240)}
    return ct.Corpus(counts, years, ["tax", "tariff", "war", "army"], metadata=metadata, calendar=True)


@pytest.fixture(scope="module")
def grouped(corpus, tmp_path_factory):
    """A model with groups and an effect, in a file."""
    path = tmp_path_factory.mktemp("grouped") / "grouped.ct"
    terms = "constant(0.1) + ou(1, 5) + by(party) + linear(age)"
    ct.DynamicTopicModel(2, "ou(6, 50)", prevalence=terms, max_epochs=4, verbose=False).fit(corpus).save(path)
    return path


@pytest.fixture(scope="module")
def ungrouped(corpus, tmp_path_factory):
    """A model with prevalence over time alone, in a file."""
    path = tmp_path_factory.mktemp("ungrouped") / "ungrouped.ct"
    ct.DynamicTopicModel(2, "ou(6, 50)", prevalence="constant(0.1) + ou(1, 5)", max_epochs=2, verbose=False).fit(
        corpus
    ).save(path)
    return path


@pytest.fixture(scope="module")
def learned(grouped):
    return ct.load(grouped).prevalence_


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch):
    """Fewer draws than usual, here and in the commands."""
    for name in ("curve", "curves", "contrast", "differences"):
        monkeypatch.setitem(getattr(ct.model.curves.Prevalence, name).__kwdefaults__, "n", 30)


def rows(result):
    assert result.exit_code == 0, result.output
    return pd.DataFrame(json.loads(result.stdout)["rows"])


def same(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9)


def test_prevalence_is_that_of_the_library(run, grouped, learned, tmp_path):
    asked = ("topics", grouped, "--show", "prevalence", "--at", "1835,1840-07", "--level", 0.5)
    same(rows(run(*asked, "--json")), learned.curves(["1835", "1840-07"], level=0.5))
    one = learned.curves(["1835", "1840-07"], PARTIES, 0.5)
    one = one[one["topic"] == 1].reset_index(drop=True)
    same(rows(run(*asked, "--by", "party", "--topic", 1, "--json")), one)
    result = run(*asked, "--by", "party", "--out", tmp_path / "curves.csv")
    assert result.stdout == ""
    assert list(pd.read_csv(tmp_path / "curves.csv").columns) == list(one.columns)


def test_times_of_prevalence_are_the_middles_of_periods(run, grouped):
    years = rows(run("topics", grouped, "--show", "prevalence", "--json"))
    assert len(years) == 2 * 20
    decades = rows(run("topics", grouped, "--show", "prevalence", "--periods", "decade", "--json"))
    assert decades["time"].unique().tolist() == [1835.0, 1845.0]


def test_on_the_screen_topics_have_their_names_and_numbers_are_as_fine_as_they_are_known(run, grouped):
    shown = run("topics", grouped, "--show", "prevalence", "--by", "party", "--periods", "decade")
    head, first, *_ = shown.stdout.splitlines()
    assert head.split() == ["topic", "group", "date", "share", "low", "high"]
    assert first.startswith(analysis.topic_names(ct.load(grouped))[0])
    assert all(len(cell) <= 5 for cell in first.split()[-3:])
    assert "Drawing curves" in shown.stderr
    assert run("topics", grouped, "--show", "prevalence", "--at", "1840", "--quiet").stderr == ""


def test_effects_of_numbers_are_those_of_the_library(run, grouped, learned):
    same(rows(run("topics", grouped, "--show", "effects", "--json")), learned.effects())
    text = run("topics", grouped, "--show", "effects", "--topic", 1).stdout.splitlines()
    assert text[0].split() == ["column", "topic", "estimate", "low", "high"]
    assert len(text) == 2


def test_topics_are_ranked_by_how_much_groups_differ(run, grouped, learned, tmp_path):
    times = np.array([1835.0, 1845.0])
    ranked = run("contrast", grouped, "--periods", "decade", "--json")
    same(rows(ranked), learned.differences(times))
    assert json.loads(ranked.stdout)["groups"] == list(PARTIES)
    two = run("contrast", grouped, "Whig", "Tory", "--at", "1835,1845", "--level", 0.5, "--json")
    same(rows(two), learned.differences(times, 0.5, groups=("Whig", "Tory")))
    assert json.loads(two.stdout)["groups"] == ["Whig", "Tory"]
    one = rows(run("contrast", grouped, "--topic", 1, "--periods", "decade", "--json"))
    assert one["topic"].tolist() == [1]
    assert run("contrast", grouped, "Whig", "Tory", "--out", tmp_path / "table.csv", "--at", "1840").stdout == ""
    assert set(pd.read_csv(tmp_path / "table.csv")["most"]) == {"Whig", "Tory"}


def test_a_contrast_follows_topics_over_time(run, grouped, learned):
    asked = ("contrast", grouped, "Whig", "Tory", "--topic", 1, "--at", "1832,1848")
    table = learned.contrast(1, "Whig", "Tory", ["1832", "1848"])
    same(rows(run(*asked, "--json")).drop(columns="topic"), table)
    both = rows(run(*asked, "--topic", 0, "--json"))
    assert both["topic"].tolist() == [1, 1, 0, 0]
    assert (both["difference"].iloc[:2] * both["difference"].iloc[2:].to_numpy() < 0).all()
    head, first, *_ = run(*asked).stdout.splitlines()
    assert head.split() == ["topic", "date", "probability", "difference", "ratio"]
    assert first.startswith(analysis.topic_names(ct.load(grouped))[1])


def test_values_are_shown_with_their_intervals(grouped):
    given = {"topic": [0, 1, 0], "probability": [1.0, 0.871, 0.001]}
    given |= {"difference": 0.12345, "difference_low": 0.08, "difference_high": 0.16}
    table = pd.DataFrame(given | {"ratio": 1.2634, "ratio_low": 1.0911, "ratio_high": 1.4999})
    lines = contrast_text(table, ct.load(grouped).topics_).splitlines()
    assert [line.endswith("0.12 (0.08 to 0.16)  1.26 (1.09 to 1.50)") for line in lines[1:]] == [True] * 3
    assert [line.partition("  0.12")[0][-6:] for line in lines[1:]] == ["> 0.99", "  0.87", "< 0.01"]


@pytest.fixture
def drawn(monkeypatch):
    """What was drawn last: prevalence, topic, groups and options, and the axes."""
    found = {}

    def watch(prevalence, topic, groups, **options):
        found.update(topic=topic, groups=groups, level=options["level"])
        found["ax"] = plot_prevalence(prevalence, topic, groups, times=[1835, 1845], **options)
        return found["ax"]

    monkeypatch.setattr("chronotope.plots.plot_prevalence", watch)
    return found


def test_a_figure_has_the_curves_of_groups(run, grouped, tmp_path, drawn):
    out = tmp_path / "x.svg"
    result = run("plot", grouped, "--show", "prevalence", "--groups", "Whig,Tory", "--topic", 1, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"written": [str(out)], "topics": {"grouped": [1]}}
    assert (drawn["groups"], drawn["level"]) == (["Whig", "Tory"], 0.9)
    assert [line.get_label() for line in drawn["ax"].get_lines()] == ["Whig", "Tory"]
    assert drawn["ax"].get_title(loc="left").startswith("grouped: prevalence of topic 1 ")
    assert "grouped: topic 1 " in result.stderr


def test_without_a_topic_the_one_that_groups_differ_in_most_is_drawn(run, grouped, ungrouped, learned, tmp_path, drawn):
    asked = ("--show", "prevalence", "--level", 0.5, "--force", "--out", tmp_path / "x.png")
    assert run("plot", grouped, *asked).exit_code == 0
    assert drawn["topic"] == learned.differences()["topic"][0]
    assert (drawn["groups"], drawn["level"]) == (list(PARTIES), 0.5)
    assert run("plot", ungrouped, *asked).exit_code == 0
    assert drawn["topic"] == ct.load(ungrouped).topics_.mass.sum(axis=0).argmax()
    assert len(drawn["ax"].get_lines()) == 1


def test_info_says_what_prevalence_follows(run, grouped, ungrouped, models):
    text, facts = run("info", grouped).stdout, json.loads(run("info", grouped, "--json").stdout)["prevalence"]
    assert "constant(0.1) + ou(1, 5) + by(party) + linear(age)" in text
    assert "3 of party: Tory, Whig, none $a" in text
    assert "of age" in text
    concentration = ct.load(grouped).prevalence_.prior.A
    assert f"A = {concentration:.3g}" in text
    assert facts["groups"] == list(PARTIES)
    assert (facts["by"], facts["effects"], facts["concentration"]) == ("party", ["age"], concentration)
    assert "groups" not in run("info", ungrouped).stdout
    assert "concentration" not in run("info", models[0]).stdout
    assert json.loads(run("info", models[0], "--json").stdout)["prevalence"] is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("topics", "PLAIN", "--show", "prevalence"), "fitted without prevalence; fit it with --groups"),
        (("topics", "PLAIN", "--show", "effects"), "fitted without prevalence"),
        (("topics", "GROUPED", "texts.csv", "--show", "prevalence"), "does not need the corpus; remove 'texts.csv'"),
        (("topics", "GROUPED", "--show", "prevalence", "--by", "age"), "groups of 'party'; pass --by party"),
        (("topics", "UNGROUPED", "--show", "prevalence", "--by", "party"), "fitted without groups; fit it with"),
        (("topics", "GROUPED", "--show", "prevalence", "--at", "soon"), "could not be read"),
        (("topics", "GROUPED", "--show", "prevalence", "--level", 2), "level is 2.0"),
        (("topics", "GROUPED", "--show", "words", "--by", "party"), "pass --show shares or prevalence, not words"),
        (("topics", "UNGROUPED", "--show", "effects"), "prevalence follows no numbers"),
        (("contrast", "PLAIN"), "fitted without prevalence"),
        (("contrast", "UNGROUPED"), "fitted without groups"),
        (("contrast", "GROUPED", "Whig"), "between two groups, but only 'Whig' is given"),
        (("contrast", "GROUPED", "Whig", "Whig"), "but only 'Whig' is given"),
        (("contrast", "GROUPED", "Whig", "x"), "group is 'x'; expected one of 'Tory', 'Whig', 'none $a'"),
        (("contrast", "GROUPED", "Whig", "x", "--topic", 0), "group is 'x'; expected one of 'Tory'"),
        (("contrast", "GROUPED", "--topic", 2), "topic is 2; expected a number from 0 to 1"),
        (("contrast", "GROUPED", "--out", "x.txt"), "does not end in .csv or .parquet"),
        (("contrast", "GROUPED", "--periods", "moon"), "moon"),
        (("plot", "PLAIN", "--show", "prevalence", "--out", "x.png"), "fitted without prevalence"),
        (("plot", "UNGROUPED", "--show", "prevalence", "--out", "x.png", "--groups", "a"), "fitted without groups"),
        (("plot", "GROUPED", "--show", "prevalence", "--out", "x.png", "--groups", "x"), "group is 'x'; expected one"),
        (("plot", "GROUPED", "PLAIN", "--show", "prevalence", "--out", "x.png"), "is of one model, but 2 files are"),
        (("plot", "GROUPED", "--show", "prevalence", "--out", "x.png", "--by", "party"), "--by is not for --show prev"),
        (("plot", "GROUPED", "--show", "prevalence", "--out", "x.png", "--corpus", "sotu"), "--corpus is not for"),
        (("plot", "GROUPED", "--show", "prevalence", "--out", "x.png", "--bound"), "--bound is not for --show prev"),
        (("plot", "GROUPED", "--show", "prevalence", "--out", "x.png", "--topic", 0, "--topic", 1), "is given 2 times"),
        (("plot", "GROUPED", "--show", "prevalence", "--out", "x.png", "--topic", 2), "topic is 2; expected a number"),
        (("plot", "GROUPED", "--topic", 0, "--out", "x.png", "--groups", "a"), "pass --show prevalence, not words"),
    ],
)
def test_what_cannot_work_is_a_sentence(run, models, grouped, ungrouped, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    paths = {"PLAIN": models[0], "GROUPED": grouped, "UNGROUPED": ungrouped}
    result = run(*(paths.get(argument, argument) for argument in arguments))
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())
