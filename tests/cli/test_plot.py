"""chronotope plot: pictures of saved models."""

import json

import matplotlib.image
import pandas as pd
import pytest

import chronotope as ct
from chronotope import analysis


@pytest.mark.parametrize(
    "arguments",
    [
        ("--topic", 1),
        ("--theme", "war,army"),
        ("--words", "war,wheat", "--log"),
        ("--topic", 0, "--words", "corn", "--level", 0.5),
        ("--bound",),
    ],
)
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.slow
def test_a_picture_is_written(run, models, tmp_path, arguments, several):
    out = tmp_path / "picture.png"
    result = run("plot", *models[: 1 + several], *arguments, "--out", out)
    assert result.exit_code == 0, result.output
    assert matplotlib.image.imread(out).std() > 0


def test_a_picture_that_is_there_is_replaced_only_by_force_and_json_names_it(run, models, tmp_path):
    out = tmp_path / "picture.svg"
    out.write_text("precious", encoding="utf-8")
    command = ("plot", models[0], "--topic", 1, "--out", out, "--json", "--quiet")
    assert run(*command).exit_code == 2
    assert out.read_text(encoding="utf-8") == "precious"
    assert json.loads(run(*command, "--force").stdout) == {
        "written": [str(out)],
        "topics": {models[0].stem: 1},
    }


def test_the_theme_is_found_in_each_model_under_its_own_number(run, models, tmp_path, monkeypatch):
    drawn = {}

    def watch(topics, chosen, words, **options):
        drawn.update(topics=topics, chosen=chosen, words=words)
        raise ValueError("seen")

    monkeypatch.setattr("chronotope.plots.compare_trajectories", watch)
    run("plot", *models, "--theme", "wheat,corn", "--out", tmp_path / "x.png")
    assert list(drawn["chosen"]) == ["ou", "wiener"]
    for name, topic in drawn["chosen"].items():
        assert drawn["topics"][name].top_words(topic, n=1)[0][0] in (
            "wheat",
            "corn",
            "farm",
            "market",
            "price",
            "harvest",
        )
    assert drawn["words"][0] == "wheat"


def test_models_of_one_name_are_told_apart_by_their_folders(run, models, tmp_path):
    twin = tmp_path / models[0].name
    twin.write_bytes(models[1].read_bytes())
    assert run("plot", models[0], twin, "--bound", "--out", tmp_path / "x.svg").exit_code == 0
    assert str(tmp_path) in (tmp_path / "x.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "no topic was given to draw"),
        (("--topic", 9), "topic is 9; expected a number from 0 to 1"),
        (("--theme", "nowhere"), "none of the words nowhere is in the model's vocabulary"),
        (("--topic", 0, "--words", "nowhere"), "the word 'nowhere' is not among"),
        (("--topic", 0, "--out", "missing/x.png"), "there is no folder 'missing'"),
        (("--topic", 0, "--out", "x.unknown"), "not supported"),
        (("--topic", 0, "--out", "x"), "it has to end in .png"),
        (("--topic", 0, "--topic", 1), "--topic is given 2 times"),
        (("--topic", 0, "--corpus", "sotu"), "--corpus is about documents; pass --show shares"),
        (("--topic", 0, "--from", "1900"), "--from is about documents"),
        (("--topic", 0, "--by", "side"), "--by is about documents"),
        (("--show", "shares"), "--show shares is about documents; pass the corpus, as --corpus texts.csv"),
        (
            ("texts.csv", "--show", "river"),
            "--show river is of one model, but 2 files are given; name the corpus by --c",
        ),
        (("--show", "shares", "--corpus", "sotu", "--words", "war"), "--words is not for --show shares"),
        (("--show", "events", "--corpus", "sotu", "--bound"), "--bound is not for --show events"),
        (("--show", "river", "--corpus", "sotu", "--by", "party"), "pass --show shares or contrast, not river"),
        (("--show", "shares", "--corpus", "sotu", "--between", "a,b"), "pass --show contrast, not shares"),
        (("--show", "contrast", "--corpus", "sotu", "--by", "party", "--topic", 0), "as --topic 3 --by party --bet"),
        (("--topic", 0, "--between", "a,b"), "--between is about documents"),
        (("--show", "events", "--corpus", "sotu", "--periods", "decade"), "--periods is for shares and rivers"),
        (("--show", "shares", "--corpus", "sotu", "--topic", 2), "topic is 2; expected a number from 0 to 1"),
        (("--show", "shares", "--corpus", "sotu", "--out", "x.unknown"), "not supported"),
        (("--show", "shares", "--corpus", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_cannot_work_is_a_sentence(run, models, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    result = run("plot", models[0], "--out", "x.png", *arguments)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.fixture
def drawn(monkeypatch):
    """The figure that was written last."""
    figures = {}
    save = matplotlib.figure.Figure.savefig

    def watch(figure, path, **options):
        figures["last"] = figure
        save(figure, path, **options)

    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", watch)
    return figures


@pytest.fixture(scope="module")
def grouped(texts, tmp_path_factory):
    """The texts with a column of groups: away has none before 1910."""
    table = pd.read_csv(texts).assign(side="home")
    table.loc[table.index[30::3], "side"] = "away"
    path = tmp_path_factory.mktemp("grouped") / "grouped.csv"
    table.to_csv(path, index=False)
    return path


def test_lines_of_prevalence_are_the_table_of_the_library(run, models, texts, tmp_path, drawn):
    out = tmp_path / "shares.png"
    asked = ("--show", "shares", "--periods", "5 years", "--from", "1905", "--json", "--quiet")
    result = run("plot", models[0], "--corpus", texts, *asked, "--out", out)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"written": [str(out)], "topics": {"ou": [0, 1]}}
    assert matplotlib.image.imread(out).std() > 0
    model = ct.load(models[0])
    table = analysis.topic_shares(model, ct.read_corpus(texts, start="1905"), "5 years")
    (ax,) = drawn["last"].axes
    assert [line.get_label() for line in ax.get_lines()] == analysis.topic_names(model)
    for k, line in enumerate(ax.get_lines()):
        assert line.get_ydata().tolist() == pytest.approx(table[table["topic"] == k]["share"].tolist())
    assert len(ax.get_lines()[0].get_ydata()) == 3
    assert ax.get_title(loc="left") == "ou: prevalence of topics"


def test_groups_have_panels_with_gaps(run, models, grouped, tmp_path, drawn):
    asked = ("--show", "shares", "--by", "side", "--topic", 1, "--topic", 0, "--periods", "5 years")
    result = run("plot", models[0], "--corpus", grouped, *asked, "--out", tmp_path / "x.svg", "--json")
    assert json.loads(result.stdout)["topics"] == {"ou": [1, 0]}
    names = analysis.topic_names(ct.load(models[0]))
    assert [ax.get_title(loc="left") for ax in drawn["last"].axes] == [names[1], names[0]]
    legend = drawn["last"].legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["away", "home"]
    assert legend.get_title().get_text() == "ou: prevalence of topics by side"
    away, home = (line.get_ydata() for line in drawn["last"].axes[0].get_lines())
    assert pd.isna(away).tolist() == [True, True, False, False]
    assert not pd.isna(home).any()


def test_a_contrast_is_the_difference_of_two_groups(run, models, grouped, tmp_path, drawn):
    asked = ("--show", "contrast", "--by", "side", "--between", "home,away", "--topic", 1, "--periods", "5 years")
    result = run("plot", models[0], "--corpus", grouped, *asked, "--out", tmp_path / "x.svg", "--json")
    assert json.loads(result.stdout)["topics"] == {"ou": [1]}
    model = ct.load(models[0])
    table = analysis.topic_shares(model, ct.read_corpus(grouped), "5 years", by="side")
    home, away = (table[(table["group"] == side) & (table["topic"] == 1)]["share"] for side in ("home", "away"))
    (ax,) = drawn["last"].axes
    line = next(line for line in ax.get_lines() if len(line.get_ydata()) == len(home))
    expected = home.to_numpy() - away.to_numpy()
    assert line.get_ydata().tolist() == pytest.approx(expected.tolist(), nan_ok=True)
    assert ax.get_title(loc="left") == f"ou: {analysis.topic_names(model)[1]}, by side"


def test_a_river_has_a_band_for_each_topic_asked_for(run, models, texts, tmp_path, drawn):
    common = ("plot", models[0], "--corpus", texts, "--show", "river", "--force", "--out", tmp_path / "x.svg")
    assert run(*common).exit_code == 0
    assert len(drawn["last"].axes[0].collections) == 2 + 2  # others below and above
    assert run(*common, "--topic", 1).exit_code == 0
    assert len(drawn["last"].axes[0].collections) == 2 + 1


def test_events_are_those_of_the_topics_asked_for(run, models, texts, tmp_path, drawn, monkeypatch):
    rows = [(k, "words", 1900.0 + i, 1900.5 + i, 1901.0 + i, 50.0 - i) for i in range(30) for k in (0, 1)]
    found = pd.DataFrame(rows, columns=["topic", "kind", "start", "peak", "end", "strength"])
    found["words"] = [["war"]] * len(found)
    monkeypatch.setattr("chronotope.analysis.find_events", lambda model, corpus, **options: found)
    common = (
        "plot",
        models[0],
        "--corpus",
        texts,
        "--show",
        "events",
        "--force",
        "--out",
        tmp_path / "x.svg",
        "--no-cache",
    )
    assert json.loads(run(*common, "--json").stdout)["topics"] == {"ou": [0, 1]}
    assert drawn["last"].get_suptitle() == "ou: the 25 strongest of 60 events"
    assert json.loads(run(*common, "--topic", 1, "--json").stdout)["topics"] == {"ou": [1]}
    names = analysis.topic_names(ct.load(models[0]))
    assert {label.get_text() for label in drawn["last"].axes[0].get_yticklabels()} == {names[1]}
    assert drawn["last"].get_suptitle() == "ou: the 25 strongest of 30 events"


def test_events_of_the_documents_are_drawn(run, models, texts, tmp_path, drawn):
    result = run("plot", models[0], "--corpus", texts, "--show", "events", "--out", tmp_path / "x.png", "--quiet")
    assert result.exit_code == 0, result.output
    events = analysis.find_events(ct.load(models[0]), ct.read_corpus(texts))
    assert len(drawn["last"].axes[0].patches) == len(events)
    assert drawn["last"].get_suptitle() == "ou: events"
