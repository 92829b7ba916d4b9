"""Places in a report: the map's ground, where its circles are, and that its numbers are those of `word_map`."""

import re

import numpy as np
import pytest
from report.test_report import data_of, probability, unpack
from report.test_wording import spreads
from somewhere import PLACES, WORDS, fitted, written_at

import chronotope as ct
from chronotope.kernels import on_sphere
from chronotope.report.outline import WIDTH, frame_of, ground, line_paths, project
from chronotope.report.places import between_times, local_words

EUROPE = np.array([[48.2, 16.4], [40.4, -3.7], [60.2, 24.9], [37.9, 23.7]])


@pytest.fixture(scope="module")
def data(chart):
    return data_of(chart)


def test_ratios_on_the_map_are_those_of_word_map(data):
    topics, shown = fitted().topics_, data["places"]
    for k, topic in enumerate(data["topics"]):
        own = topic["places"]
        size = len(shown["times"]), len(own["words"])
        rate = probability(unpack(own["rate"])).reshape(-1, *size)
        for w, v in enumerate(own["words"]):
            for i in (0, len(shown["times"]) - 1):
                time = data["times"][shown["times"][i]]
                table = ct.analysis.word_map(topics, k, data["vocabulary"][v], time)
                assert table["name"].tolist() == shown["names"]
                np.testing.assert_allclose(rate[:-1, i, w], table["mean"], rtol=1e-3)
                np.testing.assert_allclose(rate[:-1, i, w] / rate[-1, i, w], table["ratio"], rtol=1e-3)


def test_the_spread_of_a_ratio_is_that_of_joint_draws(data):
    topics, shown, k = fitted().topics_, data["places"], 1
    own = data["topics"][k]["places"]
    apart = spreads(own["apart"], own["scales"][1], -1, len(shown["times"]), len(own["words"]))
    place, w = 3, data["vocabulary"].index("east")
    group = np.array([place, -1])
    points = topics.posterior.prior.at(np.full(2, data["times"][shown["times"][0]]), group)
    drawn = topics.posterior.take(slice(k, k + 1)).draws(points, 2_000, np.random.default_rng(0))[:, :, 0] + topics.mean
    level = drawn - np.log(np.exp(drawn).sum(axis=2, keepdims=True))
    column = list(topics.vocabulary).index("east")
    expected = (level[:, 0, column] - level[:, 1, column]).std()
    assert apart[place, 0, own["words"].index(w)] == pytest.approx(expected, rel=0.25)


def test_words_around_a_time_are_all_the_words_of_a_place(data):
    tokens = np.array([topic["places"]["tokens"] for topic in data["topics"]]).sum(axis=0)  # (S, T)
    assert tokens.shape == (len(PLACES), len(data["places"]["times"]))
    assert tokens.sum() > 0.5 * written_at(PLACES).n_tokens / 4
    assert data["places"]["documents"] == [40] * len(PLACES)


def test_circles_are_on_the_map_across_the_date_line_in_their_order(data):
    at, height = np.array(data["places"]["at"]), data["places"]["ground"]["height"]
    assert np.all((at > 0) & (at < [WIDTH, height]))
    cells = fitted().topics_.places
    np.testing.assert_array_equal(np.argsort(at[:, 0]), np.argsort(np.mod(cells[:, 1], 360.0)))
    np.testing.assert_array_equal(np.sign(np.diff(at[:, 1])), -np.sign(np.diff(cells[:, 0])))


def test_areas_of_a_part_of_the_world_are_true():
    frame = frame_of(EUROPE)
    assert frame.round
    for lat, lon in ((36.0, 0.0), (50.0, 10.0), (65.0, 30.0)):
        corners = np.array([[lat, lon], [lat + 0.01, lon], [lat, lon + 0.01]])
        a, b, c = project(corners, frame.middle, True)
        x, y, z = on_sphere(corners)
        drawn = abs(np.linalg.det(np.stack([b - a, c - a])))
        real = np.linalg.norm(np.cross(y - x, z - x))
        assert drawn == pytest.approx(np.degrees(np.degrees(real)), rel=1e-3)


def test_the_world_is_a_plate_and_nothing_is_drawn_across_it():
    frame = frame_of(np.array([[40.0, -100.0], [-30.0, 25.0], [35.0, 135.0], [60.0, 10.0]]))
    assert not frame.round
    for kind in ("coast", "borders", "net"):
        steps = re.findall(r"l([^M]*)", ground(frame)[kind])
        numbers = [np.array(re.findall(r"-?\d+", one), dtype=int).reshape(-1, 2) for one in steps]
        assert max(np.abs(one[:, 0]).max() for one in numbers) < 0.5 * WIDTH


def test_a_line_is_followed_by_its_path():
    frame = frame_of(EUROPE)
    line = np.column_stack([np.linspace(38.0, 58.0, 50), np.linspace(0.0, 20.0, 50)])
    (path,) = line_paths(frame, line)
    start, rest = re.fullmatch(r"M(-?\d+ ?-?\d+)l(.*)", path).groups()
    numbers = [np.array(re.findall(r"-?\d+", part), dtype=int).reshape(-1, 2) for part in (start, rest)]
    drawn = np.cumsum(np.concatenate(numbers), axis=0)
    np.testing.assert_allclose(drawn[[0, -1]], frame.units(line[[0, -1]]), atol=1.0)
    assert line_paths(frame, np.array([[-40.0, 100.0], [-41.0, 101.0]])) == []


def test_the_ground_is_small_and_has_coasts_borders_and_degrees():
    found = ground(frame_of(EUROPE))
    assert 2_000 < len(found["coast"]) < 60_000
    assert len(found["borders"]) > 1_000
    assert [text for _, _, text in found["netLabels"]] == ["40°N", "50°N", "0°", "10°E", "20°E"]


def test_a_single_point_apart_from_others_and_poles_have_a_map():
    for places in ([[89.0, 0.0], [88.0, 180.0]], [[10.0, 20.0], [10.0, 20.001]]):
        frame = frame_of(np.array(places))
        at = frame.units(np.array(places))
        assert np.all((at >= 0) & (at <= [WIDTH, frame.height]))
        assert np.isfinite(frame.unit)


def test_spreads_between_times_lie_on_lines():
    values, known = np.arange(12.0).reshape(2, 3, 2), np.array([0.0, 1.0, 4.0])
    found = between_times(values, known, np.array([0.0, 0.5, 1.0, 2.5, 4.0]))
    np.testing.assert_allclose(found[1, :, 0], [6.0, 7.0, 8.0, 9.0, 10.0])
    np.testing.assert_allclose(between_times(values[:, :1], known[:1], known), values[:, [0, 0, 0]])


def test_words_that_differ_between_places_are_on_the_map():
    rate = np.full((3, 2, 200), 1e-3)
    rate[:, :, :20] = 0.03
    rate[1, :, 150] = 0.05
    part = np.array([0.5, 0.3, 0.2])
    words = local_words(rate, np.einsum("s,stv->tv", part, rate), part)
    assert 150 in words
    assert len(words) == len(set(words.tolist()))


def test_words_of_the_corpus_are_only_ever_data(chart, data):
    assert WORDS[-1] in data["vocabulary"]
    assert chart.read_text(encoding="utf-8").count("<b>") == 0
