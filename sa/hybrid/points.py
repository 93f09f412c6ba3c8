"""Control points of a closed program, and the steps between them: locations with values of the control variables.

A thread at a location of its own, where nothing but its own variables is read and written and that nobody asks about,
goes on before anybody else moves: its steps commute with all others. `reduced` explores only these, `full` all steps.
Values of locals that nobody reads any more are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import product
from operator import itemgetter

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.live import live
from sa.automata.rename import apart
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad
from sa.conditions.never import at_places
from sa.explicit.transition_system import Arc, Whole, fails
from sa.hybrid.control_variables import Values, cases, value_of
from sa.smt.session import Session
from sa.terms import build
from sa.terms.cases import decided
from sa.terms.name import at_place
from sa.terms.partly import Partly, partly
from sa.terms.solve import solution
from sa.terms.sort import Value
from sa.terms.term import Int, IsZero, Term, Var

#: Units of a step between control points: what it is made of is made once for the values that it reads.
A_STEP = 15

#: Units for a term that is made simpler by what holds after a step.
A_CHOICE = 150


class Point(Struct, frozen=True):
    """A place of each thread, and a value of each control variable: None where nobody reads it any more."""

    places: tuple[int, ...]
    values: tuple[Value | Var | None, ...]


class Step(Struct, frozen=True, eq=False):
    """Along `arcs`, if the guard holds. Guard and updates are over data and choices.

    `target` is None for a step that must not happen, and for a state that must not be: `bad` says which it is.
    """

    source: Point
    target: Point | None
    guard: Term
    updates: Mapping[Var, Term]
    choices: tuple[Var, ...]
    arcs: tuple[Arc, ...]
    bad: Bad | None = None


class Effect(Struct, frozen=True, eq=False):
    """What a step becomes where its control variables have certain values: its condition over data and choices, the
    control variables that it sets, by number, and the data. `bad` says what must not happen.
    """

    guard: Term
    control: tuple[tuple[int, Value | Var | None], ...]
    data: Mapping[Var, Term]
    bad: Bad | None = None


class Reading(Struct, frozen=True, eq=False):
    """What an arc reads of the values of control, its guard alone and all of it, with the data that equations may fix.

    `effects` are by what is read, `impossible` is what the guard excludes, `wrong` says what bad thing the arc is.
    """

    tested: Callable[[Sequence[Value | Var | None]], Hashable]
    read: Callable[[Sequence[Value | Var | None]], Hashable]
    data: tuple[Var, ...]
    choices: tuple[Var, ...]
    wrong: tuple[Bad, ...]
    effects: dict[Hashable, tuple[Effect, ...]] = field(default_factory=dict)
    impossible: set[Hashable] = field(default_factory=set)


class Frame(Struct, frozen=True, eq=False):
    """What exploring needs of the whole.

    `own` are the places at which a thread is by itself, `live` the variables that are read from each of its places on,
    `owner` says whose local a variable is. `equations` are known to hold always; what they make of data
    by the places is noted in `fixed`, what became of terms in `made`, the values of control as terms in `terms`.
    Exploring gives up where a control variable goes beyond its `limits`.
    """

    whole: Whole
    bads: tuple[Bad, ...]
    claims: tuple[Term, ...]
    control: tuple[Variable, ...]
    starts: tuple[Values, ...]
    own: tuple[frozenset[int], ...]
    live: tuple[tuple[frozenset[Var], ...], ...]
    owner: Mapping[Var, int]
    equations: tuple[Term, ...] = ()
    limits: Mapping[Var, tuple[int, int]] = field(default_factory=dict)
    fixed: dict[tuple[int, ...], dict[Var, Term]] = field(default_factory=dict)
    made: Partly = field(default_factory=Partly)
    terms: dict[tuple[Var, Value | Var], Term] = field(default_factory=dict)
    dead: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    readings: dict[Arc, Reading] = field(default_factory=dict)
    chosen: dict[tuple[Term, tuple[Term, ...]], Term] = field(default_factory=dict)


class Graph(Struct, frozen=True, eq=False):
    """Points that are reached along steps, the first ones, and the steps by source."""

    starts: tuple[tuple[Point, Values], ...]
    steps: Mapping[Point, tuple[Step, ...]]


def frame(
    w: Whole,
    bads: Sequence[Bad],
    claims: Sequence[Term],
    control: Sequence[Var],
    starts: tuple[Values, ...],
    s: Session,
    lemmas: Sequence[Term],
    stands_for: Mapping[Var, Var] | None = None,
) -> Frame:
    """`claims` are those of `bads` over the counters of the whole, TRUE where there is none; `lemmas` always hold.

    A variable that `stands_for` one of the threads belongs to whom that belongs, and is read where that is.
    """
    kinds, old = {v.var: v for v in w.variables}, stands_for or {}
    separate = [apart(t) for t in w.threads]
    owner = {v.var: i for i, t in enumerate(separate) for v in t.variables if v.kind is Kind.LOCAL}
    owner |= {v: owner[x] for v, x in old.items() if x in owner}
    asked = frozenset[Var]().union(*(c.free for c in claims))
    shared = frozenset(v.var for v in w.variables if v.var not in owner)
    wanted = shared | asked | {old[v] for v in asked if v in old}
    read = [_alive(t, wanted) for t in separate]
    alive = tuple(tuple(here | {v for v, x in old.items() if x in here} for here in places) for places in read)
    chosen = tuple(kinds[v] for v in control)
    named = frozenset(v.name for bad in bads if bad.claim is not None for v in bad.claim.free)
    own = tuple(_own(w, i, asked, named, s) for i in range(len(w.threads)))
    equations = tuple(c for c in lemmas if isinstance(c, IsZero))
    return Frame(w, tuple(bads), tuple(claims), chosen, starts, own, alive, owner, equations)


def _alive(thread: Automaton, always: frozenset[Var]) -> tuple[frozenset[Var], ...]:
    # Ranges are always kept to, so that nothing depends on them.
    bare = replace(thread, locations=tuple(replace(q, inv=build.TRUE) for q in thread.locations))
    found = live(bare, always)
    return tuple(found[q.name] for q in thread.locations)


def _own(w: Whole, index: int, asked: frozenset[Var], named: frozenset[str], session: Session) -> frozenset[int]:
    """The places of a thread at which it is by itself; none of them on a circle of such places."""
    kinds = {v.var: v.kind for v in w.variables}
    local = frozenset(v.var for v in apart(w.threads[index]).variables if v.kind is Kind.LOCAL)
    written = frozenset(v for t in w.arcs for here in t for a in here for v in a.updates)
    readable = local | (kinds.keys() - written)
    told = {p for p, q in enumerate(w.threads[index].locations) if at_place(w.threads[index].name, q.name) in named}
    found = {
        place
        for place, arcs in enumerate(w.arcs[index])
        if arcs
        and told.isdisjoint((place, *(a.target for a in arcs)))
        and all(_is_own(a, readable, local - asked) for a in arcs)
        and session.implied(build.lor(*(a.guard for a in arcs)), ())
    }
    return frozenset(_without_circles(found, {p: [a.target for a in w.arcs[index][p]] for p in found}))


def _is_own(arc: Arc, readable: frozenset[Var], writable: frozenset[Var]) -> bool:
    read = arc.guard.free.union(*(t.free for t in arc.updates.values()))
    return not arc.choices and read <= readable and arc.updates.keys() <= writable


def _without_circles(places: set[int], targets: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Places from which only finitely many steps lead through such places."""
    left, done, falling = set(places), set[int](), True
    while falling:
        ending = {p for p in left if all(t not in places or t in done for t in targets[p])}
        done |= ending
        left -= ending
        falling = bool(ending)
        if not falling and left:
            # One place of a circle is an ordinary one, and the rest may be by themselves.
            least = min(left)
            places, left, falling = places - {least}, left - {least}, True
    yield from done & places


def explore(f: Frame, reduced: bool, most: int, bounds: Limits) -> Graph | None:
    """All points that may be reached, or those that matter; None if there are more than `most`, or one beyond limits.

    Raises LimitReached.
    """
    starts = tuple((_point(f, f.whole.start, start), start) for start in f.starts)
    pending = list(dict.fromkeys(point for point, _ in starts))
    steps: dict[Point, tuple[Step, ...]] = {}
    seen, choices = set(pending), len(f.chosen)
    while pending:
        here = pending.pop()
        steps[here] = tuple(_steps(f, here, reduced))
        spend(bounds, A_STEP * (1 + len(steps[here])) + A_CHOICE * (len(f.chosen) - choices))
        choices = len(f.chosen)
        for step in steps[here]:
            if step.target is not None and step.target not in seen:
                if _is_beyond(f, step.target):
                    return None
                seen.add(step.target)
                pending.append(step.target)
        if len(seen) > most:
            return None
    return Graph(starts, steps)


def _is_beyond(f: Frame, point: Point) -> bool:
    """Whether a control variable is beyond its limits."""
    if not f.limits:
        return False
    said = ((x, f.limits[v.var]) for v, x in zip(f.control, point.values, strict=True) if v.var in f.limits)
    return any(isinstance(x, int) and not low <= x <= high for x, (low, high) in said)


def first_own(f: Frame, here: Point) -> int | None:
    """The first thread that is by itself."""
    return next((i for i, place in enumerate(here.places) if place in f.own[i]), None)


def _point(f: Frame, places: tuple[int, ...], values: Mapping[Var, Value | Var | None]) -> Point:
    return Point(places, tuple(values[v.var] if _is_live(f, places, v.var) else None for v in f.control))


def _is_live(f: Frame, places: tuple[int, ...], var: Var) -> bool:
    owner = f.owner.get(var)
    return owner is None or var in f.live[owner][places[owner]]


def known(f: Frame, here: Point) -> dict[Var, Term]:
    """The values of control variables at a point, as terms, and of data that equations give a value there."""
    pairs = zip(f.control, here.values, strict=True)
    terms = {v.var: f.terms.get((v.var, x)) or _term(f, v.var, x) for v, x in pairs if x is not None}
    return {**_fixed(f, here.places), **terms}


def _term(f: Frame, var: Var, value: Value | Var) -> Term:
    found = f.terms[var, value] = value_of(var, value)
    return found


def _fixed(f: Frame, places: tuple[int, ...]) -> dict[Var, Term]:
    found = f.fixed.get(places)
    if found is None:
        found, control = {}, {v.var for v in f.control}
        named = {t.name: t.locations[p].name for t, p in zip(f.whole.threads, places, strict=True)}
        for formula in (at_places(e, named) for e in f.equations):
            said = solution(formula, formula.free) if len(formula.free) == 1 else None
            if said is not None and said[0] not in control and isinstance(said[1], Int):
                found[said[0]] = said[1]
        f.fixed[places] = found
    return found


def _steps(f: Frame, here: Point, reduced: bool) -> Iterator[Step]:
    first = first_own(f, here) if reduced else None
    if first is None:
        yield from _wrong(f, here)
    fixed = _fixed(f, here.places) if f.equations else None
    for index in range(len(here.places)) if first is None else (first,):
        for arc in f.whole.arcs[index][here.places[index]]:
            yield from _along(f, here, arc, fixed)


def _wrong(f: Frame, here: Point) -> Iterator[Step]:
    """Steps that say in which states of a point a claim is false."""
    asked = [(bad, claim) for bad, claim in zip(f.bads, f.claims, strict=True) if claim is not build.TRUE]
    if asked:
        at: dict[Var, Term] = {c: build.integer(p) for c, p in zip(f.whole.counters, here.places, strict=True)}
        there = {**known(f, here), **at}
        for bad, claim in asked:
            wrong = build.lnot(partly(f.made, claim, there))
            if wrong is not build.FALSE:
                yield Step(here, None, wrong, {}, (), (), bad)


def _along(f: Frame, here: Point, arc: Arc, fixed: Mapping[Var, Term] | None) -> Iterator[Step]:
    reading = f.readings.get(arc)
    if reading is None:
        reading = f.readings[arc] = _reading(f, arc)
    places = (*here.places[: arc.thread], arc.target, *here.places[arc.thread + 1 :])
    for effect in _effects(f, here, arc, reading, fixed):
        if effect.bad is not None:
            yield Step(here, None, effect.guard, {}, reading.choices, (arc,), effect.bad)
        else:
            after = list(here.values)
            for number, value in effect.control:
                after[number] = value
            yield Step(here, Point(places, tuple(after)), effect.guard, effect.data, reading.choices, (arc,))


def _effects(f: Frame, here: Point, arc: Arc, reading: Reading, fixed: Mapping[Var, Term] | None) -> tuple[Effect, ...]:
    """What becomes of a step at a point, made once for what it reads."""
    tested: Hashable = reading.tested(here.values)
    read: Hashable = reading.read(here.values)
    if fixed is not None:
        tested, read = (tested, *map(fixed.get, reading.data)), (read, *map(fixed.get, reading.data))
    if tested in reading.impossible:
        return ()
    found = reading.effects.get(read)
    if found is None:
        env = known(f, here)
        guard = partly(f.made, arc.guard, env)
        if guard is build.FALSE:
            reading.impossible.add(tested)
            return ()
        found = reading.effects[read] = tuple(_made(f, here.places, arc, reading.wrong, guard, env))
    return found


def _made(
    f: Frame, here: tuple[int, ...], arc: Arc, wrong: tuple[Bad, ...], guard: Term, env: Mapping[Var, Term]
) -> Iterator[Effect]:
    yield from (Effect(guard, (), {}, bad) for bad in wrong)
    if wrong:
        return
    places = (*here[: arc.thread], arc.target, *here[arc.thread + 1 :])
    written = {v: partly(f.made, t, env) for v, t in arc.updates.items() if _is_live(f, places, v)}
    set_here = [(n, v) for n, v in enumerate(f.control) if v.var in written]
    forgotten = dict.fromkeys(_forgotten(f, arc.thread, arc.target))
    parts = [tuple(cases(written.pop(v.var), v)) for _, v in set_here]
    for chosen in product(*parts):
        condition = build.land(guard, *(c for c, _ in chosen))
        if condition is not build.FALSE:
            control = {number: value for (number, _), (_, value) in zip(set_here, chosen, strict=True)} | forgotten
            conditions = build.conjoined(c for c, _ in chosen)
            data = {v: _where(f, t, conditions) for v, t in written.items()}
            yield Effect(condition, tuple(control.items()), data)


def _reading(f: Frame, arc: Arc) -> Reading:
    numbers = {v.var: n for n, v in enumerate(f.control)}
    free = arc.guard.free.union(*(t.free for t in arc.updates.values()))
    tested, read = (_picked(sorted(numbers[v] for v in some if v in numbers)) for some in (arc.guard.free, free))
    data = tuple(sorted(free - numbers.keys(), key=lambda v: v.key))
    wrong = tuple(bad for bad in f.bads if fails(bad, f.whole.threads[arc.thread].name, arc))
    return Reading(tested, read, data, tuple(c.var for c in arc.choices), wrong)


def _picked(numbers: Sequence[int]) -> Callable[[Sequence[Value | Var | None]], Hashable]:
    return itemgetter(*numbers) if numbers else lambda values: ()


def _forgotten(f: Frame, thread: int, place: int) -> tuple[int, ...]:
    """The numbers of a thread's control variables that nobody reads from a place of the thread on."""
    found = f.dead.get((thread, place))
    if found is None:
        owned = ((n, v.var) for n, v in enumerate(f.control) if f.owner.get(v.var) == thread)
        found = f.dead[thread, place] = tuple(n for n, v in owned if v not in f.live[thread][place])
    return found


def _where(f: Frame, term: Term, conditions: tuple[Term, ...]) -> Term:
    """The term where conditions hold, some of which it may choose by."""
    key = term, conditions
    if key not in f.chosen:
        for condition in conditions:
            term = decided(decided(term, condition, True), build.lnot(condition), False)
        f.chosen[key] = term
    return f.chosen[key]
