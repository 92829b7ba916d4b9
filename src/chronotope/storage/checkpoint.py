"""Checkpoints: a long fit saved on the way, and resumed to the result of a fit that was never interrupted."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from chronotope._typing import PathLike
from chronotope._version import SAME_RESULTS_SINCE, __version__
from chronotope.storage.atomic import writable_file
from chronotope.storage.leftovers import remove_leftovers
from chronotope.storage.tensors import Arrays, Header, Kind, damaged, read_header, read_tensors, write_tensors

CHECKPOINT = Kind("checkpoint", "chronotope checkpoint", 2, "fit of a model with checkpoint=...", also=(1,), sealed=2)
NONE = "The fit has no checkpoint; pass checkpoint= to keep what is done."
ELSE = "Choose another file, or delete this one to start from the beginning."

Numbers = dict[str, Any]
Pack = Callable[[], tuple[Arrays, Numbers]]  # arrays and numbers of the state as it is
Watch = Callable[[Any], None]  # called after every step, with the progress so far


class OtherFit(ValueError):
    """A checkpoint is intact, but this fit cannot continue from it."""


class Checkpoint:
    """The file in which a fit is saved on the way, if one is wanted.

    found : whether there is a state to continue from;  saved : the step that the file holds, None if there is none
    """

    def __init__(
        self, path: PathLike | None, minutes: float, identity: Callable[[], dict[str, Any]], resume: bool
    ) -> None:
        """Refuse a file that this fit cannot continue from, or would destroy.

        path : the file, None for no checkpoint;  minutes : between two saves, 0 for after every step
        identity : gives "corpus" and "settings", which must be the same for a fit to continue
        resume : whether to continue from the file
        """
        self.path = None if path is None else os.fspath(path)
        self.seconds = 60.0 * float(minutes)
        self.found, self.failed = False, False
        self.saved: int | None = None
        if self.path is not None:
            self._find(self.path, resume)
            self.identity = identity()
        elif resume:
            raise ValueError("resume=True needs a file to continue from; make the model with checkpoint=...")

    def _find(self, path: str, resume: bool) -> None:
        writable_file(path)
        remove_leftovers(path)
        if not os.path.exists(path):
            if resume:
                said = f"there is no checkpoint {path!r} yet: the fit starts from the beginning."
                warnings.warn(said, UserWarning, stacklevel=5)
            return
        with _advice():
            header = read_header(path, CHECKPOINT)
            if not resume and not header.get("finished"):
                raise ValueError(f"{path!r} holds a fit that was interrupted; resume it by fit(..., resume=True).")
        self.found = resume

    def restore(self, unpack: Callable[[Arrays, Numbers], None]) -> bool:
        """Read the state that was found, if any, into `unpack`; returns whether there was one."""
        if self.path is None or not self.found:
            return False
        with _advice():
            header, arrays = read_tensors(self.path, CHECKPOINT)
            _check_same(self.path, header, self.identity)
            try:
                unpack(arrays, header["state"])
            except OtherFit:
                raise
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
                raise damaged(self.path, CHECKPOINT, f"{type(error).__name__}: {error}") from None
        self.saved = int(header["state"]["steps"])
        return True

    @contextmanager
    def kept(self, pack: Pack, show: Watch) -> Iterator[Watch]:
        """What a fit calls after every step: `show`, and a save when it is due, on Ctrl-C and at the end."""
        if self.path is None:
            yield show
            return
        due, done = time.monotonic() + self.seconds, self.saved or 0

        def watch(progress: Any) -> None:
            nonlocal due, done
            show(progress)
            done = progress.steps
            if stop():
                self._save(pack)
                raise KeyboardInterrupt
            if time.monotonic() >= due:
                self._save(pack)
                due = time.monotonic() + self.seconds

        with _patient() as stop:
            try:
                yield watch
            except KeyboardInterrupt:
                raise KeyboardInterrupt(self._how_to_resume(done)) from None
            self._save(pack, finished=True)
        if stop():
            raise KeyboardInterrupt(self._how_to_resume(done))

    def save_now(self, pack: Pack) -> str:
        """Save the state as it is, if a checkpoint is wanted; returns a sentence that says how to resume it."""
        if self.path is None:
            return NONE
        arrays, numbers = pack()
        if numbers["steps"]:
            self._save(lambda: (arrays, numbers))
        said = self._how_to_resume(int(numbers["steps"]))
        return said[0].upper() + said[1:]

    def how_to_finish(self) -> str:
        """A sentence that says how a fit goes on whose steps are done and saved, if a checkpoint is wanted."""
        if self.path is None:
            return NONE
        return f"All steps are done, and {self.path!r} holds them: finish the fit by fit(..., resume=True)."

    def _save(self, pack: Pack, finished: bool = False) -> None:
        """Replace the file atomically; if it cannot be written, say so once and let the fit continue."""
        assert self.path is not None
        arrays, numbers = pack()
        content = self.identity | {"finished": finished, "state": numbers}
        try:
            write_tensors(self.path, CHECKPOINT, content, arrays)
            self.saved = int(numbers["steps"])
        except OSError as error:
            if not self.failed:
                kept = "" if self.saved is None else f" It still holds step {self.saved:,}."
                warnings.warn(
                    f"the checkpoint is not saved: {error}{kept} The fit continues.", UserWarning, stacklevel=2
                )
            self.failed = True

    def _how_to_resume(self, step: int) -> str:
        if self.saved is None:
            return f"stopped after step {step:,}; there is no checkpoint yet."
        return (
            f"stopped after step {step:,}; {self.path!r} holds step {self.saved:,}. "
            "Resume it by fit(..., resume=True), with the same documents and parameters."
        )


@contextmanager
def _patient() -> Iterator[Callable[[], bool]]:
    """Ctrl-C waits for the end of a step, a second one does not; gives a function that tells if it was pressed."""
    pressed: list[int] = []

    def note(number: int, frame: object) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            raise KeyboardInterrupt
        with suppress(OSError):  # stderr may be closed
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


def _check_same(path: str, header: Header, identity: dict[str, Any]) -> None:
    """Refuse the checkpoint of another fit."""
    if not _same_results(header.get("version")):
        raise ValueError(f"{path!r} is of Chronotope {header.get('version')}; this is {__version__}.")
    if header.get("corpus") != identity["corpus"]:
        raise ValueError(f"{path!r} is of a fit to other documents, times, words or groups.")
    before, now = header.get("settings"), identity["settings"]
    if before != now:
        names = sorted(name for name in now if not isinstance(before, dict) or before.get(name) != now[name])
        raise ValueError(f"{path!r} is of a fit with another {', '.join(names)}; pass the same to resume it.")


def _same_results(version: Any) -> bool:
    """Whether fits of that version give the same numbers as those of this one."""
    try:
        first, then, now = (tuple(map(int, str(v).split("."))) for v in (SAME_RESULTS_SINCE, version, __version__))
    except ValueError:
        return False
    return first <= then <= now


@contextmanager
def _advice() -> Iterator[None]:
    """Errors about the file end in what else can be done."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{error} {ELSE}") from None
