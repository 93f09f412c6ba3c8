"""Proofs put together from pairs of threads: what is wrong with them in any one place is noticed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, Variable
from sa.automata.rename import on_side
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.threads import Annotated, Composition
from sa.checker.composition import check_composition
from sa.checker.ruling import Accepted, Rejected
from sa.engines.goals import decide
from sa.generation.visibility import Level
from sa.question.asked import Decision
from sa.refinement.compositional import attempt, begin
from sa.terms import build
from sa.terms.substitute import primed
from sa.terms.term import Term
from tests.endtoend.asking import read

#: T1 counts y up to the x that it has seen, and x only grows.
CONCRETE = """
global x, y : int = 0;
thread T1 { local t : int = 0; while (true) { t := x; if (y < t) { y := y + 1; } } }
thread T2 { while (true) { x := x + 1; } }
"""

ABSTRACT = """
global x, y : int = 0;
thread T1 { while (true) { atomic { if (y < x) { y := y + 1; } } } }
thread T2 { while (true) { x := x + 1; } }
"""

x, y, t = build.variable("x"), build.variable("y"), build.variable("t")
conc_x, abs_x = build.variable("conc.x"), build.variable("abs.x")


def _decided(goal: Goal) -> Decision:
    return decide(goal, Limits(), briefly=True)


def _composition(abstract: str = ABSTRACT, concrete: str = CONCRETE, level: Level = Level.HIDDEN) -> Composition:
    made = attempt(begin(*read(abstract, concrete), Limits(), level), Limits(), _decided).composition
    assert made is not None
    return made


@pytest.fixture(scope="module")
def made() -> Composition:
    return _composition()


def _ruling(made: Composition) -> str:
    ruling = check_composition(made, Limits())
    return "accepted" if isinstance(ruling, Accepted) else ruling.obligation


def _with_places(annotated: Annotated, env: Term | None = None, inv: Term | None = None) -> Annotated:
    def changed(q: Location) -> Location:
        return replace(q, env=q.env if env is None else env, inv=q.inv if inv is None else inv)

    automaton = annotated.automaton
    return replace(annotated, automaton=replace(automaton, locations=tuple(changed(q) for q in automaton.locations)))


def _first(made: Composition, changed: Annotated) -> Composition:
    """The composition with another first concrete thread, in the goal too."""

    goal = replace(made.goals[0], concrete=on_side(changed.automaton, "conc"))
    return replace(made, concrete=(changed, *made.concrete[1:]), goals=(goal, *made.goals[1:]))


@pytest.mark.parametrize("level", [Level.HIDDEN, Level.LOCATIONS])
def test_a_composition_that_was_found_is_accepted(level: Level) -> None:
    assert _ruling(_composition(level=level)) == "accepted"


def test_an_environment_that_forbids_a_step_of_another_thread_is_noticed(made: Composition) -> None:
    still = build.land(build.eq(primed(x), x), build.eq(primed(y), y))
    assert _ruling(_first(made, _with_places(made.concrete[0], env=still))) == "compatible"


def test_an_environment_that_may_not_stand_still_is_noticed(made: Composition) -> None:
    moves = build.lt(x, primed(x))
    assert _ruling(_first(made, _with_places(made.concrete[0], env=moves))) == "reflexive environment"


def test_an_invariant_that_is_not_initially_true_is_noticed(made: Composition) -> None:
    assert _ruling(_first(made, _with_places(made.concrete[0], inv=build.lt(build.ZERO, x)))) == "initial invariant"


def test_an_invariant_that_a_step_breaks_is_noticed(made: Composition) -> None:
    assert _ruling(_first(made, _with_places(made.concrete[0], inv=build.eq(t, build.ZERO)))) == "inductive invariant"


def test_an_invariant_that_another_thread_breaks_is_noticed(made: Composition) -> None:
    assert _ruling(_first(made, _with_places(made.concrete[0], inv=build.eq(x, build.ZERO)))) == "compatible"


def test_an_invariant_of_a_goal_that_was_not_shown_is_noticed(made: Composition) -> None:
    goal = made.goals[0]
    places = tuple(replace(q, inv=build.eq(conc_x, build.ZERO)) for q in goal.concrete.locations)
    goal = replace(goal, concrete=replace(goal.concrete, locations=places))
    assert _ruling(replace(made, goals=(goal, *made.goals[1:]))) == "invariant of the goal"


def test_a_goal_in_another_environment_is_noticed(made: Composition) -> None:
    goal = made.goals[0]
    still = tuple(replace(q, env=build.eq(primed(conc_x), conc_x)) for q in goal.concrete.locations)
    goal = replace(goal, concrete=replace(goal.concrete, locations=still))
    assert _ruling(replace(made, goals=(goal, *made.goals[1:]))) == "well-formed composition"


def test_an_annotated_thread_with_a_step_less_is_noticed(made: Composition) -> None:
    first = made.concrete[0]
    fewer = replace(first, automaton=replace(first.automaton, edges=first.automaton.edges[:-1]))
    assert _ruling(_first(made, fewer)) == "well-formed composition"


def test_an_annotated_thread_with_a_stronger_guard_is_noticed(made: Composition) -> None:
    first = made.concrete[0]
    edges = tuple(replace(e, guard=build.FALSE) for e in first.automaton.edges)
    assert _ruling(_first(made, replace(first, automaton=replace(first.automaton, edges=edges)))) == (
        "well-formed composition"
    )


def _ghosted(automaton: Automaton, init: Term, value: Term) -> Automaton:
    """With a ghost `g` that every step sets."""
    g = build.variable("g")
    return replace(
        automaton,
        variables=(*automaton.variables, Variable(g, Kind.GLOBAL, ghost=True)),
        init=build.land(automaton.init, init),
        edges=tuple(replace(e, updates=(*e.updates, (g, value))) for e in automaton.edges),
    )


@pytest.mark.parametrize(
    ("init", "value"),
    [
        (build.FALSE, build.ZERO),
        (build.eq(build.variable("g"), x), build.ZERO),
        (build.eq(build.variable("g"), build.ZERO), build.add(build.variable("g"), build.ONE)),
    ],
)
def test_a_ghost_that_may_cut_runs_is_noticed(made: Composition, init: Term, value: Term) -> None:
    first = made.concrete[0]
    changed = replace(first, automaton=_ghosted(first.automaton, init, value))
    assert _ruling(_first(made, changed)) == "well-formed composition"


def test_a_relation_that_is_none_is_noticed(made: Composition) -> None:
    empty = replace(made.relations[0], answers=())
    assert isinstance(check_composition(replace(made, relations=(empty, *made.relations[1:])), Limits()), Rejected)


def test_pairs_that_relate_what_the_other_one_changes_are_noticed() -> None:
    """Relating y in one pair only: what T2 does keeps its own relation, and may break the other one's."""
    made = _composition()
    narrow = tuple(f for f in made.goals[1].iota if f.term.free.isdisjoint({build.variable("conc.y")}))
    goals = (made.goals[0], replace(made.goals[1], iota=narrow))
    assert _ruling(replace(made, goals=goals)) == "non-interference"


def test_initial_values_that_only_the_pairs_agree_on_are_noticed() -> None:
    """Each pair finds an abstract initial state, with another value of z: together they have none (9853/716)."""
    made = _composition()
    z = Variable(build.variable("z"), Kind.GLOBAL)

    def with_z(annotated: Annotated, value: int) -> Annotated:
        pinned = build.eq(z.var, build.integer(value))

        def wider(automaton: Automaton) -> Automaton:
            return replace(automaton, variables=(z, *automaton.variables), init=build.land(automaton.init, pinned))

        return Annotated(wider(annotated.thread), wider(annotated.automaton))

    abstract = tuple(with_z(a, value) for value, a in enumerate(made.abstract))
    goals = tuple(replace(g, abstract=on_side(a.automaton, "abs")) for g, a in zip(made.goals, abstract, strict=True))
    assert _ruling(replace(made, abstract=abstract, goals=goals)) == "initial coverage of the composition"
