"""The demo: 235 years of State of the Union addresses with three priors, next to topics that do not change."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from chronotope import datasets
from chronotope.analysis.keywords import find_topic, telling_words
from chronotope.corpus.corpus import Corpus
from chronotope.evaluate.static import ALPHAS, StaticFit, fit_static
from chronotope.model import DynamicTopicModel
from chronotope.plots import compare_trajectories
from chronotope.storage.atomic import replacing, writable_folder
from chronotope.topics import Topics

KERNELS = {
    "Wiener": "wiener",
    "OU": "constant + ou",
    "Cauchy": "cauchy",
}  # unset parameters are set from the span of the corpus
DATES = (1800, 1850, 1900, 1950, 2000, 2020)
WAR = ("war", "army", "military", "enemy", "forces", "troops", "arms", "defense", "peace", "attack", "men", "naval")
DATING = (  # words that date a war
    *("tribes", "spain", "mexico", "texas", "rebellion", "cuba", "germany", "japanese", "soviet", "korea", "vietnam"),
    *("iraq", "terrorists", "enemy", "army", "militia", "war"),
)
PLOTTED = 7  # words in the picture
SHOWN = 8  # topics on the screen; all of them are in the table
WORDS_SHOWN, WORDS_WRITTEN = 6, 20
PIPE = 120  # columns of the tables in a pipe


class Effort(NamedTuple):
    """Maximum number of passes of a dynamic and of a static fit, and the step through the documents."""

    passes: int
    static_passes: int
    every: int


FULL, QUICK = Effort(15, 10, 1), Effort(6, 6, 3)


class Fit(NamedTuple):
    """A fitted model, its held-out perplexity, and the seconds the fit took."""

    model: DynamicTopicModel
    perplexity: float
    seconds: float

    @property
    def topics(self) -> Topics:
        """What it learned."""
        return self.model.topics_


def run(
    out: str | Path, n_topics: int = 20, seed: int = 0, quick: bool = False, *, shown: bool = True, quiet: bool = False
) -> dict[str, Any]:
    """Fit, show, compare and write everything to the folder `out`; returns the figures and the files by name.

    n_topics, seed : of every model;  quick : a rough fit on a third of the documents
    shown : whether to print tables;  quiet : no progress and no notes
    """
    screen = Console(quiet=not shown)
    if not screen.is_terminal:
        screen = Console(width=PIPE, quiet=not shown)
    notes, effort = Console(stderr=True, highlight=False, quiet=quiet), QUICK if quick else FULL
    folder = writable_folder(out)
    notes.print("Reading the State of the Union addresses")
    corpus = datasets.state_of_the_union()
    screen.print(escape(repr(corpus)), soft_wrap=True)
    train, test = corpus.split_times(seed=seed)
    train = train[:: effort.every]
    fits = fit_kernels(train, test, n_topics, seed, effort, notes)
    static = fit_baseline(train, test, n_topics, seed, effort, notes)
    frame = box.HEAVY_HEAD if screen.is_terminal else None  # a pipe gets plain text
    screen.print(topic_table(fits["OU"].topics, screen.width, frame))
    screen.print(war_table(fits["OU"].topics, screen.width, frame))
    screen.print(perplexity_table(fits, static, frame))
    paths = write_results(folder, fits)
    screen.print("Written:")
    for path, what in paths.items():
        screen.print(f"  {escape(str(path))}: {what}", highlight=False, soft_wrap=True)
    perplexities = {"static": static.perplexity} | {name: fit.perplexity for name, fit in fits.items()}
    return {"corpus": repr(corpus), "perplexity": perplexities, "written": [str(path) for path in paths]}


def fit_kernels(
    train: Corpus, test: Corpus, n_topics: int, seed: int, effort: Effort, notes: Console
) -> dict[str, Fit]:
    """One model per kernel, all else equal; loops are compiled first, so that the seconds do not include it."""
    notes.print("Compiling (only the first time)")
    for kernel in KERNELS.values():
        small = _model(kernel, 2, seed, Effort(2, 1, 1), verbose=False).fit(train[:40])
        small.perplexity(test[:10])
    fits = {}
    for name, kernel in KERNELS.items():
        notes.print(f"Fitting {n_topics} topics with {name}, {kernel}")
        start = time.perf_counter()
        model = _model(kernel, n_topics, seed, effort, verbose=False if notes.quiet else None).fit(train)
        fit = fits[name] = Fit(model, model.perplexity(test), time.perf_counter() - start)
        passes = "pass" if model.n_steps_ == 1 else "passes"
        notes.print(f"  {model.n_steps_} {passes}, bound {model.bounds_[-1]:,.0f}, {fit.seconds:.0f} s")
    return fits


def fit_baseline(train: Corpus, test: Corpus, n_topics: int, seed: int, effort: Effort, notes: Console) -> StaticFit:
    """Static topics with the best alpha, by scikit-learn."""
    from sklearn.utils.parallel import Parallel, delayed

    notes.print(f"Fitting {n_topics} static topics with scikit-learn, alpha {' and '.join(map(str, ALPHAS))}")
    found = Parallel(n_jobs=len(ALPHAS))(
        delayed(fit_static)(train, test, n_topics, alpha, seed, effort.static_passes) for alpha in ALPHAS
    )
    best: StaticFit = min(found, key=lambda static: static.perplexity)
    return best


def topic_table(topics: Topics, width: int, frame: box.Box | None) -> Table:
    """Top words of the most prevalent topics at as many dates as fit into the width."""
    dates = shown_dates(width)
    share = topics.mass.sum(axis=0) / topics.mass.sum()
    largest = [int(k) for k in (-share).argsort(kind="stable")[:SHOWN]]
    table = Table(
        title=f"The {len(largest)} most prevalent of {topics.n_topics} topics, OU", show_lines=True, box=frame
    )
    table.add_column("topic", justify="right")
    table.add_column("share", justify="right")
    for date in dates:
        table.add_column(str(date), no_wrap=True)
    for k in largest:
        cells = ["\n".join(escape(word) for word, _ in topics.top_words(k, date, WORDS_SHOWN)) for date in dates]
        table.add_row(str(k), f"{share[k]:.0%}", *cells)
    return table


def shown_dates(width: int) -> list[int]:
    """As many dates as fit into a table of this width."""
    columns = max(2, min(len(DATES), (width - 14) // 17))
    return [DATES[round(i * (len(DATES) - 1) / (columns - 1))] for i in range(columns)]


def war_table(topics: Topics, width: int, frame: box.Box | None) -> Table:
    """How the words of one topic rose and fell: their uses in 1,000 words of it at some dates, with 90% bands."""
    k, dates = find_topic(topics, dict.fromkeys(WAR, 1.0)), shown_dates(width)
    table = Table(title=f"In 1,000 words of topic {k}, war, these are so many; in brackets a 90% band", box=frame)
    for column in ("word", *map(str, dates)):
        table.add_column(column, justify="left" if column == "word" else "right", no_wrap=True)
    for word in telling_words([(topics, k)], PLOTTED, ("war",), DATING):
        curve = topics.trajectory(k, word, dates).itertuples(index=False)
        cells = [f"{in_thousand(at.mean)} ({in_thousand(at.low)} to {in_thousand(at.high)})" for at in curve]
        table.add_row(escape(word), *cells)
    return table


def in_thousand(probability: Any) -> str:
    """Uses in 1,000 words: two digits below ten, as 0.3 or 3.1, else whole ones, as 12."""
    return f"{1000 * probability:.1f}" if probability < 0.00995 else f"{1000 * probability:.0f}"


def perplexity_table(fits: dict[str, Fit], static: StaticFit, frame: box.Box | None) -> Table:
    """Held-out perplexities next to the static model's."""
    table = Table(title="Held-out years: perplexity by document completion, lower is better", box=frame)
    for column in ("model", "perplexity", "ratio to static", "seconds"):
        table.add_column(column, justify="left" if column == "model" else "right")
    table.add_row(f"static LDA, alpha {static.alpha}", f"{static.perplexity:,.0f}", "1.000", f"{static.seconds:.0f}")
    for name, fit in fits.items():
        ratio = fit.perplexity / static.perplexity
        table.add_row(
            escape(f"{name}, {fit.model.kernel_}"), f"{fit.perplexity:,.0f}", f"{ratio:.3f}", f"{fit.seconds:.0f}"
        )
    return table


def write_results(folder: Path, fits: dict[str, Fit]) -> dict[Path, str]:
    """Write all files of the demo; returns them with a description."""
    picture, table, model = folder / "war.png", folder / "topics.csv", folder / "ou.ct"
    figure = war_picture({name: fit.topics for name, fit in fits.items()})
    with replacing(picture) as path:
        figure.savefig(path)
    with replacing(table) as path:
        word_table(fits["OU"].topics, DATES).to_csv(path, index=False)
    fits["OU"].model.save(model)
    return {
        picture: "words of the war topic over time, three priors side by side",
        table: f"the {WORDS_WRITTEN} top words of every topic at every date",
        model: "the OU model; try: chronotope info " + escape(str(model)),
    }


def war_picture(models: dict[str, Topics]) -> Any:
    """A figure of the war topic of each model side by side, as in the paper."""
    found = {name: find_topic(topics, dict.fromkeys(WAR, 1.0)) for name, topics in models.items()}
    words = telling_words([(topics, found[name]) for name, topics in models.items()], PLOTTED, ("war",), DATING)
    panels = compare_trajectories(models, found, words, scale="log")
    panels[0].figure.suptitle("The war topic in the State of the Union, 90% bands", x=0.01, ha="left")
    return panels[0].figure


def word_table(topics: Topics, dates: Sequence[float]) -> pd.DataFrame:
    """Top words of every topic at each date.  Columns: topic, date, rank, word, probability."""
    rows = [
        (k, date, rank, word, probability)
        for k in range(topics.n_topics)
        for date in dates
        for rank, (word, probability) in enumerate(topics.top_words(k, date, WORDS_WRITTEN), start=1)
    ]
    return pd.DataFrame(rows, columns=["topic", "date", "rank", "word", "probability"])


def _model(kernel: str, n_topics: int, seed: int, effort: Effort, verbose: bool | None = None) -> DynamicTopicModel:
    return DynamicTopicModel(
        n_topics,
        kernel,
        max_epochs=effort.passes,
        seed=seed,
        verbose=verbose,
    )
