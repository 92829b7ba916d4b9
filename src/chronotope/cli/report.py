"""chronotope report"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.io import check_output, read_for
from chronotope.cli.output import answer, note, verbosity

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel


def command(
    model: options.ModelPath,
    source: options.CorpusOptions,
    out: Annotated[Path, typer.Option(help="The page to write, one HTML file.")] = Path("report.html"),
    title: Annotated[
        str | None, typer.Option(help="Heading of the page; by default it names the file of texts.")
    ] = None,
    link: options.SourceLink = None,
    search_documents: options.SearchDocuments = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a report of a saved model: one HTML file that opens in a browser, also offline.

    ```
    chronotope report model.ct texts.csv --out report.html
    ```
    """
    with sentences():
        from chronotope.model.persistence import load

        check_output(out, force)
        learned = load(model)
        corpus = read_for(learned, source, keep_texts=True, quiet=quiet).corpus
        heading = source.title if title is None else title
        make_report(learned, corpus, out, heading, quiet, link=link, search_documents=search_documents)
    note(f"Written: {out}", quiet)
    answer("", {"written": [str(out)]}, json)


def make_report(
    model: DynamicTopicModel,
    corpus: Corpus,
    path: Path,
    title: str,
    quiet: bool,
    *,
    link: str | None,
    search_documents: int | None,
) -> None:
    """Write the page."""
    from chronotope.report import write_report

    note("Writing the report", quiet)
    write_report(
        model, corpus, path, title=title, link=link, search_documents=search_documents, verbose=verbosity(quiet)
    )
