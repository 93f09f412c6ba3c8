"""Thread-modular Horn clauses (THEORY section 5): an unknown invariant for each thread and location.

A state of thread i is its location, its locals and the shared variables. It is closed under i's own steps, and under
steps of each other thread j from states of j that agree on what is shared. What a solution says is a proposal that
`checks` has to accept; that there is none says nothing about the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, Location, variables_of
from sa.automata.ranges import within
from sa.base.limits import Limits
from sa.generation.effect import shape_of
from sa.smt.horn import Atom, Clause, GivenUp, HornAnswer, NoSolution, Solution, solve
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Invariants by thread and location.
Annotation: TypeAlias = Mapping[tuple[str, str], Term]


class Kept(Struct, frozen=True):
    """Wanted: in every joint state of the given locations, one of each thread, the formula holds."""

    places: tuple[tuple[str, str], ...]
    formula: Term


class Allowed(Struct, frozen=True):
    """Wanted: every step of `actor` keeps to a relation over shared variables and their primes."""

    actor: str
    relation: Term


Wanted: TypeAlias = Kept | Allowed


def solve_modular(
    threads: tuple[Automaton, ...], wanted: Sequence[Wanted], bounds: Limits, rlimit: int
) -> Annotation | NoSolution | GivenUp:
    """Invariants under which everything wanted holds. Raises LimitReached.

    The threads' locals have different names; written invariants are taken as known, in all states.
    """
    system = _System(threads)
    names = {(t.name, q.name): f"{t.name} at {q.name}" for t in threads for q in t.locations}
    parameters = {names[t.name, q.name]: system.variables[t.name] for t in threads for q in t.locations}
    answer: HornAnswer = solve(parameters, tuple(_clauses(system, names, wanted)), bounds, rlimit)
    if not isinstance(answer, Solution):
        return answer
    return {place: answer.predicates[name] for place, name in names.items()}


class _System:
    """The threads with what the clauses need of them."""

    def __init__(self, threads: tuple[Automaton, ...]) -> None:
        self.threads = {t.name: t for t in threads}
        self.places: dict[tuple[str, str], Location] = {(t.name, q.name): q for t in threads for q in t.locations}
        self.variables = {t.name: tuple(v.var for v in t.variables) for t in threads}
        self.shared = variables_of(threads[0], Kind.GLOBAL)


def _clauses(system: _System, names: Mapping[tuple[str, str], str], wanted: Sequence[Wanted]) -> Iterator[Clause]:
    def at(thread: str, location: str, after: Mapping[Var, Term] | None = None) -> Atom:
        variables = system.variables[thread]
        return Atom(names[thread, location], tuple((after or {}).get(v, v) for v in variables))

    init = build.land(*(t.init for t in system.threads.values()))
    for thread in system.threads.values():
        first = system.places[thread.name, thread.initial]
        yield Clause((), build.land(init, first.inv), at(thread.name, thread.initial))
        for edge in thread.edges:
            after = dict(edge.updates)
            taken = build.land(_taken(system, thread, edge), _inv(system, thread.name, edge.target, after))
            yield Clause((at(thread.name, edge.source),), taken, at(thread.name, edge.target, after))
    for actor, place, edge in _disturbances(system):
        after = {v: t for v, t in edge.updates if v in system.shared}
        taken = build.land(
            _taken(system, actor, edge),
            _inv(system, actor.name, edge.target, dict(edge.updates)),
            system.places[place].inv,
        )
        taken = build.land(taken, _inv(system, *place, after))
        yield Clause((at(*place), at(actor.name, edge.source)), taken, at(*place, after))
    for want in wanted:
        match want:
            case Kept(places, formula):
                inv = build.land(*(system.places[p].inv for p in places))
                yield Clause(tuple(at(*p) for p in places), build.land(inv, build.lnot(formula)), None)
            case Allowed(actor_name, relation):
                yield from _kept_by(system, system.threads[actor_name], relation, at)


def _kept_by(system: _System, actor: Automaton, relation: Term, at: object) -> Iterator[Clause]:
    assert callable(at)
    for edge in actor.edges:
        after = dict(edge.updates)
        broken = build.lnot(step_within(relation, edge, system.shared))
        taken = build.land(_taken(system, actor, edge), _inv(system, actor.name, edge.target, after), broken)
        if taken is not build.FALSE:
            yield Clause((at(actor.name, edge.source),), taken, None)


def step_within(relation: Term, edge: Edge, shared: Sequence[Var]) -> Term:
    """That the edge keeps to a relation, as a formula over the state before it."""
    after = dict(edge.updates)
    return substitute(relation, {build.variable(v.name, v.sort, 1): after.get(v, v) for v in shared})


def _disturbances(system: _System) -> Iterator[tuple[Automaton, tuple[str, str], Edge]]:
    for actor, observer in product(system.threads.values(), repeat=2):
        if actor is not observer:
            for number, edge in enumerate(actor.edges):
                if shape_of(actor, edge, number) is not None:
                    for place in observer.locations:
                        yield actor, (observer.name, place.name), edge


def _taken(system: _System, thread: Automaton, edge: Edge) -> Term:
    inv = system.places[thread.name, edge.source].inv
    return build.land(inv, edge.guard, *(within(c) for c in edge.choices))


def _inv(system: _System, thread: str, location: str, after: Mapping[Var, Term]) -> Term:
    return substitute(system.places[thread, location].inv, after)
