"""Groups and places that cannot be used are refused, or counted and said, in a sentence."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import chronotope as ct
from chronotope.kernels import By, OrnsteinUhlenbeck, Space, parse_kernel

RNG = np.random.default_rng(0)
COUNTS, TIMES = RNG.poisson(1.0, (12, 6)), np.arange(12.0) // 3
PARTY = np.array(["Whig", "Tory"])[np.arange(12) % 2]
LAT, LON = RNG.uniform(30, 40, 12), RNG.uniform(-120, -100, 12)
GROUPS, PLACES = "constant + ou + by(ou, party)", "constant + ou + space(1, 300 km)"


def corpus(**columns: Any) -> ct.Corpus:
    return ct.Corpus(COUNTS, TIMES, metadata=columns or None)


def model(kernel: Any, **given: Any) -> ct.DynamicTopicModel:
    return ct.DynamicTopicModel(2, kernel, max_epochs=1, verbose=False, **given)


def whole(sentence: str) -> str:
    return f"^{re.escape(sentence)}$"


@pytest.fixture(scope="module")
def of_parties() -> ct.DynamicTopicModel:
    return model(GROUPS).fit(corpus(party=PARTY))


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("by(ou", "found the end at position 5; expected ')'."),
        ("by(ou, )", "found ')' at position 7; expected the name of a column of groups."),
        ("by(ou, party, x)", "found ',' at position 12; expected ')'."),
        ("by(0.5)", "a number alone at position 3 is not a kernel; write constant(0.5)."),
        (
            "ou + by(by(ou))",
            "in 'by' at position 5: by was given by(ou()); pass a kernel over time, such as by(ou(0.5, 20 years)).",
        ),
        (
            "by(space(1, 300 km))",
            "in 'by' at position 0: by was given space(1, 300, 1.5); pass a kernel over time, such as by(ou(0.5, 20 "
            "years)).",
        ),
        (
            "constant + ou * by(ou, party)",
            "'ou() * by(ou(), party)' multiplies by(...); write the product within it, as by(ou * periodic).",
        ),
        (
            "(space + ou) * ou",
            "'(space(nu=1.5) + ou()) * ou()' has space(...) within a sum; write the products one by one.",
        ),
        (
            "ou + by(ou, party) + by(constant, state)",
            "the kernel 'ou() + by(ou(), party) + by(constant(), state)' has groups of 2 columns; join these into one "
            "column.",
        ),
        (
            "by(ou, party) + space",
            "the kernel 'by(ou(), party) + space(nu=1.5)' has by(...) and space(...); fit one of them at a time.",
        ),
        (
            "space(1, 300 furlongs)",
            "in 'space' at position 0: distance is '300 furlongs'; pass a number of kilometres, or text such as \"300 "
            'km" or "200 miles".',
        ),
        (
            "space(1, 300 km, 2)",
            "in 'space' at position 0: nu is 2.0; pass 0.5, 1.5 or 2.5, or 0 for a squared exponential.",
        ),
        ("ou + seasonal(1, 2)", "in 'seasonal' at position 5: \"seasonal\" takes at most a period, as seasonal(1)."),
    ],
)
def test_kernels_that_cannot_be_are_refused(kernel: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=whole(sentence)):
        parse_kernel(kernel)


def test_kernels_made_in_python_are_checked_too() -> None:
    with pytest.raises(ValueError, match=r"multiplies by\(\.\.\.\)"):
        model(OrnsteinUhlenbeck() * By(OrnsteinUhlenbeck(), "party")).fit(corpus(party=PARTY))
    with pytest.raises(ValueError, match=r"has by\(\.\.\.\) and space\(\.\.\.\)"):
        model(By(OrnsteinUhlenbeck(), "party") + Space()).fit(corpus(party=PARTY))


def test_the_name_of_a_column_may_be_any() -> None:
    kernel = parse_kernel("ou + by(ou, 'home state (\"US\")')")
    assert parse_kernel(kernel.text) == kernel
    found = model("constant + by(ou, 'home state')").fit(corpus(**{"home state": PARTY}))
    assert found.topics_.groups == ("Tory", "Whig")


@pytest.mark.parametrize(
    ("kernel", "groups", "sentence"),
    [
        (
            "constant + ou + by(ou)",
            None,
            "the kernel 'constant() + ou() + by(ou())' has by(...), and no column of groups is named; pass "
            'groups="party", or write by(ou, party).',
        ),
        (GROUPS, "state", "groups is 'state', but the kernel has by(..., party); name one column."),
        (
            "constant + by(ou, partei)",
            None,
            "groups is 'partei', which is not a column of the corpus' metadata; it has 'party', 'row'.",
        ),
        (
            "constant + by(ou, row)",
            None,
            "groups is 'row', which has 12 different labels for 12 documents; pass a column with fewer, such as party "
            "or journal.",
        ),
    ],
)
def test_columns_that_cannot_be_groups_are_refused(kernel: str, groups: str | None, sentence: str) -> None:
    with pytest.raises(ValueError, match=whole(sentence)):
        model(kernel, groups=groups).fit(corpus(party=PARTY, row=np.arange(12)))


def test_a_corpus_without_metadata_has_no_groups() -> None:
    sentence = "groups is 'party', which is not a column of the corpus' metadata; it has none."
    with pytest.raises(ValueError, match=whole(sentence)):
        model(GROUPS).fit(corpus())


def test_documents_without_a_label_are_counted_and_are_a_group() -> None:
    sentence = "3 of 12 documents have no 'party'; they are a group of their own."
    with pytest.warns(UserWarning, match=whole(sentence)):
        found = model(GROUPS).fit(corpus(party=[None, np.nan, "", *PARTY[3:]]))
    assert found.topics_.groups == ("(none)", "Tory", "Whig")


@pytest.mark.parametrize(
    ("party", "said"),
    [(["Whig"] * 12, "all documents are of the group 'Whig'"), ([None] * 12, "no document has a label")],
)
def test_one_group_is_said(party: list[Any], said: str) -> None:
    sentence = f"groups is 'party', and {said}: there is nothing to compare."
    with pytest.warns(UserWarning, match=whole(sentence)):
        assert model(GROUPS).fit(corpus(party=party)).topics_.groups == ()


def test_a_group_of_one_document_is_a_group() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model(GROUPS).fit(corpus(party=["Tory"] * 11 + ["Whig"]))
    own = [found.topics_.probabilities([0.0, 3.0], group) for group in ("Tory", "Whig", None)]
    assert all(np.isfinite(x).all() for x in own)
    low, high = (found.topics_.trajectory(0, 0, [0.0], group=group) for group in ("Tory", "Whig"))
    assert (high["high"] - high["low"]).item() >= 0.9 * (low["high"] - low["low"]).item()


def test_groups_that_were_not_fitted_are_said_and_read_with_what_all_share(of_parties: ct.DynamicTopicModel) -> None:
    sentence = (
        "4 documents are of groups that were not fitted ('(none)', 'Green'), with the words that all groups share."
    )
    with pytest.warns(UserWarning, match=whole(sentence)):
        shares = of_parties.transform(corpus(party=["Green", "Green", "Green", None, *PARTY[4:]]))
    sentence = "the documents have no column 'party', and are read with the words that all groups share."
    with pytest.warns(UserWarning, match=whole(sentence)):
        unknown = of_parties.transform(corpus())
    np.testing.assert_allclose(shares[:4], unknown[:4], rtol=1e-6, atol=0)
    assert np.abs(shares[4:] - unknown[4:]).max() > 0


def test_further_documents_need_their_groups(of_parties: ct.DynamicTopicModel) -> None:
    sentence = (
        "the documents have no column 'party', by which the words of this model differ; pass documents with metadata "
        "that have it."
    )
    with pytest.raises(ValueError, match=whole(sentence)):
        of_parties.partial_fit(corpus())


@pytest.mark.parametrize("group", ["Green", 7, -1, True, 0.5])
def test_other_groups_are_refused_by_answers(of_parties: ct.DynamicTopicModel, group: Any) -> None:
    with pytest.raises(ValueError, match=whole(f"group is {group!r}; expected one of 'Tory', 'Whig'.")):
        of_parties.topics_.probabilities([1.0], group)


def test_a_model_without_groups_says_how_to_fit_one_with() -> None:
    sentence = (
        "group is 'Whig', but the words of this model do not differ between groups; fit it with a kernel such as "
        '"constant + ou + by(ou)" and groups="party".'
    )
    with pytest.raises(ValueError, match=whole(sentence)):
        model("ou").fit(corpus()).topics_.probabilities([1.0], "Whig")


# places


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"lat": LON, "lon": LAT},
            f"'lat' is {LON[0]:g} in row 1; expected latitudes from -90 to 90 in degrees; latitude and longitude seem "
            'to be swapped: pass place="lon,lat".',
        ),
        (
            {"lat": [*LAT[:11], 90.5], "lon": LON},
            "'lat' is 90.5 in row 12; expected latitudes from -90 to 90 in degrees.",
        ),
        (
            {"lat": LAT, "lon": [*LON[:11], -361]},
            "'lon' is -361 in row 12; expected longitudes from -180 to 180 in degrees.",
        ),
        ({"lat": [np.nan] * 12, "lon": LON}, "no document has both 'lat' and 'lon'."),
        ({"lat": ["x", *LAT[1:]], "lon": LON}, "place is 'lat', where 1 entries are not numbers, as 'x'."),
        (
            {"north": LAT, "east": LON},
            "the kernel has space(...), and the metadata has no columns of latitude and longitude; pass "
            "place=\"lat,lon\" with their names. The columns are: 'north', 'east'.",
        ),
    ],
    ids=str,
)
def test_places_that_cannot_be_are_refused(columns: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=whole(sentence)):
        model(PLACES).fit(corpus(**columns))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"kernel": PLACES, "place": "lat,east"},
            "place is 'lat,east', but 'east' is not a column of the metadata; it has 'lat', 'lon'.",
        ),
        (
            {"kernel": PLACES, "place": "lat"},
            "place is 'lat'; expected the columns of latitude and longitude, as \"lat,lon\", or None.",
        ),
        (
            {"kernel": "ou", "place": "lat,lon"},
            'place was given, but the kernel has no space(...); pass a kernel such as "constant + ou + space(1, 300 '
            'km)".',
        ),
        (
            {"kernel": "ou", "n_cells": 3},
            'n_cells was given, but the kernel has no space(...); pass a kernel such as "constant + ou + space(1, 300 '
            'km)".',
        ),
        ({"kernel": PLACES, "n_cells": 0}, "n_cells is 0; expected a whole number of at least 1."),
    ],
)
def test_parameters_of_places_are_checked(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=whole(sentence)):
        model(**given).fit(corpus(lat=LAT, lon=LON))


@pytest.mark.parametrize(
    ("given", "lat", "said"),
    [({}, [48.2] * 12, "all documents are at the same place"), ({"n_cells": 1}, LAT, "n_cells is 1")],
)
def test_one_place_is_said(given: dict[str, Any], lat: Any, said: str) -> None:
    with pytest.warns(UserWarning, match=whole(f"{said}: there is nothing to compare.")):
        assert model(PLACES, **given).fit(corpus(lat=lat, lon=[16.4] * 12)).topics_.groups == ()


def test_documents_without_a_place_are_counted_and_taken_together() -> None:
    sentence = "2 of 12 documents have no place; they count as one place, far from all others."
    with pytest.warns(UserWarning, match=whole(sentence)):
        found = model(PLACES).fit(corpus(lat=[np.nan, *LAT[1:]], lon=[*LON[:11], None]))
    assert found.topics_.groups[-1] == "(no place)"
    assert np.isnan(found.topics_.places[-1]).all()  # type: ignore[index]
    np.testing.assert_allclose(found.topics_.track_mass[-1].sum(), COUNTS[[0, 11]].sum(), rtol=1e-4, atol=0)


def test_the_date_line_is_no_edge() -> None:
    found = model(PLACES, n_cells=2).fit(corpus(lat=[0.0] * 12, lon=[179.9, -179.9, 179.8, 20.0] * 3))
    names = dict(zip(found.topics_.groups, found.topics_.places, strict=True))  # type: ignore[arg-type]
    assert len(names) == 2
    assert min(abs(abs(place[1]) - 180) for place in names.values()) < 0.2  # the middle of three, not of their numbers
    around = model(PLACES, n_cells=2).fit(corpus(lat=[0.0] * 12, lon=[179.9, 180.1, 179.8, 20.0] * 3))
    np.testing.assert_allclose(around.topics_.places, found.topics_.places, rtol=0, atol=1e-9)


def test_at_a_pole_longitude_says_nothing() -> None:
    found = model(PLACES).fit(corpus(lat=[90.0, 90, -90, -90] * 3, lon=[0.0, 170, 10, -100] * 3))
    assert len(found.topics_.groups) == 2
    distances = found.tracks_.tracks.distances()
    assert distances[0, 1] == pytest.approx(2 * 6371.0088, rel=1e-6)  # through the earth
    near = corpus(lat=[89.9] * 12, lon=np.linspace(-180, 180, 12))
    np.testing.assert_array_equal(found.tracks_.track_of(near), 0)


def test_columns_of_places_are_found_by_their_names() -> None:
    found = model(PLACES).fit(corpus(party=PARTY, Latitude=LAT, LNG=LON))
    assert found.tracks_.columns == ("Latitude", "LNG")
    named = model(PLACES, place="Latitude, LNG").fit(corpus(party=PARTY, Latitude=LAT, LNG=LON))
    np.testing.assert_array_equal(named.topics_.places, found.topics_.places)


def test_places_elsewhere_are_read_as_the_nearest_and_missing_ones_as_unknown() -> None:
    found = model(PLACES).fit(corpus(lat=LAT, lon=LON))
    track = found.tracks_.track_of(corpus(lat=[np.nan, *[31.0] * 11], lon=[-110.0] * 12))
    assert track[0] == -1
    assert (track[1:] >= 0).all()
    assert np.isfinite(found.transform(corpus(lat=[np.nan] * 12, lon=[1.0] * 12))).all()
