"""A proof by Lipton's reduction: what threads never do, shown of threads whose steps are blocks of theirs."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.certificates.run import Bad
from sa.certificates.states import States
from sa.certificates.threads import Joint, Keeps, Lemmas
from sa.terms.term import Term

#: What may be shown of the composed threads.
Composed: TypeAlias = Keeps | Joint | Lemmas | States


class Phase(Enum):
    """Where in a block a location is: at its ends, before its commit, or after it."""

    CUT = "cut"
    BEFORE = "before"
    AFTER = "after"


class Reduced(Struct, frozen=True):
    """`inner` is about threads whose steps are the blocks of `threads` between locations that are cut.

    `phases` are by thread and location. `facts` are formulas that are inductive together, as in `Lemmas`; they
    may be assumed where steps are shown to commute. What `inner` excludes together are the composed steps that end
    in a step of `never`, and the claims of `never`. The composed threads may be reduced again.
    """

    threads: tuple[Automaton, ...]
    phases: tuple[tuple[Phase, ...], ...]
    facts: tuple[Term, ...]
    inner: tuple[Composed | Reduced, ...]
    never: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]


class ReducedThreads(Struct, frozen=True):
    """A reduction of the concrete threads of a refinement: what is shown of their blocks is shown of them.

    `phases` and `facts` are as in `Reduced`. Edges that are `idle`, by thread and number, are left out: they change
    nothing.
    """

    threads: tuple[Automaton, ...]
    phases: tuple[tuple[Phase, ...], ...]
    facts: tuple[Term, ...]
    idle: tuple[tuple[int, ...], ...]
