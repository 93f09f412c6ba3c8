"""Written invariants must not cut runs (THEORY section 1): shown before anything else is asked.

A step that `inv` forbids does not exist in the automaton, so an answer would speak of other runs than the
user has in mind, and a refinement could hold for want of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.rename import renamed
from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.obligations.inductive import not_inductive, not_inductive_diagnostic
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.term import Var


def uncut(asked: Sequence[Goal], bounds: Limits) -> str | None:
    """What keeps an invariant from being known to be inductive, None if all are.

    Raises InputError for invariants that are not inductive, and LimitReached.
    """
    open_question = None
    wrong = list[Diagnostic]()
    for goal in asked:
        session = Session(bounds, tuple(a.formula for a in goal.axioms))
        for side in (goal.concrete, goal.abstract):
            found = tuple(not_inductive(session, _plain(side, goal.closed)))
            wrong.extend(not_inductive_diagnostic(f) for f in found if isinstance(f.answer, Sat))
            if found and open_question is None:
                open_question = not_inductive_diagnostic(found[0]).message
    if wrong:
        raise InputError(tuple(dict.fromkeys(wrong)))
    return open_question


def _plain(side: Automaton, closed: bool) -> Automaton:
    """The automaton with its variables as the user named them; in a closed goal the environment does nothing."""
    if closed:
        side = replace(side, locations=tuple(replace(q, env=None) for q in side.locations))

    def name(variable: Variable) -> Var:
        var = variable.var
        return var if variable.kind is Kind.PARAM else build.variable(var.name.partition(".")[2], var.sort)

    return renamed(side, name)
