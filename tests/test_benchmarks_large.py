"""The benchmark of a large corpus runs from beginning to end on a small one."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import chronotope as ct

pytest.importorskip("resource")
SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "large.py"


@pytest.fixture(scope="module")
def large():
    spec = importlib.util.spec_from_file_location("large", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_trial_draws_trains_and_evaluates(large, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = large.main(["--quick", "--folder", str(tmp_path)])
    assert found["truth"] < found["perplexity"] < found["unigram"]
    shown = capsys.readouterr().out
    for said in ("Drawn and written", "20,000 documents", "documents per second", "GB resident", "Perplexity"):
        assert said in shown
    assert len(ct.open_corpus(tmp_path / "corpus")) == 20_000


def test_documents_have_the_length_and_the_words_they_were_drawn_with(large) -> None:
    rng = np.random.default_rng(0)
    pi = np.array([[0.7, 0.2, 0.1, 0.0], [0.0, 0.0, 0.5, 0.5]])
    counts = large._documents(pi, 20_000, 50, rng)
    lengths = np.asarray(counts.sum(axis=1))
    assert lengths.min() >= 1
    assert lengths.mean() == pytest.approx(50.5, rel=0.02)  # rounded up
    share = np.asarray(counts.sum(axis=0)) / counts.sum()
    np.testing.assert_allclose(share, pi.mean(axis=0), rtol=0.05, atol=0.01)
