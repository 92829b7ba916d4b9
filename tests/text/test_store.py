"""Tokens in parts are those of one store: the same words in the same order, and the same of whatever is counted."""

from __future__ import annotations

from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chronotope.text.lexicon import Lexicon
from chronotope.text.options import Preprocessing
from chronotope.text.phrases import Phrases, count_pairs, merged_pairs
from chronotope.text.sketches import sketch_documents
from chronotope.text.store import TokenStore, split_to_file

WORDS = ["war", "and", "peace", "bread", "wine", "army", ""]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(",".join), min_size=1, max_size=12)


def comma_split(text: str) -> list[str]:
    return text.split(",")


def stores(folder: Path, listed: list[str], cuts: list[int]) -> tuple[TokenStore, TokenStore]:
    """The texts in one part, and in several."""
    ends = sorted({*(cut % len(listed) for cut in cuts), len(listed)})
    parts = [listed[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    return TokenStore(listed, comma_split), TokenStore.of_parts(
        split_to_file(part, comma_split, folder) for part in parts
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(listed=texts, cuts=st.lists(st.integers(0, 11)), dropped=st.integers(0, 11))
def test_parts_count_what_one_counts(tmp_path: Path, listed: list[str], cuts: list[int], dropped: int) -> None:
    options = Preprocessing(stop_words=None, phrases=Phrases(2, -1.0), tokenizer=comma_split)
    found: list[Any] = []
    for store in stores(tmp_path, listed, cuts):
        with store:
            sketches = sketch_documents(store, lambda: None, tmp_path if len(store.parts) > 1 else None)
            if len(listed) > 1:
                store.drop(np.array([dropped % len(listed)]))
            lexicon = Lexicon(store, options)
            table = lexicon.word_table()
            numbers = np.arange(len(store.words), dtype=np.int32)
            pairs = merged_pairs(store.each(count_pairs, (numbers,), 0, 1))
        every = np.arange(len(listed))
        columns = [sketches.lengths, sketches.digests, sketches.sketches[every], *(sketches.band(b) for b in range(16))]
        found.append([store.words, store.lengths, lexicon.words, lexicon.notes, *table, *pairs, *columns])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_pairs_are_summed_over_parts(tmp_path: Path) -> None:
    with TokenStore(["a,b,a,b", "b,a"], comma_split) as store:
        codes, n = merged_pairs(store.each(count_pairs, (np.arange(2, dtype=np.int32),), 0, 1))
    assert dict(zip(codes.tolist(), n.tolist(), strict=True)) == {0 << 32 | 1: 2, 1 << 32 | 0: 2}
    assert [len(values) for values in merged_pairs([])] == [0, 0]


def test_a_file_of_tokens_appears_when_it_is_complete(tmp_path: Path) -> None:
    def failing() -> Any:
        yield "war"
        assert [path.suffix for path in tmp_path.iterdir()] == [".unfinished"]
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        split_to_file(failing(), comma_split, tmp_path)
    assert split_to_file(["war,war"], comma_split, tmp_path).words == ["war"]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".tokens", ".unfinished"]


def test_functions_are_called_where_the_store_says(tmp_path: Path) -> None:
    called: list[str] = []

    def run(function: Any, calls: Any) -> Any:
        called.append(function.__name__)
        return starmap(function, calls)

    store = TokenStore.of_parts([split_to_file(["war,peace"], comma_split, tmp_path)], run)
    Lexicon(store, Preprocessing(phrases=True, tokenizer=comma_split)).word_table()
    sketch_documents(store, lambda: None, tmp_path)
    assert called == ["raw_occurrences", "count_pairs", "tally", "sketch_part"]
