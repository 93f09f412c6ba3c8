"""Copies of numbers that only grow: what a thread has read of a version is at most what it is now (Houdini).

Nothing is said of locations, so that steps which threads make at many joint locations are looked at once.
"""

from __future__ import annotations

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.ranges import within
from sa.base.limits import spend
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Term


def older_copies(session: Session, automaton: Automaton) -> tuple[Term, ...]:
    """Inequalities `copy <= number` that hold in each state of an automaton without an environment.

    Raises LimitReached.
    """
    shared = {v for v in variables_of(automaton, Kind.GLOBAL) if v.sort == INT}
    read = {(v, t) for e in automaton.edges for v, t in e.updates if t in shared and v not in shared}
    offered = sorted((build.le(v, t) for v, t in read), key=lambda f: f.key)
    kept = [f for f in offered if isinstance(session.check((automaton.init, build.lnot(f))), Unsat)]
    steps = dict.fromkeys((e.guard, e.updates, tuple(map(within, e.choices))) for e in automaton.edges)
    lost = True
    while kept and lost:
        lost = False
        for guard, updates, ranges in steps:
            spend(session.bounds, 50)
            after = dict(updates)
            for formula in [f for f in kept if not f.free.isdisjoint(after)]:
                broken = build.lnot(substitute(formula, after))
                if not isinstance(session.check((*kept, guard, *ranges, broken)), Unsat):
                    kept.remove(formula)
                    lost = True
    return tuple(kept)
