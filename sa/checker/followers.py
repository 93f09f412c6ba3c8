"""The abstract runs that follow a concrete one, as a program: what may be known of them is asked of its threads.

The first thread goes along with the visible actions of the run, and takes silent steps as it likes. When all actions
are shown it may hand over to the second one, at a location on a cycle of silent edges, whose strongly connected
component the second thread does not leave: a run that goes on silently for ever stays in one from some moment on. So
abstract runs with these actions end silently if and only if the second thread takes finitely many steps in every run.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable
from sa.automata.components import on_cycles
from sa.automata.program import Ends
from sa.certificates.goal import Goal, iota_of, kappa_of
from sa.terms.build import TRUE, ZERO, constant, eq, integer, land, variable
from sa.terms.name import staged
from sa.terms.sort import INT, Value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, sort_of

#: Where the first thread has handed over, as the number of a location from 1 on; 0 before that.
_HANDED = variable(staged("handed", "over"), INT)

#: The two threads.
GOES_ALONG, GOES_ON = "goes along", "goes on"
_WAITS, _LEFT = "waits", "left"


class Seen(Struct, frozen=True):
    """A visible action with the values that it shows."""

    action: str
    values: tuple[tuple[Value, str], ...]


def followers(goal: Goal, start: Mapping[Var, Value], shown: Sequence[Seen]) -> tuple[Automaton, ...]:
    """The abstract threads that follow a concrete run from a start that shows these actions.

    `start` has values for all concrete variables, and for parameters.
    """
    abstract = goal.abstract
    known = {v: constant(x, v.sort) for v, x in start.items()}
    related = substitute(land(iota_of(goal), kappa_of(goal)), known)
    fixed = (eq(v.var, known[v.var]) for v in abstract.variables if v.var in known)
    begun = next(q for q in abstract.locations if q.name == abstract.initial)
    variables = tuple(v if v.kind is Kind.PARAM else replace(v, kind=Kind.GLOBAL) for v in abstract.variables)
    handed = Variable(_HANDED, Kind.GLOBAL, 0, len(abstract.locations), abstract.origin)
    init = land(abstract.init, begun.inv, related, *fixed, eq(_HANDED, ZERO))
    made = replace(abstract, variables=(*variables, handed), init=init)
    circling = _on_silent_cycles(made)
    first = _going_along(made, shown, circling)
    if not goal.loops_end:
        first = _handing_over(first)
    handing = {e.source for e in first.edges if e.target == _LEFT}
    last = len(shown)
    return first, _going_on(made, circling, [n for n in circling if _at(n, last) in handing])


def _on_silent_cycles(abstract: Automaton) -> Mapping[str, int]:
    """The locations on cycles of silent edges, each with the number of its component."""
    leading = dict[str, list[str]]()
    for edge in abstract.edges:
        if edge.label is None:
            leading.setdefault(edge.source, []).append(edge.target)
    return on_cycles([q.name for q in abstract.locations], leading)


def _handing_over(thread: Automaton) -> Automaton:
    """The thread, without the steps after which it cannot hand over."""
    coming = dict[str, list[str]]()
    for edge in thread.edges:
        coming.setdefault(edge.target, []).append(edge.source)
    known, frontier = {_LEFT}, [_LEFT]
    while frontier:
        for place in coming.get(frontier.pop(), ()):
            if place not in known:
                known.add(place)
                frontier.append(place)
    return replace(
        thread,
        locations=tuple(q for q in thread.locations if q.name in known or q.name == thread.initial),
        edges=tuple(e for e in thread.edges if e.target in known),
    )


def ends(goal: Goal, threads: Sequence[Automaton]) -> Ends:
    """That the second thread takes finitely many steps.

    Where an abstract run is undefined that goes on for ever silently, none may do so before, either.
    """
    return Ends("terminates", (GOES_ALONG, GOES_ON) if goal.loops_end else (GOES_ON,), threads[1].origin)


def _going_along(abstract: Automaton, shown: Sequence[Seen], circling: Container[str]) -> Automaton:
    last, edges = len(shown), list[Edge]()
    numbers = {q.name: integer(n) for n, q in enumerate(abstract.locations, 1)}
    for layer in range(last + 1):
        for edge in abstract.edges:
            if edge.label is None:
                edges.append(replace(edge, source=_at(edge.source, layer), target=_at(edge.target, layer)))
            elif layer < last and (asked := _showing(edge, shown[layer])) is not None:
                guard = land(edge.guard, asked)
                ends = _at(edge.source, layer), _at(edge.target, layer + 1)
                edges.append(replace(edge, source=ends[0], target=ends[1], label=None, guard=guard, failure=None))
    for q in (q for q in abstract.locations if q.name in circling):
        handing = ((_HANDED, numbers[q.name]),)
        edges.append(Edge(_at(q.name, last), _LEFT, None, TRUE, handing, (), q.origin))
    places = [replace(q, name=_at(q.name, n), env=None, parts=()) for n in range(last + 1) for q in abstract.locations]
    left = Location(_LEFT, TRUE, None, abstract.origin)
    return _reachable(abstract, GOES_ALONG, _at(abstract.initial, 0), (*places, left), edges)


def _going_on(abstract: Automaton, circling: Mapping[str, int], starts: Container[str]) -> Automaton:
    inside = (e for e in abstract.edges if circling.get(e.source, -1) == circling.get(e.target, -2))
    silent = [e for e in inside if e.label is None]
    taking = (
        Edge(_WAITS, q.name, None, eq(_HANDED, integer(n)), (), (), q.origin)
        for n, q in enumerate(abstract.locations, 1)
        if q.name in starts
    )
    waits = Location(_WAITS, TRUE, None, abstract.origin)
    places = (waits, *(replace(q, env=None, parts=()) for q in abstract.locations))
    return _reachable(abstract, GOES_ON, _WAITS, places, [*taking, *silent])


def _at(place: str, layer: int) -> str:
    return f"{place} {layer}"


def _showing(edge: Edge, seen: Seen) -> Term | None:
    """That an edge shows these values; None where it shows something else."""
    assert edge.label is not None
    values = edge.label.values
    if (edge.label.action, tuple(sort_of(t).name for t in values)) != (seen.action, tuple(s for _, s in seen.values)):
        return None
    return land(*(eq(t, constant(x, sort_of(t))) for t, (x, _) in zip(values, seen.values, strict=True)))


def _reachable(
    abstract: Automaton, name: str, initial: str, places: Sequence[Location], edges: Sequence[Edge]
) -> Automaton:
    """The thread, without what no path of it leads to."""
    leaving = dict[str, list[str]]()
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge.target)
    known, frontier = {initial}, [initial]
    while frontier:
        for place in leaving.get(frontier.pop(), ()):
            if place not in known:
                known.add(place)
                frontier.append(place)
    return replace(
        abstract,
        name=name,
        initial=initial,
        locations=tuple(q for q in places if q.name in known),
        edges=tuple(replace(e, thread=None) for e in edges if e.source in known),
    )
