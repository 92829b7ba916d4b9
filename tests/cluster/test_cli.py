"""The command line on a cluster: the same model, what a fit would do, and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from interrupted import assert_same
from typer.testing import CliRunner

import chronotope as ct
from chronotope.cli import app

SMALL = ("--topics", 2, "--epochs", 3)
WORDS = np.array(["war", "army", "navy", "battle", "wheat", "corn", "farm", "market"])


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tables of texts of 1900 to 1919."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("tables")
    for part in range(3):
        texts = [" ".join(rng.choice(WORDS, 30)) for _ in range(20)]
        dates = [f"{1900 + i}-0{part + 1}-01" for i in range(20)]
        pd.DataFrame({"date": dates, "text": texts}).to_csv(folder / f"part-{part}.csv", index=False)
    return folder


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.slow
def test_a_fit_reads_and_learns_on_the_cluster_to_the_same_model(tables, tmp_path):
    out, shares = tmp_path / "model.ct", tmp_path / "shares.csv"
    result = run("fit", tables, *SMALL, "--on-disk", tmp_path / "counts", "--out", out, "--cluster", "local:1")
    assert result.exit_code == 0, result.output
    assert "Working on the cluster local:1" in result.stderr
    alone = ct.DynamicTopicModel(2, max_epochs=3).fit(ct.read_corpus(tables))
    assert_same(ct.load(out), alone)
    result = run("infer", out, tables, "--out", shares, "--cluster", "local:1")
    assert result.exit_code == 0, result.output
    found = pd.read_csv(shares)[["topic0", "topic1"]].to_numpy()
    np.testing.assert_allclose(found, alone.transform(ct.read_corpus(tables)), rtol=1e-12, atol=0.0)


@pytest.mark.slow
def test_counts_of_several_tables_are_beside_the_model_while_it_is_fitted(tables, tmp_path):
    out = tmp_path / "model.ct"
    left = tmp_path / "model.ct.counts"
    left.mkdir()
    fit = ("fit", tables, *SMALL, "--out", out, "--cluster", "local:1")
    refused = run(*fit)
    assert refused.exit_code != 0
    assert "unfinished fit" in refused.stderr
    result = run(*fit, "--force")
    assert result.exit_code == 0, result.output
    assert_same(ct.load(out), ct.DynamicTopicModel(2, max_epochs=3).fit(ct.read_corpus(tables)))
    assert not left.exists()


def test_a_dry_run_says_what_a_step_on_the_cluster_is(tables):
    result = run("fit", tables, *SMALL, "--cluster", "local:1", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "1 calls in each step" in result.stdout
    assert "of memory in each worker" in result.stdout
    facts = json.loads(run("fit", tables, *SMALL, "--cluster", "local:1", "--dry-run", "--json").stdout)
    assert facts["cluster"]["sent"] > facts["cluster"]["received"] > 0


def test_a_cluster_that_is_no_address_is_refused_with_a_sentence(tables, tmp_path):
    result = run("fit", tables, *SMALL, "--out", tmp_path / "model.ct", "--cluster", "everywhere")
    assert result.exit_code == 2
    assert "'everywhere', which is no address and no file; expected tcp://host:8786" in result.stderr


def is_gone(group: int) -> bool:
    """Whether all processes of a group have ended, or do so within some seconds."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


ENDLESS = """
import signal
import sys
import numpy as np
import chronotope as ct
from chronotope.inference import loop

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background of a shell would ignore it
    loop.count_idle = lambda *given: None  # no pass counts as one without gain
    corpus = ct.Corpus(np.random.default_rng(0).poisson(1.0, (60, 8)), np.arange(60.0))
    with ct.cluster.connect("local:2") as client:
        model = ct.DynamicTopicModel(2, max_epochs=10**6, batch_size=10, engine=client, verbose=False)
        try:
            model.set_params(checkpoint=sys.argv[1], checkpoint_every=0).fit(corpus)
        except KeyboardInterrupt as stopped:
            print(stopped, file=sys.stderr)
"""


@pytest.mark.slow
def test_ctrl_c_saves_the_fit_and_leaves_no_process_behind(tmp_path):
    """Ctrl-C reaches all processes of the terminal, so those of the workers too."""
    script, saved = tmp_path / "endless.py", tmp_path / "fit.checkpoint"
    script.write_text(ENDLESS)
    command = [sys.executable, str(script), str(saved)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, text=True)
    while not saved.exists():
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    try:
        _, said = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert process.returncode == 0, said
    assert "Resume it by fit(..., resume=True)" in said
    assert "Traceback" not in said
    assert is_gone(process.pid)
