"""Environment relations from the steps of the other threads: `∃ locals. Inv(q) ∧ guard ∧ update` (Algorithm 1).

Every move is kept as a condition and an update, since most questions about it are answered by substitution. What
elimination cannot express is dropped: a relation here contains all steps, and may contain more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, location_of, variables_of
from sa.automata.ranges import within
from sa.conditions.environment import identity
from sa.generation.effect import shape_of
from sa.smt.session import Session
from sa.terms import build
from sa.terms.overapproximate import shadow
from sa.terms.solve import solution
from sa.terms.substitute import primed, substitute
from sa.terms.term import Ite, Store, Term, Var


class Change(Struct, frozen=True):
    """A step of some thread as the others see it: where `condition` holds the `updates` happen at once.

    `loose` variables change too, to values of which `outcome` speaks, over shared variables and their primes.
    """

    actor: str
    condition: Term
    updates: Mapping[Var, Term]
    loose: frozenset[Var]
    outcome: Term


class Seen(Struct, frozen=True):
    """What a domain says of a step, over the shared variables alone: before it, and after it."""

    before: Term
    after: Term


def changes_of(thread: Automaton, seen: Mapping[int, Seen], facts: Mapping[str, Term]) -> tuple[Change, ...]:
    """What the steps of a thread do to shared variables; steps that do the same are one change.

    `seen` is by the number of an edge, those that never happen are left out; `facts` are relational invariants.
    """
    found = dict[tuple[object, ...], Change]()
    for number, edge in enumerate(thread.edges):
        if number not in seen or shape_of(thread, edge, number) is None:
            continue
        change = _change(thread, edge, seen[number], facts[edge.source])
        if change.condition is build.FALSE or change.outcome is build.FALSE:
            continue
        key = (tuple(sorted(change.updates.items(), key=lambda u: u[0].key)), change.loose, change.outcome)
        known = found.get(key)
        if known is not None:
            change = Change(change.actor, build.lor(known.condition, change.condition), *_rest(known))
        found[key] = change
    return tuple(found.values())


def _rest(change: Change) -> tuple[Mapping[Var, Term], frozenset[Var], Term]:
    return change.updates, change.loose, change.outcome


def _change(thread: Automaton, edge: Edge, seen: Seen, fact: Term) -> Change:
    shared = frozenset((*variables_of(thread, Kind.GLOBAL), *variables_of(thread, Kind.PARAM)))
    hidden = frozenset((*variables_of(thread, Kind.LOCAL), *(c.var for c in edge.choices)))
    known_values = _told(build.conjuncts(build.land(fact, edge.guard)), hidden, shared)
    after = {v: substitute(t, known_values) for v, t in edge.updates}
    updates = {v: t for v, t in after.items() if v in shared and t is not v and t.free <= shared}
    loose = frozenset(v for v, t in after.items() if v in shared and not t.free <= shared)
    landing = substitute(location_of(thread, edge.target).inv, after)
    known = build.land(fact, edge.guard, landing, *(within(c) for c in edge.choices))
    if not loose:
        return Change(thread.name, build.land(seen.before, shadow(known, hidden)), updates, loose, build.TRUE)
    ordered = sorted(loose, key=lambda v: v.key)
    written = build.land(*(build.eq(primed(v), after[v]) for v in ordered))
    elsewhere = build.land(*(build.eq(primed(v), _but_for_values(after[v], primed(v), hidden)) for v in ordered))
    reached = substitute(seen.after, {v: primed(v) if v in loose else after.get(v, v) for v in shared})
    outcome = build.land(shadow(build.land(known, written), hidden), reached, elsewhere)
    now = [c for c in build.conjuncts(outcome) if not any(v.primes for v in c.free)]
    then = build.land(*(c for c in build.conjuncts(outcome) if any(v.primes for v in c.free)))
    return Change(thread.name, build.land(seen.before, *now), updates, loose, then)


def _told(known: Iterable[Term], hidden: frozenset[Var], shared: frozenset[Var]) -> dict[Var, Term]:
    """Hidden variables that are equal to something shared before the step."""
    found = dict[Var, Term]()
    for formula in known:
        solved = solution(formula, hidden & formula.free - found.keys())
        if solved is not None and solved[1].free <= shared:
            found[solved[0]] = solved[1]
    return found


def _but_for_values(written: Term, after: Term, hidden: frozenset[Var]) -> Term:
    """An array that a step writes, with the values that it has afterwards where hidden ones were stored.

    It is what is written, whatever the values; if indices are hidden it is `after`, which says nothing.
    """
    match written:
        case Store(array, index, _) if index.free.isdisjoint(hidden):
            below = _but_for_values(array, after, hidden)
            return below if below is after else build.store(below, index, build.select(after, index))
        case Ite(condition, positive, negative) if condition.free.isdisjoint(hidden):
            ways = [_but_for_values(t, after, hidden) for t in (positive, negative)]
            return after if any(w is after for w in ways) else build.ite(condition, *ways)
        case _:
            return written if written.free.isdisjoint(hidden) else after


def relation_of(change: Change, shared: Sequence[Var]) -> Term:
    """The change as a relation over shared variables and their primes."""
    kept = (build.eq(primed(v), change.updates.get(v, v)) for v in shared if v not in change.loose)
    return build.land(change.condition, *kept, change.outcome)


def environment_of(changes: Iterable[Change], shared: Sequence[Var]) -> Term:
    """The relation of a thread's environment: any of the changes, or none."""
    return build.lor(identity(shared), *(relation_of(c, shared) for c in changes))


def keeps(session: Session, change: Change, template: Term, shared: Sequence[Var]) -> bool:
    """Whether a change keeps to a relation over shared variables and their primes."""
    after = {primed(v): change.updates.get(v, v) for v in shared if v not in change.loose}
    goal = substitute(template, after)
    if goal is build.TRUE:
        return True
    return session.implied(goal, (change.condition, substitute(change.outcome, after)))
