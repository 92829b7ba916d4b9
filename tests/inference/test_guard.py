"""A fit whose numbers are no longer finite ends in its last good state, and nothing of what came after is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interrupted import CORPUS, assert_same, model

import chronotope as ct
from chronotope.inference import growth, loop
from chronotope.inference.guard import NotFinite
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.statistics import Statistics

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

FIXED = {"kernel": "ou(2, 10)", "learn_kernel": False, "tol": 0}
CASES = ["whole, mean-field", "whole, nothing shared", "minibatches, sampled", "minibatches, mean-field"]
PASSES = 2  # good ones


@pytest.fixture(autouse=True)
def without_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit that ends early has no rounds of drawing after it, so those that it is compared with have none either."""
    monkeypatch.setattr(loop, "add_doubt", lambda *given: None)


SAID_LOST = rf"or count none, in step {PASSES + 1}; the fit has ended, and the model is that of step {PASSES}\."
SAID = r"are not finite.* in step {}; the fit has ended, and the model is that of step {}\. Use another kernel"


def good_steps(case: str) -> int:
    return PASSES * (4 if "minibatches" in case else 1)


def spoil_alpha(patch: pytest.MonkeyPatch, last: int, module: Any = loop) -> None:
    """α is NaN in the step after this one: the first step does not learn it."""
    real, calls = module.learned_alpha, iter(range(1, 10**6))
    patch.setattr(module, "learned_alpha", lambda *given: real(*given) * (np.nan if next(calls) >= last else 1.0))


def spoil_sites(patch: pytest.MonkeyPatch, last: int, name: str = "g", value: float = np.nan) -> None:
    """One number of the sites is bad in the step after this one."""
    real, taken = TopicPosterior.step, iter(range(10**6))

    def step(self: TopicPosterior, *given: Any) -> None:
        real(self, *given)
        if len(self.g) > 1 and next(taken) >= last:  # not the static fit before the first step
            getattr(self, name).flat[5] = value
            self.refresh()

    patch.setattr(TopicPosterior, "step", step)


def ended_early(case: str, **given: Any) -> ct.DynamicTopicModel:
    last = good_steps(case)
    with pytest.warns(UserWarning, match=SAID.format(last + 1, last)) as caught:
        found = model(case, **FIXED | given).fit(CORPUS)
    assert caught[-1].filename == __file__
    return found


@pytest.mark.parametrize("case", CASES)
def test_a_fit_ends_in_the_state_after_its_last_good_step(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = model(case, **FIXED, max_epochs=PASSES).fit(CORPUS)
    assert not expected.diverged_
    spoil_alpha(monkeypatch, good_steps(case))
    found = ended_early(case)
    assert_same(found, expected)
    assert found.diverged_
    assert np.isfinite(found.transform(CORPUS)).all()


@pytest.mark.parametrize(("name", "value"), [("g", np.nan), ("g", np.inf), ("b", np.nan), ("b", np.inf), ("b", -1e6)])
def test_any_bad_number_of_the_sites_is_seen(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    case = "minibatches, nothing shared"
    expected = model(case, **FIXED, max_epochs=PASSES).fit(CORPUS)
    spoil_sites(monkeypatch, good_steps(case), name, value)
    assert_same(ended_early(case), expected)


def lose_tokens(patch: pytest.MonkeyPatch, last: int) -> None:
    """The step after this one finds no tokens, and all its numbers are finite."""
    real, taken = loop.local_step, iter(range(10**6))

    def step(*given: Any, **named: Any) -> Statistics:
        stats = real(*given, **named)
        return stats._replace(n=0 * stats.n, N=0 * stats.N) if next(taken) >= last else stats

    patch.setattr(loop, "local_step", step)


def test_a_step_that_finds_no_tokens_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    case = "whole, mean-field"
    expected = model(case, **FIXED, max_epochs=PASSES).fit(CORPUS)
    with monkeypatch.context() as patch:
        lose_tokens(patch, good_steps(case))
        with pytest.warns(UserWarning, match=SAID_LOST):
            assert_same(model(case, **FIXED).fit(CORPUS), expected)
    lose_tokens(monkeypatch, 0)
    with pytest.raises(NotFinite, match=r"or count none, from its first step on\. Use another kernel"):
        model(case, **FIXED).fit(CORPUS)


def test_bad_numbers_from_the_first_step_on_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    spoil_sites(monkeypatch, 0)
    fresh = model("minibatches, sampled", **FIXED)
    with pytest.raises(NotFinite, match=r"not finite.* from its first step on\. Use another kernel"):
        fresh.fit(CORPUS)
    assert not hasattr(fresh, "topics_")


def test_an_error_that_bad_numbers_cause_ends_a_fit_like_them_and_another_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = "minibatches, sampled"

    def fail(*given: Any) -> None:
        raise ValueError("the length scale is nan")

    monkeypatch.setattr(loop, "learns_now", lambda settings, steps, pieces: steps > good_steps(case))
    monkeypatch.setattr(loop, "update_kernel", fail)
    with monkeypatch.context() as patch:
        spoil_sites(patch, good_steps(case))
        assert ended_early(case).n_steps_ == good_steps(case)
    with pytest.raises(ValueError, match="the length scale is nan"):
        model(case, **FIXED).fit(CORPUS)


def test_what_is_learned_at_the_end_is_left_out_if_it_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    case, given = "whole, nothing shared", {"kernel": "ou", "learn_kernel": None, "max_epochs": PASSES}
    with monkeypatch.context() as patch:
        patch.setattr(loop, "update_kernel", lambda *rest: None)
        expected = model(case, **given).fit(CORPUS)

    def spoil(posterior: TopicPosterior, *rest: Any) -> None:
        posterior.g[:] = np.nan
        posterior.refresh()

    monkeypatch.setattr(loop, "update_kernel", spoil)
    with pytest.warns(UserWarning, match=SAID.format(PASSES, PASSES)):
        assert_same(model(case, **given).fit(CORPUS), expected)


@pytest.mark.parametrize("case", ["whole, mean-field", "minibatches, sampled"])
def test_the_checkpoint_keeps_the_last_good_state(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fit.checkpoint"
    with monkeypatch.context() as patch:
        spoil_alpha(patch, good_steps(case))
        with pytest.warns(UserWarning, match=rf"fit\.checkpoint' still holds step {good_steps(case)}\."):
            model(case, path, **FIXED).fit(CORPUS)
    resumed = model(case, path, **FIXED).fit(CORPUS, resume=True)
    assert_same(resumed, model(case, **FIXED).fit(CORPUS))
    assert os.listdir(tmp_path) == [path.name]


def test_a_resumed_fit_ends_in_the_state_of_its_checkpoint_at_worst(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, path = "minibatches, sampled", tmp_path / "fit.checkpoint"
    expected = model(case, path, **FIXED, max_epochs=PASSES).fit(CORPUS)
    before = path.read_bytes()
    spoil_sites(monkeypatch, 0)
    with pytest.warns(UserWarning, match=SAID.format(good_steps(case) + 1, good_steps(case))):
        found = model(case, path, **FIXED).fit(CORPUS, resume=True)
    assert_same(found, expected)
    assert path.read_bytes() == before


@pytest.mark.parametrize("fitted", [False, True])
def test_an_update_with_bad_numbers_is_an_error_and_leaves_the_model(
    fitted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = model("whole, nothing shared", **FIXED)
    if fitted:
        found.fit(CORPUS)
    before = dict(vars(found))
    spoil_alpha(monkeypatch, 3, growth)
    with pytest.raises(NotFinite, match=r"not finite.* and the model is as it was before\. Use another kernel"):
        found.partial_fit(CORPUS)
    assert vars(found) == before
    assert hasattr(found, "topics_") == fitted
