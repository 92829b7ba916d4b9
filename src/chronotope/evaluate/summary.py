"""Scores of one model: held-out perplexity, coherence, diversity, change and stability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from chronotope.corpus.corpus import Corpus
from chronotope.evaluate.change import diversity, summarise_change
from chronotope.evaluate.coherence import Measure, topic_coherence
from chronotope.evaluate.identity import summarise_identity
from chronotope.evaluate.stability import seed_stability
from chronotope.model.completion import completion_scores, perplexity, perplexity_with_error

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

WHOLE = "all"  # period of scores over all times


def summarise(
    model: DynamicTopicModel,
    test: Corpus,
    reference: Corpus,
    *,
    measures: Sequence[Measure] = ("npmi",),
    periods: int | None = None,
    n_words: int = 10,
    halves: int = 0,
    seen: Sequence[int] = (),
) -> pd.DataFrame:
    """Scores of a fitted model.

    model : DynamicTopicModel, fitted;  test : Corpus of held-out documents;  reference : Corpus for coherence
    measures : of coherence, "npmi" or "c_v";  periods : number of periods of equal length for coherence, None for none
    n_words : top words per topic;  halves : seed that splits the tokens of the test documents
    seen : numbers of tokens of a test document, such as 0, 8 and 30, that the others are also predicted from

    Returns a table, columns measure, period ("all", or the name of a period) and value. The measures:
    perplexity, standard_error : of the test documents, by document completion;  bound : final bound of the fit
    perplexity_seen : the perplexity with so many tokens seen of each, the period
    npmi, c_v : mean coherence of the topics in `reference`
    diversity, step_distance, step_jaccard, end_similarity, end_jaccard : see `summarise_change`
    identity, broken_share : see `topic_identity`
    """
    value, error = perplexity_with_error(*completion_scores(model, test, halves))
    rows = [("perplexity", WHOLE, value), ("standard_error", WHOLE, error)]
    for number in seen:
        some = perplexity(*completion_scores(model, test, halves, seen=number))
        rows.append(("perplexity_seen", f"{number:,} tokens seen", some))
    rows.append(("bound", WHOLE, float(model.bounds_[-1]) if len(model.bounds_) else float("nan")))  # none of one step
    for measure in measures:
        found = topic_coherence(model, reference, measure, n_words, periods)
        means = found.groupby("period", sort=False)["value"].mean()
        rows += [(measure, str(period), float(mean)) for period, mean in means.items()]
    rows += [(measure, WHOLE, value) for measure, value in _change(model, n_words).items()]
    return pd.DataFrame(rows, columns=["measure", "period", "value"])


def summarise_stability(models: Mapping[int, DynamicTopicModel], n_words: int = 10) -> pd.DataFrame:
    """Stability of topics over all pairs of seeds.

    models : fitted models by seed;  n_words : top words per topic
    Returns a table, columns measure, period and value. The measures:
    similarity, jaccard : mean over matched topics;  lowest_similarity : of the least similar matched topics
    """
    pairs = seed_stability(models, n_words=n_words).summary
    values = {
        "similarity": pairs["similarity"].mean(),
        "lowest_similarity": pairs["lowest"].min(),
        "jaccard": pairs["jaccard"].mean(),
    }
    return pd.DataFrame({"measure": list(values), "period": WHOLE, "value": list(values.values())})


def _change(model: DynamicTopicModel, n_words: int) -> dict[str, float]:
    """Values of `summarise_change` by measure; of a model with a single time only the diversity."""
    first, last = model.topics_.main_span
    if first == last:
        return {"diversity": float(diversity(model, n_words=n_words)["diversity"].mean())}
    table = summarise_change(model, n_words=n_words)
    return dict(zip(table["measure"], table["value"].astype(float), strict=True)) | summarise_identity(model)
