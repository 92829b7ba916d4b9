"""Groups in a report: their curves, contrasts of any two and what they differ in are those of the model."""

import numpy as np
import pytest
from report.conftest import HOSTILE
from report.test_report import data_of, probability, unpack

import chronotope as ct
from chronotope.report import contrasts
from chronotope.report.encode import quantise_signed


@pytest.fixture(scope="module")
def data(parties):
    return data_of(parties)


@pytest.fixture(scope="module")
def written(data):
    """The times with documents, and the others."""
    here = np.array(data["written"], dtype=bool)
    return np.array(data["times"])[here], here


def decoded(topic, groups, times):
    """Contrasts of pairs of groups: probability, difference and ratio, (7, times, pairs)."""
    packed = topic["groups"]["contrasts"]
    table = unpack(packed["table"]).reshape(7, times, groups * (groups - 1) // 2) / 65535
    table[1:4] = packed["difference"] * (2 * table[1:4] - 1)
    table[4:] = np.exp(packed["ratio"] * (2 * table[4:] - 1))
    return table


def test_curves_and_contrasts_of_groups_are_those_of_the_model(data, written, grouped):
    times, prevalence = written[0], grouped[1].prevalence_
    assert data["groups"]["names"] == list(prevalence.groups)
    assert data["groups"]["times"] == np.flatnonzero(written[1]).tolist()
    drawn = np.stack(list(prevalence.group_draws(times)))
    for k, topic in enumerate(data["topics"]):
        curves = probability(unpack(topic["groups"]["curves"])).reshape(3, 3, len(times))
        np.testing.assert_allclose(curves[0].T, np.median(drawn[..., k], axis=0), rtol=1e-3)
        np.testing.assert_allclose(curves[1].T, np.quantile(drawn[..., k], 0.05, axis=0), rtol=1e-3)
        table = decoded(topic, 3, len(times))
        for pair, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
            one, other = drawn[..., a, k], drawn[..., b, k]
            np.testing.assert_allclose(table[0, :, pair], (one > other).mean(axis=0), atol=1e-4)
            np.testing.assert_allclose(table[1, :, pair], np.median(one - other, axis=0), atol=1e-4)
            np.testing.assert_allclose(table[4, :, pair], np.median(one / other, axis=0), rtol=1e-3)
            answer = prevalence.contrast(k, *(prevalence.groups[group] for group in (a, b)), times)
            np.testing.assert_allclose(table[:, :, pair].T, answer.loc[:, "probability":], rtol=0.25, atol=0.08)


def test_of_two_groups_the_contrasts_are_the_very_same(grouped, monkeypatch, tmp_path):
    monkeypatch.setattr(contrasts, "SHOWN", 2)
    corpus, model = grouped
    data = data_of(ct.write_report(model, corpus, tmp_path / "two.html", verbose=False))
    times = np.array(data["times"])[np.array(data["written"], dtype=bool)]
    answer = model.prevalence_.contrast(1, *data["groups"]["names"], times)
    table = decoded(data["topics"][1], 2, len(times))[:, :, 0]
    np.testing.assert_allclose(table.T, answer.loc[:, "probability":], rtol=1e-3, atol=1e-4)
    assert "The 2 of 3 groups by “party” with most documents" in data["groups"]["standfirst"]
    assert data["groups"]["standfirst"].endswith("1 is left out.")


def test_topics_are_ranked_by_the_groups_that_wrote_most_and_least(data, written, grouped):
    table = grouped[1].prevalence_.differences(written[0]).set_index("topic")
    names = data["groups"]["names"]
    for k, topic in enumerate(data["topics"]):
        found, answer = topic["groups"], table.loc[k]
        assert [names[found["most"]], names[found["least"]]] == [answer["most"], answer["least"]]
        assert found["probability"] == pytest.approx(answer["probability"], abs=1e-4)
        for name in ("difference", "ratio"):
            expected = [answer[name], answer[f"{name}_low"], answer[f"{name}_high"]]
            np.testing.assert_allclose(found[name], expected, rtol=1e-3, atol=1e-5)


def test_many_groups_have_contrasts_at_fewer_times():
    for K, T, G in ((20, 240, 12), (50, 100, 8), (20, 240, 2), (500, 60, 12)):
        step = contrasts.step_between(np.empty((1, T, G, K), np.float32))
        assert -(-T // step) * K * 7 * G * (G - 1) // 2 < 1.2 * contrasts.NUMBERS
        assert step == 1 or G > 2


def test_contrasts_at_fewer_times_are_those_of_these_times(grouped, monkeypatch, tmp_path):
    monkeypatch.setattr(contrasts, "NUMBERS", 600)
    data = data_of(ct.write_report(*grouped[::-1], tmp_path / "few.html", verbose=False))
    places = np.flatnonzero(data["written"])
    assert data["groups"]["times"] == places[::4].tolist()
    table = decoded(data["topics"][0], 3, 14)
    drawn = np.stack(list(grouped[1].prevalence_.group_draws(np.array(data["times"])[places])))[:, ::4, :, 0]
    np.testing.assert_allclose(table[4, :, 0], np.median(drawn[..., 0] / drawn[..., 1], axis=0), rtol=1e-3)


def test_values_of_both_signs_come_back():
    values = np.linspace(-0.3, 0.2, 101)
    q, reach = quantise_signed(values)
    np.testing.assert_allclose(reach * (2.0 * q / 65535 - 1.0), values, atol=1e-5)
    assert quantise_signed(np.zeros(3))[1] > 0


def test_hostile_names_of_groups_are_only_ever_data(parties, data):
    page = parties.read_text(encoding="utf-8")
    assert {*HOSTILE[:2]} < {*data["groups"]["names"]}
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "<img" not in page
