"""chronotope evaluate"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import load_saved, read_for
from chronotope.cli.io import read_documents
from chronotope.cli.output import answer, note, screen_width, working
from chronotope.cli.values import comma_separated, whole_numbers

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.corpus import Corpus
    from chronotope.model.estimator import DynamicTopicModel

    Models = dict[int, DynamicTopicModel]

LABELS = {
    "perplexity": "held-out perplexity",
    "standard_error": "  standard error over documents",
    "bound": "final bound (ELBO)",
    "npmi": "coherence, NPMI",
    "c_v": "coherence, C_V",
    "diversity": "diversity",
    "step_distance": "smoothness: distance between steps",
    "step_jaccard": "smoothness: words shared between steps",
    "end_similarity": "persistence: similarity, first and last",
    "end_jaccard": "persistence: words shared, first and last",
    "identity": "identity: words that stay a topic's own",
    "broken_share": "identity: share of the text in broken topics",
    "similarity": "stability: similarity between seeds",
    "lowest_similarity": "stability: lowest similarity",
    "jaccard": "stability: words shared between seeds",
}


class Scores(NamedTuple):
    """each : measure, period, seed, value;  together : measure, value of all models, None if there is only one."""

    each: pd.DataFrame
    together: pd.DataFrame | None


def score(models: Models, test: Corpus, reference: Corpus, asked: dict[str, Any]) -> Scores:
    """Scores of every model by its seed, and the similarity of the models;  asked : options of `summarise`."""
    import pandas as pd

    from chronotope.evaluate.summary import summarise, summarise_stability

    tables = [summarise(model, test, reference, **asked).assign(seed=seed) for seed, model in models.items()]
    together = summarise_stability(models, asked["n_words"]) if len(models) > 1 else None
    return Scores(pd.concat(tables, ignore_index=True), together)


def as_text(scores: Scores, models: Models, test: Corpus, held_out: bool) -> str:
    """One line per model, and a table with one row per measure and one column per seed.

    held_out : whether the documents that are scored were held out from the fit
    """
    import pandas as pd

    from chronotope.display.tables import number, text_table

    labels = LABELS if held_out else LABELS | {"perplexity": "perplexity (held-out if these documents were not fitted)"}
    rows = []
    for (measure, period), values in scores.each.groupby(["measure", "period"], sort=False)["value"]:
        label = labels[str(measure)] if period == "all" else f"  {period}"
        seeds = {f"seed {seed}": number(value) for seed, value in zip(models, values, strict=True)}
        rows.append({"measure": label, **seeds} | ({"mean": number(values.mean())} if len(models) > 1 else {}))
    if scores.together is not None:
        together = zip(scores.together["measure"], scores.together["value"], strict=True)
        rows += [{"measure": LABELS[measure], "mean": number(value)} for measure, value in together]
    lines = [f"seed {seed}: {_fit_text(model)}" for seed, model in models.items()]
    scored = f"scored on {len(test):,} documents at {test.n_times:,} distinct times"
    return "\n".join([*lines, scored, "", text_table(pd.DataFrame(rows).fillna(""), screen_width())])


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


def command(
    source: options.CorpusOptions,
    model: Annotated[Path | None, typer.Option(help="Score this saved model on the corpus, without a fit.")] = None,
    kernel: options.KernelText = None,
    topics: options.NumberOfTopics = 20,
    seeds: options.SeedList = "0",
    test_size: options.TestSize = 0.15,
    split_seed: options.SplitSeed = 0,
    groups: options.GroupsOption = None,
    place: options.PlaceOption = None,
    n_cells: options.CellsOption = None,
    epochs: options.Epochs = None,
    learn_kernel: options.KernelLearning = None,
    coherence: Annotated[str, typer.Option(help="npmi, c_v, both comma-separated, or none.")] = "npmi",
    periods: Annotated[int | None, typer.Option(min=1, help="Number of periods to also measure coherence in.")] = None,
    seen: Annotated[
        str | None,
        typer.Option(help="Numbers of tokens of a held-out document that also predict its others, as 0,8,30."),
    ] = None,
    words: Annotated[int, typer.Option(min=2, help="Number of top words of a topic to measure.")] = 10,
    dating: Annotated[
        bool,
        typer.Option(
            "--dating", help="Measure instead how well documents are dated by their words, beside what is usual."
        ),
    ] = False,
    no_cache: options.NoCache = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure how good a model is: fitted on most time stamps and scored on the others, or a saved one on a corpus."""
    with sentences():
        from chronotope.evaluate.change import check_n_words
        from chronotope.evaluate.runner import Split
        from chronotope.kernels import parse_kernel

        chosen = options.fit_options(topics, epochs, learn_kernel, quiet, groups=groups, place=place, n_cells=n_cells)
        if kernel is not None:
            chosen["kernel"] = parse_kernel(kernel)
        if dating:
            table = dating_errors(read_documents(source, quiet=quiet), whole_numbers(seeds, "--seeds"), chosen, quiet)
            answer(dating_text(table), {"errors": table}, json)
            return
        asked: dict[str, Any] = {
            "measures": _measures(coherence),
            "periods": periods,
            "n_words": words,
            "halves": split_seed,
        }
        asked["seen"] = [] if seen is None else whole_numbers(seen, "--seen")
        numbers = whole_numbers(seeds, "--seeds")
        if model is not None:
            saved = load_saved(model, quiet)
            documents = test = read_for(saved, source, keep_texts=True, no_cache=no_cache, quiet=quiet).corpus
            models = {saved.model.seed: saved.model}
        else:
            documents = read_documents(source, quiet=quiet)
            check_n_words(words, documents.n_words)
            train, test = Split(test_size, split_seed).part(documents)
            models = _fitted(train, numbers, chosen, quiet)
        with working("Measuring", quiet):
            scores = score(models, test, documents, asked)
        text = as_text(scores, models, test, held_out=model is None)
    answer(text, as_facts(scores, models, documents, test), json)


def dating_errors(documents: Corpus, seeds: Sequence[int], chosen: dict[str, Any], quiet: bool) -> pd.DataFrame:
    """Errors of dates with documents and with whole dates held out, a row for each method and seed."""
    import pandas as pd

    from chronotope.evaluate import dating_error
    from chronotope.evaluate.dates import HELD_OUT
    from chronotope.model.estimator import DynamicTopicModel

    exact, tables = documents[documents.exact], []
    for seed in seeds:
        for held_out in HELD_OUT:
            note(f"Dating a tenth of the {held_out}, seed {seed}", quiet)
            table = dating_error(DynamicTopicModel(seed=seed, **chosen), exact, held_out, seed=seed)
            tables.append(table.assign(held_out=held_out, seed=seed))
    return pd.concat(tables, ignore_index=True)


def dating_text(table: pd.DataFrame) -> str:
    """The table for a screen, means over seeds."""
    from chronotope.display.tables import text_table

    means = table.groupby(["held_out", "method"], sort=False).mean(numeric_only=True).drop(columns="seed").reset_index()
    for name in means.columns[2:-1]:
        means[name] = [("" if value != value else f"{value:.2f}") for value in means[name]]
    return text_table(means.astype({"documents": int}), screen_width())


def _measures(text: str) -> list[str]:
    """The measures of coherence."""
    measures = [] if text == "none" else comma_separated(text)
    if text != "none" and (not measures or not set(measures) <= {"npmi", "c_v"}):
        raise ValueError(f"--coherence is {text!r}; expected npmi, c_v, npmi,c_v or none.")
    return measures


def _fitted(train: Corpus, seeds: Sequence[int], chosen: dict[str, Any], quiet: bool) -> dict[int, DynamicTopicModel]:
    """One model per seed."""
    from chronotope.model.estimator import DynamicTopicModel

    models = {}
    for seed in seeds:
        model = DynamicTopicModel(seed=seed, **chosen)
        note(f"Fitting {model.n_topics} topics with {model.kernel}, seed {seed}", quiet)
        models[seed] = model.fit(train)
    return models
