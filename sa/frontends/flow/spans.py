"""Intervals of terms from the ranges of registers, and ranges from conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sa.frontends.flow.graph import Register
from sa.terms.bounds import Ranges, assuming, interval_of
from sa.terms.interval import Interval
from sa.terms.term import Term, Var

#: So many times what conditions say of variables is drawn from one another.
_ROUNDS = 2

Registers = Mapping[Var, Register]


def span_of(term: Term, registers: Registers) -> Interval:
    """The least and greatest value of a term, as far as they are known."""
    return interval_of(term, {v: registers[v].range for v in term.free if v in registers}, {})


def told_by(parts: Iterable[Term], ranges: Ranges) -> Ranges | None:
    """The ranges as conditions narrow them; None where the conditions exclude each other."""
    known: Ranges | None = ranges
    for part in (*parts,) * _ROUNDS:
        known = None if known is None else assuming(part, known)
    return known
