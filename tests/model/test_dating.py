"""A model that has learned to date: undated documents get their years back, and wrong dates are found."""

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import chronotope as ct
from chronotope.dates.rough import UNKNOWN, RoughDates
from chronotope.model.dating import dating_content, dating_of
from chronotope.storage.model_file import DATING

YEARS = np.arange(1900.0, 1960.0)
V = 60


def drawn(D, seed, times=None):
    """Documents of words that come and go, in bursts."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.choice(YEARS, D)) if times is None else times
    peaks = np.linspace(1890, 1970, V)
    rate = 2.0 * np.exp(-0.5 * ((times[:, None] - peaks) / 8.0) ** 2) + 0.05
    counts = rng.poisson(rate * rng.gamma(0.5, 2.0, (len(times), V)))
    words = [f"{'abcdefghij'[v // 10]}{'abcdefghij'[v % 10]}word" for v in range(V)]
    return ct.Corpus(sp.csr_array(counts), times, words, calendar=True)


@pytest.fixture(scope="module")
def corpus():
    return drawn(900, 0)


@pytest.fixture(scope="module")
def model(corpus):
    return ct.DynamicTopicModel(3, max_epochs=6, verbose=False).fit(corpus).learn_dating(corpus)


@pytest.fixture(scope="module")
def unseen():
    return drawn(400, 1)


def test_undated_documents_get_their_years_back(model, unseen):
    table = model.date(unseen.counts).table
    assert list(table) == ["id", "date", "median", "low", "high", "beyond"]
    assert np.abs(table["median"] - unseen.times).mean() < 6.0


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_intervals_hold_the_date_as_often_as_they_say(model, unseen, level):
    table = model.date(unseen.counts).intervals(level)
    held = ((table["low"] <= unseen.times + 1) & (unseen.times <= table["high"])).mean()
    assert level - 0.08 < held < level + 0.14


def test_a_document_without_known_words_has_the_prior(model):
    found = model.date(np.zeros((1, V), int))
    words = model.dating_.words
    prior = np.exp(model.dating_.weighing.beta[-1] * words.prior)
    np.testing.assert_allclose(found.probabilities[0], prior / prior.sum(), rtol=1e-9, atol=0)
    assert found.why(0).empty


def test_texts_are_counted_as_the_models_own_and_may_have_no_known_word(model):
    found = model.date(["daword daword fjword", "nothing known"])
    np.testing.assert_array_equal(found.probabilities[1], model.date(np.zeros((1, V), int)).probabilities[0])
    assert set(found.why(0)["word"]) == {"daword", "fjword"}


def test_what_is_known_of_a_date_limits_the_answer(model, unseen):
    some = unseen[:20]
    some.rough = RoughDates.of([(d, [(1930.0, 1930.0, 1940.0, 1940.0)]) for d in range(19)] + [(19, [UNKNOWN])])
    limited, free = model.date(some), model.date(some.counts)
    inside = (limited.times >= 1930.0) & (limited.times < 1940.0)
    np.testing.assert_allclose(limited.probabilities[:19, inside].sum(axis=1), 1.0, rtol=1e-9, atol=0)
    np.testing.assert_allclose(limited.probabilities[19], free.probabilities[19], rtol=1e-9, atol=1e-12)


def test_a_document_is_not_from_beyond_if_its_rough_date_says_so(model):
    late = drawn(6, 2, np.full(6, 1975.0))
    ends = [(1950.0, 1960.0), (1950.0, np.inf), (-np.inf, 1960.0)]
    late.rough = RoughDates.of([(d, [(a, a, b, b)]) for d, (a, b) in enumerate(ends)])
    table = model.date(late).intervals(0.95)
    assert np.isinf(table["high"]).tolist() == [False, True, False, True, True, True]
    assert np.isfinite(table["low"]).all()
    assert set(table["beyond"][[0, 2]]) == {""}


def test_a_document_from_beyond_is_said_to_be(model):
    late = drawn(40, 2, np.full(40, 1975.0))
    found = model.date(late.counts)
    table = found.table
    assert np.isinf(table["high"]).mean() > 0.5
    assert np.isfinite(table["low"]).all()
    chosen = table["beyond"] == "after"
    assert chosen.any()
    assert (found.text()["date"][chosen] == "1959 or after").all()
    assert (found.text()["high"][np.isinf(table["high"])] == "").all()


def test_reasons_are_words_of_the_date(model):
    counts = np.zeros((1, V), int)
    counts[0, 30], counts[0, 59] = 2, 1
    found = model.date(counts)
    why = found.why(0, time=1930.0)
    assert set(why["word"]) == {"daword", "fjword"}
    assert why["weight"].iloc[0] > 0 > why["weight"].iloc[1]
    assert why["word"].iloc[0] == "daword"
    curve = found.curve(0)
    assert curve["probability"].sum() == pytest.approx(1.0)


def test_a_saved_model_dates_the_same(model, unseen, tmp_path):
    model.save(tmp_path / "model.ct")
    again = ct.load(tmp_path / "model.ct")
    np.testing.assert_allclose(
        again.date(unseen.counts).probabilities, model.date(unseen.counts).probabilities, rtol=1e-4, atol=1e-7
    )


def test_wrong_dates_are_among_the_most_surprising(model, corpus):
    wrong = ct.Corpus(corpus.counts, corpus.times, corpus.vocabulary, calendar=True)
    rng = np.random.default_rng(3)
    moved = rng.choice(np.flatnonzero(corpus.stored.sizes > 8), 15, replace=False)
    wrong.times[moved] = 1900.0 + (corpus.times[moved] - 1900.0 + 30.0) % 60.0
    found = model.check_dates(wrong, folds=2)
    assert list(found)[:3] == ["id", "given", "surprise"]
    assert np.isin(found["id"][:30], moved).sum() >= 12
    assert len(found) == (corpus.stored.sizes > 0).sum()


def test_a_model_that_has_not_learned_to_date_says_how(corpus):
    model = ct.DynamicTopicModel(2, max_epochs=1, verbose=False).fit(corpus)
    with pytest.raises(ValueError, match=r"has not learned to date texts; call model\.learn_dating\(corpus\)"):
        model.date(corpus)
    with pytest.raises(ValueError, match=r"at least 100 documents with exact dates, but there are 30"):
        model.learn_dating(corpus[:30])
    with pytest.raises(ValueError, match=r"all 300 documents with an exact date have the same"):
        model.learn_dating(ct.Corpus(corpus.counts[:300], np.zeros(300), corpus.vocabulary))


def test_another_fit_forgets_how_to_date(corpus):
    model = ct.DynamicTopicModel(2, max_epochs=1, verbose=False).fit(corpus).learn_dating(corpus)
    assert not hasattr(model.partial_fit(corpus[:50]), "dating_")


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("times", lambda x: x[::-1]),
        ("edges", lambda x: x[:-1]),
        ("used", lambda x: -x),
        ("all_levels", lambda x: x[::-1]),
        ("words_beta", lambda x: x[1:]),
    ],
)
def test_damaged_tables_of_dates_are_refused(model, name, spoil):
    header, arrays = dating_content(model.dating_)
    np.testing.assert_array_equal(dating_of(header, arrays, V).words.times, model.dating_.words.times)
    with pytest.raises(ValueError, match=r"its tables of dates|candidate dates do not increase|are not probabilities"):
        dating_of(header, arrays | {f"{DATING}{name}": spoil(arrays[f"{DATING}{name}"])}, V)
    with pytest.raises(ValueError, match="its tables of dates"):
        dating_of(header | {"curves": ["topics"]}, arrays, V)


def test_threads_change_nothing(corpus, unseen):
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            model = ct.DynamicTopicModel(3, max_epochs=3, n_threads=threads, verbose=False).fit(corpus)
            found.append(model.learn_dating(corpus).date(unseen).probabilities)
    np.testing.assert_array_equal(*found)
