"""From texts to a corpus on disk, in memory that does not grow with them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from chronotope._typing import Floats, Mask, PathLike
from chronotope.corpus.corpus import Corpus
from chronotope.corpus.counts import blocks
from chronotope.corpus.disk import CorpusWriter, open_corpus
from chronotope.storage.atomic import refuse_existing, writable_folder
from chronotope.text.options import Preprocessing, Removed, count_texts


class Labels(NamedTuple):
    """What documents have beside their words: times and ids, (D,) each, and whether the times are decimal years.

    left_out, notes : documents that went before their words were counted, and what was decided on the way
    """

    times: Floats
    ids: NDArray[Any]
    calendar: bool
    left_out: tuple[Removed, ...] = ()
    notes: tuple[str, ...] = ()


def build_corpus(
    texts: Iterable[str],
    n_texts: int | None,
    preprocessing: Preprocessing | None,
    folder: PathLike,
    label: Callable[[Mask], Labels],
) -> Corpus:
    """Count the words of texts, taken one at a time, into a new folder; returns the corpus there.

    n_texts : for the progress shown, where it is known
    label : asked for the labels of the kept documents when all texts have been taken; it is given their mask
    """
    target = Path(folder).absolute()
    refuse_existing(target)
    beside = writable_folder(target.parent)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=beside) as spilled:
        counts, vocabulary, keep, report = count_texts(_shown(texts, n_texts), preprocessing, Path(spilled))
        labels = label(keep)
        with CorpusWriter(target, vocabulary.tolist(), calendar=labels.calendar) as writer:
            writer.report = report.after(*labels.left_out, notes=labels.notes)
            for rows, part in blocks(counts):
                writer.add_rows(part, labels.times[rows], labels.ids[rows])
    return open_corpus(target)


def _shown(texts: Iterable[str], n_texts: int | None) -> Iterator[str]:
    """The texts, with a bar where somebody is watching."""
    from chronotope.display.progress import counting_bar

    with counting_bar(n_texts, 0, None, "reading texts") as advance:
        for text in texts:
            yield text
            advance()
