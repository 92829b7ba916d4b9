"""chronotope fit"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import inputs
from chronotope.cli.app import sentences
from chronotope.cli.fitted import next_commands, summary, summary_text
from chronotope.cli.fitting import Fitting, Words
from chronotope.cli.report import make_report
from chronotope.cli.saving import Saving
from chronotope.cli.screen import answer, note, progress, working

if TYPE_CHECKING:
    from chronotope.corpus import Corpus
    from chronotope.model import DynamicTopicModel


def fit(
    source: inputs.Source,
    words: Words,
    fitting: Fitting,
    saving: Saving,
    test_size: Annotated[
        float | None, typer.Option(help="Hold out this share of the time stamps, and measure the perplexity there.")
    ] = None,
    split_seed: inputs.SplitSeed = 0,
    on_disk: Annotated[
        Path | None,
        typer.Option(
            help="New folder for the counts, if they are more than memory holds; other commands take it as a corpus."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read the corpus, say what would be done, stop.")] = False,
    json: inputs.Json = False,
    quiet: inputs.Quiet = False,
) -> None:
    """Learn topics from dated texts, and save the model.

    ```
    chronotope fit texts.csv --topics 20 --kernel events --out model.ct
    ```

    The columns of texts and dates are guessed, and what was guessed is said; name them with --text and --time.
    With --report this one command leads from a table to a page that opens in a browser. A fit that is stopped with
    Ctrl-C goes on with the same command and --resume.
    """
    with sentences():
        saving.check(dry_run)
        model = fitting.model(verbose=progress(quiet))
        corpus = _read(source, words, saving, None if dry_run else on_disk, quiet)
        train, test = _split(corpus, test_size, split_seed)
        if dry_run:
            from chronotope.cli.plan import plan, plan_text

            facts = plan(model, train) | {"held_out": 0 if test is None else len(test)}
            answer(plan_text(facts, train), facts, json)
            return
        note(f"Fitting {model.n_topics} topics with the kernel {model.kernel}", quiet)
        seconds = saving.fit(model, train)
        note(f"Saved: {saving.out}", quiet)
        scores = {} if test is None else _score(model, test, quiet)
        if saving.report is not None:
            make_report(model, corpus, saving.report, source.title, quiet)
        facts = summary(model, corpus, seconds, scores) | {"written": saving.written}
    answer(summary_text(facts, model.topics_), facts, json)
    for line in next_commands(source, saving):
        note(line, quiet)


def _read(source: inputs.Source, words: Words, saving: Saving, on_disk: Path | None, quiet: bool) -> Corpus:
    """The corpus, with texts if there will be a report; a fit that is resumed finds its counts where they were put."""
    if on_disk is not None and on_disk.exists():
        if not saving.resume:
            raise ValueError(f"{str(on_disk)!r} is there already; pass it as the corpus, or a new folder to --on-disk.")
        return inputs.read(inputs.Source(str(on_disk)), quiet=quiet)
    keep = saving.report is not None
    return inputs.read(source, words.preprocessing(), keep_texts=keep, quiet=quiet, on_disk=on_disk)


def _split(corpus: Corpus, test_size: float | None, seed: int) -> tuple[Corpus, Corpus | None]:
    """What to fit, and what to hold out."""
    if test_size is None:
        return corpus, None
    train, test = corpus.split_times(test_size, seed)
    if len(test) < 2:
        raise ValueError(f"--test-size {test_size} holds out {len(test)} document; hold out at least 2.")
    return train, test


def _score(model: DynamicTopicModel, test: Corpus, quiet: bool) -> dict[str, Any]:
    """Perplexity of the documents held out."""
    from chronotope.evaluate import completion_scores, perplexity_with_error

    with working("Measuring the held-out perplexity", quiet):
        value, error = perplexity_with_error(*completion_scores(model, test, model.seed))
    return {"held_out": len(test), "perplexity": value, "standard_error": error}
