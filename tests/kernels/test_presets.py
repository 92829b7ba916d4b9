"""Presets: priors by the question they answer."""

import numpy as np
import pytest
from planted import plant

import chronotope as ct
from chronotope.gp import choose_nodes
from chronotope.kernels import Constant, Kernel, OrnsteinUhlenbeck, Preset, Product, Sum, as_kernel
from chronotope.kernels.presets import PRESETS

SPAN = (2000.0, 2010.0)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_read_back_resolved_and_fitted(name, one_thread):
    preset = ct.parse_kernel(name)
    assert preset == as_kernel(preset) == Preset(name)
    assert ct.parse_kernel(preset.text) == preset
    assert not isinstance(preset, Kernel)
    resolved = preset.resolve(*SPAN)
    assert isinstance(resolved, Kernel)
    assert resolved.is_resolved
    assert ct.parse_kernel(resolved.text) == resolved
    corpus = plant(ct.parse_kernel("ou(2, 20)"), np.linspace(*SPAN, 12), n_topics=2, n_words=10, documents=3).corpus
    model = ct.DynamicTopicModel(2, name, max_epochs=2, verbose=False).fit(corpus)
    assert model.kernel_ == resolved
    assert np.isfinite(model.perplexity(corpus))


@pytest.mark.parametrize("text", ["slow drift", "Slow-Drift", "slow_drift", "  SLOW  drift "])
def test_a_preset_is_found_however_it_is_written(text):
    assert ct.parse_kernel(text) == Preset("slow drift")


def test_slow_drift_is_the_default_of_the_model():
    default = ct.parse_kernel(ct.DynamicTopicModel().kernel)
    assert ct.parse_kernel("slow drift").resolve(*SPAN) == default.resolve(*SPAN)


def test_events_are_forgotten_sooner_than_drift():
    events, drift = (ct.parse_kernel(name).resolve(*SPAN) for name in ("events", "slow drift"))
    assert events.parameters["1.length_scale"] < 0.2 * drift.parameters["1.length_scale"]
    assert events.state_space() is not None  # linear in the number of times


def test_memory_is_longest_where_it_is_asked_for():
    lags = np.array([0.0, 0.5, 8.0])
    correlation = {}
    for name in ("events", "slow drift", "long memory"):
        change = ct.parse_kernel(name).resolve(*SPAN).parts[1]
        correlation[name] = change(lags)[0] / change(lags)[0, 0]
    assert correlation["events"][1] < correlation["slow drift"][1] < correlation["long memory"][1]


@pytest.mark.parametrize(
    ("text", "period"), [("seasonal(7)", 7.0), ("seasonal(period=7)", 7.0), ('seasonal("6 months")', 0.5)]
)
def test_a_season_of_another_length(text, period):
    preset = ct.parse_kernel(text)
    assert preset == Preset("seasonal", period)
    assert ct.parse_kernel(preset.text) == preset
    season = preset.resolve(0.0, 70.0).parts[2]
    times = np.array([0.0, period / 2, period])
    assert season(times)[0, 2] > season(times)[0, 1]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("events(3)", '"events" takes no numbers'),
        ("seasonal(-1)", "period is -1.0"),
        ("seasonal(soon)", "the duration is 'soon'"),
        ("drift", 'or alone "slow drift", "events", "long memory", "seasonal"'),
    ],
)
def test_what_is_not_understood_is_said(text, sentence):
    with pytest.raises(ValueError, match="(?i)" + sentence.replace("(", r"\(").replace(")", r"\)")):
        ct.parse_kernel(text)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Preset("drift"), "the preset is 'drift'; pass one of slow drift, events"),
        (lambda: Preset("events", 3), '"events" takes no numbers'),
        (lambda: Preset("seasonal", 0), "period is 0; pass a positive"),
        (lambda: Preset("events").resolve(2, 1), "runs from 2 to 1"),
        (lambda: Sum(Preset("events"), Constant()), "pass two or more kernels"),
        (lambda: Product(Constant(), Preset("events")), "pass two or more kernels"),
    ],
)
def test_presets_that_cannot_be_resolved_or_composed_are_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    "join",
    [
        lambda preset: preset + OrnsteinUhlenbeck(),
        lambda preset: OrnsteinUhlenbeck() + preset,
        lambda preset: preset * OrnsteinUhlenbeck(),
        lambda preset: OrnsteinUhlenbeck() * preset,
        lambda preset: 2 * preset,
        lambda preset: preset * np.float64(2),
        lambda preset: np.float64(2) * preset,
        lambda preset: preset + preset,
    ],
)
def test_a_preset_is_not_added_or_multiplied(join):
    with pytest.raises(TypeError, match=r'"slow drift" is a preset, .* call resolve\(first, last\)'):
        join(Preset("slow drift"))


def test_learning_starts_from_the_preset():
    assert Preset("events").forget() == Preset("events")


def test_seasons_need_years_or_a_period_and_more_than_one_of_them():
    with pytest.raises(ValueError, match=r'pass dates, or the length of a period .* "seasonal\(12\)"'):
        ct.parse_kernel("seasonal").resolve(0.0, 100.0)
    with pytest.raises(ValueError, match=r"has a period of 1, but the times span only 0\.5"):
        ct.parse_kernel("seasonal").resolve(2000.0, 2000.5)


def test_a_grid_has_several_nodes_in_every_season():
    kernel = ct.parse_kernel("seasonal").resolve(*SPAN)
    times = np.linspace(*SPAN, 3000)
    assert len(choose_nodes(kernel, times, None, "even")) > 8 * 10


def test_too_many_seasons_for_the_grid_are_said():
    kernel = ct.parse_kernel("seasonal").resolve(1900.0, 2000.0)
    with pytest.warns(UserWarning, match="256 nodes for 100 periods.*n_inducing=801"):
        choose_nodes(kernel, np.linspace(1900.0, 2000.0, 3000), None, "even")


@pytest.mark.parametrize("given", ["events", Preset("events")])
def test_a_preset_saved_in_a_file_is_read_back(given, tmp_path, one_thread):
    counts = np.random.default_rng(0).poisson(2.0, size=(12, 5))
    model = ct.DynamicTopicModel(2, given, max_epochs=2, verbose=False).fit(counts, times=np.arange(12.0))
    model.save(tmp_path / "model.ct")
    loaded = ct.load(tmp_path / "model.ct")
    assert loaded.kernel == "events"
    assert loaded.kernel_ == model.kernel_
