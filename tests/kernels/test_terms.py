"""What prevalence follows: kernels, groups and numbers from one text, and back."""

from __future__ import annotations

import pytest

from chronotope.kernels import parse_kernel
from chronotope.kernels.terms import parse_terms


@pytest.mark.parametrize(
    ("text", "over_time", "by", "linear"),
    [
        ("constant + ou", "constant + ou", None, ()),
        ("constant + ou + by(party)", "constant + ou", "party", ()),
        ("by(party) + ou(1, 5 years)", "ou(1, 5 years)", "party", ()),
        ("constant + ou + by('home state') + linear(age)", "constant + ou", "home state", ("age",)),
        ('ou + BY ( "a + b (c)" ) + linear(länge)+linear(_x2)', "ou", "a + b (c)", ("länge", "_x2")),
        ("linear(0.1) + linear(age)", "linear(0.1)", None, ("age",)),
        ("2 * (ou + constant(1)) + by(party)", "2 * (ou + constant(1))", "party", ()),
        ("slow drift + by(party)", "slow drift", "party", ()),
    ],
)
def test_terms_are_told_from_kernels(text: str, over_time: str, by: str | None, linear: tuple[str, ...]) -> None:
    found = parse_terms(text)
    assert found == (parse_kernel(over_time), by, linear)
    assert parse_terms(found.text) == found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("by(party)", "does not say how it changes over time"),
        ("", "does not say how it changes over time"),
        ("ou + by(party) + by(state)", "2 terms by"),
        ("ou + linear(age) + linear(age)", "a column twice"),
        ("ou + by()", r"found '\)' at position 8; expected a kernel"),
        ("ou + by(party", "unknown kernel 'party' at position 8"),
        ("ou * by(party)", "unknown kernel 'party' at position 8"),
        ("ou + by(ou, party)", "has terms of a kernel of words; write by\\(party\\), with the name of a column alone"),
        ("constant + space(1, 300 km)", "has terms of a kernel of words"),
        ("ou + by(1)", "a number alone at position 8 is not a kernel"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_terms(text)


def test_other_than_text_is_refused() -> None:
    with pytest.raises(TypeError, match="expected text such as"):
        parse_terms(3)  # type: ignore[arg-type]
