"""The map for chronotope plot: a word of a topic by place, or a topic, as a picture or as GeoJSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from chronotope.cli.documents import load_saved
from chronotope.cli.io import check_output, check_picture
from chronotope.cli.options import flag
from chronotope.cli.output import note, working
from chronotope.cli.values import check_topics, number_or_text

if TYPE_CHECKING:
    from chronotope.topics import Topics

GEOJSON = ".geojson"
NOTHING = "no topic was given to map; pass --topic 3, --word tornado, or both."


class Map(NamedTuple):
    """The map to draw.   topics, words, times : at most one each;  level : of the bands of a word."""

    topics: Sequence[int]
    words: Sequence[str]
    times: Sequence[str]
    level: float


def check_map_only(n_models: int, asked: Map, others: Mapping[str, Any]) -> None:
    """Refuse several models, topics and words, and options of other figures.   others : their values by name."""
    if n_models > 1:
        raise ValueError(f"--show map is of one model, but {n_models} files are given; draw each by itself.")
    if not asked.topics and not asked.words:
        raise ValueError(NOTHING)
    if len(asked.topics) > 1:
        raise ValueError(f"--topic is given {len(asked.topics)} times, but --show map is of one topic; give it once.")
    if len(asked.words) > 1:
        raise ValueError(f"--show map is of one word, but {len(asked.words)} are given; draw each by itself.")
    if len(asked.times) > 1:
        raise ValueError(f"--show map is of one time, but {len(asked.times)} are given; draw each by itself.")
    if asked.times and not asked.words:
        raise ValueError("--at is for a word; pass --word too, or remove it.")
    given = [flag(name) for name, value in others.items() if value]
    if given:
        raise ValueError(f"{given[0]} is not for --show map; remove one of them.")


def check_map_file(out: Path, force: bool) -> None:
    """Refuse a file that cannot be written, or is neither a picture nor GeoJSON."""
    if out.suffix.lower() == GEOJSON:
        check_output(out, force)
    else:
        check_picture(out, force)


def write_map(path: Path, asked: Map, out: Path, quiet: bool) -> dict[str, list[int]]:
    """Write the map; returns its topic by the name of the model."""
    from chronotope.analysis import to_geojson, topic_map, topic_names, word_map
    from chronotope.plots import plot_map

    topics = load_saved(path, quiet).model.topics_
    topic, word = _topic(topics, asked), asked.words[0] if asked.words else None
    time = number_or_text(asked.times[0]) if asked.times else None
    with working("Drawing", quiet):
        if out.suffix.lower() == GEOJSON:
            table = topic_map(topics, topic) if word is None else word_map(topics, topic, word, time, asked.level)
            to_geojson(table, out)
        else:
            write_figure(plot_map(topics, topic, word, time, asked.level).figure, out)
    note(f"{path.stem}: topic {topic_names(topics)[topic]}", quiet)
    return {path.stem: [topic]}


def write_figure(figure: Any, out: Path) -> None:
    """Write a figure, atomically."""
    from chronotope.storage.atomic import replacing

    with replacing(out) as temporary:
        figure.savefig(temporary)


def _topic(topics: Topics, asked: Map) -> int:
    """The topic given, or the one that is most about the word."""
    from chronotope.analysis.keywords import find_topic

    check_topics(asked.topics, topics.n_topics)
    return asked.topics[0] if asked.topics else find_topic(topics, dict.fromkeys(asked.words, 1.0))
