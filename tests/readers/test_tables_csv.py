"""CSV and TSV: delimiter, quotes and header are found, rows of the wrong width are told apart."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.readers import tables as module
from chronotope.readers.rows import Bad, Row
from chronotope.readers.tables import column_names, csv_source

cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=30)


def rows_of(path: Any, **options: Any) -> list[Row | Bad]:
    return list(csv_source(path, **options).rows())


def texts_of(path: Any, **options: Any) -> list[str]:
    return [row.fields["text"] for row in csv_source(path, **options).rows() if isinstance(row, Row)]


@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=20), st.sampled_from(",;\t|"))
def test_whatever_the_csv_module_writes_is_read_back(tmp_path_factory: Any, table: list[Any], delimiter: str) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([("date", "text", "who"), *table])
    path.write_bytes(buffer.getvalue().encode())
    rows = rows_of(path, delimiter=delimiter)
    assert [tuple(row.fields.values()) for row in rows if isinstance(row, Row)] == table


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(write: Any, delimiter: str) -> None:
    rows = [["date", "text"], ["1861-03-04", '"War, and; peace | bread"'], ["1862-03-04", '"one, two"'], ["1863", "x"]]
    path = write("a.txt", "\n".join(delimiter.join(row) for row in rows))
    assert texts_of(path) == ["War, and; peace | bread", "one, two", "x"]


def test_quoted_fields_hold_lines_and_rows_have_the_line_they_start_on(write: Any) -> None:
    path = write("a.csv", 'date,text\r\n1861,"two\r\nlines, one text"\r\n\r\n1862,"say ""war"""\r\n')
    assert rows_of(path) == [
        Row("line 2", {"date": "1861", "text": "two\r\nlines, one text"}),
        Row("line 5", {"date": "1862", "text": 'say "war"'}),
    ]


def test_stray_quotation_marks_in_tsv_are_text(write: Any) -> None:
    path = write("a.tsv", 'date\ttext\n1861\t"Peace" he said\n1862\t"an open quote\n1863\tplain\n')
    assert texts_of(path) == ['"Peace" he said', '"an open quote', "plain"]


def test_rows_of_the_wrong_width_are_told(write: Any) -> None:
    rows = rows_of(write("a.csv", "date,text\n1861,war\n1862\n1863,a,b\n1864,peace\n"))
    assert rows[1] == Bad("line 3", "wrong number of fields", "1 instead of 2")
    assert rows[2] == Bad("line 4", "wrong number of fields", "3 instead of 2")
    assert [type(row) for row in rows] == [Row, Bad, Bad, Row]


def test_a_delimiter_at_the_end_of_lines_is_no_field(write: Any) -> None:
    assert texts_of(write("a.csv", "date,text\n1861,war,\n1862,peace,,\n1863,,\n")) == ["war", "peace", ""]


def test_a_table_without_header_has_numbered_columns(write: Any) -> None:
    source = csv_source(write("a.csv", "1861-03-04,war and peace\n1862-03-04,bread\n"))
    assert next(source.rows()) == Row("line 1", {"column 1": "1861-03-04", "column 2": "war and peace"})
    assert source.notes == ["a.csv has no header; its columns are called 'column 1' to 'column 2'"]


def test_nameless_and_repeated_columns_get_names(write: Any) -> None:
    row = rows_of(write("a.csv", ",text,text\n0,war,peace\n"))[0]
    assert isinstance(row, Row)
    assert row.fields == {"column 1": "0", "text": "war", "text (3)": "peace"}


def test_old_line_ends_and_marks_are_read(write: Any) -> None:
    assert rows_of(write("a.csv", "date,text\r1861,war\r".encode("utf-8-sig"))) == [
        Row("line 2", {"date": "1861", "text": "war"})
    ]
    assert texts_of(write("b.csv", "date;text\n1861;größer\n".encode("utf-16"))) == ["größer"]


@pytest.mark.parametrize("content", ["", "\n \n\r\n"])
def test_an_empty_file_is_refused(write: Any, content: str) -> None:
    with pytest.raises(ValueError, match=r"a.csv is empty; expected a table with a header"):
        csv_source(write("a.csv", content))


def test_an_open_quote_does_not_fill_the_memory(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = csv.field_size_limit(1000)
    monkeypatch.setattr(module, "_LONGEST_FIELD", 1000)
    try:
        path = write("a.csv", "date,text\n" + "1861,war\n" * 300 + '1862,"open\n' + "1863,peace\n" * 300)
        with pytest.raises(ValueError, match=r"starts on line 302 cannot be read .* quotation mark that is not closed"):
            rows_of(path)
    finally:
        csv.field_size_limit(before)


def test_a_long_text_is_read(write: Any) -> None:
    text = "war " * 100_000  # beyond the csv module's own limit
    assert texts_of(write("a.csv", f"date,text\n1861,{text}\n")) == [text]


def test_a_delimiter_of_two_characters_is_refused(write: Any) -> None:
    with pytest.raises(ValueError, match=r"delimiter is '::'; expected one character"):
        csv_source(write("a.csv", "a::b\n"), delimiter="::")
    assert texts_of(write("a.csv", "date^text\n1861^war\n"), delimiter="^") == ["war"]


def test_a_hundred_thousand_columns_have_different_names() -> None:
    assert len(set(column_names(["x"] * 100_000))) == 100_000
    assert column_names(["x", "x (3)", "x", ""]) == ["x", "x (3)", "x (3) (3)", "column 4"]
