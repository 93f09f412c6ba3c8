"""The abstract runs that follow a concrete one, as a program: what may be known of them is asked of its threads.

The first thread goes along with the visible actions of the run, and in between takes silent steps as it likes. When all
actions are shown it hands over to the second one, which takes silent steps only. So abstract runs with these actions
end silently if and only if the second thread takes finitely many steps in every run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable
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
    return _going_along(made, shown), _going_on(made)


def ends(goal: Goal, threads: Sequence[Automaton]) -> Ends:
    """That the second thread takes finitely many steps.

    Where an abstract run is undefined that goes on for ever silently, none may do so before, either.
    """
    return Ends("terminates", (GOES_ALONG, GOES_ON) if goal.loops_end else (GOES_ON,), threads[1].origin)


def _going_along(abstract: Automaton, shown: Sequence[Seen]) -> Automaton:
    last, edges = len(shown), list[Edge]()
    numbers = {q.name: integer(n) for n, q in enumerate(abstract.locations, 1)}
    for layer in range(last):
        for edge in abstract.edges:
            if edge.label is None:
                edges.append(replace(edge, source=_at(edge.source, layer), target=_at(edge.target, layer)))
            elif (asked := _showing(edge, shown[layer])) is not None:
                guard = land(edge.guard, asked)
                ends = _at(edge.source, layer), _at(edge.target, layer + 1)
                edges.append(replace(edge, source=ends[0], target=ends[1], label=None, guard=guard, failure=None))
    for q in abstract.locations:
        handing = ((_HANDED, numbers[q.name]),)
        edges.append(Edge(_at(q.name, last), _LEFT, None, TRUE, handing, (), q.origin))
    places = [replace(q, name=_at(q.name, n), env=None, parts=()) for n in range(last + 1) for q in abstract.locations]
    left = Location(_LEFT, TRUE, None, abstract.origin)
    return _reachable(abstract, GOES_ALONG, _at(abstract.initial, 0), (*places, left), edges)


def _going_on(abstract: Automaton) -> Automaton:
    silent = [e for e in abstract.edges if e.label is None]
    taking = (
        Edge(_WAITS, q.name, None, eq(_HANDED, integer(n)), (), (), q.origin)
        for n, q in enumerate(abstract.locations, 1)
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
