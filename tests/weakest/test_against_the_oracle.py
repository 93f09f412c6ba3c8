"""Inferred environments against enumeration, on random pairs of small threads.

The judge computes the true winning region in an environment that is still, or only ends waits. The pair is a
refinement in what was inferred; what is called weakest excludes a step if and only if it leads from a state of the
region to one without an answer; where a clause is said to be needed, the pair is no refinement without it; and where no
environment is said to help, the pair is none although nobody interferes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.verdict import Verdict
from sa.certificates.goal import Goal
from sa.conditions.environment import closed
from sa.question.goals import goals
from sa.terms import build
from sa.terms.evaluate import holds
from sa.terms.substitute import primed
from sa.terms.term import Term, Var
from sa.weakest.clauses import Clause, clauses, formula
from sa.weakest.infer import Weakest
from sa.weakest.region import WHOLE, Region, regions, waits
from sa.weakest.steps import concrete_way, excluded
from tests.oracle.explicit import Explicit, State, all_states
from tests.oracle.game import Pair, board, decide, game_graph, is_related, removal_rounds
from tests.weakest.pairs import HEAD, OPTIONS, found, open_goal, programs, random_bodies

#: Values of the shared variables before a step and after it.
Step = tuple[tuple[int, ...], tuple[int, ...]]


def _judge(folder: Path, seed: int) -> str:
    bodies = random_bodies(seed)
    answer = found(folder, HEAD, *bodies)
    abstract, concrete = programs(folder, HEAD, *bodies)
    still = _still(open_goal(abstract, concrete))
    if answer.verdict is Verdict.REFUTED:
        assert not decide(still).simulated, f"seed {seed}: some environment helps"
    if answer.environment is None:
        return answer.verdict.value
    assert decide(_goal(*answer.environment.programs)).simulated, f"seed {seed}: no refinement in the environment"
    needed = _needed_clauses(answer, seed)
    if not answer.environment.maximal:
        return "some environment"
    _assert_weakest(open_goal(abstract, concrete), seed)
    return "weakest, needed" if needed else "weakest"


def _needed_clauses(answer: Weakest, seed: int) -> int:
    assert answer.environment is not None
    abstract, concrete = answer.environment.programs
    for needed in answer.environment.concrete:
        if needed.without is not None and needed.without.verdict is Verdict.REFUTED:
            without = _goal(abstract, _without(concrete, needed.place, needed.clause))
            assert not decide(without).simulated, f"seed {seed}: a clause at {needed.place} is not needed"
    return len(answer.environment.concrete)


def _without(program: Program, place: str, clause: Clause) -> Program:
    (thread,) = program.threads
    here = next(q for q in thread.locations if q.name == place)
    left = build.land(*(c for c in build.conjuncts(here.env or build.TRUE) if c is not formula(clause)))
    locations = tuple(replace(q, env=left) if q is here else q for q in thread.locations)
    return replace(program, threads=(replace(thread, locations=locations),))


def _goal(abstract: Program, concrete: Program) -> Goal:
    (goal,) = goals(abstract, concrete, None, whole=False)
    return goal


def _still(goal: Goal) -> Goal:
    return replace(goal, concrete=closed(goal.concrete), abstract=closed(goal.abstract), closed=True)


def _assert_weakest(goal: Goal, seed: int) -> None:
    found = (next(regions(goal, WHOLE, w, OPTIONS)) for w in ((True, False) if waits(goal) else (False,)))
    region = next(r for r in found if isinstance(r, Region))
    b = board(region.board.goal)
    by_location = {p.pair: p.states for p in region.places}
    pairs = [p for p in product(all_states(b.concrete), all_states(b.abstract)) if is_related(b, p)]
    graph = game_graph(b, pairs)
    lost = removal_rounds(graph)
    inside = [p for p in pairs if _holds(b.concrete, b.abstract, p, by_location)]
    assert all(p not in lost for p in inside), f"seed {seed}: the region has a state without an answer"
    way = concrete_way(region)
    for location, steps in excluded(region, way, 0).items():
        env = build.land(*map(formula, clauses(region.session, steps, way)))
        here = [p for p in inside if p[0].location == location]
        wrong = {step for p in here for after, step in _moves(b.concrete, b.abstract, p, way.moving) if after in lost}
        for before, after in product(_values(b.concrete, way.moving), repeat=2):
            values = {
                **dict(zip(way.moving, before, strict=True)),
                **dict(zip(map(primed, way.moving), after, strict=True)),
            }
            assert holds(env, values) == ((before, after) not in wrong), (
                f"seed {seed}: {before} to {after} at {location}"
            )


def _holds(c: Explicit, a: Explicit, pair: Pair, states: Mapping[tuple[str, str], tuple[Term, ...]]) -> bool:
    formulas = states.get((pair[0].location, pair[1].location))
    if formulas is None:
        return False
    values = {**dict(zip(c.order, pair[0].row, strict=True)), **dict(zip(a.order, pair[1].row, strict=True))}
    return all(holds(f, values) for f in formulas)


def _values(c: Explicit, moving: tuple[Var, ...]) -> list[tuple[int, ...]]:
    return sorted({_of(c, s, moving) for s in all_states(c)})


def _of(c: Explicit, state: State, variables: tuple[Var, ...]) -> tuple[int, ...]:
    return tuple(state.row[c.order.index(v)] for v in variables)


def _moves(c: Explicit, a: Explicit, pair: Pair, moving: tuple[Var, ...]) -> Iterator[tuple[Pair, Step]]:
    """All changes of the shared variables, which are the same on both sides."""
    before = _of(c, pair[0], moving)
    for after in _values(c, moving):
        first = _set(c, pair[0], {v.name.base: x for v, x in zip(moving, after, strict=True)})
        second = _set(a, pair[1], {v.name.base: x for v, x in zip(moving, after, strict=True)})
        yield (first, second), (before, after)


def _set(x: Explicit, state: State, shared: Mapping[str, int]) -> State:
    shown = x.order[: x.visible]
    new = tuple(shared[v.name.base] if v in shown else old for v, old in zip(x.order, state.row, strict=True))
    return State(state.location, new)


def test_pairs_have_the_environment_that_enumeration_gives(tmp_path: Path) -> None:
    counted = Counter(_judge(tmp_path, seed) for seed in range(8))
    assert counted["weakest"] + counted["weakest, needed"] >= 2
    assert counted["UNKNOWN"] == 0


@pytest.mark.fuzz
@pytest.mark.parametrize("first", range(50, 1050, 25))
def test_random_pairs_have_the_environment_that_enumeration_gives(first: int, tmp_path: Path) -> None:
    counted = Counter(_judge(tmp_path, seed) for seed in range(first, first + 25))
    assert counted["weakest"] + counted["weakest, needed"] >= 1
    assert counted["UNKNOWN"] <= 2
    assert counted["some environment"] <= 3
