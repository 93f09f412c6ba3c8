"""An open program has the runs of its threads beside an environment that keeps to all relies, and no others."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.program import Program
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.verify import Options, verify
from sa.frontends.opened import opened
from sa.terms import build
from sa.terms.substitute import primed
from sa.terms.term import Term
from tests.generators.texts import random_text, written
from tests.invariants.judge import starts, steps
from tests.language.texts import program_of
from tests.oracle.explicit import Explicit, closure, explicit, reachable, restrict

G = "global x, y : 0..3 = 0; "


def alone(program: Program) -> set[tuple[object, ...]]:
    """The states of the only thread in its declared environment, by the oracle's environment steps."""
    (thread,) = map(resting, program.threads)
    return {(s.location, s.row) for s in reachable(explicit(confined(thread)))}


def resting(thread: Automaton) -> Automaton:
    """The thread in an environment that may leave alone what its relation mentions, whatever else changes."""

    def rests(env: Term) -> Term:
        mentioned = [v for v in variables_of(thread, Kind.GLOBAL) if {v, primed(v)} & env.free]
        told = mentioned or variables_of(thread, Kind.GLOBAL)
        return build.lor(env, build.land(*(build.eq(primed(v), v) for v in told)))

    places = tuple(q if q.env is None else replace(q, env=rests(q.env)) for q in thread.locations)
    return replace(thread, locations=places)


def together(program: Program) -> set[tuple[object, ...]]:
    """The states of the first thread beside the threads of an open program."""
    sides: list[Explicit] = [explicit(confined(t)) for t in program.threads]
    reached = closure(starts(sides), lambda here: [there for _, _, there in steps(sides, here)])  # type: ignore[type-var, arg-type]
    return {(here[0].location, here[0].row) for here in reached}  # type: ignore[index]


def confined(thread: Automaton) -> Automaton:
    return restrict(thread, -1, 2)


def differs(seed: int) -> bool:
    program = program_of(written(random_text(Random(seed), True, 1)))
    return alone(program) != together(opened(program))


def test_a_thread_has_the_states_that_it_has_in_its_declared_environment() -> None:
    assert [seed for seed in range(150) if differs(seed)] == []


@pytest.mark.fuzz
def test_many_threads_have_the_states_that_they_have_in_their_declared_environment() -> None:
    assert [seed for seed in range(150, 3000) if differs(seed)] == []


def verdicts(text: str) -> list[tuple[str, Verdict]]:
    outcome = verify(opened(program_of(text)), Options(limits(20.0, None)))
    return [(f.claim.name, f.verdict) for f in outcome.findings]


def test_the_environment_does_what_every_rely_allows_and_nothing_else() -> None:
    text = f"{G} thread A {{ rely x' >= x; skip; }} thread B {{ rely unchanged y; skip; }}"
    claims = "invariant still : y == 0; invariant moved : x == 0; invariant up : x >= 0;"
    assert verdicts(text + claims) == [
        ("invariant still", Verdict.PROVED),
        ("invariant moved", Verdict.REFUTED),
        ("invariant up", Verdict.PROVED),
    ]


def test_what_a_thread_relies_on_is_claimed_of_the_others() -> None:
    good = f"{G} thread A {{ rely x' >= x; skip; }} thread B {{ if (x < 3) {{ x := 3; }} }}"
    bad = f"{G} thread A {{ rely x' >= x; skip; }} thread B {{ x := 1; }}"
    assert [v for _, v in verdicts(good)] == [Verdict.PROVED]
    assert [v for _, v in verdicts(bad)] == [Verdict.REFUTED]


def test_a_step_that_changes_nothing_always_keeps_to_a_rely() -> None:
    text = f"{G} thread A {{ rely x' == x + 1; skip; }} thread B {{ atomic {{ if (y == 0) {{ x := x + y; }} }} }}"
    assert {v for _, v in verdicts(text)} == {Verdict.PROVED}


@pytest.mark.parametrize(
    "text",
    [
        "global x : int; thread T { x := 1; }",
        "automaton P { global x : int; location a initial { env x' == x; } location b { env x' > x; } edge a -> b; }",
    ],
)
def test_a_program_without_one_rely_for_all_locations_is_an_error(text: str) -> None:
    with pytest.raises(InputError) as wrong:
        opened(program_of(text))
    assert [d.code for d in wrong.value.diagnostics] == ["SA918"]


def test_the_environment_makes_no_sequence_that_does_not_exist() -> None:
    """Elements behind the end have one value."""
    text = (
        "global q, r : seq<0..3, 2> = {}; global z : int = 0; thread A { rely unchanged z; z := 1; }"
        "invariant same : len(q) == 0 && len(r) == 0 ==> q == r;"
    )
    assert [found for _, found in verdicts(text)] == [Verdict.PROVED]


@pytest.mark.parametrize("rely", ["false", "x == 0", "x == 0 && unchanged y"])
def test_a_rely_about_the_state_before_is_claimed_of_the_others_too(rely: str) -> None:
    text = f"global x : int = 1; global y : int = 0; thread A {{ rely {rely}; skip; }} thread B {{ x := 2; }}"
    assert Verdict.REFUTED in dict(verdicts(text)).values()


def test_what_a_rely_does_not_mention_changes_whether_the_rely_has_a_step_or_not() -> None:
    """From z = 0 the rely has no step."""
    text = "global x : 0..1 = 1; global z : 0..4 = 0; thread A { rely z' <= z && z' != 0; skip; } invariant v : x == 1;"
    assert verdicts(text) == [("invariant v", Verdict.REFUTED)]


def test_the_environment_neither_starts_threads_nor_ends_them() -> None:
    text = (
        "global x, y : 0..3 = 0; thread Main { start T; join T; assert x == 1; } thread T { rely unchanged x; x := 1; }"
    )
    assert {v for _, v in verdicts(text)} == {Verdict.PROVED}
