"""Words of groups on the page: each group's words of a topic over time, and the words that part any two groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from chronotope._typing import Floats, Ints
from chronotope.analysis.prevalence import topic_tokens
from chronotope.display.progress import counting_bar
from chronotope.report.axis import some_of
from chronotope.report.draws import carried_words, drawn_levels, track_rates
from chronotope.report.encode import FLOOR, quantise, quantise_signed, to_base64
from chronotope.report.pairs import GroupPairs, compared_groups, groups_note
from chronotope.report.partings import PARTINGS_NOTE, examined_pairs, pair_parting
from chronotope.report.survey import Survey, corpus_tokens_around
from chronotope.report.words import words_to_keep
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

MANY_WORDS, FEW_WORDS, FEW_GROUPS = 48, 28, 3  # words of a topic with up to three groups, and with more
RANKED = 10  # top words of a group that are in the right order, at most
TIMES = 60  # at most
NUMBERS = 800_000  # of all curves and ratios together, at most: with many groups they are at fewer times


class Wording(NamedTuple):
    """What the page needs of words in groups.   shown : of all groups, None without;  topics : of them, by topic"""

    shown: dict[str, Any] | None
    topics: list[dict[str, Any] | None]


def wording_data(
    model: DynamicTopicModel, corpus: Corpus, survey: Survey, place: Ints, level: float, verbose: bool | None
) -> Wording:
    """Words of groups in every topic; nothing if words do not differ between two or more groups.

    place : (V,), place of each word in the report, −1 for none;  level : of the bands
    """
    topics = model.topics_
    if len(topics.groups) < 2 or topics.places is not None:
        return Wording(None, [None] * topics.n_topics)
    group = model.tracks_.track_of(corpus, quiet=True)
    compared = compared_groups(topics, group)
    written = np.flatnonzero(survey.written)
    shown = some_of(written, number_of_times(topics.n_topics, compared))
    times = survey.times[shown]
    members = [None if track < 0 else group == track for track in compared.tracks]
    tokens = tokens_of_groups(model, corpus, survey, members, times)
    examined = examined_pairs(compared, topics.n_topics)
    entries: list[dict[str, Any] | None] = []
    with counting_bar(topics.n_topics, 0, verbose, "words of groups") as done:
        for k in range(topics.n_topics):
            entry = topic_wording(topics, k, compared, times, place) | {"tokens": tokens[k]}
            two = [compared.tracks[compared.pairs[pair]] for pair in examined]
            partings = [pair_parting(topics, k, int(a), int(b), survey, level) for a, b in two]
            entries.append(entry | {"partings": dict(zip(map(str, examined), partings, strict=True))})
            done()
    common = {
        "names": compared.names,
        "pairs": compared.pairs.tolist(),
        "first": compared.first,
        "times": shown.tolist(),
        "reach": round(float(ndtri(0.5 + 0.5 * level)), 6),
        "note": groups_note(topics, model.tracks_.columns[0], compared),
        "partingsNote": PARTINGS_NOTE,
    }
    return Wording(common, entries)


def tokens_of_groups(
    model: DynamicTopicModel, corpus: Corpus, survey: Survey, members: list[Any], times: Floats
) -> list[list[list[int]]]:
    """Tokens of topics in groups around times, (K, G, T).   members : documents of each group, None for all of them"""
    mass = topic_tokens(model, corpus, survey.shares)
    main = corpus.coverage.in_main(corpus.times)
    rows = [main if member is None else main & member for member in members]
    found = [
        corpus_tokens_around(times, corpus.times[row], mass[row])
        if row.any()
        else np.zeros((len(times), mass.shape[1]))
        for row in rows
    ]
    return [np.rint(np.stack(found)[..., k]).astype(int).tolist() for k in range(mass.shape[1])]


def number_of_times(K: int, compared: GroupPairs) -> int:
    """Times of curves and ratios, so few that the file stays small."""
    G, P = len(compared.names), len(compared.pairs)
    return min(TIMES, NUMBERS // (K * number_of_words(G) * (2 * G + P)))


def number_of_words(G: int) -> int:
    """Words of a topic that have curves in G groups."""
    return MANY_WORDS if G <= FEW_GROUPS else FEW_WORDS


def topic_wording(topics: Topics, k: int, compared: GroupPairs, times: Floats, place: Ints) -> dict[str, Any]:
    """A topic in G groups: its W words, their probabilities, and the spread of these and of the ratios of pairs.

    Of a group, log π ~ N(log rate − σ²/2, σ²); of two groups, log π_a − log π_b has a standard deviation of its own, as
    both share a part.

    place : (V,), place of each word in the report, −1 for none
    """
    rate = track_rates(topics, k, compared.tracks, times)
    words, exact = parting_words(np.where(place < 0, 0.0, rate), compared.pairs)
    drawn = drawn_levels(topics, k, compared.tracks, times, words)  # (n, G, T, W)
    one, other = compared.pairs.T
    spread, r = quantise_signed(drawn.std(axis=0))
    apart, d = quantise_signed((drawn[:, one] - drawn[:, other]).std(axis=0))
    return {
        "words": place[words].tolist(),
        "exact": exact,
        "carried": carried_words(topics, k, compared.tracks, words),
        "rate": to_base64(quantise(rate[..., words])),
        "spread": to_base64(spread),
        "apart": to_base64(apart),
        "scales": [r, d],
    }


def parting_words(rate: Floats, pairs: Ints) -> tuple[Ints, int]:
    """Words that are among the top n of any group at any time, and those that part two groups most; and n.

        Σ_pairs (π_a − π_b) (log π_a − log π_b)        on average over the times, and at the time where it is most

    rate : (G, T, V)
    """
    W = min(number_of_words(len(rate)), rate.shape[2])
    words, exact = words_to_keep(rate.reshape(-1, rate.shape[2]), W // 2, RANKED)
    level = np.log(np.maximum(rate, FLOOR))
    apart = np.zeros((2, rate.shape[2]))
    for a, b in pairs:
        part = (rate[a] - rate[b]) * (level[a] - level[b])
        apart = np.maximum(apart, [part.mean(axis=0), 0.5 * part.max(axis=0)])
    order = np.argsort(-apart.max(axis=0), kind="stable")
    return np.concatenate([words, order[~np.isin(order, words)][: W - len(words)]]), exact
