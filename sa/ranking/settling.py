"""What settles: formulas that each step into a location establishes, and that no other thread makes false any more."""

from __future__ import annotations

from collections.abc import Sequence

from sa.ranking.left import Search, Thread, disturbed
from sa.ranking.points import Step
from sa.terms.build import add, conjoined, eq, integer, linear_parts, lnot
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Term

#: So many formulas are kept at a location.
_FORMULAS = 40


def settle(search: Search, number: int, own: Sequence[Step]) -> None:
    """Formulas that each step into a location establishes, and that no other thread makes false any more."""
    thread, coming, leaving = search.threads[number], dict[int, list[Step]](), dict[int, list[Step]]()
    for step in own:
        coming.setdefault(step.passage[3], []).append(step)
        leaving.setdefault(step.passage[0], []).append(step)
    pending = list(coming)
    while pending:
        place = pending.pop(0)
        here = thread.settled.setdefault(place, [])
        count = len(here)
        for formula in _candidates(search, thread, coming[place], leaving.get(place, ())):
            if (
                len(here) < _FORMULAS
                and formula not in here
                and _settles(search, number, place, coming[place], formula)
            ):
                here.append(formula)
                thread.order.append((place, formula))
        if len(here) > count:
            pending += [t for s in own if s.passage[0] == place and (t := s.passage[3]) not in pending]


def _candidates(search: Search, thread: Thread, coming: Sequence[Step], leaving: Sequence[Step]) -> dict[Term, None]:
    """What a step writes, what holds before it and is not touched, and what would exclude a next step."""
    known = frozenset(thread.graph.known[leaving[0].passage[0]]) if leaving else frozenset()
    asked = (f for s in leaving for f in s.premise if f not in known)
    found = dict[Term, None].fromkeys(lnot(f) for f in asked if f.free and f.free <= search.variables)
    for step in coming:
        written = frozenset(step.updates)
        for v, term in step.updates.items():
            if term.free <= search.variables - written:
                found[eq(v, term)] = None
        # What settled is not shifted again, or a counter would be compared with every number.
        guard = conjoined(step.premise)
        place = step.passage[0]
        for formula in (*guard, *thread.settled.get(place, ())):
            if formula in thread.graph.known[place] or not formula.free <= search.variables:
                continue
            touched = formula.free & written
            if not touched:
                found[formula] = None
            elif len(touched) == 1 and formula in guard:
                (v,) = touched
                shift, parts = linear_parts(step.updates[v]) if v.sort == INT else (0, {})
                if parts == {v: 1}:
                    found[substitute(formula, {v: add(v, integer(-shift))})] = None
    return found


def _settles(search: Search, number: int, place: int, coming: Sequence[Step], formula: Term) -> bool:
    thread, session = search.threads[number], search.session
    for step in coming:
        known = (*step.premise, *thread.known(step.passage[0]))
        after = substitute(formula, step.updates)
        if after not in known and not session.implied(after, known):
            return False
    return all(
        session.implied(substitute(formula, s.updates), (formula, *disturbed(thread, place, other, s)))
        for other, s in search.others(number)
        if not formula.free.isdisjoint(s.updates) and search.may_meet(thread, place, other, s.passage[0])
    )
