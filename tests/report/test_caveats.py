"""What an answer assumes, one line each."""

from __future__ import annotations

from sa.base.caveat import Caveat, Said


def test_what_is_assumed_of_places_in_two_files_is_one_line() -> None:
    said = (
        "orders are weak (line 7 of a.c).",
        "`malloc` never fails.",
        "orders are weak (lines 6, 9 of b.c).",
    )
    caveats = tuple(Caveat("kind", f"Assuming {text}", "") for text in said)
    assert Said(caveats).lines == (
        "Assuming orders are weak (line 7 of a.c, lines 6, 9 of b.c).",
        "Assuming `malloc` never fails.",
    )


def test_what_is_in_brackets_and_no_place_stays() -> None:
    caveats = tuple(Caveat("kind", text, "") for text in ("NOT CHECKED: races (--races)", "NOT CHECKED: leaks (x)"))
    assert Said((), caveats).lines == ("NOT CHECKED: races (--races)", "NOT CHECKED: leaks (x)")
