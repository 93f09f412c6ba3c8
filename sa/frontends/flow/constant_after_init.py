"""Shared variables that the first thread sets before it creates others, always to one number, and nobody afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label, edges_from
from sa.automata.components import reachable
from sa.automata.dataflow import forward
from sa.frontends.flow.simplify import simplified
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Int, Term, Var


def with_settled(automata: Sequence[Automaton], first: Mapping[Var, Term], creating: frozenset[Var]) -> list[Automaton]:
    """The automata with the numbers of such variables, where they have them; `creating` are set to start threads.

    A global pointer to memory of its own is one: places in that memory need no pointer then.
    """
    main, *others = automata
    begun = _reachable(main, [e.target for e in main.edges if any(v in creating for v, _ in e.updates)])
    written = {v for a in others for e in a.edges for v, _ in e.updates}
    written |= {v for e in main.edges for v, _ in e.updates if e.source in begun or _creates(e.updates, creating)}
    own = frozenset(v for e in main.edges for v, _ in e.updates) - written
    at = _numbers(main, {v: first[v] for v in own if isinstance(first.get(v), Int)}, own)
    known = _common([at[e.source] for e in main.edges if _creates(e.updates, creating) and e.source in at])
    if not known:
        return [main, *others]
    idle = {v: first[v] for v in creating if v in first}
    return [
        _knowing(main, known, begun),
        *(_knowing(a, known, None) if _waits(a, idle) else a for a in others),
    ]


def _creates(updates: Sequence[tuple[Var, Term]], creating: frozenset[Var]) -> bool:
    return any(v in creating for v, _ in updates)


def _waits(thread: Automaton, idle: Mapping[Var, Term]) -> bool:
    """Whether the thread makes no step before one is created."""
    return all(substitute(e.guard, idle) is build.FALSE for e in thread.edges if e.source == thread.initial)


def _reachable(thread: Automaton, starts: Sequence[str]) -> frozenset[str]:
    leaving = edges_from(thread)
    return frozenset(reachable(starts, lambda place: (e.target for e in leaving[place])))


def _numbers(thread: Automaton, start: Mapping[Var, Term], own: frozenset[Var]) -> Mapping[str, Mapping[Var, Term]]:
    """The numbers that variables of its own have whenever the thread is at a location (constant propagation)."""
    leaving = edges_from(thread)

    def follow(place: str, known: Mapping[Var, Term]) -> Iterator[tuple[str, Mapping[Var, Term]]]:
        for edge in leaving.get(place, ()):
            if possible(edge, known):
                values = {v: substitute(t, known) for v, t in edge.updates if v in own}
                yield edge.target, {v: t for v, t in {**known, **values}.items() if isinstance(t, Int)}

    return forward({thread.initial: start}, follow, lambda before, after: _common([before, after]))


def _common(known: Sequence[Mapping[Var, Term]]) -> dict[Var, Term]:
    """What all of them say."""
    return {v: t for v, t in known[0].items() if all(k.get(v) is t for k in known)} if known else {}


def _knowing(thread: Automaton, known: Mapping[Var, Term], places: frozenset[str] | None) -> Automaton:
    """The thread that knows variables' numbers, at some places or everywhere."""
    edges = (
        e if places is not None and e.source not in places else knowing(e, known)
        for e in thread.edges
        if (places is not None and e.source not in places) or possible(e, known)
    )
    return replace(thread, edges=tuple(edges))


def possible(edge: Edge, known: Mapping[Var, Term]) -> bool:
    """Whether the values do not exclude the step."""
    return substitute(edge.guard, known) is not build.FALSE


def knowing(edge: Edge, known: Mapping[Var, Term]) -> Edge:
    """The step where variables that keep them have these values."""
    label = edge.label
    if label is not None:
        label = Label(label.action, tuple(substitute(t, known) for t in label.values))
    updates = tuple((v, substitute(t, known)) for v, t in edge.updates if v not in known)
    return replace(edge, label=label, guard=simplified(substitute(edge.guard, known)), updates=updates)
