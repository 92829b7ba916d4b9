"""A small model with texts, one with hostile texts, and a browser."""

import numpy as np
import pytest
from report.browser import browser, programs, visits
from somewhere import PLACES, fitted, written_at

import chronotope as ct

THEMES = ("war army navy battle soldier", "wheat corn harvest farm market", "bank money debt credit gold")
HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror=window.hacked=2>",
    "\"quoted\" 'words' `ticks` &amp; &lt;b&gt;",
    "line\u2028separator\u2029and 😀",
    "=1+1",
    "<!--<script>",
    "${window.hacked=3}",
)


def texts_of(rng, year):
    """A document that is mostly about one theme, the army's word giving way to the soldier's over time."""
    words = THEMES[rng.integers(3)].split()
    late = (year - 1900) / 60
    chance = np.ones(len(words))
    chance[1], chance[-1] = 4.0 * (1 - late) + 0.1, 4.0 * late + 0.1
    return " ".join(rng.choice(words, size=40, p=chance / chance.sum()))


@pytest.fixture(scope="session")
def corpus():
    rng = np.random.default_rng(0)
    years = np.repeat(np.arange(1900, 1961), 4)
    return ct.Corpus.from_texts([texts_of(rng, year) for year in years], [f"{year}-06-01" for year in years])


@pytest.fixture(scope="session")
def model(corpus):
    return ct.DynamicTopicModel(3, "ou(2, 30)", max_epochs=8, n_threads=1, verbose=False).fit(corpus)


@pytest.fixture(scope="session")
def hostile():
    """Words, texts, ids and titles that would do harm if any of them were taken for markup."""
    rng = np.random.default_rng(1)
    vocabulary = [*HOSTILE, "plain", "other"]
    counts = rng.poisson(3.0, (40, len(vocabulary)))
    texts = [" ".join(np.repeat(vocabulary, row)) for row in counts]
    ids = [f"{HOSTILE[d % len(HOSTILE)]} {d}" for d in range(40)]
    corpus = ct.Corpus(
        counts,
        np.arange(40.0),
        vocabulary,
        texts=texts,
        ids=ids,
        metadata={"title": [f"<b>{name}</b>" for name in ids]},
    )
    return corpus, ct.DynamicTopicModel(2, "ou(2, 10)", max_epochs=3, n_threads=1, verbose=False).fit(corpus)


@pytest.fixture(scope="session")
def grouped():
    """Documents of three groups with hostile names, none of 1925 to 1939, and a model of their prevalence."""
    rng = np.random.default_rng(2)
    years, group = rng.choice(np.r_[1900:1925, 1940:1970], 400), rng.integers(3, size=400)
    words = np.array([[0.5, 0.4, 0.05, 0.05], [0.05, 0.05, 0.4, 0.5]])
    counts = [rng.multinomial(25, [x, 1 - x] @ words) for x in rng.beta(1 + group, 3 - group)]
    metadata = {"party": [(*HOSTILE[:2], "plain")[g] for g in group]}
    corpus = ct.Corpus(np.array(counts), years, ["tax", "tariff", "war", "army"], metadata=metadata, calendar=True)
    terms = "constant + ou + by(party)"
    return corpus, ct.DynamicTopicModel(2, "ou(2, 10)", prevalence=terms, max_epochs=4, n_threads=1, verbose=False).fit(
        corpus
    )


@pytest.fixture(scope="session")
def parties(grouped, tmp_path_factory):
    """The file of a report with groups."""
    corpus, model = grouped
    return ct.write_report(model, corpus, tmp_path_factory.mktemp("parties") / "parties.html", verbose=False)


@pytest.fixture(scope="session")
def spoken():
    """Documents of three groups with hostile names, one of which takes up a word in 1935, and a model of them."""
    rng = np.random.default_rng(4)
    vocabulary = [*(word for theme in THEMES[:2] for word in theme.split()), HOSTILE[1]]
    years, group = rng.integers(1900, 1970, 480), rng.integers(3, size=480)
    weight = np.ones((480, len(vocabulary)))
    theme = rng.integers(2, size=480)
    weight[theme == 0, 5:10] = weight[theme == 1, :5] = 0.05
    weight[(group == 2) & (years >= 1935) & (theme == 0), 1] = 8.0
    counts = np.array([rng.multinomial(30, row / row.sum()) for row in weight])
    metadata = {"party": [(*HOSTILE[:2], "plain")[g] for g in group]}
    corpus = ct.Corpus(counts, years, vocabulary, metadata=metadata, calendar=True)
    kernel = "constant + ou(0.2, 30) + by(ou(0.5, 30), party)"
    return corpus, ct.DynamicTopicModel(2, kernel, max_epochs=6, n_threads=1, verbose=False).fit(corpus)


@pytest.fixture(scope="session")
def voices(spoken, tmp_path_factory):
    """The file of a report on words that differ between groups."""
    corpus, model = spoken
    return ct.write_report(model, corpus, tmp_path_factory.mktemp("voices") / "voices.html", verbose=False)


@pytest.fixture(scope="session")
def chart(tmp_path_factory):
    """The file of a report with maps, across the date line."""
    path = tmp_path_factory.mktemp("chart") / "chart.html"
    return ct.write_report(fitted(), written_at(PLACES), path, verbose=False)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    pytest.importorskip("selenium", reason="selenium drives the browser; pip install selenium")
    if None in programs():
        pytest.skip("no Chromium with its driver here; apt-get install chromium chromium-driver")
    folder = tmp_path_factory.mktemp("browser")
    with browser(folder) as run:
        run.downloads = folder / "downloads"
        yield run


@pytest.fixture(scope="session")
def address(model, corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    return ct.write_report(model, corpus, path, title="Sixty years", verbose=False).as_uri()


@pytest.fixture
def page(chromium, address):
    """Opens a page of the report; at the end the console is clean and nothing was asked of the network."""
    with visits(chromium, address, tame=False) as go:
        yield go


@pytest.fixture(scope="session")
def archive():
    """Documents of words that come and go, some with rough dates or none, one of them named by markup."""
    rng = np.random.default_rng(3)
    years = np.sort(rng.choice(np.arange(1900, 1960), 700))
    words = np.array([f"{'abcdefghij'[v // 10]}{'abcdefghij'[v % 10]}word" for v in range(60)])
    rate = 2.0 * np.exp(-0.5 * ((years[:, None] - np.linspace(1890, 1970, 60)) / 8.0) ** 2) + 0.05
    counts = rng.poisson(rate * rng.gamma(0.5, 2.0, (len(years), 60)))
    counts[:, 30] += 1
    dates: list[object] = [f"{year}-01-01" for year in years]
    rough = ["1930s", "n.d.", "before 1910", "c. 1930"] * 6
    for row, date in zip(rng.choice(len(years), 24, replace=False), rough, strict=True):
        dates[row] = date
    names = [f"{HOSTILE[d % 3]} {d}" for d in range(len(years))]
    texts = [" ".join(np.repeat(words, row)) for row in counts]
    return ct.Corpus.from_texts(texts, dates, metadata={"title": names})


@pytest.fixture(scope="session")
def dating_model(archive):
    """A model of these documents that has learned to date."""
    model = ct.DynamicTopicModel(2, max_epochs=4, n_threads=1, verbose=False).fit(archive)
    return model.learn_dating(archive)


@pytest.fixture(scope="session")
def dating_page(archive, dating_model, tmp_path_factory):
    """The file of a report with the page that dates texts."""
    path = tmp_path_factory.mktemp("dating") / "dating.html"
    return ct.write_report(dating_model, archive, path, dating=True, verbose=False)
