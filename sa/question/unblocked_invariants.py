"""Written invariants must not cut runs (THEORY section 1): shown before anything else is asked.

A step that `inv` forbids does not exist in the automaton, so an answer would speak of other runs than the
user has in mind, and a refinement could hold for want of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.rename import renamed
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.conditions.inductive import NotInductive, doubt_of, not_inductive
from sa.smt.session import Session
from sa.terms.substitute import unsided
from sa.terms.term import Var


def uncut(asked: Sequence[Goal], bounds: Limits) -> str | None:
    """What keeps an invariant from being known to be inductive, None if all are.

    Raises InputError for invariants that are not inductive, and LimitReached.
    """
    return doubt_of(chain.from_iterable(_found(goal, bounds) for goal in asked))


def _found(goal: Goal, bounds: Limits) -> Iterator[NotInductive]:
    session = Session(bounds, tuple(a.formula for a in goal.axioms))
    for side in (goal.concrete, goal.abstract):
        yield from not_inductive(session, _plain(side, goal.closed))


def _plain(side: Automaton, closed: bool) -> Automaton:
    """The automaton with its variables as the user named them; in a closed goal the environment does nothing."""
    if closed:
        side = replace(side, locations=tuple(replace(q, env=None) for q in side.locations))

    def name(variable: Variable) -> Var:
        var = variable.var
        return var if variable.kind is Kind.PARAM else unsided(var)

    return renamed(side, name)
