"""Maps as tables: how probable a word is in a topic at every place, and how much of the text a topic is there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Mask, PathLike
from chronotope.analysis.words import topics_of
from chronotope.dates.decimal import format_time
from chronotope.storage.atomic import replacing
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

NUMBERS = ("latitude", "longitude")


def word_map(
    model: DynamicTopicModel | Topics, topic: int, word: str | int, time: Any = None, level: float = 0.9
) -> pd.DataFrame:
    """Probability of a word in a topic at every place, at one time, with credible bands.

    model : DynamicTopicModel or Topics, fitted with a kernel such as "constant + ou + space"
    topic : int, number of the topic
    word : str or int; a word, or its column in the vocabulary
    time : number or date, default None for the time by which half of the topic's tokens are written
    level : float, default 0.9; posterior probability of the bands

    Returns a table with one row per cell of places:
    name, latitude, longitude : of the cell;  tokens : of the topic there, at all times
    mean, low, high : probability of the word in the topic there, and its credible band
    ratio : of the mean to the probability that all places share
    """
    topics = topics_of(model)
    somewhere, places = _cells(topics)
    k, mass = topics.check_topic(topic), topics.track_mass
    at = _middle_time(topics, k) if time is None else time
    track = np.append(np.flatnonzero(somewhere), -1)
    found = topics.trajectory(k, word, [at] * len(track), level, group=track)
    table = _table(topics, somewhere, places, mass[somewhere, :, k].sum(axis=1))
    for name in ("mean", "low", "high"):
        table[name] = found[name].to_numpy()[:-1]
    return table.assign(ratio=table["mean"] / found["mean"].iloc[-1])


def topic_map(model: DynamicTopicModel | Topics, topic: int) -> pd.DataFrame:
    """Share of the text that a topic is at every place, at all times together.

    model, topic : as in `word_map`

    Returns a table with one row per cell of places:
    name, latitude, longitude : of the cell;  tokens : all tokens there;  share : of the topic in them
    ratio : of the share to that in all places together, weighted by tokens
    """
    topics = topics_of(model)
    somewhere, places = _cells(topics)
    k, mass = topics.check_topic(topic), topics.track_mass.sum(axis=1)[somewhere]  # (cells, K)
    tokens = mass.sum(axis=1)
    share = np.divide(mass[:, k], tokens, out=np.full(len(mass), np.nan), where=tokens > 0)
    table = _table(topics, somewhere, places, tokens)
    return table.assign(share=share, ratio=share / max(mass[:, k].sum() / tokens.sum(), np.finfo(float).tiny))


def to_geojson(table: pd.DataFrame, path: PathLike | None = None) -> dict[str, Any]:
    """A map as GeoJSON, one point per row, whose properties are the other columns; values that are NaN are null.

    table : DataFrame with the columns latitude and longitude, such as those of `word_map` and `topic_map`
    path : str or path, default None for no file; written atomically

    Returns the FeatureCollection as a dict.
    """
    missing = [name for name in NUMBERS if name not in table]
    if missing:
        raise ValueError(f"the table has no column {missing[0]!r}; pass one of analysis.word_map or topic_map.")
    others = [str(name) for name in table.columns if name not in NUMBERS]
    rows = table.drop(columns=list(NUMBERS)).to_numpy(dtype=object)
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [round(float(lon), 6), round(float(lat), 6)]},
            "properties": {name: _plain(value) for name, value in zip(others, row, strict=True)},
        }
        for lat, lon, row in zip(table["latitude"], table["longitude"], rows, strict=True)
    ]
    found = {"type": "FeatureCollection", "features": features}
    if path is not None:
        if not Path(path).resolve().parent.is_dir():
            raise FileNotFoundError(f"there is no folder {str(Path(path).parent)!r} to write in; make it first.")
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(found, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    return found


def map_date(model: DynamicTopicModel | Topics, topic: int) -> str:
    """The time that `word_map` takes if none is given, as text."""
    topics = topics_of(model)
    return format_time(_middle_time(topics, topics.check_topic(topic)), topics.calendar)


def _cells(topics: Topics) -> tuple[Mask, Floats]:
    """Which tracks are places, (S,), and where these are, (cells, 2)."""
    if topics.places is None:
        raise ValueError(
            "the words of this model do not differ between places; fit it with a kernel such as "
            '"constant + ou + space" to documents with columns of latitude and longitude.'
        )
    somewhere: Mask = np.asarray(np.isfinite(topics.places).all(axis=1))
    return somewhere, topics.places[somewhere]


def _table(topics: Topics, somewhere: Mask, places: Floats, tokens: Floats) -> pd.DataFrame:
    names = [name for name, known in zip(topics.groups, somewhere, strict=True) if known]
    return pd.DataFrame({"name": names, "latitude": places[:, 0], "longitude": places[:, 1], "tokens": tokens})


def _middle_time(topics: Topics, topic: int) -> float:
    """The first node by which half of a topic's tokens are written."""
    written = topics.mass[:, topic].cumsum()
    return float(topics.times[np.searchsorted(written, 0.5 * written[-1])])


def _plain(value: Any) -> Any:
    """A value as JSON has it; None for NaN and infinity."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)
