"""Turns: programs in which one variable says who may step, as that of a scheduler or a token that is handed on.

At some locations a thread knows the variable to be one of its own constants, and no step of another thread is possible
with that constant. This is seen without a solver, and it is all that has to be known for blocks: whoever has the turn
is alone until it gives it away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.terms import build
from sa.terms.printer import show
from sa.terms.term import Term, Var
from sa.transform.available import Available, available
from sa.transform.values import constants, values


def turns(threads: Sequence[Automaton]) -> tuple[Available, ...] | None:
    """What the threads know of a variable that says whose turn it is; None where no variable does.

    The facts are inductive: no other thread has a step where one of them holds.
    """
    candidates = _candidates(threads) if len(threads) > 1 else frozenset[Var]()
    for turn in sorted(candidates, key=lambda v: v.key):
        places = _known(threads, turn, _begun(threads, turn))
        if places is not None:
            return tuple(
                {q: frozenset(build.eq(turn, x) for x in ([] if x is None else [x])) for q, x in mine.items()}
                for mine in places
            )
    return None


#: By location that is reached the constant that the turn is known to be there.
_Places: TypeAlias = Mapping[str, Term | None]


def _begun(threads: Sequence[Automaton], turn: Var) -> Iterator[_Places]:
    """What each thread knows by itself. That the turn begins as what others ask for is no knowledge."""
    asked = [{constants((e.guard,)).get(turn) for e in t.edges} - {None} for t in threads]
    for number, thread in enumerate(threads):
        others = set[Term | None]().union(*(a for n, a in enumerate(asked) if n != number))
        first = {build.eq(turn, x) for x in others if x is not None}
        known = available(thread, {turn}, {thread.initial: first})
        yield {place: _said(turn, formulas) for place, formulas in known.items()}


def _said(turn: Var, formulas: Set[Term]) -> Term | None:
    """The constant that one of the formulas says the turn to be: they may contradict one another where nobody comes."""
    said = (t for f in formulas for v, t in values(f) if v is turn and not t.free)
    return min(said, key=show, default=None)


def _candidates(threads: Sequence[Automaton]) -> Set[Var]:
    """Shared variables that are written, and that each thread tests for a constant."""
    found: Set[Var] | None = None
    for thread in threads:
        tested = {v for e in thread.edges for v in constants((e.guard,))}
        found = tested if found is None else found & tested
    shared = {v for t in threads for v in variables_of(t, Kind.GLOBAL)}
    written = {v for t in threads for e in t.edges for v, _ in e.updates}
    return (found or frozenset()) & shared & written


def _known(threads: Sequence[Automaton], turn: Var, begun: Iterable[_Places]) -> Sequence[_Places] | None:
    """Where each thread has the turn; None where a step of a thread may be possible in another one's turn."""
    places: Sequence[_Places] = tuple(begun)
    while True:
        asked = [set(_asked(t, turn, here)) for t, here in zip(threads, places, strict=True)]
        if any(None in some for some in asked):
            return None
        others = [set[Term | None]().union(*(a for m, a in enumerate(asked) if m != n)) for n in range(len(threads))]
        kept = tuple(
            {q: None if x in theirs else x for q, x in here.items()}
            for here, theirs in zip(places, others, strict=True)
        )
        if kept == places:
            return places if any(x is not None for here in places for x in here.values()) else None
        places = kept


def _asked(thread: Automaton, turn: Var, here: _Places) -> Iterator[Term | None]:
    """The constants with which the thread has steps that others notice; None for one that does not ask."""
    shared = frozenset(variables_of(thread, Kind.GLOBAL))
    for edge in thread.edges:
        if edge.source in here and not _is_local(edge, shared):
            yield constants((edge.guard,)).get(turn) or here[edge.source]


def _is_local(edge: Edge, shared: Set[Var]) -> bool:
    read = edge.guard.free.union(*(t.free for _, t in edge.updates))
    return read.isdisjoint(shared) and all(v not in shared for v, _ in edge.updates)
