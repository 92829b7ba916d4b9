"""Prepared documents as arrays come back exactly as they were."""

import numpy as np
import pandas as pd
import pytest

from chronotope import Corpus, Preprocessing, open_corpus
from chronotope.corpus.align import Prepared, prepare
from chronotope.corpus.packed import pack_prepared, unpack_prepared
from chronotope.storage.digest import as_json
from chronotope.storage.packing import NotPacked

WORDS = np.array(["army", "navy", "war", "wheat"])
TEXTS = ["war war army", "wheat and corn", "", "navy corn war"]


def prepared(**given):
    kept = Preprocessing(min_count=1, min_document_words=0, stop_words=["and"])
    found = Corpus.from_texts(TEXTS, ["1900-01-01", "1901-05-03", "1901", "1899"], preprocessing=kept, **given)
    return prepare(found, WORDS)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"ids": ["a", "bb", "ccc", "d\u00fc"]},
        {"ids": [3, 1, 2, 2**40], "metadata": {"party": ["x", None, "y", "x"], "year": [1, 2, 3, 4]}},
    ],
)
def test_documents_come_back_bit_by_bit(given):
    before = prepared(**given)
    content, arrays = pack_prepared(before)
    after = unpack_prepared(as_json(content), arrays, WORDS)
    for name in ("indptr", "indices", "data"):
        was, now = (getattr(one.corpus.counts, name) for one in (before, after))
        assert was.dtype == now.dtype
        assert np.array_equal(was, now)
    for name in ("times", "ids", "vocabulary"):
        was, now = (getattr(one.corpus, name) for one in (before, after))
        assert was.dtype == now.dtype
        assert np.array_equal(was, now)
    assert np.array_equal(before.unknown, after.unknown)
    assert before.known_share == after.known_share
    assert before.corpus.calendar is after.corpus.calendar is True
    assert before.corpus.report == after.corpus.report
    assert [step.listed for step in before.corpus.report.removed] == [
        step.listed for step in after.corpus.report.removed
    ]
    assert before.corpus.digest() == after.corpus.digest()
    if before.corpus.metadata is None:
        assert after.corpus.metadata is None
    else:
        pd.testing.assert_frame_equal(before.corpus.metadata, after.corpus.metadata)


def test_rough_dates_come_back():
    dates = ["1900-01-01", "circa 1901", "n.d.", "1899"]
    kept = Preprocessing(min_count=1, min_document_words=0, stop_words=["and"])
    before = prepare(Corpus.from_texts(TEXTS, dates, preprocessing=kept), WORDS)
    content, arrays = pack_prepared(before)
    after = unpack_prepared(as_json(content), arrays, WORDS)
    assert before.corpus.digest() == after.corpus.digest()
    assert after.corpus.rough.documents.tolist() == [1, 2]


def test_what_would_come_back_otherwise_is_refused(tmp_path):
    before = prepared()
    before.corpus.save(tmp_path / "folder")
    with pytest.raises(NotPacked, match="on disk"):
        pack_prepared(Prepared(open_corpus(tmp_path / "folder"), before.unknown))
    before.corpus.ids = np.array([1, "a", None, 2.5], dtype=object)
    with pytest.raises(NotPacked, match="ids"):
        pack_prepared(before)


def test_arrays_that_do_not_fit_together_are_refused():
    content, arrays = pack_prepared(prepared())
    with pytest.raises(ValueError, match="each document"):
        unpack_prepared(content, arrays | {"unknown": arrays["unknown"][:2]}, WORDS)
    with pytest.raises(ValueError, match="index pointer"):
        unpack_prepared(content, arrays | {"indptr": arrays["indptr"][:2]}, WORDS)
