"""Figures of the words of two groups for chronotope plot: those that set them apart, and how far apart over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from chronotope.cli.contrast_words import check_words, two_groups
from chronotope.cli.documents import load_saved
from chronotope.cli.options import flag
from chronotope.cli.output import note, working
from chronotope.cli.plot_documents import TITLE, Picture
from chronotope.cli.values import check_topics

if TYPE_CHECKING:
    from chronotope.topics import Topics

SHOWN = (Picture.word_contrast, Picture.divergence)


class Groups(NamedTuple):
    """The groups to draw.

    show : one of SHOWN;  topics : at most one, that in which they most surely parted if empty
    between : two, or none of a model that has two;  time : of the words, None for all together;  level : of intervals
    """

    show: Picture
    topics: Sequence[int]
    between: Sequence[str]
    time: str | None
    level: float


def check_groups_only(n_models: int, asked: Groups, others: Mapping[str, Any]) -> None:
    """Refuse several models, several topics and options of other figures.   others : their values by name"""
    show = asked.show.value
    if n_models > 1:
        raise ValueError(f"--show {show} is of one model, but {n_models} files are given; draw each by itself.")
    if len(asked.topics) > 1:
        raise ValueError(
            f"--topic is given {len(asked.topics)} times, but --show {show} is of one topic; give it once."
        )
    if asked.between and len(asked.between) != 2:
        raise ValueError(f"--between names {len(asked.between)} groups; name two, as --between Whig,Tory.")
    given = [flag(name) for name, value in others.items() if value]
    if given:
        raise ValueError(f"{given[0]} is not for --show {show}; remove one of them.")


def draw_groups(path: Path, asked: Groups, quiet: bool) -> tuple[Any, dict[str, list[int]]]:
    """The figure, and its topic by the name of the model."""
    from chronotope.analysis import topic_names
    from chronotope.plots import plot_divergence, plot_word_contrast
    from chronotope.plots.axes import plain

    topics = load_saved(path, quiet).model.topics_
    check_words(topics)
    check_topics(asked.topics, topics.n_topics)
    a, b = two_groups(topics, asked.between, needed=True)
    with working("Comparing words", quiet):
        topic = asked.topics[0] if asked.topics else _parted_most(topics, a, b)
        if asked.show == Picture.divergence:
            ax = plot_divergence(topics, topic, a, b, level=asked.level)
        else:
            ax = plot_word_contrast(topics, topic, a, b, asked.time, level=asked.level)
    name = topic_names(topics)[topic]
    if not ax.get_title(loc="left"):
        ax.set_title(plain(f"{path.stem}: {name}, {a} and {b}"), loc="left", fontsize=TITLE)
    note(f"{path.stem}: topic {name}", quiet)
    return ax.figure, {path.stem: [topic]}


def _parted_most(topics: Topics, a: str, b: str) -> int:
    from chronotope.analysis import partings

    return int(partings(topics, a, b)["topic"].iloc[0])
