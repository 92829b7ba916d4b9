"""JSON lines: objects are rows, anything else is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.readers.rows import Bad, Row
from chronotope.readers.tables import json_source

values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.lists(st.text())


@given(st.lists(st.dictionaries(st.text(), values), min_size=1))
@pytest.mark.slow
def test_objects_are_read_back(tmp_path_factory: Any, objects: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.mktemp("json") / "a.jsonl"
    path.write_text("\n".join(json.dumps(value) for value in objects), encoding="utf-8")
    assert [row.fields for row in json_source(path).rows() if isinstance(row, Row)] == objects


def test_broken_lines_and_other_values_are_told_with_their_line(write: Any) -> None:
    deep = "[" * 100_000
    rows = list(json_source(write("a.jsonl", f'{{"text": "war"}}\n\n{{"text": \n[1, 2]\n{deep}\n')).rows())
    assert rows == [
        Row("line 1", {"text": "war"}),
        Bad("line 3", "broken JSON", '{"text": \n'),
        Bad("line 4", "not a JSON object", "[1, 2]\n"),
        Bad("line 5", "broken JSON", deep + "\n"),
    ]


@pytest.mark.parametrize(
    ("content", "command"), [('[{"a": 1},\n{"a": 2}]', "jq -c '.\\[\\]'"), ('{\n"a": 1}', "jq -c .")]
)
def test_one_document_over_many_lines_says_how_to_convert_it(write: Any, content: str, command: str) -> None:
    with pytest.raises(
        ValueError, match=f"a.json is one JSON document over many lines; .* Convert it: {command} a.json"
    ):
        json_source(write("a.json", content))


def test_an_empty_file_is_refused(write: Any) -> None:
    with pytest.raises(ValueError, match=r"a.jsonl is empty; expected one JSON object per line"):
        json_source(write("a.jsonl", "\n  \n"))
