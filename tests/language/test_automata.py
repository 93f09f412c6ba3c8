"""Automata written as locations and edges, and printed as such."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.base.source import Source
from sa.language.elaborate import program
from sa.language.load import load_program
from sa.language.unparse import show_program
from sa.terms import build
from tests.generators.programs import random_program
from tests.language.texts import arrows, problems_of, program_of, thread_of, without_origins
from tests.parts import for_each

STEP = re.compile(r"^(lemma|theorem)\b", re.MULTILINE)
SPECS = [
    p for p in sorted((Path(__file__).parents[2] / "specs").rglob("*.sa")) if not STEP.search(p.read_text("utf-8"))
]


def test_an_edge_has_label_guard_and_an_atomic_body() -> None:
    thread = thread_of(
        "automaton P { global x, y : int; location a initial; location b;"
        " edge a -> b @go(x) when x > 0 { x := x + 1; y := x; } edge b -> a; }"
    )
    assert arrows(thread) == ["a -> b @go(x) when x >= 1 { x, y := x + 1, x + 1 }", "b -> a"]


def test_a_written_invariant_and_environment_belong_to_their_location() -> None:
    thread = thread_of(
        "automaton P { global x : 0..3; rely x' >= x; location a initial { inv x < 2; env x' <= 2; } location b; }"
    )
    first, second = thread.locations
    x, after = build.variable("x"), build.variable("x", primes=1)
    assert first.inv is build.land(first.inv, build.le(x, build.ONE))
    assert second.inv is not first.inv
    assert first.env is build.land(build.le(x, after), build.le(after, build.integer(2)))
    assert second.env is build.le(x, after)


def test_an_environment_at_one_location_says_nothing_about_another() -> None:
    thread = thread_of("automaton P { global x : int; location a initial { env unchanged x; } location b; }")
    assert thread.locations[1].env is None


def test_automata_may_declare_a_global_in_the_same_way_twice() -> None:
    one = "{ global x : int = 0; location a initial; }"
    assert [v.var.name for v in program_of(f"automaton P {one} automaton Q {one}").variables] == ["x"]


def test_locals_of_an_automaton_have_their_values_in_its_initial_states() -> None:
    thread = thread_of("automaton P { local t : 0..3 = 1; local u : int; init u == t + 1; location a initial; }")
    t, u = build.variable("t"), build.variable("u")
    values = build.land(build.eq(t, build.ONE), build.eq(u, build.add(t, build.ONE)))
    assert thread.init is build.land(values, build.le(build.ZERO, t), build.le(t, build.integer(3)))


def test_an_assignment_out_of_range_fails_unless_it_is_marked_as_checked() -> None:
    text = "automaton P {{ global x : 0..3; location a initial; edge a -> a {} {{ x := x + 1; }} }}"
    assert [e.target for e in thread_of(text.format("")).edges] == ["a", "fail"]
    (edge,) = thread_of(text.format("checked")).edges
    assert edge.guard is build.TRUE


def test_a_location_that_only_edges_mention_is_there_with_a_warning() -> None:
    text = "automaton P { location first initial; edge first -> frist; }"
    assert [place.name for place in thread_of(text).locations] == ["first", "frist"]
    (problem,) = problems_of(text)
    assert (problem.code, problem.hint) == ("SA317", "did you mean `first`?")


def same(one: Program, other: Program) -> bool:
    """Whether two programs differ in their origins at most."""
    return _plain(one) == _plain(other) and one.init is other.init


def _plain(made: Program) -> tuple[object, ...]:
    """A program without its origins; what a scheduler declares is printed like what others do."""
    threads = [_declared(without_origins(t)) for t in (*made.threads, *(f.thread for f in made.families))]
    claims = [(i.formula, i.copies) for i in made.invariants], [g.relation for g in made.guarantees]
    return threads, [f.identity for f in made.families], claims


def _declared(thread: Automaton) -> Automaton:
    return replace(thread, variables=tuple(replace(v, of_scheduler=False) for v in thread.variables))


@for_each("path", SPECS)
def test_a_printed_spec_is_read_back_as_the_same_automata(path: Path) -> None:
    original = load_program(str(path)).program
    assert same(program(Source("printed", show_program(original))), original)


def test_printed_random_programs_are_read_back_as_the_same_automata() -> None:
    for seed in range(100):
        original = program_of(random_program(seed, 2))
        assert same(program_of(show_program(original)), original), seed
