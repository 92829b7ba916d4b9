"""chronotope fit: from a table to a model and a report; what cannot work is refused before anything is written."""

import json
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import chronotope as ct
from chronotope.evaluate import completion_scores, perplexity_with_error
from chronotope.inference import loop
from chronotope.inference.loop import training_loop

SMALL = ("--topics", 2, "--epochs", 3, "--threads", 1)


@pytest.fixture(scope="module")
def fitted(run, texts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted")
    out, report = folder / "model.ct", folder / "report.html"
    return run("fit", texts, *SMALL, "--kernel", "events", "--out", out, "--report", report), out, report


def test_one_command_leads_from_a_table_to_a_report(fitted, texts):
    result, out, report = fitted
    assert result.exit_code == 0, result.output
    assert report.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html")
    model, own = ct.load(out), ct.DynamicTopicModel(2, "events", max_epochs=3).fit(ct.read_corpus(texts))
    np.testing.assert_array_equal(model.topics_.posterior.own.g, own.topics_.posterior.own.g)
    assert model.preprocessing_ == ct.Preprocessing()


def test_what_was_read_what_was_found_and_how_to_go_on_is_said(fitted):
    result, out, _ = fitted
    for part in ("in the column 'date'", "60 documents", "1900-03-01 to 1919-03-01", "Fitting 2 topics"):
        assert part in result.stderr
    for part in (f"chronotope topics {out}", f"chronotope events {out}", f"chronotope plot {out} --topic 0"):
        assert part in result.stderr
    for part in ("topic", "share", "in 1900-03-01", "Ornstein-Uhlenbeck", "3 steps", f"written: {out}"):
        assert part in result.stdout
    rows = result.stdout.splitlines()[1:3]
    assert any("wheat" in row and "war" not in row.split("  ")[2].split()[:3] for row in rows)


@pytest.mark.parametrize(
    ("flags", "expected"), [((), None), (("--learn-kernel",), True), (("--no-learn-kernel",), False)]
)
def test_whether_the_kernel_is_learned_is_an_option_of_three_states(run, texts, tmp_path, flags, expected):
    result = run("fit", texts, *SMALL, *flags, "--kernel", "constant + ou", "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    model = ct.load(tmp_path / "model.ct")
    assert model.learn_kernel is expected
    unlearned = model.plan(ct.read_corpus(texts)).kernel
    assert (model.kernel_ != unlearned) == (expected is not False)


def test_how_much_topics_share_is_an_option(run, texts, tmp_path):
    result = run("fit", texts, *SMALL, "--shared", 0, "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    model = ct.load(tmp_path / "model.ct")
    assert model.shared == 0.0
    assert model.topics_.posterior.common is None
    own = ct.DynamicTopicModel(2, shared=0.0, max_epochs=3, verbose=False).fit(ct.read_corpus(texts))
    np.testing.assert_array_equal(model.topics_.posterior.own.g, own.topics_.posterior.own.g)


def test_json_is_one_document_and_quiet_says_nothing_else(run, texts, tmp_path):
    out = tmp_path / "model.ct"
    result = run("fit", texts, *SMALL, "--out", out, "--test-size", 0.2, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    facts = json.loads(result.stdout)
    train, test = ct.read_corpus(texts).split_times(0.2, seed=0)
    model = ct.load(out)
    np.testing.assert_array_equal(
        model.topics_.posterior.own.g,
        ct.DynamicTopicModel(2, max_epochs=3, verbose=False).fit(train).topics_.posterior.own.g,
    )
    assert facts["kernel"] == model.kernel_.text
    assert facts["corpus"]["documents"] == 60
    assert facts["fit"]["held_out"] == len(test)
    expected = perplexity_with_error(*completion_scores(model, test, 0))
    np.testing.assert_allclose([facts["fit"]["perplexity"], facts["fit"]["standard_error"]], expected, rtol=1e-12)
    assert sorted(row["topic"] for row in facts["topics"]) == [0, 1]
    assert facts["written"] == [str(out)]


def test_what_is_there_is_replaced_only_by_force(run, texts, tmp_path):
    out = tmp_path / "model.ct"
    out.write_text("precious", encoding="utf-8")
    refused = run("fit", texts, *SMALL, "--out", out)
    assert refused.exit_code == 2
    assert "already exists; pass --force to replace it" in refused.stderr
    assert out.read_text(encoding="utf-8") == "precious"
    assert run("fit", texts, *SMALL, "--out", out, "--force").exit_code == 0
    assert ct.load(out).n_topics == 2


def test_rows_left_out_are_counted_and_columns_can_be_named(run, tmp_path):
    path = tmp_path / "mine.csv"
    rows = [f"{1900 + i};heading;war and peace number {i};{i}" for i in range(6)]
    path.write_text("\n".join(["spoken;title;said;no", *rows, "n/a;x;war;7", "1910;x;;8"]), encoding="utf-8")
    named = ("--text", "title", "--text", "said", "--time", "spoken", "--id", "no", "--delimiter", ";")
    result = run("fit", path, *SMALL, *named, "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    assert "1 × unreadable time (line 8 'n/a')" in result.stderr
    assert "heading" in ct.load(tmp_path / "model.ct").topics_.vocabulary
    assert "--text title --text said --time spoken --id no --delimiter ';'" in result.stderr  # in the next commands


def test_words_can_be_chosen(run, texts, tmp_path):
    (tmp_path / "stop.txt").write_text("war\ncorn\n", encoding="utf-8")
    chosen = ("--stop-words", tmp_path / "stop.txt", "--max-vocabulary", 8, "--min-count", 2)
    result = run("fit", texts, *SMALL, *chosen, "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    assert "removed: stop words: 2 words" in result.stderr
    model = ct.load(tmp_path / "model.ct")
    assert len(model.topics_.vocabulary) == 8
    assert model.preprocessing_.stop_words == {"war", "corn"}


@pytest.mark.parametrize("first", ["war", "corn"])
def test_a_topic_starts_from_seed_words(run, texts, tmp_path, first):
    out = tmp_path / "model.ct"
    result = run("fit", texts, *SMALL, "--seed-words", f"{first}, price" if first == "corn" else first, "--out", out)
    assert result.exit_code == 0, result.output
    model = ct.load(out)
    assert model.seed_words == [["corn", "price"] if first == "corn" else ["war"]]
    words = dict(model.topics_.top_words(0, n=12))
    assert (words["war"] > words["corn"]) == (first == "war")


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(run, texts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("fit", texts, "--topics", 7, "--dry-run")
    assert result.exit_code == 0, result.output
    for part in ("60", "1,800 tokens", "20 distinct, 1900-03-01 to 1919-03-01", "7", "at most 50"):
        assert part in result.stdout
    for part in ("Ornstein-Uhlenbeck", "length scale 5.7", "20, one at every time", "MB", "rough estimate"):
        assert part in result.stdout
    assert not list(tmp_path.iterdir())


def test_a_dry_run_in_json(run, texts):
    facts = json.loads(run("fit", texts, "--dry-run", "--kernel", "long memory", "--test-size", 0.2, "--json").stdout)
    assert facts["documents"] + facts["held_out"] == 60
    assert facts["kernel"].startswith("constant(6) + cauchy(")
    assert facts["nodes"] == facts["times"] == 16
    assert not facts["exact_in_time"]
    assert facts["seconds"] > 0
    assert facts["bytes"] > 0


def test_more_topics_are_expected_to_take_longer(run, texts):
    few, many = (json.loads(run("fit", texts, "--dry-run", "--topics", K, "--json").stdout)["seconds"] for K in (2, 20))
    assert many > few


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"name,text\na,war\nb,peace\n", "looks like the time; say which with --time"),
        (b"", "is empty"),
        (bytes(range(256)) * 8, "chronotope: "),
        (b"%PDF-1.7 and so on", "a PDF; convert it to text"),
        (b"date,text\nsoon,war\nlater,peace\n", "chronotope: "),
        (b"date,text\n1900,the\n1901,and\n", "nothing is left"),
    ],
)
def test_a_corpus_that_cannot_be_used_is_a_sentence(run, tmp_path, content, sentence):
    path = tmp_path / "texts.csv"
    path.write_bytes(content)
    result = run("fit", path, *SMALL, "--out", tmp_path / "model.ct", "--report", tmp_path / "report.html")
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "pass --out model.ct"),
        (("--out", "nowhere/model.ct"), "there is no folder 'nowhere'"),
        (("--out", "."), "'.' is a folder"),
        (("--out", "m.ct", "--report", "nowhere/r.html"), "there is no folder 'nowhere'"),
        (("--out", "m.ct", "--report", "r.html", "--link", "page"), "has no column 'page' for --link"),
        (("--out", "m.ct", "--link", "page"), "pass --report report.html too"),
        (("--out", "m.ct", "--kernel", "slow"), 'or alone "slow drift"'),
        (("--out", "m.ct", "--alpha", "many"), "alpha is 'many'"),
        (("--out", "m.ct", "--shared", 1), "shared is 1.0; expected a number from 0 to below 1"),
        (("--out", "m.ct", "--stop-words", "klingon.txt"), "stop_words"),
        (("--out", "m.ct", "--max-document-share", 2), "max_document_share is 2.0"),
        (("--out", "m.ct", "--test-size", 2), "test_size is 2.0"),
        (("--out", "m.ct", "--kernel", "seasonal(100)"), "the times span only 19"),
        (("--out", "m.ct", "--topics", 0), "--topics"),
        (("--out", "m.ct", "--seed-words", "war, klingon"), "seed_words has 'klingon', not among the 12 words"),
        (("--out", "m.ct", "--topics", 1, "--seed-words", "war", "--seed-words", "corn"), "at most 1 lists of words"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_written(run, texts, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    result = run("fit", texts, *arguments)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.fixture
def stopped_after_two_steps(monkeypatch, ctrl_c):
    """Ctrl-C in the middle of a fit."""

    def stopping_loop(settings, D):
        train = training_loop(settings, D)

        def train_and_stop(docs, state, settings, watch):
            def press(progress):
                if progress.steps == 2:
                    signal.raise_signal(signal.SIGINT)
                watch(progress)

            train(docs, state, settings, press)

        return train_and_stop

    with monkeypatch.context() as patch:
        patch.setattr("chronotope.model.training.training_loop", stopping_loop)
        yield patch


def test_a_stopped_fit_goes_on_where_it_stood(run, texts, tmp_path, stopped_after_two_steps):
    out, stopover = tmp_path / "model.ct", tmp_path / "model.ct.checkpoint"
    command = ("fit", texts, "--topics", 2, "--epochs", 5, "--threads", 1, "--out", out)
    stopped = run(*command)
    assert stopped.exit_code == 130, stopped.output
    assert stopped.stdout == ""
    assert "resume it with the same command and --resume" in stopped.stderr
    assert list(tmp_path.iterdir()) == [stopover]
    stopped_after_two_steps.undo()
    refused = run(*command)
    assert refused.exit_code == 2
    assert "--resume" in refused.stderr
    assert run(*command, "--resume").exit_code == 0
    assert list(tmp_path.iterdir()) == [out]
    whole = ct.DynamicTopicModel(2, max_epochs=5, verbose=False).fit(ct.read_corpus(texts))
    np.testing.assert_array_equal(ct.load(out).topics_.posterior.own.g, whole.topics_.posterior.own.g)


def test_a_stopped_fit_is_begun_anew_by_force_and_kept_where_it_is_wanted(
    run, texts, tmp_path, stopped_after_two_steps
):
    out, stopover = tmp_path / "model.ct", tmp_path / "way.checkpoint"
    command = ("fit", texts, *SMALL, "--out", out, "--checkpoint", stopover)
    assert run(*command).exit_code == 130
    stopped_after_two_steps.undo()
    assert run(*command, "--force").exit_code == 0
    assert set(tmp_path.iterdir()) == {out, stopover}


def test_a_fit_whose_numbers_are_no_longer_finite_is_saved_as_far_as_it_was_good_and_keeps_its_checkpoint(
    run, texts, tmp_path, monkeypatch
):
    real, calls = loop.learned_alpha, iter(range(10))
    monkeypatch.setattr(loop, "learned_alpha", lambda *given: real(*given) * (np.nan if next(calls) else 1.0))
    monkeypatch.setattr("chronotope.storage.checkpoint.time.monotonic", iter(range(0, 10**6, 10**3)).__next__)
    result = run("fit", texts, "--topics", 2, "--epochs", 5, "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    assert "the model is that of step 2" in result.stderr
    assert ct.load(tmp_path / "model.ct").diverged_
    assert {path.name for path in tmp_path.iterdir()} == {"model.ct", "model.ct.checkpoint"}


def test_stopping_before_the_first_step_says_that_nothing_was_saved(run, texts, tmp_path, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("chronotope.model.training.training_loop", lambda settings, D: stop)
    result = run("fit", texts, *SMALL, "--out", tmp_path / "model.ct")
    assert result.exit_code == 130
    assert "chronotope: interrupted. Nothing was saved." in result.stderr
    assert not list(tmp_path.iterdir())


def test_counts_on_disk_give_the_same_model_and_are_a_corpus_to_other_commands(run, texts, tmp_path):
    out, folder, again = tmp_path / "model.ct", tmp_path / "counts", tmp_path / "again.ct"
    assert run("fit", texts, *SMALL, "--on-disk", folder, "--dry-run").exit_code == 0
    assert not folder.exists()
    result = run("fit", texts, *SMALL, "--on-disk", folder, "--out", out)
    assert result.exit_code == 0, result.output
    assert run("fit", folder, *SMALL, "--out", again).exit_code == 0
    expected = ct.DynamicTopicModel(2, max_epochs=3).fit(ct.read_corpus(texts)).topics_.posterior.own.g
    for path in (out, again):
        np.testing.assert_array_equal(ct.load(path).topics_.posterior.own.g, expected)
    shares = [run("topics", out, corpus, "--show", "shares", "--json", "--quiet").stdout for corpus in (texts, folder)]
    assert shares[0] == shares[1]
    refused = run("fit", texts, *SMALL, "--on-disk", folder, "--out", out, "--force")
    assert refused.exit_code == 2
    assert str(folder) in refused.stderr


def test_columns_that_prevalence_follows_are_kept_on_disk(run, texts, tmp_path):
    table = pd.read_csv(texts).assign(side=["left", "right"] * 30, place="x")
    table.to_csv(tmp_path / "texts.csv", index=False)
    out, folder = tmp_path / "model.ct", tmp_path / "counts"
    result = run("fit", tmp_path / "texts.csv", *SMALL, "--groups", "side", "--on-disk", folder, "--out", out)
    assert result.exit_code == 0, result.output
    assert ct.load(out).prevalence_.groups == ("left", "right")
    assert list(ct.open_corpus(folder).metadata) == ["side"]


def test_a_fit_with_counts_on_disk_is_resumed_from_them(run, texts, tmp_path, stopped_after_two_steps):
    out = tmp_path / "model.ct"
    command = (
        "fit",
        texts,
        "--topics",
        2,
        "--epochs",
        5,
        "--threads",
        1,
        "--out",
        out,
        "--on-disk",
        tmp_path / "counts",
    )
    assert run(*command).exit_code == 130
    stopped_after_two_steps.undo()
    result = run(*command, "--resume")
    assert result.exit_code == 0, result.output
    whole = ct.DynamicTopicModel(2, max_epochs=5, verbose=False).fit(ct.read_corpus(texts))
    np.testing.assert_array_equal(ct.load(out).topics_.posterior.own.g, whole.topics_.posterior.own.g)


def test_a_window_of_time_is_an_option_of_every_command_that_reads(run, texts, tmp_path):
    out = tmp_path / "model.ct"
    window = ("--from", "1905", "--to", "1914")
    result = run("fit", texts, *SMALL, *window, "--out", out)
    assert result.exit_code == 0, result.output
    assert ct.load(out).topics_.span == (ct.read_corpus(texts, start="1905").span[0], pytest.approx(1914.16, abs=0.01))
    assert f"chronotope events {out} {texts} --from 1905 --to 1914" in result.stderr
    infer = run("infer", out, texts, *window, "--out", tmp_path / "shares.csv")
    assert infer.exit_code == 0, infer.output
    assert len((tmp_path / "shares.csv").read_text(encoding="utf-8").splitlines()) == 31
    sotu = run("fit", "sotu", "--from", "1990", "--dry-run")
    assert "1990-01-31 to" in sotu.stdout


def test_the_resolution_is_said_before_a_fit_and_after_it(run, texts, tmp_path):
    plan = run("fit", texts, *SMALL, "--nodes", 5, "--dry-run")
    assert "changes shorter than about 5 years are not seen; for shorter ones, more --nodes" in plan.stdout
    result = run("fit", texts, *SMALL, "--out", tmp_path / "model.ct")
    assert "resolution: 20 nodes; every date of the documents has a node of its own" in result.stdout
    assert "every date of the documents has a node" in run("info", tmp_path / "model.ct").stdout


def test_losses_are_said_even_if_quiet_and_more_than_half_is_an_error(run, texts, tmp_path):
    lines = texts.read_text(encoding="utf-8").splitlines()
    few, most = tmp_path / "few.csv", tmp_path / "most.csv"
    few.write_text("\n".join([*lines, *['n/a,"war and peace"'] * 6]), encoding="utf-8")
    most.write_text("\n".join([*lines, *["1910-01-01,"] * 90]), encoding="utf-8")
    result = run("fit", few, *SMALL, "--out", tmp_path / "few.ct", "--quiet")
    assert result.exit_code == 0
    assert "6 of 66 documents were dropped: 6 × unreadable time" in result.stderr
    refused = run("fit", most, *SMALL, "--out", tmp_path / "most.ct", "--quiet")
    assert refused.exit_code == 2
    assert "90 of 150 documents were dropped" in refused.stderr
    assert "--allow-loss" in refused.stderr
    assert not (tmp_path / "most.ct").exists()
    assert run("fit", most, *SMALL, "--out", tmp_path / "most.ct", "--quiet", "--allow-loss").exit_code == 0


def test_standard_input_is_read_like_a_file(run, texts, tmp_path):
    result = run("fit", "-", *SMALL, "--out", tmp_path / "piped.ct", stdin=texts.read_bytes())
    assert result.exit_code == 0, result.output
    assert "Reading standard input" in result.stderr
    assert run("fit", texts, *SMALL, "--out", tmp_path / "file.ct").exit_code == 0
    piped, file = ct.load(tmp_path / "piped.ct"), ct.load(tmp_path / "file.ct")
    np.testing.assert_array_equal(piped.topics_.posterior.own.g, file.topics_.posterior.own.g)
    empty = run("fit", "-", *SMALL, "--out", tmp_path / "none.ct", stdin=b"")
    assert empty.exit_code == 2
    assert "standard input is empty" in empty.stderr


def test_documents_that_are_not_drawn_are_not_lost(run, texts, tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text(texts.read_text(encoding="utf-8") + "n/a,war\n" * 10, encoding="utf-8")
    result = run("fit", path, *SMALL, "--limit", 8, "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    assert "8 of 60 records were drawn at random" in result.stderr
    assert "because of --limit 8" in result.stderr
    assert "10 of 70 documents were dropped: 10 × unreadable time" in result.stderr
    assert "not drawn" not in result.stderr


def test_duplicates_are_said_and_dropped_as_asked_without_being_lost(run, texts, tmp_path):
    path = tmp_path / "texts.csv"
    header, *rows = texts.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([header, *rows * 3]), encoding="utf-8")
    kept = run("fit", path, *SMALL, "--out", tmp_path / "kept.ct")
    assert "120 of 180 documents repeat another one exactly (first: line 62 repeats line 2)" in kept.stderr
    assert "drop them with --duplicates drop" in kept.stderr
    dropped = run("fit", path, *SMALL, "--duplicates", "drop", "--out", tmp_path / "dropped.ct")
    assert dropped.exit_code == 0, dropped.output
    assert "(first: line 62 repeats line 2), and were dropped" in dropped.stderr
    assert "Corpus(60 documents" in dropped.stderr
    assert "documents were dropped:" not in dropped.stderr
    assert "removed: duplicates" not in dropped.stderr
    silent = run("fit", path, *SMALL, "--duplicates", "none", "--out", tmp_path / "silent.ct")
    assert "repeat" not in silent.stderr
    refused = run("fit", path, *SMALL, "--duplicates", "remove", "--out", tmp_path / "refused.ct")
    assert refused.exit_code == 2
    assert "duplicates is 'remove'" in refused.stderr


def test_a_sheet_is_an_option_and_messages_name_it(run, tmp_path):
    pytest.importorskip("python_calamine")
    path = Path(__file__).parent.parent / "fixtures" / "spreadsheets" / "letters.xlsx"
    result = run("fit", path, *SMALL, "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    assert "the sheet 'Letters' was read, not 'Notes'; choose another with --sheet" in result.stderr
    refused = run("fit", path, *SMALL, "--sheet", "Texts", "--out", tmp_path / "other.ct")
    assert refused.exit_code == 2
    assert "letters.xlsx has no sheet 'Texts'; it has 'Letters', 'Empty', 'Notes'" in refused.stderr


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"--out": "m.ct", "--report": "./sub/../m.ct"}, "--report and --out are the same file"),
        ({"--out": "m.ct", "--report": "link"}, "--report and --out are the same file"),
        ({"--out": "m.ct", "--checkpoint": "m.ct"}, "--checkpoint and --out are the same file"),
        ({"--out": "m.ct", "--report": "m.ct.checkpoint"}, "--checkpoint and --report are the same file"),
        ({"--out": "texts.csv"}, "--out and the corpus are the same file"),
        ({"--out": "hard.csv"}, "--out and the corpus are the same file"),
        ({"--out": "m.ct", "--report": "linked.csv"}, "--report and the corpus are the same file"),
    ],
)
def test_files_that_would_replace_each_other_are_refused(run, texts, tmp_path, monkeypatch, given, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "texts.csv").write_bytes(texts.read_bytes())
    (tmp_path / "link").symlink_to("m.ct")
    (tmp_path / "linked.csv").symlink_to("texts.csv")
    (tmp_path / "hard.csv").hardlink_to("texts.csv")
    monkeypatch.setattr("chronotope.cli.fit.read_documents", None)  # nothing is read before
    result = run("fit", "texts.csv", "--force", *(part for pair in given.items() for part in pair))
    assert result.exit_code == 2
    assert message in result.stderr
    assert (tmp_path / "texts.csv").read_bytes() == texts.read_bytes()
