"""What a notebook shows of corpora, topics and models."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import chronotope as ct

OURS = {"div", "strong", "table", "tr", "th", "td", "svg", "title", "g", "rect", "polygon", "polyline"}
EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.ipynb"))
FEWER = """
from chronotope import datasets

addresses = datasets.state_of_the_union
datasets.state_of_the_union = lambda **given: addresses(**given)[::5]
"""  # a fifth of the documents is enough for every cell


class Tags(HTMLParser):
    """Every tag that was opened, all text, and whether the tags are closed in order."""

    def __init__(self, page):
        super().__init__()
        self.opened, self.text, self.stack = [], "", []
        self.feed(page)
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)
        self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.opened.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def corpus():
    words = ["<b>war</b>", "</table>", '"&"', "peace"]
    return ct.Corpus(np.random.default_rng(0).poisson(2.0, (30, 4)), [f"{1900 + d}" for d in range(30)], words)


@pytest.fixture(scope="module")
def model(corpus):
    return ct.DynamicTopicModel(2, "ou(2, 10)", max_epochs=2, n_threads=1, verbose=False).fit(corpus)


def test_a_corpus_shows_its_counts_and_its_documents_over_time(corpus):
    page = Tags(corpus._repr_html_())
    assert "30" in page.text
    assert "1900-01-01 to 1929-01-01" in page.text
    assert page.opened.count("rect") == 30


def test_topics_show_their_words_then_and_now_and_their_shares(model):
    page = Tags(model.topics_._repr_html_())
    assert page.opened.count("polyline") == 2
    assert "words at 1900-01-01" in page.text
    assert "words at 1929-01-01" in page.text
    best = model.topics_.top_words(0, "1900", 4)
    assert ", ".join(word for word, _ in best) in page.text


def test_a_fitted_model_shows_its_topics_and_an_unfitted_one_its_parameters(model):
    shown = model._repr_mimebundle_()
    assert "Ornstein-Uhlenbeck" in shown["text/html"]
    assert Tags(shown["text/html"]).opened.count("polyline") == 2
    assert model._repr_html_() == shown["text/html"]
    assert "polyline" not in ct.DynamicTopicModel(2)._repr_html_()


def test_every_text_is_escaped(model, corpus):
    for page in (model._repr_html_(), model.topics_._repr_html_(), corpus._repr_html_()):
        assert set(Tags(page).opened) <= OURS


def test_a_single_time_is_shown_too():
    corpus = ct.Corpus(np.ones((3, 2), dtype=int), [5.0, 5.0, 5.0])
    model = ct.DynamicTopicModel(1, "ou(1, 1)", max_epochs=1, n_threads=1, verbose=False).fit(corpus)
    assert "words at 5" in Tags(model._repr_html_()).text
    Tags(corpus._repr_html_())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@pytest.mark.slow
def test_the_example_notebooks_run_from_first_to_last_cell(path, tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="notebooks need nbclient and ipykernel")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "keep outputs out of the repository"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FEWER))
    ran = nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in ran.cells for output in cell.get("outputs", [])]
    assert any("polyline" in output.get("data", {}).get("text/html", "") for output in shown)
    assert (tmp_path / "report.html").stat().st_size > 100_000
    assert not re.search("error", " ".join(output["output_type"] for output in shown))
