"""chronotope info"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.app import sentences


def info(model: Annotated[Path, typer.Argument(help="A model file, as model.save() writes it.")]) -> None:
    """Say what a saved model is."""
    with sentences():
        from chronotope.describe import describe_model, file_version
        from chronotope.io import load

        facts = describe_model(load(model)) | {"written by": f"Chronotope {file_version(model)}"}
    for name, fact in facts.items():
        typer.echo(f"{name:<12}{fact}")
