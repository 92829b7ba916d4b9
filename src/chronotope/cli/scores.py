"""What `chronotope evaluate` prints: scores of models with several seeds, as text or by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus import Corpus
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

    from chronotope.tables import number, text_table

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
    return "\n".join([*lines, held_out, "", text_table(pd.DataFrame(rows).fillna(""))])


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
    from chronotope.describe import describe_model

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
