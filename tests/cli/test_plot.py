"""chronotope plot: pictures of saved models."""

import json

import matplotlib.image
import pytest


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
    ],
)
def test_what_cannot_work_is_a_sentence(run, models, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    result = run("plot", models[0], "--out", "x.png", *arguments)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert not list(tmp_path.iterdir())
