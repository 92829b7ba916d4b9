"""The second question is quick: it gives what the first gave, and neither reads nor infers; nothing is ever stale."""

import json
import os
import shutil
import subprocess

import pandas as pd
import pytest

import chronotope as ct
from chronotope.cli import documents
from chronotope.storage.cache import cache_path

USED = "read from model.ct.cache (texts.csv has not changed)"


@pytest.fixture
def here(models, texts, tmp_path, monkeypatch):
    """A folder with model.ct and texts.csv, which has a column of parties, and a burst of the navy in 1909."""
    shutil.copy(models[0], tmp_path / "model.ct")
    table = pd.concat([pd.read_csv(texts)] * 5, ignore_index=True)
    table["party"] = ["whig" if i % 3 else "tory" for i in range(len(table))]
    table.loc[table["date"] == "1909-03-01", "text"] += " navy" * 20
    table.to_csv(tmp_path / "texts.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def work(monkeypatch):
    """What was done the slow way: sources read, and documents inferred."""
    done = []
    read, infer = documents.read_documents, ct.DynamicTopicModel.transform

    def read_documents(source, *given, **options):
        done.append("read")
        return read(source, *given, **options)

    def transform(model, *given):
        done.append("inferred")
        return infer(model, *given)

    monkeypatch.setattr(documents, "read_documents", read_documents)
    monkeypatch.setattr(ct.DynamicTopicModel, "transform", transform)
    return done


QUESTIONS = {
    "shares": ("topics", "model.ct", "texts.csv", "--show", "shares", "--by", "party"),
    "documents": ("topics", "model.ct", "texts.csv", "--show", "documents"),
    "events": ("events", "model.ct", "texts.csv"),
    "infer": ("infer", "model.ct", "texts.csv"),
    "evaluate": ("evaluate", "texts.csv", "--model", "model.ct"),
}


def asked(run, question, *options):
    answer = run(*question, *options)
    assert answer.exit_code == 0, answer.output
    return answer


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_second_answer_is_the_first_without_reading_or_inferring(run, here, work, name):
    without = asked(run, QUESTIONS[name], "--json", "--no-cache").stdout
    assert not cache_path("model.ct").exists()
    first = asked(run, QUESTIONS[name], "--json")
    work.clear()
    second = asked(run, QUESTIONS[name], "--json")
    assert work == []
    assert without == first.stdout == second.stdout
    assert USED not in first.stderr
    assert USED in second.stderr


def test_one_question_helps_all_others(run, here, work):
    asked(run, QUESTIONS["events"])
    work.clear()
    for name in ("documents", "shares", "infer"):
        asked(run, QUESTIONS[name])
    assert work == []


@pytest.mark.slow
def test_reports_and_pictures_are_the_same_from_what_is_kept(run, here, work):
    pictures = [("plot", "model.ct", "--corpus", "texts.csv", "--show", show) for show in ("river", "events")]
    for question in (("report", "model.ct", "texts.csv"), *pictures):
        found = []
        for name, options in (("a", ["--no-cache"]), ("b", []), ("c", [])):
            work.clear()
            asked(run, question, "--out", f"{name}{'.html' if question[0] == 'report' else '.png'}", *options)
            found.append(next(here.glob(f"{name}.*")).read_bytes())
        assert work == []
        assert found[0] == found[1] == found[2]
        for name in "abc":
            next(here.glob(f"{name}.*")).unlink()


def test_a_report_with_another_title_differs_in_nothing_else(run, here):
    for title in ("Erste Seite", "Andere Seite"):
        asked(run, ("report", "model.ct", "texts.csv", "--out", f"{title}.html", "--title", title))
    first, other = ((here / f"{title}.html").read_text() for title in ("Erste Seite", "Andere Seite"))
    assert first.replace("Erste Seite", "Andere Seite") == other


def test_a_change_of_the_texts_is_seen_also_if_size_and_date_stay(run, here, work):
    before = asked(run, QUESTIONS["shares"]).stdout
    path = here / "texts.csv"
    date, content = path.stat(), path.read_text()
    path.write_text(content.replace("wheat", "enemy"))
    os.utime(path, ns=(date.st_atime_ns, date.st_mtime_ns))
    assert path.stat().st_size == date.st_size
    work.clear()
    after = asked(run, QUESTIONS["shares"]).stdout
    assert work == ["read", "inferred"]
    assert after != before
    path.write_text(content)
    os.utime(path, (0, 0))
    assert asked(run, QUESTIONS["shares"]).stdout == before


def test_another_date_of_the_same_texts_does_not_matter(run, here, work):
    asked(run, QUESTIONS["shares"])
    os.utime("texts.csv", (0, 0))
    work.clear()
    asked(run, QUESTIONS["shares"])
    assert work == []


@pytest.mark.parametrize("option", [("--from", "1905"), ("--limit", "40"), ("--text", "text"), ("--format", "csv")])
def test_other_options_of_reading_are_another_corpus(run, here, work, option):
    before = asked(run, QUESTIONS["infer"]).stdout
    work.clear()
    first = asked(run, QUESTIONS["infer"], *option).stdout
    assert work == ["read", "inferred"]
    assert asked(run, QUESTIONS["infer"], *option).stdout == first
    assert asked(run, QUESTIONS["infer"]).stdout == before
    assert work == ["read", "inferred"]


def test_another_model_in_the_same_file_is_another_question(run, here, models, work):
    asked(run, QUESTIONS["infer"])
    shutil.copy(models[1], "model.ct")
    work.clear()
    answer = asked(run, QUESTIONS["infer"]).stdout
    assert work == ["read", "inferred"]
    assert answer == asked(run, QUESTIONS["infer"], "--no-cache").stdout


def test_a_fit_forgets_what_was_kept_for_the_model_before(run, here):
    asked(run, QUESTIONS["infer"])
    asked(run, ("fit", "texts.csv", "--out", "model.ct", "--topics", 2, "--epochs", 1, "--force"))
    assert not cache_path("model.ct").exists()


def test_events_with_other_arguments_are_computed_anew(run, here, work):
    few, many = QUESTIONS["events"], (*QUESTIONS["events"], "--factor", "3", "--documents", "1")
    first = asked(run, few).stdout
    assert "navy" in first
    work.clear()
    assert asked(run, many).stdout == asked(run, many, "--no-cache").stdout != first
    assert asked(run, few).stdout == first
    assert work == ["read", "inferred"]  # without the cache


@pytest.mark.parametrize("part", ["corpus", "shares", "index"])
@pytest.mark.parametrize("content", [b"", b"x" * 1000, None])
def test_what_is_damaged_is_ignored_with_a_note_and_replaced(run, here, work, part, content):
    first = asked(run, QUESTIONS["infer"]).stdout
    path = next(cache_path("model.ct").rglob(f"{part}.*"))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if content is None else content)
    again = asked(run, QUESTIONS["infer"])
    assert again.stdout == first
    assert part == "index" or "model.ct.cache was not used" in again.stderr
    work.clear()
    asked(run, QUESTIONS["infer"])
    assert work == []


def test_a_command_goes_on_where_nothing_can_be_kept(run, here):
    first = asked(run, QUESTIONS["infer"], "--no-cache").stdout
    cache_path("model.ct").write_text("a file of somebody else")
    answer = asked(run, QUESTIONS["infer"])
    assert answer.stdout == first
    assert answer.stderr.count("not kept in model.ct.cache") == 1
    assert asked(run, QUESTIONS["infer"], "--quiet").stderr == ""
    assert cache_path("model.ct").read_text() == "a file of somebody else"


def test_standard_input_is_not_kept(run, here):
    answer = run("infer", "model.ct", "-", stdin=(here / "texts.csv").read_text())
    assert answer.exit_code == 0
    assert not cache_path("model.ct").exists()


def test_of_a_git_history_the_topics_are_kept_until_there_is_another_commit(run, here, work):
    repository = here / "history"

    def commit(message, *options):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        change = ("commit", "-q", "--allow-empty", "-m", message, *options)
        subprocess.run(["git", "-C", repository, *who, *change], check=True)

    subprocess.run(["git", "init", "-q", repository], check=True)
    commit("war army battle", "--date", "1990-01-01T00:00:00")
    commit("wheat corn market", "--date", "1995-01-01T00:00:00")
    question = ("infer", "model.ct", "history")
    first = asked(run, question).stdout
    assert work == ["read", "inferred"]
    assert asked(run, question).stdout == first
    assert work == ["read", "inferred", "read"]
    commit("navy battle", "--date", "1996-01-01T00:00:00")
    assert asked(run, question).stdout != first
    assert work[-2:] == ["read", "inferred"]


def test_of_counts_on_disk_only_the_topics_are_kept(run, here, work):
    ct.read_corpus("texts.csv").save("counts")
    question = ("infer", "model.ct", "counts")
    first = asked(run, question).stdout
    assert {path.stem for path in cache_path("model.ct").rglob("*.part")} == {"shares"}
    work.clear()
    assert asked(run, question).stdout == first
    assert work == ["read"]


def test_texts_of_large_sources_are_kept_only_when_they_are_needed(run, here, work, monkeypatch):
    monkeypatch.setattr(documents, "TEXTS", 10)
    asked(run, QUESTIONS["infer"])
    assert not list(cache_path("model.ct").rglob("texts.part"))
    first = asked(run, QUESTIONS["documents"]).stdout
    assert work == ["read", "inferred", "read"]
    assert asked(run, QUESTIONS["documents"]).stdout == first
    assert work == ["read", "inferred", "read"]


def test_a_column_that_cannot_be_kept_is_named_and_the_topics_are_kept_all_the_same(run, here, work):
    table = pd.read_csv("texts.csv")
    table["sent"] = pd.to_datetime(table["date"]).dt.date
    table.to_parquet("texts.parquet")
    question = ("infer", "model.ct", "texts.parquet", "--time", "date")
    answer = asked(run, question)
    assert (
        "not kept in model.ct.cache for the next command: the column 'sent' holds values of type date" in answer.stderr
    )
    work.clear()
    assert asked(run, question).stdout == answer.stdout
    assert work == ["read"]


def test_a_loss_is_refused_also_from_what_is_kept(run, here):
    table = pd.read_csv("texts.csv")
    table.loc[10:, "date"] = "n/a"
    table.to_csv("texts.csv", index=False)
    question = (*QUESTIONS["infer"], "--time", "date", "--text", "text")
    asked(run, question, "--allow-loss")
    assert run(*question).exit_code == 2
    assert USED in asked(run, question, "--allow-loss").stderr


def test_info_says_what_is_kept_and_how_large_it_is(run, here):
    assert "cache" not in run("info", "model.ct").stdout
    asked(run, QUESTIONS["infer"])
    assert "model.ct.cache, 1 MB: texts.csv; safe to delete" in run("info", "model.ct").stdout
    kept = json.loads(run("info", "model.ct", "--json").stdout)["cache"]
    assert kept["names"] == ["texts.csv"]
    assert kept["bytes"] == sum(path.stat().st_size for path in cache_path("model.ct").rglob("*") if path.is_file())


def test_the_library_writes_nothing_beside_the_model(here):
    model, corpus = ct.load("model.ct"), ct.read_corpus("texts.csv")
    ct.analysis.topic_shares(model, corpus)
    assert not cache_path("model.ct").exists()


@pytest.mark.parametrize("command", ["infer", "report", "topics", "events", "forecast"])
def test_neither_the_corpus_nor_the_model_is_replaced(run, models, texts, tmp_path, command):
    copy = tmp_path / "texts.csv"
    copy.write_bytes(texts.read_bytes())
    result = run(command, models[0], copy, "--out", copy, "--force")
    assert result.exit_code == 2
    assert "--out and the corpus are the same file" in result.stderr
    assert copy.read_bytes() == texts.read_bytes()
    if command == "report":
        assert (
            "--out and the model are the same file"
            in run(command, models[0], copy, "--out", models[0], "--force").stderr
        )


def test_links_of_a_folder_are_followed_on_the_command_line(run, tmp_path):
    (tmp_path / "letters").mkdir()
    for year in range(1900, 1910):
        (tmp_path / f"{year}.txt").write_text("war army navy battle")
        (tmp_path / "letters" / f"{year}.txt").symlink_to(tmp_path / f"{year}.txt")
    refused = run("fit", tmp_path / "letters", "--topics", 1, "--dry-run")
    assert refused.exit_code == 2
    assert "10 links out of it were not followed; follow them with --follow-links" in refused.stderr
    assert run("fit", tmp_path / "letters", "--topics", 1, "--dry-run", "--follow-links").exit_code == 0
