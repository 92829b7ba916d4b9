"""Words of a topic in groups or places: expected probabilities, and joint draws, which ratios are made of."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.analysis.questions import draw_words
from chronotope.topics import Topics, expected_share

DRAWS = 200  # of words in groups
POINTS = 150  # that are drawn together, about
CARRIED = 3.0  # least expected tokens of a word in the texts of a group that it is said to be of


def track_rates(topics: Topics, k: int, tracks: Ints, times: Floats) -> Floats:
    """Expected word probabilities of topic k on tracks, (S, T, V).   tracks : (S,), −1 for what all of them share"""
    at, track = np.tile(times, len(tracks)), np.repeat(tracks, len(times))
    rate = np.empty((len(at), len(topics.vocabulary)))
    for rows, (m, s, log_zeta) in topics.logits(at, k, track):
        rate[rows] = expected_share(m[:, 0], s[:, 0], log_zeta)
    return rate.reshape(len(tracks), len(times), -1)


def drawn_levels(topics: Topics, k: int, tracks: Ints, times: Floats, words: Ints, n: int = DRAWS) -> Floats:
    """Draws of the log probabilities of W words of topic k, joint over all tracks at each time, (n, S, T, W)."""
    found = np.empty((n, len(tracks), len(times), len(words)))
    some = max(1, POINTS // len(tracks))  # at once: what is drawn together takes time with its third power
    for start in range(0, len(times), some):
        at = times[start : start + some]
        drawn = draw_words(topics, k, words.tolist(), np.tile(at, len(tracks)), n, k, np.repeat(tracks, len(at)))
        found[:, :, start : start + some] = drawn.reshape(n, len(tracks), len(at), len(words))
    return found


def carried_words(topics: Topics, k: int, tracks: Ints, words: Ints) -> list[list[int]]:
    """Which of the words the texts of each track have in topic k: of all, where it is −1. Places in `words`.

    The precision of a site is the expected number of its tokens.
    """
    b = topics.posterior.own.b[:, k, words]
    tokens = b.reshape(-1, len(topics.times), len(words)).sum(axis=1)  # (tracks of the model, W)
    own = [tokens.sum(axis=0) if track < 0 else tokens[track] for track in tracks]
    return [np.flatnonzero(one >= CARRIED).tolist() for one in own]
