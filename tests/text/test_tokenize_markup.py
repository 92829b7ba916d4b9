"""Markup: tags go, what looks like them stays."""

import pytest

from chronotope.corpus.build import count_words
from chronotope.text.tokenize import page_text, without_markup


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<p>war &amp; <b>peace</b><br/>now</p>", "war & peace now"),
        ('<A HREF="x">war</A><!-- no -->peace', "war peace"),
        ("<script>no()</script>war<style>p {}</style>", "war"),
        ("use the <style> tag here", "use the tag here"),
        ("caf&eacute; &#8217;", "café ’"),
    ],
)
def test_tags_are_left_out(text, words):
    assert " ".join(without_markup(text).split()) == words


@pytest.mark.parametrize("text", ["plain", "3 < 4", "a < b and c > d", "if a <b", "AT&T; R&D", "<weird> tag", "x <- y"])
def test_what_is_no_markup_is_the_same_object(text):
    assert without_markup(text) is text


def test_a_page_has_none_of_its_tags():
    assert page_text("<head><title>no</title></head><o:p>war</o:p> 3 < 4").split() == ["war", "3", "<", "4"]


class Counted(str):
    """A text that counts the characters of all strings made of it and of its pieces."""

    made = 0

    def _piece(self, text):
        Counted.made += len(text)
        return Counted(text)

    def split(self, *given):
        return [self._piece(part) for part in super().split(*given)]

    def partition(self, given):
        return tuple(self._piece(part) for part in super().partition(given))

    def __add__(self, after):
        return self._piece(super().__add__(after))

    def __radd__(self, before):
        return self._piece(before + str(self))


@pytest.mark.parametrize("n", [100, 10_000])
def test_many_open_tags_take_no_longer_than_their_length(monkeypatch, n):
    monkeypatch.setattr(Counted, "made", 0)
    text = Counted("<!--" * n + "<script" * n)
    assert without_markup(text).startswith("<!--")
    assert 0 < Counted.made < 6 * len(text)


def test_markup_that_was_left_out_is_said():
    counted = count_words(["<div>war</div>", "peace"])
    assert counted.report.notes == ("HTML was removed from 1 of 2 texts",)
    assert list(counted.vocabulary) == ["peace", "war"]
