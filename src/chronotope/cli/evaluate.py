"""chronotope evaluate"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from chronotope.cli import options as inputs
from chronotope.cli.app import sentences
from chronotope.cli.io import read_for
from chronotope.cli.output import answer, note, screen_width, working

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

    Models = dict[int, DynamicTopicModel]

LABELS = {
    "perplexity": "held-out perplexity",
    "standard_error": "  standard error over documents",
    "bound": "final bound (ELBO)",
    "npmi": "coherence, NPMI",
    "c_v": "coherence, C_V",
    "diversity": "diversity",
    "step_distance": "smoothness: distance of a step",
    "step_jaccard": "smoothness: words shared after a step",
    "end_similarity": "persistence: first and last time alike",
    "end_jaccard": "persistence: words shared, first and last",
    "similarity": "stability: topics of two seeds alike",
    "lowest_similarity": "stability: the least alike",
    "jaccard": "stability: words shared by two seeds",
}


class Scores(NamedTuple):
    """each : measure, period, seed, value;  together : the same of all models at once, without a seed; None of one."""

    each: pd.DataFrame
    together: pd.DataFrame | None


def score(models: Models, test: Corpus, reference: Corpus, asked: dict[str, Any]) -> Scores:
    """Scores of every model by its seed, and how alike the models are; asked : options of `summarise`."""
    import pandas as pd

    from chronotope.evaluate.summary import summarise, summarise_stability

    tables = [summarise(model, test, reference, **asked).assign(seed=seed) for seed, model in models.items()]
    together = summarise_stability(models, asked["n_words"]) if len(models) > 1 else None
    return Scores(pd.concat(tables, ignore_index=True), together)


def as_text(scores: Scores, models: Models, test: Corpus) -> str:
    """A line for each model, and a row for each measure with a column for each seed."""
    import pandas as pd

    from chronotope.display.tables import number, text_table

    rows = []
    for (measure, period), values in scores.each.groupby(["measure", "period"], sort=False)["value"]:
        label = LABELS[str(measure)] if period == "all" else f"  {period}"
        seeds = {f"seed {seed}": number(value) for seed, value in zip(models, values, strict=True)}
        rows.append({"measure": label, **seeds} | ({"mean": number(values.mean())} if len(models) > 1 else {}))
    if scores.together is not None:
        together = zip(scores.together["measure"], scores.together["value"], strict=True)
        rows += [{"measure": LABELS[measure], "mean": number(value)} for measure, value in together]
    lines = [f"seed {seed}: {_fit_text(model)}" for seed, model in models.items()]
    held_out = f"scored on {len(test):,} documents, {test.n_times:,} different times"
    return "\n".join([*lines, held_out, "", text_table(pd.DataFrame(rows).fillna(""), screen_width())])


def as_facts(scores: Scores, models: Models, corpus: Corpus, test: Corpus) -> dict[str, Any]:
    """Everything by name."""
    together = {} if scores.together is None else dict(scores.together[["measure", "value"]].to_numpy().tolist())
    return {
        "corpus": {"documents": len(corpus), "words": corpus.n_words, "tokens": corpus.n_tokens},
        "scored": {"documents": len(test), "tokens": test.n_tokens, "times": test.n_times},
        "models": [_fit_facts(model) | {"seed": seed} for seed, model in models.items()],
        "scores": scores.each,
        "stability": together,
    }


def _fit_text(model: DynamicTopicModel) -> str:
    from chronotope.display.describe import describe_model

    facts = describe_model(model)
    return f"{facts['topics']} topics, {facts['kernel'].rpartition(': ')[0]}; {facts['fit']}"


def _fit_facts(model: DynamicTopicModel) -> dict[str, Any]:
    alpha = {
        "lowest": float(model.alpha_.min()),
        "mean": float(model.alpha_.mean()),
        "highest": float(model.alpha_.max()),
    }
    facts = {"kernel": model.kernel_.text, "topics": model.n_topics, "alpha": alpha}
    return facts | {"steps": model.n_steps_, "converged": model.converged_}


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
        from chronotope.evaluate.change import check_n_words
        from chronotope.evaluate.runner import Split
        from chronotope.kernels import parse_kernel
        from chronotope.model.persistence import load

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
