"""chronotope evaluate: the numbers are those of the library."""

import json

import numpy as np
import pytest

import chronotope as ct
from chronotope.evaluate import completion_scores, perplexity_with_error, seed_stability, topic_coherence

SMALL = ("--topics", 2, "--kernel", "ou(6, 50)", "--epochs", 4, "--words", 5)


def scores(result, seed=0):
    found = [row for row in json.loads(result.stdout)["scores"] if row["seed"] == seed]
    return {(row["measure"], row["period"]): row["value"] for row in found}


def test_numbers_are_those_of_the_library(run, texts):
    result = run("evaluate", texts, *SMALL, "--seeds", "0,3", "--coherence", "npmi,c_v", "--periods", 2, "--json")
    assert result.exit_code == 0, result.output
    corpus = ct.read_corpus(texts)
    train, test = corpus.split_times(0.15, seed=0)
    models = {seed: ct.DynamicTopicModel(2, "ou(6, 50)", max_epochs=4, seed=seed).fit(train) for seed in (0, 3)}
    for seed, model in models.items():
        found = scores(result, seed)
        expected = perplexity_with_error(*completion_scores(model, test, 0))
        np.testing.assert_allclose([found["perplexity", "all"], found["standard_error", "all"]], expected, rtol=1e-12)
        np.testing.assert_allclose(found["bound", "all"], model.bounds_[-1], rtol=1e-12)
        for measure in ("npmi", "c_v"):
            means = topic_coherence(model, corpus, measure, 5, 2).groupby("period")["value"].mean()
            for period, mean in means.items():
                np.testing.assert_allclose(found[measure, period], mean, rtol=1e-12)
    alike = seed_stability(models, n_words=5).summary["similarity"].mean()
    np.testing.assert_allclose(json.loads(result.stdout)["stability"]["similarity"], alike, rtol=1e-12)


def test_the_former_name_of_not_learning_the_kernel_still_works(run, texts):
    unset = ("--topics", 2, "--kernel", "constant + ou", "--epochs", 4, "--words", 5, "--coherence", "none", "--json")
    learned, *fixed = (
        scores(run("evaluate", texts, *unset, *flags)) for flags in ((), ("--fixed-kernel",), ("--no-learn-kernel",))
    )
    assert fixed[0] == fixed[1] != learned


def test_text_has_a_row_for_every_measure_and_a_column_for_every_seed(run, texts):
    result = run("evaluate", texts, *SMALL, "--seeds", "0,1", "--periods", 2, "--seen", "0,8")
    assert result.exit_code == 0, result.output
    for part in ("seed 0", "seed 1", "mean", "held-out perplexity", "standard error", "bound", "NPMI", "1900-03-01 to"):
        assert part in result.stdout
    assert "  0 tokens seen" in result.stdout
    assert "  8 tokens seen" in result.stdout
    for part in ("diversity", "smoothness", "persistence", "stability", "Ornstein-Uhlenbeck", "9 documents"):
        assert part in result.stdout
    assert "Fitting 2 topics with ou(6, 50), seed 1" in result.stderr


def test_one_seed_has_no_stability_and_quiet_no_notes(run, texts):
    result = run("evaluate", texts, *SMALL, "--coherence", "none", "--quiet")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert "stability" not in result.stdout
    assert "coherence" not in result.stdout


def test_a_saved_model_is_scored_on_a_corpus_counted_with_its_words(run, texts, models, tmp_path):
    other = tmp_path / "other.csv"
    lines = texts.read_text(encoding="utf-8").splitlines()
    few = [lines[0], *(line + " unheard of WAR" for line in lines[1:21])]
    other.write_text("\n".join(few), encoding="utf-8")
    result = run("evaluate", other, "--model", models[0], "--words", 5, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["corpus"] == {"documents": 20, "words": 12, "tokens": 20 * 31}
    model = ct.load(models[0])
    counted = ct.Corpus.from_texts(
        [line.partition(",")[2].replace("unheard of WAR", "war") for line in few[1:]],
        [line.partition(",")[0] for line in few[1:]],
    )
    np.testing.assert_array_equal(counted.vocabulary, model.topics_.vocabulary)
    np.testing.assert_allclose(scores(result)["perplexity", "all"], model.perplexity(counted), rtol=1e-12)
    assert "97% of the tokens are words of the model" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--kernel", "ouch"), "unknown kernel 'ouch'"),
        (("--kernel", "ou", "--words", 50), "n_words is 50 but the topics have 12 words"),
        (("--coherence", "umass"), "expected npmi, c_v, npmi,c_v or none"),
        (("--seeds", "one"), "--seeds is 'one'"),
        (("--model", "nowhere.ct"), "there is no file 'nowhere.ct'"),
        (("--time", "when"), "'when'"),
    ],
)
def test_what_cannot_work_is_a_sentence(run, texts, arguments, sentence):
    result = run("evaluate", texts, *arguments)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_a_corpus_that_is_not_there_is_a_sentence(run):
    result = run("evaluate", "nowhere.csv")
    assert result.exit_code == 2
    assert "there is no file or folder 'nowhere.csv'" in result.stderr
