"""Which groups are compared in their words, and which pairs of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Ints
from chronotope.kernels import shared_kernel
from chronotope.topics import Topics

PAIRED = 8  # groups up to which any two are compared; of more, each with what all of them share
SHOWN = 24  # groups at most
ALL = "what all groups share"


class GroupPairs(NamedTuple):
    """Groups that are compared.

    names, tracks : of G groups, −1 for what all share;  sizes : documents of each
    pairs : (P, 2), places of two groups;  first : those of the pair that is shown first
    """

    names: list[str]
    tracks: Ints
    sizes: Ints
    pairs: Ints
    first: list[int]


def compared_groups(topics: Topics, group: Ints) -> GroupPairs:
    """Which groups are compared, the largest.   group : (D,), of each document, −1 for none"""
    sizes, many = np.bincount(group[group >= 0], minlength=len(topics.groups)), len(topics.groups)
    paired = many <= PAIRED or shared_kernel(topics.kernel) is None
    most = PAIRED if paired else SHOWN
    tracks = np.sort(np.argsort(-sizes, kind="stable")[:most])
    names = [topics.groups[track] for track in tracks]
    first = np.argsort(-sizes[tracks], kind="stable").tolist()  # the largest two are compared first
    if paired:
        pairs = np.column_stack(np.triu_indices(len(names), 1))
    else:
        pairs = np.column_stack([np.arange(len(names)), np.full(len(names), len(names))])
        names, tracks, first = [*names, ALL], np.append(tracks, -1), [first[0], len(names)]
    return GroupPairs(names, tracks, np.append(sizes, len(group))[tracks], pairs, first[:2])


def groups_note(topics: Topics, column: str, compared: GroupPairs) -> str:
    """Which groups are compared, with their documents, and how many are not."""
    own = [(name, n) for name, track, n in zip(*compared[:3], strict=True) if track >= 0]
    counted, many = ", ".join(f"{name} ({n:,})" for name, n in own), len(topics.groups)
    which = f"The {many} groups" if many == len(own) else f"The {len(own)} of {many:,} groups with most documents"
    return f"{which} by “{column}” (documents): {counted}."
