"""chronotope compare: tables and pictures in a folder, and a second call that does only what is missing."""

import json

import matplotlib.image
import pandas as pd
import pytest

from chronotope.cli.values import grid_values, named_kernels

SMALL = ("--topics", 2, "--epochs", 2, "--seeds", "0,1", "--jobs", 1)


@pytest.fixture(scope="module")
def compared(run, texts, tmp_path_factory):
    out = tmp_path_factory.mktemp("compared") / "new" / "folder"
    wanted = "wiener; slow = ou(variance=6, length_scale=200 years); static"
    return run("compare", texts, "--kernels", wanted, *SMALL, "--out", out), out


@pytest.mark.slow
def test_tables_and_pictures_are_written_and_the_table_printed(compared):
    result, out = compared
    assert result.exit_code == 0, result.output
    assert {path.name for path in out.iterdir()} == {
        *("runs", "table.txt", "table.md", "table.csv", "comparison.png", "bounds.png")
    }
    assert result.stdout.strip() == (out / "table.txt").read_text(encoding="utf-8").strip()
    table = pd.read_csv(out / "table.csv")
    assert table["kernel"].tolist() == ["wiener", "slow", "static"]
    assert table["runs"].tolist() == [2, 2, 2]
    for picture in ("comparison.png", "bounds.png"):
        assert matplotlib.image.imread(out / picture).std() > 0
    assert (out / "table.md").read_text(encoding="utf-8").count("\n| ") == 5


def test_a_second_call_fits_nothing_and_says_the_same(compared, run, texts, monkeypatch):
    monkeypatch.setattr("chronotope.evaluate.runner.run_task", None)  # any fit would fail
    result, out = compared
    wanted = "wiener; slow = ou(variance=6, length_scale=200 years); static"
    again = run("compare", texts, "--kernels", wanted, *SMALL, "--out", out)
    assert again.stdout == result.stdout
    facts = json.loads(run("compare", texts, "--kernels", wanted, *SMALL, "--out", out, "--json").stdout)
    assert [row["kernel"] for row in facts["kernels"]] == ["wiener", "slow", "static"]
    assert facts["baseline"] == "wiener"
    assert facts["failed"] == []


@pytest.mark.slow
def test_a_file_that_was_changed_is_named_and_not_used(run, texts, tmp_path):
    arguments = ("compare", texts, "--kernels", "ou(6, 50)", *SMALL, "--out", tmp_path)
    first = run(*arguments)
    path = next((tmp_path / "runs").glob("*seed0*"))
    content = json.loads(path.read_text(encoding="utf-8"))
    content["run"]["perplexity"] = 1.0
    path.write_text(json.dumps(content), encoding="utf-8")
    again = run(*arguments)
    assert f"chronotope: {path} is not used as a result: it was changed after it was written" in again.stderr
    assert again.stdout.split("seconds")[1].split()[:2] == first.stdout.split("seconds")[1].split()[:2]


@pytest.mark.slow
def test_a_grid_is_searched_within_the_training_part(run, texts, tmp_path):
    wanted = ("--kernels", "wiener; ou", "--grid", "length_scale=x0.5,40 years", "--grid", "variance=x1")
    result = run("compare", texts, *wanted, *SMALL, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    runs = [json.loads(path.read_text(encoding="utf-8"))["settings"] for path in (tmp_path / "runs").iterdir()]
    assert len({settings["corpus"] for settings in runs}) == 2  # the training part, and the whole
    assert len(runs) == (1 + 2) + 2 * 2


def test_quiet_says_nothing_but_the_table(run, texts, tmp_path):
    result = run("compare", texts, "--kernels", "ou(6, 50)", *SMALL, "--out", tmp_path, "--quiet")
    assert result.stderr == ""
    assert "ou(6, 50)" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--kernels", "wiener; ouch"), "unknown kernel 'ouch'"),
        (("--kernels", ";"), "no kernels were given"),
        (("--kernels", "ou; ou"), "'ou' is given twice"),
        (("--kernels", "ou(-1)"), "variance is -1"),
        (("--seeds", "0,x"), "--seeds is '0,x'; expected comma-separated whole numbers"),
        (("--seeds", "1,1"), "seeds is [1, 1]; pass at least one, each once"),
        (("--grid", "length_scale"), "expected a parameter and its values"),
        (("--grid", "colour=1,2"), "none of the kernels wiener, ou, cauchy, se has"),
        (("--grid", "variance=x1", "--learn-kernel"), "pass one of them"),
        (("--test-size", "2"), "test_size is 2.0; expected a share between 0 and 1"),
        (("--test-size", "0.01", "--time", "text"), "chronotope: "),
    ],
)
def test_what_cannot_work_is_a_sentence(run, texts, tmp_path, arguments, sentence):
    result = run("compare", texts, "--out", tmp_path / "out", *arguments)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_runs_that_all_fail_are_in_the_table_and_in_the_exit_code(run, texts, tmp_path, monkeypatch):
    def fail(*arguments):
        raise ValueError("no luck today")

    monkeypatch.setattr("chronotope.evaluate.runner.run_task", fail)
    result = run("compare", texts, "--kernels", "ou", *SMALL, "--out", tmp_path)
    assert result.exit_code == 1
    assert "failed: ou, seed 1: no luck today" in result.stdout
    assert not (tmp_path / "comparison.png").exists()


def test_kernels_and_grids_as_they_are_written():
    assert named_kernels("wiener; slow=ou(6, length_scale=9) ;ou(length_scale=2)") == {
        "wiener": "wiener",
        "slow": "ou(6, length_scale=9)",
        "ou(length_scale=2)": "ou(length_scale=2)",
    }
    assert grid_values(["length_scale = 5, 20 years, x2", "variance=1"]) == {
        "length_scale": [5.0, "20 years", "x2"],
        "variance": [1.0],
    }


def test_several_numbers_of_topics_are_compared_but_not_with_a_grid(run, texts, tmp_path):
    wanted = ("compare", texts, "--kernels", "ou", "--topics", "2,3", "--epochs", 2, "--seeds", 0, "--out", tmp_path)
    result = run(*wanted, "--json", "--quiet")
    assert [row["kernel"] for row in json.loads(result.stdout)["kernels"]] == ["ou, 2 topics", "ou, 3 topics"]
    refused = run(*wanted, "--grid", "variance=x1,x2")
    assert refused.exit_code == 2
    assert "--grid searches with one number of topics" in refused.stderr
