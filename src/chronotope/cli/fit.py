"""chronotope fit"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options as inputs
from chronotope.cli.app import sentences
from chronotope.cli.fit_output import next_commands, summary, summary_text
from chronotope.cli.io import check_output
from chronotope.cli.output import answer, note, progress, working
from chronotope.cli.report import make_report

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel
    from chronotope.text.options import Preprocessing

WORDS = "Words"  # panel of the help


@dataclass(frozen=True)
class Words:
    """Which words and documents to keep; what is left out is left to the corpus."""

    stop_words: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=WORDS,
            help='A language or several ("de, fr"), auto, none, or a file of one word a line; english if left out.',
        ),
    ] = None
    tokenizer: Annotated[
        str | None, typer.Option(rich_help_panel=WORDS, help="words, or pairs of characters for Chinese and Japanese.")
    ] = None
    token_pattern: Annotated[
        str | None, typer.Option(rich_help_panel=WORDS, help="What a word is, as a regular expression.")
    ] = None
    lowercase: Annotated[
        bool | None, typer.Option("--lowercase/--keep-case", rich_help_panel=WORDS, help="Whether War is war.")
    ] = None
    lemmatize: Annotated[
        str | None, typer.Option(rich_help_panel=WORDS, help="Language whose forms are made one: wars is war.")
    ] = None
    phrases: Annotated[
        bool | None, typer.Option("--phrases", rich_help_panel=WORDS, help="Join words that belong together.")
    ] = None
    min_count: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=WORDS, help="Fewest occurrences of a word.")
    ] = None
    min_documents: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=WORDS, help="Fewest documents a word is in.")
    ] = None
    max_document_share: Annotated[
        float | None, typer.Option(rich_help_panel=WORDS, help="Largest share of the documents a word may be in.")
    ] = None
    max_vocabulary: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=WORDS, help="Most words to keep, 10,000 if left out.")
    ] = None
    min_document_words: Annotated[
        int | None, typer.Option(min=0, rich_help_panel=WORDS, help="Fewest words of a document.")
    ] = None

    def preprocessing(self) -> Preprocessing | None:
        """As the library has it; None where nothing was said."""
        from chronotope.text.options import Preprocessing

        given: dict[str, Any] = {name: value for name, value in vars(self).items() if value is not None}
        if self.stop_words is not None:
            given["stop_words"] = _stop_words(self.stop_words)
        return Preprocessing(**given) if given else None


@dataclass(frozen=True)
class Fitting:
    """What the model is, and how it is fitted."""

    n_topics: Annotated[
        int, typer.Option("--topics", min=1, rich_help_panel=inputs.MODEL, help="Number of topics.")
    ] = 20
    kernel: inputs.KernelText = None
    learn_kernel: Annotated[
        bool,
        typer.Option("--learn-kernel", rich_help_panel=inputs.MODEL, help="Learn the kernel's numbers in the fit."),
    ] = False
    alpha: Annotated[
        str | None,
        typer.Option(rich_help_panel=inputs.MODEL, help='Few topics a document (0.01) or many (1), or "learn".'),
    ] = None
    seed_words: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=inputs.MODEL,
            help='Words for a topic to start from, as "war, army"; may be given several times, a topic each.',
        ),
    ] = None
    max_epochs: Annotated[
        int | None,
        typer.Option("--epochs", min=1, rich_help_panel=inputs.MODEL, help="Most passes over the documents."),
    ] = None
    batch_size: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=inputs.MODEL, help="Documents of a step.")
    ] = None
    n_inducing: Annotated[
        int | None, typer.Option("--nodes", min=1, rich_help_panel=inputs.MODEL, help="Nodes of the time grid.")
    ] = None
    seed: Annotated[
        int, typer.Option(min=0, rich_help_panel=inputs.MODEL, help="The same seed gives the same model.")
    ] = 0
    n_threads: Annotated[
        int | None,
        typer.Option("--threads", min=1, rich_help_panel=inputs.MODEL, help="Threads; all cores if left out."),
    ] = None

    def model(self, **more: Any) -> DynamicTopicModel:
        """The model, not fitted yet; what was left out is left to the model."""
        from chronotope.kernels import as_kernel
        from chronotope.model import DynamicTopicModel

        options = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.alpha is not None and self.alpha != "learn":
            options["alpha"] = inputs.number(self.alpha)
        options["seed_words"] = [inputs.words(text) for text in self.seed_words or []] or None
        model = DynamicTopicModel(**{name: value for name, value in (options | more).items() if value is not None})
        as_kernel(model.kernel)  # refused before anything is read
        model.check_parameters()
        return model


def _stop_words(given: str) -> str | list[str] | None:
    """Words of a file, or what the library makes of it."""
    path = Path(given)
    if path.is_file():
        return [word for line in path.read_text(encoding="utf-8").splitlines() if (word := line.strip())]
    return None if given == "none" else given


@dataclass(frozen=True)
class Saving:
    """Where a fit goes."""

    out: Annotated[Path | None, typer.Option(help="The model file to write.")] = None
    report: Annotated[Path | None, typer.Option(help="Also write a report, one HTML file for a browser.")] = None
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="File to save the fit in every five minutes; beside the model, until it is there, if left out."
        ),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a fit that was interrupted.")] = False
    force: inputs.Force = False

    def check(self, dry_run: bool) -> None:
        """Refuse what cannot be written, before anything is read."""
        if self.out is None and not dry_run:
            raise ValueError("nothing says where to save the model; pass --out model.ct, or --dry-run for a look only.")
        check_output(self.out, self.force)
        check_output(self.report, self.force)
        check_output(self.checkpoint, force=True)  # the library refuses what is no checkpoint of this fit

    @property
    def written(self) -> list[str]:
        """The files there are in the end."""
        return [str(path) for path in (self.out, self.report) if path is not None]

    def fit(self, model: DynamicTopicModel, corpus: Corpus) -> float:
        """Fit and save; returns the seconds it took. If stopped, what was done is kept, and how to go on is said."""
        assert self.out is not None
        stopover = self.checkpoint or self.out.with_name(f"{self.out.name}.checkpoint")
        if self.force and not self.resume:
            stopover.unlink(missing_ok=True)
        start = time.perf_counter()
        try:
            model.set_params(checkpoint=str(stopover)).fit(corpus, resume=self.resume)
        except KeyboardInterrupt:
            kept = f"What was done is in {str(stopover)!r}: go on with the same command and --resume."
            raise KeyboardInterrupt(f"stopped. {kept if stopover.exists() else 'Nothing was saved.'}") from None
        model.save(self.out)
        if self.checkpoint is None:
            stopover.unlink(missing_ok=True)
        return time.perf_counter() - start


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
            from chronotope.cli.fit_output import plan_facts, plan_text

            facts = plan_facts(model, train) | {"held_out": 0 if test is None else len(test)}
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
