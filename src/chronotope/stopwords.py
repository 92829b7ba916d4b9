"""Stop words of 58 languages, and which language words are in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.languages import LANGUAGES, language_code
from chronotope.tokens import clean

_LEAST_TOKENS, _LEAST_WORDS = 50, 6  # to guess a language from: tokens, and different stop words among them
_LEAST_SHARE = 0.2  # of the tokens that are stop words of the language guessed
_LEAST_LEAD = 1.25  # times the share of the next best language


def stop_words(languages: str) -> frozenset[str]:
    """Words too common to tell what a text is about, of one language or of several: "de", "German", "de, fr".

    The lists are those of the package stopwordsiso; that of English is scikit-learn's shorter one, with don't and its
    like. They are ordinary sets: stop_words("de") | {"herr", "frau"}.
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
    """The list of one language, written as the words of a text are."""
    import stopwordsiso

    words: Iterable[str] = stopwordsiso.stopwords(code)
    if code == "en":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        words = [*ENGLISH_STOP_WORDS, *(word for word in words if "'" in word)]
    return frozenset(clean(word).lower() for word in words)


class Guess(NamedTuple):
    """The language that most tokens are stop words of, the share of them that are, and whether it is beyond doubt."""

    code: str
    share: float
    clear: bool

    @property
    def name(self) -> str:
        """The language in English."""
        return LANGUAGES[self.code]

    def checked(self) -> str:
        """The guess in a sentence; refused where it is in doubt."""
        if not self.clear:
            raise ValueError(
                f'stop_words is "auto" but the language is not clear (the best guess is {self.name}: {self.share:.0%} '
                "of the words are its stop words); name it, as stop_words='de'."
            )
        return f"the texts are taken for {self.name}: {self.share:.0%} of their words are its stop words"


def guess_language(words: Sequence[str], occurrences: NDArray[np.int64]) -> Guess:
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
