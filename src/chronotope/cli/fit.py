"""chronotope fit"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.fit_output import next_commands, plan_facts, plan_text, summary, summary_text
from chronotope.cli.io import check_distinct, check_output, engine_of, read_documents
from chronotope.cli.output import answer, note, working
from chronotope.cli.report import make_report

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model.estimator import DynamicTopicModel

NO_OUT = "no file was given to save the model in; pass --out model.ct, or --dry-run to see what a fit would do."


@dataclass(frozen=True)
class SavingOptions:
    """Where a fit is saved."""

    out: Annotated[Path | None, typer.Option(help="The model file to write.")] = None
    report: Annotated[Path | None, typer.Option(help="Also write a report, one HTML file for a browser.")] = None
    link: options.SourceLink = None
    search_documents: options.SearchDocuments = None
    dating_page: options.DatingPage = False
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="File to save the unfinished fit in every five minutes; by default beside the model, and deleted "
            "once the model is saved."
        ),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Resume an interrupted fit from its checkpoint.")] = False
    dating: Annotated[
        bool,
        typer.Option(
            "--dating",
            help="Also learn to say when undated texts were written, for chronotope date; half as long again, and a "
            "larger file.",
        ),
    ] = False
    force: options.Force = False

    def check(self, dry_run: bool) -> None:
        """Refuse files that cannot be written, before anything is read."""
        if self.out is None and not dry_run:
            raise ValueError(NO_OUT)
        if self.report is None and (self.link is not None or self.search_documents is not None or self.dating_page):
            raise ValueError(
                "--link, --search-documents and --dating-page are about the report; pass --report report.html too."
            )
        if self.dating_page and not self.dating:
            raise ValueError("--dating-page is of a model that dates texts; pass --dating too.")
        check_output(self.out, self.force)
        check_output(self.report, self.force)
        check_output(self.checkpoint, force=True)  # the library refuses a file that is not a checkpoint of this fit

    @property
    def files(self) -> dict[str, Path | None]:
        """The files that are written, by their options."""
        return {"--out": self.out, "--report": self.report, "--checkpoint": self.checkpoint_file}

    @property
    def checkpoint_file(self) -> Path | None:
        """The file of the unfinished fit, beside the model if no other is given; None if nothing is saved."""
        return self.checkpoint or (self.out and self.out.with_name(f"{self.out.name}.checkpoint"))

    def counts_folder(self, source: options.CorpusOptions) -> Path | None:
        """Where the workers of a cluster leave the counts of many tables until the model is saved, beside it.

        None if they cannot: of other documents, or if a report needs the texts.
        """
        from chronotope.readers.many import are_many_tables

        if self.out is None or self.report is not None or not are_many_tables(source.corpus):
            return None
        return self.out.with_name(f"{self.out.name}.counts")

    def check_link(self, corpus: Corpus) -> None:
        """Refuse a column or template of links that the documents do not have, before the fit."""
        from chronotope.report.links import document_links

        if self.report is not None:
            document_links(corpus, self.link)

    def write_report(self, model: DynamicTopicModel, corpus: Corpus, title: str, quiet: bool) -> None:
        """Write the report, if one is wanted."""
        if self.report is not None:
            make_report(
                model,
                corpus,
                self.report,
                title,
                quiet,
                link=self.link,
                search_documents=self.search_documents,
                dating_page=self.dating_page,
            )

    @property
    def written(self) -> list[str]:
        """The files written by the end."""
        return [str(path) for path in (self.out, self.report) if path is not None]

    def fit(self, model: DynamicTopicModel, corpus: Corpus) -> float:
        """Fit and save; returns the seconds it took. If interrupted, the message says how to resume."""
        checkpoint = self.checkpoint_file
        assert self.out is not None
        assert checkpoint is not None
        if self.force and not self.resume:
            checkpoint.unlink(missing_ok=True)
        from chronotope.display.progress import compiling_shown
        from chronotope.storage.cache import forget_kept

        start = time.perf_counter()
        try:
            with compiling_shown(model.verbose is not False):
                model.set_params(checkpoint=str(checkpoint)).fit(corpus, resume=self.resume)
                if self.dating:
                    note("Learning to date texts", model.verbose is False)
                    model.learn_dating(corpus)
        except KeyboardInterrupt:
            kept = f"The fit so far is in {str(checkpoint)!r}: resume it with the same command and --resume."
            raise KeyboardInterrupt(f"interrupted. {kept if checkpoint.exists() else 'Nothing was saved.'}") from None
        model.save(self.out)
        forget_kept(self.out)  # it was of the model before
        if self.checkpoint is None and not model.diverged_:
            checkpoint.unlink(missing_ok=True)
        return time.perf_counter() - start


def command(
    source: options.CorpusOptions,
    words: options.WordOptions,
    fitting: options.ModelOptions,
    saving: SavingOptions,
    test_size: Annotated[
        float | None, typer.Option(help="Hold out this share of the time stamps, and measure the perplexity there.")
    ] = None,
    split_seed: options.SplitSeed = 0,
    on_disk: Annotated[
        Path | None,
        typer.Option(
            help="New folder for the counts, if they do not fit in memory; other commands take it as a corpus. With "
            "--cluster, counts of several tables are beside the model while it is fitted."
        ),
    ] = None,
    cluster: options.Cluster = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read the corpus, print what a fit would do, and stop.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn topics from dated texts, and save the model.

    ```
    chronotope fit texts.csv --topics 20 --kernel events --out model.ct
    ```

    The columns of texts and dates are guessed, and the guesses are printed; name them with --text and --time.
    With --report this one command leads from a table to a page that opens in a browser. A fit that is interrupted with
    Ctrl-C is resumed with the same command and --resume. With --cluster the workers of a Dask cluster do most of the
    work, to the same result.
    """
    from chronotope.model.covariates import needed_columns

    with sentences(), engine_of(None if dry_run else cluster, quiet) as engine:
        saving.check(dry_run)
        check_distinct(saving.files | {"--on-disk": on_disk}, source.files)
        model = fitting.model(quiet).set_params(engine=engine)
        kept_for_now = saving.counts_folder(source) if engine is not None and on_disk is None else None
        if kept_for_now is not None and kept_for_now.exists() and not saving.resume:
            _leave_unfinished(kept_for_now, saving.force)
        folder = None if dry_run else on_disk or kept_for_now
        columns = None if folder is None else needed_columns(model)
        corpus = _read(source, words, saving, folder, columns, engine, quiet)
        saving.check_link(corpus)
        train, test = _split(corpus, test_size, split_seed)
        if dry_run:
            facts = plan_facts(model, train, cluster is not None) | {"held_out": 0 if test is None else len(test)}
            answer(plan_text(facts, train), facts, json)
            return
        note(f"Fitting {model.n_topics} topics with the kernel {model.kernel}", quiet)
        seconds = saving.fit(model, train)
        note(f"Saved: {saving.out}", quiet)
        scores = {} if test is None else _score(model, test, quiet)
        saving.write_report(model, corpus, source.title, quiet)
        facts = summary(model, corpus, seconds, scores) | {"written": saving.written}
        if kept_for_now is not None:
            shutil.rmtree(kept_for_now, ignore_errors=True)
    answer(summary_text(facts, model.topics_), facts, json)
    for line in next_commands(
        str(saving.out), source.command_line, saving.report is not None, "groups" in (facts["tracks"] or {})
    ):
        note(line, quiet)


def _read(
    source: options.CorpusOptions,
    words: options.WordOptions,
    saving: SavingOptions,
    on_disk: Path | None,
    columns: list[str] | None,
    engine: Any,
    quiet: bool,
) -> Corpus:
    """The corpus, with texts if a report is wanted; a resumed fit finds its counts in the folder given before.

    columns : of the metadata that a corpus on disk keeps
    engine : a client of a cluster, whose workers read the files if their counts are to be on disk; None for none
    """
    if on_disk is not None and on_disk.exists():
        if not saving.resume:
            raise ValueError(f"{str(on_disk)!r} already exists; pass it as the corpus, or a new folder to --on-disk.")
        return read_documents(options.CorpusOptions(str(on_disk)), quiet=quiet)
    keep = saving.report is not None
    given = {} if on_disk is None else {"on_disk": on_disk, "metadata": columns, "engine": engine}
    return read_documents(source, words.preprocessing(), keep_texts=keep, quiet=quiet, **given)


def _leave_unfinished(folder: Path, force: bool) -> None:
    """Delete the counts of a fit that was not finished, if that is asked for."""
    if not force:
        raise ValueError(
            f"{str(folder)!r} is left of an unfinished fit; pass --resume to go on, or --force to start anew."
        )
    shutil.rmtree(folder)


def _split(corpus: Corpus, test_size: float | None, seed: int) -> tuple[Corpus, Corpus | None]:
    """Documents to fit on, and those to hold out."""
    if test_size is None:
        return corpus, None
    train, test = corpus.split_times(test_size, seed)
    if len(test) < 2:
        raise ValueError(f"--test-size {test_size} holds out {len(test)} document; hold out at least 2.")
    return train, test


def _score(model: DynamicTopicModel, test: Corpus, quiet: bool) -> dict[str, Any]:
    """Perplexity of the held-out documents."""
    from chronotope.evaluate import completion_scores, perplexity_with_error

    with working("Measuring the held-out perplexity", quiet):
        value, error = perplexity_with_error(*completion_scores(model, test, model.seed, engine=model.engine))
    return {"held_out": len(test), "perplexity": value, "standard_error": error}
