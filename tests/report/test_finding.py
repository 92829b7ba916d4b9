"""The page of documents in a real browser: found by words, in a window of time, by keys alone; links to sources."""

from urllib.parse import quote

import numpy as np
import pytest
from report.browser import drain, find, focused, one, settle, texts, until, visits

import chronotope as ct

Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="selenium drives the browser").Keys

pytestmark = pytest.mark.slow

RIVERS = (
    ("1900-01-01", "The Nile floods the fields of Egypt every summer.", "https://a.example/nile"),
    ("1910-05-05", "São Paulo and the river Tietê; the United States and the Nile.", "javascript:alert(1)"),
    ("1920-07-01", "United we stand. The states are far from the Nile, the Nile, the Nile.", 'https://a.example/"x"'),
    ("1930-07-01", "中国经济 and the Yangtze.", None),
    (
        "1940-07-01",
        "A river </script><script>window.hacked=1</script> of <img src=x onerror=window.hacked=2>",
        "data:text/html,x",
    ),
)


@pytest.fixture(scope="module")
def rivers(tmp_path_factory):
    """A report of five short documents, two of them with addresses that must not be links."""
    dates, written, links = zip(*RIVERS, strict=True)
    corpus = ct.Corpus.from_texts(
        written,
        dates,
        metadata={"title": [f"River {i} <b>" for i in range(5)], "url": [*links]},
        preprocessing=ct.Preprocessing(min_count=1, stop_words=None),
    )
    fitted = ct.DynamicTopicModel(2, "ou(2, 10)", max_epochs=2, n_threads=1, verbose=False).fit(corpus)
    path = tmp_path_factory.mktemp("rivers") / "rivers.html"
    return ct.write_report(fitted, corpus, path, link="url", verbose=False).as_uri()


@pytest.fixture
def ask(chromium, rivers):
    """Opens the page of documents; at the end nothing was run, and nothing was asked of the network."""
    with visits(chromium, rivers) as go:
        yield go


def found(run):
    """The dates of the documents found, in their order."""
    return texts(run, ".results .date")


@pytest.mark.parametrize(
    ("query", "dates"),
    [
        ("nile", ["1920-07-01", "1900-01-01", "1910-05-05"]),
        ("NILE egypt", ["1900-01-01"]),
        ("united states", ["1910-05-05", "1920-07-01"]),
        ('"united states"', ["1910-05-05"]),
        ("united_states", ["1910-05-05"]),
        ("sao tiete", ["1910-05-05"]),
        ("经济", ["1930-07-01"]),
        ("济经", []),
        ("onerror", ["1940-07-01"]),
        ("nil", []),
        ("😀", []),
        ("", [date for date, _, _ in RIVERS]),
    ],
)
def test_documents_that_hold_all_words_are_found(ask, query, dates):
    run = ask(f"documents?q={quote(query)}")
    assert found(run) == dates
    assert one(run, ".count").text.startswith(f"{len(dates) or 'No'} document")


def test_words_are_marked_in_the_text_which_is_shown_as_it_was_written(ask):
    run = ask("documents?q=nile+united")
    assert sorted(texts(run, ".results mark")) == ["Nile"] * 4 + ["United"] * 2
    run = ask("documents?q=" + quote('"united states"'))
    assert texts(run, ".results mark") == ["United States"]
    assert one(run, ".results .text").text == RIVERS[1][1]
    run = ask("documents?q=hacked")
    assert one(run, ".results .text").text == RIVERS[4][1]
    run = ask("documents?q=" + quote("中国"))
    assert one(run, ".results .text").text == RIVERS[3][1]


def test_only_addresses_of_http_and_https_are_links(ask):
    run = ask("documents")
    links = find(run, ".results h3 a")
    assert [link.get_attribute("href") for link in links] == ["https://a.example/nile", "https://a.example/%22x%22"]
    assert {(link.get_attribute("target"), link.get_attribute("rel")) for link in links} == {
        ("_blank", "noopener noreferrer")
    }
    assert texts(run, ".results h3")[1].endswith("River 1 <b>")
    for k in range(2):
        run = ask(f"topic-{k}")
        addresses = {link.get_attribute("href") for link in find(run, "main a[target]")}
        assert addresses <= {"https://a.example/nile", "https://a.example/%22x%22"}


def test_an_address_that_is_not_http_is_not_in_the_file(ask):
    stored = ask("documents").execute_script("return JSON.parse(document.querySelector('#data').textContent).search")
    assert stored["links"] == ["https://a.example/nile", None, "https://a.example/%22x%22", None, None]


def test_typing_answers_at_once_and_the_back_button_brings_the_answer_back(page):
    run = page("documents")
    assert one(run, ".count").text == "244 documents, in order of time."
    one(run, "#find").send_keys("wheat gold")
    until(lambda: run.current_url.endswith("#documents?q=wheat+gold"))
    few = one(run, ".count").text
    one(run, "#find").clear()
    one(run, "#find").send_keys("wheat")
    shown = found(run)
    assert one(run, ".count").text != few
    assert {"wheat"} == set(texts(run, ".results mark"))
    one(run, ".results .figures a").click()
    until(lambda: "#topic-" in run.current_url)
    run.back()
    until(lambda: "#documents" in run.current_url)
    settle(run)
    assert one(run, "#find").get_attribute("value") == "wheat"
    assert found(run) == shown
    assert one(run, "nav [aria-current]").text == "Documents"


def test_a_window_of_time_restricts_what_is_found(page):
    run = page("documents?from=1930&to=1931")
    assert {date[:4] for date in found(run)} == {"1930", "1931"}
    assert one(run, ".count").text.startswith("8 documents")
    one(run, "#to-time").send_keys(Keys.ARROW_RIGHT)
    assert one(run, ".count").text.startswith("12 documents")
    one(run, "#from-time").send_keys(Keys.END)
    assert texts(run, ".window .date") == ["1960", "1960"]
    assert {date[:4] for date in found(run)} == {"1960"}


def test_more_documents_are_shown_on_request_by_keys(page):
    run = page("documents")
    assert len(found(run)) == 20
    one(run, ".more button").send_keys(Keys.ENTER)
    assert len(found(run)) == 40
    assert focused(run).tag_name == "h3"
    assert focused(run).text == texts(run, ".results h3")[20]
    one(run, "#find").send_keys("zzz")
    assert one(run, ".count").text == "No documents with “zzz”."
    assert not one(run, ".more button").is_displayed()


def test_a_topic_and_a_word_lead_to_their_documents(page):
    run = page("word-wheat")
    run.find_element("link text", "Documents with this word").click()
    until(lambda: "#documents?q=wheat" in run.current_url)
    settle(run)
    assert all("wheat" in text for text in texts(run, ".results .text"))
    run = page("topic-1")
    run.find_element("link text", "Search all documents about this topic").click()
    until(lambda: "#documents?topic=1" in run.current_url)
    settle(run)
    shares = [int(text.split("%")[0]) for text in texts(run, ".results .figures")]
    assert shares == sorted(shares, reverse=True)
    assert "the highest share first" in one(run, ".count").text


def test_documents_are_in_the_order_of_their_bm25_scores_then_of_time(page, corpus):
    run = page("documents?q=army+soldier")
    order = np.argsort(corpus.times, kind="stable")
    often = np.array([[corpus.texts[row].split().count(word) for word in ("army", "soldier")] for row in order])
    N, n = len(often), (often > 0).sum(axis=0)
    rarity = np.log(1 + (N - n + 0.5) / (n + 0.5))
    score = (rarity * often * 2.2 / (often + 1.2)).sum(axis=1)  # all documents are equally long
    holding = np.flatnonzero((often > 0).all(axis=1))
    best = holding[np.argsort(-score[holding].round(9), kind="stable")]
    assert [text.split()[-1] for text in texts(run, ".results h3")] == [str(order[d]) for d in best[:20]]


def test_a_report_without_search_has_no_page_of_documents(chromium, model, corpus, tmp_path):
    path = ct.write_report(model, corpus, tmp_path / "r.html", search_documents=0, verbose=False)
    for place in ("documents", "word-wheat", "topic-0"):
        chromium.get("about:blank")
        chromium.get(f"{path.as_uri()}#{place}")
        settle(chromium)
        assert texts(chromium, "nav a") == ["Topics", "The model"]
        assert not find(chromium, "a[href^='#documents']")
    assert drain(chromium)[0] == []


def test_without_texts_words_are_found_and_shown_with_their_counts(chromium, model, corpus, tmp_path):
    bare = ct.Corpus(corpus.counts, corpus.times, corpus.vocabulary, calendar=True)
    path = ct.write_report(model, bare, tmp_path / "r.html", verbose=False)
    chromium.get("about:blank")
    chromium.get(f"{path.as_uri()}#documents?q=wheat")
    settle(chromium)
    wheat = list(corpus.vocabulary).index("wheat")
    holding = int((corpus.counts[:, [wheat]].toarray() > 0).sum())
    assert one(chromium, ".count").text.startswith(f"{holding} documents")
    assert set(texts(chromium, ".results mark")) == {"wheat"}
    row = int(one(chromium, ".results h3").text.split()[-1])
    assert one(chromium, ".results .text").text.startswith(f"wheat {corpus.counts[row, wheat]}, ")
    assert drain(chromium)[0] == []


def test_words_beyond_what_is_kept_of_a_text_are_found_and_said_to_come_later(
    chromium, model, corpus, tmp_path, monkeypatch
):
    monkeypatch.setattr("chronotope.report.search.CHARACTERS", 40 * len(corpus))
    path = ct.write_report(model, corpus, tmp_path / "r.html", verbose=False)
    chromium.get("about:blank")
    chromium.get(f"{path.as_uri()}#documents?q=wheat")
    settle(chromium)
    holding = sum("wheat" in text.split() for text in corpus.texts)
    assert one(chromium, ".count").text.startswith(f"{holding} documents")
    assert "the first 40 characters" in one(chromium, "main .note").text
    while one(chromium, ".more button").is_displayed():
        one(chromium, ".more button").send_keys(Keys.ENTER)
    cards = find(chromium, ".results article")
    assert all(bool(find(card, "mark")) != ("later in the text: wheat" in card.text) for card in cards)
    assert any("later in the text" in card.text for card in cards)


def test_every_word_of_a_hostile_vocabulary_leads_to_its_documents(chromium, hostile, tmp_path):
    corpus, model = hostile
    bare = ct.Corpus(corpus.counts, corpus.times, corpus.vocabulary, ids=corpus.ids, metadata=corpus.metadata)
    for n, some in enumerate((corpus, bare)):
        path = ct.write_report(model, some, tmp_path / f"{n}.html", verbose=False)
        for word in map(str, corpus.vocabulary):
            chromium.get("about:blank")
            chromium.get(f"{path.as_uri()}#word-{quote(word, safe='')}")
            settle(chromium)
            address = chromium.find_element("link text", "Documents with this word").get_attribute("href")
            chromium.get(address)
            settle(chromium)
            assert find(chromium, ".results mark"), word
            assert not find(chromium, "main img, main script, main b")
            assert chromium.execute_script("return window.hacked") is None
    assert drain(chromium)[0] == []
