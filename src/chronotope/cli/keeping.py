"""What commands keep beside a model, in model.ct.cache, for the next one; trouble with it is noted, never an error."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from chronotope.cli.options import SOTU, STDIN, CorpusOptions
from chronotope.cli.output import note

if TYPE_CHECKING:
    from chronotope.storage.cache import Slot
    from chronotope.storage.tensors import Arrays, Header

T = TypeVar("T")

DECIDING = (  # packages by which texts are read, split into words and inferred
    "numpy",
    "scipy",
    "numba",
    "pandas",
    "edtf",
    "scikit-learn",
    "stopwordsiso",
    "charset-normalizer",
    "simplemma",
    "pyarrow",
    "python-calamine",
    "sotu",
)
BROKEN = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, OSError)


class Keeping:
    """What is kept of one corpus beside a model, or nothing.

    slot : where, None to keep nothing;  quiet : whether notes are left out
    """

    def __init__(self, slot: Slot | None, quiet: bool) -> None:
        self.slot, self.quiet = slot, quiet

    @property
    def place(self) -> str:
        """The name of the folder."""
        return "" if self.slot is None else self.slot.folder.parent.name

    @property
    def source_bytes(self) -> float:
        """Size of the files that documents are read from, infinite if nothing is kept."""
        if self.slot is None:
            return float("inf")
        return sum(state[0] for name, state in self.slot.fingerprints.states.items() if name != "model")

    def find(self, part: str, unpack: Callable[[Header, Arrays], T], arguments: Header | None = None) -> T | None:
        """A part, None if it is not kept, or is damaged, which is noted.

        unpack : makes it of content and arrays;  arguments : what else was asked for
        """
        if self.slot is None:
            return None
        try:
            found = self.slot.read(part, arguments)
            return None if found is None else unpack(*found)
        except BROKEN as error:
            note(f"  {self.place} was not used: {error}", self.quiet)
            return None

    def keep(self, part: str, pack: Callable[[], tuple[Header, Arrays]], arguments: Header | None = None) -> int:
        """Keep a part, if that is possible; returns its bytes, 0 if not.   pack : gives content and arrays."""
        if self.slot is None:
            return 0
        try:
            content, arrays = pack()
            kept = self.slot.write(part, content, arrays, arguments)
            return sum(array.nbytes for array in arrays.values()) if kept else 0
        except (OSError, ValueError) as error:
            note(f"  not kept in {self.place} for the next command: {error}", self.quiet)
            if isinstance(error, OSError):
                self.slot = None  # there is no room for anything else either
            return 0


def keeping_for(model: Path, state: Any, source: CorpusOptions, quiet: bool, corpus: str | None = None) -> Keeping:
    """What is kept of a corpus beside a model.

    state : of the model file before it was loaded;  corpus : digest of the documents, if files do not decide them
    """
    from chronotope.storage.cache import Slot

    try:
        read_from = _files_of(source)
        if source.corpus == STDIN or (read_from is None and corpus is None):
            return Keeping(None, quiet)
        files, noted = ([], []) if read_from is None else read_from
        asked = {"corpus": _full_name(source), **source.reading, **source.window}
        asked |= {"table": str(source.table.absolute())} if source.table else {}
        others = {"versions": _versions(), "noted": noted, "documents": corpus}
        slot = Slot(model, asked, Path(source.corpus).name, others, {str(path): path for path in files})
    except (OSError, ValueError):  # reading says what is wrong
        return Keeping(None, quiet)
    return Keeping(slot if slot.fingerprints.states["model"] == state else None, quiet)


def _files_of(source: CorpusOptions) -> tuple[list[Path], list[str]] | None:
    """The files that decide what is read; None if others do, as with a Git history or standard input."""
    from chronotope.readers.files import source_files

    if source.corpus in (SOTU, STDIN):
        return None if source.corpus == STDIN else ([], [])
    return source_files(source.corpus, source.format, source.table, bool(source.follow_links))


def _full_name(source: CorpusOptions) -> str:
    return SOTU if source.corpus == SOTU else str(Path(source.corpus).expanduser().absolute())


def _versions() -> dict[str, str | None]:
    """Versions of what decides the result."""
    from chronotope._version import __version__

    return {"chronotope": __version__, "python": platform.python_version()} | {
        name: _version(name) for name in DECIDING
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
