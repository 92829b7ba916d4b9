"""Every experiment runs from beginning to end; what it finds with so little is not looked at."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from chronotope import datasets
from chronotope.datasets import state_of_the_union

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "experiments"
DATA = ROOT.parent / "shared" / "data"
WRITTEN = {
    "table2": {"table.md", "table.csv", "table.txt", "comparison.png"},
    "war_topic": {"war.png", "peaks.csv", "wars.csv"},
    "convergence": {"bounds.png", "bounds.csv"},
    "learning": {"learning.csv"},
    "coverage": {"coverage.csv"},
    "growing": {"growing.csv"},
}
PAPERS = {"nips_topic": "nips_1987_2003", "arxiv_topic": "arxiv_abstracts"}

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


read_once = cache(state_of_the_union)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch):
    """Import a script as it is when run: with its own folder on the path. The addresses are read once for all."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(datasets, "state_of_the_union", read_once)
    before = set(sys.modules)

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    yield load
    for name in {*WRITTEN, *PAPERS, "common"} - before:
        sys.modules.pop(name, None)


def quick(module: ModuleType, out: Path, *more: str) -> set[str]:
    """Run the smallest of trials; returns the names of the files written."""
    module.main(["--quick", "--topics", "3", "--seeds", "0", "--out", str(out), *more])
    return {path.name for path in out.iterdir() if path.is_file()}


def test_every_script_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {*WRITTEN, *PAPERS, "common"}


@pytest.mark.parametrize("name", WRITTEN)
def test_script_runs_and_writes_its_files(name: str, script, tmp_path: Path) -> None:
    assert quick(script(name), tmp_path) == WRITTEN[name]


@pytest.mark.parametrize("name", PAPERS)
def test_script_on_papers_runs_and_writes_its_picture(name: str, script, tmp_path: Path) -> None:
    if not (DATA / PAPERS[name]).is_dir():
        pytest.skip(f"{PAPERS[name]} is not beside the repository (../shared/data)")
    assert quick(script(name), tmp_path, "--data", str(DATA)) == {"topic.png"}


def test_absent_data_is_an_error_of_one_sentence(tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(FOLDER / "nips_topic.py"), "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    ended = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}, check=False)
    assert ended.returncode == 1
    assert ended.stderr.strip().startswith("error: there is no folder")
    assert "--data FOLDER" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_peaks_are_the_highest_of_all_times_and_topics(script) -> None:
    """Peaks against the plain argmax over times and topics."""
    import numpy as np

    war, coverage = script("war_topic"), script("coverage")
    corpus, _ = coverage.draw(coverage.KERNELS["OU"], np.arange(25.0), 2, 8, 3, seed=0)
    topics = coverage.DynamicTopicModel(2, "ou", max_epochs=2, verbose=False).fit(corpus).topics_
    nodes = topics.times
    pi = topics.probabilities(nodes)
    found = war.find_peaks(topics)
    np.testing.assert_allclose(found.probability, pi.max(axis=(0, 1)), rtol=1e-6)
    np.testing.assert_array_equal(found.year, nodes[pi.max(axis=1).argmax(axis=0)])
    np.testing.assert_array_equal(found.topic, pi.max(axis=0).argmax(axis=0))
    assert war.war_rows(found, topics) == []
    assert pd.DataFrame(war.word_rows(found, topics)).columns.tolist() == ["word"]
