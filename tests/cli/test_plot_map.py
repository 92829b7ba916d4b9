"""chronotope plot --show map: a word of a topic by place, as a picture and as GeoJSON."""

import json

import matplotlib.image
import pytest
from somewhere import PLACES, fitted

from chronotope.analysis import to_geojson, topic_map, word_map


@pytest.fixture(scope="module")
def placed(tmp_path_factory):
    path = tmp_path_factory.mktemp("placed") / "places.ct"
    fitted().save(path)
    return path


@pytest.mark.parametrize(("option", "at"), [("--show", "--at"), ("--kind", "--time")])
def test_a_map_of_a_word_is_a_picture_under_both_names_of_the_options(run, placed, tmp_path, option, at):
    out = tmp_path / "map.png"
    command = ("plot", placed, option, "map", "--topic", 1, "--word", "east", at, "2002", "--out", out)
    result = run(*command)
    assert result.exit_code == 0, result.output
    assert matplotlib.image.imread(out).std() > 0


def test_geojson_holds_the_tables_of_words_and_topics(run, placed, tmp_path):
    out = tmp_path / "map.geojson"
    word = run("plot", placed, "--show", "map", "--topic", 1, "--words", "east", "--at", 2002, "--out", out, "--json")
    assert json.loads(word.stdout) == {"written": [str(out)], "topics": {"places": [1]}}
    assert json.loads(out.read_text(encoding="utf-8")) == to_geojson(word_map(fitted(), 1, "east", 2002))
    assert run("plot", placed, "--show", "map", "--topic", 0, "--out", out, "--force").exit_code == 0
    assert json.loads(out.read_text(encoding="utf-8")) == to_geojson(topic_map(fitted(), 0))


def test_without_a_topic_it_is_the_one_that_is_most_about_the_word(run, placed, tmp_path):
    out = tmp_path / "map.geojson"
    assert run("plot", placed, "--show", "map", "--word", "a", "--out", out).exit_code == 0
    assert len(json.loads(out.read_text(encoding="utf-8"))["features"]) == len(PLACES)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "no topic was given to map; pass --topic 3, --word tornado, or both."),
        (("--word", "a,b"), "--show map is of one word, but 2 are given"),
        (("--topic", 0, "--topic", 1), "--topic is given 2 times, but --show map is of one topic"),
        (("--topic", 0, "--at", "2002"), "--at is for a word; pass --word too"),
        (("--word", "a", "--at", "2001", "--time", "2002"), "--show map is of one time, but 2 are given"),
        (("--topic", 0, "--log"), "--log is not for --show map"),
        (("--topic", 0, "--corpus", "sotu"), "--corpus is not for --show map"),
        (("other.ct", "--topic", 0), "--show map is of one model, but 2 files are given"),
        (("--topic", 5), "topic is 5; expected a number from 0 to 1"),
        (("--topic", 0, "--word", "zebra"), "the word 'zebra' is not among"),
        (("--topic", 0, "--out", "x.csv"), "kind of picture that is not supported"),
    ],
)
def test_what_cannot_be_mapped_is_refused(run, placed, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    out = () if "--out" in arguments else ("--out", "map.geojson")
    result = run("plot", placed, *arguments, "--show", "map", *out)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_other_models_and_other_pictures_have_no_map_and_no_time(run, models, tmp_path):
    result = run("plot", models[0], "--show", "map", "--topic", 0, "--out", tmp_path / "x.png")
    assert "do not differ between places" in " ".join(result.stderr.split())
    result = run("plot", models[0], "--topic", 0, "--at", "1900", "--out", tmp_path / "x.png")
    assert "--at is the time of a map or of contrasting words; pass --show map" in " ".join(result.stderr.split())
