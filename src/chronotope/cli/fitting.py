"""Options of a fit: which words count, and what the model is."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import inputs

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel
    from chronotope.text import Preprocessing

WORDS = "Words"  # panel of the help


@dataclass(frozen=True)
class Words:
    """Which words and documents to keep; what is left out is left to the corpus."""

    stop_words: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=WORDS,
            help='A language or several ("de, fr"), auto, none, or a file of one word a line; english if left out.',
        ),
    ] = None
    tokenizer: Annotated[
        str | None, typer.Option(rich_help_panel=WORDS, help="words, or pairs of characters for Chinese and Japanese.")
    ] = None
    token_pattern: Annotated[
        str | None, typer.Option(rich_help_panel=WORDS, help="What a word is, as a regular expression.")
    ] = None
    lowercase: Annotated[
        bool | None, typer.Option("--lowercase/--keep-case", rich_help_panel=WORDS, help="Whether War is war.")
    ] = None
    lemmatize: Annotated[
        str | None, typer.Option(rich_help_panel=WORDS, help="Language whose forms are made one: wars is war.")
    ] = None
    phrases: Annotated[
        bool | None, typer.Option("--phrases", rich_help_panel=WORDS, help="Join words that belong together.")
    ] = None
    min_count: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=WORDS, help="Fewest occurrences of a word.")
    ] = None
    min_documents: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=WORDS, help="Fewest documents a word is in.")
    ] = None
    max_document_share: Annotated[
        float | None, typer.Option(rich_help_panel=WORDS, help="Largest share of the documents a word may be in.")
    ] = None
    max_vocabulary: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=WORDS, help="Most words to keep, 10,000 if left out.")
    ] = None
    min_document_words: Annotated[
        int | None, typer.Option(min=0, rich_help_panel=WORDS, help="Fewest words of a document.")
    ] = None

    def preprocessing(self) -> Preprocessing | None:
        """As the library has it; None where nothing was said."""
        from chronotope.text import Preprocessing

        given: dict[str, Any] = {name: value for name, value in vars(self).items() if value is not None}
        if self.stop_words is not None:
            given["stop_words"] = _stop_words(self.stop_words)
        return Preprocessing(**given) if given else None


@dataclass(frozen=True)
class Fitting:
    """What the model is, and how it is fitted."""

    n_topics: Annotated[
        int, typer.Option("--topics", min=1, rich_help_panel=inputs.MODEL, help="Number of topics.")
    ] = 20
    kernel: inputs.KernelText = None
    learn_kernel: Annotated[
        bool,
        typer.Option("--learn-kernel", rich_help_panel=inputs.MODEL, help="Learn the kernel's numbers in the fit."),
    ] = False
    alpha: Annotated[
        str | None,
        typer.Option(rich_help_panel=inputs.MODEL, help='Few topics a document (0.01) or many (1), or "learn".'),
    ] = None
    seed_words: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=inputs.MODEL,
            help='Words for a topic to start from, as "war, army"; may be given several times, a topic each.',
        ),
    ] = None
    max_epochs: Annotated[
        int | None,
        typer.Option("--epochs", min=1, rich_help_panel=inputs.MODEL, help="Most passes over the documents."),
    ] = None
    batch_size: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=inputs.MODEL, help="Documents of a step.")
    ] = None
    n_inducing: Annotated[
        int | None, typer.Option("--nodes", min=1, rich_help_panel=inputs.MODEL, help="Nodes of the time grid.")
    ] = None
    seed: Annotated[
        int, typer.Option(min=0, rich_help_panel=inputs.MODEL, help="The same seed gives the same model.")
    ] = 0
    n_threads: Annotated[
        int | None,
        typer.Option("--threads", min=1, rich_help_panel=inputs.MODEL, help="Threads; all cores if left out."),
    ] = None

    def model(self, **more: Any) -> DynamicTopicModel:
        """The model, not fitted yet; what was left out is left to the model."""
        from chronotope.kernels import as_kernel
        from chronotope.model import DynamicTopicModel

        options = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.alpha is not None and self.alpha != "learn":
            options["alpha"] = inputs.number(self.alpha)
        options["seed_words"] = [inputs.words(text) for text in self.seed_words or []] or None
        model = DynamicTopicModel(**{name: value for name, value in (options | more).items() if value is not None})
        as_kernel(model.kernel)  # refused before anything is read
        model._check_parameters()
        return model


def _stop_words(given: str) -> str | list[str] | None:
    """Words of a file, or what the library makes of it."""
    path = Path(given)
    if path.is_file():
        return [word for line in path.read_text(encoding="utf-8").splitlines() if (word := line.strip())]
    return None if given == "none" else given
