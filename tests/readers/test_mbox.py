"""Mailboxes: the text of every message, whatever its form, at its date."""

from __future__ import annotations

import gzip
import mailbox as standard
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from chronotope.readers import mbox as mail
from chronotope.readers import read
from chronotope.readers.records import Record

PLAIN = b"""From anne@x Mon Mar  4 10:00:00 2013
From: =?utf-8?q?=C3=84nne?= <anne@x>
Date: Mon, 4 Mar 2013 10:00:00 +0100
Subject: War
Message-ID: <1@x>

The war has ended.
>From here on there is peace.
From now on too.

"""


def test_a_message_is_a_record(write: Any) -> None:
    assert list(read(write("a.mbox", PLAIN))) == [
        Record(
            "The war has ended.\n>From here on there is peace.\nFrom now on too.",
            "2013-03-04T09:00:00",
            "<1@x>",
            {"subject": "War", "from": "Änne <anne@x>"},
        )
    ]


def test_messages_written_by_the_standard_library_are_read_back(tmp_path: Path) -> None:
    box = standard.mbox(tmp_path / "box")
    for year, text in ((2001, "größer war"), (2002, "From peace\n\nFrom bread"), (2003, "wine")):
        message = EmailMessage()
        message["Date"] = f"Mon, 4 Mar {year} 10:00:00 +0000"
        message.set_content(text)
        message.add_alternative(f"<html><head><style>p {{}}</style></head><p>{text}</p></html>", subtype="html")
        message.add_attachment(b"attached", maintype="text", subtype="plain", filename="a.txt")
        box.add(message)
    box.flush()
    packed = tmp_path / "box.mbox.gz"
    packed.write_bytes(gzip.compress((tmp_path / "box").read_bytes()))
    for path in (tmp_path / "box", packed):
        records = list(read(path))
        assert [record.text.replace(">From", "From") for record in records] == [
            "größer war",
            "From peace\n\nFrom bread",
            "wine",
        ]
        assert [record.time for record in records] == [f"{year}-03-04T10:00:00" for year in (2001, 2002, 2003)]
        assert records[0].id == "message 1"


def test_html_stands_in_for_plain_text(write: Any) -> None:
    html = b"<head><title>no</title></head><script>no</script><p>war &amp; <b>peace</b></p> 3 < 4<!-- no -->"
    message = PLAIN.split(b"\n\n")[0] + b"\nContent-Type: text/html\n\n" + html
    (record,) = read(write("a.mbox", message))
    assert record.text.split() == ["war", "&", "peace", "3", "<", "4"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"Date: Mon, 4 Mar 2013 10:00:00 +0100\n", b"", "no time"),
        (b"Mon, 4 Mar 2013 10:00:00 +0100", b"yesterday", "unreadable time"),
        (PLAIN.partition(b"\n\n")[2], b"\n", "no text"),
    ],
)
def test_messages_without_date_or_text_are_counted(write: Any, old: bytes, new: bytes, reason: str) -> None:
    reading = read(write("a.mbox", PLAIN.replace(old, new) + PLAIN))
    assert len(list(reading)) == 1
    assert reading.dropped.counts == {reason: 1}
    assert "(message 1" in str(reading.dropped)


def test_strange_headers_and_characters_are_no_obstacle(write: Any) -> None:
    strange = PLAIN.replace(b"Subject: War", b"Subject: =?klingon?q?=FF?=\nContent-Type: text/plain; charset=klingon")
    (record,) = read(write("a.mbox", strange.replace(b"war", b"gr\xf6\xdfer war")))
    assert "größer war" in record.text


def test_a_message_too_large_is_counted_and_not_kept(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "_LARGEST", 1000)
    reading = read(write("a.mbox", PLAIN + PLAIN.replace(b"war", b"war\n" * 5000) + PLAIN))
    assert len(list(reading)) == 2
    assert reading.dropped.counts.total() == 1


@pytest.mark.parametrize(("content", "what"), [("", "is empty"), ("Dear Anne", "is not an mbox file")])
def test_what_is_no_mailbox_is_refused(write: Any, content: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"a.mbox {what}; expected messages"):
        read(write("a.mbox", content))


def nested(depth: int) -> bytes:
    """A message of parts in parts."""
    text, head = "war", "Content-Type: text/plain\n"
    for n in range(depth):
        text = f"--b{n}\n{head}\n{text}\n--b{n}--\n"
        head = f'Content-Type: multipart/mixed; boundary="b{n}"\n'
    return f"From x\nDate: Mon, 4 Mar 2013 10:00:00 +0100\n{head}\n{text}\n\n".encode()


def test_parts_nested_too_deeply_cost_their_message(write: Any) -> None:
    reading = read(write("a.mbox", PLAIN + nested(20) + nested(3000)))
    assert [record.text[-3:] for record in reading] == ["oo.", "war"]
    assert reading.dropped.counts == {"parts nested too deeply": 1}


@pytest.mark.parametrize(
    "date", ["Mon, 4 Mar 2013 10:00:00 +99999999999", "Mon, 4 Mar 99999999999999999999 10:00:00", "(" * 10_000]
)
def test_a_date_of_too_many_digits_costs_its_message(write: Any, date: str) -> None:
    reading = read(write("a.mbox", PLAIN + f"From x\nDate: {date}\n\nwar\n\n".encode()))
    assert len(list(reading)) == 1
    assert reading.dropped.counts == {"unreadable time": 1}
