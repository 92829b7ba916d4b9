"""The pages about dates in a real browser: a text is dated as the library dates it, rough dates are drawn as such."""

import json
import re

import numpy as np
import pytest
from report.browser import drain, find, one, settle, texts, until, visits
from report.test_dating import page_mass
from report.test_report import data_of

import chronotope as ct
from chronotope.dating.stack import posterior, quantiles

pytest.importorskip("selenium", reason="selenium drives the browser")
pytestmark = pytest.mark.slow


@pytest.fixture
def ask(chromium, dating_page):
    """Opens a page; at the end nothing was run, the console is clean, and nothing was asked of the network."""
    with visits(chromium, dating_page.as_uri(), "dating") as go:
        yield go


def paste(run, text):
    """Put a text in and wait for the answer."""
    put = "const e = arguments[0]; e.value = arguments[1]; e.dispatchEvent(new Event('input'))"
    run.execute_script("document.querySelector('.answer').replaceChildren()")
    run.execute_script(put, one(run, "#undated"), text)
    until(lambda: find(run, ".answer .note"))
    settle(run)


def counted(model, text):
    """Counts of a text with the words of a model, (1, V)."""
    counts = ct.Corpus.from_texts([text], [1950.0], preprocessing=ct.Preprocessing(min_count=1))
    n = dict(zip(map(str, counts.vocabulary), counts.counts.toarray()[0], strict=True))
    return ct.Corpus([[n.get(str(word), 0) for word in model.topics_.vocabulary]], [0.0]).counts


def dated_by(model, mass):
    """Most probable date, and intervals of 50, 80 and 95%, in years; None for ends that are open.   mass : (1, C)"""
    words, weighing = model.dating_.words, model.dating_.without_topics
    first, last = model.date(np.zeros((1, len(model.topics_.vocabulary)), int)).inner
    intervals = []
    for level in (0.5, 0.8, 0.95):
        wide = weighing.level(level) / 2
        low, high = quantiles(mass, words.edges, np.array([0.5 - wide, 0.5 + wide]))[0]
        intervals.append((None if low < first else low, None if high > last else high))
    return words.times[mass[0].argmax()], intervals


def said(low, high):
    years = [None if end is None else int(np.floor(end)) for end in (low, high)]
    if years[0] == years[1]:
        return f"in {years[0]}" if years[0] else "at any time"
    if years[0] is None:
        return f"in {years[1]} or before"
    return f"in {years[0]} or after" if years[1] is None else f"between {years[0]} and {years[1]}"


@pytest.mark.parametrize("row", [10, 350, 690])
def test_a_pasted_text_is_dated_as_the_library_dates_it(ask, archive, dating_model, dating_page, row):
    text = str(archive.texts[row]) + " Unknown-thing isn’t known; x1 ab"
    run = ask()
    paste(run, text)
    found, counts, words = data_of(dating_page), counted(dating_model, text), dating_model.dating_.words
    place = {str(word): v for v, word in enumerate(dating_model.topics_.vocabulary)}
    listed = np.array([place[word] for word in found["vocabulary"]])
    best, intervals = dated_by(dating_model, page_mass(found["dating"], words.times, counts[:, listed]))
    beyond = " or before" if best < 1901 else " or after" if best >= 1959 else ""
    assert one(run, ".dated").text == f"Most probably {best:.0f}{beyond}"
    assert texts(run, ".intervals dt") == ["50%", "80%", "95%"]
    assert texts(run, ".intervals dd") == [said(*interval) for interval in intervals]
    right = posterior(words.curves(counts), dating_model.dating_.without_topics.beta)
    assert right[0, np.searchsorted(words.times, best)] > 0.95 * right.max()
    ends = [np.nan_to_num(np.array(each, float), nan=1900.0) for each in (intervals, dated_by(dating_model, right)[1])]
    np.testing.assert_allclose(*ends, rtol=0, atol=0.1)
    n = len(str(archive.texts[row]).split())
    assert one(run, ".answer .note").text == f"The model knows {n} of its {n + 4} words."


def test_the_words_for_and_against_a_date_are_those_of_the_text(ask):
    run = ask()
    paste(run, "DAWORD daword, fjword")
    shown = texts(run, ".telling li")
    assert {line.split()[0] for line in shown} == {"daword", "fjword"}
    assert texts(run, ".evidence h3") == ["For this date", "Against it"]
    assert len(find(run, ".chart .over")) == 1
    find(run, ".telling a")[0].click()
    until(lambda: "#word-" in run.current_url)


def test_a_text_without_known_words_and_markup_are_only_text(ask, archive):
    run = ask()
    paste(run, "<img src=x onerror=window.hacked=1><script>window.hacked=2</script>")
    assert one(run, ".dated").text == "The model knows none of its words, so it cannot say."
    assert not find(run, ".chart")
    paste(run, f"<b>{archive.texts[3]}</b>")
    assert one(run, ".dated").text.startswith("Most probably 19")
    run.execute_script(
        "const e = arguments[0]; e.value = ' '; e.dispatchEvent(new Event('input'))", one(run, "#undated")
    )
    until(lambda: not find(run, ".answer *"))
    assert one(run, ".dated").text == ""


def test_tokens_are_those_of_the_library(ask, dating_page):
    from chronotope.text.options import Preprocessing

    hard = (
        "Don't! The mother-in-law's İstanbul 3rd x2y co-operate O'Neill l’état naïve ﬁne soft\u00adhyphen об'єкт 한국 "
        "中国经济发展 abc_def éé a\u0301\u0301bc Ünïcode 1984 end."
    )
    run = ask()
    tokenizer = (dating_page.parent / "dating.html").read_text(encoding="utf-8")
    script = tokenizer[tokenizer.index("const LETTER") : tokenizer.index("// How often each word of the vocabulary")]
    for how in ("words", "pairs"):
        rules = {"how": how, "lowercase": True, "whole": ["don't"]}
        options = Preprocessing(tokenizer=how, stop_words=["don't"])
        call = f"{script}; return tokensOf(arguments[0], {json.dumps(rules)}).filter((word) => word !== null)"
        assert run.execute_script(call, hard) == [word for word in options.splitter()(hard) if word]


def test_phrases_are_joined_as_in_the_corpus(chromium, archive, tmp_path):
    options = ct.Preprocessing(phrases=["daword_dbword"], min_count=1)
    corpus = ct.Corpus.from_texts(archive.texts[archive.exact], archive.times[archive.exact], preprocessing=options)
    assert "daword_dbword" in corpus.vocabulary
    model = ct.DynamicTopicModel(2, max_epochs=1, n_threads=1, verbose=False).fit(corpus).learn_dating(corpus)
    path = ct.write_report(model, corpus, tmp_path / "p.html", dating=True, search_documents=0, verbose=False)
    chromium.get(f"{path.as_uri()}#dating")
    settle(chromium)
    paste(chromium, "Daword dbword. Daword, dbword")
    assert {line.split()[0] for line in texts(chromium, ".telling li")} == {"daword_dbword", "daword", "dbword"}
    paste(chromium, "Daword-dbword, other")
    assert {line.split()[0] for line in texts(chromium, ".telling li")} == {"daword_dbword"}
    assert one(chromium, ".answer .note").text == "The model knows 2 of its 3 words."


def test_a_rough_date_is_shown_as_it_is_known_with_a_bar_over_its_span(ask, dating_page):
    found = data_of(dating_page)
    assert set(found["bars"]) == {"1930 to 1939", "unknown", "before 1910", "1920 to 1940, most likely 1928 to 1932"}
    assert found["bars"]["1930 to 1939"] == [[1930, 1930, 1940, 1940]]
    run = ask("documents?from=1934&to=1935")
    dates = texts(run, ".results .date")
    rough = [card for card in find(run, ".results article") if find(card, ".known")]
    assert 0 < len(rough) < len(dates)
    assert {card.find_element("css selector", ".date").text for card in rough} == {"1930 to 1939"}
    rect = rough[0].find_element("css selector", ".known rect")
    assert float(rect.get_attribute("x")) == pytest.approx(110 * 30 / 59, abs=0.1)
    assert float(rect.get_attribute("width")) == pytest.approx(110 * 10 / 59, abs=0.1)


def test_the_page_of_a_rough_document_has_its_curve_its_interval_and_its_words(ask, dating_page, archive, dating_model):
    found = data_of(dating_page)["dated"]
    assert len(found) == 24
    number = next(i for i, entry in enumerate(found) if entry["date"] == "1930 to 1939")
    run = ask(f"document-{number}")
    assert one(run, "h1").text == found[number]["name"]
    assert one(run, ".standfirst").text == "Its date is known roughly: 1930 to 1939."
    sentence = one(run, ".dated").text
    assert sentence.startswith(f"{found[number]['best']:.0f}; 80% ")
    assert all(1930 <= end < 1940 for end in found[number]["interval"])
    assert len(find(run, ".chart .over")) == len(find(run, ".chart .span")) == 1
    assert [line.split()[0] for line in texts(run, ".telling li")] == [word for word, _ in found[number]["words"]]
    assert len(found[number]["words"]) == 8
    assert find(run, ".text")
    row = next(d for d, title in enumerate(archive.metadata["title"]) if title == found[number]["name"])
    dated = dating_model.date(archive, fitted=True)
    places = np.flatnonzero(dated.ids == archive.ids[row])
    assert dated.table["date"].iloc[places[0]] == found[number]["best"]


def test_cards_lead_to_the_pages_of_rough_documents(ask):
    run = ask("documents?from=1934&to=1935")
    link = find(run, ".results a[href^='#document-']")[0]
    assert link.text.startswith("probably 193")
    link.click()
    until(lambda: "#document-" in run.current_url)
    settle(run)
    assert one(run, ".kicker").text.lower() == "document with a rough date"
    assert one(run, "nav [aria-current]").text == "Documents"


@pytest.mark.parametrize("place", ["dating", "document-0", "documents?from=1934&to=1935"])
def test_a_phone_needs_no_sideways_scrolling(ask, archive, place):
    run = ask(place, width=390)
    if place == "dating":
        paste(run, str(archive.texts[100]))
    assert run.execute_script("return document.documentElement.scrollWidth") <= 390
    nameless = "return [...document.querySelectorAll('button, a, input, textarea, svg:not([aria-hidden])')].filter("
    nameless += "e => !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length))).length"
    assert run.execute_script(nameless) == 0


def test_without_the_option_there_is_no_page_that_dates_texts(chromium, address):
    chromium.get("about:blank")
    chromium.get(f"{address}#dating")
    settle(chromium)
    assert not find(chromium, "#undated, nav a[href='#dating']")
    assert find(chromium, ".card")


def test_hostile_words_are_dated_and_never_run(chromium, hostile, tmp_path):
    corpus, _ = hostile
    many = ct.Corpus(np.tile(corpus.counts.toarray(), (4, 1)), np.tile(corpus.times, 4), corpus.vocabulary)
    model = ct.DynamicTopicModel(2, "ou(2, 10)", max_epochs=2, n_threads=1, verbose=False).fit(many)
    path = ct.write_report(model.learn_dating(many), many, tmp_path / "h.html", dating=True, verbose=False)
    drain(chromium)
    chromium.get("about:blank")
    chromium.get(f"{path.as_uri()}#dating")
    settle(chromium)
    paste(chromium, "plain other <img src=x onerror=window.hacked=2> </script><script>window.hacked = 1</script>")
    assert "knows 2 of its" in one(chromium, ".answer .note").text
    assert re.match(r"Most probably \d+", one(chromium, ".dated").text)  # times are numbers
    assert not find(chromium, "main img, main script, main b")
    assert chromium.execute_script("return window.hacked") is None
    assert drain(chromium)[0] == []
