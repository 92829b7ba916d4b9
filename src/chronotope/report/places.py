"""Places on the page: a map of each topic's share and of its words, at times with documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp, ndtri

from chronotope._typing import Floats, Ints
from chronotope.display.progress import counting_bar
from chronotope.kernels import shared_kernel
from chronotope.report.axis import some_of
from chronotope.report.draws import drawn_levels, track_rates
from chronotope.report.encode import FLOOR, quantise, quantise_signed, rounded, to_base64
from chronotope.report.outline import frame_of, ground
from chronotope.report.survey import Survey
from chronotope.report.wording import Wording, tokens_of_groups
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

FREQUENT, LOCAL = 6, 12  # words of a topic on the map: the most frequent ones, and those that differ most by place
TIMES = 45  # at most
SPREADS, DRAWS = 15, 80  # times that spreads are computed at, and draws: with many places they are costly
NUMBERS = 500_000  # of all maps together, at most: with many cells they are at fewer times


def place_data(
    model: DynamicTopicModel, corpus: Corpus, survey: Survey, place: Ints, level: float, verbose: bool | None
) -> Wording:
    """Words of every topic by place; nothing if words do not differ between two or more places.

    place : (V,), place of each word in the report, −1 for none;  level : of the intervals
    """
    topics, K = model.topics_, model.topics_.n_topics
    cells = np.array([], int) if topics.places is None else np.flatnonzero(np.isfinite(topics.places).all(axis=1))
    if len(cells) < 2 or topics.places is None:
        return Wording(None, [None] * K)
    written, track = np.flatnonzero(survey.written), model.tracks_.track_of(corpus, quiet=True)
    numbers = K * len(cells) * 3 * (FREQUENT + LOCAL)
    shown = some_of(written, min(TIMES, NUMBERS // numbers))
    times = survey.times[shown]
    tokens = tokens_of_groups(model, corpus, survey, [track == cell for cell in cells], times)
    entries: list[dict[str, Any] | None] = []
    with counting_bar(K, 0, verbose, "maps of words") as done:
        for k in range(K):
            weight = topics.track_mass[cells, :, k].sum(axis=1)
            entries.append(topic_places(topics, k, cells, weight, times, place) | {"tokens": tokens[k]})
            done()
    frame = frame_of(topics.places[cells])
    common = {
        "names": [topics.groups[cell] for cell in cells],
        "at": np.rint(frame.units(topics.places[cells])).astype(int).tolist(),
        "ground": ground(frame),
        "documents": np.bincount(track[track >= 0], minlength=len(topics.groups))[cells].tolist(),
        "times": shown.tolist(),
        "reach": round(float(ndtri(0.5 + 0.5 * level)), 6),
        "note": places_note(len(cells), corpus, track, cells),
    }
    return Wording(common, entries)


def topic_places(topics: Topics, k: int, cells: Ints, weight: Floats, times: Floats, place: Ints) -> dict[str, Any]:
    """A topic in S cells: W words, their probabilities in each and in all places, the spreads of these and of ratios.

    All places are what all of them share, or if the kernel has nothing of that kind, their average by tokens; they come
    after the cells. Spreads are as in `topic_wording`.

    weight : (S,), tokens of the topic in each cell;  place : (V,), place of each word in the report, −1 for none
    """
    shared = shared_kernel(topics.kernel) is not None
    tracks, part = np.append(cells, -1) if shared else cells, np.maximum(weight, 1e-9) / np.maximum(weight, 1e-9).sum()
    rate = track_rates(topics, k, tracks, times)
    mean = np.einsum("s,stv->tv", part, rate[: len(cells)])
    words = local_words(np.where(place < 0, 0.0, rate[: len(cells)]), np.where(place < 0, 0.0, mean), part)
    some = some_of(np.arange(len(times)), SPREADS)
    level, rate = drawn_levels(topics, k, tracks, times[some], words, DRAWS), rate[..., words]
    if not shared:
        all_of = logsumexp(level + np.log(part)[:, None, None], axis=1)[:, None]
        level, rate = np.concatenate([level, all_of], axis=1), np.concatenate([rate, mean[None][..., words]])
    spread, r = quantise_signed(between_times(level.std(axis=0), times[some], times))
    apart, d = quantise_signed(between_times((level[:, :-1] - level[:, -1:]).std(axis=0), times[some], times))
    return {
        "words": place[words].tolist(),
        "rate": to_base64(quantise(rate)),
        "spread": to_base64(spread),
        "apart": to_base64(apart),
        "scales": rounded([r, d], 6),
    }


def between_times(values: Floats, known: Floats, times: Floats) -> Floats:
    """Values at some times, (S, n, W), as values at all of them, (S, T, W).   known : (n,);  times : (T,)"""
    rows = np.interp(times, known, np.arange(len(known)))
    low = np.minimum(rows.astype(int), len(known) - 1)
    high, part = np.minimum(low + 1, len(known) - 1), (rows - low)[:, None]
    found: Floats = (1.0 - part) * values[:, low] + part * values[:, high]
    return found


def local_words(rate: Floats, mean: Floats, part: Floats) -> Ints:
    """The most frequent words, and those that differ most between cells.

        Σ_s part_s (π_s − π̄) (log π_s − log π̄)        on average over the times

    rate : (S, T, V);  mean : (T, V), π̄;  part : (S,)
    """
    first = np.argsort(-mean.mean(axis=0), kind="stable")[:FREQUENT]
    ratio = np.log(np.maximum(rate, FLOOR)) - np.log(np.maximum(mean, FLOOR))
    differing = np.einsum("s,stv->v", part, (rate - mean) * ratio)
    order = np.argsort(-differing, kind="stable")
    return np.concatenate([first, order[~np.isin(order, first)][:LOCAL]])


def places_note(n: int, corpus: Corpus, track: Ints, cells: Ints) -> str:
    """What a circle is, and how many documents have no place."""
    somewhere = np.isin(track, cells)
    missing = len(corpus) - int(somewhere.sum())
    gone = f" {missing:,} documents have no place." if missing else ""
    size = "its area for their words at that time; it is dashed where there are next to none."
    return f"Each of {n:,} circles stands for the documents around it, {size}{gone}"
