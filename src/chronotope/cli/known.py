"""A saved model, and documents counted with its words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chronotope.cli import inputs
from chronotope.cli.screen import note

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel
    from chronotope.prepared import Prepared


def read_for(model: DynamicTopicModel, source: inputs.Source, *, keep_texts: bool = False, quiet: bool) -> Prepared:
    """The documents of a source, prepared as the model's own were; words it does not know are counted and said."""
    from chronotope.prepared import preparation, prepare
    from chronotope.readers.choose import holds_ready_counts

    ready = holds_ready_counts(Path(source.corpus))
    found = inputs.read(source, None if ready else preparation(model), keep_texts=keep_texts, quiet=quiet)
    if not ready and model.preprocessing_ is None:
        note("  the model was made of ready counts; its words are taken to be runs of three or more letters", quiet)
    prepared = prepare(found, model)
    note(f"  {prepared.known_share:.0%} of the tokens are words of the model", quiet)
    return prepared
