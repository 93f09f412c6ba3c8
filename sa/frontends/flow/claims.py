"""What is claimed of a program beside its failing steps: that there are no data races, and no deadlock."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import EXIT, Automaton, Edge, Fault, Location, Origin
from sa.automata.family import Copy, at
from sa.automata.program import Ends, Invariant, Way
from sa.automata.rename import own_local
from sa.frontends.flow.heap import JOINED
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Asked(Struct, frozen=True):
    """The kinds of failing steps that are claims, all of them if None; whether races and deadlocks are looked for.

    A failing step of another kind is where the thread stops: what is claimed is claimed of runs without it.
    Unless steps are `fused` each elementary one outside of atomic regions is a step of its own; tests compare. That the
    program `ends`, perhaps under a `fair` scheduler, is claimed instead of the absence of deadlocks.
    """

    kinds: frozenset[str] | None = None
    races: bool = False
    deadlock: bool = False
    fused: bool = True
    ends: bool = False
    fair: bool = False


class Touch(Struct, frozen=True):
    """That the next step from a location accesses a cell, where `condition` holds of the thread's state.

    Of a column it is the `element` that this term says.
    """

    thread: str
    location: str
    cell: int
    writes: bool
    atomic: bool
    condition: Term
    element: Term | None = None
    early: bool = False
    line: int | None = None


class Called(Struct, frozen=True):
    """How a cell is called: in the name of a claim, and in words."""

    name: str
    told: str


class Crowds(Struct, frozen=True):
    """The identities of families by their threads' names, and the cells of which each of their copies has its `own`."""

    identities: Mapping[str, Var]
    own: Collection[tuple[str, int]]


def races(
    touches: Sequence[Touch],
    names: Mapping[int, Called],
    origins: Mapping[int, Origin],
    shared: Collection[Var],
    crowds: Crowds,
    locations: Mapping[int, int],
) -> Iterator[tuple[Invariant, bool]]:
    """A claim for each memory location that several threads access, one of them writing, not both of them atomically.

    It is one for each two families, and one for accesses of a thread that is early: whether it is, is told beside. What
    touches speak of is local to their threads unless it is `shared`. `locations` are the first cells of those by cell.
    """
    by_location = dict[int, list[Touch]]()
    for touch in touches:
        by_location.setdefault(locations[touch.cell], []).append(touch)
    for found in by_location.values():
        cell = found[0].cell
        claims = dict[tuple[tuple[Copy, ...], bool], list[Way]]()
        for number, one in enumerate(found):
            for two in found[number:]:
                if (one.writes or two.writes) and not (one.atomic and two.atomic) and _are_two(one, two, crowds):
                    pair, copies = _met(one, two, shared, crowds)
                    words = f"{_done(one)}, {_done(two)}"
                    claims.setdefault((copies, one.early or two.early), []).append(Way(pair, words))
        for place, ((copies, early), ways) in enumerate(claims.items(), 1):
            claim = build.land(*(build.lnot(way.formula) for way in ways))
            if claim is build.TRUE:
                continue
            origin = origins[cell]
            if early:
                origin = replace(origin, text=f"{origin.text} ({JOINED})")
            name = f"no_race_on_{names[cell].name}" if place == 1 else f"no_race_on_{names[cell].name}_{place}"
            ways = [replace(w, words=f"data race on `{names[cell].told}`: {w.words}, in no order") for w in ways]
            words = f"no data race on {names[cell].told}"
            yield Invariant(name, claim, False, None, origin, copies, tuple(ways), Fault.RACE, words), early


def _done(touch: Touch) -> str:
    """What is accessed how, by whom and where."""
    return f"{manner(touch.writes, touch.atomic)} by {touch.thread} in line {touch.line}"


def manner(writes: bool, atomic: bool) -> str:
    """A word for how something is accessed."""
    return f"{'written' if writes else 'read'}{' atomically' if atomic else ''}"


def _are_two(one: Touch, two: Touch, crowds: Crowds) -> bool:
    """Whether two threads may do these: copies of a family are several."""
    if one.thread != two.thread:
        return True
    return one.thread in crowds.identities and (one.thread, one.cell) not in crowds.own


def _met(one: Touch, two: Touch, shared: Collection[Var], crowds: Crowds) -> tuple[Term, tuple[Copy, ...]]:
    """That both come next at one time, and the copies of families of which that speaks."""
    same = one.thread == two.thread
    names = [_spoken(one, "i", crowds), _spoken(two, "j" if same else "i", crowds)]
    copies = tuple(Copy(t.thread, n) for t, n in zip((one, two), names, strict=True) if t.thread in crowds.identities)
    conditions = [
        build.land(at(name, touch.location), _of_thread(touch.condition, name, shared))
        for touch, name in zip((one, two), names, strict=True)
    ]
    if one.element is not None and two.element is not None:
        elements = (_of_thread(e, n, shared) for e, n in zip((one.element, two.element), names, strict=True))
        conditions.append(build.eq(*elements))
    if same:
        identity = crowds.identities[one.thread]
        conditions.append(build.ne(*(own_local(n, identity) for n in names)))
    return build.land(*conditions), tuple(sorted(copies, key=lambda c: c.name))


def _spoken(touch: Touch, index: str, crowds: Crowds) -> str:
    return f"{touch.thread}[{index}]" if touch.thread in crowds.identities else touch.thread


def _of_thread(term: Term, name: str, shared: Collection[Var]) -> Term:
    return substitute(term, {v: own_local(name, v) for v in term.free if v not in shared})


def no_deadlock(threads: Sequence[Automaton], spurious: Var | None) -> Invariant:
    """Some thread can step, or each has ended or was never created, or one stopped: the process has ended then.

    The claim is about runs without spurious wake-ups: there was one where the variable, if there is any, is 1; a step
    that is one sets it, and is none that counts here.
    """
    stuck = list[Term]()
    open_ones = list[Term]()
    # What goes wrong ends the process, too.
    stopped = [at(t.name, q.name) for t in threads for q in t.locations if q.name in ("stopped", "fail")]
    for thread in threads:
        leaving = dict[str, list[Edge]]()
        for edge in thread.edges:
            if spurious is None or dict(edge.updates).get(spurious) is not build.ONE:
                leaving.setdefault(edge.source, []).append(edge)
        blocked = [
            build.land(at(thread.name, q.name), _disabled(leaving.get(q.name, []), thread)) for q in thread.locations
        ]
        stuck.append(build.lor(*blocked))
        waiting = thread.initial if thread is not threads[0] else None
        ended = [at(thread.name, q.name) for q in thread.locations if q.name == waiting or _is_over(q, thread)]
        open_ones.append(build.lnot(build.lor(*ended)))
    origin = threads[0].origin
    woken = build.FALSE if spurious is None else build.ne(spurious, build.ZERO)
    runs = build.lnot(build.lor(*stopped, woken))
    claim = build.lnot(build.land(runs, *stuck, build.lor(*open_ones)))
    return Invariant("no_deadlock", claim, False, None, origin, fault=Fault.DEADLOCK, words="no deadlock")


def ends_of(
    threads: Sequence[Automaton], spurious: Var | None, constants: Collection[Var], asked: Asked
) -> tuple[Ends, ...]:
    """Where that is asked: no run is infinite in which nothing goes wrong and no wait ends without a signal.

    What goes wrong ends the process, and so does what says so.
    """
    if not asked.ends:
        return ()
    stopped = [at(t.name, q.name) for t in threads for q in t.locations if q.name in ("stopped", "fail")]
    woken = build.FALSE if spurious is None or spurious in constants else build.ne(spurious, build.ZERO)
    apart = build.lor(*stopped, woken)
    return (Ends("terminates", tuple(t.name for t in threads), threads[0].origin, fair=asked.fair, apart=apart),)


def _disabled(edges: Sequence[Edge], thread: Automaton) -> Term:
    """That no step is possible; a condition on an arbitrary choice is taken to be one that some choice meets."""
    local = {v.var for v in thread.variables if v.kind.value == "local"}
    enabled = list[Term]()
    for edge in edges:
        chosen = {c.var for c in edge.choices}
        known = build.land(*(c for c in build.conjuncts(edge.guard) if not c.free & chosen))
        enabled.append(substitute(known, {v: own_local(thread.name, v) for v in known.free if v in local}))
    return build.lnot(build.lor(*enabled))


def _is_over(place: Location, thread: Automaton) -> bool:
    """The place behind the end."""
    into = [e for e in thread.edges if e.target == place.name]
    return bool(into) and all(e.label is not None and e.label.action == EXIT for e in into)
