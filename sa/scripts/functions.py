"""Whether the axioms of a script can be true: nothing that follows from a contradiction is worth anything."""

from __future__ import annotations

from sa.automata.proof import Script
from sa.base.diagnostic import Diagnostic, warning
from sa.base.limits import Limits
from sa.generation.meanings import meanings
from sa.smt.session import Sat, Session

#: Solver resources for a question about axioms: an answer comes soon or not at all.
SOON = 1_000_000


def doubt(script: Script, bounds: Limits, seed: int) -> Diagnostic | None:
    """A warning where it is not known that the axioms of a script can be true. Raises LimitReached."""
    axioms = script.axioms
    if not axioms or next(meanings(Session(bounds, (), seed), script.functions, axioms), None) is not None:
        return None
    if isinstance(Session(bounds, tuple(a.formula for a in axioms), seed, rlimit=SOON).check(()), Sat):
        return None
    hint = "the axioms contradict each other, so anything follows: weaken them, or give functions a body"
    return warning("SA512", "it is not known whether the axioms can be true", axioms[0].origin.span, hint)
