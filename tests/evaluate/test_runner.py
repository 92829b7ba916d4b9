"""Comparisons: what a run is, what fails and goes on, and one result however it was come by."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import chronotope.evaluate.runner as processes
from chronotope import Corpus, DynamicTopicModel, FunctionKernel, OrnsteinUhlenbeck
from chronotope.evaluate import compare, completion_scores, perplexity, perplexity_with_error
from chronotope.evaluate.runner import KILLED, WORTH, choose_jobs
from chronotope.evaluate.runs import Task
from chronotope.evaluate.static import ALPHAS, fit_static

KERNELS = ["wiener(0.2)", "ou(6, 50)", "scikit-learn"]


def without_seconds(comparison):
    return comparison.table().drop(columns="seconds")


def counted(monkeypatch) -> list:
    """Tasks that are carried out from now on."""
    done, original = [], processes.run_task
    monkeypatch.setattr(processes, "run_task", lambda task, *rest: done.append(task) or original(task, *rest))
    return done


def test_a_run_holds_what_the_model_says(small, quick):
    comparison = compare(small, {"OU": OrnsteinUhlenbeck(6, 50)}, [3], alpha=[0.2, 0.4], **quick)
    train, test = small.split_times(0.15, seed=0)
    model = DynamicTopicModel(kernel="ou(6, 50)", seed=3, alpha=[0.2, 0.4], **quick).fit(train)
    (run,) = comparison.runs
    expected = perplexity_with_error(*completion_scores(model, test, 0))
    np.testing.assert_allclose([run.perplexity, run.standard_error], expected, rtol=1e-12)
    np.testing.assert_array_equal(run.bounds, model.bounds_)
    np.testing.assert_array_equal(run.documents_seen, model.documents_seen_)
    assert run.bound == model.bounds_[-1]
    assert (run.name, run.seed, run.steps, run.converged) == ("OU", 3, model.n_steps_, model.converged_)
    assert (run.kernel, run.parameters) == (model.kernel_.text, {"variance": 6.0, "length_scale": 50.0})
    assert run.alpha == pytest.approx({"lowest": 0.2, "mean": 0.3, "highest": 0.4})
    assert run.seconds > 0


def test_static_topics_are_our_own_model_with_a_constant_kernel(small, quick):
    static, own = compare(small, {"static": "static", "own": "constant"}, [1], split_seed=2, **quick).runs
    assert (static.perplexity, static.kernel, static.alpha) == (own.perplexity, own.kernel, own.alpha)
    assert static.kernel.startswith("constant(")


def test_scikit_learn_has_the_better_alpha_and_the_halves_of_the_others(small, quick):
    (run,) = compare(small, ["scikit-learn"], [1], split_seed=2, **quick).runs
    train, test = small.split_times(0.15, seed=2)
    fits = [fit_static(train, test, 2, alpha, 1, passes=3, halves=2) for alpha in ALPHAS]
    assert run.perplexity == min(fit.perplexity for fit in fits)
    assert run.alpha["mean"] in ALPHAS
    assert (run.kernel, run.bounds, run.converged) == ("scikit-learn", [], None)
    assert np.isnan(run.bound)


def test_all_models_are_scored_with_the_same_tokens_seen(small, quick, tmp_path):
    options = {**quick, "out": tmp_path, "seen": 8}
    own, theirs = compare(small, ["constant(6)", "scikit-learn"], [1], **options).runs
    train, test = small.split_times(0.15, seed=0)
    model = DynamicTopicModel(2, "constant(6)", seed=1, max_epochs=3, n_threads=1).fit(train)
    assert own.perplexity == perplexity(*completion_scores(model, test, 0, seen=8))
    fits = [fit_static(train, test, 2, alpha, 1, passes=3, halves=0, seen=8) for alpha in ALPHAS]
    assert theirs.perplexity == min(fit.perplexity for fit in fits)
    half = compare(small, ["constant(6)"], [1], **options | {"seen": None})
    assert half.runs[0].perplexity != own.perplexity  # not the stored run
    assert "8 tokens seen" not in half.about


@pytest.mark.slow
def test_several_numbers_of_topics_are_rows_of_their_own(small, quick):
    options = {**quick, "n_topics": [2, 3]}
    both = compare(small, ["ou(6, 50)", "wiener(0.2)"], [0], **options)
    assert both.names == (
        "ou(6, 50), 2 topics",
        "ou(6, 50), 3 topics",
        "wiener(0.2), 2 topics",
        "wiener(0.2), 3 topics",
    )
    assert both.baseline == "wiener(0.2), 2 topics"
    assert both.about.startswith("2 or 3 topics")
    (alone,) = compare(small, ["ou(6, 50)"], [0], **options | {"n_topics": 3}).runs
    assert both.perplexities("ou(6, 50), 3 topics") == [alone.perplexity]
    with pytest.raises(ValueError, match=r"n_topics is \[2, 2\]"):
        compare(small, ["ou(6, 50)"], [0], **options | {"n_topics": [2, 2]})


def test_all_runs_are_scored_on_the_same_halves(small, quick):
    """A single topic hardly depends on the seed; other halves would move its score by a percent."""
    runs = compare(small, ["constant(6)"], [0, 1], n_topics=1, max_epochs=10, n_threads=1).runs
    np.testing.assert_allclose(runs[0].perplexity, runs[1].perplexity, rtol=1e-4)


@pytest.mark.slow
def test_several_processes_give_the_same_results(small, quick):
    mine = FunctionKernel(lambda x, y, length: 4 * np.exp(-(((x - y) / length) ** 2)), "mine", length=9.0)
    kernels = {name: name for name in KERNELS} | {"mine": mine}
    alone = compare(small, kernels, [0, 1], jobs=1, **quick)
    beside = compare(small, kernels, [0, 1], jobs=2, **quick)
    assert without_seconds(alone).equals(without_seconds(beside))
    assert [run.bounds for run in alone.runs] == [run.bounds for run in beside.runs]
    assert not beside.failures


def test_a_run_that_fails_is_a_sentence_and_the_others_go_on(small, quick):
    broken = FunctionKernel(lambda x, y: x - y, "broken")
    comparison = compare(small, {"broken": broken, "OU": "ou(6, 50)"}, [0, 1], **quick)
    assert [(failure.name, failure.seed) for failure in comparison.failures] == [("broken", 0), ("broken", 1)]
    assert [run.name for run in comparison.runs] == ["OU", "OU"]
    assert "seed 1: kernel broken is not symmetric" in comparison.table()["failed"][0]


def test_errors_nobody_foresaw_are_named(small, quick, monkeypatch):
    monkeypatch.setattr(processes, "run_task", lambda *arguments: 1 / 0)
    (failure,) = compare(small, ["ou"], [0], **quick).failures
    assert failure.sentence == "ZeroDivisionError: division by zero"


@pytest.mark.slow
def test_a_killed_process_is_a_sentence(small, quick):
    here = os.getpid()

    def deadly(x, y):
        if os.getpid() != here:
            os._exit(1)
        return np.exp(-np.abs(x - y))

    comparison = compare(small, [FunctionKernel(deadly, "deadly")], [0, 1], jobs=2, **quick)
    assert {failure.sentence for failure in comparison.failures} == {KILLED}


@pytest.mark.slow
def test_what_is_finished_is_not_done_again(small, quick, tmp_path, monkeypatch):
    first = compare(small, KERNELS, [0, 1], out=tmp_path, **quick)
    done = counted(monkeypatch)
    again = compare(small, [*KERNELS, "cauchy(3, 20)"], [0, 1], out=tmp_path, **quick)
    assert [task.name for task in done] == ["cauchy(3, 20)"] * 2
    assert again.table()[:3].equals(first.table())
    renamed = compare(small, {"other name": "ou(6, 50)"}, [1], out=tmp_path, **quick)
    assert len(done) == 2
    assert renamed.runs[0].perplexity == first.of("ou(6, 50)")[1].perplexity


@pytest.mark.slow
def test_an_interrupted_comparison_goes_on_where_it_stopped(small, quick, tmp_path, monkeypatch):
    original = processes.run_task

    def interrupted(task, *rest):
        if (task.name, task.seed) == ("ou(6, 50)", 1):
            raise KeyboardInterrupt
        return original(task, *rest)

    monkeypatch.setattr(processes, "run_task", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(small, KERNELS, [0, 1], out=tmp_path, **quick)
    assert len(list(tmp_path.iterdir())) == 3
    monkeypatch.setattr(processes, "run_task", original)
    done = counted(monkeypatch)
    comparison = compare(small, KERNELS, [0, 1], out=tmp_path, **quick)
    assert len(done) == 3
    assert without_seconds(comparison).equals(without_seconds(compare(small, KERNELS, [0, 1], **quick)))


SCRIPT = """
import fcntl, time
import numpy as np
from chronotope import Corpus, FunctionKernel
from chronotope.evaluate import compare

def endless(x, y):
    if x.size > 10:  # in a fit; smaller ones are checks of the kernel
        file = open({lock!r}, "w")
        fcntl.flock(file, fcntl.LOCK_EX)  # given back by the end of the process, however it ends
        while True:
            time.sleep(0.1)
    return np.exp(-np.abs(x - y))

with np.load({data!r}) as arrays:
    corpus = Corpus(arrays["counts"], arrays["times"])
compare(corpus, ["ou(6, 50)", FunctionKernel(endless, "endless")], [0], out={out!r}, jobs={jobs}, **{quick!r})
"""


def wait_for(condition) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("waited for ten minutes in vain")


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of this file."""
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.slow
def test_a_killed_comparison_goes_on_where_it_stopped_and_leaves_nothing_running(
    small, quick, tmp_path, monkeypatch, jobs
):
    """The second kernel never ends; the process is killed when the first run is in the folder."""
    out, lock, data, script = (tmp_path / name for name in ("out", "lock", "data.npz", "script.py"))
    np.savez(data, counts=small.counts.toarray(), times=small.times)
    code = SCRIPT.format(data=str(data), lock=str(lock), out=str(out), jobs=jobs, quick=quick)
    script.write_text(code, encoding="utf-8")  # without a guard of __main__, as people write them
    process = subprocess.Popen([sys.executable, script], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        wait_for(lambda: is_locked(lock) and any(out.glob("ou*.json")))
    finally:
        process.kill()
        process.wait()
    wait_for(lambda: not is_locked(lock))
    done = counted(monkeypatch)
    comparison = compare(small, ["ou(6, 50)", "wiener(0.2)"], [0], out=out, **quick)
    assert [task.name for task in done] == ["wiener(0.2)"]
    assert without_seconds(comparison).equals(
        without_seconds(compare(small, ["ou(6, 50)", "wiener(0.2)"], [0], **quick))
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"max_epochs": 2},
        {"n_topics": 3},
        {"test_size": 0.3},
        {"split_seed": 1},
        {"alpha": [0.2, 0.3]},
        {"dtype": "float64"},
    ],
    ids=str,
)
def test_other_settings_are_other_runs(small, quick, tmp_path, monkeypatch, changed):
    compare(small, ["ou(6, 50)"], [0], out=tmp_path, **quick)
    done = counted(monkeypatch)
    compare(small, ["ou(6, 50)"], [0], out=tmp_path, **(quick | changed))
    assert len(done) == 1


@pytest.mark.slow
def test_another_corpus_is_another_run(small, quick, tmp_path, monkeypatch):
    counts = small.counts.toarray()
    counts[0, 0] += 1
    renamed = [f"other{v}" for v in range(small.n_words)]
    others = [
        Corpus(counts, small.times, small.vocabulary),
        Corpus(small.counts, small.times + 0.5, small.vocabulary),
        Corpus(small.counts, small.times, renamed),
    ]
    compare(small, ["ou(6, 50)"], [0], out=tmp_path, **quick)
    done = counted(monkeypatch)
    for other in others:
        compare(other, ["ou(6, 50)"], [0], out=tmp_path, **quick)
    assert len(done) == len(others)


def test_another_function_of_one_name_is_another_run(small, quick, tmp_path, monkeypatch):
    done = counted(monkeypatch)
    for length in (5.0, 5.0, 9.0):
        mine = FunctionKernel(lambda x, y, length=length: np.exp(-np.abs(x - y) / length), "mine")
        compare(small, [mine], [0], out=tmp_path, **quick)
    assert len(done) == 2


def test_threads_and_progress_do_not_matter(small, quick, tmp_path, monkeypatch):
    compare(small, ["ou(6, 50)"], [0], out=tmp_path, **quick)
    done = counted(monkeypatch)
    compare(small, ["ou(6, 50)"], [0], out=tmp_path, **(quick | {"n_threads": 2, "verbose": False}))
    assert not done


def test_processes_are_used_where_there_is_enough_to_do(small, monkeypatch):
    monkeypatch.setattr(processes, "_cores", lambda: 8)
    few = [Task("ou", OrnsteinUhlenbeck(), seed, 2, {}) for seed in range(3)]
    many = [Task("ou", OrnsteinUhlenbeck(), seed, WORTH, {}) for seed in range(3)]
    assert choose_jobs(None, few, small) == 1
    assert choose_jobs(None, many, small) == 3
    assert choose_jobs(None, many * 9, small) == processes.MOST
    assert choose_jobs(2, few, small) == 2
    assert choose_jobs(99, few, small) == 3
    monkeypatch.setattr(processes, "_cores", lambda: 1)
    assert choose_jobs(None, many, small) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kernels": "ou"}, "kernels is 'ou'; pass several"),
        ({"kernels": []}, "no kernels were given"),
        ({"kernels": ["ou", "ou "]}, "'ou' is given twice"),
        ({"kernels": ["ouch"]}, "unknown kernel 'ouch'"),
        ({"seeds": []}, "seeds is \\[\\]; pass at least one"),
        ({"seeds": [1, 1]}, "seeds is \\[1, 1\\]; pass at least one, each once"),
        ({"seeds": [-1]}, "seed is -1"),
        ({"n_topics": 0}, "n_topics is 0"),
        ({"seed": 4}, "seed=4 was given; pass seeds="),
        ({"kernel": "ou"}, "kernel='ou' was given; pass kernels="),
        ({"alpha": -1}, "alpha is -1"),
        ({"test_size": 1.5}, "test_size is 1.5"),
        ({"jobs": 0}, "jobs is 0; expected a whole number"),
    ],
    ids=str,
)
def test_what_cannot_work_is_refused_before_anything_is_fitted(small, quick, monkeypatch, arguments, sentence):
    done = counted(monkeypatch)
    with pytest.raises(ValueError, match=sentence):
        compare(small, **({"kernels": ["ou"], "seeds": [0]} | quick | arguments))
    assert not done


def test_a_test_part_of_one_document_is_refused():
    corpus = Corpus(np.ones((3, 2), dtype=int), [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="holds out 1 document of 3; a standard error needs at least 2"):
        compare(corpus, ["ou"])


def test_a_folder_that_cannot_be_made_is_a_sentence(small, quick, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="cannot write in the folder"):
        compare(small, ["ou"], out=tmp_path / "file", **quick)
