"""Which fact about an environment would exclude a play (THEORY section 5), judging by its environment steps.

A local play may use steps that no other thread makes. Each step names the variables that it changes; what forbids it is
that a variable stays, or moves one way only, while some condition holds. Facts are proposals: whether the other
threads keep to them is a question for `generation.modular`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.trace import Configuration
from sa.certificates.interpreted import plain_play
from sa.certificates.play import Broken, Chosen, EnvironmentMove, Play, Position, Step, Unmatched
from sa.terms import build
from sa.terms.atoms import atoms
from sa.terms.cases import condition_in
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import BOOL, INT, Value, number, show_value
from sa.terms.substitute import primed, unsided
from sa.terms.term import IsZero, Le, Same, Term, Var, sort_of

#: Shared numbers up to which all are compared with each other.
FEW = 5


class Disturbance(Struct, frozen=True):
    """An environment step of one side of a play, over the names that the program itself uses."""

    concrete: bool
    before: Mapping[Var, Value]
    after: Mapping[Var, Value]


def disturbances(play: Play) -> tuple[Disturbance, ...]:
    """The environment steps of a play that change something, each once."""
    found = dict[tuple[object, ...], Disturbance]()
    for position in _positions(play):
        if isinstance(position.move, EnvironmentMove):
            steps = [(True, position.concrete, position.move.concrete)]
            before = position.abstract
            for after in position.move.abstract:
                steps.append((False, before, after))
                before = after
            for concrete, first, second in steps:
                made = Disturbance(concrete, _plain(first), _plain(second))
                if made.before != made.after:
                    found.setdefault((concrete, *made.before.values(), *made.after.values()), made)
    return tuple(found.values())


def step_in_words(play: Play) -> str:
    """The first environment step of a play, in words."""
    for step in disturbances(play):
        moved = [v for v in step.before if step.before[v] != step.after[v]]
        values = (
            f"{v.name}: {show_value(step.before[v], v.sort)} → {show_value(step.after[v], v.sort)}" for v in moved
        )
        which = "concrete" if step.concrete else "abstract"
        return f"whether the other {which} threads can do {', '.join(values)} is not known"
    return "it fails whatever the other threads do, but steps of the other abstract threads may help"


def _positions(play: Play) -> Iterator[Position]:
    """The positions of a play, each once: there may be many ways to one."""
    plain = plain_play(play)
    waiting: list[object] = list(plain.openings) if isinstance(plain, Chosen) else [plain]
    met = set[int]()
    while waiting:
        here = waiting.pop()
        if not isinstance(here, Position) or id(here) in met:
            continue
        met.add(id(here))
        yield here
        match here.move:
            case Step(replies=replies):
                waiting.extend(r.then for r in replies if not isinstance(r.then, Broken))
            case EnvironmentMove(then=then):
                waiting.append(then)
            case Unmatched():
                pass
            case _:
                assert_never(here.move)


def _plain(at: Configuration) -> dict[Var, Value]:
    return {unsided(v): value for v, value in at.values.items()}


def candidates(made: Disturbance, conditions: Iterable[Term], shared: Iterable[Var]) -> Iterator[Term]:
    """Relations over shared variables and their primes that the step breaks, those that say most first."""
    moved = [v for v in shared if v in made.before and made.before[v] != made.after[v]]
    here = [c for c in conditions if _is_true(c, made.before)]
    for var in moved:
        yield build.eq(primed(var), var)
    for var in moved:
        yield from _one_way(var, made)
        for condition in here:
            yield build.implies(condition, build.eq(primed(var), var))
    for var in moved:
        for way in _one_way(var, made):
            yield from (build.implies(c, way) for c in here)


def _one_way(var: Var, made: Disturbance) -> Iterator[Term]:
    if var.sort == INT:
        grows = number(made.after[var]) > number(made.before[var])
        yield build.le(primed(var), var) if grows else build.le(var, primed(var))


def _is_true(condition: Term, state: Mapping[Var, Value]) -> bool:
    try:
        return holds(condition, state)
    except Unevaluable:
        return False


def conditions_of(threads: Iterable[Automaton]) -> tuple[Term, ...]:
    """Conditions over shared variables: the tests of the threads and comparisons of the numbers that they compare.

    Weak conditions come first.
    """
    found, compared = dict[Term, None](), dict[Var, None]()
    for thread in threads:
        visible = frozenset((*variables_of(thread, Kind.GLOBAL), *variables_of(thread, Kind.PARAM)))
        values = (c for e in thread.edges for _, t in e.updates if (c := condition_in(t)) is not None)
        shown = (t for e in thread.edges if e.label is not None for t in e.label.values if sort_of(t) == BOOL)
        tests = (*(e.guard for e in thread.edges), *shown, *values)
        numbers = [v for v in variables_of(thread, Kind.GLOBAL) if v.sort == INT]
        compared.update(dict.fromkeys(numbers if len(numbers) <= FEW else ()))
        for atom in (a for t in tests for a in atoms(t)):
            if atom.free and atom.free <= visible:
                found[atom] = None
                compared.update(dict.fromkeys(v for v in sorted(atom.free, key=lambda v: v.key) if v.sort == INT))
    for first in compared:
        for second in compared:
            if first is not second:
                found[build.le(first, second)] = None
    return tuple(sorted(found, key=lambda t: (isinstance(t, IsZero | Same), not isinstance(t, Le), t.key)))
