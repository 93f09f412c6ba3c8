"""The semantics of a succinct automaton by enumeration (THEORY section 1), for variables with finite ranges.

A variable's range counts as part of `Inv` at every location, before and after a step: a step that would
leave the range does not exist. So `restrict` gives unbounded integers a range by conjoining it to every
invariant, which changes the automaton that everyone looks at and not only the oracle's view of it.
An environment that nobody declared (`env` is None) does nothing here. Functions and axioms are not
supported: `Unevaluable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable, edges_from, location_of
from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal
from sa.terms.build import disjuncts, eq, integer, land, le, lor
from sa.terms.sort import INT
from sa.terms.substitute import prime, primed
from sa.terms.term import Term, Var, sort_of
from tests.oracle.formula import Domain, Row, Unbounded, domain_of, predicate, solutions, tuple_of

#: What an observer sees of a step: the action, the sorts and the values it shows; None for a silent step.
Action = tuple[str, tuple[str, ...], Row] | None


class State(NamedTuple):
    """A location and the values of the parameters, globals and locals, in that order."""

    location: str
    row: Row


class Step(NamedTuple):
    """A component step: its edge, the values of the edge's choices, what is seen of it, where it leads."""

    edge: Edge
    choices: Row
    action: Action
    after: State


class Explicit(Struct, frozen=True, eq=False):
    """An automaton made ready for enumeration. `order` gives the variables of a row.

    `domains` has None for a variable without a range: its automaton can be stepped but not enumerated.
    The dictionaries remember compiled formulas, by location, and what was asked before, by state.
    """

    automaton: Automaton
    order: tuple[Var, ...]
    params: int
    visible: int
    domains: tuple[Domain | None, ...]
    inv: dict[str, Callable[[Row], bool]]
    edges: dict[str, tuple[_Edge, ...]]
    environment: dict[str, Callable[[Row], list[Row]]]
    known_steps: dict[State, tuple[Step, ...]]
    known_environment: dict[State, tuple[State, ...]]
    known_closure: dict[State, frozenset[State]]
    known_sets: dict[frozenset[State], frozenset[State]]


class _Edge(NamedTuple):
    edge: Edge
    sorts: tuple[str, ...]
    choices: Callable[[Row], list[Row]]
    update: Callable[[Row], Row]
    shown: Callable[[Row], Row]


def explicit(automaton: Automaton) -> Explicit:
    """The automaton ready for enumeration. Raises Unevaluable."""
    ranked = sorted(automaton.variables, key=lambda v: (Kind.PARAM, Kind.GLOBAL, Kind.LOCAL).index(v.kind))
    order = tuple(v.var for v in ranked)
    kinds = [v.kind for v in ranked]
    return Explicit(
        automaton,
        order,
        kinds.count(Kind.PARAM),
        len(kinds) - kinds.count(Kind.LOCAL),
        tuple(None if is_unbounded(v) else domain_of(v) for v in ranked),
        {location.name: predicate(location.inv, order) for location in automaton.locations},
        {name: tuple(_edge(e, order) for e in edges) for name, edges in edges_from(automaton).items()},
        {},
        {},
        {},
        {},
        {},
    )


def _edge(edge: Edge, order: tuple[Var, ...]) -> _Edge:
    chosen = [c.var for c in edge.choices]
    updates = dict(edge.updates)
    scope = (*order, *chosen)
    shown = edge.label.values if edge.label else ()
    return _Edge(
        edge,
        tuple(sort_of(value).name for value in shown),
        _picks(edge, order),
        tuple_of([updates.get(v, v) for v in order], scope),
        tuple_of(shown, scope),
    )


def _picks(edge: Edge, order: tuple[Var, ...]) -> Callable[[Row], list[Row]]:
    """The values of the edge's choices that its guard allows."""
    endless = next((c.var.name for c in edge.choices if is_unbounded(c)), None)
    if endless is None:
        return solutions(edge.guard, order, [c.var for c in edge.choices], [domain_of(c) for c in edge.choices])

    def refuse(row: Row) -> list[Row]:
        raise Unbounded(endless)

    return refuse


def _environment(x: Explicit, location: Location) -> Callable[[Row], list[Row]]:
    """The values of the globals after an environment step. `Inv` before it is tested elsewhere."""
    shared = x.order[x.params : x.visible]
    env = land(*(eq(primed(v), v) for v in shared)) if location.env is None else location.env
    after = prime(location.inv, shared)
    relation = lor(*(land(case, after) for case in disjuncts(env)))
    return solutions(relation, x.order, [primed(v) for v in shared], _domains(x)[x.params : x.visible])


def allowed(x: Explicit, state: State) -> bool:
    """Whether the state satisfies its location's invariant, ranges included."""
    inside = all(domain is None or value in domain for value, domain in zip(state.row, x.domains, strict=True))
    return inside and x.inv[state.location](state.row)


def initial_states(x: Explicit) -> list[State]:
    """The states at the initial location that satisfy `Init` and the location's invariant. Raises Unbounded."""
    location = x.automaton.initial
    rows = solutions(x.automaton.init, (), x.order, _domains(x))(())
    return [s for s in (State(location, row) for row in rows) if allowed(x, s)]


def all_states(x: Explicit) -> list[State]:
    """Every state that satisfies the invariant of its location, reachable or not. Raises Unbounded."""
    return [
        State(location.name, row)
        for location in x.automaton.locations
        for row in solutions(location.inv, (), x.order, _domains(x))(())
    ]


def _domains(x: Explicit) -> list[Domain]:
    found = []
    for var, domain in zip(x.order, x.domains, strict=True):
        if domain is None:
            raise Unbounded(var.name)
        found.append(domain)
    return found


def component_steps(x: Explicit, state: State) -> tuple[Step, ...]:
    """The component steps from a state, in the order of the edges and of their choices' values.

    Raises Unbounded where an edge from here has an unbounded choice.
    """
    found = x.known_steps.get(state)
    if found is None:
        found = x.known_steps[state] = tuple(_steps(x, state)) if allowed(x, state) else ()
    return found


def _steps(x: Explicit, state: State) -> Iterable[Step]:
    for edge, sorts, choices, update, shown in x.edges[state.location]:
        for chosen in choices(state.row):
            row = (*state.row, *chosen)
            after = State(edge.target, update(row))
            if allowed(x, after):
                action = (edge.label.action, sorts, shown(row)) if edge.label else None
                yield Step(edge, chosen, action, after)


def environment_steps(x: Explicit, state: State) -> tuple[State, ...]:
    """The states that one environment step leads to: Inv before and after, parameters and locals unchanged.

    Raises Unbounded where a global has no range.
    """
    found = x.known_environment.get(state)
    if found is None:
        location, row = state
        head, tail = row[: x.params], row[x.visible :]
        if location not in x.environment:
            x.environment[location] = _environment(x, location_of(x.automaton, location))
        rows = x.environment[location](row) if allowed(x, state) else ()
        found = x.known_environment[state] = tuple(State(location, head + shared + tail) for shared in rows)
    return found


def environment_closure(x: Explicit, state: State) -> frozenset[State]:
    """The states that finitely many environment steps lead to, zero steps included. Equal sets are one object."""
    found = x.known_closure.get(state)
    if found is None:
        seen, pending = {state}, [state]
        finished: set[State] = set()
        while pending:
            here = pending.pop()
            if here in finished:
                continue
            further = x.known_closure.get(here)
            if further is None:
                fresh = [after for after in environment_steps(x, here) if after not in seen]
                seen.update(fresh)
                pending.extend(fresh)
            else:
                seen |= further
                finished |= further
        found = x.known_closure[state] = interned(x, frozenset(seen))
    return found


def interned(x: Explicit, states: frozenset[State]) -> frozenset[State]:
    """The one object for this set, so that comparing such sets costs nothing."""
    return x.known_sets.setdefault(states, states)


def silent_closure(x: Explicit, states: Iterable[State]) -> frozenset[State]:
    """The states that finitely many silent component steps lead to, zero steps included."""
    return closure(states, lambda s: [step.after for step in component_steps(x, s) if step.action is None])


def reachable(x: Explicit) -> frozenset[State]:
    """The states that runs of component and environment steps lead to from the initial states."""
    return closure(
        initial_states(x),
        lambda s: [*environment_steps(x, s), *(step.after for step in component_steps(x, s))],
    )


def closure(states: Iterable[State], successors: Callable[[State], Iterable[State]]) -> frozenset[State]:
    """Everything that is reached from `states`, they included."""
    seen = set(states)
    pending = list(seen)
    while pending:
        for after in successors(pending.pop()):
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return frozenset(seen)


def configuration(x: Explicit, state: State) -> Configuration:
    """The state as traces and plays write it."""
    return Configuration(state.location, dict(zip(x.order, state.row, strict=True)))


def state_of(x: Explicit, there: Configuration) -> State:
    """The state of a configuration that gives every variable a value. Raises KeyError."""
    return State(there.location, tuple(there.values[v] for v in x.order))


def move_of(x: Explicit, step: Step) -> Move:
    """The step as traces and plays write it."""
    chosen = dict(zip((c.var for c in step.edge.choices), step.choices, strict=True))
    return Move(step.edge, chosen, configuration(x, step.after))


def restrict(automaton: Automaton, low: int, high: int) -> Automaton:
    """The automaton with every unbounded int, choices included, confined to `low..high`.

    The range goes into the invariant of every location and into the guards of the edges that choose,
    so steps that would leave it do not exist, for the oracle and for anyone else.
    """
    unbounded = [v.var for v in automaton.variables if is_unbounded(v)]
    ranges = land(*(_within(v, low, high) for v in unbounded))
    locations = tuple(replace(q, inv=land(q.inv, ranges)) for q in automaton.locations)
    edges = tuple(
        replace(
            e,
            guard=land(e.guard, *(_within(c.var, low, high) for c in e.choices if is_unbounded(c))),
            choices=tuple(_confined(c, low, high) for c in e.choices),
        )
        for e in automaton.edges
    )
    variables = tuple(_confined(v, low, high) for v in automaton.variables)
    return replace(automaton, variables=variables, locations=locations, edges=edges)


def restrict_goal(goal: Goal, low: int, high: int) -> Goal:
    """The goal with every unbounded int of both automata confined to `low..high`."""
    return replace(goal, concrete=restrict(goal.concrete, low, high), abstract=restrict(goal.abstract, low, high))


def is_unbounded(variable: Variable) -> bool:
    """Whether the variable ranges over all integers."""
    return variable.var.sort == INT and (variable.low is None or variable.high is None)


def _confined(variable: Variable, low: int, high: int) -> Variable:
    return replace(variable, low=low, high=high) if is_unbounded(variable) else variable


def _within(var: Var, low: int, high: int) -> Term:
    return land(le(integer(low), var), le(var, integer(high)))
