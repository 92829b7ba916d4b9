"""One model in a few numbers: how well it predicts, whether its topics make sense, and how much they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from chronotope.corpus.corpus import Corpus
from chronotope.evaluate.change import diversity, summarise_change
from chronotope.evaluate.coherence import Measure, topic_coherence
from chronotope.evaluate.stability import seed_stability
from chronotope.model.completion import completion_scores, perplexity_with_error

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

WHOLE = "all"


def summarise(
    model: DynamicTopicModel,
    test: Corpus,
    reference: Corpus,
    *,
    measures: Sequence[Measure] = ("npmi",),
    periods: int | None = None,
    n_words: int = 10,
    halves: int = 0,
) -> pd.DataFrame:
    """Scores of a fitted model.  Columns: measure, period ("all", or one of the corpus' periods), value.

    perplexity, standard_error : of the test documents, by document completion;  bound : the final one of the fit
    npmi, c_v : mean coherence of the topics' top words in the texts of `reference`, a corpus
    diversity, step_distance, step_jaccard, end_similarity, end_jaccard : see `summarise_change`
    periods : how many equally long ones coherence is also measured in
    halves : seed that parts the test documents into the half that is seen and the one that is scored
    """
    value, error = perplexity_with_error(*completion_scores(model, test, halves))
    bound = float(model.bounds_[-1]) if len(model.bounds_) else float("nan")  # a single step has none
    rows = [("perplexity", WHOLE, value), ("standard_error", WHOLE, error), ("bound", WHOLE, bound)]
    for measure in measures:
        found = topic_coherence(model, reference, measure, n_words, periods)
        means = found.groupby("period", sort=False)["value"].mean()
        rows += [(measure, str(period), float(mean)) for period, mean in means.items()]
    rows += [(measure, WHOLE, value) for measure, value in _change(model, n_words).items()]
    return pd.DataFrame(rows, columns=["measure", "period", "value"])


def summarise_stability(models: Mapping[int, DynamicTopicModel], n_words: int = 10) -> pd.DataFrame:
    """Whether several seeds find the same topics, over all pairs of them.  Columns: measure, period, value.

    similarity, jaccard : mean over matched topics;  lowest_similarity : of the topic that is found again worst
    """
    pairs = seed_stability(models, n_words=n_words).summary
    values = {
        "similarity": pairs["similarity"].mean(),
        "lowest_similarity": pairs["lowest"].min(),
        "jaccard": pairs["jaccard"].mean(),
    }
    return pd.DataFrame({"measure": list(values), "period": WHOLE, "value": list(values.values())})


def _change(model: DynamicTopicModel, n_words: int) -> dict[str, float]:
    """How much topics change; of a model with a single time only how different they are."""
    first, last = model.topics_.span
    if first == last:
        return {"diversity": float(diversity(model, n_words=n_words)["diversity"].mean())}
    table = summarise_change(model, n_words=n_words)
    return dict(zip(table["measure"], table["value"].astype(float), strict=True))
