"""chronotope plot"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.io import check_output
from chronotope.cli.output import answer, note, working
from chronotope.cli.values import check_topics, comma_separated

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel
    from chronotope.topics import Topics

PLOTTED = 7  # words chosen for a theme
NOTHING = "no topic was given to draw; pass --topic 3, --theme war,army, --words war,peace, or --bound."


def command(
    models: Annotated[list[Path], typer.Argument(help="Model files, as chronotope fit writes them.")],
    out: Annotated[Path, typer.Option(help="The picture to write, .png, .svg or .pdf.")],
    topic: Annotated[int | None, typer.Option(help="Number of the topic, the same in all models.")] = None,
    theme: Annotated[
        str | None, typer.Option(help="Comma-separated words that the topic is about; it is found in each model.")
    ] = None,
    words: Annotated[str | None, typer.Option(help="Comma-separated words to draw.")] = None,
    bound: Annotated[
        bool, typer.Option("--bound", help="Draw the bound against the documents processed instead.")
    ] = False,
    level: Annotated[float, typer.Option(help="Posterior probability of the bands.")] = 0.9,
    log: Annotated[bool, typer.Option("--log", help="Probabilities on a logarithmic axis.")] = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Draw how the probabilities of words changed, with credible bands, in one or several models side by side.

    ```
    chronotope plot model.ct --theme war,army --out war.png
    ```
    """
    with sentences():
        from chronotope.analysis import topic_names
        from chronotope.model.persistence import load
        from chronotope.storage.atomic import replacing

        if not bound and topic is None and not theme and not words:
            raise ValueError(NOTHING)
        check_output(out, force)
        with working("Drawing", quiet):
            named = _by_name(models, [load(path) for path in models])
            chosen: dict[str, int] = {}
            if bound:
                figure = _bound_figure(named)
            else:
                learned = {name: model.topics_ for name, model in named.items()}
                about = comma_separated(theme) or comma_separated(words)
                chosen = _topics(learned, topic, about)
                drawn = comma_separated(words) or (_telling(learned, chosen, about) if topic is None else None)
                figure = _words_figure(learned, chosen, drawn, level, "log" if log else "linear")
            with replacing(out) as path:
                figure.savefig(path)
    for name, k in chosen.items():
        note(f"{name}: topic {topic_names(named[name])[k]}", quiet)
    note(f"Written: {out}", quiet)
    answer("", {"written": [str(out)], "topics": chosen}, json)


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


def _topics(models: dict[str, Topics], topic: int | None, about: list[str]) -> dict[str, int]:
    """The topic with the given number, or the one that is most about some words, in each model."""
    from chronotope.analysis.keywords import find_topic

    if topic is not None:
        check_topics([topic], min(topics.n_topics for topics in models.values()))
        return dict.fromkeys(models, topic)
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
