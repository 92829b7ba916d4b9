"""chronotope info"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.output import answer

NOTHING = "there is nothing to describe; pass a model file, or --kernels to list the kernels."


def command(
    model: Annotated[Path | None, typer.Argument(help="A model file, as chronotope fit writes it.")] = None,
    kernels: Annotated[
        bool, typer.Option("--kernels", help="List the kernels, and what each of them assumes.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Describe a saved model, or list the kernels."""
    with sentences():
        if model is None and not kernels:
            raise ValueError(NOTHING)
        facts = {**({} if model is None else _model_facts(model)), **({} if not kernels else _kernel_facts())}
    width = max(map(len, facts)) + 2
    answer("\n".join(f"{name:<{width}}{fact}" for name, fact in facts.items()), facts, json)


def _model_facts(path: Path) -> dict[str, str]:
    from chronotope.display.describe import describe_model
    from chronotope.model import load
    from chronotope.storage.model_file import file_version

    return describe_model(load(path)) | {"written by": f"Chronotope {file_version(path)}"}


def _kernel_facts() -> dict[str, str]:
    """Kernels by question first, then by name with their parameters."""
    from dataclasses import fields

    from chronotope.display.describe import NAMES
    from chronotope.kernels.presets import PRESETS
    from chronotope.kernels.registry import BUILT_IN

    formulas = {}
    for name, assumed in NAMES.items():
        kind, preset = BUILT_IN[name]
        parameters = ", ".join(field.name for field in fields(kind) if field.name not in preset)
        formulas[f"{name}({parameters})"] = assumed
    return {f'"{question}"': meaning for question, meaning in PRESETS.items()} | formulas
