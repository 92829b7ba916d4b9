"""Text without HTML: what a reader of the page sees."""

from __future__ import annotations

import html
import re

_UNSEEN = frozenset({"script", "style", "head"})  # elements that hold no text
_NAMES = """
a abbr article aside b blockquote body br button caption center cite code col dd del div dl dt em figure font footer
form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins li link main meta nav ol option p pre s script section
select small span strike strong style sub sup table tbody td tfoot th thead title tr tt u ul
"""
_KNOWN = frozenset(_NAMES.split()) | {"!doctype", "!--"}
_ENTITY = re.compile(r"&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)


def without_markup(text: str) -> str:
    """Text without the usual tags of HTML and with its entities written out; the same object if it has none.

    A "<" that begins no such tag is left alone: "if a <b" is no markup unless a ">" follows.
    """
    if "<" in text:
        text = _without_tags(text, _KNOWN)
    return html.unescape(text) if "&" in text and _ENTITY.search(text) else text


def page_text(text: str) -> str:
    """The text of what is known to be a page of HTML, every tag left out."""
    return html.unescape(_without_tags(text, None))


def _without_tags(text: str, known: frozenset[str] | None) -> str:
    """Text between the tags of these names, or between all tags, in one pass; an element never closed is seen."""
    before, *pieces = text.split("<")
    shown, unseen, within = [before], [""], ""
    for piece in pieces:
        tag, closed, after = piece.partition(">")
        name = _name(tag)
        if within:
            unseen.append(after)
            if name == "/" + within:
                within, unseen = "", [""]
                shown.append(after)
        elif not closed or (known is not None and name.strip("/") not in known):
            shown[-1] += "<" + piece
        elif name in _UNSEEN:
            within = name
            unseen.append(after)
        else:
            shown.append(after)
    found = len(shown) > 1 or within
    return " ".join([*shown, *unseen]) if found else text


def _name(tag: str) -> str:
    """The name of what stands between < and >, with a slash before it if it closes an element."""
    if tag.startswith("!--"):
        return "!--"
    return "" if tag[:1].isspace() else (tag.split(None, 1) or [""])[0].lower()
