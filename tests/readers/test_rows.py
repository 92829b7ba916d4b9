"""What is left out is counted by reason, with the first few places."""

from __future__ import annotations

from chronotope.readers.rows import Bad, Dropped, Notes, shorten


def test_reasons_are_counted_and_the_first_places_kept() -> None:
    dropped = Dropped()
    for line in range(5):
        dropped.add(Bad(f"line {line}", "unreadable time", "n.d."))
    dropped.add(Bad("line 9", "no text"))
    assert dropped.total == 6
    assert str(dropped) == (
        "5 × unreadable time (line 0 'n.d.', line 1 'n.d.', line 2 'n.d.', ...); 1 × no text (line 9)"
    )


def test_long_values_are_cut_to_one_line() -> None:
    assert shorten("two\nlines  here") == "two lines here"
    assert shorten("x" * 1_000_000) == "x" * 37 + "..."


def test_a_note_is_kept_once() -> None:
    notes = Notes()
    notes.say("a")
    notes.say("a")
    assert notes == ["a"]
