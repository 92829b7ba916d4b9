"""The command line. Heavy modules are imported inside the commands, so that --help is quick."""

from chronotope.cli.app import app, main
from chronotope.cli.compare import compare
from chronotope.cli.demo import demo
from chronotope.cli.evaluate import evaluate
from chronotope.cli.info import info
from chronotope.cli.plot import plot

for command in (demo, evaluate, compare, plot, info):
    app.command()(command)

__all__ = ["app", "main"]
