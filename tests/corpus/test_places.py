"""Places of documents: read, checked, and gathered into cells on the sphere, which has neither an edge nor a seam."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from somewhere import KERNEL

from chronotope import Corpus, DynamicTopicModel
from chronotope.corpus.places import Cells, cells_of, number_of_cells, place_columns, places_of
from chronotope.kernels import on_sphere
from chronotope.readers import read_corpus

degrees = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


def corpus_at(lat, lon, **more) -> Corpus:
    table = pd.DataFrame({"lat": lat, "lon": lon} | more)
    return Corpus(np.ones((len(table), 2), dtype=int), np.arange(len(table)), metadata=table)


def read_places(lat, lon) -> np.ndarray:
    return places_of(corpus_at(lat, lon), ("lat", "lon"))


def apart(one, other) -> float:
    """Angle between two places in degrees."""
    x, y = on_sphere(np.array([one, other], dtype=float))
    return float(np.degrees(np.arccos(np.clip(x @ y, -1, 1))))


def counts(cells: Cells, places: np.ndarray) -> list[int]:
    return np.bincount(cells.nearest(places), minlength=len(cells.middle)).tolist()


@pytest.mark.parametrize(
    "names", [("lat", "lon"), ("Latitude", "Longitude"), ("LAT", "lng"), ("latitude", "long")], ids=", ".join
)
def test_columns_are_found_by_their_usual_names(names: tuple[str, str]) -> None:
    table = pd.DataFrame({"party": ["a"], names[1]: [2.0], names[0]: [1.0]})
    assert place_columns(Corpus(np.ones((1, 2), dtype=int), [0.0], metadata=table), None) == names


def test_columns_are_those_that_are_named() -> None:
    corpus = corpus_at([1.0], [2.0], y=[3.0], x=[4.0])
    assert place_columns(corpus, " y , x ") == ("y", "x")


def test_columns_that_are_named_in_the_other_order_are_said() -> None:
    said = "latitudes are taken from 'lon' and longitudes from 'lat', as place='lon,lat' says"
    with pytest.warns(UserWarning, match=said):
        assert place_columns(corpus_at([1.0], [2.0]), "lon,lat") == ("lon", "lat")


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("lat", "place is 'lat'; expected the columns of latitude and longitude, as \"lat,lon\"."),
        ("lat,", "place is 'lat,'; expected the columns of latitude and longitude, as \"lat,lon\"."),
        ("lat,x", "place is 'lat,x', but 'x' is not a column of the metadata; it has 'lat', 'lon'."),
    ],
)
def test_columns_that_are_wrong_are_refused(place: str, sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the whole sentence is compared)
        place_columns(corpus_at([1.0], [2.0]), place)
    assert str(error.value) == sentence


def test_metadata_without_places_are_refused() -> None:
    plain = Corpus(np.ones((1, 2), dtype=int), [0.0], metadata=pd.DataFrame({"party": ["a"]}))
    with pytest.raises(ValueError) as error:  # noqa: PT011
        place_columns(plain, None)
    assert str(error.value) == (
        "the kernel has space(...), and the metadata has no columns of latitude and longitude; pass "
        "place=\"lat,lon\" with their names. The columns are: 'party'."
    )


@pytest.mark.parametrize(
    ("lat", "lon", "sentence"),
    [
        (
            [31.0, -97.5],
            [-97.0, 30.0],
            "'lat' is -97.5 in row 2; expected latitudes from -90 to 90 in degrees.",
        ),
        (
            [-97.0, -97.5],
            [31.0, 30.0],
            "'lat' is -97 in row 1; expected latitudes from -90 to 90 in degrees; latitude and longitude seem to be "
            'swapped: pass place="lon,lat".',
        ),
        ([0.0, 1.0], [0.0, 361.0], "'lon' is 361 in row 2; expected longitudes from -180 to 180 in degrees."),
        ([np.nan, 1.0], [3.0, None], "no document has both 'lat' and 'lon'."),
        (["31.2 N", 1.0], [3.0, 4.0], "place is 'lat', where 1 entries are not numbers, as '31.2 N'."),
    ],
)
def test_coordinates_that_cannot_be_are_refused(lat, lon, sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_places(lat, lon)
    assert str(error.value) == sentence


def test_documents_without_a_place_are_counted_and_said() -> None:
    with pytest.warns(UserWarning, match="no place") as said:
        found = read_places([1.0, None, 3.0, 4.0], [1.0, 2.0, np.nan, 4.0])
    assert [str(each.message) for each in said] == [
        "2 of 4 documents have no place; they count as one place, far from all others."
    ]
    assert np.isnan(found).all(axis=1).tolist() == [False, True, True, False]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        places_of(corpus_at([1.0, None], [1.0, 2.0]), ("lat", "lon"), quiet=True)


def test_longitudes_up_to_360_are_those_from_minus_180() -> None:
    found = read_places([0.0, 0.0, 0.0, 0.0], [190.0, 360.0, -180.0, 180.0])
    assert found[:, 1].tolist() == [-170.0, 0.0, -180.0, -180.0]


@settings(max_examples=30, deadline=None)
@given(places=st.lists(degrees, min_size=1, max_size=40), n=st.integers(1, 12))
def test_cells_are_at_most_as_many_as_asked_and_as_places(places, n: int) -> None:
    at = np.array(places, dtype=float)
    cells = cells_of(at, n)
    assert 1 <= len(cells.middle) <= min(n, len(at))
    assert (np.abs(cells.middle) <= [90, 180]).all()


@settings(max_examples=30, deadline=None)
@given(places=st.lists(degrees, min_size=2, max_size=40), turn=st.floats(-180, 180))
def test_cells_turn_with_the_earth(places, turn: float) -> None:
    """The date line is no edge: where longitudes begin does not matter."""
    at = np.array(places, dtype=float)
    turned = np.column_stack([at[:, 0], (at[:, 1] + turn + 180) % 360 - 180])
    first, second = (on_sphere(cells_of(each, 1).middle) for each in (at, turned))
    spin = np.radians(turn)
    matrix = np.array([[np.cos(spin), -np.sin(spin), 0], [np.sin(spin), np.cos(spin), 0], [0, 0, 1]])
    if np.linalg.norm(on_sphere(at).mean(axis=0)) > 1e-3:  # places all around the earth have no middle
        np.testing.assert_allclose(first @ matrix.T, second, rtol=0, atol=1e-6)


def test_cells_have_about_as_many_documents_each_where_these_are_spread_evenly() -> None:
    rng = np.random.default_rng(0)
    at = np.column_stack([rng.uniform(30, 40, 4_000), rng.uniform(-100, -88, 4_000)])
    found = counts(cells_of(at, 16), at)
    assert len(found) == 16
    assert min(found) > 0.6 * 250
    assert max(found) < 1.4 * 250


def test_places_on_both_sides_of_the_date_line_are_one_cell() -> None:
    at = np.array([[0.0, 179.0], [0.0, -179.0], [0.0, 100.0], [0.0, 101.0]])
    cells = cells_of(at, 2)
    near = cells.nearest(at)
    assert near[0] == near[1] != near[2] == near[3]
    assert apart(cells.middle[near[0]], (0, 180)) < 1e-6


def test_places_around_a_pole_are_one_cell_at_the_pole() -> None:
    around = np.array([[89.0, lon] for lon in range(-180, 180, 30)])
    at = np.concatenate([around, [[0.0, 0.0]] * 12])
    cells = cells_of(at, 2)
    assert len(set(cells.nearest(around))) == 1
    assert apart(cells.middle[0], (90, 0)) < 1e-6
    assert cells.nearest(np.array([[90.0, 137.0]])).tolist() == [0]


def test_places_all_around_the_earth_have_a_cell_all_the_same() -> None:
    at = np.array([[0.0, 0.0], [0.0, 180.0], [90.0, 0.0], [-90.0, 0.0]])
    assert np.isfinite(cells_of(at, 1).middle).all()
    assert len(cells_of(at, 4).middle) == 4


def test_equal_places_stay_together_and_one_place_is_one_cell() -> None:
    at = np.array([[10.0, 20.0]] * 9 + [[30.0, 40.0]])
    assert counts(cells_of(at, 5), at) == [1, 9]
    assert cells_of(at[:9], 5).middle.round(9).tolist() == [[10.0, 20.0]]
    assert number_of_cells(at[:9], 1e9) == 1


def test_documents_without_a_place_are_in_no_cell() -> None:
    at = np.array([[10.0, 20.0], [np.nan, np.nan], [30.0, 40.0]])
    assert cells_of(at, 2).nearest(at).tolist() == [1, -1, 0]


def test_the_number_of_cells_follows_from_tokens() -> None:
    at = np.column_stack([np.linspace(0, 50, 200), np.zeros(200)])
    found = [number_of_cells(at, tokens) for tokens in (0, 3e4, 1e5, 1e9)]
    assert found == sorted(found)
    assert found[0] < found[-1] <= 200


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_readers_keep_columns_of_places(kind: str, tmp_path: Path) -> None:
    rows = [
        {"date": f"200{i}-01-0{i + 1}", "text": "rain and wind came", "Latitude": 30.0 + i, "Longitude": -97.5}
        for i in range(4)
    ]
    rows[2]["Latitude"] = None
    path = tmp_path / f"storms.{kind}"
    if kind == "csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    elif kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    else:
        pytest.importorskip("pyarrow")
        pd.DataFrame(rows).to_parquet(path)
    corpus = read_corpus(path)
    columns = place_columns(corpus, None)
    assert columns == ("Latitude", "Longitude")
    with pytest.warns(UserWarning, match="1 of 4 documents have no place"):
        found = places_of(corpus, columns)
    np.testing.assert_array_equal(found, [[30, -97.5], [31, -97.5], [np.nan] * 2, [33, -97.5]])


def test_a_model_of_one_place_says_that_there_is_nothing_to_compare() -> None:
    corpus = corpus_at([10.0] * 6, [20.0] * 6)
    model = DynamicTopicModel(1, KERNEL, max_epochs=1, verbose=False)
    with pytest.warns(UserWarning, match="all documents are at the same place: there is nothing to compare"):
        model.fit(corpus)
    assert model.topics_.groups == ()
