"""Kernels from text such as "ou(6, 50) + constant(2)".

sum      = product { "+" product }
product  = factor { "*" factor }
factor   = number | "(" sum ")" | "by" "(" sum [ "," column ] ")" | name [ "(" [ argument { "," argument } ] ")" ]
column   = name | quoted
argument = [ name "=" ] ( quoted | [ "-" ] number [ name ] )

Or the whole text is the name of a preset, such as "slow drift"; see `presets`. In a sum with `by`, a preset of one word
is a kernel too, as in "seasonal + by(seasonal)".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, NamedTuple, NoReturn

from chronotope.kernels.base import Kernel, Leaf
from chronotope.kernels.compose import Sum
from chronotope.kernels.function import FunctionKernel
from chronotope.kernels.presets import PRESETS, Deferred, Preset, Recipe, find_preset
from chronotope.kernels.registry import BUILT_IN
from chronotope.kernels.tracks import By, Space, check_tracks

MAX_LENGTH = 4000
MAX_DEPTH = 50

Functions = Mapping[str, Callable[..., Any]]
Value = float | str
Arguments = list[tuple[str | None, Value]]

TOKEN = re.compile(
    r"""(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<quoted>'[^']*'|"[^"]*")
      | (?P<symbol>[-+*(),=])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A token of the text, and its position.

    kind : "number", "name", "quoted", "symbol" or "end"
    """

    kind: str
    text: str
    position: int


def parse_kernel(text: str, functions: Functions | None = None) -> Recipe:
    """The kernel or preset written in a text.

    text : str, such as "ou(6, 50) + constant(2)", "0.5 * ou(1, 18 months)" or "slow drift"; parameters that are not
        given are unset, and set at fit
    functions : dict of str to callable, default None; the functions of custom kernels, by the kernels' names

    Returns a Kernel, or a Preset if the text is the name of one. ValueError says what is wrong with a text, and where.
    """
    if not isinstance(text, str):
        raise TypeError(f'the kernel is {text!r}; pass text such as "ou(6, 50) + constant(2)".')
    if len(text) > MAX_LENGTH:
        raise ValueError(f"the kernel has {len(text):,} characters; write it with at most {MAX_LENGTH:,}.")
    if (preset := find_preset(text)) is not None:
        return preset
    parser = _Parser(_tokens(text), functions or {})
    kernel = parser.sum(depth=0)
    if parser.next.kind != "end":
        parser.refuse("'+', '*' or the end")
    check_tracks(kernel)
    return kernel


def as_kernel(kernel: Recipe | str, functions: Functions | None = None) -> Recipe:
    """A kernel or preset as it is, or from its text form.

    kernel : Kernel, Preset or str
    functions : dict of str to callable, default None; the functions of custom kernels, by the kernels' names
    """
    if isinstance(kernel, Kernel | Preset):
        return kernel
    if isinstance(kernel, str):
        return parse_kernel(kernel, functions)
    raise TypeError(
        f'kernel is {kernel!r}; pass a kernel such as OrnsteinUhlenbeck(6, 50), or text such as "ou(6, 50)".'
    )


def _tokens(text: str) -> list[Token]:
    tokens, position = [], 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise ValueError(
                f"cannot read {text[position]!r} at position {position}; expected a name, number or + * ( )."
            )
        tokens.append(Token(match.lastgroup, match.group(), position))
        position = match.end()
    return [*tokens, Token("end", "", len(text))]


class _Parser:
    """Recursive descent over the tokens; one method for each rule above."""

    def __init__(self, tokens: list[Token], functions: Functions) -> None:
        self.tokens = iter(tokens)
        self.next = next(self.tokens)
        self.functions = functions

    def sum(self, depth: int) -> Kernel:
        parts = [self.product(depth)]
        while self.accept("+"):
            parts.append(self.product(depth))
        return parts[0] if len(parts) == 1 else Sum(*parts)

    def product(self, depth: int) -> Kernel:
        start = self.next.position
        result = self.factor(depth)
        while self.accept("*"):
            result = result * self.factor(depth)
        if not isinstance(result, Kernel):
            raise ValueError(f"a number alone at position {start} is not a kernel; write constant({result!r}).")
        return result

    def factor(self, depth: int) -> Kernel | float:
        if depth > MAX_DEPTH:
            raise ValueError(f"more than {MAX_DEPTH} nested parentheses at position {self.next.position}; write fewer.")
        if self.accept("("):
            kernel = self.sum(depth + 1)
            self.expect(")")
            return kernel
        if self.next.kind == "number":
            return self.scale(self.advance())
        if self.next.kind != "name":
            self.refuse("a kernel")
        name = self.advance()
        return self.by(name, depth) if name.text.lower() == "by" else self.kernel(name)

    def by(self, name: Token, depth: int) -> Kernel:
        self.expect("(")
        part, column = self.sum(depth + 1), None
        if self.accept(","):
            if self.next.kind not in ("name", "quoted"):
                self.refuse("the name of a column of groups")
            token = self.advance()
            column = token.text[1:-1] if token.kind == "quoted" else token.text
        self.expect(")")
        try:
            return By(part, column)
        except ValueError as error:
            raise ValueError(f"in {name.text!r} at position {name.position}: {error}") from None

    def scale(self, number: Token) -> float:
        if not 0 < float(number.text) < math.inf:
            raise ValueError(f"the scale at position {number.position} is {number.text}; use a positive finite number.")
        return float(number.text)

    def kernel(self, name: Token) -> Kernel:
        make = _find(name, self.functions)
        arguments = self.arguments() if self.accept("(") else []
        try:
            return make(arguments)
        except ValueError as error:
            raise ValueError(f"in {name.text!r} at position {name.position}: {error}") from None

    def arguments(self) -> Arguments:
        found: Arguments = []
        if self.accept(")"):
            return found
        while True:
            key = self.advance().text if self.next.kind == "name" else None
            if key is not None:
                self.expect("=")
            found.append((key, self.value()))
            if not self.accept(","):
                break
        self.expect(")")
        return found

    def value(self) -> Value:
        if self.next.kind == "quoted":
            return self.advance().text[1:-1]
        sign = "-" if self.accept("-") else ""
        if self.next.kind != "number":
            self.refuse('a number or a duration such as "30 days"')
        number = sign + self.advance().text
        return f"{number} {self.advance().text}" if self.next.kind == "name" else float(number)

    def advance(self) -> Token:
        token = self.next
        self.next = next(self.tokens, token)
        return token

    def accept(self, symbol: str) -> bool:
        found = self.next.kind == "symbol" and self.next.text == symbol
        if found:
            self.advance()
        return found

    def expect(self, symbol: str) -> None:
        if not self.accept(symbol):
            self.refuse(repr(symbol))

    def refuse(self, expected: str) -> NoReturn:
        found = "the end" if self.next.kind == "end" else repr(self.next.text)
        raise ValueError(f"found {found} at position {self.next.position}; expected {expected}.")


def _find(name: Token, functions: Functions) -> Callable[[Arguments], Kernel]:
    """The function that makes the kernel of that name from its arguments."""
    custom = {key.lower(): key for key in functions}
    word = name.text.lower()
    if word in custom:
        return partial(_make_custom, functions[custom[word]], custom[word])
    if word in BUILT_IN:
        return partial(_make_built_in, *BUILT_IN[word])
    if word == Space.name:
        return _make_space
    if word in PRESETS:
        return partial(_make_deferred, word)
    known, alone = ", ".join([*BUILT_IN, "by", Space.name, *functions]), ", ".join(f'"{preset}"' for preset in PRESETS)
    raise ValueError(
        f"unknown kernel {name.text!r} at position {name.position}; expected one of {known}, or alone {alone}."
    )


def _make_built_in(kind: type[Leaf], fixed: dict[str, float], arguments: Arguments) -> Kernel:
    names = [field.name for field in fields(kind) if field.name not in fixed]
    if len(arguments) > len(names):
        raise ValueError(f"{len(arguments)} arguments given; it takes at most {len(names)}: {', '.join(names)}.")
    given: dict[str, Any] = dict(fixed)
    for place, (key, value) in enumerate(arguments):
        name = names[place] if key is None else key.lower()
        if name not in names:
            raise ValueError(f"unknown argument {key!r}; expected one of {', '.join(names)}.")
        if name in given:
            raise ValueError(f"{name} is given twice; give it once.")
        given[name] = value
    return kind(**given)


def _make_custom(function: Callable[..., Any], name: str, arguments: Arguments) -> Kernel:
    given: dict[str, Any] = {key: value for key, value in arguments if key is not None}
    if len(given) < len(arguments) or not given.keys().isdisjoint({"function", "name"}):
        raise ValueError("arguments of a custom kernel are each given once, by the name of the parameter.")
    return FunctionKernel(function, name, **given)


def _make_space(arguments: Arguments) -> Kernel:
    """A covariance of places; a length such as "300 km" is the distance wherever it stands."""
    given: Arguments = []
    for key, value in arguments:
        far = key is None and isinstance(value, str)
        given.append(("distance" if far else key, value))
    return _make_built_in(Space, {}, given)


def _make_deferred(name: str, arguments: Arguments) -> Kernel:
    """A preset as a part of a kernel.   arguments : at most a period."""
    if len(arguments) > 1 or any(key not in (None, "period") for key, _ in arguments):
        raise ValueError(f'"{name}" takes at most a period, as seasonal(1).')
    return Deferred(Preset(name, arguments[0][1] if arguments else None))
