"""JSON lines and JSON arrays: objects are rows, anything else is told."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.readers import json as reading
from chronotope.readers import read, read_corpus
from chronotope.readers.json import json_source
from chronotope.readers.rows import Bad, Row

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


OBJECTS = [{"date": "1861", "text": "war"}, {"date": "1862", "text": "peace", "by": [{"name": "Anne"}]}]
ROWS = [Row("object 1", OBJECTS[0]), Row("object 2", OBJECTS[1])]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n"])
def test_an_array_is_read_like_lines(write: Any, indent: int | None, start: str) -> None:
    source = json_source(write("a.json", start + json.dumps(OBJECTS, indent=indent)))
    assert (list(source.rows()), list(source.rows())) == (ROWS, ROWS)
    assert (source.kind, source.notes) == ("JSON array", [])


@pytest.mark.parametrize("indent", [None, 2])
def test_the_one_list_of_objects_in_an_object_is_read(write: Any, indent: int | None) -> None:
    whole = {"total": 2, "tags": ["x"], "empty": [], "articles": OBJECTS}
    source = json_source(write("a.json", json.dumps(whole, indent=indent)))
    assert list(source.rows()) == ROWS
    assert source.notes == ["the objects are in the list 'articles' of a.json"]


def test_an_array_may_begin_and_end_on_the_lines_of_its_objects(write: Any) -> None:
    first, second = map(json.dumps, OBJECTS)
    assert list(json_source(write("a.json", f"[{first},\n{second}]")).rows()) == ROWS
    assert list(json_source(write("b.json", f'{{"articles": [{first},\n{second}]}}')).rows()) == ROWS


def test_other_values_in_an_array_are_told_with_their_number(write: Any) -> None:
    rows = list(json_source(write("a.json", '[1, {"text": "war"}, null]')).rows())
    assert rows == [
        Bad("object 1", "not a JSON object", "1"),
        Row("object 2", {"text": "war"}),
        Bad("object 3", "not a JSON object", "None"),
    ]


def test_one_object_on_one_line_is_a_line_unless_it_holds_a_list_of_objects(write: Any) -> None:
    assert list(json_source(write("a.json", json.dumps(OBJECTS[0]))).rows()) == [Row("line 1", OBJECTS[0])]
    assert list(json_source(write("a.jsonl", json.dumps(OBJECTS[1]))).rows()) == [Row("line 1", OBJECTS[1])]


def test_a_first_line_that_is_broken_is_one_bad_line(write: Any) -> None:
    rows = list(json_source(write("a.json", '{"text": \n{"text": "war"}\n')).rows())
    assert rows == [Bad("line 1", "broken JSON", '{"text": \n'), Row("line 2", {"text": "war"})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '[{"a": 1},\n{"a": 2}',
            r"a.json is not valid JSON \(Expecting ',' delimiter on line 2, column 9\); expected an",
        ),
        ('[{"a": 1}]\n[{"a": 1}]', r"a.json is not valid JSON \(Extra data on line 2, column 1\)"),
        ("[" * 100_000, r"a.json is not valid JSON \(it is nested too deeply\)"),
        ('{\n"a": 1}\n{\n"a": 2}', r"a.json is not valid JSON \(Extra data on line 3, column 1\)"),
        ('{\n"a": 1}', r"a.json is one JSON object with no list of objects; expected one. Convert it: jq -c '\.' a"),
        ('{"a": [{}], "b": [{}]}', r"with 2 lists of objects \('a', 'b'\); .* Convert it: jq -c '\.a\[\]' a.json"),
        ("[1, 2]", r"a.json is a JSON array without objects; expected one object per document"),
        ("[]", r"a.json is a JSON array without objects"),
    ],
)
def test_a_document_without_rows_is_refused(write: Any, content: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        json_source(write("a.json", content))


def test_a_document_that_is_too_long_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_LONGEST", 50)
    with pytest.raises(ValueError, match=r"it holds more than 50 characters; convert it: jq -c '.\[\]' a.json"):
        json_source(write("a.json", json.dumps(OBJECTS, indent=1)))


@pytest.mark.parametrize("name", ["a.json", "a", "a.txt"])
def test_an_array_becomes_a_corpus_whatever_its_name(write: Any, name: str) -> None:
    assert read_corpus(write(name, json.dumps(OBJECTS))).times.tolist() == [1861, 1862]


def test_an_empty_file_is_refused(write: Any) -> None:
    with pytest.raises(ValueError, match=r"a.jsonl is empty; expected one JSON object per line"):
        json_source(write("a.jsonl", "\n  \n"))


@pytest.mark.parametrize("digits", [400, 4000, 100_000])
@pytest.mark.parametrize(("column", "reason"), [("date", "unreadable time"), ("text", "text is not a string")])
def test_a_number_of_thousands_of_digits_costs_its_row(write: Any, digits: int, column: str, reason: str) -> None:
    number = "9" * digits
    long = json.dumps(OBJECTS[0] | {column: "NUMBER"}).replace('"NUMBER"', number)
    for path in (
        write("a.jsonl", f"{json.dumps(OBJECTS[0])}\n{long}\n"),
        write("a.json", f"[{json.dumps(OBJECTS[0])}, {long}]"),
    ):
        reading = read(path)
        assert len(list(reading)) == 1
        assert reading.dropped.counts == {reason: 1}


def test_a_number_of_thousands_of_digits_is_infinite_elsewhere(write: Any) -> None:
    row = '{"date": "1861", "text": "war", "n": %s, "id": %s}'
    path = write("a.jsonl", row % ("-" + "9" * 5000, "9" * 40) + "\n")
    assert [(record.id, record.metadata) for record in read(path)] == [(int("9" * 40), {"n": -math.inf})]


@pytest.mark.parametrize("value", ["war \ud800 now", {"\udfff": ["\ud800"]}])
@pytest.mark.parametrize("column", ["text", "id", "by", "\ud800"])
def test_half_a_character_can_be_stored_and_shown(write: Any, tmp_path: Path, column: str, value: Any) -> None:
    rows = [{"date": f"{1861 + n}-03-04", "text": "war and peace", "id": f"a{n}", "by": "Anne"} for n in range(3)]
    path = write("a.jsonl", "\n".join(json.dumps(row) for row in [*rows, rows[0] | {column: value}]))
    corpus = read_corpus(path)
    corpus.save(tmp_path / "corpus")
    assert corpus.texts is not None
    assert corpus.metadata is not None
    held = [corpus.texts.tolist(), corpus.ids.tolist(), corpus.metadata.to_dict(), str(corpus.report)]
    assert "\ufffd" in json.dumps(held, ensure_ascii=False) or (column, type(value)) == ("text", dict)
    json.dumps(held, ensure_ascii=False).encode()


def test_whole_characters_are_kept_and_errors_hold_no_halves(write: Any) -> None:
    line = r'{"date": "1861", "text": "war \ud83d\ude00 \\ud800"}'
    assert [record.text for record in read(write("a.jsonl", line))] == ["war 😀 \\ud800"]
    with pytest.raises(ValueError, match="2 lists of objects") as refused:
        read(write("a.json", json.dumps(dict.fromkeys(("\ud800", "\ud801"), OBJECTS))))
    str(refused.value).encode()


@pytest.mark.parametrize("depth", [150, 600, 100_000])
@pytest.mark.parametrize("column", ["date", "text", "by"])
def test_an_object_nested_too_deeply_costs_its_row(write: Any, depth: int, column: str) -> None:
    deep = json.dumps(OBJECTS[0] | {column: "DEEP"}).replace('"DEEP"', "[" * depth + "]" * depth)
    reading = read(write("a.jsonl", f"{json.dumps(OBJECTS[0])}\n{deep}\n"))
    assert len(list(reading)) == 1
    assert reading.dropped.counts == {"broken JSON" if depth > 600 else "nested too deeply": 1}
