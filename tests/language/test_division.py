"""A divisor may be any value: the quotient is Euclidean, and a divisor that is 0 is a visible failure."""

from __future__ import annotations

from itertools import product

import pytest

from sa.automata.automaton import Automaton, Fault
from sa.language.unparse import show_program
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import Value
from sa.terms.term import Var
from tests.language.texts import complaints, problems_of, program_of, thread_of

G = "global x, y, z : int; global r : -2..3; define rest(p) = p % y; "

#: Statements, and what they write to x as Python sees it; `div` and `mod` are Euclidean.
STATEMENTS = {
    "x := x / y;": "div(x, y)",
    "x := x % y;": "mod(x, y)",
    "x := z - 3 * (x + z) / y + x % y;": "z - div(3 * (x + z), y) + mod(x, y)",
    "x := x % r;": "mod(x, r)",
    "x := 5 / (r - 1);": "div(5, r - 1)",
    "atomic { x := x % y; x := x + 4; x := x % y; }": "mod(mod(x, y) + 4, y)",
    "atomic { x := rest(x); x := x + 4; x := rest(x); }": "mod(mod(x, y) + 4, y)",
    "x := rest(x) + rest(z);": "mod(x, y) + mod(z, y)",
    "x := if y == 0 then 9 else x % y;": "9 if y == 0 else mod(x, y)",
    "atomic { if (y != 0 && z % y == 1) { x := 1; } else { x := 2; } }": "1 if y != 0 and mod(z, y) == 1 else 2",
    "atomic { if (y > 0) { x := x / y; } }": "div(x, y) if y > 0 else x",
    "x := fetch_add(z, x % y);": "z + 0 * mod(x, y)",
}


def divided(a: int, b: int) -> tuple[int, int]:
    quotient, rest = divmod(a, abs(b))
    return (quotient if b > 0 else -quotient), rest


def python(text: str, values: dict[str, int]) -> int | None:
    """The value of the expression; None where something is divided by 0."""
    names = {"div": lambda a, b: divided(a, b)[0], "mod": lambda a, b: divided(a, b)[1], **values}
    try:
        return int(eval(text, {}, names))
    except ZeroDivisionError:
        return None


def outcomes(thread: Automaton, state: dict[Var, Value], x: int) -> list[object]:
    """`x` after each step from the first location, for every value of the choices; the fault where it fails."""
    found = list[object]()
    for edge in thread.edges:
        if edge.source != thread.initial:
            continue
        for row in product(range(-15, 16), repeat=len(edge.choices)):
            values = state | {c.var: v for c, v in zip(edge.choices, row, strict=True)}
            if not holds(edge.guard, values):
                continue
            updates = {v.name: evaluate(t, values) for v, t in edge.updates}
            found.append(edge.failure.fault if edge.failure else updates.get("x", x))
    return found


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_divides_as_euclid_does(statement: str) -> None:
    thread = thread_of(f"{G} thread T {{ {statement} }}")
    variables = {v.var.name: v.var for v in thread.variables}
    sizes = (-2, 0, 3)
    for x, y, z, r in product((-4, 0, 5), sizes, (1, 4), sizes):
        values = {"x": x, "y": y, "z": z, "r": r}
        state: dict[Var, Value] = {variables[n]: v for n, v in values.items() if n in variables}
        wanted = python(STATEMENTS[statement], values)
        assert set(outcomes(thread, state, x)) == {Fault.DIVISION if wanted is None else wanted}, values


@pytest.mark.parametrize("keyword", ["if", "while"])
def test_a_test_divides_once_for_both_ways(keyword: str) -> None:
    thread = thread_of(f"{G} thread T {{ {keyword} (x % y == 1) {{ IN: skip; }} ON: skip; }}")
    variables = {v.var.name: v.var for v in thread.variables}
    for x, y in product((-3, 0, 1, 7), (-3, 0, 2)):
        state: dict[Var, Value] = {variables["x"]: x, variables["y"]: y}
        ways = {
            edge.target
            for edge in thread.edges
            for q in range(-9, 10)
            if edge.source == thread.initial and holds(edge.guard, state | {c.var: q for c in edge.choices})
        }
        assert ways == {"fail" if y == 0 else "IN" if divided(x, y)[1] == 1 else "ON"}


def test_what_is_printed_reads_back() -> None:
    text = " ".join(STATEMENTS)
    printed = show_program(program_of(f"{G} thread T {{ {text} while (x % y == 0) {{ @show(x / y) skip; }} }}"))
    assert show_program(program_of(printed)) == printed


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("invariant i : x % y == 0;", "y"),
        ("invariant i : x % r == 0;", "r"),
        ("init x / z == 1;", "z"),
    ],
)
def test_a_formula_cannot_fail(text: str, place: str) -> None:
    assert complaints(f"{G} {text} thread T {{ skip; }}") == [("SA205", place)]


def test_a_formula_divides_by_what_is_one_of_a_few_numbers() -> None:
    assert complaints("global x : int = 0; global k : 1..4 = 2; invariant i : x % k < 4; thread T { skip; }") == []


def test_a_rely_divides_by_the_next_value_of_what_has_a_small_range() -> None:
    assert complaints("global x : int; global k : 1..4; thread T { rely x' % k' == 0 || x' % k == 0; skip; }") == []
    (problem,) = problems_of("global x, y : int; thread T { rely x' % y' == 0; skip; }")
    assert (problem.code, "such as `1..9`" in (problem.hint or "")) == ("SA205", True)


def test_macros_that_divide_do_not_grow_without_bound() -> None:
    lines = ["define d0 = x % y;", *(f"define d{n} = d{n - 1} + d{n - 1};" for n in range(1, 40))]
    assert "SA205" in [c for c, _ in complaints(f"{G} {' '.join(lines)} thread T {{ x := d39; }}")]


def test_a_quotient_and_a_written_choice_are_two_choices() -> None:
    text = "automaton T { location a initial; edge a -> a { local choose?1 : int; y := choose?1; z := x / y; } }"
    assert complaints(f"{G} {text}")[0][0] == "SA105"


def test_a_divisor_that_is_0_for_one_member_only_is_a_failing_step() -> None:
    text = "global x : int = 4; thread T[i : 0..1] { if (i > 0) { x := x / i; } }"
    assert complaints(text) == []
