"""A reading: records one at a time, what was left out counted, the same on every loop, in bounded memory."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import numpy as np
import pytest

from chronotope.readers import Reading, Record, read, read_corpus, records
from chronotope.readers.rows import Row, Rows, Source
from chronotope.text.options import Preprocessing

LETTERS = """id;when written;letter;to
1;4 March 1861;War and peace;Anne
2;n/a;Bread;Anne
3;;Wine;Anne
4;5 March 1862;;Anne
5;1863;Bread and wine
6;6 March 1864;Bread and wine;Bert
"""


def test_records_are_given_and_the_rest_is_counted(write: Any) -> None:
    reading = read(write("letters.csv", LETTERS), time="when written")
    assert list(reading) == [
        Record("War and peace", "1861-03-04", "1", {"to": "Anne"}),
        Record("Bread and wine", "1864-03-06", "6", {"to": "Bert"}),
    ]
    assert reading.columns == {"time": "when written", "text": "letter", "id": "id"}
    assert reading.n_records == 2
    assert dict(reading.dropped.counts) == {
        "unreadable time": 1,
        "no time": 1,
        "no text": 1,
        "wrong number of fields": 1,
    }
    assert str(reading).splitlines() == [
        "letters.csv: table, fields separated by semicolon; text from 'letter', time from 'when written', id from 'id'",
        "  the text is in the column 'letter', guessed from its name",
        "  the id is in the column 'id', guessed from its name",
        "  2 records read",
        "  4 rows dropped: 1 × unreadable time (line 3 'n/a'); 1 × no time (line 4); 1 × no text (line 5); "
        "1 × wrong number of fields (line 6 '3 instead of 4')",
    ]


def test_every_loop_reads_anew_and_counts_anew(write: Any) -> None:
    reading = read(write("letters.csv", LETTERS), time="when written")
    first = list(reading)
    assert list(reading) == first
    assert reading.dropped.total == 4
    next(iter(reading))
    assert (reading.n_records, reading.dropped.total) == (1, 0)


def test_the_corpus_reports_what_was_left_out_and_decided(write: Any) -> None:
    corpus = read_corpus(write("letters.csv", LETTERS), time="when written")
    assert corpus.ids.tolist() == ["1", "6"]
    assert corpus.calendar
    assert corpus.texts is not None
    assert corpus.texts.tolist() == ["War and peace", "Bread and wine"]
    assert corpus.metadata is not None
    assert corpus.metadata["to"].tolist() == ["Anne", "Bert"]
    assert corpus.report is not None
    assert corpus.report.documents == 6
    assert corpus.report["unreadable time"].documents == 1
    assert "guessed from its name" in corpus.report.notes[0]
    assert corpus.report.notes[-1].startswith("dropped from letters.csv: 1 × unreadable time (line 3 'n/a'); 1 ×")
    assert "removed no text: 1 document" in str(corpus.report)


def test_documents_without_words_leave_everything_aligned(write: Any) -> None:
    path = write("a.csv", "date,text,n\n1861,the and,1\n1862,war,2\n1863,peace war,3\n")
    corpus = read_corpus(path, Preprocessing(min_document_words=2))
    assert corpus.times.tolist() == [1863]
    assert corpus.ids.tolist() == [2]
    assert corpus.metadata is not None
    assert corpus.metadata["n"].tolist() == ["3"]


def test_several_columns_of_text_are_joined_and_metadata_chosen(write: Any) -> None:
    lines = [
        {"title": "A", "abstract": "b", "year": 1990, "x": 1, "y": 2},
        {"title": "C", "abstract": None, "year": 1991},
    ]
    path = write("a.jsonl", "\n".join(map(json.dumps, lines)))
    reading = read(path, text=["title", "abstract"], metadata=["x"])
    records = list(reading)
    assert reading.columns["text"] == "title + abstract"
    assert records == [Record("A\n\nb", "1990", 0, {"x": 1}), Record("C", "1991", 1, {"x": None})]
    with pytest.raises(ValueError, match=r"a.jsonl has no column 'z' for metadata="):
        read(path, metadata=["z"])
    with pytest.raises(ValueError, match=r"a.jsonl has no column 'z' for text="):
        read(path, text=["title", "z"])


def test_a_text_that_is_no_string_is_left_out(write: Any) -> None:
    reading = read(write("a.jsonl", '{"text": ["a"], "date": "1861"}\n{"text": "b", "date": "1862", "id": {}}\n'))
    assert [(record.text, record.id) for record in reading] == [("b", "{}")]
    assert reading.dropped.counts == {"text is not a string": 1}


def numbered(n: int) -> str:
    return "date,text\n" + "".join(f"{1000 + i},war number {i}\n" for i in range(n))


def test_a_limit_draws_records_from_the_whole_source_in_its_order(write: Any) -> None:
    reading = read(write("a.csv", numbered(1000)), limit=100)
    years = [int(record.time) for record in reading]
    assert len(set(years)) == 100
    assert years == sorted(years)
    assert 1400 < np.mean(years) < 1600
    assert max(np.diff([1000, *years, 2000])) < 100
    assert reading.notes[-1] == (
        "100 of 1,000 records were drawn at random from the whole source, the same ones every time, because of "
        "limit=100"
    )
    assert [int(record.time) for record in read(write("a.csv", numbered(1000)), limit=100)] == years
    assert [int(record.time) for record in reading] == years


def test_a_limit_draws_usable_records_and_the_report_counts_the_others(write: Any) -> None:
    path = write("a.csv", numbered(50) + "n/a,war\n" * 40)
    corpus = read_corpus(path, limit=7, time="date")
    assert len(corpus) == 7
    assert corpus.report is not None
    assert corpus.report["not drawn"].documents == 43
    assert corpus.report["unreadable time"].documents == 40
    assert corpus.report.documents == 90
    within = read(path, limit=7, time="date", start=1010, end=1019)
    assert len([record for record in within if 1010 <= int(record.time) <= 1019]) == 7


@pytest.mark.parametrize("limit", [50, 1000])
def test_a_limit_that_is_not_reached_changes_nothing(write: Any, limit: int) -> None:
    path = write("a.csv", numbered(50))
    reading = read(path, limit=limit)
    assert list(reading) == list(read(path))
    assert not any("drawn" in note for note in reading.notes)
    assert reading.to_corpus().report["not drawn"].documents == 0  # type: ignore[union-attr]


def test_a_limit_of_no_record_is_refused(write: Any) -> None:
    with pytest.raises(ValueError, match=r"limit is 0; expected at least 1 record"):
        read(write("a.csv", numbered(5)), limit=0)


def test_no_usable_row_is_an_error_that_says_why(write: Any) -> None:
    with pytest.raises(ValueError, match=r"no row of a.csv can be used: 2 × unreadable time \(line 2 'n/a', line 3"):
        read_corpus(write("a.csv", "date,text\nn/a,war\nlost,war\n"), time="date")
    with pytest.raises(ValueError, match=r"no row of a.csv can be used: 1 × wrong number of fields \(line 2 "):
        read(write("a.csv", "date,text\n1861\n"))
    with pytest.raises(ValueError, match=r"no row of a.csv was found; expected one row per document"):
        read(write("a.csv", "date,text\n"))


def test_a_failure_half_way_is_not_taken_for_an_empty_corpus(write: Any) -> None:
    path = write("a.csv", "date,text\n" + "03/25/1861,war\n" * 1500 + "25/03/1861,war\n")
    with pytest.raises(ValueError, match=r"'25/03/1861' has its day first"):
        read_corpus(path)


@pytest.mark.slow
def test_texts_stream_in_bounded_memory() -> None:
    text = "war and peace " + "0" * 14_000

    def rows() -> Rows:
        for n in range(3000):
            yield Row(f"row {n}", {"text": text + str(n), "time": 1861})

    def peak() -> int:
        tracemalloc.start()
        reading = Reading(Source("texts", "generator", rows, {"text": "text", "time": "time"}))
        corpus = reading.to_corpus(keep_texts=False)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(corpus) == 3000
        assert corpus.texts is None
        return used

    assert peak() < 3000 * len(text) / 4


def test_a_source_is_closed_when_the_loop_ends_early() -> None:
    open_rows: list[int] = []

    def rows() -> Rows:
        open_rows.append(1)
        try:
            for n in range(10_000):
                yield Row(f"row {n}", {"text": "war", "time": n})
        finally:
            open_rows.pop()

    reading = Reading(Source("texts", "generator", rows, {"text": "text", "time": "time"}), limit=3)
    records = iter(reading)
    next(records)
    assert open_rows == [1]
    records.close()  # type: ignore[attr-defined]
    assert open_rows == []
    assert len(list(reading)) == 3
    assert open_rows == []


def dated(dates: list[str]) -> str:
    return "date,text\n" + "".join(f"{date},War and peace and bread\n" for date in dates)


FIFTIES = [f"195{i}-0{1 + i % 9}-01" for i in range(10)] * 3


def test_outlying_dates_are_named_with_their_rows_and_dates(write: Any) -> None:
    corpus = read_corpus(write("letters.csv", dated([*FIFTIES[:4], "0195-03-01", *FIFTIES[4:], "9952-01-01"])))
    [note] = [note for note in corpus.report.notes if "far from the others in time" in note]  # type: ignore[union-attr]
    assert note.startswith("2 documents are far from the others in time (line 6, 0195-03-01; line 33, 9952-01-01)")
    assert len(corpus) == 32
    assert corpus.main_span == (1950.0, pytest.approx(1959.0, abs=0.1))
    even = read_corpus(write("even.csv", dated(FIFTIES)))
    assert not any("far from the others" in note for note in even.report.notes)  # type: ignore[union-attr]


@pytest.mark.parametrize("share", [1, 10])
def test_one_stray_date_and_ten_are_named(write: Any, share: int) -> None:
    corpus = read_corpus(write("letters.csv", dated(FIFTIES * 10 + ["1628-01-01"] * share)))
    notes = " ".join(corpus.report.notes)  # type: ignore[union-attr]
    assert f"{share} document{'s are' if share > 1 else ' is'} far from the others in time (line 302, 1628" in notes


def test_a_window_of_time_is_read_alone_and_the_rest_is_counted(write: Any) -> None:
    path = write("letters.csv", dated([*FIFTIES, "1628-01-01"]))
    reading = read(path, start="1952", end="1954")
    assert [record.time[:4] for record in reading] == ["1952", "1953", "1954"] * 3
    assert dict(reading.dropped.counts) == {"outside the time asked for": 22}
    corpus = read_corpus(path, start=1952)
    assert len(corpus) == 24
    assert len(corpus.between("1953", "1953")) == 3
    assert corpus.between() is corpus
    with pytest.raises(ValueError, match="no document is from 1990 to None; they are from 1952-03-01 to 1959-01-01"):
        corpus.between(1990)


@pytest.mark.parametrize("on_disk", [False, True])
def test_duplicates_are_named_with_their_places_and_the_earliest_is_kept(
    write: Any, tmp_path: Any, on_disk: bool
) -> None:
    rng = np.random.default_rng(0)
    letters = [" ".join(rng.choice(list("abcdefgh"), (40, 4)).view("<U4").ravel()) for _ in range(3)]
    rows = [("1863", letters[0]), ("n/a", "war"), ("1861", letters[0]), ("1862", letters[1]), ("1864", letters[2])]
    path = write("letters.csv", "\n".join(["time,text", *(f"{time},{text}" for time, text in rows)]))
    folder = tmp_path / "corpus" if on_disk else None
    corpus = read_corpus(path, Preprocessing(duplicates="drop"), folder=folder)
    assert corpus.times.tolist() == [1861, 1862, 1864]
    assert corpus.report is not None
    said = "1 of 4 documents repeats another one exactly (first: line 2 repeats line 4), and was dropped"
    assert said in corpus.report.notes
    assert corpus.report.duplicates()[["id", "repeats"]].to_numpy().tolist() == [[0, 2]]
    assert corpus.report["duplicates"].documents == 1


def test_columns_and_ids_without_end_are_not_kept(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"date": "1861", "text": "war", "id": "a"} | {f"c{n}_{k}": k for k in range(60)} for n in range(30)]
    reading = read(write("a.jsonl", "\n".join(map(json.dumps, [*rows, rows[0] | {"id": "x" * 5000}]))))
    records = list(reading)
    assert {len(record.metadata) for record in records} == {1000}
    assert "1,000 of the 1,800 other columns are kept as metadata; name others with metadata=" in reading.notes
    assert reading.dropped.counts == {"id of more than 1,000 characters": 1}
    assert read(write("a.jsonl", json.dumps(rows[0])), metadata=["c0_3"]).n_records == 0


def test_wide_rows_are_sampled_by_their_values(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_SAMPLE_CELLS", 10)
    lines = "".join(f"1861,war,{n}\n" for n in range(20))
    assert len(read(write("a.csv", "date,text,n\n" + lines))._sample()) == 4
