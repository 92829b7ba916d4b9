"""New documents for a model: prepared as its own were, each count in the column of its word."""

import numpy as np
import pytest

import chronotope as ct
from chronotope.corpus.align import every_word, preparation, prepare, with_vocabulary
from chronotope.text.phrases import Phrases

TEXTS = ["War and Peace", "the War on the Border", "Wheat and Corn", "Corn prices of the harvest"]
TIMES = [1900.0, 1901.0, 1902.0, 1903.0]


def fitted(**options):
    corpus = ct.Corpus.from_texts(TEXTS, TIMES, preprocessing=ct.Preprocessing(**options))
    return ct.DynamicTopicModel(2, max_epochs=2, verbose=False).fit(corpus)


def options_for(model):
    return preparation(model.preprocessing_, model.topics_.vocabulary)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stop_words": ["war", "corn"]},
        {"stop_words": None, "lowercase": False, "token_pattern": r"\w+"},
        {"stop_words": "de, en", "phrases": Phrases(min_count=2, min_score=0.1), "lemmatize": "en"},
        {"phrases": ["corn_prices"], "vocabulary": ["war", "corn_prices"], "min_document_words": 0},
    ],
)
def test_a_saved_model_knows_how_its_texts_were_prepared(options, tmp_path):
    model = fitted(**options)
    assert model.preprocessing_ == ct.Preprocessing(**options)
    model.save(tmp_path / "model.ct")
    assert ct.load(tmp_path / "model.ct").preprocessing_ == model.preprocessing_


def test_texts_of_the_model_are_counted_as_they_were():
    model = fitted(lowercase=False)
    found = ct.Corpus.from_texts(TEXTS, TIMES, preprocessing=options_for(model))
    prepared = prepare(found, model.topics_.vocabulary)
    own = ct.Corpus.from_texts(TEXTS, TIMES, preprocessing=model.preprocessing_)
    np.testing.assert_array_equal(prepared.corpus.counts.toarray(), own.counts.toarray())
    assert prepared.known_share == 1.0


def test_words_the_model_does_not_know_are_counted_and_stop_words_are_not():
    model = fitted()
    found = ct.Corpus.from_texts(
        ["the war of the worlds", "zebra"],
        [1900, 1901],
        preprocessing=options_for(model),
    )
    prepared = prepare(found, model.topics_.vocabulary)
    np.testing.assert_array_equal(prepared.unknown, [1, 1])  # worlds, zebra
    assert prepared.corpus.n_tokens == 1
    assert prepared.known_share == pytest.approx(1 / 3)


def test_a_model_of_counts_knows_of_no_preparation(tmp_path):
    model = ct.DynamicTopicModel(2, max_epochs=2, verbose=False).fit(np.ones((4, 3), int), times=TIMES)
    assert model.preprocessing_ is None
    model.save(tmp_path / "model.ct")
    loaded = ct.load(tmp_path / "model.ct")
    assert loaded.preprocessing_ is None
    assert options_for(loaded).stop_words is None


def test_phrases_of_the_model_are_joined_in_new_texts():
    model = fitted(phrases=["corn_prices"])
    found = ct.Corpus.from_texts(["corn prices in war"], [1901], preprocessing=options_for(model))
    prepared = prepare(found, model.topics_.vocabulary)
    assert set(found.vocabulary) == {"corn_prices", "war"}
    assert prepared.known_share == 1.0


def test_a_function_of_the_users_is_not_saved_and_this_is_said(tmp_path):
    model = fitted(tokenizer=str.split)
    with pytest.warns(UserWarning, match="tokenizer is a function, which no file can hold"):
        model.save(tmp_path / "model.ct")
    assert ct.load(tmp_path / "model.ct").preprocessing_ is None


def test_a_new_fit_forgets_the_old_preparation():
    model = fitted()
    model.fit(np.ones((4, 3), int), times=TIMES)
    assert model.preprocessing_ is None


def test_counts_move_to_the_columns_of_their_words():
    corpus = ct.Corpus([[1, 2, 3], [0, 5, 0]], [1900, 1901], ["war", "the", "army"], ids=["a", "b"], calendar=True)
    counted = with_vocabulary(corpus, ["army", "peace", "war"])
    np.testing.assert_array_equal(counted.counts.toarray(), [[3, 0, 1], [0, 0, 0]])
    assert counted.vocabulary.tolist() == ["army", "peace", "war"]
    assert (counted.ids.tolist(), counted.times.tolist(), counted.calendar) == (["a", "b"], [1900, 1901], True)


def test_no_word_in_common_is_a_sentence():
    with pytest.raises(ValueError, match="none of the corpus' 2 words is among the 1 given"):
        with_vocabulary(ct.Corpus([[1, 2]], [0], ["krieg", "frieden"]), ["war"])


@pytest.mark.parametrize(("words", "found"), [(["the", "war"], ["the", "war"]), (["The", "war"], ["The", "war"])])
def test_every_word_is_kept_in_the_case_of_the_vocabulary(words, found):
    corpus = ct.Corpus.from_texts(["The war", "no"], [1, 2], preprocessing=every_word(words))
    assert sorted(corpus.vocabulary) == sorted(found)
    assert len(corpus) == 2
