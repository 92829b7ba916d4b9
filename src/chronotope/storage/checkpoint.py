"""Long fits: saved on the way, and resumed to the very result of a fit that was never interrupted."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from chronotope._version import __version__
from chronotope.corpus.corpus import Corpus
from chronotope.inference.documents import Shelf
from chronotope.inference.loop import Progress, Settings, State, Watch
from chronotope.inference.state import pack, unpack
from chronotope.storage.atomic import remove_leftovers, writable_file
from chronotope.storage.digest import as_json, fingerprint, mattering, seal
from chronotope.storage.tensors import Arrays, Header, Kind, damaged, read_header, read_tensors, write_tensors

CHECKPOINT = Kind("checkpoint", "chronotope checkpoint", 1, "fit of a model with checkpoint=...")
MAY_CHANGE = ("max_epochs",)  # between a fit and its resumption
SEALED = ("corpus", "settings", "finished", "state")
ELSE = "Choose another file, or delete this one to start from the beginning."


class Checkpoint:
    """The file in which a fit is saved on the way, if one is wanted.

    found : whether it holds a state to go on from
    """

    def __init__(self, parameters: Mapping[str, Any], corpus: Corpus, resume: bool) -> None:
        """Parameters of the model and its corpus; refuses a file that this fit cannot go on from or would destroy."""
        given = parameters["checkpoint"]
        self.path = None if given is None else os.fspath(given)
        self.seconds = 60.0 * float(parameters["checkpoint_every"])
        self.found, self.failed = False, False
        self.saved: int | None = None  # the step the file is of
        if self.path is not None:
            self._look(self.path, resume)
            self.identity = _identity(parameters, corpus)
        elif resume:
            raise ValueError("resume=True needs a file to go on from; make the model with checkpoint=...")

    def _look(self, path: str, resume: bool) -> None:
        writable_file(path)
        remove_leftovers(path)
        if not os.path.exists(path):
            if resume:
                said = f"there is no checkpoint {path!r} yet: the fit starts from the beginning."
                warnings.warn(said, UserWarning, stacklevel=4)
            return
        with _advice():
            header = read_header(path, CHECKPOINT)
            if not resume and not header.get("finished"):
                raise ValueError(f"{path!r} holds a fit that was interrupted; go on with it by fit(..., resume=True).")
        self.found = resume

    def restore(self, state: State, docs: Shelf, settings: Settings) -> Shelf:
        """Bring a fresh state to what was found, if anything was.  Returns the documents as its kernel places them."""
        if self.path is None or not self.found:
            return docs
        with _advice():
            header, arrays = read_tensors(self.path, CHECKPOINT)
            _check_same(self.path, header, self.identity)
            _fill(self.path, header, arrays, state, len(docs.left), settings)
        self.saved = state.progress.steps
        return docs.placed(state.posterior.structure.kernel, state.posterior.structure.nodes)

    @contextmanager
    def kept(self, state: State, show: Watch) -> Iterator[Watch]:
        """What a fit is to call after every step: `show`, and a save when it is time, on Ctrl-C and in the end."""
        if self.path is None:
            yield show
            return
        due = time.monotonic() + self.seconds

        def watch(progress: Progress) -> None:
            nonlocal due
            show(progress)
            if stop():
                self._save(state)
                raise KeyboardInterrupt
            if time.monotonic() >= due:
                self._save(state)
                due = time.monotonic() + self.seconds

        with _patient() as stop:
            try:
                yield watch
            except KeyboardInterrupt:
                raise KeyboardInterrupt(self._how_to_go_on(state.progress.steps)) from None
            self._save(state, finished=True)
        if stop():
            raise KeyboardInterrupt(self._how_to_go_on(state.progress.steps))

    def _save(self, state: State, finished: bool = False) -> None:
        """Replace the file, whole or not at all; if it cannot be written, say so once and let the fit go on."""
        assert self.path is not None
        arrays, numbers = pack(state)
        content = self.identity | {"finished": finished, "state": numbers}
        try:
            write_tensors(self.path, CHECKPOINT, content | {"seal": seal(content, arrays)}, arrays)
            self.saved = state.progress.steps
        except OSError as error:
            if not self.failed:
                kept = "" if self.saved is None else f" It still holds step {self.saved:,}."
                warnings.warn(f"the checkpoint is not saved: {error}{kept} The fit goes on.", UserWarning, stacklevel=2)
            self.failed = True

    def _how_to_go_on(self, step: int) -> str:
        if self.saved is None:
            return f"stopped after step {step:,}; there is no checkpoint yet."
        return (
            f"stopped after step {step:,}; {self.path!r} holds step {self.saved:,}. "
            "Go on from there by fit(..., resume=True), with the same documents and parameters."
        )


@contextmanager
def _patient() -> Iterator[Callable[[], bool]]:
    """Ctrl-C waits for the end of a step, a second one does not; gives a function that tells if it was pressed."""
    pressed: list[int] = []

    def note(number: int, frame: object) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            raise KeyboardInterrupt
        with suppress(OSError):  # nobody may be there to read it
            os.write(2, b"\nstopping after this step, to save it; press Ctrl-C again to stop at once\n")

    in_charge = threading.current_thread() is threading.main_thread()
    if not in_charge or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: bool(pressed)
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _identity(parameters: Mapping[str, Any], corpus: Corpus) -> dict[str, Any]:
    """What must be the same for a fit to go on."""
    settings = as_json(mattering(parameters, corpus.span))
    kept = {name: value for name, value in settings.items() if name not in MAY_CHANGE}
    return {"corpus": fingerprint(corpus), "settings": kept}


def _check_same(path: str, header: Header, identity: dict[str, Any]) -> None:
    """Refuse the checkpoint of another fit."""
    if header.get("version") != __version__:
        raise ValueError(f"{path!r} is of Chronotope {header.get('version')}; this is {__version__}.")
    if header.get("corpus") != identity["corpus"]:
        raise ValueError(f"{path!r} is of a fit to other documents, times or words.")
    before, now = header.get("settings"), identity["settings"]
    if before != now:
        names = sorted(name for name in now if not isinstance(before, dict) or before.get(name) != now[name])
        raise ValueError(f"{path!r} is of a fit with another {', '.join(names)}; pass the same to go on.")


def _fill(path: str, header: Header, arrays: Arrays, state: State, D: int, settings: Settings) -> None:
    """Bring a fresh state to what was read; refuse what is damaged, or further than this fit is to go."""
    try:
        if header["seal"] != seal({name: header[name] for name in SEALED}, arrays):
            raise ValueError("its content has changed since it was written")
        unpack(arrays, header["state"], state, D, settings.batch_size >= D)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise damaged(path, CHECKPOINT, f"{type(error).__name__}: {error}") from None
    passes = -(-state.progress.documents // D)
    if passes > settings.epochs:
        raise ValueError(f"{path!r} is in pass {passes}, but max_epochs is {settings.epochs}; raise it.")


@contextmanager
def _advice() -> Iterator[None]:
    """Errors about the file end in what else can be done."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{error} {ELSE}") from None
