"""Groups of documents on the page: their prevalence, contrasts of any two, and the topics that they differ in most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints, Values
from chronotope.display.progress import counting_bar
from chronotope.model.curves import DRAWS
from chronotope.report.bands import banded
from chronotope.report.encode import FLOOR, STEPS, quantise, quantise_signed, rounded, to_base64
from chronotope.report.survey import Survey

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

SHOWN = 12  # maximum number of groups
PARTS = 7  # numbers of a contrast
NUMBERS = 600_000  # of all contrasts together, at most: with many groups they are at fewer times
DIFFERENCES_NOTE = (
    "For each topic, the group that wrote most about it and the one that wrote least: their expected shares of a "
    "document, averaged over all times with documents. Difference and ratio have {:.6g}% intervals; the probability is "
    "that the former wrote more. A topic’s page has any two groups over time."
)


class GroupData(NamedTuple):
    """What the page needs of groups.   shown : of all of them, None if there are none;  topics : of them, by topic."""

    shown: dict[str, Any] | None
    topics: list[dict[str, Any]]


def group_data(
    model: DynamicTopicModel, corpus: Corpus, survey: Survey, level: float, verbose: bool | None
) -> GroupData:
    """Groups, and how they differ in every topic; nothing with fewer than two of either.   level : of the bands"""
    K = model.topics_.n_topics
    if not hasattr(model, "prevalence_") or min(len(model.prevalence_.groups), K) < 2:
        return GroupData(None, [{"groups": None}] * K)
    sizes = group_sizes(model, corpus)
    names = [model.prevalence_.groups[group] for group in np.sort(np.argsort(-sizes, kind="stable")[:SHOWN])]
    places = np.flatnonzero(survey.written)
    drawn = group_draws(model, names, survey.times[places], verbose)
    step = step_between(drawn)
    shown = {
        "names": names,
        "times": places[::step].tolist(),
        "standfirst": groups_sentence(model, names, sizes),
        "note": f"Expected share of a document in each group, with {100 * level:.6g}% bands.",
        "differencesNote": DIFFERENCES_NOTE.format(100 * level),
    }
    return GroupData(shown, [{"groups": topic_groups(one, step, level)} for one in np.moveaxis(drawn, 3, 0)])


def group_sizes(model: DynamicTopicModel, corpus: Corpus) -> Ints:
    """Documents of each group in a corpus, (groups,); zeros if its metadata do not say."""
    group = model.prevalence_.columns.covariates(corpus).group
    return np.bincount(group[group >= 0], minlength=len(model.prevalence_.groups))


def group_draws(model: DynamicTopicModel, names: list[str], times: Floats, verbose: bool | None) -> Values:
    """Joint draws of the prevalence of all topics in some groups, (n, T, G, K)."""
    drawn = np.empty((DRAWS, len(times), len(names), model.topics_.n_topics), np.float32)
    with counting_bar(DRAWS, 0, verbose, "comparing groups") as done:
        for i, one in enumerate(model.prevalence_.group_draws(times, names)):
            drawn[i] = np.maximum(one, FLOOR)
            done()
    return drawn


def step_between(drawn: Values) -> int:
    """Every how many times there are contrasts, so that they are not too many.   drawn : (n, T, G, K)"""
    _, T, G, K = drawn.shape
    numbers: int = PARTS * K * T * (G * (G - 1) // 2)
    return max(1, -(-numbers // NUMBERS))


def groups_sentence(model: DynamicTopicModel, names: list[str], sizes: Ints) -> str:
    """Which groups are compared, with their documents, and how many are not.   sizes : documents of all groups"""
    documents = dict(zip(model.prevalence_.groups, sizes.tolist(), strict=True))
    counted = ", ".join(f"{name} ({documents[name]:,})" if sizes.any() else name for name in names)
    many, by = len(documents), f"“{model.prevalence_.columns.terms.by}”"
    number = " (number of documents)" if sizes.any() else ""
    if many == len(names):
        return f"The {many} groups by {by}{number}: {counted}."
    largest = f"The {len(names)} of {many:,} groups by {by} with most documents{number}: {counted}."
    return f"{largest} {many - len(names):,} {'is' if many - len(names) == 1 else 'are'} left out."


def topic_groups(drawn: Values, step: int, level: float) -> dict[str, Any]:
    """Prevalence of a topic in each group, (3, G, T), contrasts of pairs of groups, and the pair that differs most.

    drawn : (n, T, G), draws of its prevalence;  step : see `step_between`
    """
    return {
        "curves": to_base64(quantise(banded(drawn, level).swapaxes(1, 2))),
        "contrasts": encoded_contrasts(drawn[:, ::step], level),
        **extremes(drawn.mean(axis=1, dtype=np.float64), level),
    }


def encoded_contrasts(drawn: Values, level: float) -> dict[str, Any]:
    """Contrasts of all pairs of groups, (7, T, pairs), encoded for the page.   drawn : (n, T, G)

    The parts are the probability that the former wrote more; median, low and high of the difference; and the same of
    the logarithm of the ratio. The largest of these are beside the table, see `quantise_signed`.
    """
    first, second = np.triu_indices(drawn.shape[2], 1)
    one, other = drawn[..., first], drawn[..., second]
    difference, d = quantise_signed(banded(one - other, level))
    ratio, r = quantise_signed(np.log(banded(one / other, level)))
    probability = np.rint(STEPS * (one > other).mean(axis=0)).astype(np.uint16)
    table = to_base64(np.concatenate([probability[None], difference, ratio]))
    return {"table": table, "difference": d, "ratio": r}


def extremes(mean: Floats, level: float) -> dict[str, Any]:
    """The groups that wrote most and least about a topic, and their contrast.

    mean : (n, G), draws of prevalence, averaged over the times with documents
    """
    order = np.argsort(np.median(mean, axis=0), kind="stable")
    most, least = int(order[-1]), int(order[0])
    one, other = mean[:, most], mean[:, least]
    return {
        "most": most,
        "least": least,
        "probability": round(float((one > other).mean()), 4),
        "difference": rounded(banded(one - other, level), 6),
        "ratio": rounded(banded(one / other, level), 4),
    }
