"""Which objects need a life: those that somebody may use after they have ended, or that may be given out again.

Pointers are followed without regard to the order of steps (`values`), ends and uses with regard to it: what ends after
all its uses, as far as the graph of a thread and who runs beside it tell, needs none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.components import reachable
from sa.base.source import position
from sa.frontends.flow.access import Access, Running, is_own, looked_at, numbers_of
from sa.frontends.flow.graph import (
    Cell,
    Live,
    Load,
    Node,
    Object,
    Op,
    Range,
    Skip,
    Step,
    Storage,
    Store,
    Stride,
    Words,
    base,
    outgoing,
)
from sa.frontends.flow.layout import Layout, layout
from sa.frontends.flow.lives import LIFE, LIFE_OF, UNBORN, Dead, Free, Freeable
from sa.frontends.flow.orders import Lock, Synchronise
from sa.frontends.flow.terms import read_by
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import Found, ended_by
from sa.terms import build
from sa.terms.term import Term, Var


class _End(Struct, frozen=True):
    """A step of a thread that may end an object, by its first address."""

    thread: Thread
    step: Step
    first: int


class _Use(Struct, frozen=True):
    """That a thread may use an object in a step from a node."""

    thread: Thread
    node: Node


class _Seen(Struct, frozen=True):
    """What is known of a program whose objects may all have ended: ends and uses, the latter by first address."""

    where: Layout
    ends: Sequence[_End]
    uses: Mapping[int, Sequence[_Use]]
    running: Running
    first: Thread


def with_lives(
    threads: Sequence[Thread], objects: Sequence[Object], codes: Sequence[str], reuses: bool, tracks: bool
) -> tuple[Object, ...]:
    """The objects, with lives for those that need one; ends that nobody would notice are left out, in place.

    Where the program `reuses` addresses, whatever may be freed needs one, and where it `tracks` memory, all of that.
    """
    ending = known_elsewhere(threads)
    for thread in threads:
        thread.graph.steps = [_kept(s, ending) for s in thread.graph.steps]
    if not ending and not tracks and not any(isinstance(s.op, Free) for t in threads for s in t.graph.steps):
        return tuple(objects)
    lives = [_life(o, tracks) for o in objects if o.storage is Storage.HEAP or o.name in ending]
    seen = _seen(threads, layout((*objects, *lives), codes))
    needed = {e.first for e in seen.ends if _is_noticed(e, seen) or (reuses and isinstance(e.step.op, Free))}
    needed |= (seen.where.allocated & seen.where.lives.keys()) if tracks else set()
    sites, told = dict[int, int](), dict[int, list[tuple[int, str]]]()
    for end in seen.ends:
        if end.first in needed:
            site = sites.setdefault(id(end.step), len(sites) + 1)
            told.setdefault(end.first, []).append((site, _told(end)))
    for thread in threads:
        thread.graph.steps = [_numbered(s, sites) for s in thread.graph.steps]
    names = {seen.where.places[seen.where.lives[first]].object.name: first for first in needed}
    kept = (replace(o, cells=(_of_sites(o.cells[0], told.get(names[o.name], ())),)) for o in lives if o.name in names)
    return (*objects, *kept)


def known_elsewhere(threads: Sequence[Thread]) -> set[str]:
    """The variables that end and whose address is a value somewhere: only their own names mean the others."""
    ending = {s.op.name for t in threads for s in t.graph.steps if isinstance(s.op, Dead)}
    if not ending:
        return ending
    terms = {term for t in threads for s in t.graph.steps for term in _values(s.op)}
    taken = frozenset[Var]().union(*(term.free for term in terms))
    return {name for name in ending if base(name) in taken}


def _values(op: Op) -> tuple[Term, ...]:
    """The terms that an operation reads, other than to say where it accesses memory."""
    match op:
        case Load() | Lock() | Synchronise() | Stride():
            return ()
        case Store(_, term):
            return (term,)
        case _:
            return read_by(op)


def _kept(step: Step, ending: set[str]) -> Step:
    return replace(step, op=Skip()) if isinstance(step.op, Dead) and step.op.name not in ending else step


def _life(obj: Object, tracks: bool) -> Object:
    first = UNBORN if tracks and obj.storage is Storage.HEAP else 0
    cell = Cell("", Range(first, 0), LIFE, build.integer(first), True)
    name, told = f"{obj.name}{LIFE_OF}", obj.told or obj.name.split(".", 1)[-1]
    # What is allocated has no other value as a whole.
    told = told if obj.storage is Storage.HEAP else f"life of {told}"
    return Object(name, (cell,), obj.storage, obj.origin, told=told, life_of=obj.name)


def _of_sites(cell: Cell, told: Sequence[tuple[int, str]]) -> Cell:
    """The cell of a life, which tells where its object ended."""
    words = Words(((UNBORN, "not allocated"), (0, "alive"), *told))
    return replace(cell, range=Range(cell.range.low, max((site for site, _ in told), default=0)), words=words)


def _told(end: _End) -> str:
    """Where and by whom an object is ended."""
    span = end.step.origin.span
    how = "freed" if isinstance(end.step.op, Free) else "ended"
    line = "" if span is None else f", line {position(span.source, span.start).line}"
    return f"{how} by {end.thread.name}{line}"


def _numbered(step: Step, sites: Mapping[int, int]) -> Step:
    """The step with the number of its place; a variable that ends unnoticed does not end."""
    if not isinstance(step.op, Free | Dead):
        return step
    site = sites.get(id(step))
    if site is None:
        return step if isinstance(step.op, Free) else replace(step, op=Skip())
    return replace(step, op=replace(step.op, site=site))


def _seen(threads: Sequence[Thread], where: Layout) -> _Seen:
    found, of, running = looked_at(threads, where)
    ends, uses = list[_End](), dict[int, list[_Use]]()
    for thread in threads:
        for step in thread.graph.steps:
            if isinstance(step.op, Free | Dead):
                ends += [_End(thread, step, first) for first in sorted(ended_by(step.op, found, thread.number))]
            for first in _used(thread, step, of, found):
                uses.setdefault(first, []).append(_Use(thread, step.source))
    return _Seen(where, ends, uses, running, threads[0])


def _used(thread: Thread, step: Step, of: Mapping[int, Access], found: Found) -> Iterator[int]:
    """The first addresses of the objects that a step may use after they have ended."""
    match step.op:
        case Free() | Freeable():
            yield from ended_by(step.op, found, thread.number)
        case Load() | Store():
            lives = set(of[id(step)].beside)
            yield from (first for first, life in found.layout.lives.items() if life in lives)
        case _:
            return


def _is_noticed(end: _End, seen: _Seen) -> bool:
    """Whether an object may be used, or ended again, after a step has ended it."""
    uses = seen.uses.get(end.first, ())
    if not uses:
        return False
    life = seen.where.places[seen.where.lives[end.first]]
    behind = reached(end.thread, [end.step.target], life.object.life_of)
    own = numbers_of(end.thread)
    beside = frozenset[int]().union(*(seen.running.get(n, frozenset()) for n in behind))
    started = [n for n, who in seen.running.items() if who & own]
    met = reached(seen.first, started, None)
    for use in uses:
        if use.thread is end.thread:
            several = use.thread.identity is not None and not is_own(
                seen.where.places[seen.where.lives[end.first]], use.thread
            )
            noticed = several or use.node in behind
        elif end.thread is seen.first:
            noticed = bool(beside & numbers_of(use.thread))
        else:
            noticed = use.thread is not seen.first or use.node in met
        if noticed:
            return True
    return False


def reached(thread: Thread, start: Sequence[Node], until: str | None) -> set[Node]:
    """The nodes that are reached from some, not by way of the beginning of an object."""
    following = outgoing(thread.graph.steps)

    def after(node: Node) -> Iterator[Node]:
        steps = following.get(node, ())
        return (s.target for s in steps if not (isinstance(s.op, Live) and s.op.name == until))

    return reachable(start, after)
