"""Dates that are known roughly, as people write them: circa 1850, between 1914 and 1918, early 19th century, n.d."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from chronotope.dates.named import DateWord, Way, named_spans
from chronotope.dates.rough_words import plain_word, unknown_dates, words_of
from chronotope.dates.spans import CIRCA, OPEN_END, OPEN_START, UNKNOWN_SPAN, UNSURE, Span, joined_spans

Tokens = Sequence[DateWord]

_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+|\S")
_BRACKETS = str.maketrans("", "", '[](){}«»"“”„')
_SIGNS = str.maketrans({"’": "'", "´": "'", "`": "'", "\N{NO-BREAK SPACE}": " "})
_LEFT_OUT = r"(?:n\.? ?d\.?|undated|no date|s\.? ?d\.?|o\.? ?[dj]\.?)[,;:]? "  # before another date
_REWRITTEN = tuple(
    (re.compile(form), replacement)
    for form, replacement in (
        (r"\bc:a\b", "ca"),
        (r"\bt/m\b", "tot"),
        (r"\btwenty[ -]first\b", "21st"),
        (r"\bc([0-9]{1,2})(?:st|nd|rd|th)?\b(?! ?(?:c|[0-9]))", r"\1 century"),  # C19, early C18th
        (r"^.*\bi\. ?e\. ", ""),  # 1850 [i.e. 1851]
        (rf"^{_LEFT_OUT}(?=.*[0-9])", ""),
    )
)
_SHORT_WORDS = frozenset({"c", "h", "a", "um", "ok", "est"})  # say "circa" before a date, after one only "c"
_LEADING = frozenset({"in", "the", "dated", "date", "im", "en", "por"})
_NOT = {"before": "since", "earlier": "since", "after": "until", "later": "until"}
_NEGATED = {
    "not": _NOT,
    "no": _NOT,
    "or": {"before": "until", "after": "since"},
}  # no later than 1850, in or after 1850
_MOST = 12  # alternatives


def spoken_spans(
    text: str, day_first: bool | None = None, century_start: int | None = None, decades: bool = False
) -> list[Span] | None:
    """The spans that a text means; None if it cannot be read.

    text : at most as long as any date;  day_first, century_start, decades : see `rough_date`
    """
    if is_unknown(text):
        return [UNKNOWN_SPAN]
    lower = text.lower().translate(_SIGNS).translate(_BRACKETS).strip()
    for form, replacement in _REWRITTEN:
        lower = form.sub(replacement, lower)
    tokens = _tokens(lower)
    if not any(token.word.isdigit() or token.word in words_of("century") for token in tokens):
        return None  # most texts that are no dates end here
    return _either(tokens, Way(day_first, century_start, decades=decades))


def is_unknown(text: str) -> bool:
    """Whether a text says that a date is not known: n.d., undated, o.J., без даты, or ?."""
    letters = "".join(filter(str.isalnum, plain_word(text)))
    if not letters:
        return "?" in text and set(text) <= set("?[]() ")
    return letters in unknown_dates() and (len(letters) > 2 or letters == "nd" or "." in text)


def _tokens(text: str) -> list[DateWord]:
    """Words, numbers and signs; full stops after words are left out."""
    found: list[DateWord] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if match[0] != "." or not (found and found[-1].word.isalpha()):
            found.append(DateWord(plain_word(match[0]) or match[0], match[0], match.start() > end))
        end = match.end()
    return found


def _stripped(tokens: Tokens) -> tuple[Tokens, int]:
    """The tokens without words of doubt at their start and end, and that doubt."""
    doubt, rest = 0, list(tokens)
    while len(rest) > 1 and (meant := _doubt_of(rest[0].word) or rest[0].word in _LEADING):
        doubt |= int(meant) if meant is not True else 0
        rest.pop(0)
    while len(rest) > 1 and (meant := _doubt_of(rest[-1].word)):
        after_year = rest[-1].word == "c" and len(rest[-2].word) == 4 and rest[-2].word.isdigit()
        if rest[-1].word in _SHORT_WORDS and not after_year:
            break
        doubt |= int(meant)
        rest.pop()
    return rest, doubt


def _doubt_of(word: str) -> int:
    return CIRCA if word in words_of("circa") else UNSURE if word in words_of("unsure") else 0


def _either(tokens: Tokens, way: Way) -> list[Span] | None:
    """One date or several, of which one is right: 1914 or 1915; March or April 1861."""
    if found := _range(tokens, way):
        return found
    rest, doubt = _stripped(tokens)
    way = way._replace(circa=bool(doubt & CIRCA))
    for words in (words_of("or"), words_of("or") | {",", ";"}, words_of("or") | words_of("and") | {",", ";"}):
        parts = [part for part in _split(rest, words) if part]
        if 1 < len(parts) <= _MOST and (found := _each(parts, way)):
            return [each.doubted(doubt) for each in found]
    return None


def _split(tokens: Tokens, words: frozenset[str]) -> list[list[DateWord]]:
    parts: list[list[DateWord]] = [[]]
    for token in tokens:
        if token.word in words:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _each(parts: list[list[DateWord]], way: Way) -> list[Span] | None:
    """The spans of all parts; those that are incomplete are completed from their neighbours."""
    for before, part in pairwise(parts):
        part[:] = _completed(before, part)
    found: list[Span] = []
    for part in reversed(parts):
        spans = _range(part, way) or _borrowed(part, parts[-1], way)
        if spans is None:
            return None
        found = [*spans, *found]
    return found


def _completed(before: Tokens, part: Tokens) -> list[DateWord]:
    """The second of two years in four digits: 1914-18, 1914 or 15, 1920s-30s; others as they are."""
    years = [token.word for token in before if len(token.word) == 4 and token.word.isdigit()]
    short = part[0].word if part else ""
    ends = len(part) == 1 or (len(part) == 2 and part[1].word == "s")
    if not (years and ends and len(short) == 2 and short.isdigit() and short > years[-1][2:]):
        return list(part)
    whole = years[-1][:2] + short
    return [DateWord(whole, whole, part[0].spaced), *part[1:]]


def _borrowed(part: Tokens, last: Tokens, way: Way) -> list[Span] | None:
    """A date that lacks its year, month or century, with that of the last one: March or April 1861."""
    for at in range(1, min(len(last), 8)):
        tail = [last[at]._replace(spaced=True), *last[at + 1 :]]
        if found := _single([*part, *tail], way):
            return found
    return None


def _lent(first: Tokens, last: Tokens, way: Way) -> list[Span] | None:
    """A date that lacks its month, or the word for a century, with that of the first one: siglos XVIII-XIX."""
    return _single([first[0], last[0]._replace(spaced=True), *last[1:]], way) if len(first) > 1 else None


def _single(tokens: Tokens, way: Way) -> list[Span] | None:
    """One date with words of doubt."""
    if found := named_spans(tokens, way):
        return found
    rest, doubt = _stripped(tokens)
    if not doubt and len(rest) == len(tokens):
        return None
    spans = named_spans(rest, way._replace(circa=way.circa or bool(doubt & CIRCA)))
    return None if spans is None else [each.doubted(doubt) for each in spans]


def _range(tokens: Tokens, way: Way) -> list[Span] | None:
    """One date, or the time from one to another, which may be open."""
    if not tokens:
        return None
    if found := _single(tokens, way):
        return found
    rest, doubt = _stripped(tokens)
    way = way._replace(circa=way.circa or bool(doubt & CIRCA))
    spans = _between(rest, way) or _open(rest, way)
    return None if spans is None else [each.doubted(doubt) for each in spans]


def _between(tokens: Tokens, way: Way) -> list[Span] | None:
    """The time from one date to another: between 1914 and 1918, from 1914 to 1918, 1914-1918, March to May 1861."""
    links = words_of("to") | words_of("dash")
    if tokens[0].word in words_of("between"):
        tokens, links = tokens[1:], words_of("and") | words_of("dash")
    elif tokens[0].word in words_of("from"):
        tokens = tokens[1:]
    for first, last in _cut(tokens, links):
        last = _completed(first, last)
        ends = _single(last, way) or _lent(first, last, way)
        starts = ends and (_single(first, way) or _borrowed(first, last, way))
        if starts and ends and (found := joined_spans(starts, ends)):
            return found
    return None


def _cut(tokens: Tokens, links: frozenset[str]) -> Iterator[tuple[Tokens, Tokens]]:
    """What is before and after each of some words."""
    dashes = words_of("dash")
    for at in range(1, len(tokens) - 1):
        end = at - 1 if at > 1 and tokens[at - 1].word in dashes else at  # mid-to-late
        start = at + 2 if at + 2 < len(tokens) and tokens[at + 1].word in dashes else at + 1
        if tokens[at].word in links:
            yield tokens[:end], tokens[start:]


def _open(tokens: Tokens, way: Way) -> list[Span] | None:
    """The time before or after a date: before 1914, after 1918, since 1914, until 1918, 1914 or later, 1914-."""
    word, rest = tokens[0].word, tokens[1:]
    if word in _NEGATED and len(rest) > 1:
        word = _NEGATED[word].get(rest[0].word, "")
        rest = rest[2:] if rest[1].word == "than" else rest[1:]
    for role in ("before", "after", "since", "until"):
        if rest and word in words_of(role) and (found := _single(rest, way)):
            return [_half(found, role)]
    end = tokens[-1].word
    or_so = len(tokens) > 2 and tokens[-2].word in words_of("or") | words_of("and")
    for role, meant in (("later", "since"), ("earlier", "until"), ("dash", "since")):
        known = end in words_of(role) and (or_so or role == "dash" or end.startswith(("onward", "+")))
        if len(tokens) > 1 and known and (found := _single(tokens[: -2 if or_so else -1], way)):
            return [_half(found, meant)]
    return None


def _half(found: list[Span], role: str) -> Span:
    """The time before, after, since or until a date."""
    if role in ("before", "until"):
        return Span(OPEN_START, found[0].start if role == "before" else found[-1].end)
    return Span(found[-1].end if role == "after" else found[0].start, OPEN_END)
