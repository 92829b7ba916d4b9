"""NITF articles: date, headline and text are found, and nothing is trusted."""

from __future__ import annotations

import pytest

from chronotope.datasets.newspaper import parse_article

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE nitf SYSTEM "http://www.nitf.org/nitf-3-3.dtd">\n'
ARTICLE = """<nitf change.date="June 10, 2005" version="-//IPTC//DTD NITF 3.3//EN">
  <head>
    <title>Ignored</title>
    <meta content="2" name="publication_day_of_month"/>
    <meta content="1" name="publication_month"/>
    <meta content="1987" name="publication_year"/>
    <docdata><doc-id id-string="0000017"/></docdata>
    <pubdata date.publication="19870101T000000" name="The New York Times" unit-of-measure="word"/>
  </head>
  <body>
    <body.head>
      <hedline><hl1>WAR AND
        PEACE</hl1><hl2>online</hl2></hedline>
      <byline class="print_byline">By Anne</byline>
      <abstract><p>summary</p></abstract>
    </body.head>
    <body.content>
      <block class="lead_paragraph"><p>LEAD: The war.</p></block>
      <block class="full_text"><p>LEAD: The war &amp; the
        peace.</p><p>Second <b>bold</b> paragraph.</p></block>
      <block class="correction_text"><p>correction</p></block>
    </body.content>
  </body>
</nitf>
"""


def parse(text: str, head: str = HEAD) -> tuple[str, str, str, str]:
    return tuple(parse_article((head + text).encode()))  # type: ignore[return-value]


def test_an_article_has_its_number_day_headline_and_full_text() -> None:
    text = "LEAD: The war & the peace.\n\nSecond bold paragraph."
    assert parse(ARTICLE) == ("0000017", "1987-01-01", "WAR AND PEACE", text)


def test_the_lead_paragraph_stands_in_for_a_missing_text() -> None:
    assert parse(ARTICLE.replace("full_text", "other"))[3] == "LEAD: The war."


@pytest.mark.parametrize("gone", ["date.publication", "pubdata"])
def test_the_meta_tags_stand_in_for_a_missing_date(gone: str) -> None:
    assert parse(ARTICLE.replace(gone, "other"))[1] == "1987-01-02"
    assert parse(ARTICLE.replace(gone, "other").replace("publication_year", "other"))[1] == ""


def test_an_entity_of_the_unread_dtd_is_passed_over() -> None:
    assert parse(ARTICLE.replace("&amp;", "&mdash;"))[3].startswith("LEAD: The war the peace.")


LAUGHS = '<!DOCTYPE nitf [<!ENTITY a "ha"><!ENTITY b "' + "&a;" * 100 + '"><!ENTITY c "' + "&b;" * 10000 + '">]>\n'


@pytest.mark.parametrize(
    ("text", "head", "message"),
    [
        (ARTICLE.replace("&amp;", "&c;"), LAUGHS, "XML with declarations of its own"),
        (ARTICLE.replace("&amp;", "&c;"), '<!DOCTYPE nitf [<!ENTITY c SYSTEM "file:///etc/passwd">]>', "of its own"),
        (ARTICLE, '<!DOCTYPE nitf [<!ENTITY % d SYSTEM "http://x/y">%d;]>', "XML with declarations of its own"),
        (ARTICLE[:-200], HEAD, "broken XML"),
        ("", "", "broken XML"),
        ("plain text", "", "broken XML"),
        (ARTICLE, '<?xml version="1.0" encoding="klingon"?>', "broken XML"),
    ],
)
def test_what_is_broken_or_dangerous_is_refused(text: str, head: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text, head)


def test_an_article_in_another_encoding_is_read() -> None:
    latin = (HEAD.replace("UTF-8", "ISO-8859-1") + ARTICLE.replace("Second", "Größe")).encode("latin-1")
    assert "Größe" in parse_article(latin).text
