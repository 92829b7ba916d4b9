"""Questions to a saved model: topics, infer, events, forecast, report. The tables are those of the library."""

import json

import numpy as np
import pandas as pd
import pytest
from subjects import TOPICS, planted_subjects, with_subjects

import chronotope as ct
from chronotope import analysis as answers
from chronotope.storage.model_file import MODEL


@pytest.fixture(scope="module")
def model(models):
    return models[0]


def rows(result, name="rows"):
    assert result.exit_code == 0, result.output
    return pd.DataFrame(json.loads(result.stdout)[name])


def same(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9)


def test_topics_at_a_glance(run, model):
    result = run("topics", model)
    assert result.exit_code == 0, result.output
    assert "in 1900-03-01" in result.stdout
    assert len(result.stdout.splitlines()) == 3
    assert json.loads(run("topics", model, "--json").stdout)["rows"][0]["share"] >= 0.5


def test_tables_of_words_are_those_of_the_library(run, model):
    learned = ct.load(model)
    words = run("topics", model, "--show", "words", "--at", "1900,1910-06-01", "--words", 3, "--json")
    same(rows(words), answers.top_words_table(learned, ["1900", "1910-06-01"], 3))
    curves = run("topics", model, "--show", "curves", "--topic", 1, "--word", "war,corn", "--at", "1905", "--json")
    same(rows(curves), answers.trajectory_table(learned, {1: ["war", "corn"]}, ["1905"]))
    text = run("topics", model, "--show", "words", "--at", "1900", "--words", 3).stdout.splitlines()
    assert len(text) == 3
    assert text[1].split()[:2] == ["0", "1900-01-01"]


def test_in_a_pipe_nothing_is_cut(run, model, texts, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    words = run("topics", model, "--show", "words", "--at", "1900", "--words", 12).stdout.splitlines()
    assert [len(line.split()) for line in words] == [3, 14, 14]
    documents = run("topics", model, texts, "--show", "documents", "--periods", "decade").stdout.splitlines()
    assert documents[0].split()[-1] == "text"
    written = {line.partition(",")[2] for line in texts.read_text(encoding="utf-8").splitlines()}
    assert all(any(line.endswith(text) for text in written) for line in documents)


def test_tables_of_documents_are_those_of_the_library(run, model, texts, tmp_path):
    learned, corpus = ct.load(model), ct.read_corpus(texts)
    shares = run("topics", model, texts, "--show", "shares", "--periods", "5 years", "--json")
    same(rows(shares), answers.topic_shares(learned, corpus, "5 years"))
    pivot = run("topics", model, texts, "--show", "shares", "--periods", "decade").stdout.splitlines()
    assert pivot[0].split() == ["period", "documents", "tokens", "topic", "0", "topic", "1"]
    decades = answers.topic_shares(learned, corpus, "decade")
    assert len(pivot) == 1 + 2
    for line, (name, part) in zip(pivot[1:], decades.groupby("period", sort=False), strict=True):
        assert line.startswith(str(name))
        np.testing.assert_allclose([float(cell) for cell in line.split()[-2:]], part["share"], atol=0.005)
    grouped = tmp_path / "grouped.csv"
    parts = ["home,", "home,", "away,"] * 20
    lines = texts.read_text(encoding="utf-8").splitlines()
    grouped.write_text("\n".join(map("".join, zip(["side,", *parts], lines, strict=True))), encoding="utf-8")
    by_side = run("topics", model, grouped, "--show", "shares", "--periods", "decade", "--by", "side")
    assert [line.split()[0] for line in by_side.stdout.splitlines()] == ["group", "away", "away", "home", "home"]
    assert "it has 'side'" in run("topics", model, grouped, "--show", "shares", "--by", "party").stderr
    assert "pass --show shares" in run("topics", model, texts, "--show", "documents", "--by", "side").stderr
    out = tmp_path / "documents.parquet"
    shown = ("--show", "documents", "--periods", "decade", "--documents", 1, "--topic", 1)
    result = run("topics", model, texts, *shown, "--out", out)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    found = pd.read_parquet(out)
    assert found["topic"].tolist() == [1, 1]
    assert found["text"].str.split().str.len().tolist() == [30, 30]


def test_relations_marks_and_what_is_unexplained_are_those_of_the_library(run, model, texts):
    learned, corpus = ct.load(model), ct.read_corpus(texts)
    same(rows(run("topics", model, "--show", "related", "--json")), answers.related_topics(learned, n=3))
    related = run("topics", model, texts, "--show", "related", "--topic", 1, "--json")
    same(rows(related), answers.related_topics(learned, corpus, 3).iloc[1:].reset_index(drop=True))
    same(rows(run("topics", model, texts, "--show", "marks", "--json")), answers.topic_marks(learned, corpus))
    shown = ("--periods", "decade", "--documents", 2, "--json")
    documents = rows(run("topics", model, texts, "--show", "unexplained", *shown))
    assert documents.to_dict("records") == answers.unexplained_documents(learned, corpus, "decade", 2).to_dict(
        "records"
    )
    words = rows(run("topics", model, texts, "--show", "unexplained-words", "--periods", "decade", "--json"))
    assert words.to_dict("records") == answers.unexplained_words(learned, corpus, "decade", 8).to_dict("records")


def test_on_the_screen_related_topics_are_named_and_marks_are_told(run, model, texts):
    text = run("topics", model, "--show", "related").stdout.splitlines()
    assert text[0].split() == ["topic", "other", "similarity", "words"]
    assert text[1].startswith(answers.topic_names(ct.load(model))[0])
    assert run("topics", model, texts, "--show", "marks").stdout == "no topic is marked\n"
    marks = run("topics", model, "--show", "marks")
    assert marks.stdout == "no topic is marked\n"
    assert "pass the corpus after the model" in marks.stderr
    assert "pass the corpus" not in run("topics", model, texts, "--show", "marks").stderr
    assert "remove --topic" in run("topics", model, texts, "--show", "unexplained", "--topic", 1).stderr
    assert "pass the corpus after the model" in run("topics", model, "--show", "unexplained").stderr


@pytest.mark.slow
def test_the_overview_says_the_mark_of_a_topic(run, tmp_path):
    corpus = planted_subjects()
    subjects, path = with_subjects(corpus), tmp_path / "subjects.ct"
    subjects.save(path)
    folder = tmp_path / "corpus"
    corpus.save(folder)
    text = run("topics", path, folder).stdout.splitlines()
    assert text[0].split()[-1] == "mark"
    assert [line.split()[0] for line in text if line.endswith("register")] == [str(TOPICS.index("speech"))]
    told = run("topics", path, folder, "--show", "marks").stdout
    assert "Words of a few documents: half of it is in 2 of 450." in told
    assert "mark" not in run("topics", path).stdout.splitlines()[0].split()


def test_infer_gives_the_shares_of_new_documents(run, model, tmp_path):
    path, out = tmp_path / "new.csv", tmp_path / "shares.csv"
    path.write_text(
        "when,what,name\n1905-01-01,The WAR and the zebras army,a\n1950-01-01,wheat corn farm,b\n1906-01-01,zebra,c\n",
        encoding="utf-8",
    )
    result = run("infer", model, path, "--id", "name", "--out", out)
    assert result.exit_code == 0, result.output
    assert "71% of the tokens are words of the model" in result.stderr
    assert "1 of 3 documents have no word of the model" in result.stderr
    table = pd.read_csv(out)
    assert table["id"].tolist() == ["a", "b", "c"]
    assert table[["known", "unknown"]].to_numpy().tolist() == [[2, 1], [3, 0], [0, 1]]
    shares = table[["topic0", "topic1"]].to_numpy()
    np.testing.assert_allclose(shares[:2].sum(axis=1), 1.0, rtol=1e-9)
    assert np.isnan(shares[2]).all()
    assert shares[0].argmax() != shares[1].argmax()
    as_json = json.loads(run("infer", model, path, "--json", "--quiet").stdout)
    assert as_json["without_known_words"] == 1
    assert as_json["rows"][2]["topic0"] is None


@pytest.fixture(scope="module")
def burst(tmp_path_factory):
    """Forty years of war and wheat, with a comet in 1910; texts, and a model of them."""
    folder = tmp_path_factory.mktemp("burst")
    rng = np.random.default_rng(0)
    lines = ["date,text"]
    for year in range(1890, 1930):
        for _ in range(3):
            comet = "comet " * (30 if year == 1910 else 0)
            lines.append(f"{year}-05-01,{comet}{' '.join(rng.choice(['war', 'wheat', 'corn', 'army', 'comet'], 20))}")
    (folder / "texts.csv").write_text("\n".join(lines), encoding="utf-8")
    corpus = ct.read_corpus(folder / "texts.csv")
    model = ct.DynamicTopicModel(1, "events", max_epochs=5, n_threads=1, verbose=False).fit(corpus)
    model.save(folder / "model.ct")
    return folder / "model.ct", folder / "texts.csv"


def test_events_are_those_of_the_library(run, burst, tmp_path):
    model, texts = burst
    learned, corpus = ct.load(model), ct.read_corpus(texts)
    asked = ("--factor", 1.5, "--probability", 0.5)
    expected = answers.find_events(learned, corpus, factor=1.5, probability=0.5)
    assert expected["words"][0] == ["comet"]
    found = rows(run("events", model, texts, *asked, "--json"), "events")
    same(found.drop(columns="documents"), expected.drop(columns="documents"))
    assert found["documents"][0] == [str(corpus.ids[row]) for row in expected["documents"][0]]
    assert run("events", model, *asked, "--out", tmp_path / "events.csv").exit_code == 0
    assert "documents" not in pd.read_csv(tmp_path / "events.csv").columns
    assert run("events", model, "--factor", 50).stdout == "nothing\n"


def test_forecasts_are_those_of_the_library(run, model):
    learned = ct.load(model)
    same(
        rows(run("forecast", model, "--at", "1925", "--words", 4, "--json")),
        answers.forecast_words(learned, ["1925"], n=4),
    )
    some = run("forecast", model, "--at", "1925", "--topic", 1, "--word", "war", "--json")
    same(rows(some), answers.forecast_words(learned, ["1925"], {1: ["war"]}))
    ahead = rows(run("forecast", model, "--json"))
    assert ahead["time"].nunique() == 3
    assert ahead["time"].min() > learned.topics_.span[1]


def test_forecasts_can_be_checked_against_the_past(run, model, texts):
    result = run("forecast", model, texts, "--check", "2 years,5 years")
    assert result.exit_code == 0, result.output
    assert [line.split("  ")[0] for line in result.stdout.splitlines()] == ["horizon", "2 years", "5 years"]


def test_forecasts_of_shares_are_those_of_the_library(run, model, texts, tmp_path):
    learned, corpus = ct.load(model), ct.read_corpus(texts)
    expected = answers.forecast_shares(learned, corpus, 3, periods="year", level=0.8)
    asked = ("forecast", model, texts, "--show", "shares", "--periods", "year", "--level", 0.8)
    same(rows(run(*asked, "--json")), expected)
    one = rows(run(*asked, "--topic", 1, "--at", "1923", "--json"))
    assert one["topic"].tolist() == [1]
    assert one["period"].tolist() == ["1923"]
    shown = run(*asked)
    assert shown.stdout.splitlines()[0].split() == ["period", "topic", "share", "low", "high"]
    assert run(*asked, "--out", tmp_path / "shares.csv").exit_code == 0
    assert list(pd.read_csv(tmp_path / "shares.csv").columns) == list(expected.columns)


@pytest.mark.slow
def test_forecasts_of_shares_can_be_checked_against_the_past(run, model, texts):
    result = run("forecast", model, texts, "--show", "shares", "--check", "1 year,4 years", "--json")
    assert result.exit_code == 0, result.output
    table = rows(result)
    assert table["horizon"].tolist() == ["1 year", "4 years"]
    assert {"error", "last_value", "mean", "coverage"} <= set(table.columns)


def test_a_report_is_written(run, model, texts, tmp_path):
    out = tmp_path / "report.html"
    result = run("report", model, texts, "--out", out, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"written": [str(out)]}
    assert result.stderr == ""
    assert "<html" in out.read_text(encoding="utf-8")


def test_links_and_the_documents_to_search_are_options_of_a_report(run, model, texts, tmp_path):
    out = tmp_path / "report.html"
    link = "https://archive.example/{id}"
    result = run("report", model, texts, "--out", out, "--link", link, "--search-documents", 7, "--quiet")
    assert result.exit_code == 0, result.output
    page = out.read_text(encoding="utf-8")
    assert "7 of 60 documents can be searched here" in page
    assert '"https://archive.example/' in page
    result = run("report", model, texts, "--out", out, "--search-documents", 0, "--force", "--quiet")
    assert result.exit_code == 0, result.output
    assert "can be searched here" not in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("topics", "MODEL", "--show", "shares"), "pass the corpus after the model"),
        (("topics", "MODEL", "TEXTS", "--show", "words"), "does not need the corpus; remove"),
        (("topics", "MODEL", "--topic", 7), "topic is 7; expected a number from 0 to 1"),
        (("topics", "MODEL", "--show", "words", "--at", "soon"), "could not be read"),
        (("topics", "MODEL", "--out", "x.xlsx"), "does not end in .csv or .parquet"),
        (("topics", "MODEL", "--show", "rivers"), "rivers"),
        (("infer", "MODEL", "nowhere.csv"), "there is no file or folder 'nowhere.csv'"),
        (("infer", "TEXTS", "TEXTS"), "cannot be read as a model"),
        (("events", "MODEL", "--factor", 0.5), "factor is 0.5"),
        (("forecast", "MODEL", "--at", "1901"), "pass times after that"),
        (("forecast", "MODEL", "--check", "1 year"), "pass the corpus after the model"),
        (
            ("forecast", "MODEL", "--show", "shares"),
            "--show shares is about documents; pass the corpus after the model",
        ),
        (("forecast", "MODEL", "TEXTS", "--show", "shares", "--at", "1901"), "pass times from there on"),
        (("forecast", "MODEL", "TEXTS", "--show", "shares", "--word", "war"), "--word is about the words of topics"),
        (("forecast", "MODEL", "--periods", "year"), "--periods are those of shares"),
        (("report", "MODEL", "TEXTS", "--out", "nowhere/report.html"), "there is no folder 'nowhere'"),
        (("report", "MODEL", "TEXTS", "--link", "page"), "has no column 'page' for --link"),
        (
            ("report", "MODEL", "TEXTS", "--link", "javascript:{id}"),
            "expected one such as 'https://archive.example/{id}'",
        ),
    ],
)
def test_what_cannot_work_is_a_sentence(run, model, texts, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    result = run(*({"MODEL": model, "TEXTS": texts}.get(argument, argument) for argument in arguments))
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


def test_other_words_than_the_models_are_a_sentence(run, model, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("date,text\n1905,zebra zebra\n", encoding="utf-8")
    result = run("infer", model, path)
    assert result.exit_code == 2
    assert "is it in the same language" in result.stderr


def test_a_model_of_another_version_is_a_sentence(run, tmp_path, model, monkeypatch):
    monkeypatch.setattr("chronotope.storage.model_file.MODEL", MODEL._replace(format=99))
    result = run("topics", model)
    assert result.exit_code == 2
    assert "Install that version to read it" in result.stderr
