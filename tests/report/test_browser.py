"""The report in a real browser: opened, clicked, slid, searched, by mouse and by keys, wide and narrow."""

import csv
import time

import numpy as np
import pytest
from report.browser import drain, find, focused, one, settle, size, texts, until

import chronotope as ct

Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="selenium drives the browser").Keys

pytestmark = pytest.mark.slow


def test_the_overview_shows_every_topic_and_leads_to_it(page):
    run = page()
    assert one(run, "h1").text == "Sixty years"
    assert "3 topics in 244 documents" in one(run, ".standfirst").text
    assert len(find(run, ".card")) == 3
    assert len(find(run, ".layer")) == 3
    find(run, ".card")[1].click()
    settle(run)
    assert "#topic-" in run.current_url
    assert focused(run).tag_name == "h1"
    assert len(find(run, ".ranks li")) == 12
    run.back()
    settle(run)
    assert len(find(run, ".card")) == 3


def test_topics_can_be_put_in_another_order(page):
    run = page()
    one(run, "#order option[value=number]").click()
    assert texts(run, ".card .number") == ["TOPIC 0", "TOPIC 1", "TOPIC 2"]


def test_the_slider_ranks_the_words_anew(page):
    run = page(f"topic-{war(page)}")
    slider = one(run, "#slider")
    slider.send_keys(Keys.HOME)
    early, date = texts(run, ".ranks .word")[0], one(run, ".slider .date").text
    slider.send_keys(Keys.END)
    late = texts(run, ".ranks .word")[0]
    assert (early, date, late) == ("army", "1900", "soldier")
    slider.send_keys(Keys.ARROW_LEFT)
    assert one(run, ".slider .date").text == slider.get_attribute("aria-valuetext") == "1959"
    assert "in 1959" in one(run, "#words").text


def war(page):
    """The number of the topic of war."""
    run = page()
    return next(
        card.get_attribute("href") for card in find(run, ".card") if "army" in card.text or "soldier" in card.text
    )[-1]


def test_a_word_s_button_draws_and_takes_away_its_curve(page):
    run = page("topic-0")
    button = one(run, ".ranks button")
    was = button.get_attribute("aria-pressed") == "true"
    n = len(find(run, ".words .line"))
    button.send_keys(Keys.ENTER)
    assert len(find(run, ".words .line")) == (n - 1 if was else min(n + 1, 7))
    assert len(find(run, ".words .ribbon")) == len(find(run, ".words .line"))
    one(run, "#log").click()
    assert len(find(run, ".words .line")) == len(find(run, ".words .name"))


def test_a_press_in_a_chart_moves_the_slider(page):
    from selenium.webdriver import ActionChains

    run = page("topic-0")
    target = one(run, ".words .target")
    ActionChains(run).move_to_element_with_offset(target, -target.size["width"] // 4, 0).click().perform()
    assert abs(int(one(run, "#slider").get_attribute("value")) - 15) <= 1


def test_playing_moves_through_time_and_stops(page):
    run = page("topic-0")
    one(run, "#slider").send_keys(Keys.HOME)
    one(run, ".play").click()
    until(lambda: int(one(run, "#slider").get_attribute("value")) > 2)
    one(run, ".play").click()
    until(lambda: one(run, ".play").get_attribute("aria-label") == "Play through time")
    at = one(run, "#slider").get_attribute("value")
    time.sleep(0.5)
    assert one(run, "#slider").get_attribute("value") == at


def test_documents_follow_the_slider_and_have_their_words_marked(page):
    run = page("topic-0")
    one(run, "#slider").send_keys(Keys.HOME)
    assert one(run, ".periods [aria-pressed=true]").text == find(run, ".periods button")[0].text
    find(run, ".periods button")[3].click()
    assert find(run, "article")[0].text.startswith("19")
    assert find(run, "article mark")


def test_an_event_moves_the_slider(page):
    run = page()
    for k in range(3):
        run = page(f"topic-{k}")
        if find(run, ".events button"):
            one(run, "#slider").send_keys(Keys.END)
            find(run, ".events button")[0].click()
            assert one(run, "#slider").get_attribute("value") != "60"
            assert len(find(run, ".chart .event")) == len(find(run, ".events button"))


def test_a_word_is_found_by_keys_alone(page):
    run = page()
    query = one(run, "#query")
    query.send_keys("whe")
    assert texts(run, "#hits a") == ["wheat"]
    assert one(run, "#found").get_attribute("textContent") == "1 word found"
    query.send_keys(Keys.ARROW_DOWN)
    focused(run).send_keys(Keys.ENTER)
    until(lambda: "#word-wheat" in run.current_url)
    settle(run)
    assert one(run, "h1").text == "wheat"
    assert not one(run, "#hits").is_displayed()
    table = texts(run, "tbody tr")
    assert "wheat" in table[0] or "corn" in table[0]
    one(run, "tbody a").click()
    settle(run)
    assert run.current_url.endswith("/wheat")
    assert "wheat" in texts(run, ".words .name")


def test_a_word_that_is_not_there_is_said_to_be_missing(page):
    run = page()
    one(run, "#query").send_keys("zzz", Keys.ENTER)
    assert "no such word" in one(run, "#hits").get_attribute("textContent")


def test_the_model_is_told_in_words(page):
    run = page("about")
    text = one(run, "main").text
    assert "Ornstein-Uhlenbeck" in text
    assert "length scale 30 years" in text
    assert len(find(run, ".line")) == 1


def test_everything_can_be_reached_with_the_tab_key_and_shows_its_focus(page):
    run = page("topic-0")
    wanted = {"query", "slider", "log", "play", "ranks", "periods", "take"}
    seen = set()
    one(run, "body").send_keys(Keys.TAB)
    for _ in range(80):
        here = focused(run)
        name = here.get_attribute("id") or here.get_attribute("class") or ""
        parent = run.execute_script("return (arguments[0].closest('.ranks, .periods, .take') || {}).className", here)
        seen |= {name, parent}
        if here.tag_name in ("a", "button", "input"):
            assert run.execute_script("return getComputedStyle(arguments[0]).outlineStyle", here) != "none"
        here.send_keys(Keys.TAB)
    assert wanted <= seen


@pytest.mark.parametrize("place", ["overview", "topic-0", "word-wheat", "documents?q=wheat", "about"])
def test_a_phone_needs_no_sideways_scrolling(page, place):
    run = page(place, width=375, height=700)
    assert run.execute_script("return document.documentElement.scrollWidth") <= 375
    small = run.execute_script(
        "return [...document.querySelectorAll('main button, main select')].filter(e => e.offsetHeight < 24).length"
    )
    assert small == 0


@pytest.mark.parametrize("place", ["overview", "topic-0", "word-wheat", "documents?q=wheat", "about"])
def test_every_control_and_picture_has_a_name(page, place):
    run = page(place)
    nameless = run.execute_script(
        """return [...document.querySelectorAll('button, a, input, select, svg:not([aria-hidden])')].filter(
            e => !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length))).length"""
    )
    assert nameless == 0
    assert run.execute_script("return document.querySelectorAll('h1').length") == 1
    ids = run.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_every_chart_is_saved_as_numbers_and_as_pictures(page):
    run = page("topic-0")
    buttons = find(run, ".words .take button")
    for button in buttons:
        button.click()
    folder = run.downloads
    files = [folder / f"topic-0-words.{ending}" for ending in ("csv", "svg", "png")]
    until(lambda: all(file.exists() and file.stat().st_size for file in files))
    rows = list(csv.DictReader(files[0].open(encoding="utf-8-sig", newline="")))
    assert list(rows[0]) == ["word", "time", "date", "mean", "low", "high"]
    assert len(rows) == 61 * len(find(run, ".words .line"))
    assert all(float(row["low"]) <= float(row["high"]) for row in rows)
    picture = files[1].read_text(encoding="utf-8")
    assert "var(" not in picture
    assert 'stroke="rgb(' in picture
    assert files[2].read_bytes().startswith(b"\x89PNG")


def test_buttons_and_menus_are_not_printed(page):
    run = page("topic-0")
    run.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = [element for element in find(run, ".take, nav, #search, .play") if element.is_displayed()]
    run.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert not shown


def test_a_place_that_does_not_exist_is_the_overview(page):
    assert find(page("topic-99"), ".card")
    assert find(page("word-%E0%A4%A"), ".card")


def test_hostile_texts_are_shown_and_never_run(chromium, hostile, tmp_path):
    corpus, model = hostile
    title = "</title><script>window.hacked=9</script>"
    path = ct.write_report(model, corpus, tmp_path / "hostile.html", title=title, verbose=False)
    drain(chromium)
    words = [str(word) for word in corpus.vocabulary]
    for place in [
        "overview",
        "topic-0",
        "topic-1",
        "documents",
        "documents?q=hacked",
        "about",
        *(f"word-{encoded(word)}" for word in words),
    ]:
        chromium.get("about:blank")
        chromium.get(f"{path.as_uri()}#{place}")
        assert chromium.execute_script("return window.hacked") is None
        assert not find(chromium, "main img, main script, main b")
        if place.startswith("word-"):
            assert one(chromium, "h1").get_attribute("textContent") in words
    one(chromium, "#query").send_keys("<img")
    assert texts(chromium, "#hits a") == ["<img src=x onerror=window.hacked=2>"]
    chromium.get(f"{path.as_uri()}#topic-0")
    assert "<script>" in one(chromium, ".documents").text
    console, requests = drain(chromium)
    assert console == []
    assert {url.split("#")[0] for url in requests} <= {path.as_uri(), "about:blank"}


def encoded(word):
    from urllib.parse import quote

    return quote(word, safe="")


def test_in_a_gap_nothing_is_drawn_and_the_slider_passes_over_it(chromium, model, corpus, tmp_path):
    rows = np.flatnonzero((corpus.times < 1920) | (corpus.times > 1935))
    path = ct.write_report(model, corpus[rows], tmp_path / "gap.html", verbose=False)
    size(chromium, 1280, 900)
    chromium.get(path.as_uri() + "#topic-0")
    settle(chromium)
    for shape in (".ribbon", ".line", ".over"):
        assert one(chromium, shape).get_attribute("d").count("M") == 2
    assert one(chromium, ".strip").get_attribute("d").count("M") == 46
    slider = one(chromium, "#slider")
    chromium.execute_script("arguments[0].value = 21; arguments[0].dispatchEvent(new Event('input'))", slider)
    assert one(chromium, ".slider .date").text == "1935"
    chromium.execute_script("arguments[0].value = 30; arguments[0].dispatchEvent(new Event('input'))", slider)
    assert one(chromium, ".slider .date").text == "1919"
    chromium.get(path.as_uri() + "#overview")
    settle(chromium)
    assert all(layer.get_attribute("d").count("M") == 2 for layer in find(chromium, ".layer"))
    assert drain(chromium)[0] == []
