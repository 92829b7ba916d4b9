"""The benchmarks run from beginning to end on next to nothing; nothing is asserted on their clocks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from planted import plant

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck
from chronotope.evaluate.static import static_perplexity
from chronotope.inference.gibbs import TOKENS

ROOT = Path(__file__).resolve().parents[1]
V, K = 30, 2

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def bench():
    """The modules of the benchmarks, which are run from the root of the project."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from benchmarks import (
            __main__,
            cluster,
            corpora,
            documents,
            evaluator,
            limits,
            many,
            ours,
            peers,
            processes,
            reach,
            readme,
            roofline,
            scale,
            targets,
        )

        measures = (cluster, limits, many, ours, peers, reach, roofline, targets)
        modules = (corpora, documents, evaluator, processes, readme, scale, *measures)
        yield SimpleNamespace(main=__main__, **{module.__name__.split(".")[1]: module for module in modules})


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return plant(OrnsteinUhlenbeck(2.0, 20.0), np.arange(12.0), K, V, documents=4, length=40).corpus


@pytest.fixture(scope="module")
def train(bench, corpus: Corpus):
    return bench.corpora.in_order(corpus)


class Reports(list):
    """What a system reports: label, seconds, topics."""

    def __call__(self, *report) -> None:
        label, seconds, topics_at = report
        self.append((label, seconds, np.array(topics_at(np.array([0.5, 7.0])))))


def test_uniform_topics_have_the_perplexity_of_a_dice(bench, train) -> None:
    uniform = np.full((1, K, V), 1.0 / V)
    found = bench.evaluator.held_out_perplexity(train, lambda times: np.repeat(uniform, len(times), axis=0))
    np.testing.assert_allclose(found, V, rtol=1e-5)


def test_evaluator_agrees_with_the_library_on_static_topics(bench, train, corpus: Corpus) -> None:
    """The best of the alphas, each as `static_perplexity` has it for the same halves."""
    topics = np.random.default_rng(0).dirichlet(np.full(V, 0.5), size=K)
    ordered = Corpus(train.counts, train.times, train.vocabulary)
    expected = min(static_perplexity(topics, alpha, ordered, local="mean-field") for alpha in bench.evaluator.ALPHAS)
    found = bench.evaluator.held_out_perplexity(train, lambda times: np.repeat(topics[None], len(times), axis=0))
    np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_topics_that_are_no_distributions_are_refused(bench, train) -> None:
    with pytest.raises(ValueError, match="not distributions"):
        bench.evaluator.held_out_perplexity(train, lambda times: np.ones((len(times), K, V)))


@pytest.mark.parametrize("batch_size", [None, 9])
def test_watching_a_fit_does_not_change_it(bench, train, batch_size: int | None, monkeypatch) -> None:
    monkeypatch.setattr("chronotope.inference.loop.add_doubt", lambda *given: None)  # comes after the steps
    passes = 13 if batch_size is None else 5  # the kernel is learned before the last of them
    reports, settings = Reports(), {"max_epochs": passes, "batch_size": batch_size}
    facts = bench.ours.chronotope(train, reports, n_topics=K, threads=1, **settings)
    corpus = Corpus(train.counts, train.times, train.vocabulary)
    plain = DynamicTopicModel(K, n_threads=1, verbose=False, **settings).fit(corpus)
    np.testing.assert_allclose(reports[-1][2], plain.topics_.probabilities([0.5, 7.0]), rtol=1e-6)
    steps = passes * (1 if batch_size is None else -(-len(train) // batch_size))
    assert len(facts["steps"]) == len(facts["globals"]) == steps
    labels = [label for label, *_ in reports]
    assert labels[:3] == ["start", "1 steps", "2 steps"]
    assert labels[-1] == f"{steps} steps"
    assert len(set(labels)) == len(labels)
    assert facts["nodes"] == 12


def test_a_fit_ends_after_the_steps_asked_for(bench, train) -> None:
    facts = bench.ours.chronotope(train, Reports(), n_topics=K, threads=1, batch_size=10, max_epochs=9, steps=3)
    assert len(facts["steps"]) == 3


@pytest.mark.parametrize(
    ("system", "package", "options"),
    [
        ("sklearn_lda", "sklearn", {"epochs": 1}),
        ("tomotopy_lda", "tomotopy", {"stops": [1, 3]}),
        ("tomotopy_dtm", "tomotopy", {"stops": [1, 3], "slices": 3}),
        ("topica_lda", "topica", {"iterations": 3}),
        ("gensim_dtm", "gensim", {"iterations": 1, "slices": 2}),
    ],
)
def test_peers_report_distributions(bench, train, system: str, package: str, options: dict) -> None:
    pytest.importorskip(package, reason=f"the peer {package} is not installed: pip install 'chronotope[bench]'")
    reports, few = Reports(), train.sample(16).frequent(8)
    facts = getattr(bench.peers, system)(few, reports, n_topics=K, threads=1, **options)
    assert facts["pass"] > 0
    assert len(reports) == len(options.get("stops", [1]))
    for _, _, topics in reports:
        assert topics.shape == (2, K, 8)
        np.testing.assert_allclose(topics.sum(axis=2), 1.0, atol=1e-5)


def test_slices_without_documents_are_left_out(bench) -> None:
    which, middles = bench.peers.slice_times(np.array([0.0, 1.0, 1.5, 9.0, 10.0]), 5)
    np.testing.assert_array_equal(which, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(middles, [2.5 / 3, 9.5], rtol=1e-12)


def test_times_are_rounded_to_so_many(bench) -> None:
    times = np.linspace(0, 10, 101)
    documents = bench.documents.Documents(sp.eye(101, format="csr"), times, np.arange(101).astype(str))
    rounded = documents.rounded(11).times
    assert len(np.unique(rounded)) == 11
    assert np.abs(rounded - times).max() <= 0.5 + 1e-9


@pytest.mark.slow
def test_a_peer_that_fails_is_told_and_stops_nothing(bench, train, tmp_path: Path) -> None:
    """In a process of its own: an option nobody knows, then a fit."""
    file = train.save(tmp_path / "train.npz")
    wrong = bench.processes.Entry("wrong", "sklearn_lda", {"n_topics": K, "epochs": 1, "nonsense": 1})
    failed = bench.processes.carry_out(wrong, file, None, 1)
    assert "nonsense" in failed.failure
    right = bench.processes.Entry("right", "chronotope", {"n_topics": K, "max_epochs": 1})
    run = bench.processes.carry_out(right, file, file, 1)
    assert run.failure is None
    assert [point["label"] for point in run.points] == ["start", "1 steps"]
    assert 1 < run.points[-1]["perplexity"] < 2 * V
    assert 0 < run.peak < 4


def test_bytes_and_multiply_adds_of_a_draw_are_counted_over_padded_topics(bench) -> None:
    """Held, E and φ, which is read and written, in single precision, and the topic, of two bytes."""
    assert [bench.roofline.draw_bytes(K) for K in (1, 8, 20, 200)] == [132, 132, 388, 3204]
    assert [bench.roofline.draw_multiply_adds(K) for K in (1, 20, 200)] == [24, 72, 600]


def test_loops_of_the_limits_compute_what_they_say(bench) -> None:
    a, b, c = (np.random.default_rng(i).random(50, np.float32) for i in range(3))
    bench.limits._triad(a, b, c, np.float32(0.5))
    np.testing.assert_allclose(a, b + 0.5 * c, rtol=1e-6)
    expected = 1.0 + (b - 1.0) * 0.5 ** (2.0 * bench.limits.TERMS)  # 1 is the fixed point of x ← (x + 1)/2
    bench.limits._multiply_add(b, np.float32(0.5), 2)
    np.testing.assert_allclose(b, expected, rtol=1e-6)


def test_fractions_of_the_limits(bench) -> None:
    found = bench.roofline.beside({"bandwidth": 10.0, "multiply_adds": 50.0}, 2e9, 5e9)
    assert found == {"bandwidth": 2.0, "of_bandwidth": 0.2, "rate": 5.0, "of_rate": 0.1}


@pytest.mark.slow
def test_loops_are_timed_for_each_number_of_topics(bench, corpus: Corpus) -> None:
    found = bench.roofline.measure_roofline(corpus, bench.scale.TRIAL)
    assert [each["topics"] for each in found["loops"]] == [2, 4]
    for each in found["loops"]:
        assert (each["nodes"], each["words"], each["draws"]["bytes"]) == (12, V, 132)
        assert each["step"]["bytes"] == 24 * 12 * each["topics"] * V * 4
        assert each["draws"]["tokens"] == np.minimum(corpus.counts.data, TOKENS).sum()
    page = bench.readme._roofline(found)
    assert "| 2 |" in page
    assert "| 12 × 4 × 30 |" in page
    json.dumps(found)


@pytest.mark.slow
def test_many_topics_are_scored_and_a_failing_peer_is_told(
    bench, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two fits of Chronotope; the peer fails."""
    ours, peer = bench.many._entries(2, bench.scale.TRIAL)
    failing = peer._replace(options={"n_topics": 2, "nonsense": 1})
    monkeypatch.setattr(bench.many, "_entries", lambda K, scale: [ours, failing])
    found = bench.many.measure_many("planted", corpus, bench.scale.TRIAL, 1, tmp_path)
    start, dynamic, iteration = found["costs"]
    assert all(seconds > 0 for each in (start, dynamic) for seconds in each["seconds"])
    assert iteration["seconds"] == [None, None]
    assert iteration["growth"] is None
    runs = found["runs"]
    assert [point["label"] for point in runs[bench.many.OURS]["points"]] == ["start", "1 steps"]
    page = bench.readme._many(found)
    assert f"| {bench.many.OURS} | 1 steps |" in page
    assert runs["tomotopy LDAModel"]["failure"] in page


def test_a_pass_without_what_is_done_once(bench) -> None:
    """The step that learns the pace, of 7 s, is not the median; an iteration is one after the first stop."""
    ours = bench.processes.Run(facts={"start": 30.0, "steps": [9.0, 1.0, 7.0, 1.0], "pass": 9.0})
    peer = bench.processes.Run(facts={"pass": 3.0, "later": 0.5})
    assert bench.many._seconds(bench.many.START, ours) == 30.0
    assert bench.many._seconds(bench.many.DYNAMIC_PASS, ours) == 2.0
    assert bench.many._seconds(bench.many.ITERATION, peer) == 0.5


def test_corpus_of_many_words_has_no_more_documents_than_asked_for(bench) -> None:
    full = bench.scale.FULL
    assert (full.wide().documents, full.wide().words) == (20_000, 20_000)
    assert replace(full, documents=500).wide().documents == 500


def made_up_results() -> dict:
    """Results as a run has them: ours reaches 900 after 2 s; scikit-learn has 900 after 20 s; tomotopy is missing."""

    def run(*points: tuple[str, float, float], failure: str | None = None, **facts: object) -> dict:
        named = [dict(zip(("label", "seconds", "perplexity"), point, strict=True)) for point in points]
        return {"points": named, "facts": facts, "peak": 0.5, "failure": failure}

    ours = run(("start", 1.0, 1000.0), ("1 steps", 2.0, 900.0), steps=[1.0])
    missing = run(failure="not installed: 'tomotopy'")
    runs = {name: ours for name in ("Chronotope, default", "Chronotope, ou", "Chronotope, ou, batches of 1,000")}
    runs |= {"scikit-learn online LDA": run(("3 epochs", 20.0, 900.0)), "tomotopy LDAModel": missing}
    runs["tomotopy DTModel"] = missing
    curves = [{"letter": each, "x": [1.0, 10.0], "seconds": [1.0, 10.0], "slope": 1.0} for each in "DTMKV"]
    kernels = {name: {"seconds": 1.0, "nodes": 5, "rank": None} for name in ("ou", "se", "cauchy")}
    return {
        "about": {"date": "", "cpu": "", "cores": 2, "threads": 2, "python": "", "versions": {}},
        "reach": {"corpus": "made up", "runs": runs, "alone": run(total=3.0)},
        "cost": {"curves": curves, "kernels": kernels},
        "startup": {
            "import chronotope": {"seconds": 0.1, "cpu": None},
            "first small fit, nothing compiled yet": {"seconds": 12.0, "cpu": 11.0},
            "second small fit, in a new process": {"seconds": 2.0, "cpu": 1.9},
            "second small fit, in the same process": None,
        },
        "many": {"corpus": "made up", "topics": [2, 4], "costs": [], "runs": {"tomotopy LDAModel": missing}},
    }


def test_verdicts_follow_from_the_ratios(bench) -> None:
    verdicts = {(t.what, t.who): (t.measured, t.verdict) for t in bench.targets.judge(made_up_results())}
    first = (
        "time to reach the perplexity of scikit-learn online LDA after 3 epochs, relative to its time",
        "Chronotope, default",
    )
    assert verdicts[first] == (0.1, "met")
    best = "time to reach the best static perplexity, of scikit-learn online LDA, relative to its time"
    assert verdicts[best, "Chronotope, default"] == (0.1, "met")
    assert [verdict for (what, _), (_, verdict) in verdicts.items() if "distinct times" in what] == ["missed by 7.69×"]
    assert [v for (what, _), (_, v) in verdicts.items() if "DTModel" in what] == ["not measured"] * 3
    assert all(v == "met" for (what, _), (_, v) in verdicts.items() if "slope" in what or "kernel" in what)
    assert [found for (what, _), found in verdicts.items() if "first small fit" in what] == [(6.0, "met")]


def test_best_static_system_is_the_one_of_the_best_perplexity(bench) -> None:
    runs = made_up_results()["reach"]["runs"]
    runs["topica LDA"] = {"points": [{"label": "", "seconds": 9.0, "perplexity": 800.0}]}
    runs["tomotopy DTModel"] = {"points": [{"label": "", "seconds": 1.0, "perplexity": 1.0}]}  # not static
    assert bench.reach.best_static(runs) == ("topica LDA", runs["topica LDA"]["points"][0])
    assert bench.reach.best_static({}) is None


def test_only_the_whole_default_corpus_is_published(bench) -> None:
    given = [[], ["--corpus", "sotu"], ["--docs", "9"], ["--scale", "quick"], ["--corpus", "sotu", "--out", "there"]]
    found = [bench.main.options(each).out for each in given]
    assert found == ["benchmarks", "results/bench", "results/bench", "results/bench", "there"]


def test_a_goal_never_reached_is_missed(bench) -> None:
    results = made_up_results()
    results["reach"]["runs"]["scikit-learn online LDA"]["points"][0]["perplexity"] = 10.0
    found = [t for t in bench.targets.judge(results) if "scikit-learn" in t.what]
    assert [(t.figure, t.verdict) for t in found] == [("–", "missed: never reached")] * 4


@pytest.mark.slow
def test_page_and_pictures_are_written(bench, tmp_path: Path) -> None:
    bench.main.write(made_up_results(), "quick", tmp_path)
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "not installed: 'tomotopy'" in page
    assert "no verdict" in page
    pictures = {"reach.png", "many.png", *(f"cost_{x}.png" for x in "DTMKV")}
    assert {path.name for path in (tmp_path / "images").iterdir()} == pictures
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8")) == made_up_results()


def test_wrong_options_are_a_sentence(bench, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main.options(["--docs", "0"])
    assert "--docs is 0; expected at least 1." in capsys.readouterr().err


@pytest.mark.slow
def test_fits_on_a_cluster_are_measured_and_their_steps_foretold(bench, corpus: Corpus) -> None:
    found = bench.cluster.measure_cluster(corpus, bench.scale.TRIAL, 1)
    assert [run["workers"] for run in found["runs"]] == [1, 2]
    for run in found["runs"]:
        assert run["sent"] > run["calls"] >= 1
        assert run["model"] > 0.0
    assert len(found["forecast"]) == 6
    quicker = {row["workers"]: row["pass"] for row in found["forecast"] if row["documents"] == 10_000_000}
    assert quicker[8] > quicker[64] > quicker[256]
    assert "| 2 workers |" in bench.readme.SECTIONS["cluster"](found)
