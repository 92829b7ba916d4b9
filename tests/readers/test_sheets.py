"""Spreadsheets: the rows of one sheet in all three formats; what cannot be read is named."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from chronotope.readers import open as opening
from chronotope.readers import read, read_corpus
from chronotope.readers.rows import Row
from chronotope.readers.sheets import sheet_source

pytest.importorskip("python_calamine")

FOLDER = Path(__file__).parent.parent / "fixtures" / "spreadsheets"
ENDINGS = ("xlsx", "xls", "ods")
LETTERS = [
    Row("row 4", {"date": dt.date(1961, 3, 4), "text": "War and peace", "pages": 2, "letter": 1.5}),
    Row("row 6", {"date": dt.datetime(1962, 3, 5, 12), "text": "Bread and wine", "pages": 3, "letter": None}),
]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def workbook(hidden: Sequence[str] = (), **sheets: list[list[Any]]) -> bytes:
    """A small .xlsx file of sheets of rows."""
    entries, relations, files = "", "", {}
    for n, (name, rows) in enumerate(sheets.items(), start=1):
        state = ' state="hidden"' if name in hidden else ""
        entries += f'<sheet name="{name}" sheetId="{n}"{state} r:id="r{n}"/>'
        relations += f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/{n}.xml"/>'
        data = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
        files[f"xl/worksheets/{n}.xml"] = f'<worksheet xmlns="{MAIN}"><sheetData>{data}</sheetData></worksheet>'
    files["xl/workbook.xml"] = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{entries}</sheets></workbook>'
    files["xl/_rels/workbook.xml.rels"] = f'<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>'
    whole = f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    files["_rels/.rels"] = f'<Relationships xmlns="{PACKAGE}/relationships">{whole}</Relationships>'
    files["[Content_Types].xml"] = f'<Types xmlns="{PACKAGE}/content-types"/>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


TABLE = [["date", "text"], ["1861-03-04", "war"], ["1862", "peace"]]


@pytest.mark.parametrize("ending", ENDINGS)
def test_dates_numbers_and_places_are_those_of_the_sheet(ending: str) -> None:
    source = sheet_source(FOLDER / f"letters.{ending}")
    assert list(source.rows()) == LETTERS
    assert list(source.rows()) == LETTERS  # a second time
    assert [type(value) for value in LETTERS[0].fields.values()] == [
        type(value) for row in list(source.rows())[:1] if isinstance(row, Row) for value in row.fields.values()
    ]
    assert source.notes == ["the sheet 'Letters' was read, not 'Notes'; choose another with sheet="]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_spreadsheet_becomes_a_corpus(ending: str) -> None:
    corpus = read_corpus(FOLDER / f"letters.{ending}")
    assert corpus.vocabulary.tolist() == ["bread", "peace", "war", "wine"]
    assert corpus.calendar
    assert corpus.times.tolist() == pytest.approx([1961 + 62 / 365, 1962 + 63.5 / 365])


def test_a_compressed_spreadsheet_and_one_without_an_ending_are_read(write: Any) -> None:
    data = {ending: (FOLDER / f"letters.{ending}").read_bytes() for ending in ENDINGS}
    assert len(read_corpus(write("a.xlsx.gz", gzip.compress(data["xlsx"])))) == 2
    assert len(read_corpus(write("a", data["xls"]))) == 2
    with pytest.raises(ValueError, match=r'b is an Office file or a program; .* pass format="excel"'):
        read_corpus(write("b", data["ods"]))
    assert len(read_corpus(write("b", data["ods"]), format="excel")) == 2


def test_one_filled_sheet_needs_no_note_and_hidden_ones_come_last(write: Any) -> None:
    assert sheet_source(write("a.xlsx", workbook(Empty=[], Texts=TABLE))).notes == []
    source = sheet_source(write("b.xlsx", workbook(["Lists"], Lists=[["x"]], Texts=TABLE)))
    assert [row.fields["text"] for row in source.rows() if isinstance(row, Row)] == ["war", "peace"]
    assert source.notes == ["the sheet 'Texts' was read, not 'Lists'; choose another with sheet="]


def test_another_sheet_can_be_chosen(write: Any) -> None:
    path = write("a.xlsx", workbook(First=[["x"], ["y"]], Empty=[], Texts=TABLE))
    assert [record.text for record in read(path, sheet="Texts")] == ["war", "peace"]
    with pytest.raises(ValueError, match=r"a.xlsx has no sheet 'Text'; it has 'First', 'Empty', 'Texts'"):
        read(path, sheet="Text")
    with pytest.raises(ValueError, match=r"the sheet 'Empty' of a.xlsx is empty"):
        read(path, sheet="Empty")


def test_columns_are_named_by_the_first_filled_row_and_empty_ones_are_no_columns(write: Any) -> None:
    rows = [[], [None, None], ["text", None, "text", 2001, None], ["a", 1, "b", 2.5, None], [" ", None], ["c"]]
    assert list(sheet_source(write("a.xlsx", workbook(A=rows))).rows()) == [
        Row("row 4", {"text": "a", "column 2": 1, "text (3)": "b", "2001": 2.5}),
        Row("row 6", {"text": "c", "column 2": None, "text (3)": None, "2001": None}),
    ]


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04 and no archive", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_what_is_no_spreadsheet_is_refused(write: Any, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"a.xlsx is not a spreadsheet or is damaged .*; save it again, or export it"):
        sheet_source(write("a.xlsx", content))


@pytest.mark.parametrize(
    ("name", "what"), [("a.xlsx", "is not a spreadsheet or is damaged"), ("a.zip", "is a zip arch")]
)
def test_an_archive_of_a_later_version_is_refused(write: Any, name: str, what: str) -> None:
    data = bytearray(workbook(A=TABLE))
    data[data.index(b"PK\x01\x02") + 6] = 99  # the version that is needed to extract the first file
    with pytest.raises(ValueError, match=f"{name} {what}.*zip file version 9.9"):
        read(write(name, bytes(data)))


def test_a_spreadsheet_without_rows_is_refused(write: Any) -> None:
    with pytest.raises(ValueError, match=r"a.xlsx is empty; expected a sheet with a header"):
        sheet_source(write("a.xlsx", workbook(A=[], B=[])))
    with pytest.raises(ValueError, match=r"no row of a.xlsx was found"):
        read(write("a.xlsx", workbook(A=TABLE[:1])))


def test_a_spreadsheet_that_decompresses_to_too_much_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_UNGUARDED", 10_000)
    path = write("a.xlsx", workbook(A=[["text"], ["a" * 1_000_000]]))
    with pytest.raises(ValueError, match=r"a.xlsx decompresses to more than 50 times its size.*max_ratio=500"):
        sheet_source(path, max_ratio=50)
    assert len(list(sheet_source(path, max_ratio=1e6).rows())) == 1


def test_a_missing_package_says_how_to_get_it(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ImportError, match=r'spreadsheets need python-calamine; pip install "chronotope\[excel\]"'):
        read(write("a.xlsx", workbook(A=TABLE)))


def test_numbers_of_a_spreadsheet_may_be_dates_whatever_their_column_is_called(write: Any) -> None:
    path = write("a.xlsx", workbook(A=[["when", "text"], [36526, "War and peace"], [40179.5, "Bread and wine"]]))
    assert [record.time for record in read(path)] == ["2000-01-01", "2010-01-01T12:00:00"]
    years = write("b.xlsx", workbook(A=[["year", "text"], [36526, "War and peace"]]))
    assert [record.time for record in read(years)] == [36526.0]


FAR = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'


def test_a_file_that_ends_the_process_that_reads_it_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(io.BytesIO(workbook(A=TABLE))) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text.replace("</sheetData>", FAR))  # half a terabyte of cells
    with pytest.raises(
        ValueError, match=r"a.xlsx is not a spreadsheet or is damaged \(reading it needs too much memory"
    ):
        sheet_source(write("a.xlsx", buffer.getvalue()))


def test_a_record_of_xls_that_leads_far_away_is_refused(write: Any) -> None:
    data = bytearray((FOLDER / "letters.xls").read_bytes())
    at = data.index(b"\xfd\x00\x0a\x00")  # a text cell, of ten bytes: its row and column
    data[at + 4 : at + 8] = b"\xff" * 4
    with pytest.raises(
        ValueError, match=r"a.xls is not a spreadsheet or is damaged \(reading it needs too much memory"
    ):
        sheet_source(write("a.xls", bytes(data)))
