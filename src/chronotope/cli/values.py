"""Values of options: texts of the command line as numbers, words, kernels and grids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronotope.topics import Topics


def whole_numbers(text: str, option: str) -> list[int]:
    """Comma-separated whole numbers of 0 or more;  option : for the message, such as "--seeds"."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = [-1]
    if min(numbers) < 0:
        raise ValueError(f"{option} is {text!r}; expected comma-separated whole numbers, such as 0,1,2.")
    return numbers


def comma_separated(text: str | None) -> list[str]:
    """The parts of a comma-separated text, without empty ones; none if there is no text."""
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def number_or_text(text: str) -> float | str:
    """A number if it is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text


def named_kernels(text: str) -> dict[str, str]:
    """Semicolon-separated kernels by name, which is the kernel itself if none is given: "wiener; slow = ou(6, 200)"."""
    found: dict[str, str] = {}
    for part in filter(str.strip, text.split(";")):
        head, equals, rest = part.partition("=")
        name, kernel = (head, rest) if equals and "(" not in head else (part, part)
        if name.strip() in found:
            raise ValueError(f"the kernel {name.strip()!r} is given twice; give it once, or another name.")
        found[name.strip()] = kernel.strip()
    return found


def grid_values(texts: Iterable[str]) -> dict[str, list[float | str]]:
    """Values of parameters by name, each text one parameter: "length_scale = 5, 20 years, x2"."""
    found: dict[str, list[float | str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not comma_separated(values):
            raise ValueError(f'the grid has {text!r}; expected a parameter and its values, as "length_scale=5,20,80".')
        found[name.strip()] = [number_or_text(value) for value in comma_separated(values)]
    return found


def check_topics(numbers: Iterable[int], n_topics: int) -> None:
    """Refuse numbers of topics that the model does not have."""
    for topic in numbers:
        if not 0 <= topic < n_topics:
            raise ValueError(f"--topic is {topic}; expected a number from 0 to {n_topics - 1}.")


def group_of(topics: Topics, text: str) -> str:
    """The group or place of that name, or of that number if none has the name; refuses others."""
    number = int(text) if text.isdecimal() and text not in topics.groups else len(topics.groups)
    if number < len(topics.groups):
        return topics.groups[number]
    topics.track(text)
    return text
