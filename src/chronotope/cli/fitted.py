"""What is said about a model that was just fitted."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from chronotope.cli import inputs
from chronotope.cli.overview import overview, overview_text

if TYPE_CHECKING:
    from chronotope.cli.saving import Saving
    from chronotope.corpus import Corpus
    from chronotope.model import DynamicTopicModel
    from chronotope.topics import Topics


def summary(model: DynamicTopicModel, corpus: Corpus, seconds: float, scores: dict[str, Any]) -> dict[str, Any]:
    """What was read, how the fit went, and the topics."""
    from chronotope.describe import describe_kernel

    counts = {"documents": len(corpus), "words": corpus.n_words, "tokens": corpus.n_tokens, "times": corpus.n_times}
    fit: dict[str, Any] = {"seconds": round(seconds, 1), "steps": model.n_steps_, "converged": model.converged_}
    fit["bound"] = float(model.bounds_[-1]) if len(model.bounds_) else None
    return {
        "corpus": counts | {"reading": inputs.what_was_read(corpus)},
        "kernel": model.kernel_.text,
        "kernel_in_words": describe_kernel(model.kernel_, corpus.calendar),
        "fit": fit | scores,
        "topics": overview(model.topics_),
    }


def summary_text(facts: dict[str, Any], topics: Topics) -> str:
    """The same for the screen."""
    fit = facts["fit"]
    ended = "converged" if fit["converged"] else "not converged"
    lines = [
        overview_text(facts["topics"], topics),
        "",
        f"kernel: {facts['kernel_in_words']}: {facts['kernel']}",
        f"fit: {fit['steps']:,} {'step' if fit['steps'] == 1 else 'steps'}, {ended}, {fit['seconds']:,.0f} s",
    ]
    if "perplexity" in fit:
        value, error = fit["perplexity"], fit["standard_error"]
        lines.append(f"held-out perplexity: {value:,.1f} ± {error:.1f}, on {fit['held_out']:,} documents")
    return "\n".join([*lines, f"written: {', '.join(facts['written'])}"])


def next_commands(source: inputs.Source, saving: Saving) -> list[str]:
    """What to ask the model now."""
    model, texts = shlex.quote(str(saving.out)), source.command_line
    commands = {
        f"chronotope topics {model} --show words": "words of every topic, period by period",
        f"chronotope events {model} {texts}": "when something happened",
        f"chronotope plot {model} --topic 0 --out topic0.png": "curves of words, with bands",
        f"chronotope report {model} {texts}": "all of it in a browser",
    }
    if saving.report is not None:
        commands.popitem()
    width = max(map(len, commands)) + 2
    return ["Go on with:", *(f"  {command:<{width}}# {what}" for command, what in commands.items())]
