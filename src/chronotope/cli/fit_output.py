"""What `chronotope fit` prints: the plan of a dry run, and a summary of the fitted model."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from chronotope.cli.io import what_was_read
from chronotope.cli.output import overview, overview_text, size_text

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model.estimator import DynamicTopicModel
    from chronotope.model.tracks import TrackColumns
    from chronotope.topics import Topics

MISSING = ("(none)", "(no place)")  # groups and cells of documents without one
SHOWN = 8  # groups


def summary(model: DynamicTopicModel, corpus: Corpus, seconds: float, scores: dict[str, Any]) -> dict[str, Any]:
    """What was read, how the fit ended, and the topics."""
    from chronotope.display.describe import describe_kernel

    counts = {"documents": len(corpus), "words": corpus.n_words, "tokens": corpus.n_tokens, "times": corpus.n_times}
    fit: dict[str, Any] = {"seconds": round(seconds, 1), "steps": model.n_steps_, "converged": model.converged_}
    fit["bound"] = float(model.bounds_[-1]) if len(model.bounds_) else None
    return {
        "corpus": counts | {"reading": what_was_read(corpus)},
        "kernel": model.kernel_.text,
        "kernel_in_words": describe_kernel(model.kernel_, corpus.calendar),
        "nodes": len(model.topics_.times),
        "resolution": model.topics_.resolution,
        "tracks": _track_facts(getattr(model, "tracks_", None), corpus),
        "fit": fit | scores,
        "topics": overview(model.topics_),
    }


def summary_text(facts: dict[str, Any], topics: Topics) -> str:
    """The same for the screen."""
    fit = facts["fit"]
    resolution = _resolution_text(facts["resolution"], topics.calendar)
    ended = "converged" if fit["converged"] else "not converged"
    lines = [
        overview_text(facts["topics"], topics),
        "",
        f"kernel: {facts['kernel_in_words']}: {facts['kernel']}",
        f"resolution: {facts['nodes']:,} nodes; {resolution}",
        f"fit: {fit['steps']:,} {'step' if fit['steps'] == 1 else 'steps'}, {ended}, {fit['seconds']:,.0f} s",
    ]
    if facts["tracks"] is not None:
        lines.insert(-1, _track_text(facts["tracks"]))
    if "perplexity" in fit:
        value, error = fit["perplexity"], fit["standard_error"]
        lines.append(f"held-out perplexity: {value:,.1f} ± {error:.1f}, on {fit['held_out']:,} documents")
    return "\n".join([*lines, f"written: {', '.join(facts['written'])}"])


def _track_facts(tracks: TrackColumns | None, corpus: Corpus) -> dict[str, Any] | None:
    """Groups or cells of the documents, in the order of the model; None if words do not differ between them."""
    import numpy as np

    if tracks is None:
        return None
    names = tracks.tracks.names
    track = tracks.track_of(corpus, quiet=True)
    documents = np.bincount(track[track >= 0], minlength=len(names)).tolist()
    missing = sum(n for name, n in zip(names, documents, strict=True) if name in MISSING) + int((track < 0).sum())
    kind = "groups" if tracks.tracks.places is None else "cells"
    return {"columns": tracks.columns, kind: dict(zip(names, documents, strict=True)), "missing": missing}


def _track_text(facts: dict[str, Any]) -> str:
    """Groups with most documents first, or cells by their sizes; and how many documents have none."""
    columns = " and ".join(facts["columns"])
    missing = f"; {facts['missing']:,} of the documents have none" if facts["missing"] else ""
    if "cells" in facts:
        sizes = [n for name, n in facts["cells"].items() if name not in MISSING]
        lowest, highest = f"{min(sizes):,}", f"{max(sizes):,}"
        each = lowest if lowest == highest else f"{lowest} to {highest}"
        return f"cells: {len(sizes):,} by {columns}, of {each} documents each{missing}"
    found = {name: n for name, n in facts["groups"].items() if name not in MISSING}
    ranked = sorted(found.items(), key=lambda group: -group[1])
    shown = ", ".join(f"{name} {n:,}" for name, n in ranked[:SHOWN]) + ", ..." * (len(ranked) > SHOWN)
    return f"groups: {len(found):,} of {columns}; documents of each: {shown}{missing}"


def _resolution_text(resolution: float, calendar: bool) -> str:
    """The resolution in words, and what to do for a finer one."""
    from chronotope.display.describe import describe_resolution

    finer = "; for shorter ones, more --nodes, or a shorter time with --from and --to" if resolution > 0.0 else ""
    return describe_resolution(resolution, calendar) + finer


def next_commands(path: str, corpus: str, has_report: bool, has_groups: bool) -> list[str]:
    """What to ask the model now.

    path : of the model;  corpus : and its options, as they are typed
    has_report : whether there is one already;  has_groups : whether words differ between groups
    """
    model = shlex.quote(path)
    groups = {f"chronotope contrast {model} --words": "topics in which groups parted, and when"} if has_groups else {}
    commands = groups | {
        f"chronotope topics {model} --show words": "top words of every topic, period by period",
        f"chronotope events {model} {corpus}": "when something happened",
        f"chronotope plot {model} --topic 0 --out topic0.png": "probabilities of words, with bands",
        f"chronotope report {model} {corpus}": "all of it in a browser",
    }
    if has_report:
        commands.popitem()
    width = max(map(len, commands)) + 2
    return ["Next commands:", *(f"  {command:<{width}}# {what}" for command, what in commands.items())]


def plan_facts(model: DynamicTopicModel, corpus: Corpus, cluster: bool = False) -> dict[str, Any]:
    """What a fit of the model to the corpus would do; passes and seconds are upper limits, seconds a rough estimate.

    cluster : whether also what it would do on a cluster
    """
    from chronotope.display.describe import describe_kernel
    from chronotope.model.memory import available_memory
    from chronotope.model.plan import estimate_cluster, estimate_work

    plan = model.plan(corpus)
    work = estimate_work(plan, model.get_params(deep=False), corpus)
    on_cluster = estimate_cluster(plan, model.n_topics, corpus) if cluster else None
    own = {} if on_cluster is None else {"cluster": on_cluster.step._asdict() | {"driver": on_cluster.driver}}
    return own | {
        "documents": len(corpus),
        "words": corpus.n_words,
        "tokens": corpus.n_tokens,
        "times": corpus.n_times,
        "topics": model.n_topics,
        "kernel": plan.kernel.text,
        "kernel_in_words": describe_kernel(plan.kernel, corpus.calendar),
        "nodes": len(plan.nodes),
        "resolution": corpus.coverage.resolution(plan.nodes),
        "exact_in_time": plan.exact_in_time,
        "tracks": _track_facts(plan.tracks, corpus),
        "passes": work.passes,
        "steps_in_a_pass": work.steps,
        "bytes": round(plan.memory.total),
        "bytes_available": available_memory(),
        "seconds": round(work.seconds, 3),
        "cores": work.cores,
    }


def plan_text(facts: dict[str, Any], corpus: Corpus) -> str:
    """The plan as text;  facts : from `plan_facts`, and the number of documents held out."""
    from chronotope.dates.decimal import format_time

    first, last = (format_time(time, corpus.calendar) for time in corpus.span)
    nodes = "one at every time: exact in time" if facts["exact_in_time"] else "a grid over all times"
    if facts["tracks"] is not None:
        nodes += ", the same for each group" if "groups" in facts["tracks"] else ", the same for each cell"
    resolution = _resolution_text(facts["resolution"], corpus.calendar)
    there = facts["bytes_available"]
    available = "" if there is None else f"; {size_text(there)} are available"
    steps, held_out = facts["steps_in_a_pass"], facts["held_out"]
    lines = {
        "documents": f"{facts['documents']:,}" + (f", and {held_out:,} held out" if held_out else ""),
        "words": f"{facts['words']:,} distinct, {facts['tokens']:,} tokens",
        "times": f"{facts['times']:,} distinct, {first} to {last}",
        "topics": f"{facts['topics']:,}",
        "kernel": facts["kernel_in_words"],
        "": facts["kernel"],
        "nodes": f"{facts['nodes']:,}, {nodes}",
        "resolution": resolution,
        "passes": f"at most {facts['passes']:,}, of {steps:,} {'step' if steps == 1 else 'steps'} each",
        "memory": f"about {size_text(facts['bytes'])} in addition to the corpus{available}",
        "time": f"at most about {_duration(facts['seconds'])} on {facts['cores']} cores; a rough estimate, right to a "
        "factor of three; the first fit on a machine also compiles for half a minute",
    }
    if facts["tracks"] is not None:
        kind, _, text = _track_text(facts["tracks"]).partition(": ")
        lines[kind] = text
    if "cluster" in facts:
        lines["cluster"] = _cluster_text(facts["cluster"])
    return "\n".join(["Nothing was fitted or written. A fit would have", *(f"  {k:<12}{v}" for k, v in lines.items())])


def _cluster_text(work: dict[str, Any]) -> str:
    """Calls, bytes and memory of a step on a cluster."""
    return (
        f"{work['calls']:,} calls in each step, with about {size_text(work['sent'])} for the workers and "
        f"{size_text(work['received'])} from them; about {size_text(work['worker'])} of memory in each worker, and "
        f"{size_text(work['driver'])} here"
    )


def _duration(seconds: float) -> str:
    for length, unit in ((3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{max(1.0, seconds):.0f} seconds"
