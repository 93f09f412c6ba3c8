"""Whether written invariants cut runs of threads that are looked at one by one, in the environments they declare."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.base.diagnostic import InputError
from sa.base.limits import Limits
from sa.obligations.inductive import not_inductive, not_inductive_diagnostic
from sa.smt.session import Sat, Session


def uncut(threads: Sequence[Automaton], axioms: Sequence[Axiom], bounds: Limits) -> str | None:
    """What keeps an invariant from being known to be inductive, None if all are; undeclared environments do nothing.

    Raises InputError for invariants that are not inductive, and LimitReached.
    """
    session = Session(bounds, tuple(a.formula for a in axioms))
    found = tuple(f for thread in threads for f in not_inductive(session, thread))
    wrong = tuple(not_inductive_diagnostic(f) for f in found if isinstance(f.answer, Sat))
    if wrong:
        raise InputError(tuple(dict.fromkeys(wrong)))
    return not_inductive_diagnostic(found[0]).message if found else None
