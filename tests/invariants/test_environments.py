"""Threads in the environments of those that they need: bounds that parameters give, level by level."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.automata.rename import apart
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Keeps
from sa.checker.never import check_keeps
from sa.checker.ruling import Accepted, Rejected
from sa.invariants.environments import by_environments
from sa.invariants.hierarchy import hierarchy
from sa.question.asked import Asked, Excluded, Note
from sa.terms import build
from sa.terms.term import And, Le, Or, Term
from tests.generators.growing import growing_program
from tests.generators.programs import random_program
from tests.invariants.judge import distance, random_question
from tests.language.texts import program_of

CHAIN = """
    param M : int; init M >= 1; global v : int[{n}]; init {start};
    thread Last {{ local k : int = 0; while (k < 2) {{ v[{n} - 1] := v[{n} - 1] + 1; k := k + 1; }} }}
    thread T[i : 1..{n} - 2] {{ local k : int = 0; while (k < 2) {{ v[i] := v[i] + v[i + 1]; k := k + 1; }} }}
    thread Main {{ local k : int = 0; while (k < 2) {{ v[0] := v[0] + v[1]; k := k + 1; }} assert v[0] <= {most}; }}
"""


def chain(threads: int, less: int = 0) -> str:
    """Each thread adds its neighbour to its own number, from start values up to M; the bound is the least one."""
    start = " && ".join(f"v[{i}] <= M" for i in range(threads))
    return CHAIN.format(n=threads, start=start, most=f"{2**threads - 1} * M + {2**threads - less}")


PROVED = {
    "a chain with a bound that a parameter gives": chain(4),
    "a long chain": chain(12),
    "rows that wait for cells of the next row": """
        param X : int; param a : int[4]; init X >= 0; init a[0] <= X && a[1] <= X && a[2] <= X && a[3] <= X;
        global s : int[4]; global done : 0..2 = 0;
        thread Below { s[3] := a[3]; done := 1; s[2] := a[2] + a[3]; done := 2; }
        thread Above { local c : int; await done > 0; c := a[1]; s[1] := c + s[3]; await done > 1; c := c + a[0];
            s[0] := c + s[2]; assert s[0] <= 4 * X; }""",
    "a value that is seen twice is the same unless it was written": """
        param P : int; global x : int = P; global go : bool = false;
        thread W { go := true; x := x + 1; }
        thread R { local a, b : int; a := x; b := x; assert b == a || b == a + 1; }""",
    "threads that need each other": """
        param P : int; init P >= 0; global x, y : int = P;
        thread A { y := x; if (y > 3) { y := 3; } } thread B { x := y; }
        thread C { local c : int; c := x + y; assert c <= 2 * P + 6; }""",
    "a writer that never comes to its step": """
        global l : int = 0; global x : int = 1; thread W { await l == 1 { l := 0; } x := 2; }
        thread R { local a : int; a := x; assert a == 1; }""",
    "a claim about several threads": """
        param P : int; init P >= 0; global x, y : int = P; thread A { x := P + 1; } thread B { y := x + 1; }
        invariant together : x + y <= 2 * P + 3;""",
}
OPEN = {
    "a bound that is too small by one": chain(4, less=1),
    "a row that does not wait": PROVED["rows that wait for cells of the next row"].replace("await done > 1;", ""),
    "one writer more": PROVED["a value that is seen twice is the same unless it was written"]
    + "thread V { x := x + 1; }",
}


def excluded(threads: tuple[Automaton, ...], bads: tuple[Bad, ...]) -> tuple[Bad, ...]:
    """What is excluded; the checker accepts all of it."""
    done = list[Bad]()
    for found in by_environments(None, Asked(threads, bads, ()), Budget(Limits()), unheard):
        assert isinstance(found, Excluded)
        assert isinstance(found.evidence, Keeps)
        assert check_keeps(found.evidence, Limits()) == Accepted()
        done += found.bads
    return tuple(done)


def bads(program: Program) -> tuple[Bad, ...]:
    """What is claimed, as something bad."""
    return (Bad(Failing(), None), *(Bad(None, i.formula) for i in program.invariants))


@pytest.mark.parametrize("name", PROVED)
def test_environments_settle(name: str) -> None:
    program = program_of(PROVED[name])
    assert excluded(program.threads, bads(program)) == bads(program)


@pytest.mark.parametrize("name", OPEN)
def test_what_can_happen_is_left_open(name: str) -> None:
    program = program_of(OPEN[name])
    assert bads(program)[0] not in excluded(program.threads, bads(program))


def test_levels_come_after_those_that_they_need() -> None:
    threads = tuple(apart(t) for t in program_of(chain(4)).threads)
    known = hierarchy(threads, frozenset(), Limits())
    main = next(n for n, t in enumerate(threads) if t.name == "Main")
    assert [[threads[n].name for n in level] for level in known.levels([main])] == [
        ["Last"],
        ["T[2]"],
        ["T[1]"],
        ["Main"],
    ]


def told(text: str, main: str = "Main") -> list[str]:
    """What is said of the needs of a main thread and of those that it needs."""
    program = program_of(text)
    asked = Asked(program.threads, bads(program), ())
    return [n.words for n in by_environments(main, asked, Budget(Limits()), unheard) if isinstance(n, Note)]


def test_clauses_are_what_each_thread_needs_of_the_next() -> None:
    assert told(chain(4)) == [
        "order of the threads: Last, T[2], T[1], Main; none needs a later one",
        "Main needs of T[1]: v[1] <= 7 * M + 8",
        "T[1] needs of T[2]: v[2] <= 3 * M + 4",
        "T[2] needs of Last: v[3] <= M + 2",
    ]


def test_clauses_say_for_which_values_of_flags_they_hold() -> None:
    text = """
        param P : int; global x : int; global ready : bool = false;
        thread W { x := P + 1; ready := true; } thread Other { local y : int; y := x; }
        thread Main { local a : int; await ready; a := x; assert a == P + 1; }"""
    assert told(text)[1:] == ["Main needs of W: ready ==> P == x - 1"]


def test_it_is_told_where_clauses_about_states_are_not_enough() -> None:
    text = PROVED["a value that is seen twice is the same unless it was written"].replace("R {", "Main {")
    assert told(text)[1:] == ["Main needs to know how W change variables, not only what holds of these"]


def test_nothing_is_told_where_nothing_is_proved() -> None:
    assert told(chain(4, less=1)) == []


def test_invariants_that_say_too_much_are_refused() -> None:
    """The bound of each number in a chain, less by one, one after the other."""
    program = program_of(chain(3))
    asked = Asked(program.threads, bads(program), ())
    (found,) = (f for f in by_environments(None, asked, Budget(Limits()), unheard) if isinstance(f, Excluded))
    assert isinstance(found.evidence, Keeps)
    refused = 0
    for number, made in enumerate(found.evidence.threads):
        for place, location in enumerate(made.automaton.locations):
            less = tampered(location.inv)
            if less is location.inv:
                continue
            locations = (
                *made.automaton.locations[:place],
                replace(location, inv=less),
                *made.automaton.locations[place + 1 :],
            )
            threads = list(found.evidence.threads)
            threads[number] = replace(made, automaton=replace(made.automaton, locations=locations))
            assert isinstance(check_keeps(replace(found.evidence, threads=tuple(threads)), Limits()), Rejected)
            refused += 1
    assert refused > 3


def tampered(formula: Term) -> Term:
    """The formula with inequalities that are stronger by one."""
    match formula:
        case Le(total):
            return build.at_most_zero(build.add(total, build.ONE))
        case And(args):
            return build.land(*map(tampered, args))
        case Or(args):
            return build.lor(*map(tampered, args))
        case _:
            return formula


def check(seed: int, number: int) -> bool:
    """Ask about a random program whose integers have no bounds, which the judge gives some. Whether it is excluded."""
    confined, bad = random_question(seed, number)
    threads = program_of(random_program(seed, number)).threads
    asked = bad
    if bad.failing is not None and bad.failing.edge is not None:
        (same,) = (
            t.edges[c.edges.index(bad.failing.edge)]
            for t, c in zip(threads, confined, strict=True)
            if c.name == bad.failing.thread
        )
        asked = Bad(Failing(bad.failing.thread, same), bad.claim)
    found = bool(excluded(threads, (asked,)))
    assert not found or distance(confined, bad) is None
    return found


@pytest.mark.parametrize("seed", [*range(10), 1634])
def test_what_is_excluded_never_happens(seed: int) -> None:
    check(seed, 2)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(40))
def test_evidence_about_numbers_that_grow_is_accepted(seed: int) -> None:
    program = program_of(growing_program(Random(seed)))
    excluded(program.threads, bads(program))


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(20))
def test_what_is_excluded_never_happens_in_many_programs(block: int) -> None:
    found = sum(check(seed, 2 + seed % 2) for seed in range(1_000 + 150 * block, 1_150 + 150 * block))
    assert found
