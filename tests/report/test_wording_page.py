"""Two groups side by side in a real browser: lists, words that part them, divergence, and curves of one word."""

import csv
import re

import numpy as np
import pytest
from report.browser import find, one, settle, texts, until, visits
from report.conftest import HOSTILE

from chronotope.analysis.groups import contrast

Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="selenium drives the browser").Keys

pytestmark = pytest.mark.slow
SECTION = "[aria-labelledby=wording]"


@pytest.fixture
def visit(chromium, voices):
    """Opens a page of the report; at the end no name was run, and nothing was asked of the network."""
    with visits(chromium, voices.as_uri()) as go:
        yield go


def war(visit):
    """The number of the topic of war."""
    for k in range(2):
        run = visit(f"topic-{k}")
        if "battle" in one(run, "h1").text:
            return k
    raise AssertionError("no topic is of war")


def choose(run, side, name):
    options = find(run, f"#wording-{side} option")
    next(option for option in options if option.get_property("textContent") == name).click()


def chosen(run):
    return [one(run, f"#wording-{i} option:checked").get_property("textContent") for i in range(2)]


def test_the_words_of_two_groups_at_the_slider_s_date_are_the_model_s(visit, spoken):
    k, topics = war(visit), spoken[1].topics_
    run = visit(f"topic-{k}")
    choose(run, 0, "plain")
    choose(run, 1, HOSTILE[0])
    one(run, "#slider").send_keys(Keys.END)
    for side, group in enumerate(("plain", HOSTILE[0])):
        shown = texts(run, f"{SECTION} .side.c{side} .word")
        expected = [word for word, _ in topics.top_words(k, 1969.0, 3, group=group)]
        assert shown[:3] == expected
    assert "in 1969" in one(run, f"{SECTION} .sides h3").text
    assert "words of this topic" in one(run, f"{SECTION} .sides .note").text


def test_words_that_part_groups_have_ratio_interval_and_probability(visit, spoken):
    k = war(visit)
    run = visit(f"topic-{k}")
    choose(run, 0, "plain")
    choose(run, 1, HOSTILE[0])
    one(run, "#slider").send_keys(Keys.END)
    row = find(run, ".parting.c0 tbody tr")[0]
    assert row.text.startswith("army")
    ratio, low, high = map(float, re.search(r"([\d.]+) \(([\d.]+) to ([\d.]+)\)", row.text).groups())
    answer = contrast(spoken[1], k, "plain", HOSTILE[0], [1969.0], words=["army"]).iloc[0]
    np.testing.assert_allclose([ratio, low, high], answer[["ratio", "low", "high"]].astype(float), rtol=0.25)
    assert "99%" in row.text
    one(run, "#slider").send_keys(Keys.HOME)
    assert "army" not in texts(run, ".parting .word")


def test_the_parting_is_said_and_drawn(visit):
    run = visit(f"topic-{war(visit)}")
    choose(run, 0, "plain")
    choose(run, 1, HOSTILE[0])
    sentence = one(run, f"{SECTION} .contrast").text
    assert sentence.startswith(f"The probability that “plain” and “{HOSTILE[0]}” parted")
    assert find(run, f"{SECTION} .under")
    when = re.search(r"about (\d{4})", sentence)
    if when:
        assert abs(int(when[1]) - 1935) <= 5
        assert find(run, "line.parted")


def test_a_word_is_chosen_from_lists_or_the_menu_and_drawn_in_both_groups(visit):
    run = visit("topic-0")
    button = find(run, f"{SECTION} .side.c1 button")[2]
    button.send_keys(Keys.ENTER)
    word = button.text.split("\n")[0]
    assert one(run, "#wording-word option:checked").get_property("textContent") == word
    assert one(run, f"{SECTION} .heading.word").text == word
    assert len(find(run, f"{SECTION} .line")) == len(find(run, f"{SECTION} .ribbon")) == 2
    find(run, "#wording-word option")[0].click()
    assert one(run, f"{SECTION} .heading.word").text == find(run, "#wording-word option")[0].text


def test_the_largest_groups_come_first_and_choices_are_kept_from_topic_to_topic(visit, spoken):
    run = visit("topic-0")
    names, sizes = np.unique(spoken[0].metadata["party"].astype(str), return_counts=True)
    largest = [str(names[i]) for i in np.argsort(-sizes)[:2]]
    assert chosen(run) == largest
    choose(run, 0, largest[1])
    assert chosen(run) == largest[::-1]
    run.execute_script("location.hash = 'topic-1'")
    settle(run)
    assert chosen(run) == largest[::-1]


def test_the_same_numbers_can_be_taken_away(visit):
    run = visit("topic-1")
    names = ("topic-1-groups-words.csv", "topic-1-divergence.csv", "topic-1-word-of-groups.csv")
    for button in find(run, f"{SECTION} .take button:first-child"):
        button.click()
    files = [run.downloads / name for name in names]
    until(lambda: all(file.exists() and file.stat().st_size for file in files))
    words, divergence, curves = (list(csv.DictReader(file.open(encoding="utf-8-sig", newline=""))) for file in files)
    assert {"word", "date", "ratio", "ratio low", "ratio high", "probability"} <= set(words[0])
    assert all(float(row["ratio low"]) <= float(row["ratio"]) <= float(row["ratio high"]) for row in words)
    assert list(divergence[0]) == ["time", "date", "divergence", "low", "high"]
    assert len({row["group"] for row in curves}) == 2


def test_two_groups_fit_a_phone_side_by_side_and_all_controls_have_names(visit):
    run = visit("topic-0", width=390)
    assert run.execute_script("return document.documentElement.scrollWidth") <= 390
    left, right = find(run, f"{SECTION} .side")
    assert left.rect["y"] == right.rect["y"]
    assert left.rect["x"] + left.rect["width"] <= right.rect["x"]
    assert run.execute_script("return [...document.querySelectorAll('main select')].every(e => e.labels.length === 1)")
    ids = run.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_menus_are_not_printed_but_lists_are(visit):
    run = visit("topic-0")
    run.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = [element for element in find(run, ".compare, .take") if element.is_displayed()]
    lists = [element.is_displayed() for element in find(run, f"{SECTION} .side")]
    run.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert not hidden
    assert lists == [True, True]
