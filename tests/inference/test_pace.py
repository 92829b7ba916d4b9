"""How quickly words change is learned from left-out times: what it finds, what it leaves alone, when it happens."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import Planted, place_documents, plant
from scipy.special import log_softmax

import chronotope as ct
from chronotope.gp import topic_prior
from chronotope.inference import loop
from chronotope.inference.documents import Documents
from chronotope.inference.pace import FEWEST, RHO, STEPS, Pace, Trial, learn_pace, prepare_trial
from chronotope.inference.posterior import TopicPosterior, caution
from chronotope.kernels import Constant, Kernel, OrnsteinUhlenbeck, parse_kernel

YEARS, K, V = np.arange(40.0), 2, 40
PACES = {"fast": (2.0, 2.0), "middle": (1.0, 10.0), "slow": (0.3, 60.0)}  # variance and length scale of the change
ALPHA = np.full(K, 0.3)


def change(variance: float, length_scale: float) -> Kernel:
    return Constant(3.0) + OrnsteinUhlenbeck(variance, length_scale)


def draw(pace: str, years: Any = YEARS) -> Planted:
    return plant(change(*PACES[pace]), years, n_topics=K, n_words=V, documents=10, length=80, seed=3)


@pytest.fixture(scope="module", params=PACES)
def drawn(request: pytest.FixtureRequest) -> tuple[Planted, float, float]:
    """A corpus, and the variance and length scale of the change that it was drawn with."""
    return draw(request.param), *PACES[request.param]


@pytest.fixture(scope="module")
def fast() -> ct.Corpus:
    return draw("fast").corpus


def placed(planted: Planted, kernel: Kernel) -> tuple[Documents, TopicPosterior]:
    """The documents, and constant topics to begin with."""
    corpus, mean = planted.corpus, np.zeros(V)
    docs = place_documents(corpus.counts, corpus.times, kernel, planted.times, mean)
    start = TopicPosterior(topic_prior(kernel, planted.times, 0.0), planted.probabilities.mean(axis=0), mean, "float32")
    return docs, start


def found_from(planted: Planted, kernel: Kernel, seed: int = 0) -> dict[str, float | None]:
    trial = prepare_trial(*placed(planted, kernel), ALPHA, seed)
    assert trial is not None
    pace = Pace.of(kernel, frozenset(kernel.theta_names))
    assert pace is not None
    return learn_pace(trial, pace).parameters


# what it finds


@pytest.mark.parametrize("factor", [1 / 32, 1.0, 32.0])
def test_a_wrong_variance_is_led_back(drawn: tuple[Planted, float, float], factor: float) -> None:
    planted, variance, length = drawn
    found = found_from(planted, change(factor * variance, length))
    assert 0.4 < found["1.variance"] / variance < 2.5
    assert 0.2 < found["1.length_scale"] / length < 5.0


@pytest.mark.parametrize("factor", [1 / 32, 32.0])
def test_from_a_wrong_length_scale_the_rate_of_change_is_led_back(
    drawn: tuple[Planted, float, float], factor: float
) -> None:
    """Over times shorter than the length scale only variance / length scale shows: one may make up for the other.

    Which times are left out is drawn: the median over three draws counts.
    """
    planted, variance, length = drawn
    each = [found_from(planted, change(variance, factor * length), seed) for seed in range(3)]
    rate = np.median([found["1.variance"] / found["1.length_scale"] for found in each])
    assert abs(np.log(rate) - np.log(variance / length)) < 0.5 * abs(np.log(factor))


def test_fast_change_is_told_from_slow_by_a_fit() -> None:
    rates = {}
    for pace in ("fast", "slow"):
        parameters = ct.DynamicTopicModel(K, max_epochs=5, verbose=False).fit(draw(pace).corpus).kernel_.parameters
        rates[pace] = parameters["1.variance"] / parameters["1.length_scale"]
    assert rates["fast"] > 20 * rates["slow"]


def test_the_score_of_documents_of_one_word_is_their_likelihood(rng: np.random.Generator) -> None:
    """log Σ_k α_k/α_0 E[π_kv], interpolated between the nodes and softmax m₀, after the same global steps."""
    kernel, nodes, V = change(1.0, 3.0), np.arange(5.0), 6
    prior, topics, mean = topic_prior(kernel, nodes, 1 / 3), rng.dirichlet(np.ones(V), (5, K)), rng.normal(size=V)
    at = np.array([0.5, 2.0, 3.25])
    words = np.array([0, 3, 5])
    left_out = place_documents(ct.Corpus(np.eye(V, dtype=int)[words], at).counts, at, kernel, nodes, mean)
    known = place_documents(ct.Corpus(rng.poisson(3.0, (5, V)), nodes).counts, nodes, kernel, nodes, mean)
    start = TopicPosterior(prior, topics, mean, "float64")
    counts = known.matrix(V).toarray()[:, None, :] * np.array([0.7, 0.3])[:, None]  # (J, K, V)
    stats = loop.Statistics(counts, counts.sum(axis=2), 0.0)
    for step in range(STEPS):
        start.step_common(stats, caution(step))
        start.step(stats, RHO, caution(step))
    log_pi = start.expected_logits() - start.log_zeta[:, :, None]
    expected = 0.0
    for d, v in enumerate(words):
        j, (w0, w1) = left_out.left[d], left_out.weight[d]
        logs = w0 * log_pi[j, :, v] + w1 * log_pi[min(j + 1, 4), :, v] + (1 - w0 - w1) * log_softmax(mean)[v]
        expected += np.log(ALPHA @ np.exp(logs) / ALPHA.sum()) / len(words)
    trial = Trial(topics, mean, ALPHA, prior, stats, left_out, "float64")
    np.testing.assert_allclose(trial.score(kernel), expected, rtol=1e-5, atol=0)


def test_a_kernel_that_is_too_quick_for_its_nodes_scores_less(drawn: tuple[Planted, float, float]) -> None:
    """Between far nodes a quick kernel says nothing of the topics; that must not count as a good prediction."""
    planted, variance, length = drawn
    kernel, nodes, mean = change(variance, length), planted.times[::8], np.zeros(V)
    docs = place_documents(planted.corpus.counts, planted.corpus.times, kernel, nodes, mean)
    start = TopicPosterior(topic_prior(kernel, nodes), planted.probabilities.mean(axis=0), mean, "float32")
    trial = prepare_trial(docs, start, ALPHA, 0)
    assert trial is not None
    assert trial.score(change(variance, 0.1)) < trial.score(kernel)


def test_outlying_documents_have_no_part_in_a_trial() -> None:
    planted = draw("middle")
    kernel, mean, times = change(1.0, 10.0), np.zeros(V), planted.corpus.times
    found = []
    for extra in ([], [-5000.0], [-5000.0, 7000.0]):
        counts = planted.corpus.counts[np.concatenate([np.arange(len(times)), np.zeros(len(extra), int)])]
        nodes = np.union1d(planted.times, extra)
        docs = place_documents(counts, np.concatenate([times, extra]), kernel, nodes, mean)
        start = TopicPosterior(topic_prior(kernel, nodes), planted.probabilities.mean(axis=0), mean, "float32")
        trial = prepare_trial(docs, start, ALPHA, 0)
        assert trial is not None
        found.append(trial.score(kernel))
    assert found[0] == found[1] == found[2]


def test_the_same_seed_finds_the_same_whatever_the_threads(fast: ct.Corpus) -> None:
    one, two = (ct.DynamicTopicModel(K, max_epochs=4, n_threads=n, verbose=False).fit(fast) for n in (1, 2))
    assert one.kernel_ == two.kernel_ != one.plan(fast).kernel


# what it leaves alone


@pytest.mark.parametrize(("n", "learned"), [(FEWEST - 1, False), (3 * FEWEST, True)])
def test_few_times_teach_nothing(n: int, learned: bool) -> None:
    corpus = draw("fast", np.arange(float(n))).corpus
    model = ct.DynamicTopicModel(K, max_epochs=4, verbose=False).fit(corpus)
    assert (model.kernel_ != model.plan(corpus).kernel) == learned


@pytest.mark.parametrize(
    ("kernel", "how", "kept"),
    [
        ("constant(3) + ou(length_scale=7)", None, {"0.variance": 3.0, "1.length_scale": 7.0}),
        ("constant(3) + ou(0.7, 9)", None, {"0.variance": 3.0, "1.variance": 0.7, "1.length_scale": 9.0}),
        ("constant + ou + white", True, {"0.variance": 6.0, "2.variance": 0.1}),
        ("constant + ou + white(0.3)", None, {"0.variance": 6.0, "2.variance": 0.3}),
        ("constant + periodic(period=7) * ou", True, {"0.variance": 6.0, "1.0.length_scale": 1.0, "1.0.period": 7.0}),
        ("ou", None, {"variance": 6.0}),
    ],
)
def test_what_is_given_constants_noise_and_periods_stay_to_the_last_digit(
    fast: ct.Corpus, kernel: str, how: bool | None, kept: dict[str, float]
) -> None:
    model = ct.DynamicTopicModel(K, kernel, learn_kernel=how, max_epochs=4, verbose=False).fit(fast)
    assert {name: model.kernel_.parameters[name] for name in kept} == kept
    assert (model.kernel_ == model.plan(fast).kernel) == (kernel == "constant(3) + ou(0.7, 9)")


@pytest.mark.parametrize(
    ("kernel", "how", "learned"),
    [("events", None, False), ("events", True, True), ("constant + ou", False, False), ("ou(0.5, 90)", True, True)],
)
def test_presets_and_numbers_are_learned_only_if_asked(
    fast: ct.Corpus, kernel: str, how: bool | None, learned: bool
) -> None:
    model = ct.DynamicTopicModel(K, kernel, learn_kernel=how, max_epochs=4, verbose=False).fit(fast)
    assert (model.kernel_ != model.plan(fast).kernel) == learned


def test_no_pace_is_left_to_learn_where_all_is_given() -> None:
    kernel = parse_kernel("constant(3) + ou(1, 2)")
    assert isinstance(kernel, Kernel)
    assert Pace.of(kernel, frozenset()) is None
    assert Pace.of(Constant(3.0), frozenset({"variance"})) is None


# when it happens


@pytest.mark.parametrize(
    "given",
    [{"batch_size": 100}, {"batch_size": 100, "max_epochs": 1}, {"max_epochs": 1}, {"local": "mean-field"}, {"tol": 1}],
    ids=str,
)
def test_every_kind_of_fit_learns(fast: ct.Corpus, given: dict[str, Any]) -> None:
    model = ct.DynamicTopicModel(K, verbose=False, **{"max_epochs": 5} | given).fit(fast)
    start = model.plan(fast).kernel.parameters
    found = model.kernel_.parameters
    assert found["1.variance"] / found["1.length_scale"] > 4 * start["1.variance"] / start["1.length_scale"]
    assert np.isfinite(model.topics_.probabilities(YEARS)).all()


@pytest.mark.parametrize("given", [{}, {"batch_size": 100}], ids=["whole", "minibatches"])
@pytest.mark.parametrize("passes", [1, 3, 4, 5])
def test_a_fit_continued_before_or_after_it_learned_ends_the_same(
    fast: ct.Corpus, tmp_path: Path, given: dict[str, Any], passes: int
) -> None:
    def model(**more: Any) -> ct.DynamicTopicModel:
        return ct.DynamicTopicModel(K, verbose=False, tol=0, **given | more)

    path = tmp_path / "fit"
    model(max_epochs=passes, checkpoint=path).fit(fast)
    resumed = model(max_epochs=6, checkpoint=path).fit(fast, resume=True)
    straight = model(max_epochs=6).fit(fast)
    assert resumed.kernel_ == straight.kernel_ != straight.plan(fast).kernel
    np.testing.assert_array_equal(resumed.topics_.posterior.own.g, straight.topics_.posterior.own.g)
    np.testing.assert_array_equal(resumed.bounds_, straight.bounds_)


def test_a_document_of_the_year_1000_hardly_changes_what_is_learned() -> None:
    corpus = draw("middle", 1950.0 + YEARS).corpus
    old = ct.Corpus(np.vstack([corpus.counts.toarray(), corpus.counts[[0]].toarray()]), np.append(corpus.times, 1000.0))
    plain, other = (ct.DynamicTopicModel(K, max_epochs=5, verbose=False).fit(given) for given in (corpus, old))
    assert other.kernel_span_ == plain.kernel_span_ == corpus.span
    np.testing.assert_allclose(other.kernel_.theta, plain.kernel_.theta, rtol=0, atol=np.log(2.0) + 1e-9)
    np.testing.assert_array_equal(other.topics_.times[1:], plain.topics_.times)
