"""Models and folders that version 0.1 wrote open; its interrupted fits are refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import chronotope as ct
from chronotope.storage.model_file import file_version

FILES = Path(__file__).parents[1] / "fixtures" / "version_0_1"
EXPECTED = json.loads((FILES / "expected.json").read_text())
FITS = {"whole": {"alpha": "learn", "learn_kernel": True}, "minibatch": {"batch_size": 20, "kernel": "wiener"}}


@pytest.fixture(scope="module")
def corpus() -> ct.Corpus:
    return ct.open_corpus(FILES / "corpus")


def test_a_folder_opens(corpus):
    assert (len(corpus), corpus.n_words, corpus.calendar) == (60, 20, True)
    assert corpus.n_tokens == 60 * 25


def test_a_model_opens_and_scores_as_it_did(corpus):
    model = ct.load(FILES / "model.ct")
    assert file_version(FILES / "model.ct") == "0.1.0"
    assert model.n_documents_ == 60
    assert model.perplexity(corpus) == pytest.approx(EXPECTED["model"]["ppl"], rel=1e-6)
    words, probabilities = zip(*model.topics_.top_words(0, 1904, 5), strict=True)
    before, were = zip(*EXPECTED["model"]["top"], strict=True)
    assert words == before
    np.testing.assert_allclose(probabilities, were, rtol=1e-5, atol=0)


def test_a_model_of_texts_prepares_new_texts_as_its_own_were():
    model = ct.load(FILES / "texts.ct")
    texts = ["the war and the army", "wheat and corn prices"]
    own = ct.open_corpus(FILES / "texts")
    assert sorted(own.vocabulary) == sorted(model.topics_.vocabulary)
    np.testing.assert_array_equal(
        model.transform(texts, times=["1915", "1921"]).argmax(axis=1),
        [model.transform(own)[0].argmax(), model.transform(own)[2].argmax()],
    )


@pytest.mark.parametrize("name", FITS)
def test_an_interrupted_fit_is_refused_and_kept(corpus, name, tmp_path):
    """Fits of 0.1 gave other numbers: resumed, they would end like no fit that was never interrupted."""
    path = tmp_path / "fit.checkpoint"
    shutil.copy(FILES / f"{name}.checkpoint", path)
    given = {"n_topics": 2, "seed": 3, "n_threads": 1, "max_epochs": 6, "checkpoint": path, "checkpoint_every": 0}
    said = rf"fit\.checkpoint' is of Chronotope 0\.1\.0; this is {re.escape(ct.__version__)}\. Choose another file"
    with pytest.raises(ValueError, match=said):
        ct.DynamicTopicModel(**given, **FITS[name]).fit(corpus, resume=True)
    assert path.read_bytes() == (FILES / f"{name}.checkpoint").read_bytes()
