"""What was read, what each step removed, and which words they were."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from chronotope.text.options import Preprocessing, options_from_json, options_to_json

if TYPE_CHECKING:
    import pandas as pd

_COUNTED = ("documents", "words", "tokens")
LISTED = 10_000  # words of each step that are kept in the report, the most frequent first


@dataclass(frozen=True)
class Removed:
    """What one step removed.

    step : its name;  words, tokens, documents : how many were removed
    listed : the 10,000 most frequent of the words, each with its occurrences and the number of documents it is in
    """

    step: str
    words: int = 0
    tokens: int = 0
    documents: int = 0
    listed: tuple[tuple[str, int, int], ...] = field(default=(), compare=False, repr=False)

    @property
    def removed_any(self) -> bool:
        """Whether the step removed anything."""
        return bool(self.words or self.tokens or self.documents)

    def __str__(self) -> str:
        counted = [(getattr(self, what), what) for what in _COUNTED]
        parts = [f"{n:,} {what if n != 1 else what[:-1]}" for n, what in counted if n]
        shown = [word for word, _, _ in self.listed[:5] if word.isprintable()]
        words = f" ({', '.join(shown)}{', ...' if self.words > len(shown) else ''})" if shown else ""
        return f"{self.step}: {', '.join(parts) or 'nothing'}{words}"


class Repeat(NamedTuple):
    """A document that repeats another one: their ids, whether all words are the same, and how similar they are."""

    id: Any
    repeats: Any
    exact: bool
    similarity: float


@dataclass(frozen=True)
class PreprocessingReport:
    """What was read, and what each step removed; `print(report)` shows it, `report[step]` is one step.

    documents, words, tokens : int, how many were read;  removed : what each step removed, in order
    notes : what was decided on the way, one sentence each;  preprocessing : the options, or None
    repeated : documents that repeat another one, in their order; `duplicates` has them as a table
    """

    documents: int
    words: int
    tokens: int
    removed: tuple[Removed, ...]
    notes: tuple[str, ...] = ()
    preprocessing: Preprocessing | None = None
    repeated: tuple[Repeat, ...] = field(default=(), compare=False, repr=False)

    def __getitem__(self, step: str) -> Removed:
        return next((entry for entry in self.removed if entry.step == step), Removed(step))

    def after(self, *earlier: Removed, notes: Iterable[str] = ()) -> PreprocessingReport:
        """The report with earlier steps, whose documents were dropped before their words were counted."""
        documents = self.documents + sum(step.documents for step in earlier)
        return replace(self, documents=documents, removed=(*earlier, *self.removed), notes=(*notes, *self.notes))

    def removed_words(self, step: str | None = None) -> pd.DataFrame:
        """The words that were removed, by all steps or by one, the most frequent of each first.

        step : str, default None for all; such as "stop words"

        Columns: step, word, occurrences, documents. Of every step the 10,000 most frequent words are kept.
        """
        import pandas as pd

        steps = [entry.step for entry in self.removed if entry.listed]
        if step is not None and step not in (entry.step for entry in self.removed):
            raise ValueError(f"step is {step!r}; expected one of {', '.join(map(repr, steps))}.")
        rows = [(entry.step, *row) for entry in self.removed if step in (None, entry.step) for row in entry.listed]
        return pd.DataFrame(rows, columns=["step", "word", "occurrences", "documents"])

    def duplicates(self) -> pd.DataFrame:
        """The documents that repeat another one, exactly or nearly, whether they were kept or dropped.

        Columns: id of the document; repeats, the id of the one that it repeats, the first in time; exact, whether all
        words are the same; similarity, the estimated share of their sequences of three words that both have (Jaccard
        similarity).
        """
        import pandas as pd

        return pd.DataFrame(list(self.repeated), columns=list(Repeat._fields))

    def __str__(self) -> str:
        read = f"read {self.documents:,} documents, {self.words:,} words, {self.tokens:,} tokens"
        left = (getattr(self, what) - sum(getattr(e, what) for e in self.removed) for what in _COUNTED)
        kept = "kept " + ", ".join(f"{n:,} {what}" for n, what in zip(left, _COUNTED, strict=True))
        return "\n".join(
            [*self.notes, read, *(f"  removed {entry}" for entry in self.removed if entry.removed_any), kept]
        )


def report_to_json(report: PreprocessingReport) -> dict[str, Any]:
    """A report as a JSON object."""
    return asdict(report) | {"preprocessing": options_to_json(report.preprocessing)}


def report_from_json(given: dict[str, Any] | None) -> PreprocessingReport | None:
    """The report that `report_to_json` wrote; None for None."""
    if given is None:
        return None
    removed = tuple(
        Removed(**entry | {"listed": tuple((str(word), int(n), int(d)) for word, n, d in entry["listed"])})
        for entry in given["removed"]
    )
    preprocessing = options_from_json(given["preprocessing"])
    repeated = tuple(Repeat(*entry) for entry in given.get("repeated", ()))  # not before 0.2.5
    read = {"removed": removed, "notes": tuple(given["notes"]), "preprocessing": preprocessing, "repeated": repeated}
    return PreprocessingReport(**given | read)
