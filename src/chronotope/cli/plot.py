"""chronotope plot"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import load_saved, read_for
from chronotope.cli.io import check_distinct, check_picture
from chronotope.cli.output import answer, note, working
from chronotope.cli.plot_documents import Drawing, Picture, check_documents_only, check_words_only, draw_documents
from chronotope.cli.plot_groups import SHOWN, Groups, check_groups_only, draw_groups
from chronotope.cli.plot_map import Map, check_map_file, check_map_only, write_figure, write_map
from chronotope.cli.plot_prevalence import check_prevalence_only, draw_prevalence
from chronotope.cli.values import check_topics, comma_separated, number_or_text

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel
    from chronotope.topics import Topics

PLOTTED = 7  # words chosen for a theme
NOTHING = "no topic was given to draw; pass --topic 3, --theme war,army, --words war,peace, --bound, or --show shares."
NO_TIME = "--at is the time of a map or of contrasting words; pass --show map or word-contrast, not {show}."
NO_GROUPS = "--groups names the groups of prevalence; pass --show prevalence, not {show}."


def command(
    models: Annotated[list[Path], typer.Argument(help="Model files, as chronotope fit writes them.")],
    out: Annotated[Path, typer.Option(help="The picture to write, .png, .svg or .pdf; a map also as .geojson.")],
    source: options.NamedCorpusOptions,
    show: Annotated[
        Picture,
        typer.Option(
            "--show",
            "--kind",
            help="words: probabilities of words of a topic; shares: prevalence, the share of the text that is about a "
            "topic, as lines; river: the same as a stream; contrast: its difference between two groups; events: bursts "
            "on a time line. All these but words are of one model and need --corpus. prevalence: as a model that was "
            "fitted with --prevalence or --groups has learned it, with bands. map: a topic, or a word of it, by "
            "place, as a model that was fitted with space(...) has learned it. word-contrast: words of a topic that "
            "set two groups apart; divergence: how far apart these are over time; of a model with by or space.",
        ),
    ] = Picture.words,
    topic: Annotated[
        list[int] | None,
        typer.Option(help="Number of the topic, the same in all models; for shares, river and events, several times."),
    ] = None,
    theme: Annotated[
        str | None, typer.Option(help="Comma-separated words that the topic is about; it is found in each model.")
    ] = None,
    words: Annotated[
        str | None, typer.Option("--words", "--word", help="Comma-separated words to draw; one for a map.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            help="The time of a word on a map, as 2019-02 (--time says the same); by default that by which half of "
            "the topic is written."
        ),
    ] = None,
    bound: Annotated[
        bool, typer.Option("--bound", help="Draw the bound against the documents processed instead.")
    ] = False,
    level: Annotated[float, typer.Option(help="Posterior probability of the bands of words and prevalence.")] = 0.9,
    log: Annotated[bool, typer.Option("--log", help="Probabilities of words on a logarithmic axis.")] = False,
    periods: options.PeriodLength = None,
    by: options.GroupColumn = None,
    between: Annotated[
        str | None, typer.Option(help="The two groups of a contrast, comma-separated, by name or number.")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(help="Comma-separated groups of prevalence to draw; all by default, if at most seven.")
    ] = None,
    no_cache: options.NoCache = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Draw how the words of a topic changed, in one or several models side by side; or prevalence, or events.

    ```
    chronotope plot model.ct --theme war,army --out war.png
    chronotope plot model.ct --corpus texts.csv --show river --out river.png
    chronotope plot model.ct --corpus texts.csv --show shares --by party --topic 3 --topic 5 --out parties.png
    chronotope plot model.ct --corpus texts.csv --show contrast --by party --between Whig,Tory --topic 3 --out whigs.png
    chronotope plot model.ct --show prevalence --topic 3 --groups Whig,Tory --out learned.png
    chronotope plot model.ct --show divergence --topic 3 --between Whig,Tory --out parting.png
    chronotope plot model.ct --show map --topic 3 --word tornado --at 2019-02 --out tornado.png
    ```

    Words have credible bands. Shares and events are about documents, so they need the corpus. Prevalence that the model
    has learned has bands; without --topic, the topic that groups differ in most is drawn.
    """
    with sentences():
        length = number_or_text(periods) if periods else None
        asked = Drawing(show, tuple(topic or ()), length, by, comma_separated(between))
        times = [*([at] if at else []), *(source.time or [])]
        mapped = Map(asked.topics, comma_separated(words), times, level)
        about_words = {"theme": theme, "words": words, "bound": bound, "log": log}
        if groups and show != Picture.prevalence:
            raise ValueError(NO_GROUPS.format(show=show.value))
        compared = Groups(show, asked.topics, asked.between, at, level)
        if at and show not in (Picture.map, Picture.word_contrast):
            raise ValueError(NO_TIME.format(show=show.value))
        _check_kind(len(models), source, asked, mapped, compared, about_words)
        check_map_file(out, force) if show == Picture.map else check_picture(out, force)
        check_distinct({"--out": out}, {f"the model {path}": path for path in models} | source.files)
        chosen: dict[str, Any]
        if show == Picture.map:
            chosen = write_map(models[0], mapped, out, quiet)
        elif show == Picture.words:
            wanted = Words(asked.topics, comma_separated(theme), list(mapped.words), level, "log" if log else "linear")
            figure, chosen = _words_or_bound(models, None if bound else wanted, quiet)
        elif show == Picture.prevalence:
            figure, chosen = draw_prevalence(models[0], asked.topics, comma_separated(groups), level, quiet)
        elif show in SHOWN:
            figure, chosen = draw_groups(models[0], compared, quiet)
        else:
            figure, chosen = _documents(models[0], source, asked, no_cache, quiet)
        if show != Picture.map:
            write_figure(figure, out)
    note(f"Written: {out}", quiet)
    answer("", {"written": [str(out)], "topics": chosen}, json)


def _check_kind(
    n_models: int,
    source: options.NamedCorpusOptions,
    asked: Drawing,
    mapped: Map,
    compared: Groups,
    about_words: Mapping[str, Any],
) -> None:
    """Refuse options that do not go with what is shown.   about_words : values of these options by name."""
    about_documents = {
        "corpus": source.corpus,
        **source.reading,
        **source.window,
        "periods": asked.periods,
        "by": asked.by,
        "between": asked.between,
    }
    if asked.show == Picture.map:
        check_map_only(n_models, mapped, about_documents | dict(about_words) | {"words": None, "time": None})
    elif asked.show in SHOWN:
        check_groups_only(n_models, compared, about_documents | dict(about_words) | {"between": None})
    elif asked.show == Picture.prevalence:
        check_prevalence_only(n_models, asked.topics, about_documents | dict(about_words))
    elif asked.show == Picture.words:
        check_words_only(source, asked)
        if not asked.topics and not any(about_words[name] for name in ("bound", "theme", "words")):
            raise ValueError(NOTHING)
    else:
        check_documents_only(n_models, source, asked, about_words)


class Words(NamedTuple):
    """The words to draw.

    topics : the number of the topic, or none;  theme : what it is about;  words : to draw, chosen for it if empty
    level : posterior probability of the bands;  scale : "linear" or "log"
    """

    topics: Sequence[int]
    theme: list[str]
    words: list[str]
    level: float
    scale: str


def _words_or_bound(paths: list[Path], wanted: Words | None, quiet: bool) -> tuple[Any, dict[str, int]]:
    """The figure, and the topic drawn of each model;  wanted : None for the bound, which is of no topic."""
    from chronotope.analysis import topic_names
    from chronotope.model.persistence import load

    with working("Drawing", quiet):
        named = _by_name(paths, [load(path) for path in paths])
        if wanted is None:
            return _bound_figure(named), {}
        learned = {name: model.topics_ for name, model in named.items()}
        about = wanted.theme or wanted.words
        chosen = _topics(learned, wanted.topics, about)
        drawn = wanted.words or (None if wanted.topics else _telling(learned, chosen, about))
        figure = _words_figure(learned, chosen, drawn, wanted.level, wanted.scale)
    for name, k in chosen.items():
        note(f"{name}: topic {topic_names(learned[name])[k]}", quiet)
    return figure, chosen


def _documents(
    path: Path, source: options.NamedCorpusOptions, asked: Drawing, no_cache: bool, quiet: bool
) -> tuple[Any, dict[str, list[int]]]:
    """The figure of documents, and the topics in it by the name of the model."""
    saved = load_saved(path, quiet)
    check_topics(asked.topics, saved.model.topics_.n_topics)
    found = read_for(saved, source, no_cache=no_cache, quiet=quiet)
    with working("Drawing", quiet, has_bar=True):
        figure, topics = draw_documents(path.stem, found, asked)
    return figure, {path.stem: topics}


def _by_name(paths: list[Path], models: list[DynamicTopicModel]) -> dict[str, DynamicTopicModel]:
    """Models by the names of their files, or by their paths if two files have the same name."""
    stems = [path.stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(names)) < len(names):
        raise ValueError(f"the models are {', '.join(names)}; give each of them once.")
    return dict(zip(names, models, strict=True))


def _bound_figure(models: dict[str, DynamicTopicModel]) -> Any:
    from chronotope.plots import plot_bounds

    return plot_bounds(models).figure


def _topics(models: dict[str, Topics], given: Sequence[int], about: list[str]) -> dict[str, int]:
    """The topic with the given number, or the one that is most about some words, in each model."""
    from chronotope.analysis.keywords import find_topic

    if given:
        check_topics(given, min(topics.n_topics for topics in models.values()))
        return dict.fromkeys(models, given[0])
    return {name: find_topic(topics, dict.fromkeys(about, 1.0)) for name, topics in models.items()}


def _telling(models: dict[str, Topics], chosen: dict[str, int], about: list[str]) -> list[str]:
    """Words of the chosen topics that peak at different times."""
    from chronotope.analysis.keywords import telling_words

    _check_one_vocabulary(models)
    return telling_words([(topics, chosen[name]) for name, topics in models.items()], PLOTTED, about[:1])


def _words_figure(
    models: dict[str, Topics], chosen: dict[str, int], words: list[str] | None, level: float, scale: Any
) -> Any:
    """Words of the chosen topics; each panel says which topic it shows."""
    from chronotope.analysis import topic_names
    from chronotope.plots import compare_trajectories
    from chronotope.plots.axes import plain

    panels = compare_trajectories(models, chosen, words, level=level, scale=scale)
    for ax, (name, k) in zip(panels, chosen.items(), strict=True):
        ax.set_title(f"{plain(name)}: topic {plain(topic_names(models[name])[k])}", loc="left", fontsize=10)
    return panels[0].figure


def _check_one_vocabulary(models: dict[str, Topics]) -> None:
    """The words of a theme are chosen for all models together."""
    first, *others = (topics.vocabulary.tolist() for topics in models.values())
    if any(words != first for words in others):
        raise ValueError("the models have different vocabularies; pass the words to draw with --words.")
