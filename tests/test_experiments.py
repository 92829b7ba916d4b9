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

from chronotope import Corpus, datasets
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
    "calibration": {"calibration.csv"},
    "growing": {"growing.csv"},
    "prevalence": {"prevalence.csv", "pairs.csv"},
    "completion": {"completion-sotu.csv"},
    "dating": {"dating.csv"},
    "partings": {"partings.csv"},
    "pooling": {"pooling.csv"},
}
ON_DATA = {  # folder of the data, and the file written
    "nips_topic": ("nips_1987_2003", "topic.png"),
    "arxiv_topic": ("arxiv_abstracts", "topic.png"),
    "places": ("texas_historical_markers", "places.csv"),
    "known_events": ("un_general_debates", "known_events.csv"),
}

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
    for name in {*WRITTEN, *ON_DATA, "common", "groups", "hamiltonian"} - before:
        sys.modules.pop(name, None)


def quick(module: ModuleType, out: Path, *more: str) -> set[str]:
    """Run the smallest of trials; returns the names of the files written."""
    module.main(["--quick", "--topics", "3", "--seeds", "0", "--out", str(out), *more])
    return {path.name for path in out.iterdir() if path.is_file()}


def test_every_script_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {*WRITTEN, *ON_DATA, "common", "groups", "hamiltonian"}


@pytest.mark.parametrize("name", WRITTEN)
def test_script_runs_and_writes_its_files(name: str, script, tmp_path: Path) -> None:
    assert quick(script(name), tmp_path) == WRITTEN[name]


@pytest.mark.parametrize("name", ON_DATA)
def test_script_on_data_runs_and_writes_its_file(name: str, script, tmp_path: Path) -> None:
    folder, written = ON_DATA[name]
    if not (DATA / folder).is_dir():
        pytest.skip(f"{folder} is not beside the repository (../shared/data)")
    assert quick(script(name), tmp_path, "--data", str(DATA)) == {written}


def test_date_by_counting_is_where_most_documents_have_the_word(script) -> None:
    """Two of three documents of 1951 have it; 1950 has more of them, but fewer than expected of nine."""
    texts = ["war peace"] * 3 + ["peace treaty"] * 6 + ["war peace"] * 2 + ["peace treaty"]
    corpus = Corpus.from_texts(texts, [1950.0] * 9 + [1951.25, 1951.5, 1951.75])
    known = script("known_events")
    assert known.counted_date(corpus, "war", 1.0) == 1951.375
    assert pd.isna(known.counted_date(corpus, "absent", 1.0))


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
