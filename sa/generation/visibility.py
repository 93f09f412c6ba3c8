"""What threads see of each other: the ladder that is climbed where an argument needs more (THEORY section 5).

A level is a change of the program, so everything else is the same on all of them: a hidden location becomes a ghost
variable that the thread's steps set, hidden locals become ghost variables. Ghosts are never read by the program, and
dropping them again gives the program back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Variable
from sa.automata.rename import renamed
from sa.terms import build
from sa.terms.name import unused
from sa.terms.term import Term, Var


class Level(Enum):
    """How much of the other threads an invariant of a thread may speak of."""

    HIDDEN = "shared variables only"
    LOCATIONS = "shared variables and the locations of the other threads"
    LOCALS = "shared variables, the locations and the local variables of the other threads"


class Exposed(Struct, frozen=True):
    """Threads on a level. `counters` are the ghosts that hold locations, `numbers` the values that stand for them."""

    level: Level
    threads: tuple[Automaton, ...]
    counters: dict[str, Var]
    numbers: dict[str, dict[str, int]]


def exposed(threads: tuple[Automaton, ...], level: Level, avoid: Iterable[str] = ()) -> Exposed:
    """The threads with what the level shows made shared; ghosts get names that are not in `avoid`."""
    if level is Level.HIDDEN or len(threads) == 1:
        return Exposed(level, threads, {}, {})
    taken = {*avoid, *(v.var.name for t in threads for v in t.variables)}
    shown = {t.name: _names(t, taken) for t in threads} if level is Level.LOCALS else {}
    counters = {t.name: build.variable(_fresh(f"at_{_plain(t.name)}", taken)) for t in threads}
    numbers = {t.name: {q.name: i for i, q in enumerate(t.locations)} for t in threads}
    ghosts = [Variable(counters[t.name], Kind.GLOBAL, 0, len(t.locations) - 1, t.origin, ghost=True) for t in threads]
    if shown:
        threads = _shared_locals(threads, shown)
    start = build.land(*(build.eq(counters[t.name], _number(numbers, t.name, t.initial)) for t in threads))
    return Exposed(level, tuple(_counted(t, ghosts, counters, numbers, start) for t in threads), counters, numbers)


def _number(numbers: dict[str, dict[str, int]], thread: str, location: str) -> Term:
    return build.integer(numbers[thread][location])


def _counted(
    thread: Automaton, ghosts: list[Variable], counters: dict[str, Var], numbers: dict[str, dict[str, int]], start: Term
) -> Automaton:
    own = counters[thread.name]

    def edge(e: Edge) -> Edge:
        return replace(e, updates=(*e.updates, (own, _number(numbers, thread.name, e.target))))

    def inv(name: str, written: Term) -> Term:
        ranges = (build.land(build.le(build.ZERO, g.var), build.le(g.var, build.integer(g.high or 0))) for g in ghosts)
        return build.land(written, *ranges, build.eq(own, _number(numbers, thread.name, name)))

    return replace(
        thread,
        variables=_in_order((*thread.variables, *ghosts)),
        init=build.land(thread.init, start),
        locations=tuple(replace(q, inv=inv(q.name, q.inv)) for q in thread.locations),
        edges=tuple(edge(e) for e in thread.edges),
    )


def _in_order(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    return tuple(sorted(variables, key=lambda v: v.kind is Kind.LOCAL))


def _names(thread: Automaton, taken: set[str]) -> dict[Var, Var]:
    """What the others call a thread's locals."""
    own = (v.var for v in thread.variables if v.kind is Kind.LOCAL)
    return {v: build.variable(_fresh(f"{_plain(thread.name)}_{_plain(v.name)}", taken), v.sort) for v in own}


def _shared_locals(threads: tuple[Automaton, ...], names: Mapping[str, dict[Var, Var]]) -> tuple[Automaton, ...]:
    """The threads with every local a ghost that all of them have; each location keeps what ranges say."""
    made = tuple(renamed(t, partial(_called, names[t.name])) for t in threads)
    ghosts = [replace(v, kind=Kind.GLOBAL, ghost=True) for t in made for v in t.variables if v.kind is Kind.LOCAL]
    init = build.land(*(t.init for t in made))
    return tuple(
        replace(t, init=init, variables=(*(v for v in t.variables if v.kind is not Kind.LOCAL), *ghosts)) for t in made
    )


def _called(names: dict[Var, Var], variable: Variable) -> Var:
    return names.get(variable.var, variable.var)


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name).strip("_")


def _fresh(name: str, taken: set[str]) -> str:
    name = unused(name, taken)
    taken.add(name)
    return name
