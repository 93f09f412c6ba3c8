"""What is known of the states of a composition whatever its threads do: how they begin, and ranges of variables.

Names are those of rules: `side.x` for shared variables, `side.T.x` for locals, parameters plain; without a side `x` and
`T.x`. Every invariant of a location contains the ranges (`automata.automaton.Location`).
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.automata.ranges import within
from sa.automata.rename import on_side
from sa.checker.threads import apart
from sa.rules.facts import Side
from sa.terms import build
from sa.terms.substitute import primed
from sa.terms.term import Term, Var


def initially(side: Side, name: str) -> tuple[Term, ...]:
    """That all threads of a side are at their beginning."""
    found = list[Term]()
    for annotated in side.threads:
        thread = on_side(apart(annotated.automaton), name)
        found += [thread.init, next(q.inv for q in thread.locations if q.name == thread.initial)]
    return build.conjoined(found)


def variables(side: Side, name: str) -> tuple[Var, ...]:
    """The variables of a side that are not parameters."""
    return tuple(v.var for v in _declared(side, name) if v.kind is not Kind.PARAM)


def in_range(side: Side, name: str = "") -> tuple[Term, ...]:
    """That all variables are in their ranges."""
    return build.conjoined(within(v) for v in _declared(side, name))


def in_range_after(side: Side) -> tuple[Term, ...]:
    """That all shared variables are in their ranges after a step."""
    moved = (replace(v, var=primed(v.var)) for v in _declared(side, "") if v.kind is Kind.GLOBAL)
    return build.conjoined(within(v) for v in moved)


def _declared(side: Side, name: str) -> tuple[Variable, ...]:
    found = dict[Var, Variable]()
    for annotated in side.threads:
        thread = apart(annotated.automaton)
        for v in (on_side(thread, name) if name else thread).variables:
            found.setdefault(v.var, v)
    return tuple(found.values())
