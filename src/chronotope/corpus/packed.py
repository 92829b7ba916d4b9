"""Prepared documents as arrays and JSON, and back exactly as they were; what cannot come back so is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope.corpus.align import Prepared
from chronotope.corpus.corpus import Corpus
from chronotope.corpus.counts import HeldCounts
from chronotope.corpus.dated import checked_rough
from chronotope.dates.rough import RoughDates
from chronotope.storage.packing import NotPacked, pack_strings, pack_table, unpack_strings, unpack_table
from chronotope.storage.tensors import Arrays, Header
from chronotope.text.report import report_from_json, report_to_json

COUNTS = ("indptr", "indices", "data")
IDS, METADATA, ROUGH = "ids_", "metadata_", "rough_"  # how the names of their arrays start


def pack_prepared(prepared: Prepared) -> tuple[Header, Arrays]:
    """Documents counted with a model's words, without their texts: content and arrays for `unpack_prepared`."""
    corpus = prepared.corpus
    if not isinstance(corpus.stored, HeldCounts):
        raise NotPacked("its counts are on disk")
    counts = corpus.stored.whole()
    arrays = {name: getattr(counts, name) for name in COUNTS} | {"times": corpus.times, "unknown": prepared.unknown}
    arrays |= {IDS + name: array for name, array in _pack_ids(corpus.ids).items()}
    if corpus.metadata is not None:
        arrays |= {METADATA + name: array for name, array in pack_table(corpus.metadata).items()}
    report = None if corpus.report is None else report_to_json(corpus.report)
    if corpus.rough is not None:
        arrays |= {ROUGH + name: array for name, array in corpus.rough._asdict().items()}
    return {"calendar": corpus.calendar, "ids": corpus.ids.dtype.str, "report": report}, arrays


def unpack_prepared(content: Header, arrays: Arrays, vocabulary: NDArray[np.str_]) -> Prepared:
    """The documents that `pack_prepared` was given.   vocabulary : (V,), the model's words."""
    data, D = tuple(arrays[name] for name in ("data", "indices", "indptr")), len(arrays["times"])
    counts = sp.csr_array(data, shape=(D, len(vocabulary)))
    ids = _unpack_ids(_under(IDS, arrays), content["ids"])
    if not D == len(arrays["unknown"]) == len(ids):
        raise ValueError("it has not one value for each document")
    report = report_from_json(content["report"])
    packed = _under(METADATA, arrays)
    metadata, calendar = unpack_table(packed) if packed else None, bool(content["calendar"])
    rough = checked_rough(RoughDates(**found), D) if (found := _under(ROUGH, arrays)) else None
    corpus = Corpus.of_stored(HeldCounts(counts), arrays["times"], vocabulary, ids, calendar, report, metadata, rough)
    return Prepared(corpus, arrays["unknown"])


def _under(start: str, arrays: Arrays) -> Arrays:
    """The arrays whose names start so, without that start."""
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def _pack_ids(ids: NDArray[Any]) -> Arrays:
    """Numbers as they are, strings as bytes."""
    if ids.dtype.kind in "biu":
        return {"numbers": ids}
    if ids.dtype.kind != "U":
        raise NotPacked(f"its ids are of type {ids.dtype}")
    return pack_strings(ids.tolist())


def _unpack_ids(arrays: Arrays, kind: str) -> NDArray[Any]:
    return arrays["numbers"] if "numbers" in arrays else np.array(unpack_strings(arrays), dtype=kind)
