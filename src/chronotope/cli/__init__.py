"""The command line. Heavy modules are imported inside the commands, so that --help is quick."""

from collections.abc import Callable

from chronotope.cli import (
    compare,
    compile,
    contrast,
    date,
    demo,
    evaluate,
    events,
    fit,
    forecast,
    infer,
    info,
    plot,
    report,
    topics,
)
from chronotope.cli.app import app, bundled, main

COMMANDS: dict[str, Callable[..., None]] = {  # in the order of the help
    "fit": fit.command,
    "topics": topics.command,
    "contrast": contrast.command,
    "events": events.command,
    "forecast": forecast.command,
    "infer": infer.command,
    "date": date.command,
    "report": report.command,
    "plot": plot.command,
    "evaluate": evaluate.command,
    "compare": compare.command,
    "info": info.command,
    "compile": compile.command,
    "demo": demo.command,
}
for _name, _command in COMMANDS.items():
    app.command(_name)(bundled(_command))

__all__ = ["app", "main"]
