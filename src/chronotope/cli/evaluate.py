"""chronotope evaluate"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import inputs
from chronotope.cli.app import sentences
from chronotope.cli.scores import as_json, as_text, score
from chronotope.cli.screen import note, working

if TYPE_CHECKING:
    from chronotope.corpus import Corpus
    from chronotope.model import DynamicTopicModel


def evaluate(
    corpus: inputs.CorpusPath,
    model: Annotated[Path | None, typer.Option(help="A saved model to score on the corpus, instead of a fit.")] = None,
    kernel: Annotated[str, typer.Option(help="The prior on change.")] = "ou",
    topics: inputs.Topics = 20,
    seeds: inputs.Seeds = "0",
    test_size: inputs.TestSize = 0.15,
    split_seed: inputs.SplitSeed = 0,
    epochs: inputs.Epochs = None,
    learn_kernel: inputs.LearnKernel = None,
    coherence: Annotated[str, typer.Option(help="npmi, c_v, both with a comma between, or none.")] = "npmi",
    periods: Annotated[int | None, typer.Option(min=1, help="Periods to measure coherence in as well.")] = None,
    words: Annotated[int, typer.Option(min=2, help="Top words of a topic that are looked at.")] = 10,
    text: inputs.TextColumn = None,
    time: inputs.TimeColumn = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: inputs.Quiet = False,
) -> None:
    """Say how good a model is: fitted on most time stamps and scored on the others, or a saved one on a corpus."""
    with sentences():
        from chronotope.evaluate.processes import Split
        from chronotope.evaluate.sample import check_n_words
        from chronotope.kernels import parse_kernel

        options = inputs.fit_options(topics, epochs, learn_kernel, quiet) | {"kernel": parse_kernel(kernel)}
        asked = {"measures": _measures(coherence), "periods": periods, "n_words": words, "halves": split_seed}
        numbers = inputs.whole_numbers(seeds, "--seeds")
        if model is not None:
            documents, models = _saved(corpus, model, text, time, quiet)
            test = documents
        else:
            documents = inputs.read(corpus, text, time, quiet=quiet)
            check_n_words(words, documents.n_words)
            train, test = Split(test_size, split_seed).part(documents)
            models = _fitted(train, numbers, options, quiet)
        with working("Measuring", quiet):
            scores = score(models, test, documents, asked)
    typer.echo(as_json(scores, models, documents, test) if json else as_text(scores, models, test))


def _measures(text: str) -> list[str]:
    """The measures of coherence asked for."""
    measures = [] if text == "none" else inputs.words(text)
    if text != "none" and (not measures or not set(measures) <= {"npmi", "c_v"}):
        raise ValueError(f"--coherence is {text!r}; expected npmi, c_v, npmi,c_v or none.")
    return measures


def _saved(
    source: str, path: Path, text: str | None, time: str | None, quiet: bool
) -> tuple[Corpus, dict[int, DynamicTopicModel]]:
    """A saved model, and the corpus counted with its words."""
    from chronotope.io import load
    from chronotope.readers.counts import holds_counts
    from chronotope.vocabulary import every_word, with_vocabulary

    model = load(path)
    vocabulary = model.topics_.vocabulary
    preprocessing = None if holds_counts(Path(source)) else every_word(vocabulary)
    found = inputs.read(source, text, time, preprocessing=preprocessing, quiet=quiet)
    corpus = with_vocabulary(found, vocabulary)
    note(f"  {corpus.n_tokens / found.n_tokens:.0%} of the tokens are words of the model", quiet)
    return corpus, {model.seed: model}


def _fitted(train: Corpus, seeds: Sequence[int], options: dict[str, Any], quiet: bool) -> dict[int, DynamicTopicModel]:
    """A model for each seed."""
    from chronotope.model import DynamicTopicModel

    models = {}
    for seed in seeds:
        note(f"Fitting {options['n_topics']} topics with {options['kernel']}, seed {seed}", quiet)
        models[seed] = DynamicTopicModel(seed=seed, **options).fit(train)
    return models
