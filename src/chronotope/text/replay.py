"""The tokens of a text in their order, as a corpus counted them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from chronotope.text.languages import lemmas
from chronotope.text.options import Preprocessing
from chronotope.text.phrases import JOINER
from chronotope.text.tokenize import BREAK, Split, without_markup


def token_reader(options: Preprocessing, vocabulary: Iterable[str]) -> Split:
    """A function from a text to its tokens: lemmatised if the options say so, phrases of the vocabulary joined."""
    split = options.splitter()
    phrases = frozenset(word for word in vocabulary if JOINER in word) if options.phrases else frozenset()

    @cache
    def lemma(word: str) -> str:
        return lemmas([word], options.lemmatize, options.lowercase)[0] if options.lemmatize is not None else word

    def read(text: str) -> list[str]:
        tokens = split(without_markup(text))
        if options.lemmatize is not None:
            tokens = [lemma(word) if word != BREAK else word for word in tokens]
        tokens = _joined(tokens, phrases) if phrases else tokens
        return [word for word in tokens if word != BREAK]

    return read


def _joined(tokens: list[str], phrases: frozenset[str]) -> list[str]:
    """Adjacent tokens that are a phrase as one token, from the left."""
    joined: list[str] = []
    at = 0
    while at < len(tokens):
        phrase = tokens[at] + JOINER + tokens[at + 1] if at + 1 < len(tokens) else ""
        joined.append(phrase if phrase in phrases else tokens[at])
        at += 2 if phrase in phrases else 1
    return joined
