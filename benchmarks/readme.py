"""The results as a page: benchmarks/README.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.cluster import STEPS_OF_A_PASS
from benchmarks.cost import AXES, WHAT
from benchmarks.roofline import STEP
from benchmarks.startup import DOCUMENTS, TOPICS, WORDS
from benchmarks.targets import Target, judge

HEAD = """# Benchmarks

Chronotope and other topic models, with the same counts and the same evaluator, in one run, each in its own process.
Absolute times depend on the machine; compare ratios.

    make bench                        # everything, about an hour
    make bench QUICK=1                # a trial of at most five minutes, written to results/bench
    make bench ONLY=reach             # one part: reach, small, cost, startup, roofline or many; the others are kept
    make bench CORPUS=path/to/file    # any file that chronotope.read_corpus reads, or sotu; written to results/bench

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
DRAWS = (
    "topics",
    "million draws/s",
    "lowest and highest",
    "bytes per draw",
    "GB/s",
    "of the bandwidth",
    "G multiply-adds/s",
    "of their limit",
    "rest of a visit, in sweeps",
)
ABOUT_DRAWS = """
A draw is that of one token's topic in a kept sweep. It reads the document's topics and the likelihoods of the word, and
reads and writes φ: four rows of topics, padded to a multiple of eight, of 4 bytes each. The token's topic is read and
written, 2 bytes each. Each padded topic takes three multiply-adds. Most rows are in the caches, so the bandwidth of
memory is no limit here, only a measure. The rest of a visit is what does not depend on the number of sweeps:
likelihoods, statistics, bound.

"""
STEPS = ("nodes × topics × words", "seconds of a global step", "GB", "GB/s", "of the bandwidth")
ABOUT_STEPS = """
The bytes of a global step are those of the arrays (nodes, topics, words) that it reads and writes, one after another:
{arrays}. Arrays smaller than the caches need less of the memory.
"""
ABOUT_MANY = """
Growth is the ratio of both numbers of topics. A dynamic pass is by its median step, an iteration by those after the
first scoring. The static start makes more passes where dividing and merging topics pays. Times are rounded, so that
scoring does not take longer than fitting, and Chronotope has fewer nodes than it would choose, to need less memory.
Perplexity against time with {most} topics, for a few passes and iterations:

![Perplexity against time with many topics](images/many.png)

"""


def write_page(results: dict[str, Any], scale: str) -> str:
    """The whole page."""
    parts = [HEAD, _about(results["about"], results.get("measured", {}), scale)]
    if targets := judge(results):
        parts.append(_targets(targets))
    parts += [section(results[name]) for name, section in SECTIONS.items() if name in results]
    return "\n".join([*parts, METHOD])


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    cells = (" | ".join(str(cell).replace("|", "\\|") for cell in line) for line in lines)
    return "\n".join(f"| {line} |" for line in cells) + "\n"


def _about(about: dict[str, Any], measured: dict[str, str], scale: str) -> str:
    """Machine, versions, and what was measured with an earlier version.   measured : version of each part."""
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    text = (
        f"\n{about['date']}, {about['cores']} cores of {about['cpu']}, {about['threads']} threads for every system; "
        f"Python {about['python']}, {versions}.\n"
    )
    earlier = [
        f"{part} ({version})" for part, version in measured.items() if version != about["versions"]["chronotope"]
    ]
    if earlier:
        text += f"\nParts that an earlier version of Chronotope was measured for: {', '.join(earlier)}.\n"
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


def _roofline(roofline: dict[str, Any]) -> str:
    limits, loops = roofline["limits"], roofline["loops"]
    text = (
        f"## What a core can do\n\nOne core: {limits['bandwidth']:.1f} GB/s to and from memory, in a triad a = b + c/2 "
        f"over arrays of {limits['array'] / 2**20:,.0f} MB, and {limits['multiply_adds']:.1f} G multiply-adds/s in "
        "single precision, without memory. These are the best of a few; what follows are medians, on one core too.\n\n"
    )
    text += table(DRAWS, [_draws(each) for each in loops]) + ABOUT_DRAWS
    arrays = "; ".join(f"{what} ({n})" for what, n in STEP.items())
    return text + table(STEPS, [_step(each) for each in loops]) + ABOUT_STEPS.format(arrays=arrays)


def _draws(loops: dict[str, Any]) -> tuple[Any, ...]:
    draws = loops["draws"]
    computed = f"{draws['rate']:.2f}", f"{draws['of_rate']:.0%}"
    rest = f"{draws['fixed'] / draws['sweep']:.1f}"
    rates = [f"{each / 1e6:.2f}" for each in (draws["per_second"], *draws["range"])]
    drawn = loops["topics"], rates[0], " to ".join(rates[1:]), f"{draws['bytes']:,}"
    return *drawn, *_moved(draws), *computed, rest


def _step(loops: dict[str, Any]) -> tuple[Any, ...]:
    step, size = loops["step"], f"{loops['nodes']} × {loops['topics']} × {loops['words']:,}"
    return size, f"{step['seconds']:.3g}", f"{step['bytes'] / 1e9:.3g}", *_moved(step)


def _moved(part: dict[str, float]) -> tuple[str, str]:
    return f"{part['bandwidth']:.2f}", f"{part['of_bandwidth']:.0%}"


def _many(many: dict[str, Any]) -> str:
    few, most = many["topics"]
    head = "what", f"seconds, {few} topics", f"{most} topics", f"ns per token, {few} topics", f"{most} topics", "growth"
    rows = []
    for each in many["costs"]:
        per_token = [None if seconds is None else 1e9 * seconds / each["tokens"] for seconds in each["seconds"]]
        rows.append((each["what"], *map(_short, (*each["seconds"], *per_token, each["growth"]))))
    return (
        f"## Many topics and words\n\n{many['corpus']}.\n\n{table(head, rows)}{ABOUT_MANY.format(most=most)}"
        + table(("system", "after", "seconds", "perplexity"), _points(many["runs"]))
    )


def _points(runs: dict[str, dict[str, Any]]) -> list[tuple[str, ...]]:
    """A row for each time that a system was scored."""
    rows = []
    for name, run in runs.items():
        rows += [(name, p["label"], f"{p['seconds']:.1f}", f"{p['perplexity']:,.0f}") for p in run["points"]]
        if run["failure"]:
            rows.append((name, run["failure"], "–", "–"))
    return rows


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}" if value < 1_000 else f"{value:,.0f}"


ABOUT_CLUSTER = """
A step with W workers is taken to last tokens · {token:.0f} ns / W, {bandwidth:.2f} GB/s for what is sent and received,
{latency:.1f} ms for each call, and {cell:.1f} ns of one core for each word of a topic at a node: parts that were
measured one by one. The first step has more sweeps, and is left out. More documents like these, in {steps} steps a
pass, on a network of 10 Gbit/s, would take per pass:

"""


def _cluster(cluster: dict[str, Any]) -> str:
    alone, costs = cluster["alone"], cluster["costs"]
    rows = [("one process", f"{alone:.1f}", "1", *["–"] * 5)]
    for run in cluster["runs"]:
        moved = [f"{run[name] / 1e6:.1f}" for name in ("sent", "received")]
        local = [f"{run[name]:.3g}" for name in ("local", "model")]
        rows.append(
            (
                f"{run['workers']} workers",
                f"{run['seconds']:.1f}",
                f"{run['seconds'] / alone:.2f}",
                f"{run['calls']:.0f}",
                *moved,
                *local,
            )
        )
    head = "on", "seconds", "ratio", "calls a step", "MB sent", "MB received", "seconds of a local step", "by the model"
    text = "## On a cluster of this machine\n\nThe same fit, to the same bits.\n\n" + table(head, rows)
    units = {"token": 1e9 * costs["token"], "bandwidth": costs["bandwidth"] / 1e9, "latency": 1e3 * costs["latency"]}
    text += ABOUT_CLUSTER.format(**units, cell=1e9 * costs["cell"], steps=STEPS_OF_A_PASS)
    forecast = [
        (f"{r['documents']:,}", r["workers"], f"{r['batch']:,}", f"{r['pass'] / 60:.1f}") for r in cluster["forecast"]
    ]
    return text + table(("documents", "workers", "documents a step", "minutes a pass"), forecast)


SECTIONS = {
    "reach": _reach,
    "small": _small,
    "cost": _cost,
    "startup": _startup,
    "roofline": _roofline,
    "many": _many,
    "cluster": _cluster,
}
