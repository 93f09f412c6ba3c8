"""A thread with its loops unwound: points in an order that all steps go along, so that a run takes each step once.

Values of locals that are known at a point are part of it: what they decide is decided while the thread is unwound, and
a loop that they end needs no bound.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Kind, Variable
from sa.automata.ranges import values_of
from sa.automata.rename import own_local
from sa.bounded.loops import Loops, loops
from sa.explicit.system import Act, System
from sa.terms.build import FALSE, TRUE, conjuncts, constant
from sa.terms.sort import INT, ArraySort, Value, default_value
from sa.terms.substitute import substitute, substitution
from sa.terms.term import Bool, Int, IsZero, Member, Not, Same, Sum, Term, Var


class Hop(Struct, frozen=True, eq=False):
    """A step between points: where `condition` holds before it, the `updates` happen at once.

    `acts` are the program's steps that it stands for, one after the other, each with the names that its choices have
    here; `choices` are all of these.
    """

    source: int
    target: int
    condition: Term
    updates: Mapping[Var, Term]
    choices: tuple[Variable, ...]
    acts: tuple[tuple[Act, Mapping[Var, Var]], ...]


class Danger(Struct, frozen=True, eq=False):
    """A step that is bad where it can be taken, at a point."""

    point: int
    condition: Term
    act: Act


class Dag(Struct, frozen=True, eq=False):
    """A thread unwound: `places` of its points, the first one being where it starts, in the order of all hops.

    `cut` are points with the condition under which a run would go on from there, into a loop that is not unwound
    further; `open_loops` are the loops of which there are such points, by their heads, `loops` is how many there are.
    """

    places: tuple[int, ...]
    hops: tuple[Hop, ...]
    dangers: tuple[Danger, ...]
    cut: tuple[tuple[int, Term], ...]
    open_loops: frozenset[int]
    loops: int


class TooLarge(Exception):
    """A thread has more points than allowed."""


class _Stepped(Struct, frozen=True):
    """A step where some values are known: what it tests and writes, and the values that are known behind it."""

    condition: Term
    updates: Mapping[Var, Term]
    found: Mapping[Var, Value]


class Memory(Struct, frozen=True):
    """What one unwinding of a program tells the next ones: steps by known values, and loops that come to an end."""

    stepped: dict[tuple[bool, Act, frozenset[tuple[Var, Value]]], _Stepped] = field(default_factory=dict)
    ending: dict[int, frozenset[int]] = field(default_factory=dict)


_Key = tuple[int, tuple[tuple[int, int], ...], frozenset[tuple[Var, Value]]]


class _Work(Struct, eq=False):
    """What is known of a thread; the points found so far with their numbers, and the hops with where they lead."""

    system: System
    thread: int
    loops: Loops
    most: Mapping[int, int]
    tracked: frozenset[Var]
    all_ends: bool
    memory: Memory
    points: dict[_Key, int] = field(default_factory=dict)
    hops: list[tuple[Hop, _Key]] = field(default_factory=list)
    dangers: list[Danger] = field(default_factory=list)
    cut: list[tuple[int, Term]] = field(default_factory=list)
    open_loops: set[int] = field(default_factory=set)


def unwound(s: System, thread: int, most: Mapping[int, int], constants: bool, limit: int, memory: Memory) -> Dag:
    """The thread with the steps back to each head taken at most `most[head]` times, each time that it comes there.

    With `constants`, known values of locals are followed. Raises TooLarge beyond `limit` points.
    """
    found = loops_of(s, thread)
    tracked = _tracked(s, thread) if constants else frozenset[Var]()
    work = _Work(s, thread, found, most, tracked, any(c is not None for c in s.claims), memory)
    known = {v: x for v, x in first_values(s).items() if v in tracked}
    start = s.start[thread]
    first: _Key = (start, _entered(found, start, {}), _kept(work, start, known))
    work.points[first] = 0
    pending = [first]
    while pending:
        here = pending.pop()
        for act in s.acts[thread][here[0]]:
            after = _followed(work, here, act)
            if after is not None and after not in work.points:
                if len(work.points) >= limit:
                    raise TooLarge
                work.points[after] = len(work.points)
                pending.append(after)
    return _in_order(work)


def narrowed(dag: Dag, width: int) -> Dag:
    """The same where choices have values of so many bits and a sign only, or as many values; itself if all have."""
    hops = tuple(_narrowed(hop, width) for hop in dag.hops)
    return dag if all(one is hop for one, hop in zip(hops, dag.hops, strict=True)) else replace(dag, hops=hops)


def _narrowed(hop: Hop, width: int) -> Hop:
    choices = tuple(_small(c, 2**width) for c in hop.choices)
    return hop if choices == hop.choices else replace(hop, choices=choices)


def _small(choice: Variable, most: int) -> Variable:
    """A choice that is in range of -most..most-1 where it can be."""
    if choice.var.sort != INT or choice.low is None or choice.high is None or choice.high - choice.low < 2 * most:
        return choice
    low = min(max(choice.low, -most), choice.high - most)
    return replace(choice, low=low, high=min(choice.high, max(low, 0) + most - 1))


def loops_of(s: System, thread: int) -> Loops:
    """The loops of a thread."""
    acts = s.acts[thread]
    steps = ((place, act.arc.target) for place, here in enumerate(acts) for act in here if not act.bads)
    return loops(len(acts), s.start[thread], steps)


def _tracked(s: System, thread: int) -> frozenset[Var]:
    """The locals whose known values are followed: claims do not speak of them."""
    automaton = s.threads[thread]
    own = {own_local(automaton.name, v.var) for v in automaton.variables if v.kind is Kind.LOCAL}
    claimed = frozenset(v for c in s.claims if c is not None for v in c.free)
    return frozenset(v for v in own if v not in claimed and not isinstance(v.sort, ArraySort))


def first_values(s: System) -> dict[Var, Value]:
    """The values of variables at the start: where a conjunct of its own says one, and some value where none matters."""
    begun = conjuncts(s.init)
    said = dict(pair for c in begun if (pair := _says(c)) is not None)
    values: dict[Var, Term] = {v.var: constant(some_value(v), v.var.sort) for v in s.variables.values()}
    # Of one variable alone, such as its range, and true of the value.
    plain = {c for c in begun if len(c.free) == 1 and substitute(c, values) is TRUE}
    matter = s.shared.union(*(c.free for c in begun if c not in plain))
    matter = matter.union(*(kept[place] for kept, place in zip(s.kept, s.start, strict=True)))
    return {**said, **{v.var: some_value(v) for v in s.variables.values() if v.var not in matter}}


def some_value(variable: Variable) -> Value:
    """A value in the range of a variable, 0 if that is possible."""
    every = values_of(variable)
    if every is not None:
        return 0 if 0 in every and variable.var.sort == INT else every[0]
    if variable.low is not None:
        return max(variable.low, 0)
    return default_value(variable.var.sort) if variable.high is None else min(variable.high, 0)


def _says(conjunct: Term) -> tuple[Var, Value] | None:
    match conjunct:
        case Var():
            return conjunct, True
        case Not(Var() as v):
            return v, False
        case IsZero(Var() as v):
            return v, 0
        case IsZero(Sum(total, ((Var() as v, 1),))):
            return v, -total
        case Same(Var() as v, Member(_, index)) | Same(Member(_, index), Var() as v):
            return v, index
        case _:
            return None


def _kept(work: _Work, place: int, known: Mapping[Var, Value]) -> frozenset[tuple[Var, Value]]:
    kept = work.system.kept[work.thread][place]
    return frozenset((v, x) for v, x in known.items() if v in kept)


def _entered(found: Loops, place: int, counts: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """How often each loop around the place was begun again."""
    return tuple((h, counts.get(h, 0)) for h, inside in sorted(found.inside.items()) if place in inside)


def _followed(work: _Work, here: _Key, act: Act) -> _Key | None:
    """Where a step leads, if a run can take it within the bounds. What it does is noted."""
    (place, counts, known), source, target = here, work.points[here], act.arc.target
    stepped = _stepped(work, act, known)
    if stepped.condition is FALSE:
        return None
    if act.bads:
        work.dangers.append(Danger(source, stepped.condition, act))
        return None
    label = act.arc.edge.label
    if label is not None and label.action == FAIL and not work.all_ends:
        return None
    count = dict(counts)
    if not work.loops.goes_back(place, target):
        count.pop(target, None)
    else:
        count[target] = count.get(target, 0) + 1
        if count[target] > work.most[target]:
            work.cut.append((source, stepped.condition))
            work.open_loops.add(target)
            return None
    now = {**{v: x for v, x in known if v not in stepped.updates}, **stepped.found}
    after: _Key = (target, _entered(work.loops, target, count), _kept(work, target, now))
    names = {c.var: c.var for c in act.choices}
    work.hops.append((Hop(source, source, stepped.condition, stepped.updates, act.choices, ((act, names),)), after))
    return after


def _stepped(work: _Work, act: Act, known: frozenset[tuple[Var, Value]]) -> _Stepped:
    reads = act.reads
    read = frozenset((v, x) for v, x in known if v in reads)
    key = bool(work.tracked), act, read
    stepped = work.memory.stepped.get(key)
    if stepped is None:
        now = substitution({v: constant(x, v.sort) for v, x in read})
        updates, found = dict[Var, Term](), dict[Var, Value]()
        for v, term in act.updates.items():
            match now(term):
                case Int(value) | Bool(value) | Member(_, value) if v in work.tracked:
                    found[v] = value
                case written:
                    updates[v] = written
        stepped = work.memory.stepped[key] = _Stepped(now(act.condition), updates, found)
    return stepped


def _in_order(work: _Work) -> Dag:
    """The points numbered so that every hop goes to a later one."""
    after: list[list[int]] = [[] for _ in work.points]
    for hop, key in work.hops:
        after[hop.source].append(work.points[key])
    rank = loops(len(after), 0, ((p, q) for p, targets in enumerate(after) for q in targets)).rank
    places = [0] * len(after)
    for (place, _, _), number in work.points.items():
        places[rank[number]] = place
    hops = (replace(h, source=rank[h.source], target=rank[work.points[key]]) for h, key in work.hops)
    return Dag(
        tuple(places),
        tuple(sorted(hops, key=lambda h: h.source)),
        tuple(replace(d, point=rank[d.point]) for d in work.dangers),
        tuple((rank[p], condition) for p, condition in work.cut),
        frozenset(work.open_loops),
        len(work.loops.inside),
    )
