"""Models whose words differ by group and place: the same bits however they are fitted, and one group is none."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interrupted import assert_same
from planted import plant_tracks
from sklearn.base import clone

import chronotope as ct
from chronotope.dates.rough import UNKNOWN, RoughDates
from chronotope.gp import Tracks
from chronotope.kernels import parse_kernel

GROUPS = Tracks(("left", "right"))
KERNEL = "constant(2) + ou(0.5, 6) + by(ou(0.5, 12), party)"
CORPUS = plant_tracks(parse_kernel(KERNEL), GROUPS, np.arange(8.0), n_words=12, documents=4, length=40).corpus
TOWNS = Tracks(("Austin", "Dallas", "Berlin"), np.array([[30.3, -97.7], [32.8, -96.8], [52.5, 13.4]]))
BY_PLACE = "constant(2) + ou(0.5, 6) + space(1, 2000 km)"
PLACED = plant_tracks(parse_kernel(BY_PLACE), TOWNS, np.arange(6.0), n_words=12, documents=4, length=40).corpus
CASES: dict[str, tuple[ct.Corpus, dict[str, Any]]] = {
    "groups": (CORPUS, {"kernel": KERNEL}),
    "groups of a parameter": (CORPUS, {"kernel": "constant + ou + by(ou)", "groups": "party"}),
    "groups, minibatches": (CORPUS, {"kernel": "constant + ou + by(ou, party)", "batch_size": 16}),
    "groups, mean-field": (CORPUS, {"kernel": KERNEL, "local": "mean-field", "dtype": "float64"}),
    "groups of a basis": (CORPUS, {"kernel": "cauchy(2, 10) + by(cauchy(0.5, 10), party)"}),
    "groups alone": (CORPUS, {"kernel": "by(ou(2, 10), party)"}),
    "groups, nothing common": (CORPUS, {"kernel": KERNEL, "shared": 0.0, "n_inducing": 3}),
    "groups, learned": (CORPUS, {"kernel": "constant + ou + by(ou, party)", "learn_kernel": "bound"}),
    "groups, documents": (CORPUS, {"kernel": KERNEL, "init": "documents"}),
    "places": (PLACED, {"kernel": BY_PLACE}),
    "places over time": (PLACED, {"kernel": "constant + ou * space", "place": "lat,lon", "batch_size": 16}),
    "places, learned": (PLACED, {"kernel": "constant + ou + space", "learn_kernel": "bound", "n_cells": 2}),
}
cases = pytest.mark.parametrize("case", CASES)


def model(case: str, **changed: Any) -> ct.DynamicTopicModel:
    given = {"n_topics": 2, "max_epochs": 4, "seed": 3, "n_threads": 1, "verbose": False, **CASES[case][1]}
    return ct.DynamicTopicModel(**given | changed)


def fitted(case: str, **changed: Any) -> ct.DynamicTopicModel:
    return model(case, **changed).fit(CASES[case][0])


@cases
def test_probabilities_are_those_of_each_group_and_of_what_all_share(case: str) -> None:
    found = fitted(case)
    topics, corpus = found.topics_, CASES[case][0]
    at = [-3.0, 0.0, 2.5, 20.0]
    of_all = [topics.probabilities(at, group) for group in (*topics.groups, None)]
    for one in of_all:
        np.testing.assert_allclose(one.sum(axis=2), 1.0, rtol=1e-6, atol=0)
    assert len(topics.groups) == len(of_all) - 1 >= 2
    assert np.abs(of_all[0] - of_all[1]).max() > 1e-4
    assert topics.track_mass.shape == (len(topics.groups), len(topics.times), 2)
    np.testing.assert_allclose(topics.mass.sum(), corpus.n_tokens, rtol=0.01, atol=0)  # less between few nodes
    assert np.isfinite(found.perplexity(corpus))


@cases
def test_threads_do_not_matter(case: str) -> None:
    assert_same(fitted(case), fitted(case, n_threads=2))


@cases
def test_a_model_from_a_file_is_the_same_and_goes_on_the_same(case: str, tmp_path: Path) -> None:
    one, corpus = fitted(case), CASES[case][0]
    one.save(tmp_path / "m")
    other = ct.load(tmp_path / "m")
    assert_same(one, other)
    assert other.topics_.groups == one.topics_.groups
    assert other.tracks_.columns == one.tracks_.columns
    np.testing.assert_array_equal(other.topics_.places, one.topics_.places)
    np.testing.assert_array_equal(one.topics_.node_mass, other.topics_.node_mass)
    np.testing.assert_array_equal(one.transform(corpus), other.transform(corpus))
    assert one.perplexity(corpus) == other.perplexity(corpus)
    for group in (0, 1, None):
        draws = (x.topics_.draws(1, [-1.0, 2.5, 9.0], n=2, group=group) for x in (one, other))
        np.testing.assert_array_equal(*draws)
    assert_same(one.partial_fit(corpus[:9]), other.partial_fit(corpus[:9]))


@pytest.mark.parametrize("case", ["groups", "groups, minibatches", "groups, mean-field", "groups, learned", "places"])
def test_a_fit_goes_on_from_a_checkpoint_to_the_same_bits(case: str, tmp_path: Path) -> None:
    kept = {"checkpoint": tmp_path / "fit", "checkpoint_every": 0, "tol": 0.0}
    fitted(case, **kept | {"max_epochs": 2})
    resumed = model(case, **kept).fit(CASES[case][0], resume=True)
    assert_same(resumed, fitted(case, tol=0.0))


def test_other_groups_are_another_fit(tmp_path: Path) -> None:
    kept = {"checkpoint": tmp_path / "fit", "checkpoint_every": 0, "tol": 0.0}
    fitted("groups", **kept)
    party = CORPUS.metadata["party"].to_numpy()  # type: ignore[index]
    other = ct.Corpus(CORPUS.counts, CORPUS.times, metadata={"party": party[::-1]})
    with pytest.raises(ValueError, match="is of a fit"):
        model("groups", **kept).fit(other, resume=True)


@pytest.mark.parametrize("case", ["groups", "groups, minibatches", "places"])
def test_a_corpus_on_disk_gives_the_same_bits(case: str, tmp_path: Path) -> None:
    corpus = CASES[case][0]
    corpus.save(tmp_path / "corpus")
    stored = ct.open_corpus(tmp_path / "corpus")
    one, other = fitted(case), model(case).fit(stored)
    assert_same(one, other)
    np.testing.assert_array_equal(one.transform(corpus), other.transform(stored))


@pytest.mark.parametrize("order", ["reversed", "by group"])
def test_the_order_of_documents_does_not_matter(order: str) -> None:
    party = CORPUS.metadata["party"].to_numpy()  # type: ignore[index]
    rows = np.arange(len(CORPUS))[::-1] if order == "reversed" else np.argsort(party, kind="stable")
    one = model("groups, mean-field", max_epochs=12, tol=0.0, alpha=0.3).fit(CORPUS)
    other = model("groups, mean-field", max_epochs=12, tol=0.0, alpha=0.3).fit(CORPUS[rows])
    np.testing.assert_allclose(one.bounds_[-1], other.bounds_[-1], rtol=1e-3, atol=0)


def test_the_bound_of_a_mean_field_never_falls() -> None:
    bounds = fitted("groups, mean-field", alpha=0.3, max_epochs=25, tol=0.0).bounds_
    assert np.diff(bounds).min() / abs(bounds[-1]) >= -1e-10


@pytest.mark.parametrize(
    ("kernel", "changed"),
    [
        ("constant + ou", {}),
        ("constant + ou", {"batch_size": 16}),
        ("constant + ou", {"learn_kernel": True}),
        ("constant + ou", {"learn_kernel": "bound"}),
        ("ou(3, 10)", {}),
        ("constant + cauchy(1, 5)", {"local": "mean-field"}),
        ("constant + seasonal(4)", {}),
    ],
)
def test_one_group_is_no_groups_bit_for_bit(kernel: str, changed: dict[str, Any], tmp_path: Path) -> None:
    corpus = ct.Corpus(CORPUS.counts, CORPUS.times, metadata={"party": np.repeat("Whig", len(CORPUS))})
    given = {"n_topics": 2, "max_epochs": 6, "seed": 3, "n_threads": 1} | changed
    with pytest.warns(UserWarning, match="all documents are of the group 'Whig': there is nothing to compare"):
        one = ct.DynamicTopicModel(kernel=f"{kernel} + by(ou, party)", **given).fit(corpus)
    other = ct.DynamicTopicModel(kernel=kernel, **given).fit(corpus)
    assert_same(one, other)
    assert one.topics_.groups == ()
    assert not hasattr(one, "tracks_")
    np.testing.assert_array_equal(one.transform(corpus), other.transform(corpus))
    one.save(tmp_path / "m")
    assert_same(ct.load(tmp_path / "m"), other)


def test_one_place_is_no_places_bit_for_bit() -> None:
    corpus = ct.Corpus(CORPUS.counts, CORPUS.times, metadata={"lat": [48.2] * len(CORPUS), "lon": [16.4] * len(CORPUS)})
    given = {"n_topics": 2, "max_epochs": 4, "n_threads": 1}
    with pytest.warns(UserWarning, match="all documents are at the same place: there is nothing to compare"):
        one = ct.DynamicTopicModel(kernel="constant + ou + space(1, 300 km)", **given).fit(corpus)
    assert_same(one, ct.DynamicTopicModel(kernel="constant + ou", **given).fit(corpus))


@pytest.mark.parametrize(("kernel", "alone"), [("by(ou, party)", "ou"), ("by(ou(1, 3), party)", "ou(1, 3)")])
def test_a_group_alone_has_what_would_be_its_own(kernel: str, alone: str) -> None:
    corpus = ct.Corpus(CORPUS.counts, CORPUS.times, metadata={"party": np.repeat("Whig", len(CORPUS))})
    given = {"n_topics": 2, "max_epochs": 3, "n_threads": 1}
    with pytest.warns(UserWarning, match="nothing to compare"):
        one = ct.DynamicTopicModel(kernel=kernel, **given).fit(corpus)
    assert_same(one, ct.DynamicTopicModel(kernel=alone, **given).fit(corpus))


@pytest.mark.parametrize("local", ["sampled", "mean-field"])
def test_places_without_time_are_a_map(local: str) -> None:
    corpus = ct.Corpus(PLACED.counts, np.zeros(len(PLACED)), metadata=PLACED.metadata)
    found = ct.DynamicTopicModel(2, "constant + space(1, 2000 km)", local=local, max_epochs=5).fit(corpus)
    assert found.topics_.probabilities([0.0], "52.5°N 13.4°E").shape == (1, 2, 12)
    assert len(found.topics_.groups) == 3
    np.testing.assert_allclose(found.topics_.mass.sum(), corpus.n_tokens, rtol=1e-4, atol=0)


def test_rough_dates_go_together_with_groups() -> None:
    corpus = CORPUS[:]
    dates = [(d, [UNKNOWN if d % 2 else (2.0, 2.0, 5.0, 5.0)]) for d in range(0, len(corpus), 3)]
    corpus.rough, corpus.calendar = RoughDates.of(dates), False
    one, two = (model("groups, minibatches", max_epochs=8, n_threads=n).fit(corpus) for n in (1, 2))
    assert_same(one, two)
    np.testing.assert_allclose(one.topics_.mass.sum(), corpus.n_tokens, rtol=1e-4, atol=0)
    party = corpus.metadata["party"].to_numpy()  # type: ignore[index]
    lengths = np.asarray(corpus.counts.sum(axis=1)).ravel()
    for s, name in enumerate(one.topics_.groups):  # whatever its time, a document stays with its group
        np.testing.assert_allclose(one.topics_.track_mass[s].sum(), lengths[party == name].sum(), rtol=1e-4, atol=0)


def test_prevalence_follows_groups_beside_words() -> None:
    found = fitted("groups of a parameter", prevalence="constant + ou", max_epochs=6)
    assert found.prevalence_.columns.groups == ("left", "right")
    assert found.topics_.groups == ("left", "right")
    assert np.isfinite(found.perplexity(CORPUS))
    np.testing.assert_allclose(found.transform(CORPUS).sum(axis=1), 1.0, rtol=1e-6, atol=0)


@cases
def test_a_model_is_cloned_with_its_parameters(case: str) -> None:
    one = model(case)
    assert clone(one).get_params().keys() >= {"place", "n_cells", "groups"}
    assert str(clone(one).get_params()) == str(one.get_params())


def test_groups_are_given_as_a_list_with_counts() -> None:
    party, given = CORPUS.metadata["party"].to_numpy(), {"times": CORPUS.times}  # type: ignore[index]
    one = model("groups").fit(CORPUS.counts, groups=party, **given)
    assert_same(one, fitted("groups"))
    np.testing.assert_array_equal(
        one.transform(CORPUS.counts, groups=party, **given), fitted("groups").transform(CORPUS)
    )


# further documents


def part(corpus: ct.Corpus, names: tuple[str, ...], first: float, last: float) -> ct.Corpus:
    party = corpus.metadata["party"].to_numpy()  # type: ignore[index]
    return corpus[np.isin(party, names) & (corpus.times >= first) & (corpus.times <= last)]


def test_further_documents_bring_later_times_and_new_groups() -> None:
    three = Tracks(("left", "middle", "right"))
    corpus = plant_tracks(parse_kernel(KERNEL), three, np.arange(8.0), n_words=12, documents=6, length=60).corpus
    early = part(corpus, ("left", "right"), 0, 5)
    given = {"kernel": KERNEL, "n_topics": 2, "max_epochs": 12, "n_threads": 1}
    grown = ct.DynamicTopicModel(**given).fit(early)
    before = grown.topics_.track_mass.copy()
    grown.partial_fit(part(corpus, ("left", "right"), 6, 7)).partial_fit(part(corpus, ("middle",), 0, 7))
    assert grown.topics_.groups == ("left", "right", "middle")
    np.testing.assert_array_equal(grown.topics_.times, np.arange(8.0))
    np.testing.assert_allclose(grown.topics_.track_mass[:2, :6], before, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(grown.topics_.mass.sum(), corpus.n_tokens, rtol=1e-4, atol=0)
    whole = ct.DynamicTopicModel(**given).fit(corpus)
    assert grown.perplexity(corpus) < 1.1 * whole.perplexity(corpus)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no group is unknown
        grown.transform(corpus)


def test_the_first_documents_may_come_by_partial_fit() -> None:
    found = model("groups").partial_fit(CORPUS[CORPUS.times < 5]).partial_fit(CORPUS[CORPUS.times >= 5])
    assert found.topics_.groups == ("left", "right")
    np.testing.assert_allclose(found.topics_.mass.sum(), CORPUS.n_tokens, rtol=1e-4, atol=0)


def test_a_kernel_of_places_with_unset_parameters_goes_on() -> None:
    found = model("places over time").fit(PLACED).partial_fit(PLACED[PLACED.times > 3])
    assert len(found.topics_.groups) == 3


def test_further_documents_without_a_place_are_a_track_of_their_own() -> None:
    found, nowhere = fitted("places"), PLACED[:5]
    nowhere = ct.Corpus(nowhere.counts, nowhere.times, metadata={"lat": [np.nan] * 5, "lon": [np.nan] * 5})
    found.partial_fit(nowhere)
    assert found.topics_.groups[-1] == "(no place)"
    np.testing.assert_allclose(found.topics_.track_mass[-1].sum(), nowhere.n_tokens, rtol=1e-4, atol=0)
    np.testing.assert_allclose(found.topics_.mass.sum(), PLACED.n_tokens + nowhere.n_tokens, rtol=1e-4, atol=0)
