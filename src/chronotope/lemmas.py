"""Words brought to the form a dictionary lists them under: taxes to tax, ging to gehen."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from chronotope.languages import language_code

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
