"""chronotope report"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.documents import ModelDocuments, load_saved, read_for
from chronotope.cli.io import check_distinct, check_output
from chronotope.cli.output import answer, note, verbosity

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

LEVEL, DOCUMENTS = 0.9, 3  # of the page, see `write_report`


def command(
    model: options.ModelPath,
    source: options.CorpusOptions,
    out: Annotated[Path, typer.Option(help="The page to write, one HTML file.")] = Path("report.html"),
    title: Annotated[
        str | None, typer.Option(help="Heading of the page; by default it names the file of texts.")
    ] = None,
    link: options.SourceLink = None,
    search_documents: options.SearchDocuments = None,
    dating_page: options.DatingPage = False,
    no_cache: options.NoCache = False,
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
        from chronotope.model.dating import check_dating
        from chronotope.report.write import write_page

        check_output(out, force)
        check_distinct({"--out": out}, {"the model": model} | source.files)
        saved = load_saved(model, quiet)
        if dating_page:
            check_dating(saved.model)
        found = read_for(saved, source, keep_texts=True, no_cache=no_cache, quiet=quiet)
        heading = source.title if title is None else title
        data = _page_data(found, link, search_documents, dating_page, quiet) | {"title": heading}
        write_page(data, out)
    note(f"Written: {out}", quiet)
    _note_sizes(data, out, quiet)
    answer("", {"written": [str(out)]}, json)


def _page_data(
    found: ModelDocuments, link: str | None, search_documents: int | None, dating_page: bool, quiet: bool
) -> dict[str, Any]:
    """The data of the page, without its title; kept for another report of the same documents."""
    from chronotope.report.collect import report_data, wanted_documents
    from chronotope.report.survey import Known
    from chronotope.storage.digest import as_json
    from chronotope.storage.packing import pack_json, unpack_json

    wanted = wanted_documents(found.corpus, DOCUMENTS, search_documents, link, dating_page)
    asked = {"level": LEVEL, "n_documents": DOCUMENTS, "search_documents": wanted.search_documents, "link": link}
    asked |= {"dating_page": dating_page}
    data: dict[str, Any] | None = found.keeping.find(
        "report", lambda content, arrays: unpack_json(arrays["data"]), asked
    )
    if data is None:
        known = Known(found.shares(), found.events(level=LEVEL))
        note("Writing the report", quiet)
        data = new = as_json(report_data(found.model, found.corpus, "", LEVEL, wanted, verbosity(quiet), known))
        found.keeping.keep("report", lambda: ({}, {"data": pack_json(new)}), asked)
    return data


def _note_sizes(data: dict[str, Any], path: Path, quiet: bool) -> None:
    """Say how large a page that dates texts is, if there is one.   data : of the report"""
    from chronotope.report.dating import dating_bytes

    n_bytes = dating_bytes(data)
    if n_bytes:
        whole = path.stat().st_size
        note(f"  {n_bytes / 1e6:.2g} of its {whole / 1e6:.1f} MB are for the page that dates texts", quiet)


def make_report(
    model: DynamicTopicModel,
    corpus: Corpus,
    path: Path,
    title: str,
    quiet: bool,
    *,
    link: str | None,
    search_documents: int | None,
    dating_page: bool,
) -> None:
    """Write the page."""
    from chronotope.report.collect import report_data, wanted_documents
    from chronotope.report.write import write_page

    note("Writing the report", quiet)
    wanted = wanted_documents(corpus, DOCUMENTS, search_documents, link, dating_page)
    data = report_data(model, corpus, title, LEVEL, wanted, verbosity(quiet))
    write_page(data, path)
    _note_sizes(data, path, quiet)
