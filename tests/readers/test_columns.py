"""Columns: found by name, by part of the name, by content, and said; what cannot be found is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from chronotope.readers import columns
from chronotope.readers.columns import choose_columns, other_parts, plain_name
from chronotope.readers.rows import Notes

PROSE = "the war with Mexico has ended"


def chosen(row: dict[str, Any], **wanted: str) -> tuple[Any, Any, Any]:
    found = choose_columns([row] * 3, wanted, {}, "a.csv", Notes())
    return found["text"], found["time"], found["id"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"id": "1", "date": "1861", "text": "war"}, ("text", "date", "id")),
        ({"ID": "1", "Year": 1861, "Body": "war"}, ("Body", "Year", "ID")),
        ({"publishedAt": "1861-03-04", "Content": "war", "title": "x"}, ("Content", "publishedAt", None)),
        ({"year": "1861", "date": "1861-03-04", "abstract": PROSE, "title": PROSE}, ("abstract", "date", None)),
        ({"created_utc": 1234567890, "selftext": "war", "url": "x"}, ("selftext", "created_utc", "url")),
        ({"id": 1, "year": 1987, "title": "x", "abstract": "x", "paper_text": "war"}, ("paper_text", "year", "id")),
        ({"Date of speech": "1 May 1861", "Speech text": PROSE}, ("Speech text", "Date of speech", None)),
        ({"time_spent": 5, "time": "12:30", "when": "1861-03-04", "text": "x"}, ("text", "when", None)),
        ({"post_id": "77", "year": "1861", "what was said": PROSE}, ("what was said", "year", None)),
        ({"column 1": "1861-03-04", "column 2": PROSE}, ("column 2", "column 1", None)),
        ({"a": "1861", "b": "1861-03-04", "c": PROSE}, ("c", "b", None)),
        ({"a": "25/03/1861", "b": PROSE}, ("b", "a", None)),
        ({"a": "03/25/1861", "b": PROSE}, ("b", "a", None)),
        ({"id": "1861", "a": "1990", "b": PROSE}, ("b", "a", "id")),
        ({"day": 1, "month": 3, "year": 1861, "text": "war"}, ("text", "year", None)),
        ({"timestamp_ms": 1356998400000, "score": 4, "text": "war"}, ("text", "timestamp_ms", None)),
        ({"t": 1356998400000, "time": 5, "text": "war"}, ("text", "time", None)),
        ({"time": None, "lat": 5.5, "text": "war"}, ("text", "time", None)),
        ({"date": "", "year": "1861", "text": "war"}, ("text", "year", None)),
    ],
)
def test_columns_are_guessed(row: dict[str, Any], expected: tuple[Any, Any, Any]) -> None:
    assert chosen(row) == expected


def test_half_of_a_nameless_column_must_be_dates() -> None:
    rows = [{"a": value, "b": PROSE} for value in ("1861-03-04", "n/a", "5 March 1861", "")]
    assert choose_columns(rows, {}, {}, "a.csv", Notes())["time"] == "a"
    with pytest.raises(ValueError, match=r"no column of a.csv looks like the time"):
        choose_columns([*rows, {"a": "lost"}, {"a": "gone"}], {}, {}, "a.csv", Notes())


def test_what_is_given_is_taken_and_not_guessed_again() -> None:
    row = {"text": "war", "title": PROSE, "date": "1861", "year": "1862", "key": "k"}
    assert chosen(row, text="title", time="year", id="key") == ("title", "year", "key")
    assert chosen({"date": "1861-03-04 war", "year": "1861"}, text="date") == ("date", "year", None)


def test_guesses_are_said() -> None:
    notes = Notes()
    choose_columns([{"day": "1861-03-04", "x": PROSE}], {}, {}, "a.csv", notes)
    assert notes == [
        "the time is in the column 'day', guessed from its name",
        "the text is in the column 'x', guessed from its content",
    ]


@pytest.mark.parametrize(
    ("row", "wanted", "message"),
    [
        (
            {"a": "x", "b": PROSE},
            {},
            r"no column of a.csv looks like the time; say which with time=. It has .* 'a', 'b'",
        ),
        ({"date": "1861", "n": 5}, {}, "no column of a.csv looks like the text; say which with text="),
        (
            {"date": "1861", "text": "x"},
            {"text": "body"},
            "a.csv has no column 'body' for text=; it has .* 'date', 'text'",
        ),
        ({"date": "n/a", "text": "x"}, {}, "looks like the time"),
    ],
)
def test_what_cannot_be_found_is_refused(row: dict[str, Any], wanted: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chosen(row, **wanted)


def test_names_are_compared_in_plain_form() -> None:
    assert plain_name(" Published-At ") == plain_name("publishedAt") == plain_name("PUBLISHED AT") == "published_at"


def test_every_name_and_value_of_a_wide_table_is_seen_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[str] = Counter()
    monkeypatch.setattr(columns, "plain_name", lambda name: (seen.update([name]), plain_name(name))[1])
    wide = [{"when": "1861-03-04", "said": PROSE} | {f"c{row}_{n}": "x" for n in range(50)} for row in range(20)]
    found = choose_columns(wide, {}, {}, "a.csv", Notes())
    assert (found["text"], found["time"]) == ("said", "when")
    assert len(seen) > 1000
    assert max(seen.values()) < 15


def test_digits_that_are_no_numbers_are_no_month() -> None:
    rows = [{"year": "1861", "month": month} for month in ("3", "\u00b2")]
    assert other_parts("year", ["year", "month"], rows) == []
    assert other_parts("year", ["year", "month"], [{"year": "1861", "month": "9" * 5000}]) == []
