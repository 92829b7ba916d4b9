"""Maps as tables: the same as the topics say place by place; GeoJSON that any program reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from somewhere import KERNEL, PLACES, fitted, written_at

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis.places import map_date, to_geojson, topic_map, word_map


def test_a_word_at_every_place_is_what_the_topics_say_there() -> None:
    topics = fitted().topics_
    table = word_map(topics, 1, "east", 2002)
    assert table.columns.tolist() == ["name", "latitude", "longitude", "tokens", "mean", "low", "high", "ratio"]
    assert table["name"].tolist() == list(topics.groups)
    shared = topics.trajectory(1, "east", [2002])["mean"].iloc[0]
    for i, name in enumerate(topics.groups):
        one = topics.trajectory(1, "east", [2002], group=name)
        np.testing.assert_allclose(table.loc[i, ["mean", "low", "high"]].tolist(), one.iloc[0, 1:].tolist(), rtol=1e-5)
        np.testing.assert_allclose(table["ratio"][i], one["mean"].iloc[0] / shared, rtol=1e-5)
    np.testing.assert_allclose(table[["latitude", "longitude"]], topics.places, rtol=1e-12)
    np.testing.assert_allclose(table["tokens"], topics.track_mass[:, :, 1].sum(axis=1), rtol=1e-12)


def test_a_word_of_the_east_is_found_east_of_the_date_line() -> None:
    for k in range(2):
        table = word_map(fitted(), k, "east")
        east = table["longitude"] < 0
        assert table["mean"][east].min() > 2 * table["mean"][~east].max()
        assert (table["low"] < table["mean"]).all()
        assert (table["mean"] < table["high"]).all()


def test_without_a_time_it_is_the_one_by_which_half_of_the_topic_is_written() -> None:
    topics = fitted().topics_
    written = topics.mass[:, 0].cumsum()
    time = topics.times[written >= 0.5 * written[-1]][0]
    pd.testing.assert_frame_equal(word_map(topics, 0, "a"), word_map(topics, 0, "a", time))
    assert map_date(topics, 0) == str(int(time))


def test_shares_of_topics_sum_to_one_at_every_place() -> None:
    first, second = (topic_map(fitted(), k) for k in range(2))
    np.testing.assert_allclose(first["share"] + second["share"], 1.0, rtol=1e-6)
    np.testing.assert_allclose(first["tokens"], 40 * 30, rtol=1e-6)
    np.testing.assert_allclose((first["ratio"] * first["tokens"]).sum() / first["tokens"].sum(), 1.0, rtol=1e-6)


def test_geojson_has_longitude_first_and_escapes_what_a_name_may_hold(tmp_path: Path) -> None:
    names = ['<b>&"\n', "Köln", "c"]
    table = pd.DataFrame({"name": names, "latitude": [10.0, -90.0, 0.0], "longitude": [-178.0, 0.0, 7.0]})
    table["ratio"] = [1.5, np.nan, np.inf]
    found = to_geojson(table, tmp_path / "map.geojson")
    assert json.loads((tmp_path / "map.geojson").read_text(encoding="utf-8")) == found
    assert found["type"] == "FeatureCollection"
    assert [each["geometry"] for each in found["features"]] == [
        {"type": "Point", "coordinates": place} for place in ([-178.0, 10.0], [0.0, -90.0], [7.0, 0.0])
    ]
    assert [each["properties"] for each in found["features"]] == [
        {"name": name, "ratio": ratio} for name, ratio in zip(names, [1.5, None, None], strict=True)
    ]


def test_a_map_of_a_word_is_geojson(tmp_path: Path) -> None:
    found = to_geojson(word_map(fitted(), 0, '<b>&"'))
    assert len(found["features"]) == len(PLACES)
    assert all(0 < each["properties"]["mean"] < 1 for each in found["features"])


def test_documents_without_a_place_are_not_on_the_map() -> None:
    corpus = written_at(PLACES[:4], n=5)
    lat = corpus.metadata["lat"].to_numpy(dtype=float, copy=True)
    lat[::4] = np.nan
    some = Corpus(corpus.counts, corpus.times, corpus.vocabulary, metadata={"lat": lat, "lon": corpus.metadata["lon"]})
    with pytest.warns(UserWarning, match="5 of 20 documents have no place"):
        model = DynamicTopicModel(2, KERNEL, n_cells=4, max_epochs=1, verbose=False).fit(some)
    assert model.topics_.groups[-1] == "(no place)"
    for table in (word_map(model, 0, "a"), topic_map(model, 0)):
        assert len(table) == 4
        assert np.isfinite(table[["latitude", "longitude"]]).all(axis=None)


def test_what_has_no_place_is_refused(tmp_path: Path) -> None:
    plain = DynamicTopicModel(2, "constant + ou(0.05, 5)", max_epochs=1, verbose=False).fit(written_at(PLACES, n=2))
    with pytest.raises(ValueError, match='do not differ between places; fit it with a kernel such as "constant'):
        word_map(plain, 0, "a")
    with pytest.raises(ValueError, match="the word 'zebra' is not among the model's 10 words"):
        word_map(fitted(), 0, "zebra")
    with pytest.raises(ValueError, match="topic is 2; expected a number from 0 to 1"):
        topic_map(fitted(), 2)
    with pytest.raises(ValueError, match="the table has no column 'longitude'"):
        to_geojson(pd.DataFrame({"latitude": [1.0]}))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        to_geojson(topic_map(fitted(), 0), tmp_path / "no" / "map.geojson")
