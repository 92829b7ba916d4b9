"""Languages: their codes and names, stop words of 58 of them, lemmas, and which language words are in."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from chronotope._typing import Ints
from chronotope.text.tokenize import clean

_NAMES = """
af Afrikaans, ar Arabic, bg Bulgarian, bn Bengali, br Breton, ca Catalan, cs Czech, cy Welsh, da Danish, de German,
el Greek, en English, eo Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, fi Finnish, fr French, ga Irish,
gd Gaelic, gl Galician, gu Gujarati, ha Hausa, he Hebrew, hi Hindi, hr Croatian, hu Hungarian, hy Armenian,
id Indonesian, is Icelandic, it Italian, ja Japanese, ka Georgian, ko Korean, ku Kurdish, la Latin, lb Luxembourgish,
lt Lithuanian, lv Latvian, mk Macedonian, mr Marathi, ms Malay, nl Dutch, no Norwegian, pl Polish, pt Portuguese,
ro Romanian, ru Russian, sk Slovak, sl Slovenian, so Somali, sq Albanian, st Sotho, sv Swedish, sw Swahili, th Thai,
tl Tagalog, tr Turkish, uk Ukrainian, ur Urdu, vi Vietnamese, yo Yoruba, zh Chinese, zu Zulu
"""
LANGUAGES = dict(entry.split() for entry in _NAMES.split(","))
_CODES = {name.lower(): code for code, name in LANGUAGES.items()}
_CODES |= {"farsi": "fa", "filipino": "tl", "flemish": "nl", "nb": "no", "nn": "no", "iw": "he", "mandarin": "zh"}


def language_code(given: str, option: str, known: frozenset[str]) -> str:
    """The two-letter code of a language given by code or by English name.

    option : name of the parameter, for the error;  known : codes of the languages available
    """
    plain = given.strip().lower()
    code = _CODES.get(plain) or plain.replace("_", "-").split("-")[0]
    code = _CODES.get(code, code)
    if code in known:
        return code
    names = [LANGUAGES[c] for c in sorted(known) if c in LANGUAGES]
    near = difflib.get_close_matches(given.strip().capitalize(), names, n=1)
    hint = f"did you mean {near[0]!r}? Known" if near else "known"
    raise ValueError(
        f"{option} is {given!r}, which is not a known language; {hint} are {', '.join(names)}, and codes such as 'de'."
    )


_LEAST_TOKENS, _LEAST_WORDS = 50, 6  # to guess a language: tokens, and different stop words among them
_LEAST_SHARE = 0.2  # of the tokens that are stop words of the language guessed
_LEAST_LEAD = 1.25  # times the share of the next best language


def stop_words(languages: str) -> frozenset[str]:
    """Stop words, too common to say what a text is about, of one language or of several.

    languages : str, codes or English names, comma-separated: "de", "German", "de, fr"

    The lists are those of the package stopwordsiso; that of English is scikit-learn's shorter one, with don't and other
    contractions. They are ordinary sets: stop_words("de") | {"herr", "frau"}.
    """
    return frozenset().union(*(_listed(code) for code in language_codes(languages)))


def language_codes(languages: str) -> list[str]:
    """The codes of languages that have a list of stop words, or an error that says which do."""
    return [language_code(part, "stop_words", _known()) for part in languages.split(",")]


def contractions(given: object) -> frozenset[str]:
    """Of the stop words given, or of all languages that may apply, those with an apostrophe, such as don't."""
    if isinstance(given, str):
        listed = stop_words(", ".join(_known()) if given == "auto" else given)
    else:
        listed = frozenset(clean(word).lower() for word in given) if isinstance(given, frozenset) else frozenset()
    return frozenset(word for word in listed if "'" in word)


@cache
def _known() -> frozenset[str]:
    import stopwordsiso

    return frozenset(stopwordsiso.langs())


@cache
def _listed(code: str) -> frozenset[str]:
    """The list of one language, normalised as the words of a text are."""
    import stopwordsiso

    words: Iterable[str] = stopwordsiso.stopwords(code)
    if code == "en":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        words = [*ENGLISH_STOP_WORDS, *(word for word in words if "'" in word)]
    return frozenset(clean(word).lower() for word in words)


class Guess(NamedTuple):
    """The language of most stop words, the share of the tokens that are its stop words, and whether it is clear."""

    code: str
    share: float
    clear: bool

    @property
    def name(self) -> str:
        """The language in English."""
        return LANGUAGES[self.code]

    def checked(self) -> str:
        """The guess in a sentence; refused if it is not clear."""
        if not self.clear:
            raise ValueError(
                f'stop_words is "auto" but the language is not clear (the best guess is {self.name}: {self.share:.0%} '
                "of the words are its stop words); name it, as stop_words='de'."
            )
        return f"the texts are taken for {self.name}: {self.share:.0%} of their words are its stop words"


def guess_language(words: Sequence[str], occurrences: Ints) -> Guess:
    """The language of words, by the share of their occurrences that are stop words of each.

    A word that several languages list counts for each of them by 1 / their number.
    """
    total = max(int(occurrences.sum()), 1)
    points, shares = dict.fromkeys(sorted(_known()), 0.0), dict.fromkeys(_known(), 0.0)
    listing = _listing()
    for word, n in zip(words, occurrences.tolist(), strict=True):
        found = listing.get(word, ())
        for code in found:
            points[code] += n / len(found) / total
            shares[code] += n / total
    best, second = sorted(points, key=lambda code: -points[code])[:2]
    different = sum(best in listing.get(word, ()) for word in words)
    enough = total >= _LEAST_TOKENS and different >= _LEAST_WORDS and shares[best] >= _LEAST_SHARE
    return Guess(best, shares[best], enough and points[best] >= _LEAST_LEAD * points[second])


@cache
def _listing() -> dict[str, tuple[str, ...]]:
    """The languages that list a word."""
    listing: defaultdict[str, list[str]] = defaultdict(list)
    for code in sorted(_known()):
        for word in _listed(code):
            listing[word].append(code)
    return {word: tuple(codes) for word, codes in listing.items()}


Lemmatize = Callable[[str], str]


def check_lemmatizer(given: str | Lemmatize | None) -> None:
    """Refuse a language or an object that cannot lemmatise, before any text is read."""
    if isinstance(given, str):
        _codes(given)
    elif given is not None and not callable(given):
        raise ValueError(f"lemmatize is {given!r}; expected a language such as 'de', a function of a word, or None.")


def lemmas(words: Iterable[str], given: str | Lemmatize, lowercase: bool) -> list[str]:
    """The lemma of each word, by a function, or by simplemma in the languages named; unknown words stay as they are."""
    lemma = _by_language(given) if isinstance(given, str) else given
    found = [str(lemma(word)) or word for word in words]
    return [word.lower() for word in found] if lowercase else found


def _by_language(given: str) -> Lemmatize:
    import simplemma

    codes = _codes(given)
    return lambda word: simplemma.lemmatize(word, lang=codes)


def _codes(given: str) -> tuple[str, ...]:
    """What simplemma calls the languages."""
    try:
        from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES
    except ImportError as error:
        raise ImportError('lemmatising by language needs simplemma; pip install "chronotope[lemmas]".') from error
    other = {"nb": "no", "hbs": "hr"}
    ours = {other.get(code, code): code for code in SUPPORTED_LANGUAGES}
    return tuple(ours[language_code(part, "lemmatize", frozenset(ours))] for part in given.split(","))
