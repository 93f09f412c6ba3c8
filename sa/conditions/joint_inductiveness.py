"""Whether written invariants cut runs of threads that run together, where nobody else moves (Definition 3).

`Inv` of each thread must hold initially, after the thread's own steps, and after those of every other thread. What the
threads that do not move know is known too: each is at some location. Declared environments play no part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Location, edges_from, location_of
from sa.automata.components import reachable
from sa.automata.program import Axiom, Program
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.base.diagnostic import Diagnostic, warning
from sa.base.limits import Limits
from sa.conditions.inductive import NotInductive, doubt_of
from sa.conditions.vacuity import RLIMIT
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.bounds import Ranges, assuming, truth_of
from sa.terms.substitute import substitution
from sa.terms.term import Term, Var


def uncut(threads: Sequence[Automaton], axioms: Sequence[Axiom], bounds: Limits) -> str | None:
    """What keeps an invariant from being known to be inductive, None if all are.

    Raises InputError for invariants that are not inductive, and LimitReached.
    """
    return doubt_of(not_inductive_together(Session(bounds, tuple(a.formula for a in axioms)), threads))


def no_start(program: Program, bounds: Limits) -> tuple[Diagnostic, ...]:
    """A warning if no state satisfies what all threads say of the beginning. Raises LimitReached."""
    session = Session(bounds, tuple(a.formula for a in program.axioms), rlimit=RLIMIT)
    threads = [apart(t) for t in (*program.threads, *(f.thread for f in program.families))]
    starts = [f for t in threads for f in (t.init, location_of(t, t.initial).inv)]
    if len(threads) > 1 and isinstance(session.check(starts), Unsat):
        message = "no state satisfies the initial conditions of all threads together"
        return (warning("SA502", message, threads[0].origin.span),)
    return ()


def not_inductive_together(session: Session, threads: Sequence[Automaton]) -> Iterator[NotInductive]:
    """All that keeps the invariants of the threads from being inductive. Raises LimitReached and SolverDisagrees."""
    separate = [apart(t) for t in threads]
    init = build.land(*(t.init for t in separate))
    reached = [_reached(t) for t in separate]
    somewhere = [build.lor(*(q.inv for q in places)) for places in reached]
    parts = [{q.name: tuple(build.conjuncts(q.inv)) for q in places} for places in reached]
    mentioning = [_mentioning(p) for p in parts]
    for index, thread in enumerate(separate):
        first = location_of(thread, thread.initial)
        for conjunct in build.conjuncts(first.inv):
            answer = session.check((init, build.lnot(conjunct)))
            if not isinstance(answer, Unsat):
                yield NotInductive(thread, _named(thread, first), conjunct, None, True, answer)
        known = [s for other, s in enumerate(somewhere) if other != index]
        targets = {q.name: q for q in reached[index]}
        for edge in thread.edges:
            if edge.source in targets:
                before, after = targets[edge.source], targets[edge.target]
                moved = substitution(dict(edge.updates))
                yield from _after(session, thread, edge, moved, (before.inv, *known), after, parts[index][after.name])
                for other, places in enumerate(reached):
                    if other != index:
                        rest = [s for i, s in enumerate(somewhere) if i not in (index, other)]
                        own = (before.inv, *rest, moved(after.inv))
                        # What the step leaves as it is still holds; of the others, `after` shows some.
                        changed = {c for v, _ in edge.updates for c in mentioning[other].get(v, ())}
                        changed -= set(parts[index][after.name])
                        for place in places if changed else ():
                            asked = tuple(c for c in parts[other][place.name] if c in changed)
                            yield from _after(session, separate[other], edge, moved, (*own, place.inv), place, asked)


def _mentioning(parts: Mapping[str, Sequence[Term]]) -> Mapping[Var, Sequence[Term]]:
    """By variable the conjuncts of a thread's invariants that mention it."""
    found = dict[Var, list[Term]]()
    for conjunct in dict.fromkeys(c for said in parts.values() for c in said):
        for v in conjunct.free:
            found.setdefault(v, []).append(conjunct)
    return found


def _after(
    session: Session,
    observer: Automaton,
    edge: Edge,
    moved: Callable[[Term], Term],
    known: Sequence[Term],
    place: Location,
    asked: Sequence[Term],
) -> Iterator[NotInductive]:
    """Those `asked` of the conjuncts of the invariant of `place` that the step, which has `moved` terms, may break."""
    goals = [(c, goal) for c in asked if (goal := moved(c)) is not build.TRUE]
    if not goals:
        return
    parts = frozenset(c for f in known for c in build.conjuncts(f))
    taken = (edge.guard, *(within(c) for c in edge.choices))
    ranges: Ranges | None = None
    for conjunct, goal in goals:
        if goal in parts:
            continue
        # Ranges mostly follow from ranges: the solver takes long where words are taken apart.
        ranges = assuming(build.land(*parts, *taken), {}) if ranges is None else ranges
        if ranges is None or truth_of(goal, ranges) is True:
            continue
        answer = session.check((*parts, *taken, build.lnot(goal)))
        if not isinstance(answer, Unsat):
            yield NotInductive(observer, _named(observer, place), conjunct, edge, False, answer)


def _named(thread: Automaton, place: Location) -> Location:
    """The location with a name that says whose it is, for messages."""
    return replace(place, name=f"{thread.name}.{place.name}")


def _reached(thread: Automaton) -> list[Location]:
    """The locations that edges lead to."""
    outgoing = edges_from(thread)
    seen = reachable((thread.initial,), lambda place: (e.target for e in outgoing[place]))
    return [q for q in thread.locations if q.name in seen]
