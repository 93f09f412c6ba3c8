"""Facts for movers: what holds at the locations of each thread, and which locations of two threads exclude each other.

The greatest such facts that are inductive, by Houdini over what is available to a thread alone: a formula goes where a
step of another thread makes it false. Two locations exclude each other if no step leads to both from a pair that does
not, so a lock is known to be held although its value does not say by whom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain, combinations, islice
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind
from sa.automata.ranges import within
from sa.base.limits import spend
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute, substitution
from sa.terms.term import Term, Var
from sa.transform.available import Available, available
from sa.transform.draws import Draws, draws_of
from sa.transform.turns import turns
from sa.transform.values import constants, values

#: A location of the thread with this number.
ThreadPlace: TypeAlias = tuple[int, str]

#: What two threads with these numbers always know of each other: copies of families have identities of their own.
Apart: TypeAlias = Mapping[frozenset[int], Term]

NOTHING: Apart = MappingProxyType({})


class Known(Struct, frozen=True, eq=False):
    """What was asked: whether formulas may be true together, and the constants that they say variables are."""

    together: dict[tuple[tuple[Term, ...], ...], bool] = field(default_factory=dict)
    constants: dict[tuple[Term, ...], dict[Var, Term]] = field(default_factory=dict)


class Progress(Struct, frozen=True, eq=False):
    """What was lost so far, by thread and location, and what was asked: where a limit ended it, a search goes on."""

    lost: list[dict[str, set[Term]]] = field(default_factory=list)
    known: Known = field(default_factory=Known)


class Proved(Struct, frozen=True, eq=False):
    """Facts that another technique has found: what holds at locations, the pairs of locations of two threads that
    exclude each other, and the lemmas that say so, which are inductive by themselves.
    """

    places: Mapping[ThreadPlace, tuple[Term, ...]]
    excluded: frozenset[frozenset[ThreadPlace]]
    lemmas: tuple[Term, ...]


class Facts(Struct, frozen=True, eq=False):
    """What is `true` at the locations of each thread, and the pairs of locations that can be `met`.

    `joint` says that pairs were looked at; otherwise all pairs of locations that steps lead to can be met. `lost` says
    that other threads make something false that is true of one alone, `turns` that facts say whose turn it is and
    nothing else. `apart` is what holds where two threads are at locations that can be met, beside what holds at each
    of them, and `always` what holds wherever they are. Of `draws` two threads never hold the same. `proved` are facts
    of another technique.
    """

    threads: tuple[Automaton, ...]
    true: tuple[Available, ...]
    met: frozenset[frozenset[ThreadPlace]]
    written: Mapping[ThreadPlace, Term]
    joint: bool
    lost: bool
    turns: bool = False
    apart: Mapping[frozenset[ThreadPlace], Term] = {}
    always: Apart = NOTHING
    draws: tuple[Draws, ...] = ()
    proved: Proved | None = None
    found: dict[ThreadPlace, tuple[Term, ...]] = field(default_factory=dict)

    def at(self, spot: ThreadPlace) -> tuple[Term, ...]:
        """What holds while a thread is there, the written invariant included."""
        if spot not in self.found:
            more = () if self.proved is None else self.proved.places.get(spot, ())
            self.found[spot] = build.conjoined((*self.true[spot[0]].get(spot[1], ()), self.written[spot], *more))
        return self.found[spot]

    def meet(self, one: ThreadPlace, other: ThreadPlace) -> bool:
        """Whether two threads can be there at once, as far as is known."""
        if self.proved is not None and frozenset({one, other}) in self.proved.excluded:
            return False
        if self.joint:
            return frozenset({one, other}) in self.met
        return all(place in self.true[n] for n, place in (one, other))

    def together(self, one: ThreadPlace, other: ThreadPlace) -> tuple[Term, ...]:
        """What holds while two threads are there, beside what holds at each place."""
        said = (d.differ(*((n, self.true[n].get(q, frozenset())) for n, q in (one, other))) for d in self.draws)
        always = self.always.get(frozenset({one[0], other[0]}), build.TRUE)
        return build.conjoined((self.apart.get(frozenset({one, other}), build.TRUE), always, *said))


class _Work(Struct, eq=False):
    """What was lost so far, and what the solver was asked; `joint` says whether pairs of locations are looked at.

    `reached` are the pairs of locations of two threads with what was known of each thread then. `kept` are the steps
    that were seen to leave the facts of a location true, with the facts at both. Neither is looked at again before
    facts change.
    """

    threads: tuple[Automaton, ...]
    session: Session
    lost: list[dict[str, set[Term]]]
    joint: bool
    written: Mapping[ThreadPlace, Term]
    draws: tuple[Draws, ...] = ()
    known: Known = field(default_factory=Known)
    reached: dict[tuple[int, int], tuple[Available, Available, frozenset[frozenset[ThreadPlace]]]] = field(
        default_factory=dict
    )
    kept: set[tuple[ThreadPlace, int, int, Set[Term], Set[Term]]] = field(default_factory=set)


def facts_of_turns(threads: tuple[Automaton, ...]) -> Facts | None:
    """Facts about whose turn it is, where one variable says it: they need no solver."""
    true = turns(threads)
    if true is None:
        return None
    return Facts(threads, true, frozenset(), written_invariants(threads), joint=False, lost=False, turns=True)


def written_invariants(threads: Sequence[Automaton]) -> Mapping[ThreadPlace, Term]:
    """The invariants that were written, by thread and location."""
    return {(n, q.name): q.inv for n, t in enumerate(threads) for q in t.locations}


def facts_of(
    threads: tuple[Automaton, ...],
    session: Session,
    joint: bool = True,
    progress: Progress | None = None,
    always: Apart = NOTHING,
) -> Facts:
    """Inductive facts of threads with names of their own. Raises LimitReached."""
    draws, so_far = draws_of(threads) if joint else (), Progress() if progress is None else progress
    so_far.lost.extend({} for _ in threads[len(so_far.lost) :])
    work = _Work(threads, session, so_far.lost, joint, written_invariants(threads), draws, so_far.known)
    # What nobody tests keeps nobody away.
    about = frozenset[Var]().union(*(e.guard.free for t in threads for e in t.edges)).union(d.counter for d in draws)
    mentioned = [about if joint else about & _mentioned(t) for t in threads]
    now = Facts(threads, (), frozenset(), work.written, joint, any(work.lost), always=always, draws=draws)
    changed = set(range(len(threads)))
    while changed:
        true = [
            available(t, mentioned[n], work.lost[n]) if n in changed else now.true[n] for n, t in enumerate(threads)
        ]
        now = replace(now, true=tuple(true), lost=any(work.lost), found={})
        if joint:
            now = replace(now, met=frozenset(chain.from_iterable(_met(work, now))))
        broken = list(_disturbed(work, now))
        for (number, place), formula in broken:
            work.lost[number].setdefault(place, set()).add(formula)
        changed = {number for (number, _), _ in broken}
    return now


def _mentioned(thread: Automaton) -> frozenset[Var]:
    """What a thread reads or writes. Of other variables it knows by itself no more than how they begin."""
    read = (t.free for e in thread.edges for t in (e.guard, *(u for _, u in e.updates)))
    return frozenset[Var]().union(*read).union(v for e in thread.edges for v, _ in e.updates)


def _met(work: _Work, now: Facts) -> Iterator[frozenset[frozenset[ThreadPlace]]]:
    """The pairs of locations of two threads that steps lead to."""
    for one, other in combinations(range(len(work.threads)), 2):
        before = work.reached.get((one, other))
        if before is None or before[0] is not now.true[one] or before[1] is not now.true[other]:
            found = frozenset(_reached(work, now, one, other))
            before = work.reached[one, other] = now.true[one], now.true[other], found
        yield before[2]


def _reached(work: _Work, now: Facts, one: int, other: int) -> Iterator[frozenset[ThreadPlace]]:
    leaving = [_leaving(work.threads[n]) for n in (one, other)]
    start = work.threads[one].initial, work.threads[other].initial
    seen, pending = {start}, [start]
    while pending:
        spend(work.session.bounds, 300)
        p, q = pending.pop()
        yield frozenset({(one, p), (other, q)})
        steps = [(e, (e.target, q), (one, p), (other, q)) for e in leaving[0].get(p, ())]
        steps += [(e, (p, e.target), (other, q), (one, p)) for e in leaving[1].get(q, ())]
        for edge, there, mover, observer in steps:
            if there not in seen and possible(work.session, work.known, now, mover, observer, (edge.guard,)):
                seen.add(there)
                pending.append(there)


def _leaving(thread: Automaton) -> Mapping[str, list[Edge]]:
    found = dict[str, list[Edge]]()
    for edge in thread.edges:
        found.setdefault(edge.source, []).append(edge)
    return found


def _disturbed(work: _Work, now: Facts) -> Iterator[tuple[ThreadPlace, Term]]:
    """Facts that a step of another thread makes false."""
    shared = {v.var for t in work.threads for v in t.variables if v.kind is Kind.GLOBAL}
    writing = [
        (number, k, e, written)
        for number, thread in enumerate(work.threads)
        for k, e in enumerate(thread.edges)
        if (written := {v for v, _ in e.updates} & shared) and e.source in now.true[number]
    ]
    for number, places in enumerate(now.true):
        # Written invariants hold anyway.
        given = {q.name: frozenset(build.conjuncts(q.inv)) for q in work.threads[number].locations}
        about = [
            (q, here, [f for f in here if f not in given[q] and not f.free.isdisjoint(shared)])
            for q, here in places.items()
        ]
        for other, k, edge, written in writing:
            theirs = now.true[other][edge.source]
            for place, here, said in about if other != number else ():
                seen = (number, place), other, k, here, theirs
                touched = [f for f in said if not f.free.isdisjoint(written)]
                if touched and seen not in work.kept and now.meet(seen[0], (other, edge.source)):
                    broken = list(_broken(work, now, seen[0], (other, edge), touched))
                    if not broken:
                        work.kept.add(seen)
                    yield from broken


def _broken(
    work: _Work, now: Facts, spot: ThreadPlace, step: tuple[int, Edge], touched: Sequence[Term]
) -> Iterator[tuple[ThreadPlace, Term]]:
    number, edge = step
    after = dict(edge.updates)
    mover = (number, edge.source)
    spend(work.session.bounds, 30)
    if not possible(work.session, work.known, now, mover, spot, (edge.guard,)):
        return
    for formula in touched:
        false = build.lnot(substitute(formula, after))
        taken = (edge.guard, *map(within, edge.choices), false)
        if false is not build.FALSE and possible(work.session, work.known, now, mover, spot, taken):
            yield spot, formula


def possible(
    session: Session,
    known: Known,
    now: Facts,
    one: ThreadPlace,
    other: ThreadPlace,
    more: tuple[Term, ...],
) -> bool:
    """Whether formulas may be true while two threads are at these locations; if in doubt they may."""
    asked = (now.at(one), now.at(other), (*now.together(one, other), *more))
    if contradict(known, asked):
        return False
    if asked not in known.together:
        formulas = simplified((*asked[0], *asked[1], *asked[2]))
        known.together[asked] = formulas is not None and not isinstance(session.check(formulas), Unsat)
    return known.together[asked]


def contradict(known: Known, parts: Sequence[tuple[Term, ...]]) -> bool:
    """Whether some variable is two constants, outright: who runs, whose turn it is, who holds a lock."""
    said = dict[Var, Term]()
    for formulas in parts:
        if formulas not in known.constants:
            known.constants[formulas] = constants(formulas)
        for var, value in known.constants[formulas].items():
            if said.setdefault(var, value) is not value:
                return True
    return False


def simplified(formulas: Sequence[Term]) -> tuple[Term, ...] | None:
    """The formulas with constants and equal variables put in; None where they are seen to contradict each other."""
    left = build.conjoined(formulas)
    while True:
        if build.FALSE in left:
            return None
        found = _values_of(left)
        if not found:
            return left
        put_in = substitution(dict(found.values()))
        rest = build.conjoined(put_in(f) for f in left if f not in found)
        if not rest:
            return ()
        left = rest


def _values_of(formulas: Sequence[Term]) -> dict[Term, tuple[Var, Term]]:
    """Formulas that say what variables are, each of another one: constants at once, of other equal terms one."""
    known, taken = dict[Term, tuple[Var, Term]](), set[Var]()
    for formula in formulas:
        for var, value in values(formula):
            if not value.free and var not in taken:
                known[formula] = var, value
                taken.add(var)
                break
    return known or dict(islice(((f, said) for f in formulas for said in values(f)), 1))


def lemmas_of(facts: Facts, session: Session) -> tuple[Term, ...]:
    """The facts as formulas over all threads' variables and Booleans `at T.q`; what follows from others is left out."""
    said, known = list[Term](), Known()
    for number, thread in enumerate(facts.threads):
        for place in (q.name for q in thread.locations):
            if place not in facts.true[number] and place != thread.initial:
                # No step leads there; what steps from there would lead to is no matter.
                said.append(build.lnot(_at(thread, place)))
                continue
            here = [
                f for f in facts.true[number].get(place, ()) if f not in build.conjuncts(facts.written[number, place])
            ]
            here += [build.lnot(_at(facts.threads[n], p)) for n, p in _excluded(facts, session, known, (number, place))]
            said.append(build.implies(_at(thread, place), build.land(*here)))
    # What excludes two locations may follow from draws, so these are said of all.
    both = combinations([(n, q.name) for n, t in enumerate(facts.threads) for q in t.locations], 2)
    for pair in (p for p in both if p[0][0] != p[1][0]) if facts.apart or facts.draws else ():
        formula = build.land(*facts.together(*pair))
        said.append(build.implies(build.land(*(_at(facts.threads[n], q) for n, q in pair)), formula))
    said += () if facts.proved is None else facts.proved.lemmas
    return tuple(dict.fromkeys(f for f in said if f is not build.TRUE))


def facts_at_cuts(facts: Facts, composed: Sequence[Automaton]) -> Iterator[Term]:
    """What is known of shared variables at the locations that composed threads come to."""
    shared = frozenset(v.var for t in facts.threads for v in t.variables if v.kind is Kind.GLOBAL)
    for number, (thread, made) in enumerate(zip(facts.threads, composed, strict=True)):
        for place in dict.fromkeys((made.initial, *(e.target for e in made.edges))):
            written = build.conjuncts(facts.written[number, place])
            for formula in sorted(facts.true[number].get(place, ()), key=str):
                if not formula.free.isdisjoint(shared) and formula not in written:
                    yield build.implies(_at(thread, place), formula)


def _excluded(facts: Facts, session: Session, known: Known, spot: ThreadPlace) -> Iterator[ThreadPlace]:
    """The locations of later threads that this one excludes, where that does not follow from what holds at both."""
    if facts.joint:
        for number in range(spot[0] + 1, len(facts.threads)):
            for place in facts.threads[number].locations:
                other = (number, place.name)
                if frozenset({spot, other}) not in facts.met and possible(session, known, facts, spot, other, ()):
                    yield other


def _at(thread: Automaton, place: str) -> Var:
    return build.variable(at_place(thread.name, place), BOOL)
