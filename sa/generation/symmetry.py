"""Families of threads that are one thread, rotated: `T[i]` after `T[i - 1]` and `x[i]` after `x[i - 1]` all around.

Then one member stands for all: the fixed point looks at it alone, and `checks` asks about it alone. A rotation is
accepted only if it maps each thread to the next one term by term, initial condition, invariants and environments
included; other symmetries, such as threads that write their own number into a lock, are not looked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Origin
from sa.automata.rename import apart, renamed
from sa.terms.name import beside, family
from sa.terms.term import Var

_NOWHERE = Origin(None)


def rotates(threads: Sequence[Automaton]) -> bool:
    """Whether each thread, rotated by one, is the next one, and the last one the first."""
    return rotation(tuple(apart(t) for t in threads)) is not None


def rotation(threads: Sequence[Automaton]) -> Mapping[Var, Var] | None:
    """What becomes of variables when each of `apart` threads takes the place of the next one; None if it cannot."""
    own = [_own(t) for t in threads]
    if len(threads) < 2 or len({family(t.name) for t in threads}) > 1 or family(threads[0].name) is None:
        return None
    # Of the shared variables elements of arrays as large as the family move on.
    shared = {v.var.name: v.var for v in threads[0].variables if v.kind is Kind.GLOBAL}
    onward = ((v, beside(n, len(threads), shared)) for n, v in shared.items())
    names = {v: shared[n] for v, n in onward if n is not None}
    for mine, theirs in zip(own, (*own[1:], own[0]), strict=True):
        if len(mine) != len(theirs):
            return None
        names.update(zip(mine, theirs, strict=True))
    if len(set(names.values())) < len(names):
        return None
    turned = (renamed(t, lambda v: names.get(v.var, v.var)) for t in threads)
    return names if all(_same(t, n) for t, n in zip(turned, (*threads[1:], threads[0]), strict=True)) else None


def turns(names: Mapping[Var, Var], count: int) -> tuple[Mapping[Var, Var], ...]:
    """What becomes of variables after 1, 2, ... places in a family of `count` threads."""
    found = [dict(names)]
    for _ in range(count - 2):
        found.append({v: names[w] for v, w in found[-1].items()})
    return tuple(found)


def _own(thread: Automaton) -> list[Var]:
    """Locals, choices, and the ghosts that the thread sets, in their order."""
    written = {v for e in thread.edges for v, _ in e.updates}
    own = (v for v in thread.variables if v.kind is Kind.LOCAL or (v.ghost and v.var in written))
    return [v.var for v in (*own, *(c for e in thread.edges for c in e.choices))]


def _same(first: Automaton, second: Automaton) -> bool:
    """Equal up to names of threads, origins, and the order of variables and simultaneous updates."""
    return _bare(first) == _bare(second)


def _bare(thread: Automaton) -> tuple[object, ...]:
    variables = frozenset(replace(v, origin=_NOWHERE) for v in thread.variables)
    locations = tuple(replace(q, origin=_NOWHERE) for q in thread.locations)
    return variables, locations, thread.initial, thread.init, tuple(map(_bare_edge, thread.edges))


def _bare_edge(edge: Edge) -> tuple[object, ...]:
    choices = tuple(replace(c, origin=_NOWHERE) for c in edge.choices)
    return edge.source, edge.target, edge.label, edge.guard, frozenset(edge.updates), choices
