"""Words of a topic in groups or places: expected probabilities, and joint draws, which ratios are made of."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.analysis.questions import draw_words
from chronotope.topics import Topics, expected_share

DRAWS = 200  # of words in groups
CARRIED = 3.0  # least expected tokens of a word in the texts of a group that it is said to be of


def track_rates(topics: Topics, k: int, tracks: Ints, times: Floats) -> Floats:
    """Expected word probabilities of topic k on tracks, (S, T, V).   tracks : (S,), −1 for what all of them share"""
    at, track = np.tile(times, len(tracks)), np.repeat(tracks, len(times))
    rate = np.empty((len(at), len(topics.vocabulary)))
    for rows, (m, s, log_zeta) in topics.logits(at, k, track):
        rate[rows] = expected_share(m[:, 0], s[:, 0], log_zeta)
    return rate.reshape(len(tracks), len(times), -1)


def drawn_levels(topics: Topics, k: int, tracks: Ints, times: Floats, words: Ints, n: int = DRAWS) -> Floats:
    """Joint draws of the log probabilities of W words of topic k on tracks, (n, S, T, W)."""
    at, track = np.tile(times, len(tracks)), np.repeat(tracks, len(times))
    drawn = draw_words(topics, k, words.tolist(), at, n, k, track)
    return drawn.reshape(n, len(tracks), len(times), len(words))


def carried_words(topics: Topics, k: int, tracks: Ints, words: Ints) -> list[list[int]]:
    """Which of the words the texts of each track have in topic k: of all, where it is −1. Places in `words`.

    The precision of a site is the expected number of its tokens.
    """
    b = topics.posterior.own.b[:, k, words]
    tokens = b.reshape(-1, len(topics.times), len(words)).sum(axis=1)  # (tracks of the model, W)
    own = [tokens.sum(axis=0) if track < 0 else tokens[track] for track in tracks]
    return [np.flatnonzero(one >= CARRIED).tolist() for one in own]
