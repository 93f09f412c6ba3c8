"""Parts that refinement blocks and steps of proof scripts have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

from sa.base.source import Span
from sa.language.syntax.expression import Expression


@dataclass(frozen=True, slots=True)
class Rely:
    """`rely R;` in a thread, an automaton, a refinement or a step."""

    relation: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ThreadName:
    """`T` or `T[1]`; in scripts behind an alias, `conc.T[1]`, or an alias alone for all of its threads."""

    name: str
    index: Expression | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Clauses:
    """What a refinement says beyond its two sides. `relate` is None where nobody writes it; its items are bare names
    (equal on both sides) or formulas over both sides. The span is that of the first clause, None without any.
    """

    relate: tuple[Expression, ...] | None
    pre: tuple[Expression, ...]
    inv: tuple[Expression, ...]
    rely: tuple[Rely, ...]
    choose_init: bool
    silent_exit: bool
    span: Span | None = field(compare=False, repr=False)
