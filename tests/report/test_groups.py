"""Groups in a real browser: two are chosen and compared at the slider's date, and topics are ranked by differences."""

import csv
import re

import numpy as np
import pytest
from report.browser import find, one, settle, texts, until, visits
from report.conftest import HOSTILE

Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="selenium drives the browser").Keys

pytestmark = pytest.mark.slow


@pytest.fixture
def visit(chromium, parties):
    """Opens a page of the report with groups; at the end no name was run, and nothing was asked of the network."""
    with visits(chromium, parties.as_uri()) as go:
        yield go


def choose(run, menu, name):
    next(option for option in find(run, f"#group-{menu} option") if option.get_property("textContent") == name).click()


def chosen(run):
    return [one(run, f"#group-{i} option:checked").get_property("textContent") for i in range(2)]


def test_two_groups_are_chosen_and_compared_at_the_slider_s_date(visit, grouped):
    run, prevalence = visit("topic-0"), grouped[1].prevalence_
    choose(run, 0, "plain")
    choose(run, 1, HOSTILE[1])
    one(run, "#slider").send_keys(Keys.HOME)
    sentence = one(run, ".contrast").text
    assert sentence.startswith("In 1900, a document of “plain” is expected to be ")
    assert f"one of “{HOSTILE[1]}”" in sentence
    answer = prevalence.contrast(0, "plain", HOSTILE[1], [1900.0]).iloc[0]
    ratio, low, high = map(
        float, re.search(r"is ([\d.]+) times as much .*?interval ([\d.]+) to ([\d.]+)", sentence).groups()
    )
    np.testing.assert_allclose(
        [ratio, low, high], answer[["ratio", "ratio_low", "ratio_high"]].astype(float), rtol=0.15
    )
    points = re.search(r"of (−?[\d.]+) percentage points \((−?[\d.]+) to (−?[\d.]+)\)", sentence).groups()
    expected = 100 * answer[["difference", "difference_low", "difference_high"]].astype(float)
    np.testing.assert_allclose([float(text.replace("−", "-")) for text in points], expected, atol=4)
    assert "The probability that “plain” wrote more is " in sentence
    one(run, "#slider").send_keys(Keys.END)
    assert one(run, ".contrast").text.startswith("In 1969")
    assert [
        len(find(run, f"main [aria-labelledby=groups-compared] {shape}")) for shape in (".line", ".ribbon", ".name")
    ] == [2] * 3


def test_the_groups_that_differ_most_come_first_and_the_same_one_twice_exchanges_them(visit, grouped):
    run = visit("topic-1")
    times = np.r_[1900.0:1925, 1940.0:1970]
    row = grouped[1].prevalence_.differences(times).set_index("topic").loc[1]
    assert chosen(run) == [row["most"], row["least"]]
    before = one(run, ".contrast").text
    choose(run, 0, row["least"])
    assert chosen(run) == [row["least"], row["most"]]
    assert one(run, ".contrast").text != before
    run.execute_script("location.hash = 'topic-0'")
    settle(run)
    assert chosen(run) == [row["least"], row["most"]]  # kept from topic to topic


def test_in_a_gap_no_group_is_drawn(visit):
    run = visit("topic-0")
    for shape in find(
        run, "[aria-labelledby=groups-compared] .line, [aria-labelledby=share] .over, [aria-labelledby=share] .under"
    ):
        assert shape.get_attribute("d").count("M") == 2
    assert "expected share of a document" in one(run, "[aria-labelledby=share] figcaption").text


def test_topics_are_ranked_by_difference_or_ratio_and_lead_to_their_groups(visit, grouped):
    run = visit("groups")
    assert one(run, "nav [aria-current]").text == "Groups"
    assert "3 groups by “party”" in one(run, ".standfirst").text
    assert len(find(run, ".differences tbody tr")) == 2
    cells = [element.get_property("textContent") for element in find(run, ".differences tbody tr:first-child td")]
    assert {cells[0], cells[1]} < {*HOSTILE[:2], "plain"}
    assert re.fullmatch(r"[\d.]+ \(−?[\d.]+ to [\d.]+\)", cells[3])
    one(run, "#ranked option:nth-child(2)").click()
    ratios = [float(text.split()[0]) for text in texts(run, ".differences td:nth-of-type(5)")]
    assert ratios == sorted(ratios, reverse=True)
    one(run, ".differences a").click()
    settle(run)
    assert "#topic-" in run.current_url


def test_charts_and_tables_of_groups_are_saved_as_numbers(visit):
    run = visit("topic-0")
    find(run, "[aria-labelledby=groups-compared] .take button")[0].click()
    find(run, "[aria-labelledby=groups-compared] .take button")[1].click()
    run = visit("groups")
    one(run, ".take button").click()
    files = [run.downloads / name for name in ("topic-0-groups.csv", "topic-0-groups.svg", "differences-of-groups.csv")]
    until(lambda: all(file.exists() and file.stat().st_size for file in files))
    curves, differences = (list(csv.DictReader(files[i].open(encoding="utf-8-sig", newline=""))) for i in (0, 2))
    assert list(curves[0]) == ["group", "time", "date", "share", "low", "high"]
    assert len({row["group"] for row in curves}) == 2
    assert len(curves) == 2 * 55
    assert len(differences) == 2
    assert float(differences[0]["difference"]) >= float(differences[1]["difference"])
    assert "<script" not in files[1].read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ["topic-0", "groups"])
def test_groups_fit_a_phone_and_have_names_for_all_controls(visit, place):
    run = visit(place, width=375)
    assert run.execute_script("return document.documentElement.scrollWidth") <= 375
    assert run.execute_script("return [...document.querySelectorAll('main select')].every(e => e.labels.length === 1)")
    ids = run.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_without_groups_nothing_leads_to_them(chromium, address):
    chromium.get(f"{address}#groups")
    settle(chromium)
    assert one(chromium, "h1").text == "Sixty years"
    assert not find(chromium, "nav a[href='#groups']")
