"""A fit that was interrupted, wherever and however, goes on to the very result of one that was not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import interrupted
import numpy as np
import pytest
from interrupted import CASES, CORPUS, assert_same, model
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import chronotope as ct
from chronotope.inference import loop
from chronotope.inference.chains import Chains
from chronotope.inference.documents import documents_at_nodes
from chronotope.storage import checkpoint as checkpoints
from chronotope.storage.digest import SEAL, sealed

pytestmark = pytest.mark.usefixtures("ctrl_c")

WHOLE, MINIBATCHES = "whole, sampled", "minibatches, sampled"


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def uninterrupted() -> dict[str, ct.DynamicTopicModel]:
    return {case: model(case).fit(CORPUS) for case in CASES}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "fit.checkpoint"


@pytest.fixture
def half(path: Path) -> Path:
    """A checkpoint half-way through."""
    stop_after(MINIBATCHES, 6, path)
    return path


def press_ctrl_c_in(monkeypatch: pytest.MonkeyPatch, steps: tuple[int, ...]) -> None:
    """Send the signal in the middle of these steps."""
    real = loop.local_step

    def wrapped(docs: Any, posterior: Any, progress: Any, *rest: Any, **more: Any) -> Any:
        if len(posterior.g) > 1:  # not the static fit before the first step
            for _ in range(steps.count(progress.steps)):
                signal.raise_signal(signal.SIGINT)
        return real(docs, posterior, progress, *rest, **more)

    monkeypatch.setattr(loop, "local_step", wrapped)


def stop_after(case: str, steps: int, path: Path, **changed: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        press_ctrl_c_in(patch, (steps - 1,))
        with pytest.raises(KeyboardInterrupt):
            model(case, path, **changed).fit(CORPUS)


def header_of(path: Path) -> dict[str, Any]:
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["chronotope checkpoint"])


def rewrite(path: Path, header: dict[str, Any], arrays: dict[str, Any] | None = None) -> None:
    """Put another header and other arrays into a checkpoint, under a seal that is right."""
    full, tensors = header_of(path) | header, load_file(path) | (arrays or {})
    del full[SEAL]
    save_file(tensors, path, metadata={"chronotope checkpoint": json.dumps(sealed(full, tensors))})


# the same result


def test_saving_on_the_way_changes_nothing(
    case: str, path: Path, uninterrupted: dict[str, ct.DynamicTopicModel]
) -> None:
    assert_same(model(case, path).fit(CORPUS), uninterrupted[case])


@pytest.mark.slow
def test_a_fit_resumed_from_any_of_its_steps_ends_the_same(
    case: str, path: Path, uninterrupted: dict[str, ct.DynamicTopicModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = checkpoints.write_tensors

    def write_and_copy(target: Path, *rest: Any) -> None:
        write(target, *rest)
        shutil.copy(target, path.with_name(f"{header_of(path)['state']['steps']}.copy"))

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "write_tensors", write_and_copy)
        model(case, path).fit(CORPUS)
    copies = sorted(path.parent.glob("*.copy"))
    assert len(copies) == uninterrupted[case].n_steps_ > 5
    for copy in copies[:: max(1, len(copies) // 8)]:  # from the first to the last, about eight of them
        shutil.copy(copy, path)
        assert_same(model(case, path, checkpoint_every=60).fit(CORPUS, resume=True), uninterrupted[case])


@pytest.mark.slow
def test_a_fit_killed_at_any_moment_ends_the_same(
    tmp_path: Path, uninterrupted: dict[str, ct.DynamicTopicModel], drawn_seed: int
) -> None:
    rng = np.random.default_rng(drawn_seed)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for case in CASES:
        command = [sys.executable, interrupted.__file__, str(tmp_path), case, str(rng.integers(1, 6))]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as fit:
            while not (tmp_path / case).exists() and fit.poll() is None:
                time.sleep(0.005)
            time.sleep(rng.uniform(0, 0.2))
            fit.kill()
        assert fit.returncode == -signal.SIGKILL
        assert header_of(tmp_path / case)["finished"] is False
    for case in CASES:
        assert_same(model(case, tmp_path / case).fit(CORPUS, resume=True), uninterrupted[case])
    assert sorted(os.listdir(tmp_path)) == sorted(CASES)  # and no half-written file is left


def test_what_a_killed_program_left_half_written_is_cleared_away(path: Path) -> None:
    own, others = ".fit.checkpoint-0123abcd", (".fit-0123abcd", ".fit.checkpoint-0123", "fit.checkpoint-0123abcd")
    for name in (own, *others):
        path.with_name(name).mkdir()
        (path.with_name(name) / ".tmpAb3xYz").write_bytes(b"half")  # as safetensors leaves it
    model(WHOLE, path).fit(CORPUS)
    left = sorted([*others, "fit.checkpoint"])
    assert sorted(os.listdir(path.parent)) == left


def test_the_number_of_threads_may_change(half: Path, uninterrupted: dict[str, ct.DynamicTopicModel]) -> None:
    assert_same(model(MINIBATCHES, half, n_threads=2).fit(CORPUS, resume=True), uninterrupted[MINIBATCHES])


def test_more_passes_can_be_asked_for_later(case: str, path: Path) -> None:
    model(case, path, max_epochs=3, tol=0).fit(CORPUS)
    assert_same(
        model(case, path, max_epochs=5, tol=0).fit(CORPUS, resume=True), model(case, max_epochs=5, tol=0).fit(CORPUS)
    )


def test_resuming_what_is_finished_gives_it_again(path: Path, uninterrupted: dict[str, ct.DynamicTopicModel]) -> None:
    model(WHOLE, path).fit(CORPUS)
    assert header_of(path)["finished"] is True
    again = model(WHOLE, path).fit(CORPUS, resume=True)
    assert_same(again, uninterrupted[WHOLE])
    np.testing.assert_array_equal(again.transform(CORPUS), uninterrupted[WHOLE].transform(CORPUS))


def test_counts_with_times_resume_like_a_corpus(half: Path, uninterrupted: dict[str, ct.DynamicTopicModel]) -> None:
    resumed = model(MINIBATCHES, half)
    resumed.fit_transform(CORPUS.counts, times=CORPUS.times, resume=True)
    assert_same(resumed, uninterrupted[MINIBATCHES])


# Ctrl-C


def test_ctrl_c_ends_the_step_saves_it_and_says_how_to_go_on(
    case: str, path: Path, uninterrupted: dict[str, ct.DynamicTopicModel], monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    fresh = model(case, path, checkpoint_every=60)
    with monkeypatch.context() as patch:
        press_ctrl_c_in(patch, (3,))
        with pytest.raises(KeyboardInterrupt, match=r"after step 4.*fit\.checkpoint' holds step 4.*resume=True"):
            fresh.fit(CORPUS)
    assert "stopping after this step" in capfd.readouterr().err
    assert not hasattr(fresh, "topics_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert_same(fresh.fit(CORPUS, resume=True), uninterrupted[case])


def test_a_second_ctrl_c_stops_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch, uninterrupted: dict[str, ct.DynamicTopicModel]
) -> None:
    with monkeypatch.context() as patch:
        press_ctrl_c_in(patch, (3, 3))
        with pytest.raises(KeyboardInterrupt, match=r"after step 3; .*holds step 3"):
            model(WHOLE, path).fit(CORPUS)
    assert_same(model(WHOLE, path).fit(CORPUS, resume=True), uninterrupted[WHOLE])


def test_ctrl_c_without_a_checkpoint_is_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    press_ctrl_c_in(monkeypatch, (3,))
    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        model(WHOLE).fit(CORPUS)


def test_ctrl_c_before_anything_was_saved_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    press_ctrl_c_in(monkeypatch, (0, 0))
    with pytest.raises(KeyboardInterrupt, match="there is no checkpoint yet"):
        model(WHOLE, path).fit(CORPUS)
    assert not path.exists()


def test_a_fit_in_a_thread_leaves_signals_alone(path: Path, uninterrupted: dict[str, ct.DynamicTopicModel]) -> None:
    resumed = model(WHOLE, path)
    thread = threading.Thread(target=resumed.fit, args=(CORPUS,))
    thread.start()
    thread.join()
    assert_same(resumed, uninterrupted[WHOLE])


# a full disk


FULL = """
import resource, sys, warnings
from pathlib import Path
import numpy as np
from interrupted import CORPUS, model

path, case = Path(sys.argv[1]), sys.argv[2]
model(case, path, max_epochs=3, tol=0).fit(CORPUS)
good = path.read_bytes()
resource.setrlimit(resource.RLIMIT_FSIZE, (len(good) // 2, resource.RLIM_INFINITY))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fitted = model(case, path, max_epochs=6, tol=0).fit(CORPUS, resume=True)
assert path.read_bytes() == good, "the good checkpoint is gone"
[only] = caught
print(only.message)
print(fitted.topics_.posterior.own.g.tobytes().hex())
"""


@pytest.mark.slow
def test_a_full_disk_leaves_the_last_good_checkpoint_and_does_not_end_the_fit(path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FULL, str(path), WHOLE]
    said, sites = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "the disk is full, or a limit of it is reached" in said
    assert "It still holds step 3. The fit continues." in said
    expected = model(WHOLE, max_epochs=6, tol=0).fit(CORPUS)
    assert bytes.fromhex(sites) == expected.topics_.posterior.own.g.tobytes()
    assert os.listdir(path.parent) == [path.name]
    assert_same(model(WHOLE, path, max_epochs=6, tol=0).fit(CORPUS, resume=True), expected)


# files that cannot be gone on from


def test_resuming_without_a_file_starts_and_says_so(path: Path, uninterrupted: dict[str, ct.DynamicTopicModel]) -> None:
    with pytest.warns(UserWarning, match=r"there is no checkpoint .*fit\.checkpoint' yet: the fit starts"):
        assert_same(model(WHOLE, path).fit(CORPUS, resume=True), uninterrupted[WHOLE])


def test_resuming_needs_a_checkpoint() -> None:
    with pytest.raises(ValueError, match=r"resume=True needs a file to continue from; make the model with checkpoint="):
        model(WHOLE).fit(CORPUS, resume=True)


def test_an_interrupted_fit_is_not_overwritten_but_a_finished_one_is(half: Path) -> None:
    before = half.read_bytes()
    with pytest.raises(ValueError, match=r"holds a fit that was interrupted.*resume=True.*delete this one"):
        model(MINIBATCHES, half).fit(CORPUS)
    assert half.read_bytes() == before
    model(MINIBATCHES, half).fit(CORPUS, resume=True)
    model(WHOLE, half).fit(CORPUS)
    assert "order" not in load_file(half)


@pytest.mark.parametrize(
    "other",
    [
        CORPUS[:-1],
        CORPUS[::-1],
        ct.Corpus(CORPUS.counts, CORPUS.times + 1),
        ct.Corpus(CORPUS.counts, CORPUS.times, list("abcdefgh")),
        ct.Corpus(CORPUS.counts * 2, CORPUS.times),
    ],
    ids=["fewer", "another order", "other times", "other words", "other counts"],
)
def test_other_documents_are_refused(half: Path, other: ct.Corpus) -> None:
    before = half.read_bytes()
    with pytest.raises(ValueError, match=r"fit\.checkpoint' is of a fit to other documents, times, words or groups"):
        model(MINIBATCHES, half).fit(other, resume=True)
    assert half.read_bytes() == before


@pytest.mark.parametrize(
    "changed",
    [{"n_topics": 3}, {"seed": 4}, {"kernel": "ou"}, {"batch_size": 9}, {"alpha": 0.1}, {"dtype": "float64"}],
    ids=lambda changed: next(iter(changed)),
)
def test_other_parameters_are_refused_by_name(half: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=rf"is of a fit with another .*{next(iter(changed))}.*pass the same to resume it"
    ):
        model(MINIBATCHES, half, **changed).fit(CORPUS, resume=True)


def test_another_version_is_refused(half: Path) -> None:
    rewrite(half, {"version": "9.9"})
    with pytest.raises(ValueError, match=r"is of Chronotope 9\.9; this is"):
        model(MINIBATCHES, half).fit(CORPUS, resume=True)


def test_fewer_passes_than_were_made_are_refused(path: Path) -> None:
    model(WHOLE, path, max_epochs=3).fit(CORPUS)
    with pytest.raises(ValueError, match="is in pass 3, but max_epochs is 2; raise it"):
        model(WHOLE, path, max_epochs=2).fit(CORPUS, resume=True)


def test_a_file_of_another_kind_is_neither_read_nor_overwritten(path: Path, half: Path, tmp_path: Path) -> None:
    finished = model(WHOLE).fit(CORPUS)
    finished.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    for resume in (False, True):
        with pytest.raises(ValueError, match=r"is not a Chronotope checkpoint.*Choose another file"):
            model(WHOLE, tmp_path / "model").fit(CORPUS, resume=resume)
    assert (tmp_path / "model").read_bytes() == before
    with pytest.raises(ValueError, match="is not a Chronotope model"):
        ct.load(half)


def test_a_place_that_cannot_be_written_to_is_refused_before_the_fit(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*missing.*make it first"):
        model(WHOLE, tmp_path / "missing" / "fit").fit(CORPUS)
    with pytest.raises(IsADirectoryError, match="is a folder; pass the name of a file"):
        model(WHOLE, tmp_path).fit(CORPUS)


@pytest.mark.parametrize("keep", [0, 5, 100, 0.5, -1])
def test_a_cut_file_is_refused(half: Path, keep: float) -> None:
    data = half.read_bytes()
    half.write_bytes(data[: int(len(data) * keep) if isinstance(keep, float) else keep])
    for resume in (False, True):
        with pytest.raises(ValueError, match=r"cannot be read as a checkpoint .*damaged.*delete this one to start"):
            model(MINIBATCHES, half).fit(CORPUS, resume=resume)


@pytest.mark.slow
def test_a_wrong_byte_anywhere_is_noticed(half: Path, uninterrupted: dict[str, ct.DynamicTopicModel]) -> None:
    """Wherever one byte is wrong, the fit is refused in a sentence, or it ends the same."""
    data, refused = half.read_bytes(), 0
    for at in np.linspace(0, len(data) - 1, 120).astype(int).tolist():
        half.write_bytes(data[:at] + bytes([data[at] ^ 0x15]) + data[at + 1 :])
        try:
            resumed = model(MINIBATCHES, half).fit(CORPUS, resume=True)
        except ValueError as error:
            assert "fit.checkpoint" in str(error)  # noqa: PT017
            refused += 1
        else:
            assert_same(resumed, uninterrupted[MINIBATCHES])
    assert refused > 80


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({"state": None}, {}),
        ({"state": {"steps": "many"}}, {}),
        ({"settings": None}, {}),
        ({"state": {"steps": float("inf"), "documents": 1, "idle": 0}}, {}),
        ({"state": {"steps": 10**30, "documents": 1, "idle": 0}}, {}),
        ({"state": {"steps": 1, "documents": -1, "idle": 0}}, {}),
        ({}, {"g": np.zeros((2, 2, 2), np.float32)}),
        ({}, {"g": np.zeros((6, 2, 8), np.float64)}),
        ({}, {"bounds": np.zeros((2, 2))}),
        ({}, {"extra": np.zeros(3)}),
        ({}, {"common_g": np.zeros((6, 2, 8), np.float32)}),
        ({}, {"common_m": np.zeros((6, 1, 8), np.float64)}),
        ({}, {"common_kl": np.zeros(2)}),
        ({}, {"kernel": np.full(2, np.nan)}),
        ({}, {"m": np.full((6, 2, 8), np.nan, np.float32)}),
    ],
)
def test_a_forged_file_is_refused(half: Path, header: dict[str, Any], arrays: dict[str, Any]) -> None:
    rewrite(half, header, arrays)
    with pytest.raises(ValueError, match=r"fit\.checkpoint' (cannot be read as a checkpoint|is of a fit with)"):
        model(MINIBATCHES, half).fit(CORPUS, resume=True)


TOKENS = len(Chains.of(documents_at_nodes(CORPUS.counts, np.zeros(len(CORPUS), np.int64))).topic)


@pytest.mark.parametrize(
    "arrays",
    [
        {"topic": np.full(TOKENS, 2, np.uint16)},
        {"topic": np.append(np.zeros(TOKENS - 1, np.uint16), np.uint16(65_535))},
        {"topic": np.zeros(TOKENS - 1, np.uint16)},
        {"topic": np.zeros(TOKENS + 1, np.uint16)},
        {"topic": np.zeros(TOKENS, np.int64)},
        {"topic": np.zeros((TOKENS, 1), np.uint16)},
        {"started": np.ones(len(CORPUS) - 1, np.bool_)},
        {"started": np.full(len(CORPUS), 7, np.uint8)},
    ],
    ids=["topic 2 of 2", "the last topic", "too few", "too many", "type", "shape", "started too few", "started type"],
)
@pytest.mark.parametrize("case", [WHOLE, MINIBATCHES])
def test_topics_of_tokens_that_cannot_be_are_refused_before_any_loop(
    case: str, arrays: dict[str, Any], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_after(case, 3, path)
    rewrite(path, {}, arrays)
    monkeypatch.setattr(loop, "sample_batch", lambda *given, **more: pytest.fail("a loop was reached"))
    said = rf"fit\.checkpoint' cannot be read as a checkpoint .*{next(iter(arrays))} has .*delete this"
    with pytest.raises(ValueError, match=said):
        model(case, path).fit(CORPUS, resume=True)


def test_a_checkpoint_holds_the_topics_of_all_tokens_and_which_chains_have_started(path: Path) -> None:
    stop_after(WHOLE, 3, path)
    whole = load_file(path)
    assert whole["topic"].shape == (TOKENS,)
    assert set(whole["topic"].tolist()) == {0, 1}
    assert whole["started"].all()
    path.unlink()
    stop_after("minibatches, sampled without a static start", 2, path)
    assert load_file(path)["started"].sum() == 16  # two of four minibatches


@pytest.mark.parametrize("bad", [{"checkpoint": 3}, {"checkpoint_every": -1}, {"checkpoint_every": "often"}])
def test_parameters_that_cannot_work_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(bad))} is"):
        model(WHOLE, **bad).fit(CORPUS)


def test_the_path_of_a_checkpoint_is_not_told_in_the_models_file(path: Path, tmp_path: Path) -> None:
    model(WHOLE, path).fit(CORPUS).save(tmp_path / "model")
    assert ct.load(tmp_path / "model").checkpoint is None
    assert b"fit.checkpoint" not in (tmp_path / "model").read_bytes()
