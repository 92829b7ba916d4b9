"""The figure of prevalence for chronotope plot: curves that the model has learned, of all groups or of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.cli.documents import load_saved
from chronotope.cli.options import flag
from chronotope.cli.output import note, working
from chronotope.cli.plot_documents import TITLE
from chronotope.cli.prevalence import check_groups, learned_prevalence
from chronotope.cli.values import check_topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


def check_prevalence_only(n_models: int, topics: Sequence[int], others: Mapping[str, Any]) -> None:
    """Refuse several models, several topics and options of other figures.   others : their values by name."""
    if n_models > 1:
        raise ValueError(f"--show prevalence is of one model, but {n_models} files are given; draw each by itself.")
    if len(topics) > 1:
        raise ValueError(f"--topic is given {len(topics)} times, but --show prevalence is of one topic; give it once.")
    given = [flag(name) for name, value in others.items() if value]
    if given:
        raise ValueError(f"{given[0]} is not for --show prevalence; remove one of them.")


def draw_prevalence(
    path: Path, topics: Sequence[int], groups: Sequence[str], level: float, quiet: bool
) -> tuple[Any, dict[str, list[int]]]:
    """The figure, and its topic by the name of the model: the one given, or one that says much; see `_topic`."""
    from chronotope.analysis import topic_names
    from chronotope.plots import plot_prevalence
    from chronotope.plots.axes import plain
    from chronotope.plots.prevalence import drawn_groups

    learned = load_saved(path, quiet).model
    prevalence = learned_prevalence(learned)
    if groups:
        check_groups(prevalence)
    drawn = drawn_groups(prevalence, groups or None)
    check_topics(topics, prevalence.n_topics)
    with working("Drawing curves", quiet):
        topic, names = _topic(learned, topics, drawn), topic_names(learned)
        ax = plot_prevalence(prevalence, topic, drawn, level=level, names=names)
    ax.set_title(plain(f"{path.stem}: prevalence of topic {names[topic]}"), loc="left", fontsize=TITLE)
    note(f"{path.stem}: topic {names[topic]}", quiet)
    return ax.figure, {path.stem: [topic]}


def _topic(model: DynamicTopicModel, topics: Sequence[int], groups: Sequence[str]) -> int:
    """The topic given, or the one that the groups differ in most; the most prevalent without groups to compare."""
    if topics:
        return topics[0]
    if len(groups) > 1:
        return int(model.prevalence_.differences(groups=groups)["topic"].iloc[0])
    return int(model.topics_.mass.sum(axis=0).argmax())
