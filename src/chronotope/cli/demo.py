"""chronotope demo"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.output import answer


def command(
    out: Annotated[Path, typer.Option(help="Folder for the results; created if necessary.")] = Path("demo"),
    topics: Annotated[int, typer.Option(min=1, help="Number of topics.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same results.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="A rough fit in seconds, for a first look.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit the State of the Union addresses since 1790 with three priors, and draw how the words of war changed.

    ```
    chronotope demo --quick
    ```
    """
    with sentences():
        from chronotope.cli.demo_run import run

        facts = run(out, topics, seed, quick, shown=not json, quiet=quiet)
    answer("", facts, json)
