"""The command line. Heavy modules are imported inside the commands, so that --help is quick."""

from chronotope.cli.app import app, main
from chronotope.cli.compare import compare
from chronotope.cli.demo import demo
from chronotope.cli.evaluate import evaluate
from chronotope.cli.events import events
from chronotope.cli.fit import fit
from chronotope.cli.forecast import forecast
from chronotope.cli.infer import infer
from chronotope.cli.info import info
from chronotope.cli.options import bundled
from chronotope.cli.plot import plot
from chronotope.cli.report import report
from chronotope.cli.topics import topics

for command in (fit, topics, events, forecast, infer, report, plot, evaluate, compare, info, demo):
    app.command()(bundled(command))

__all__ = ["app", "main"]
