"""Documents for a saved model: read, prepared and inferred once, and kept beside the model for the next command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from chronotope.cli.io import check_loss, read_documents, what_was_read
from chronotope.cli.keeping import Keeping, keeping_for
from chronotope.cli.options import STDIN, CorpusOptions
from chronotope.cli.output import note, size_text, verbosity, working

if TYPE_CHECKING:
    import pandas as pd

    from chronotope._typing import Floats
    from chronotope.corpus.align import Prepared
    from chronotope.corpus.corpus import Corpus
    from chronotope.model.estimator import DynamicTopicModel
    from chronotope.storage.tensors import Arrays, Header

TEXTS = 2**29  # bytes of a source whose texts are kept also if this command does not need them
ON_COUNTS = "  the model was fitted on counts; its words are assumed to have three or more letters"


class SavedModel(NamedTuple):
    """A model, its file, and the state of the file before it was loaded; see `state_of`."""

    model: DynamicTopicModel
    path: Path
    state: tuple[int, ...]


def load_saved(path: Path, quiet: bool) -> SavedModel:
    """The model of a file, which shows progress unless quiet."""
    from chronotope.model.persistence import load
    from chronotope.storage.fingerprints import state_of

    state = state_of(path) if path.exists() else ()  # the error is that of `load`
    model = load(path)
    model.set_params(verbose=verbosity(quiet))
    return SavedModel(model, path, state)


class ModelDocuments:
    """Documents prepared for a model, and what is inferred of them: computed when first asked for, and kept.

    prepared : the documents;  keeping : where results are kept
    """

    def __init__(self, model: DynamicTopicModel, prepared: Prepared, keeping: Keeping, quiet: bool) -> None:
        self.model, self.prepared, self.keeping, self.quiet = model, prepared, keeping, quiet
        self._shares: Floats | None = None

    @property
    def corpus(self) -> Corpus:
        """The documents with the model's words as columns."""
        return self.prepared.corpus

    def shares(self) -> Floats:
        """Topic shares of the documents, (D, K), as model.transform(corpus) gives them."""
        if self._shares is None:
            self._shares = self.keeping.find("shares", self._checked_shares)
        if self._shares is None:
            with working("Inferring their topics", self.quiet, has_bar=True):
                self._shares = inferred = self.model.transform(self.corpus)
            self.keeping.keep("shares", lambda: ({}, {"shares": inferred}))
        return self._shares

    def events(
        self,
        factor: float = 2.0,
        probability: float = 0.8,
        level: float = 0.9,
        n_words: int = 6,
        n_documents: int = 3,
    ) -> pd.DataFrame:
        """The events of the documents; see `find_events`."""
        from chronotope.analysis import find_events
        from chronotope.storage.packing import pack_table, unpack_table

        asked: dict[str, Any] = {"factor": factor, "probability": probability, "level": level}
        asked |= {"n_words": n_words, "n_documents": n_documents}
        table = self.keeping.find("events", lambda content, arrays: unpack_table(arrays), asked)
        if table is None:
            shares = self.shares()
            note("Looking for events", self.quiet)
            table = found = find_events(self.model, self.corpus, **asked, shares=shares, verbose=verbosity(self.quiet))
            self.keeping.keep("events", lambda: ({}, pack_table(found)), asked)
        return table

    def _checked_shares(self, content: Header, arrays: Arrays) -> Floats:
        from chronotope.analysis.prevalence import document_shares

        return document_shares(self.model, self.corpus, arrays["shares"])


def read_for(
    saved: SavedModel, source: CorpusOptions, *, keep_texts: bool = False, no_cache: bool = False, quiet: bool
) -> ModelDocuments:
    """The documents, preprocessed as the model's own were; the share of words that the model knows is noted.

    keep_texts : whether the texts are needed;  no_cache : neither use nor write what is kept beside the model
    """
    from chronotope.readers.dispatch import holds_ready_counts

    keeping = Keeping(None, quiet) if no_cache else keeping_for(saved.path, saved.state, source, quiet)
    by_files = keeping.slot is not None
    found = _kept_documents(saved.model, source, keep_texts, keeping)
    if found is None:
        found = _read_anew(saved.model, source, keep_texts, keeping)
        if not (by_files or no_cache or source.corpus == STDIN):
            keeping = keeping_for(saved.path, saved.state, source, quiet, found.corpus.digest())
    if saved.model.preprocessing_ is None and not holds_ready_counts(Path(source.corpus)):
        note(ON_COUNTS, quiet)
    note(f"  {found.known_share:.0%} of the tokens are words of the model", quiet)
    return ModelDocuments(saved.model, found, keeping, quiet)


def _kept_documents(model: DynamicTopicModel, source: CorpusOptions, texts: bool, keeping: Keeping) -> Prepared | None:
    """The documents that an earlier command has kept; None if it has not, or not with the texts that are needed."""
    from chronotope.corpus.packed import unpack_prepared

    def unpack(content: Header, arrays: Arrays) -> tuple[Prepared, Header]:
        return unpack_prepared(content["corpus"], arrays, model.topics_.vocabulary), content

    found = keeping.find("corpus", unpack)
    if found is None or (texts and not _add_texts(*found, keeping)):
        return None
    prepared, content = found
    note(f"Reading {source.corpus}", keeping.quiet)
    note(f"  read from {keeping.place} ({Path(source.corpus).name} has not changed)", keeping.quiet)
    for line in content["lines"]:
        note(f"  {line}", keeping.quiet)
    check_loss(prepared.corpus, source.allow_loss)
    return prepared


def _add_texts(prepared: Prepared, content: Header, keeping: Keeping) -> bool:
    """Add the texts that are kept, if the documents have any; returns False if they have, and were not kept."""
    import numpy as np

    from chronotope.storage.packing import unpack_strings

    if not content["has_texts"]:
        return True
    texts = keeping.find("texts", lambda content, arrays: unpack_strings(arrays))
    if texts is None or len(texts) != len(prepared.corpus):
        return False
    prepared.corpus.texts = np.array(texts, dtype=object)
    return True


def _read_anew(model: DynamicTopicModel, source: CorpusOptions, texts: bool, keeping: Keeping) -> Prepared:
    """The documents of the source, prepared for the model, and kept; with texts if they are needed or not large."""
    from chronotope.corpus.align import preparation, prepare
    from chronotope.readers.dispatch import holds_ready_counts

    ready = holds_ready_counts(Path(source.corpus))
    words, wanted = model.topics_.vocabulary, texts or keeping.source_bytes <= TEXTS
    prepared_as = None if ready else preparation(model.preprocessing_, words)
    found = read_documents(source, prepared_as, keep_texts=wanted, quiet=keeping.quiet)
    prepared = prepare(found, words)
    _keep_documents(prepared, {"lines": what_was_read(found), "has_texts": not ready}, keeping)
    if not texts:
        prepared.corpus.texts = None
    return prepared


def _keep_documents(prepared: Prepared, about: Header, keeping: Keeping) -> None:
    """Keep the documents, unless their counts are on disk already."""
    from chronotope.corpus.counts import HeldCounts
    from chronotope.corpus.packed import pack_prepared
    from chronotope.storage.packing import pack_strings

    corpus = prepared.corpus
    if not isinstance(corpus.stored, HeldCounts):
        return

    def pack() -> tuple[Header, Arrays]:
        content, arrays = pack_prepared(prepared)
        return about | {"corpus": content}, arrays

    size = keeping.keep("corpus", pack)
    if size and corpus.texts is not None:
        texts = corpus.texts.tolist()
        size += keeping.keep("texts", lambda: ({}, pack_strings(texts)))
    if size:
        note(f"  kept in {keeping.place} for the next command, {size_text(size)}", keeping.quiet)
