"""The results as a page: benchmarks/README.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.cost import AXES, WHAT
from benchmarks.targets import Target, judge

HEAD = """# Benchmarks

Chronotope beside its peers: the same counts, the same evaluator, one run, each system in a process of its own. Absolute
times belong to the machine; compare ratios.

    make bench                        # everything, the better part of an hour
    make bench QUICK=1                # a trial of at most five minutes, written to results/bench
    make bench ONLY=reach             # one part: reach, small, cost or startup; the others stay
    make bench CORPUS=path/to/file    # any file that chronotope.read_corpus reads

This page is written by the run. Without a file it takes arXiv abstracts from `../shared/data`, or where these are not
at hand the State of the Union, and says so.
"""
METHOD = """## How it is measured

- 15% of the distinct times are held out with all their documents. Half of a held-out document's tokens give its topic
  shares, the other half is scored: per-word perplexity, lower is better. The evaluator sees topics at the held-out
  times, nothing else, and every system gets the best of three alphas.
- Clocks stop while topics are scored. They run while a model is trained, Chronotope's static start included; documents
  are handed over before. Chronotope's loops are compiled before its clock starts: what that costs is under "Start-up".
- *Time to reach* is the first time a system was seen at the goal or under it. Chronotope is looked at after its start
  and after steps 1, 2, 3, …, each time a fifth further, and at the end. What is never reached in the run is missed.
- Memory is the most a system's process held when its topics were first looked at (scikit-learn's own workers not
  counted), and for Chronotope that of a whole fit nobody looked into.
- Seconds of a step are medians over the steps of a fit but the first, with batches of 2,000 documents.
"""


def write_page(results: dict[str, Any], scale: str) -> str:
    """The whole page."""
    parts = [HEAD, _about(results["about"], scale)]
    if targets := judge(results):
        parts.append(_targets(targets))
    for name, section in (("reach", _reach), ("small", _small), ("cost", _cost), ("startup", _startup)):
        if name in results:
            parts.append(section(results[name]))
    return "\n".join([*parts, METHOD])


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    cells = (" | ".join(str(cell).replace("|", "\\|") for cell in line) for line in lines)
    return "\n".join(f"| {line} |" for line in cells) + "\n"


def _about(about: dict[str, Any], scale: str) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    text = (
        f"\n{about['date']}, {about['cores']} cores of {about['cpu']}, {about['threads']} threads for every system; "
        f"Python {about['python']}, {versions}.\n"
    )
    return (
        text if scale == "full" else f"{text}\n**A {scale} run: less of everything, so its figures are no verdict.**\n"
    )


def _targets(targets: list[Target]) -> str:
    rows = [(t.what, t.who, t.figure, f"{t.limit:.3g}", t.verdict, t.note) for t in targets]
    return "## Targets\n\n" + table(("ratio", "of", "measured", "at most", "verdict", "how"), rows)


def _reach(reach: dict[str, Any]) -> str:
    alone = reach["alone"]
    text = f"## Perplexity against time\n\n{reach['corpus']}.\n\n![Perplexity against time](images/reach.png)\n\n"
    text += _runs(reach["runs"])
    if alone["failure"] is None:
        text += f"\nA whole default fit nobody looks into: {alone['facts']['total']:.1f} s, {alone['peak']:.2f} GB.\n"
    return text


def _small(small: dict[str, Any]) -> str:
    return f"## A case small enough for gensim\n\n{small['corpus']}.\n\n" + _runs(small["runs"])


def _runs(runs: dict[str, dict[str, Any]]) -> str:
    rows = []
    for name, run in runs.items():
        if run["failure"] or not run["points"]:
            rows.append((name, run["failure"] or "nothing reported", "–", "–", "–", "–"))
            continue
        last = run["points"][-1]
        rows.append((name, last["label"], f"{last['perplexity']:,.0f}", f"{last['seconds']:.1f}", *_sizes(run)))
    return table(("system", "after", "perplexity", "seconds", "seconds a pass", "GB"), rows)


def _sizes(run: dict[str, Any]) -> tuple[str, str]:
    """Seconds of a pass, and memory; Chronotope's is that of the fit nobody looked into."""
    each = run["facts"].get("pass")
    watched = "steps" in run["facts"]
    return "–" if each is None else f"{each:.3g}", "–" if watched else f"{run['peak']:.2f}"


def _cost(cost: dict[str, Any]) -> str:
    rows = []
    for each in cost["curves"]:
        letter, slope = each["letter"], each["slope"]
        values = ", ".join(f"{x:,.0f}: {s:.3g}" for x, s in zip(each["x"], each["seconds"], strict=True))
        rows.append((f"{letter}, {AXES[letter]}", WHAT[letter], values, "–" if slope is None else f"{slope:.2f}"))
    text = "## What a step costs\n\n" + table(("against", "seconds of", "at", "slope on log axes"), rows) + "\n"
    text += " ".join(f"![Cost against {AXES[e['letter']]}](images/cost_{e['letter']}.png)" for e in cost["curves"])
    ou = cost["kernels"]["ou"]["seconds"]
    kernels = [
        (name, k["nodes"], k["rank"] or "–", f"{k['seconds']:.3g}", f"{k['seconds'] / ou:.2f}")
        for name, k in cost["kernels"].items()
    ]
    return text + "\n\n" + table(("kernel", "nodes", "rank", "seconds of a step", "of ou's"), kernels)


def _startup(startup: dict[str, Any]) -> str:
    rows = [(name, "failed" if seconds is None else f"{seconds:.2f}") for name, seconds in startup.items()]
    return "## Start-up\n\n" + table(("what", "seconds"), rows)
