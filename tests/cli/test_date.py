"""chronotope date: texts without dates, dates that are known roughly, and given ones that are hard to believe."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

VOCABULARY = [f"{a}{b}rus" for a in "bcdfgh" for b in "aeiou"]  # the first are of 1900, the last of 1939


def text(rng, year):
    rate = np.exp(-0.5 * ((year - np.linspace(1898, 1942, 30)) / 4.0) ** 2) + 0.01
    return " ".join(rng.choice(VOCABULARY, 25, p=rate / rate.sum()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables of dated, wrongly dated and undated texts, and a model that has learned to date."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("dating")
    years = rng.integers(1900, 1940, 300)
    dated = [(i, year, text(rng, year)) for i, year in enumerate(years)]
    early = np.flatnonzero(years < 1905)[:2]
    wrong = [(i, year + 34 if i in early else year, words) for i, year, words in dated]
    (folder / "early.txt").write_text(" ".join(map(str, early)))
    asked = [(f"a{i}", date, text(rng, year)) for i, (year, date) in enumerate([(1910, "?"), (1930, "1930s")])]
    for name, rows in (("dated", dated), ("wrong", wrong), ("asked", asked)):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("id", "date", "text"), *rows])
    with (folder / "bare.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["text"], *([words] for _, _, words in asked), [""]])
    return folder


@pytest.fixture(scope="module")
def model(run, folder):
    out = folder / "model.ct"
    result = run(
        "fit", folder / "dated.csv", "--topics", 2, "--epochs", 3, "--stop-words", "none", "--dating", "--out", out
    )
    assert result.exit_code == 0, result.output
    assert "Learning to date texts" in result.stderr
    return out


def test_texts_need_no_dates_and_rough_ones_limit_the_answer(run, folder, model):
    result = run("date", model, folder / "asked.csv", "--json", "--level", 0.9)
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [row["id"] for row in rows] == ["a0", "a1"]
    assert abs(rows[0]["median"] - 1910) < 8
    assert 1930 <= rows[1]["median"] < 1940
    bare = run("date", model, folder / "bare.csv", "--why", 2)
    assert bare.exit_code == 0, bare.output
    assert "1 rows dropped: 1 × no text" in bare.stderr
    assert bare.stdout.splitlines()[0].split() == ["id", "date", "low", "high", "why"]
    assert len(bare.stdout.splitlines()) == 3


def test_the_table_is_written(run, folder, model, tmp_path):
    out = tmp_path / "dates.csv"
    assert run("date", model, folder / "asked.csv", "--out", out).exit_code == 0
    assert list(pd.read_csv(out)) == ["id", "date", "median", "low", "high", "beyond"]


def test_wrong_dates_are_the_most_surprising(run, folder, model):
    result = run("date", model, folder / "wrong.csv", "--check", "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert len(rows) == 300
    assert {str(row["id"]) for row in rows[:4]} >= set((folder / "early.txt").read_text().split())
    shown = run("date", model, folder / "wrong.csv", "--check")
    assert "the 20 most surprising of 300" in shown.stderr
    assert len(shown.stdout.splitlines()) == 21


def test_a_model_that_has_not_learned_it_says_how(run, models, folder):
    result = run("date", models[0], folder / "asked.csv")
    assert result.exit_code == 2
    assert "has not learned to date texts" in " ".join(result.stderr.split())


@pytest.mark.slow
def test_errors_are_measured_beside_the_usual(run, folder):
    result = run("evaluate", folder / "dated.csv", "--dating", "--topics", 2, "--epochs", 2)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["held_out", "method", "mean", "median", "held_50", "held_80", "held_95", "documents"]
    assert [line.split()[1] for line in lines[1:]] == ["Chronotope", "unigrams", "nearest", "ridge"] * 2
