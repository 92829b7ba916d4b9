"""Places in a real browser: the map follows the slider and the chosen word, by pointer, touch and keys."""

import csv
import re

import numpy as np
import pytest
from report.browser import find, focused, one, texts, until, visits
from somewhere import PLACES, WORDS

Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="selenium drives the browser").Keys

pytestmark = pytest.mark.slow


@pytest.fixture
def visit(chromium, chart):
    """Opens a page of the report with maps; at the end nothing was asked of the network."""
    with visits(chromium, chart.as_uri(), tame=False) as go:
        yield go


def show(run, text):
    next(option for option in find(run, "#on-map option") if option.text == text).click()


def classes(run):
    """The classes of circles from west to east."""
    circles = sorted(find(run, ".place"), key=lambda circle: float(circle.get_attribute("cx")))
    return [circle.get_attribute("class") for circle in circles]


def across(run):
    """How far to the right the circles are."""
    return sorted(float(circle.get_attribute("cx")) for circle in find(run, ".place"))


def test_a_word_of_the_east_is_coloured_there(visit):
    run = visit("topic-0")
    assert len(find(run, ".place")) == len(PLACES)
    assert one(run, ".map .net").get_attribute("d").startswith("M")
    show(run, "word: east")
    steps = [int(re.search(r"d(\d)", name)[1]) for name in classes(run)]
    assert max(steps[:3]) < 3 < min(steps[3:])
    assert sum("sure" in name for name in classes(run)) >= 4
    assert "“east” is" in one(run, ".places .note").text


def test_a_place_tells_its_numbers_to_the_pointer_and_to_keys(visit):
    from selenium.webdriver import ActionChains

    run = visit("topic-0")
    show(run, "word: east")
    assert not one(run, ".tip").is_displayed()
    ActionChains(run).move_to_element(find(run, ".place")[0]).perform()
    text = one(run, ".tip").text
    assert re.search(r"of the topic’s words \([\d.]+% to [\d.]+%\)", text)
    assert re.search(r"times as often as in all places \([\d.]+ to [\d.]+\)", text)
    run.execute_script("document.querySelector('.place[tabindex=\"0\"]').focus()")
    seen = {one(run, ".tip strong").text}
    for key in [Keys.ARROW_RIGHT] * 5 + [Keys.ARROW_LEFT] * 5 + [Keys.ARROW_DOWN] * 2:
        focused(run).send_keys(key)
        seen.add(one(run, ".tip strong").text)
        assert one(run, ".tip strong").text in focused(run).get_attribute("aria-label")
    assert len(seen) > 3
    focused(run).send_keys(Keys.ESCAPE)
    assert not one(run, ".tip").is_displayed()


def test_the_map_follows_the_slider_and_keeps_to_times_with_documents(visit):
    run = visit("topic-1")
    one(run, "#slider").send_keys(Keys.HOME)
    first = one(run, "#places").text
    one(run, "#slider").send_keys(Keys.END)
    assert one(run, "#places").text != first
    assert one(run, "#places").text.endswith(one(run, ".slider .date").text)


def test_the_map_goes_closer_around_the_chosen_place_and_back(visit):
    run = visit("topic-0")
    whole, (closer, farther) = across(run), find(run, ".near button")
    assert not farther.is_enabled()
    for _ in range(4):
        closer.click()
    assert not closer.is_enabled()
    assert np.ptp(across(run)) > 10 * np.ptp(whole)
    run.execute_script("document.querySelector('.place[tabindex=\"0\"]').focus()")
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_LEFT):
        focused(run).send_keys(key)
        here = focused(run)
        assert here.get_attribute("class").startswith("place")
        assert 0 <= float(here.get_attribute("cx")) <= one(run, ".map .plot").rect["width"]
    for _ in range(4):
        farther.click()
    assert across(run) == whole


def test_the_numbers_are_a_table_too_and_can_be_taken_away(visit):
    run = visit("topic-0")
    show(run, f"word: {WORDS[-1]}")
    one(run, ".places summary").click()
    until(lambda: find(run, ".places tbody tr"))  # the table is filled once it is open
    rows = texts(run, ".places tbody tr")
    assert len(rows) == len(PLACES)
    assert all(re.search(r"\([\d.]+ to [\d.]+\)", row) for row in rows)
    for button in find(run, ".map .take button"):
        button.click()
    files = [run.downloads / f"topic-0-places.{ending}" for ending in ("csv", "svg", "png")]
    until(lambda: all(file.exists() and file.stat().st_size for file in files))
    table = list(csv.DictReader(files[0].open(encoding="utf-8-sig", newline="")))
    assert {row["place"] for row in table} == {*texts(run, ".places tbody th")}
    picture = files[1].read_text(encoding="utf-8")
    assert "var(" not in picture
    assert "<b>" not in picture


def test_a_map_fits_a_phone_where_the_numbers_are_below_it(visit):
    run = visit("topic-0", width=390)
    assert run.execute_script("return document.documentElement.scrollWidth") <= 390
    find(run, ".place")[0].click()
    tip, plot = one(run, ".tip").rect, one(run, ".map .plot").rect
    assert tip["y"] >= plot["y"] + plot["height"]
    assert tip["x"] + tip["width"] <= 390
    nameless = run.execute_script(
        "return [...document.querySelectorAll('.place')].filter(e => !e.getAttribute('aria-label')).length"
    )
    assert nameless == 0
