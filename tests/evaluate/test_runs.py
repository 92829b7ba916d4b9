"""Stored runs come back as they were; what is damaged, changed or of elsewhere is not used."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import pytest

from chronotope import OrnsteinUhlenbeck
from chronotope.evaluate.runs import Results, Run, Task

TASK = Task("OU", OrnsteinUhlenbeck(6, 50), 1, 2, {"max_epochs": 3})
RUN = Run(
    "OU", 1, 6.25, 0.1, 2.5, 1, 3, False, "ou(6, 50)", {"variance": 6.0}, {"mean": 0.4}, [-9.0, -8.1], [5.0, 10.0]
)


@pytest.fixture
def results(small, tmp_path):
    return Results(tmp_path, small.digest(), small.span, 0.15, 0)


def damage(path, change):
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_run_comes_back_as_it_was(results):
    assert results.read(TASK) is None
    results.write(TASK, RUN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert results.read(TASK) == RUN
        assert results.read(replace(TASK, name="another name")) == replace(RUN, name="another name")
        assert results.read(replace(TASK, seed=2)) is None
    assert [path.name.rpartition("-")[0] for path in results.folder.iterdir()] == ["ou-6-50-seed1"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda content: content["run"].update(perplexity=1.0), "changed after it was written"),
        (lambda content: content["settings"].update(corpus="another"), "another corpus or other settings"),
        (lambda content: content["settings"].update(n_topics=20), "another corpus or other settings"),
        (lambda content: content.pop("run"), "cannot be read as one"),
        (lambda content: content.pop("digest"), "cannot be read as one"),
    ],
)
def test_a_changed_file_is_ignored_with_a_sentence(results, change, why):
    results.write(TASK, RUN)
    path = results.path(TASK)
    damage(path, change)
    with pytest.warns(UserWarning, match=f"{path.name} is not used as a result: .*{why}. The run is repeated"):
        assert results.read(TASK) is None


@pytest.mark.parametrize("content", ["", "[1, 2]", "{", "null", "\\u0000", "[" * 100_000], ids=lambda text: text[:5])
def test_a_foreign_file_is_ignored_with_a_sentence(results, content):
    results.path(TASK).write_text(content, encoding="utf-8")
    with pytest.warns(UserWarning, match="cannot be read as one"):
        assert results.read(TASK) is None


def test_the_run_of_another_task_under_this_name_is_ignored(results):
    other = replace(TASK, seed=2)
    results.write(other, replace(RUN, seed=2))
    results.path(other).rename(results.path(TASK))
    with pytest.warns(UserWarning, match="another corpus or other settings"):
        assert results.read(TASK) is None


def test_static_topics_are_stored_too(results):
    static = Task("static", None, 0, 2, {})
    results.write(static, replace(RUN, converged=None))
    assert results.read(static) == replace(RUN, name="static", converged=None)


def test_one_digest_for_one_corpus(small):
    assert small.digest() == small[:].digest()
    assert small.digest() != small[::-1].digest()
    assert small.digest() != small[1:].digest()
