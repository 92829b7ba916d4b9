"""What a fit writes: the model, on the way a checkpoint, and a report if wanted."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli import inputs
from chronotope.cli.outputs import check_output

if TYPE_CHECKING:
    from chronotope.corpus import Corpus
    from chronotope.model import DynamicTopicModel


@dataclass(frozen=True)
class Saving:
    """Where a fit goes."""

    out: Annotated[Path | None, typer.Option(help="The model file to write.")] = None
    report: Annotated[Path | None, typer.Option(help="Also write a report, one HTML file for a browser.")] = None
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="File to save the fit in every five minutes; beside the model, until it is there, if left out."
        ),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a fit that was interrupted.")] = False
    force: inputs.Force = False

    def check(self, dry_run: bool) -> None:
        """Refuse what cannot be written, before anything is read."""
        if self.out is None and not dry_run:
            raise ValueError("nothing says where to save the model; pass --out model.ct, or --dry-run for a look only.")
        check_output(self.out, self.force)
        check_output(self.report, self.force)
        check_output(self.checkpoint, force=True)  # the library refuses what is no checkpoint of this fit

    @property
    def written(self) -> list[str]:
        """The files there are in the end."""
        return [str(path) for path in (self.out, self.report) if path is not None]

    def fit(self, model: DynamicTopicModel, corpus: Corpus) -> float:
        """Fit and save; returns the seconds it took. If stopped, what was done is kept, and how to go on is said."""
        assert self.out is not None
        stopover = self.checkpoint or self.out.with_name(f"{self.out.name}.checkpoint")
        if self.force and not self.resume:
            stopover.unlink(missing_ok=True)
        start = time.perf_counter()
        try:
            model.set_params(checkpoint=str(stopover)).fit(corpus, resume=self.resume)
        except KeyboardInterrupt:
            kept = f"What was done is in {str(stopover)!r}: go on with the same command and --resume."
            raise KeyboardInterrupt(f"stopped. {kept if stopover.exists() else 'Nothing was saved.'}") from None
        model.save(self.out)
        if self.checkpoint is None:
            stopover.unlink(missing_ok=True)
        return time.perf_counter() - start
