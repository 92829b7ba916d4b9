"""Words of groups in a report: their curves, ratios and partings are those of the model and of `analysis`."""

import numpy as np
import pytest
from report.conftest import HOSTILE
from report.test_report import data_of, probability, unpack
from scipy.special import ndtr

import chronotope as ct
from chronotope.analysis.groups import contrast
from chronotope.report import pairs, partings, wording
from chronotope.report.wording import number_of_times, number_of_words, parting_words


@pytest.fixture(scope="module")
def data(voices):
    return data_of(voices)


def spreads(text, reach, *shape):
    return reach * (2.0 * unpack(text).astype(float) / 65535 - 1.0).reshape(shape)


def unpacked(data, k):
    """Rates and spreads of groups, (G, T, W), and spreads of ratios, (P, T, W)."""
    topic, shown = data["topics"][k]["wording"], data["wording"]
    sizes = len(shown["times"]), len(topic["words"])
    rate = probability(unpack(topic["rate"])).reshape(-1, *sizes)
    spread = spreads(topic["spread"], topic["scales"][0], -1, *sizes)
    return rate, spread, spreads(topic["apart"], topic["scales"][1], -1, *sizes)


def test_curves_of_words_in_groups_are_the_model_s(data, spoken):
    shown, topics = data["wording"], spoken[1].topics_
    times = np.array(data["times"])[shown["times"]]
    assert shown["names"] == list(topics.groups)
    for k, topic in enumerate(data["topics"]):
        rate, spread, _ = unpacked(data, k)
        words = [data["vocabulary"][v] for v in topic["wording"]["words"]]
        for g, name in enumerate(shown["names"]):
            table = topics.trajectories(k, words, times, group=name)
            mean, low, high = table[["mean", "low", "high"]].to_numpy().T.reshape(3, len(words), len(times))
            np.testing.assert_allclose(rate[g], mean.T, rtol=1e-3)
            level = np.log(rate[g]) - spread[g] ** 2 / 2
            rare = mean.T < 0.2  # of others, the table's band is of odds
            np.testing.assert_allclose(np.exp(level - shown["reach"] * spread[g])[rare], low.T[rare], rtol=0.35)
            np.testing.assert_allclose(np.exp(level + shown["reach"] * spread[g])[rare], high.T[rare], rtol=0.35)


def test_ratios_of_two_groups_are_those_of_contrast(data, spoken):
    shown = data["wording"]
    pair = next(i for i, (a, b) in enumerate(shown["pairs"]) if (a, b) == (0, 2))
    for i in (0, len(shown["times"]) - 1):
        for k, topic in enumerate(data["topics"]):
            rate, spread, apart = unpacked(data, k)
            words = [data["vocabulary"][v] for v in topic["wording"]["words"]]
            time = [data["times"][shown["times"][i]]]
            table = contrast(spoken[1], k, *(shown["names"][g] for g in (0, 2)), time, words=words)
            level = np.log(rate[:, i]) - spread[:, i] ** 2 / 2
            ratio, sd = level[0] - level[2], apart[pair, i]
            np.testing.assert_allclose(ratio, np.log(table["ratio"]), atol=0.15)
            np.testing.assert_allclose(ratio - shown["reach"] * sd, np.log(table["low"]), atol=0.35)
            np.testing.assert_allclose(ndtr(ratio / sd), table["probability"], atol=0.1)


def test_groups_that_share_a_part_are_known_better_against_each_other_than_apart(data):
    for k in range(len(data["topics"])):
        _, spread, apart = unpacked(data, k)
        alone = np.sqrt(spread[0] ** 2 + spread[1] ** 2)
        assert np.median(apart[0] / alone) < 1.0


def test_divergence_and_parting_are_those_of_analysis(data, spoken):
    shown = data["wording"]
    for k, topic in enumerate(data["topics"]):
        for pair, found in topic["wording"]["partings"].items():
            a, b = (shown["names"][g] for g in shown["pairs"][int(pair)])
            times = np.array(data["times"])[found["times"]]
            table = ct.analysis.divergence(spoken[1], k, a, b, times)
            np.testing.assert_allclose(found["divergence"][0], table["divergence"], atol=0.06)
            assert np.all(np.diff(np.array(found["divergence"])[[1, 0, 2]], axis=0) >= 0)
            row = ct.analysis.parting(spoken[1], k, a, b).iloc[0]
            assert found["probability"] == pytest.approx(row["probability"], abs=1e-3)
            assert found["when"][0] == pytest.approx(row["time"], abs=1e-4)
            assert found["when"][1] <= found["when"][0] <= found["when"][2]


def test_a_planted_difference_is_among_the_words_that_part_two_groups(data):
    shown = data["wording"]
    for k, topic in enumerate(data["topics"]):
        rate, _, apart = unpacked(data, k)
        words = [data["vocabulary"][v] for v in topic["wording"]["words"]]
        if "army" in words and rate[2, -1, words.index("army")] > 0.1:
            w, pair = words.index("army"), shown["pairs"].index([0, 2])
            assert np.log(rate[0, -1, w] / rate[2, -1, w]) / apart[pair, -1, w] < -2
            return
    raise AssertionError("no topic has the army")


def test_of_many_groups_each_is_compared_with_what_all_share(spoken, monkeypatch, tmp_path):
    monkeypatch.setattr(pairs, "PAIRED", 2)
    corpus, model = spoken
    data = data_of(ct.write_report(model, corpus, tmp_path / "many.html", verbose=False))
    shown = data["wording"]
    assert shown["names"][-1] == pairs.ALL
    assert shown["pairs"] == [[0, 3], [1, 3], [2, 3]]
    rate, *_ = unpacked(data, 0)
    words = data["topics"][0]["wording"]["words"]
    times = np.array(data["times"])[shown["times"]]
    table = model.topics_.trajectories(0, [data["vocabulary"][v] for v in words], times)
    np.testing.assert_allclose(rate[3], table["mean"].to_numpy().reshape(len(words), -1).T, rtol=1e-3)
    assert all(topic["wording"]["partings"] == {} for topic in data["topics"])


def test_only_the_largest_groups_are_shown_and_the_page_says_so(spoken, monkeypatch):
    monkeypatch.setattr(pairs, "PAIRED", 1)
    monkeypatch.setattr(pairs, "SHOWN", 2)
    topics, group = spoken[1].topics_, np.repeat([0, 1, 2], [5, 1, 9])
    found = pairs.compared_groups(topics, group)
    assert found.names == [topics.groups[0], topics.groups[2], pairs.ALL]
    assert found.first == [1, 2]
    assert "The 2 of 3 groups with most documents" in pairs.groups_note(topics, "party", found)


def test_many_groups_have_fewer_times_and_few_pairs_are_examined(spoken):
    for G, paired in ((2, True), (8, True), (24, False)):
        P = G * (G - 1) // 2 if paired else G
        names = ["x"] * (G + (not paired))
        some = np.column_stack(np.triu_indices(G, 1)) if paired else np.column_stack([np.arange(G), np.full(G, G)])
        tracks = np.arange(G) if paired else np.append(np.arange(G), -1)
        compared = pairs.GroupPairs(names, tracks, np.arange(len(names)), some, [0, 1])
        times = number_of_times(20, compared)
        assert times * 20 * number_of_words(len(names)) * (2 * len(names) + P) <= wording.NUMBERS
        assert 8 <= times <= wording.TIMES
        assert len(partings.examined_pairs(compared, 20)) == (min(P, 3) if paired else 0)


def test_words_that_part_groups_are_kept_beside_the_top_ones():
    rate = np.full((2, 3, 400), 1e-4)
    rate[:, :, :30] = 0.02
    rate[1, 2, 390] = 0.01
    words, exact = parting_words(rate, np.array([[0, 1]]))
    assert len(words) == len(set(words.tolist())) == number_of_words(2)
    assert 390 in words
    assert exact >= 1


def test_hostile_names_of_groups_and_words_are_only_ever_data(voices, data):
    page = voices.read_text(encoding="utf-8")
    assert {*HOSTILE[:2]} < {*data["wording"]["names"]}
    assert page.count("<script") == 2
    assert "<img" not in page


def test_without_groups_there_is_nothing_about_them(model, corpus, tmp_path):
    data = data_of(ct.write_report(model, corpus, tmp_path / "none.html", verbose=False))
    assert data["wording"] is None
    assert data["places"] is None
    assert all(topic["wording"] is None and topic["places"] is None for topic in data["topics"])
