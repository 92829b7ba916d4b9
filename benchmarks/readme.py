"""The results as a page: benchmarks/README.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.cost import AXES, WHAT
from benchmarks.startup import DOCUMENTS, TOPICS, WORDS
from benchmarks.targets import Target, judge

HEAD = """# Benchmarks

Chronotope and other topic models, with the same counts and the same evaluator, in one run, each in its own process.
Absolute times depend on the machine; compare ratios.

    make bench                        # everything, most of an hour
    make bench QUICK=1                # a trial of at most five minutes, written to results/bench
    make bench ONLY=reach             # one part: reach, small, cost or startup; the results of the others are kept
    make bench CORPUS=path/to/file    # any file that chronotope.read_corpus reads

The run writes this page. Without CORPUS it takes the arXiv abstracts that `benchmarks/corpora.py` names; if there are
none, it takes the State of the Union, and the page says so.
"""
METHOD = """## How it is measured

- 15% of the distinct times are held out with all their documents. Topic proportions of a held-out document are inferred
  from half of its tokens, and the other half is scored: per-word perplexity, lower is better. The evaluator knows only
  the topics at the held-out times, and every system has the best of three alphas.
- Clocks are stopped while topics are scored. They include training and Chronotope's static start, but not the transfer
  of the documents. Chronotope's loops are compiled before its clock starts: the time of that is under "Start-up".
- *Time to reach* is the first time at which a system was scored at the goal or below. Chronotope is scored after its
  start, after steps 1, 2, 3, …, 10, 12, 14, … (a fifth later each time) and at the end. A goal never reached is missed.
- Memory is the peak of a system's process when its topics are first scored (without scikit-learn's worker processes),
  and for Chronotope the peak of a complete fit that is not scored on the way.
- Seconds of a step are medians over the steps of a fit except the first, with batches of 2,000 documents.
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
    return "## Targets\n\n" + table(("target", "system", "measured", "at most", "verdict", "details"), rows)


def _reach(reach: dict[str, Any]) -> str:
    alone = reach["alone"]
    text = f"## Perplexity against time\n\n{reach['corpus']}.\n\n![Perplexity against time](images/reach.png)\n\n"
    text += _runs(reach["runs"])
    if alone["failure"] is None:
        seconds, peak = alone["facts"]["total"], alone["peak"]
        text += f"\nA complete default fit that is not scored on the way: {seconds:.1f} s, {peak:.2f} GB.\n"
    return text


def _small(small: dict[str, Any]) -> str:
    return f"## A corpus small enough for gensim\n\n{small['corpus']}.\n\n" + _runs(small["runs"])


def _runs(runs: dict[str, dict[str, Any]]) -> str:
    rows = []
    for name, run in runs.items():
        if run["failure"] or not run["points"]:
            rows.append((name, run["failure"] or "nothing reported", "–", "–", "–", "–"))
            continue
        last = run["points"][-1]
        rows.append((name, last["label"], f"{last['perplexity']:,.0f}", f"{last['seconds']:.1f}", *_sizes(run)))
    return table(("system", "after", "perplexity", "seconds", "seconds per pass", "GB"), rows)


def _sizes(run: dict[str, Any]) -> tuple[str, str]:
    """Seconds of a pass, and memory; Chronotope's is that of the fit that is not scored on the way."""
    each = run["facts"].get("pass")
    watched = "steps" in run["facts"]
    return "–" if each is None else f"{each:.3g}", "–" if watched else f"{run['peak']:.2f}"


def _cost(cost: dict[str, Any]) -> str:
    rows = []
    for each in cost["curves"]:
        letter, slope = each["letter"], each["slope"]
        values = ", ".join(f"{x:,.0f}: {s:.3g}" for x, s in zip(each["x"], each["seconds"], strict=True))
        rows.append((AXES[letter], WHAT[letter], values, "–" if slope is None else f"{slope:.2f}"))
    text = "## What a step costs\n\n" + table(("against", "seconds of", "at", "slope on log axes"), rows) + "\n"
    text += " ".join(f"![Cost against {AXES[e['letter']]}](images/cost_{e['letter']}.png)" for e in cost["curves"])
    ou = cost["kernels"]["ou"]["seconds"]
    kernels = [
        (name, k["nodes"], k["rank"] or "–", f"{k['seconds']:.3g}", f"{k['seconds'] / ou:.2f}")
        for name, k in cost["kernels"].items()
    ]
    return text + "\n\n" + table(("kernel", "nodes", "rank", "seconds of a step", "relative to ou"), kernels)


def _startup(startup: dict[str, Any]) -> str:
    rows = [(name, *(_figure(spent and spent[unit]) for unit in ("seconds", "cpu"))) for name, spent in startup.items()]
    text = "## Start-up\n\n" + table(("what", "seconds", "CPU seconds"), rows)
    return (
        f"{text}\nA small fit is a default one of {DOCUMENTS} documents, {WORDS} words and {TOPICS} topics. In a new "
        "process, its time is that of the whole process, from its start to the fitted model; the target compares the "
        "first such process, with nothing compiled, with the next one.\n"
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
