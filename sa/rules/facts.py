"""What proofs are made of: compositions of annotated threads, and what has been shown of them.

Variables of the concrete side are named `conc.x`, of the abstract side `abs.x`, locals `conc.T.x` and `abs.T.x` after
their thread; parameters are plain. An invariant speaks of one program, over plain names and `T.x`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.program import Formula
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.certificates.threads import Annotated
from sa.terms import build
from sa.terms.term import Term


class Side(Struct, frozen=True):
    """Some threads of a program running together; `whole` if they are all, so that nobody else moves."""

    program: str
    threads: tuple[Annotated, ...]
    whole: bool


class Refinement(Struct, frozen=True):
    """`left ⪯ right` with respect to κ and ι (Definition 6), with initial coverage.

    `pairs` are the goals and relations of the pairs of threads, in order; none where θ is not known by pairs. `narrow`
    says that environments were assumed to do less than those of the annotated threads; `silent` that ends are not seen;
    `chosen` that θ has some abstract initial state for each concrete one, not all that κ relates. A chain of
    refinements has `links`, and no pairs.
    """

    left: Side
    right: Side
    kappa: tuple[Formula, ...]
    iota: tuple[Formula, ...]
    pairs: tuple[tuple[Goal, Relation], ...]
    narrow: bool = False
    silent: bool = False
    chosen: bool = False
    links: tuple[Refinement, ...] = ()


class Invariance(Struct, frozen=True):
    """A weak invariant of a composition (Definition 5), or a strong one (Definition 4).

    The formula is over the names of `automata.proof.Preserves`; `parts` are the conjuncts as they are written.
    """

    side: Side
    formula: Term
    strong: bool
    parts: tuple[Formula, ...] = ()


Fact: TypeAlias = Refinement | Invariance


def in_words(side: Side) -> str:
    """The threads of a composition."""
    return " || ".join(f"{side.program}.{t.thread.name}" for t in side.threads)


def sides_of(fact: Fact) -> tuple[Side, ...]:
    """The compositions that a fact is about."""
    return (fact.left, fact.right) if isinstance(fact, Refinement) else (fact.side,)


def made_of(side: Side, parts: Sequence[Side]) -> bool:
    """Whether a composition is just that of the parts, in order."""
    threads = tuple(t for p in parts for t in p.threads)
    return threads == side.threads and all(p.program == side.program for p in parts)


def all_of(formulas: tuple[Formula, ...]) -> Term:
    """The conjunction."""
    return build.land(*(f.term for f in formulas))
