"""Links to sources: only addresses of http and https, from a column that is found or named, or from a template."""

import numpy as np
import pytest

import chronotope as ct
from chronotope.report.links import document_links, safe_link

PAGES = ["https://a.example/1", "http://a.example/2", None]


def corpus_of(**more):
    return ct.Corpus(np.ones((3, 2), dtype=int), [1900.0, 1901.0, 1902.0], **more)


@pytest.mark.parametrize(
    "value",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)//https://a.example",
        "java\nscript:alert(1)",
        "data:text/html,<script>",
        "file:///etc/passwd",
        "ftp://a.example/x",
        "//a.example/x",
        "https:///x",
        "https://a.example/x javascript:alert(1)",
        "a.example",
        "",
        None,
        7,
        float("nan"),
    ],
)
def test_nothing_but_http_and_https_is_a_link(value):
    assert safe_link(value) is None


@pytest.mark.parametrize(
    ("value", "link"),
    [
        (" https://a.example/x?y=1&z=%20#top ", "https://a.example/x?y=1&z=%20#top"),
        ('https://a.example/"onclick="alert(1)', "https://a.example/%22onclick=%22alert(1)"),
        ("https://a.example/<b>", "https://a.example/%3Cb%3E"),
        ("HTTP://a.example/é", "HTTP://a.example/%C3%A9"),
    ],
)
def test_unusual_characters_of_an_address_are_escaped(value, link):
    assert safe_link(value) == link


@pytest.mark.parametrize("name", ["url", "Link", "source", "href", "permalink", "articleUrl", "source_link"])
def test_a_column_of_addresses_is_found_by_its_name_and_values(name):
    found = document_links(corpus_of(metadata={"author": ["x", "y", "z"], name: PAGES}), None)
    assert found == PAGES


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {"image_url": PAGES},
        {"author": PAGES},
        {"source": ["the Times", "the Post", "https://a.example/3"]},
        {"url": ["javascript:alert(1)"] * 3},
    ],
    ids=["none", "pictures", "another name", "mostly names", "scripts"],
)
def test_other_columns_make_no_links(metadata):
    assert document_links(corpus_of(metadata=metadata), None) == [None] * 3


def test_an_exact_name_is_preferred():
    metadata = {"source": ["https://home.example"] * 3, "video_link": PAGES, "page_url": PAGES, "link": PAGES}
    assert document_links(corpus_of(metadata=metadata), None) == PAGES


def test_ids_that_are_addresses_are_links_and_file_names_are_not():
    addresses = [f"https://a.example/{i}" for i in range(3)]
    assert document_links(corpus_of(ids=addresses), None) == addresses
    assert document_links(corpus_of(ids=addresses), "url") == addresses  # the reader took that column for the ids
    assert document_links(corpus_of(ids=["a/1.txt", "/home/b.txt", "file:///c.txt"]), None) == [None] * 3


def test_a_column_can_be_named():
    assert document_links(corpus_of(metadata={"author": PAGES, "url": ["https://b.example"] * 3}), "author") == PAGES


def test_a_template_is_filled_with_escaped_values_and_gaps_make_no_link():
    corpus = corpus_of(ids=["a/1 b", 'x"y', "../?q=&#"], metadata={"year": [1900, None, "<1902>"]})
    template = "https://archive.example/{id}"
    assert document_links(corpus, template) == [
        "https://archive.example/a/1%20b",
        "https://archive.example/x%22y",
        "https://archive.example/../%3Fq%3D%26%23",
    ]
    assert document_links(corpus, template + "?in={year}")[1:] == [
        None,
        "https://archive.example/../%3Fq%3D%26%23?in=%3C1902%3E",
    ]
    numbered = corpus_of(metadata={"year": [1900, None, 1902]})
    assert document_links(numbered, "https://a.example/{year}") == [
        "https://a.example/1900",
        None,
        "https://a.example/1902",
    ]


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("nowhere", "no column 'nowhere' for link=; it has 'id', 'author'"),
        ("author", "holds no addresses that start with http:// or https:// .first: 'Ann'"),
        ("https://a.example/{nowhere}", "no column 'nowhere' for link="),
        ("https://a.example/{id.__class__}", "no column 'id.__class__' for link="),
        ("https://a.example/{id!r}", "expected one such as 'https://archive.example/{id}'"),
        ("https://a.example/{}", "expected one such as"),
        ("https://a.example/{id", "cannot be read"),
        ("javascript:alert({id})", "expected one such as"),
        ("https://{id}", "expected one such as"),
    ],
)
def test_what_is_no_column_and_no_template_is_refused(link, sentence):
    with pytest.raises(ValueError, match=sentence):
        document_links(corpus_of(metadata={"author": ["Ann", "Bob", "Cy"]}), link)
