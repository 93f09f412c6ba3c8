"""Functions without a body: relations that hold whatever their values are, and none that do not."""

from __future__ import annotations

from random import Random

import pytest

from tests.simulation.examples import answer

FUNCTION = "function f(int) : int; global x, y : int;"
SAME = "axiom forall v : int :: f(v) == v;"
ANY_ORDER = "function g(int, int) : int; axiom forall v, w : int :: g(v, w) == g(w, v); global x, y : int;"
INVERSE = "function f(int) : int; function e(int) : int; axiom forall v : int :: f(e(v)) == v; global x, y : int;"
TWO = "function g(int, int) : int; global x, y : int;"

PROVED = {
    "a value that is kept": ("@a(f(x)) skip;", "local k : int = 0; k := f(x); @a(k) skip;", FUNCTION),
    "a value that is computed again": ("local k : int = 0; k := f(x); @a(k) skip;", "@a(f(x)) skip;", FUNCTION),
    "an axiom that says what the values are": ("y := f(x);", "y := x;", FUNCTION + SAME),
    "the same the other way round": ("y := x;", "y := f(x);", FUNCTION + SAME),
    "arguments that are equal": ("y := f(2 * x);", "y := f(x + x);", FUNCTION),
    "functions of functions": ("y := f(f(x));", "local k : int = 0; k := f(x); y := f(k);", FUNCTION),
    "several arguments": ("y := g(x, y);", "local k : int = 0; k := y; y := g(x, k);", TWO),
    "a law of the order of arguments": ("y := g(x, g(x, y));", "y := g(g(y, x), x);", ANY_ORDER),
    "a law of functions of functions": ("y := x;", "local k : int = 0; k := e(x); y := f(k);", INVERSE),
    "a choice that is an argument": (
        "local j, k : int; havoc j; havoc k; @a(g(j, g(j, k))) skip;",
        "local j, k, m : int; havoc k; havoc j; m := g(k, j); m := g(m, j); @a(m) skip;",
        ANY_ORDER,
    ),
    "a choice that is a value": ("local k : int = 0; havoc k; @a(k) skip;", "@a(f(x)) skip;", FUNCTION),
}


@pytest.mark.parametrize("name", PROVED)
def test_what_holds_of_all_functions_is_proved(name: str) -> None:
    assert answer(*PROVED[name]) == "proved"


NOT_PROVED = {
    "no axiom": ("y := f(x);", "y := x;", FUNCTION),
    "another argument": ("@a(f(x)) skip;", "@a(f(x + 1)) skip;", FUNCTION),
    "another order of arguments": ("y := g(x, y);", "y := g(y, x);", TWO),
    "a law that does not say as much": ("y := g(x, g(x, y));", "y := g(g(x, x), y);", ANY_ORDER),
    "another number of times": ("y := f(f(x));", "y := f(x);", FUNCTION),
    "an axiom about something else": ("y := f(x);", "y := x;", FUNCTION + "axiom forall v : int :: f(v) == v + 1;"),
}


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_fails_for_some_function_is_not_proved(name: str) -> None:
    assert answer(*NOT_PROVED[name]) != "proved"


BODIES = ("0", "n", "n + 1", "2 * n", "0 - n", "if n < 0 then 0 - n else n")


def body(random: Random) -> str:
    def value() -> str:
        var = random.choice("ijx")
        return random.choice((var, f"f({var})", f"f({var})", f"{var} + 1", f"f(f({var}))"))

    def statement() -> str:
        made = value()
        kinds = (
            f"{random.choice('ij')} := {made};",
            f"x := {made};",
            f"@a({made}) skip;",
            f"if ({made} < 1) {{ i := j; }}",
        )
        return random.choice(kinds)

    return " ".join(("local i, j : int = 0;", *(statement() for _ in range(random.randint(2, 4)))))


def judged(seeds: range) -> int:
    """How many random pairs are proved for all functions. Each must not be refuted for any that is written out."""
    proved = 0
    for seed in seeds:
        random = Random(seed)
        abstract = body(random)
        parts = abstract.split("; ")
        if random.random() < 0.7:
            i = random.randrange(1, len(parts))
            parts.insert(i, random.choice(("skip", "i := i", "j := f(j)", "j := i")))
        concrete = "; ".join(parts)
        if answer(abstract, concrete, "function f(int) : int; global x : int;") == "proved":
            proved += 1
            for text in BODIES:
                given = f"function f(n : int) : int = {text}; global x : int;"
                assert answer(abstract, concrete, given) != "refuted", (seed, text)
    return proved


def test_what_is_proved_of_all_functions_holds_of_some() -> None:
    assert judged(range(5)) > 0


@pytest.mark.fuzz
def test_what_is_proved_of_all_functions_holds_of_some_many_times() -> None:
    assert judged(range(12, 200)) > 20
