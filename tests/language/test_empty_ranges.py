"""A quantifier over no values: `forall` holds and `exists` does not, so that a constant may be 0."""

from __future__ import annotations

import pytest

from sa.terms.printer import show
from tests.language.texts import problems_of, program_of

EMPTY = "const N = 0; global x : int = 0; thread T { skip; } "


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("forall i : 1..N :: x == i", "true"),
        ("exists i : 1..N :: x == i", "false"),
        ("forall i : 0..3, j : 1..N :: x == i + j", "true"),
        ("forall i : 0..N :: x == i", "x == 0"),
    ],
)
def test_a_quantifier_may_be_over_no_values(formula: str, told: str) -> None:
    (invariant,) = program_of(EMPTY + f"invariant i : {formula};").invariants
    assert show(invariant.formula) == told


def test_a_variable_or_an_array_with_an_empty_range_is_an_error() -> None:
    for declared in ("global y : 1..N;", "global y : 1..N[2];"):
        assert problems_of(EMPTY + declared)[0].code == "SA206"
