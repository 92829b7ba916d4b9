"""Every command that the guides and the help show is understood as it stands."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from chronotope.cli import app
from chronotope.cli.app import HELP

ROOT = Path(__file__).resolve().parents[2]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def examples():
    found = [line for path in GUIDES for line in path.read_text(encoding="utf-8").splitlines()]
    found += [re.split(r"\s{3,}", line)[0] for line in HELP.splitlines()]
    found += [line for command in app.registered_commands for line in (command.callback.__doc__ or "").splitlines()]
    return sorted({line.strip() for line in found if re.match(r"\s*chronotope [a-z]+ .*", line)})


def test_there_are_examples_of_every_command():
    shown = {line.split()[1] for line in examples()}
    assert shown >= {command.name for command in app.registered_commands} - {"info"}


@pytest.mark.parametrize("line", examples())
def test_an_example_is_understood(line):
    name, *arguments = shlex.split(line.partition(" > ")[0], comments=True)[1:]
    typer.main.get_command(app).commands[name].make_context(name, arguments)
