"""A report is one HTML file that contains the page, its script and style, and the data."""

from __future__ import annotations

import base64
import hashlib
import html
import logging
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from chronotope._typing import Floats, PathLike
from chronotope._version import __version__
from chronotope.model.dating import check_dating
from chronotope.report.collect import report_data, wanted_documents
from chronotope.report.dating import dating_bytes
from chronotope.report.encode import json_for_html
from chronotope.report.survey import Known
from chronotope.storage.atomic import replacing, writable_file

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

logger = logging.getLogger(__name__)

SCRIPTS = (
    "data",
    "dom",
    "download",
    "chart",
    "stack",
    "overview",
    "groups",
    "differences",
    "topic",
    "words",
    "wording",
    "parting",
    "places",
    "map",
    "dates",
    "documents",
    "remarks",
    "search",
    "stored",
    "ranking",
    "passage",
    "finding",
    "dated",
    "tokens",
    "posterior",
    "dating",
    "about",
    "main",
)
STYLES = ("chart", "style")
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def write_report(
    model: DynamicTopicModel,
    corpus: Corpus,
    path: PathLike,
    *,
    title: str = "Topics over time",
    level: float = 0.9,
    n_documents: int = 3,
    search_documents: int | None = None,
    link: str | None = None,
    dating: bool = False,
    shares: Floats | None = None,
    events: pd.DataFrame | None = None,
    verbose: bool | None = None,
) -> Path:
    """Write a report of a fitted model on a corpus: one HTML file that opens in any browser, also offline.

    model : DynamicTopicModel, fitted
    corpus : Corpus, the documents to report on, with the model's vocabulary; texts are shown if it has them
    path : str or path, the file to write; an existing file is replaced
    title : str, default "Topics over time", heading of the page
    level : float, default 0.9, posterior probability of the bands
    n_documents : int, default 3, documents shown for each topic and period, with excerpts; 0 to show none
    search_documents : int, default None for 10,000, or for 0 if n_documents is 0; maximum number of documents that can
        be searched; their texts are in the file. Of a larger corpus some are drawn evenly over time. 0 for no search
    link : str, default None to find it; column of the metadata that holds addresses (http or https) of the documents'
        sources, or a template with columns in braces, such as "https://archive.example/{id}"
    dating : bool, default False; whether there is a page that dates texts which its readers put in, by their words,
        after `learn_dating`. It takes up to 0.25 MB of the file for every 1,000 words of the vocabulary
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again
    events : DataFrame, default None; the result of find_events(model, corpus, level=level), likewise
    verbose : bool or None, default None, whether to show progress; None if stderr is a terminal or in a notebook

    The file is written atomically. Returns its path.
    """
    target = writable_file(path)
    check_is_fitted(model, "topics_")
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.9.")
    wanted = wanted_documents(corpus, n_documents, search_documents, link, dating)
    if dating:
        check_dating(model)
    data = report_data(model, corpus, title, level, wanted, verbose, Known(shares, events))
    write_page(data, target)
    logger.info("report written: %s, %d topics, %d documents", target, model.topics_.n_topics, len(corpus))
    if dating:
        logger.info("its page that dates texts takes %.2g MB", dating_bytes(data) / 1e6)
    return target


def write_page(data: dict[str, Any], path: PathLike) -> None:
    """Write the page with the data of a report, see `report_data`, atomically."""
    page = fill_page(data["title"], json_for_html(data))
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


def fill_page(title: str, data: str) -> str:
    """The page with its parts; a content security policy allows this script and this style, and no other source."""
    script = "(() => {\n" + '"use strict";\n' + _parts(SCRIPTS, "js") + "})();\n"
    style = _parts(STYLES, "css")
    return Template(_part("page.html")).substitute(
        title=html.escape(title),
        version=__version__,
        policy=POLICY.format(script=_digest(script), style=_digest(style)),
        style=style,
        script=script,
        data=data,
    )


def _parts(names: tuple[str, ...], ending: str) -> str:
    return "".join(_part(f"{name}.{ending}") for name in names)


def _part(name: str) -> str:
    return files("chronotope.report").joinpath("page", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
