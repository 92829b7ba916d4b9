"""Groups and places on the command line: fits, what they say, contrasts of words, and every other command."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

import chronotope as ct
from chronotope.analysis import contrast, divergence, group_differences, partings
from chronotope.cli.contrast_words import ratio_text, words_text
from chronotope.cli.options import kernel_by
from chronotope.cli.output import in_options

WAR, FARM = ("war", "army", "navy", "battle", "enemy"), ("wheat", "corn", "farm", "market", "harvest")
SMALL = ("--topics", 2, "--epochs", 2, "--nodes", 6, "--threads", 1)
BY, SPACE = "constant + ou + by(ou)", "constant + ou + space(1, 300 km)"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """240 texts of 1900 to 1919 with a party and a place; Whigs speak of liberty and Tories of the crown."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("table") / "texts.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["date", "text", "party", "lat", "lon"])
        for i in range(240):
            party = ("Tory", "Whig")[rng.integers(2)]
            own = ["liberty" if party == "Whig" else "crown"] * int(rng.integers(2, 6))
            place = ["", ""] if i % 60 == 0 else [40 + i % 4, -80 - 5 * (i % 4)]
            words = [*rng.choice(FARM if i % 2 else WAR, 25), *own]
            rows.writerow([f"{1900 + i // 12}-03-01", " ".join(words), party if i % 40 else "", *place])
    return path


@pytest.fixture(scope="module")
def fitted(run, table, tmp_path_factory):
    """Models by name, and what their fits said: words alone, words and prevalence, places."""
    folder, said = tmp_path_factory.mktemp("fitted"), {}
    asked = {"words": ("--words-by", "party"), "groups": ("--kernel", BY, "--groups", "party")}
    asked["places"] = ("--kernel", SPACE, "--place", "lat,lon", "--cells", 3)
    for name, options in asked.items():
        said[name] = run("fit", table, *SMALL, *options, "--out", folder / f"{name}.ct", "--json")
        assert said[name].exit_code == 0, said[name].output
    return {name: folder / f"{name}.ct" for name in asked}, said


@pytest.fixture(scope="module")
def models(fitted):
    return fitted[0]


def rows(result):
    assert result.exit_code == 0, result.output
    return pd.DataFrame(json.loads(result.stdout)["rows"])


def same(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9)


def test_a_fit_counts_the_documents_of_groups_and_cells(fitted):
    tracks = {name: json.loads(result.stdout)["tracks"] for name, result in fitted[1].items()}
    assert tracks["words"] == tracks["groups"]
    assert tracks["words"]["columns"] == ["party"]
    assert (sum(tracks["words"]["groups"].values()), tracks["words"]["missing"]) == (240, 6)
    assert tracks["words"]["groups"]["(none)"] == 6
    assert (len(tracks["places"]["cells"]), tracks["places"]["missing"]) == (3 + 1, 4)
    assert "4 of 240 documents have no place" in fitted[1]["places"].stderr
    assert ["contrast" in result.stderr for result in fitted[1].values()] == [True, True, False]


def test_options_are_the_parameters_of_the_model(models):
    words, groups, places = (ct.load(models[name]) for name in ("words", "groups", "places"))
    assert words.tracks_.columns == groups.tracks_.columns == ("party",)
    assert hasattr(groups, "prevalence_")
    assert not hasattr(words, "prevalence_")
    assert (places.place, places.n_cells, places.tracks_.columns) == ("lat,lon", 3, ("lat", "lon"))


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (None, "constant() + ou() + by(ou(), party)"),
        ("slow drift", "constant() + ou() + by(ou(), party)"),
        ("long memory", "constant() + cauchy() + by(ou(), party)"),
        ("events", "events + by(ou(), party)"),
        ("wiener(0.2)", "wiener(0.2) + by(ou(), party)"),
    ],
)
def test_words_by_is_added_to_any_kernel(kernel, text):
    assert ct.parse_kernel(kernel_by(kernel, "party")) == ct.parse_kernel(text)


def test_a_dry_run_counts_groups_and_cells(run, table):
    text = run("fit", table, *SMALL, "--words-by", "party", "--dry-run").stdout
    assert "of party; documents of each: Whig 1" in text
    assert "6 of the documents have none" in text
    assert "the same for each group" in text
    text = run("fit", table, *SMALL, "--kernel", SPACE, "--cells", 3, "--dry-run").stdout
    assert "cells       3 by lat and lon, of " in text
    assert json.loads(run("fit", table, *SMALL, "--dry-run", "--json").stdout)["tracks"] is None


def test_a_corpus_on_disk_keeps_the_columns_that_words_follow(run, table, tmp_path):
    for name, options, columns in (
        ("by", ("--words-by", "party"), {"party"}),
        ("at", ("--kernel", SPACE, "--place", "lat,lon"), {"lat", "lon"}),
    ):
        folder, out = tmp_path / name, tmp_path / f"{name}.ct"
        result = run("fit", table, *SMALL, *options, "--on-disk", folder, "--out", out)
        assert result.exit_code == 0, result.output
        assert set(ct.open_corpus(folder).metadata.columns) == columns


def test_words_that_set_groups_apart_are_those_of_the_library(run, models, tmp_path):
    topics = ct.load(models["words"]).topics_
    found = rows(run("contrast", models["words"], "Whig", "Tory", "--topic", 1, "--top", 2, "--json"))
    same(found.drop(columns="topic"), contrast(topics, 1, "Whig", "Tory", None, 2))
    assert found["word"][0] == "liberty"
    assert "crown" in found["word"].tolist()
    asked = ("--topic", 1, "--topic", 0, "--words", "--at", "1905,1910", "--level", 0.5, "--top", 1)
    both = rows(run("contrast", models["groups"], "Whig", "Tory", *asked, "--json"))
    assert both["topic"].unique().tolist() == [1, 0]
    assert both["time"].unique().tolist() == [1905, 1910]
    out = tmp_path / "words.csv"
    assert run("contrast", models["words"], "--topic", 0, "--out", out).stdout == ""
    assert {"word", "ratio", "low", "high", "probability"} <= set(pd.read_csv(out).columns)
    head = run("contrast", models["words"], "Whig", "Tory", "--topic", 0).stdout.splitlines()[0]
    assert head.split()[-4:] == ["in", "Whig", "in", "Tory"]


def test_how_far_groups_are_apart_over_time_is_that_of_the_library(run, models):
    asked = ("contrast", models["words"], "Whig", "Tory", "--topic", 0, "--divergence", "--periods", "decade")
    expected = divergence(ct.load(models["words"]), 0, "Whig", "Tory", [1905.0, 1915.0])
    same(rows(run(*asked, "--json")).drop(columns="topic"), expected)
    assert run(*asked).stdout.splitlines()[0].split() == ["topic", "date", "divergence"]


def test_without_a_topic_topics_are_ranked_by_how_surely_groups_parted(run, models):
    same(
        rows(run("contrast", models["words"], "--json")), partings(ct.load(models["words"]), "Tory", "Whig", level=0.9)
    )
    shown = run("contrast", models["places"], "0", "1", "--words").stdout.splitlines()
    assert shown[0].split() == ["topic", "a", "b", "parted", "when", "from", "to", "before", "after"]


def test_groups_too_few_times_in_common_have_empty_cells(models):
    topics = ct.load(models["words"]).topics_
    table = partings(topics, "Tory", "Whig")
    table.loc[0, ["probability", "time", "low_time", "high_time", "before", "after"]] = np.nan
    assert "nan" not in words_text(table, topics, ())


def test_a_ratio_is_as_fine_as_its_interval():
    assert ratio_text(30.2167, 17.338, 56.207) == "30 (17 to 56)"
    assert ratio_text(0.0344, 0.0191, 0.0628) == "0.034 (0.019 to 0.063)"


def test_figures_of_two_groups_are_drawn(run, models, tmp_path):
    for show in ("word-contrast", "divergence"):
        out = tmp_path / f"{show}.svg"
        result = run(
            "plot", models["words"], "--show", show, "--between", "Whig,Tory", "--topic", 1, "--out", out, "--json"
        )
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout) == {"written": [str(out)], "topics": {"words": [1]}}
        assert out.stat().st_size > 1000


def test_topics_of_a_group_have_its_words(run, models):
    topics = ct.load(models["words"]).topics_
    shown = rows(run("topics", models["words"], "--show", "words", "--at", 1910, "--group", "Whig", "--json"))
    same(shown, ct.analysis.top_words_table(topics, ["1910"], 8, group="Whig"))
    mass = topics.track_mass[topics.track("Whig")].sum(axis=0)
    one = rows(run("topics", models["words"], "--group", "Whig", "--json")).set_index("topic")["share"]
    np.testing.assert_allclose(one[[0, 1]], mass / mass.sum(), rtol=1e-9)
    asked = ("--show", "curves", "--topic", 0, "--word", "liberty", "--at", 1910)
    curves = [rows(run("topics", models["words"], *asked, "--group", x, "--json"))["mean"][0] for x in ("Whig", "Tory")]
    assert curves[0] > 5 * curves[1]
    assert rows(run("topics", models["places"], "--group", 0, "--json"))["share"].sum() == pytest.approx(1)


def test_info_says_which_groups_or_cells_and_how_far_they_differ(run, models):
    text = run("info", models["words"]).stdout
    assert "3 groups of party: (none), Tory, Whig" in text
    assert "of each group's own [Ornstein-Uhlenbeck" in text
    facts = json.loads(run("info", models["words"], "--json").stdout)["tracks"]
    expected = group_differences(ct.load(models["words"])).iloc[-1]
    assert facts["differing"]["sd"] == pytest.approx(expected["sd"])
    assert f"{np.exp(expected['sd']):.2f}" in text
    assert [row["name"] for row in facts["groups"]] == ["(none)", "Tory", "Whig"]
    cells = json.loads(run("info", models["places"], "--json").stdout)["tracks"]["cells"]
    assert all(39 < cell["lat"] < 44 for cell in cells[:3])
    assert cells[3]["lat"] is None
    kernels = run("info", "--kernels").stdout
    assert all(name in kernels for name in ("by(kernel, column)", "space(variance, distance)"))


COMMANDS = (
    ("topics", "MODEL", "TABLE"),
    ("topics", "MODEL", "TABLE", "--show", "shares", "--by", "party", "--periods", "decade"),
    ("topics", "MODEL", "TABLE", "--show", "documents", "--periods", "decade"),
    ("topics", "MODEL", "TABLE", "--show", "unexplained", "--periods", "decade"),
    ("topics", "MODEL", "--show", "curves", "--at", "1905"),
    ("events", "MODEL", "TABLE"),
    ("forecast", "MODEL", "--at", "1925"),
    ("infer", "MODEL", "TABLE"),
    ("report", "MODEL", "TABLE", "--out", "report.html"),
    ("plot", "MODEL", "--topic", 0, "--out", "words.png"),
    ("plot", "MODEL", "--corpus", "TABLE", "--show", "river", "--out", "river.png"),
    ("evaluate", "TABLE", "--model", "MODEL"),
)


@pytest.mark.parametrize("name", ["words", "groups", "places"])
@pytest.mark.slow
def test_every_command_works_on_models_with_groups_and_places(run, models, table, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    given = {"MODEL": models[name], "TABLE": table}
    for command in COMMANDS:
        result = run(*(given.get(part, part) for part in command))
        assert result.exit_code == 0, (command, result.output)
        assert "encountered" not in result.stderr, command  # a warning of NumPy


@pytest.mark.slow
def test_kernels_with_groups_and_places_are_evaluated_and_compared(run, table, tmp_path):
    by, less = BY.replace("by(ou)", "by(ou, party)"), ("--topics", 2, "--epochs", 2)
    for kernel in (by, SPACE):
        how = ("--place", "lat,lon", "--cells", 3) if kernel == SPACE else ()
        result = run("evaluate", table, "--kernel", kernel, *how, *less, "--seeds", "0,1", "--json")
        assert json.loads(result.stdout)["stability"]["similarity"] > 0
    kernels = f"slow drift; {by}; {SPACE}"
    result = run("compare", table, "--kernels", kernels, *less, "--seeds", 0, "--jobs", 1, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    perplexity = pd.read_csv(tmp_path / "out" / "table.csv").set_index("kernel")["perplexity"]
    assert perplexity[by] < perplexity["slow drift"]


@pytest.mark.parametrize(
    "options", [("--words-by", "party"), ("--kernel", BY, "--groups", "party"), ("--kernel", SPACE)]
)
@pytest.mark.slow
def test_models_with_groups_or_places_learn_to_date(run, table, tmp_path, options):
    out = tmp_path / "model.ct"
    assert run("fit", table, *SMALL, *options, "--dating", "--out", out).exit_code == 0
    dated = run("date", out, table, "--json")
    assert dated.exit_code == 0, dated.output
    checked = run("date", out, table, "--check", "--json")
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("fit", "TABLE", "--kernel", BY, "--out", "x.ct"), 'pass --groups "party", or write by(ou, party)'),
        (
            ("fit", "TABLE", "--words-by", "job", "--out", "x.ct"),
            "'job', which is not a column of the corpus' metadata",
        ),
        (("fit", "TABLE", "--place", "lat,lon", "--out", "x.ct"), "the kernel has no space(...)"),
        (("fit", "TABLE", "--cells", 3, "--out", "x.ct"), "the kernel has no space(...)"),
        (("fit", "TABLE", "--kernel", SPACE, "--place", "lon,lat", "--out", "x.ct"), 'pass --place "lat,lon"'),
        (("fit", "TABLE", "--kernel", SPACE, "--on-disk", "x", "--out", "x.ct"), 'as --place "lat,lon"'),
        (("fit", "TABLE", "--kernel", f"{BY} + space", "--out", "x.ct"), "fit one of them at a time"),
        (("contrast", "WORDS", "Whig"), "between two groups, but only 'Whig' is given"),
        (("contrast", "WORDS", "Whig", "x", "--topic", 0), "group is 'x'; expected one of '(none)', 'Tory', 'Whig'"),
        (("contrast", "WORDS", "--at", 1905), "words of one topic; pass --topic 3"),
        (("contrast", "WORDS", "--divergence"), "words of one topic; pass --topic 3"),
        (("contrast", "PLACES", "--topic", 0), "the model has 3 cells; name two of them"),
        (("contrast", "PLAIN", "--words"), "do not differ between groups; fit it with --words-by"),
        (("plot", "PLAIN", "--show", "divergence", "--out", "x.png"), "do not differ between groups; fit it with"),
        (("plot", "PLACES", "--show", "divergence", "--out", "x.png"), "the model has 3 cells; name two of them"),
        (("plot", "WORDS", "--show", "divergence", "--by", "party", "--out", "x.png"), "--by is not for --show div"),
        (("plot", "WORDS", "--show", "divergence", "--between", "Whig", "--out", "x.png"), "names 1 groups; name two"),
        (("plot", "WORDS", "--show", "divergence", "--at", "1905", "--out", "x.png"), "--show map or word-contrast"),
        (("topics", "PLAIN", "--group", "Whig"), "the words of this model do not differ between groups"),
        (("topics", "WORDS", "--group", "x"), "group is 'x'; expected one of"),
        (("topics", "WORDS", "--group", "Whig", "--show", "marks"), "--group is about words"),
    ],
)
def test_what_cannot_work_is_a_sentence(run, models, table, plain, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    paths = {"TABLE": table, "WORDS": models["words"], "PLACES": models["places"], "PLAIN": plain}
    result = run(*(paths.get(argument, argument) for argument in arguments))
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ('pass groups="party", or write by(ou, party).', 'pass --groups "party", or write by(ou, party).'),
        ('seem to be swapped: pass place="lat,lon".', 'seem to be swapped: pass --place "lat,lon".'),
        ("n_cells is 1: there is nothing to compare.", "--cells is 1: there is nothing to compare."),
        ("pass a smaller n_cells or a smaller n_inducing", "pass a smaller --cells or a smaller --nodes"),
        ("Fewer groups or cells (n_cells)", "Fewer groups or cells (--cells)"),
    ],
)
def test_messages_name_options(message, shown):
    assert in_options(message) == shown


@pytest.fixture(scope="module")
def plain(run, table, tmp_path_factory):
    out = tmp_path_factory.mktemp("plain") / "plain.ct"
    assert run("fit", table, *SMALL, "--out", out).exit_code == 0
    return out
