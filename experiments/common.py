"""What the experiments share: their options, the corpora by name, fits with their times, and files written whole."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from chronotope import Corpus, DynamicTopicModel, Preprocessing, datasets
from chronotope.analysis.keywords import find_topic, telling_words
from chronotope.plots import compare_trajectories
from chronotope.readers import read, read_corpus
from chronotope.storage.atomic import replacing, writable_folder

KERNELS = {"Wiener": "wiener", "OU": "ou", "Cauchy": "cauchy"}  # the paper's figures
FOLDERS = {
    "nips": "nips_1987_2003",
    "arxiv": "arxiv_abstracts",
    "senate": "senate_press_releases",
    "un": "un_general_debates",
    "commits": "postgres_commits",
}
CORPORA = ("sotu", *FOLDERS)
QUICK_EPOCHS, QUICK_DOCUMENTS, QUICK_WORDS = 2, 150, 600
QUICK_STEP = {"nips": 20, "arxiv": 500, "senate": 100, "un": 50, "commits": 200}  # one record of so many
PLOTTED = 7


def options(
    about: str,
    argv: Sequence[str] | None,
    *,
    topics: int = 20,
    corpus: bool = False,
    corpora: bool = False,
    documents: bool = False,
) -> argparse.Namespace:
    """The command line: out, quick, topics, seeds, passes, data; corpus, corpora or documents for a choice of these."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--out", default=f"results/{Path(sys.argv[0]).stem}", help="folder for what is written")
    parser.add_argument("--quick", action="store_true", help="few documents, two passes, one seed: only a trial")
    parser.add_argument("--topics", type=int, help=f"number of topics, {topics} by default")
    parser.add_argument("--seeds", default="0,1,2", help="comma-separated")
    parser.add_argument("--passes", type=int, help="most passes of a fit over the corpus, the model's own by default")
    parser.add_argument("--data", default="data", help=f"folder with {' and '.join(FOLDERS.values())}")
    if corpus:
        parser.add_argument("--corpus", choices=CORPORA, default="sotu")
    if corpora:
        parser.add_argument("--corpora", default="sotu", help=f"comma-separated, of {', '.join(CORPORA)}")
    if documents:
        parser.add_argument("--documents", type=int, help="at most so many, spread evenly; all by default")
    given = parser.parse_args(argv)
    try:
        given.seeds = [int(seed) for seed in given.seeds.split(",")]
    except ValueError:
        parser.error(f"--seeds is {given.seeds!r}; pass whole numbers comma-separated, such as 0,1,2.")
    if corpora:
        given.corpora = given.corpora.split(",")
        if not set(given.corpora) <= set(CORPORA):
            parser.error(f"--corpora is {','.join(given.corpora)!r}; expected some of {','.join(CORPORA)}.")
    given.seeds = given.seeds[:1] if given.quick else given.seeds
    given.topics = given.topics or (min(topics, 5) if given.quick else topics)
    given.out = writable_folder(given.out)
    passes = QUICK_EPOCHS if given.quick else given.passes
    given.epochs = {} if passes is None else {"max_epochs": passes}
    return given


def run(main: Callable[[], None]) -> None:
    """Run a script; what the user can mend is a sentence, not a trace."""
    try:
        with timed("All"):
            main()
    except (ValueError, OSError, ImportError) as error:
        sys.exit(f"error: {error}")


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print what was done and the seconds it took."""
    start = time.perf_counter()
    yield
    print(f"{what}: {time.perf_counter() - start:.1f} s", flush=True)


def load(name: str, given: argparse.Namespace) -> Corpus:
    """A corpus by name, all of it or, for a trial, documents spread evenly over it."""
    with timed(f"Reading {name}"):
        corpus = _sotu(given.quick) if name == "sotu" else _collection(name, given)
    print(corpus, flush=True)
    return corpus


def _sotu(quick: bool) -> Corpus:
    corpus = datasets.state_of_the_union(Preprocessing(max_vocabulary=QUICK_WORDS) if quick else None)
    return corpus[:: max(1, len(corpus) // QUICK_DOCUMENTS)] if quick else corpus


def folder_of(name: str, given: argparse.Namespace) -> Path:
    """The folder of a collection; an error says how to name it."""
    folder = Path(given.data) / FOLDERS[name]
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r}; say where {FOLDERS[name]} is with --data FOLDER.")
    return folder


def _collection(name: str, given: argparse.Namespace) -> Corpus:
    folder = folder_of(name, given)
    file = folder / "docs.jsonl.gz"
    if given.quick:
        step = QUICK_STEP[name]
        records = list(islice(read(file, text="text", time="time", metadata=[]), None, None, step))
        texts, times = [record.text for record in records], [record.time for record in records]
        return Corpus.from_texts(texts, times, preprocessing=Preprocessing(max_vocabulary=QUICK_WORDS))
    if name == "nips":
        return datasets.nips(folder, keep_texts=False)
    paper = Preprocessing.paper(max_vocabulary=5_000)
    return read_corpus(file, paper, text="text", time="time", metadata=[], keep_texts=False)


def fit(corpus: Corpus, kernel: Any, given: argparse.Namespace, seed: int, **more: Any) -> DynamicTopicModel:
    """One fit, with the time it took."""
    model = DynamicTopicModel(given.topics, kernel, seed=seed, verbose=False, **given.epochs, **more)
    with timed(f"Fitting {given.topics} topics, {kernel}, seed {seed}"):
        return model.fit(corpus)


def theme_picture(
    models: Mapping[str, DynamicTopicModel], theme: Sequence[str], title: str, words: Sequence[str] | None = None
) -> Any:
    """The topic about a theme in each model, found by its words, side by side; returns the figure.

    words : those to choose the drawn ones from, by default all
    """
    topics = {name: model.topics_ for name, model in models.items()}
    found = {name: find_topic(each, dict.fromkeys(theme, 1.0)) for name, each in topics.items()}
    for name, k in found.items():
        print(f"{name}, topic {k}: {', '.join(word for word, _ in topics[name].top_words(k))}")
    chosen = telling_words([(topics[name], k) for name, k in found.items()], PLOTTED, theme[:1], words)
    figure = compare_trajectories(topics, found, chosen, scale="log")[0].figure
    figure.suptitle(title, x=0.01, ha="left")
    return figure


def research_topic(corpus: str, theme: Sequence[str], title: str, given: argparse.Namespace) -> None:
    """A topic of a collection of papers under the paper's three kernels: topic.png."""
    documents = load(corpus, given)
    models = {name: fit(documents, kernel, given, given.seeds[0]) for name, kernel in KERNELS.items()}
    write_figure(theme_picture(models, theme, title), given.out / "topic.png")


def write_figure(figure: Any, path: Path) -> None:
    with replacing(path) as temporary:
        figure.savefig(temporary)
    print(f"Written: {path}")


def write_table(table: pd.DataFrame, path: Path) -> None:
    with replacing(path) as temporary:
        table.to_csv(temporary, index=False)
    print(f"Written: {path}")


def write_text(text: str, path: Path) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
    print(f"Written: {path}")
