"""chronotope evaluate"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import inputs
from chronotope.cli.app import sentences
from chronotope.cli.known import read_for
from chronotope.cli.scores import as_facts, as_text, score
from chronotope.cli.screen import answer, note, working

if TYPE_CHECKING:
    from chronotope.corpus import Corpus
    from chronotope.model import DynamicTopicModel


def evaluate(
    source: inputs.Source,
    model: Annotated[Path | None, typer.Option(help="A saved model to score on the corpus, instead of a fit.")] = None,
    kernel: inputs.KernelText = None,
    topics: inputs.Topics = 20,
    seeds: inputs.Seeds = "0",
    test_size: inputs.TestSize = 0.15,
    split_seed: inputs.SplitSeed = 0,
    epochs: inputs.Epochs = None,
    learn_kernel: inputs.LearnKernel = None,
    coherence: Annotated[str, typer.Option(help="npmi, c_v, both with a comma between, or none.")] = "npmi",
    periods: Annotated[int | None, typer.Option(min=1, help="Periods to measure coherence in as well.")] = None,
    words: Annotated[int, typer.Option(min=2, help="Top words of a topic that are looked at.")] = 10,
    json: inputs.Json = False,
    quiet: inputs.Quiet = False,
) -> None:
    """Say how good a model is: fitted on most time stamps and scored on the others, or a saved one on a corpus."""
    with sentences():
        from chronotope.evaluate.processes import Split
        from chronotope.evaluate.sample import check_n_words
        from chronotope.io import load
        from chronotope.kernels import parse_kernel

        options = inputs.fit_options(topics, epochs, learn_kernel, quiet)
        if kernel is not None:
            options["kernel"] = parse_kernel(kernel)
        asked = {"measures": _measures(coherence), "periods": periods, "n_words": words, "halves": split_seed}
        numbers = inputs.whole_numbers(seeds, "--seeds")
        if model is not None:
            saved = load(model)
            documents = test = read_for(saved, source, keep_texts=True, quiet=quiet).corpus
            models = {saved.seed: saved}
        else:
            documents = inputs.read(source, quiet=quiet)
            check_n_words(words, documents.n_words)
            train, test = Split(test_size, split_seed).part(documents)
            models = _fitted(train, numbers, options, quiet)
        with working("Measuring", quiet):
            scores = score(models, test, documents, asked)
        text = as_text(scores, models, test)
    answer(text, as_facts(scores, models, documents, test), json)


def _measures(text: str) -> list[str]:
    """The measures of coherence asked for."""
    measures = [] if text == "none" else inputs.words(text)
    if text != "none" and (not measures or not set(measures) <= {"npmi", "c_v"}):
        raise ValueError(f"--coherence is {text!r}; expected npmi, c_v, npmi,c_v or none.")
    return measures


def _fitted(train: Corpus, seeds: Sequence[int], options: dict[str, Any], quiet: bool) -> dict[int, DynamicTopicModel]:
    """A model for each seed."""
    from chronotope.model import DynamicTopicModel

    models = {}
    for seed in seeds:
        model = DynamicTopicModel(seed=seed, **options)
        note(f"Fitting {model.n_topics} topics with {model.kernel}, seed {seed}", quiet)
        models[seed] = model.fit(train)
    return models
