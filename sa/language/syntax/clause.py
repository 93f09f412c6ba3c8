"""Parts that refinement blocks and steps of proof scripts have in common."""

from __future__ import annotations

from sa.base.source import Span
from sa.language.syntax.expression import Expression
from sa.language.syntax.node import Node


class Rely(Node, frozen=True):
    """`rely R;` in a thread, an automaton, a refinement or a step."""

    relation: Expression
    span: Span


class ThreadName(Node, frozen=True):
    """`T` or `T[1]`; in scripts behind an alias, `conc.T[1]`, or an alias alone for all of its threads."""

    name: str
    index: Expression | None
    span: Span


class Clauses(Node, frozen=True):
    """What a refinement says beyond its two sides. `relate` is None where nobody writes it; its items are bare names
    (equal on both sides) or formulas over both sides. The span is that of the first clause, None without any.
    """

    relate: tuple[Expression, ...] | None
    pre: tuple[Expression, ...]
    inv: tuple[Expression, ...]
    rely: tuple[Rely, ...]
    choose_init: bool
    silent_exit: bool
    span: Span | None
