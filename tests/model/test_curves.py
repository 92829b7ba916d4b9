"""Prevalence of a fitted model: curves, contrasts and effects of planted data, files, and what is refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.special import softmax

import chronotope as ct
from chronotope import Corpus, DynamicTopicModel
from chronotope.storage.model_file import MODEL
from chronotope.storage.tensors import read_tensors, write_tensors

K, V, D = 3, 40, 800
TERMS = "constant + ou + by(party) + linear(age)"
YEARS = np.arange(1900.0, 1930.0)
EFFECT = np.array([0.6, 0.0, -0.6])  # of one standard deviation of the age


def shares_at(times: np.ndarray, is_a: np.ndarray, age: np.ndarray) -> np.ndarray:
    """Planted prevalence: a wave, a difference between the groups, and an effect of the age."""
    wave = np.sin((times - 1900) / 5)
    eta = np.stack([wave, np.zeros_like(wave), -wave], axis=1) + is_a[:, None] * np.array([1.0, 0.0, -1.0])
    return softmax(eta + (age[:, None] - 50) / 10 * EFFECT, axis=1)


@pytest.fixture(scope="module")
def planted() -> tuple[Corpus, np.ndarray]:
    """Documents of two groups, and the planted topics."""
    rng = np.random.default_rng(0)
    times, party, age = rng.choice(YEARS, D), rng.choice(["a", "b"], D), rng.normal(50, 10, D)
    topics = rng.dirichlet(np.full(V, 0.1), K)
    theta = np.array([rng.dirichlet(1.5 * pi) for pi in shares_at(times, party == "a", age)])
    counts = np.array([rng.multinomial(40, shares @ topics) for shares in theta])
    return Corpus(counts, times, metadata={"party": party, "age": age}), topics


@pytest.fixture(scope="module")
def model(planted: tuple[Corpus, np.ndarray]) -> DynamicTopicModel:
    return DynamicTopicModel(K, prevalence=TERMS, max_epochs=14).fit(planted[0])


@pytest.fixture(scope="module")
def order(model: DynamicTopicModel, planted: tuple[Corpus, np.ndarray]) -> list[int]:
    """The learned topic of each planted one."""
    pi = model.topics_.probabilities([1915.0])[0]
    return [int(np.argmin(np.abs(pi - topic).sum(axis=1))) for topic in planted[1]]


def test_curves_follow_the_planted_prevalence(model: DynamicTopicModel, order: list[int]) -> None:
    for group, is_a in (("a", 1.0), ("b", 0.0)):
        truth = shares_at(YEARS, np.full(len(YEARS), is_a), np.full(len(YEARS), 50.0))
        for k, found in enumerate(order):
            table = model.prevalence_.curve(found, YEARS, group, n=80)
            assert np.abs(table["share"] - truth[:, k]).mean() < 0.05
            assert ((table["low"] <= truth[:, k]) & (truth[:, k] <= table["high"])).mean() > 0.6


def test_the_table_of_all_curves_holds_each_of_them(model: DynamicTopicModel) -> None:
    prevalence, times = model.prevalence_, np.array([1905.0, 1920.0])
    shared, grouped = prevalence.curves(times, n=40), prevalence.curves(times, ["b", "a"], n=40)
    assert list(grouped.columns) == ["topic", "group", *prevalence.curve(0, times, n=1).columns]
    assert grouped["group"].tolist() == ["b", "b", "a", "a"] * K
    for k in range(K):
        one = shared[shared["topic"] == k].drop(columns="topic").reset_index(drop=True)
        assert one.equals(prevalence.curve(k, times, n=40))
        for group in ("a", "b"):
            rows = grouped[(grouped["topic"] == k) & (grouped["group"] == group)]
            np.testing.assert_allclose(rows["share"], prevalence.curve(k, times, group, n=40)["share"], atol=0.05)


def test_contrasts_say_which_group_wrote_more(model: DynamicTopicModel, order: list[int]) -> None:
    times = np.array([1905.0, 1915.0, 1925.0])
    more, middle, less = (model.prevalence_.contrast(k, "a", "b", times, n=100) for k in order)
    a, b = (shares_at(times, np.full(3, side), np.full(3, 50.0)) for side in (1.0, 0.0))
    assert (more["probability"] > 0.95).all()
    assert (less["probability"] < 0.05).all()
    assert (more["difference"] > 0).all()
    assert ((less["ratio_low"] < less["ratio"]) & (less["ratio"] < less["ratio_high"])).all()
    np.testing.assert_allclose(np.log(middle["ratio"]), np.log(a / b)[:, 1], atol=0.3)
    back = model.prevalence_.contrast(order[0], "b", "a", [1905, 1915, 1925])
    np.testing.assert_allclose(back["probability"], 1 - more["probability"], atol=0.06)


def test_topics_are_ranked_by_how_much_groups_differ(model: DynamicTopicModel, order: list[int]) -> None:
    table = model.prevalence_.differences(n=60)
    assert table["topic"].iloc[-1] == order[1]
    found = table.set_index("topic").loc[[order[0], order[2]]]
    assert found["most"].tolist() == ["a", "b"]
    assert found["least"].tolist() == ["b", "a"]
    assert (found["probability"] > 0.95).all()
    truth = np.abs(np.diff([shares_at(YEARS, np.full(30, side), np.full(30, 50.0)) for side in (0.0, 1.0)], axis=0))
    np.testing.assert_allclose(found["difference"], truth.mean(axis=(0, 1))[[0, 2]], atol=0.06)
    named = model.prevalence_.differences(groups=("b", "a"), n=60).set_index("topic").loc[[order[0], order[2]]]
    assert named["most"].tolist() == ["a", "b"]
    np.testing.assert_allclose(named["difference"], found["difference"], atol=0.03)


def test_effects_of_numbers_are_found(model: DynamicTopicModel, order: list[int]) -> None:
    table = model.prevalence_.effects().set_index("topic").loc[order]
    np.testing.assert_allclose(table["estimate"], EFFECT / 10, atol=0.02)
    assert (table["low"] < table["estimate"]).all()


def test_rises_and_peaks_are_those_of_the_draws(model: DynamicTopicModel, order: list[int]) -> None:
    rises = model.prevalence_.rises(1900, 1908, "b").set_index("topic")
    assert rises.loc[order[0], "probability"] > 0.95
    assert rises.loc[order[2], "probability"] < 0.05
    peaks = model.prevalence_.peaks("b", times=YEARS[:20]).set_index("topic")
    assert abs(peaks.loc[order[0], "time"] - 1908) <= 3  # sin is highest at 5 π/2 years
    drawn = model.prevalence_.draws(YEARS, "b", n=50)
    assert drawn.shape == (50, len(YEARS), K)
    np.testing.assert_allclose(drawn.sum(axis=2), 1.0)


def test_draws_of_several_groups_are_joint_and_those_of_contrasts(model: DynamicTopicModel) -> None:
    drawn = np.stack(list(model.prevalence_.group_draws(YEARS, n=60)))
    assert drawn.shape == (60, len(YEARS), 2, K)
    np.testing.assert_allclose(drawn.sum(axis=3), 1.0)
    ratio = np.median(drawn[:, :, 0, 0] / drawn[:, :, 1, 0], axis=0)
    np.testing.assert_allclose(ratio, model.prevalence_.contrast(0, "a", "b", YEARS, n=60)["ratio"])
    (alone,) = model.prevalence_.group_draws(YEARS, ["b"], n=1)
    np.testing.assert_allclose(alone[:, 0], model.prevalence_.draws(YEARS, "b", n=1)[0])


def test_bands_are_the_same_for_draws_made_together_and_apart(
    model: DynamicTopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = model.prevalence_.curve(0, YEARS, "a", n=150)
    monkeypatch.setattr("chronotope.model.curves.CELLS", 1)
    apart = model.prevalence_.curve(0, YEARS, "a", n=150)
    for name in ("share", "low", "high"):
        np.testing.assert_allclose(together[name], apart[name], atol=0.05)


def test_bands_widen_beyond_the_documents(model: DynamicTopicModel) -> None:
    inside, after = (model.prevalence_.curve(0, [year]).iloc[0] for year in (1915, 1990))
    assert after["high"] - after["low"] > inside["high"] - inside["low"]


def test_shares_of_new_documents_follow_their_group(
    model: DynamicTopicModel, planted: tuple[Corpus, np.ndarray]
) -> None:
    empty = np.zeros((3, V), dtype=int)
    times = [1905.0] * 3
    shares = model.transform(empty, times, groups={"party": ["a", "b", None]})
    a, b = (model.prevalence_.curve(0, [1905.0], group)["share"][0] for group in ("a", "b"))
    np.testing.assert_allclose(shares[:2, 0], [a, b], atol=0.05)
    assert min(a, b) - 0.05 < shares[2, 0] < max(a, b) + 0.05


def test_a_model_in_a_file_has_the_same_prevalence(
    model: DynamicTopicModel, planted: tuple[Corpus, np.ndarray], tmp_path: Path
) -> None:
    model.save(tmp_path / "model.ct")
    found = ct.load(tmp_path / "model.ct")
    assert found.prevalence_.curve(1, YEARS, "b", n=20).equals(model.prevalence_.curve(1, YEARS, "b", n=20))
    assert found.prevalence_.effects().equals(model.prevalence_.effects())
    np.testing.assert_array_equal(found.transform(planted[0]), model.transform(planted[0]))
    assert found.perplexity(planted[0], seen=8) == model.perplexity(planted[0], seen=8)


def late_documents(model: DynamicTopicModel, planted: tuple[Corpus, np.ndarray], n: int = 300) -> Corpus:
    """Documents of a new group after the others, all about the last topic."""
    rng, topics = np.random.default_rng(1), planted[1]
    counts = rng.multinomial(40, topics[2], size=n)
    metadata = {"party": np.repeat("c", n), "age": np.repeat(50.0, n)}
    return Corpus(counts, rng.choice(np.arange(1930.0, 1936.0), n), model.topics_.vocabulary, metadata=metadata)


def test_documents_that_come_later_bring_their_groups_and_times(
    model: DynamicTopicModel, planted: tuple[Corpus, np.ndarray], order: list[int], tmp_path: Path
) -> None:
    model.save(tmp_path / "model.ct")
    before = model.prevalence_.curve(order[2], [1905.0, 1915.0], "a", n=100)
    one, other = (ct.load(tmp_path / "model.ct") for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one.partial_fit(late_documents(one, planted))
    assert one.prevalence_.groups == ("a", "b", "c")
    assert model.prevalence_.groups == ("a", "b")
    assert one.prevalence_.prior.eta.prior.nodes[-1] == 1935
    late = one.prevalence_.curve(order[2], [1932.0], "c", n=100).iloc[0]
    assert late["share"] > 0.8
    after = one.prevalence_.curve(order[2], [1905.0, 1915.0], "a", n=100)
    assert (np.abs(after["share"] - before["share"]) < 0.05).all()
    late_tokens = late_documents(other, planted)
    other.partial_fit(late_tokens[:150]).save(tmp_path / "half.ct")
    again = ct.load(tmp_path / "half.ct")
    for half in (other, again):
        half.partial_fit(late_tokens[150:])
    np.testing.assert_array_equal(other.prevalence_.prior.eta.m, again.prevalence_.prior.eta.m)
    np.testing.assert_array_equal(other.transform(planted[0]), again.transform(planted[0]))


def test_prevalence_of_documents_that_came_in_two_parts_is_near_that_of_all(
    planted: tuple[Corpus, np.ndarray],
) -> None:
    corpus, given = planted[0], {"prevalence": TERMS, "kernel": "constant", "seed": 1}
    rng = np.random.default_rng(2)
    first = rng.random(len(corpus)) < 0.5
    whole = DynamicTopicModel(K, **given, max_epochs=14).fit(corpus)
    grown = DynamicTopicModel(K, **given, max_epochs=14).fit(corpus[first]).partial_fit(corpus[~first])
    assert grown.n_documents_ == len(corpus)
    a, b = (model.prevalence_.draws(YEARS, "a", n=50).mean(axis=0) for model in (whole, grown))
    b = b[:, matched(whole, grown)]
    assert np.abs(a - b).mean() < 0.04
    assert pytest.approx(whole.prevalence_.prior.A, rel=0.3) == grown.prevalence_.prior.A


def matched(one: DynamicTopicModel, other: DynamicTopicModel) -> list[int]:
    """The topic of the other model that each topic of one is."""
    p, q = (model.topics_.probabilities([1915.0])[0] for model in (one, other))
    return [int(np.argmin(np.abs(q - topic).sum(axis=1))) for topic in p]


def test_partial_fit_can_begin_and_one_group_can_become_two() -> None:
    with pytest.warns(UserWarning, match="nothing to compare"):
        model = DynamicTopicModel(2, groups="side").partial_fit(small(side=["l"] * 12))
    assert model.prevalence_.prior.eta.prior.common is None
    model.partial_fit(small(side=["r"] * 12))
    assert model.prevalence_.groups == ("l", "r")
    assert model.prevalence_.contrast(0, "l", "r", n=20)["probability"].between(0, 1).all()
    counts = np.ones((4, 6), dtype=int)
    model.partial_fit(counts, times=[20.0] * 4, groups=["r", "x", "x", None])
    assert model.prevalence_.groups == ("l", "r", "(none)", "x")


@pytest.mark.parametrize("batch_size", [None, 300])
def test_a_corpus_on_disk_has_the_same_prevalence(
    planted: tuple[Corpus, np.ndarray], tmp_path: Path, batch_size: int | None
) -> None:
    corpus, given = planted[0], {"prevalence": TERMS, "max_epochs": 3, "batch_size": batch_size}
    corpus.save(tmp_path / "corpus")
    held, stored = (DynamicTopicModel(K, **given).fit(one) for one in (corpus, ct.open_corpus(tmp_path / "corpus")))
    np.testing.assert_array_equal(held.prevalence_.prior.eta.m, stored.prevalence_.prior.eta.m)
    assert held.prevalence_.groups == stored.prevalence_.groups
    assert held.prevalence_.effects().equals(stored.prevalence_.effects())


def test_few_tokens_are_predicted_better_than_without_prevalence(planted: tuple[Corpus, np.ndarray]) -> None:
    train, test = planted[0].split_times(seed=0)
    follows, plain = (DynamicTopicModel(K, prevalence=terms, max_epochs=12).fit(train) for terms in (TERMS, None))
    assert follows.perplexity(test, seen=0) < 0.97 * plain.perplexity(test, seen=0)
    assert follows.perplexity(test, seen=8) < plain.perplexity(test, seen=8)
    assert follows.perplexity(test) < 1.005 * plain.perplexity(test)


@pytest.mark.parametrize("options", [{"batch_size": 300}, {"local": "mean-field"}, {"alpha": 0.1}], ids=str)
def test_other_fits_have_prevalence_too(planted: tuple[Corpus, np.ndarray], options: dict[str, object]) -> None:
    model = DynamicTopicModel(K, groups="party", max_epochs=2, **options).fit(planted[0])
    assert model.prevalence_.groups == ("a", "b")
    assert np.isfinite(model.prevalence_.curve(0, group="a", n=20).to_numpy(dtype=float)).all()


def test_a_resumed_fit_is_the_same(planted: tuple[Corpus, np.ndarray], tmp_path: Path) -> None:
    options = {"n_topics": K, "groups": "party", "checkpoint_every": 0, "tol": 0.0}
    whole = DynamicTopicModel(**options, max_epochs=6).fit(planted[0])
    options |= {"checkpoint": tmp_path / "fit"}
    DynamicTopicModel(**options, max_epochs=3).fit(planted[0])
    resumed = DynamicTopicModel(**options, max_epochs=6).fit(planted[0], resume=True)
    np.testing.assert_array_equal(resumed.topics_.posterior.own.g, whole.topics_.posterior.own.g)
    for name, values in whole.prevalence_.prior.arrays().items():
        np.testing.assert_array_equal(resumed.prevalence_.prior.arrays()[name], values)


def test_a_fit_with_other_groups_is_another_fit(planted: tuple[Corpus, np.ndarray], tmp_path: Path) -> None:
    corpus, options = planted[0], {"n_topics": K, "groups": "party", "checkpoint": tmp_path / "fit"}
    DynamicTopicModel(**options, max_epochs=1).fit(corpus)
    others = Corpus(corpus.counts, corpus.times, metadata={"party": corpus.metadata["party"].tolist()[::-1]})
    with pytest.raises(ValueError, match="other documents, times, words or groups"):
        DynamicTopicModel(**options, max_epochs=2).fit(others, resume=True)


def test_tokens_of_topics_are_those_of_the_documents(
    model: DynamicTopicModel, planted: tuple[Corpus, np.ndarray]
) -> None:
    corpus = planted[0]
    tokens = ct.analysis.prevalence.topic_tokens(model, corpus)
    np.testing.assert_allclose(tokens.sum(axis=1), np.asarray(corpus.counts.sum(axis=1)).ravel(), rtol=1e-9)


def test_labels_can_be_given_beside_counts_and_texts(planted: tuple[Corpus, np.ndarray]) -> None:
    corpus = planted[0]
    party = corpus.metadata["party"]
    by_corpus, by_counts = (
        DynamicTopicModel(K, groups="party", max_epochs=2).fit(*given, **more)
        for given, more in (((corpus,), {}), ((corpus.counts,), {"times": corpus.times, "groups": party.tolist()}))
    )
    np.testing.assert_array_equal(by_corpus.prevalence_.prior.eta.m, by_counts.prevalence_.prior.eta.m)
    with pytest.raises(ValueError, match="which has its metadata"):
        by_corpus.transform(corpus, groups=party.tolist())


# what is refused, and what is said


def small(**columns: object) -> Corpus:
    return Corpus(np.random.default_rng(0).poisson(2.0, (12, 6)), np.arange(12.0), metadata=columns)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"groups": "party"}, "not a column"),
        ({"groups": "id"}, "12 different labels for 12 documents"),
        ({"groups": 3}, "expected the name of a column"),
        ({"groups": "side", "prevalence": "ou + by(id)"}, "name one column"),
        ({"prevalence": "by(side)"}, "does not say how it changes over time"),
        ({"prevalence": 3}, "expected text such as"),
        ({"prevalence": "ou + linear(side)"}, "entries are not numbers, as 'l'"),
        ({"prevalence": "ou + linear(same)"}, "all the same"),
        ({"prevalence": "ou + linear(huge)"}, "numbers up to 1e\\+160; expected at most 1e\\+100"),
    ],
)
def test_what_cannot_work_is_refused_with_a_sentence(options: dict[str, object], sentence: str) -> None:
    corpus = small(id=[f"d{i}" for i in range(12)], side=["l", "r"] * 6, same=[1.0] * 12, huge=[1e160, 1.0] * 6)
    with pytest.raises(ValueError, match=sentence):
        DynamicTopicModel(2, max_epochs=1, **options).fit(corpus)


def test_missing_labels_are_a_group_of_their_own_and_counted() -> None:
    with pytest.warns(UserWarning, match="3 of 12 documents have no 'side'"):
        model = DynamicTopicModel(2, groups="side", max_epochs=2).fit(small(side=["l", "r", None] * 3 + ["l"] * 3))
    assert model.prevalence_.groups == ("(none)", "l", "r")


def test_one_group_is_said_and_groups_that_were_not_fitted_too() -> None:
    with pytest.warns(UserWarning, match="nothing to compare"):
        DynamicTopicModel(2, groups="side", max_epochs=2).fit(small(side=["l"] * 12))
    model = DynamicTopicModel(2, groups="side", max_epochs=2).fit(small(side=["l", "r"] * 6))
    with pytest.warns(UserWarning, match="2 documents are of groups that were not fitted"):
        model.transform(small(side=["l"] * 10 + ["x", "y"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(Corpus(np.ones((2, 6), dtype=int), [1.0, 2.0]))  # no groups at all


def test_questions_that_have_no_answer_are_refused(model: DynamicTopicModel) -> None:
    for call, sentence in (
        (lambda: model.prevalence_.curve(9), "topic is 9"),
        (lambda: model.prevalence_.curve(0, group="x"), "expected one of 'a', 'b'"),
        (lambda: model.prevalence_.curve(0, level=1.5), "level is 1.5"),
        (lambda: model.prevalence_.draws(n=0), "n is 0"),
        (lambda: model.prevalence_.curves(groups=[]), "groups is empty"),
        (lambda: model.prevalence_.curves(groups=["a", "x"]), "group is 'x'; expected one of 'a', 'b'"),
        (lambda: model.prevalence_.differences(groups=["a", "a"]), "expected at least 2, each once"),
        (lambda: model.prevalence_.differences(groups=["a", "x"]), "group is 'x'; expected one of 'a', 'b'"),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()


def test_without_prevalence_there_is_no_attribute() -> None:
    assert not hasattr(DynamicTopicModel(2, max_epochs=1).fit(small(side=["l", "r"] * 6)), "prevalence_")


@pytest.mark.parametrize(
    "damage",
    [
        {"shares_nodes": np.arange(30.0)[::-1].copy()},
        {"shares_beta": np.full((1, K), np.nan)},
        {"shares_kernel": np.ones(1)},
        {"shares_b": np.zeros((2, 2, K))},
    ],
    ids=str,
)
def test_damaged_prevalence_is_refused(model: DynamicTopicModel, tmp_path: Path, damage: dict[str, np.ndarray]) -> None:
    model.save(tmp_path / "m")
    header, arrays = read_tensors(tmp_path / "m", MODEL)
    content = {name: value for name, value in header.items() if name not in ("format", "version", "sha256")}
    for changed, given in ((content, arrays | damage), (content | {"shares": None}, arrays)):
        write_tensors(tmp_path / "m", MODEL, changed, given)
        with pytest.raises(ValueError, match="cannot be read as a model"):
            ct.load(tmp_path / "m")
