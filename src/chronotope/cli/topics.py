"""chronotope topics"""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli import inputs
from chronotope.cli.app import sentences
from chronotope.cli.known import read_for
from chronotope.cli.outputs import TableOut, check_table, write
from chronotope.cli.screen import answer
from chronotope.cli.topic_tables import Asked, Show, make_table, table_text

NO_DOCUMENTS = "--show {show} is about words, so the corpus has no part in it; leave {corpus!r} out."


def topics(
    model: inputs.ModelPath,
    source: inputs.MaybeSource,
    show: Annotated[
        Show,
        typer.Option(
            help="overview: words then and now; words: at the times of --at or --periods; curves: of single words, "
            "with bands; shares: how much of the text a topic holds; documents: those that show it best.",
        ),
    ] = Show.overview,
    topic: Annotated[list[int] | None, typer.Option(help="Only this topic; may be given several times.")] = None,
    words: Annotated[int, typer.Option(min=1, help="How many words of a topic.")] = 8,
    word: Annotated[str | None, typer.Option(help="Which words, with commas between; for curves.")] = None,
    at: inputs.At = None,
    periods: inputs.Periods = None,
    by: Annotated[
        str | None, typer.Option(help="Column of the corpus whose groups are told apart; for shares.")
    ] = None,
    documents: Annotated[int, typer.Option(min=1, help="How many documents of a topic in a period.")] = 3,
    out: TableOut = None,
    force: inputs.Force = False,
    json: inputs.Json = False,
    quiet: inputs.Quiet = False,
) -> None:
    """Show the topics of a saved model: their words, how these changed, how much of the text they hold.

    ```
    chronotope topics model.ct
    chronotope topics model.ct --show words --at 1900,1950,2000 --words 15
    chronotope topics model.ct --show curves --topic 3 --word war,peace --out curves.csv
    chronotope topics model.ct texts.csv --show shares --periods decade --by party --out shares.csv
    ```

    Shares and documents are about documents, so they need the corpus after the model.
    """
    with sentences():
        from chronotope.io import load

        check_table(out, force)
        if source.corpus and show not in (Show.shares, Show.documents):
            raise ValueError(NO_DOCUMENTS.format(show=show.value, corpus=source.corpus))
        if by is not None and show != Show.shares:
            raise ValueError(f"--by tells groups of documents apart in shares; pass --show shares, not {show.value}.")
        asked = Asked(
            topics=topic or [],
            n_words=words,
            words=inputs.words(word or ""),
            times=inputs.words(at) if at else None,
            periods=inputs.number(periods) if periods else None,
            n_documents=documents,
            by=by,
        )
        learned = load(model)
        corpus = read_for(learned, source, keep_texts=True, quiet=quiet).corpus if source.corpus else None
        table = make_table(learned, corpus, show, asked)
        written = write(table, out, quiet)
        text = "" if written else table_text(table, show, learned.topics_)
    answer(text, {"show": show.value, "rows": table, "written": written}, json)
