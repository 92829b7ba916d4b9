"""Dates in words and numbers: every usual form is read, the order of day and month is told or refused."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.dates import months
from chronotope.dates.decimal import parse_times
from chronotope.dates.parse import DateOrder, iso_date

FORMS = [
    "%B %d, %Y",
    "%b %d %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%A, %B %d, %Y",
    "%a %b %d 00:00:00 %Y",
    "%d.%m.%Y",
]
FORMS += ["%Y %B %d", "%a, %d %b %Y 00:00:00 +0000", "%Y/%m/%d", "%d%b%Y", "%a %b %d 00:00:00 +0000 %Y"]
days = st.dates(min_value=dt.date(1000, 1, 1))


@given(days, st.sampled_from(FORMS))
def test_every_form_of_a_day_is_that_day(day: dt.date, form: str) -> None:
    written = day.strftime(form)
    for text in (written, written.upper(), written.lower()):
        np.testing.assert_array_equal(parse_times([text]).values, parse_times([day]).values)


@given(st.lists(days, min_size=1, max_size=30), st.booleans(), st.sampled_from("/-"))
def test_the_column_tells_the_order_of_day_and_month_or_is_refused(
    column: list[dt.date], day_first: bool, sep: str
) -> None:
    form = f"%d{sep}%m{sep}%Y" if day_first else f"%m{sep}%d{sep}%Y"
    texts = [day.strftime(form) for day in column]
    if any(day.day > 12 for day in column) or all(day.day == day.month for day in column):
        np.testing.assert_array_equal(parse_times(texts).values, parse_times(column).values)
    else:
        with pytest.raises(ValueError, match=r"can be read day first or month first, and no date decides"):
            parse_times(texts)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("March 4th, 1861", "1861-03-04"),
        ("the 4th of March, 1861", "1861-03-04"),
        ("Tues., Sept. 3 1861", "1861-09-03"),
        ("4 Mar 1861", "1861-03-04"),
        ("March 1861", "1861-03"),
        ("1861 March", "1861-03"),
        ("2004Q2", "2004-04"),
        ("2004-Q4", "2004-10"),
        ("4. 3. 1861", "1861-03-04"),
        ("2004-5-1 9:30", "2004-05-01T09:30:00"),
        ("Mon, 4 Mar 2013 12:00:00 +0100 (CET)", "2013-03-04T12:00:00+0100"),
        ("Mon Mar  4 10:00:00 UTC 2013", "2013-03-04T10:00:00Z"),
        ("Mon Mar 4 10:00:00 2013 -0500", "2013-03-04T10:00:00-0500"),
        ("March 4, 2013 at 12:05 am", "2013-03-04T00:05:00"),
        ("March 4, 2013 12:05:30.5 PM EST", "2013-03-04T12:05:30.5-0500"),
        ("4/4/1861", "1861-04-04"),
    ],
)
def test_a_form_has_its_iso_text(text: str, iso: str) -> None:
    assert iso_date(text) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("4. März 1861", "1861-03-04"),
        ("Montag, 4. März 1861", "1861-03-04"),
        ("1er août 1861", "1861-08-01"),
        ("lundi 4 mars 1861 10:30", "1861-03-04T10:30:00"),
        ("le 14 juillet 1789", "1789-07-14"),
        ("4 de marzo de 1861", "1861-03-04"),
        ("segunda-feira, 1º de março de 1861", "1861-03-01"),
        ("4 gennaio 1861", "1861-01-04"),
        ("4 mrt 1861", "1861-03-04"),
        ("4 października 1861", "1861-10-04"),
        ("4 марта 1861 г.", "1861-03-04"),
        ("листопад 1861", "1861-11"),
        ("den 4 maj 1861", "1861-05-04"),
        ("1861. március 4.", "1861-03-04"),
        ("4. maaliskuuta 1861", "1861-03-04"),
        ("1 Ekim 1920", "1920-10-01"),
        ("4 Μαρτίου 1861", "1861-03-04"),
        ("1861年3月4日", "1861-03-04"),
        ("1861년 3월", "1861-03"),
    ],
)
def test_months_have_names_in_many_languages(text: str, iso: str) -> None:
    assert iso_date(text) == iso
    assert iso_date(text.upper()) == iso


def test_every_name_of_a_month_is_that_month() -> None:
    for line in months._MONTHS.strip().splitlines():
        assert len(line.split()) == 12
        for number, forms in enumerate(line.split(), start=1):
            assert [iso_date(f"4 {name} 1861") for name in forms.split("/")] == [f"1861-{number:02d}-04"] * (
                forms.count("/") + 1
            )


def test_a_short_form_of_two_months_is_no_date() -> None:
    assert iso_date("4 jui 1861") is None  # juin or juillet
    assert iso_date("4 juil. 1861") == "1861-07-04"


NO_DATES = ["", "n.d.", "c. 1861", "03/04/61", "03/04/1861", "Marchember 4, 1861", "4 March", "May", "2004-5", "1860s"]
NO_DATES += ["circa 4 March 1861", "before 4 March 1861", "4 March 61", "March 04", "61-03-04"]
NO_DATES += ["12:30", "March 4, 2013 10:00 QQQ", "March 4, 1861" + " " * 1_000_000]


@pytest.mark.parametrize("text", NO_DATES, ids=lambda text: text[:30])
def test_other_texts_are_no_dates(text: str) -> None:
    assert iso_date(text) is None


@pytest.mark.parametrize("text", ["30 February 2004", "45.1.2004", "March 4, 2013 13:00 pm", "4 March 2013 25:00"])
def test_days_and_hours_that_do_not_exist_are_unreadable(text: str) -> None:
    assert not parse_times([text, "1790-01-01"], on_bad="drop").keep[0]


def test_day_and_month_are_read_as_said() -> None:
    assert iso_date("03/04/1861", day_first=True) == "1861-04-03"
    assert iso_date("3-4-1861 1:05 PM", day_first=False) == "1861-03-04T13:05:00"


def test_a_column_in_both_orders_is_refused() -> None:
    with pytest.raises(ValueError, match=r"day first × 1 \('25/03/1861'\), month first × 1 \('03/25/1861'\); write"):
        parse_times(["25/03/1861", "03/25/1861", "03/04/1861"])


def test_impossible_dates_do_not_tell_the_order() -> None:
    order = DateOrder()
    for text in ("45/45/1861", "no date", "4/4/1861"):
        order.see(text)
    assert not order.open
    assert order.day_first() is None


@given(st.text())
def test_any_text_is_read_or_left_without_an_error(text: str) -> None:
    parsed: Any = parse_times([text, "1790-01-01"], on_bad="drop")
    assert parsed.keep[1]
