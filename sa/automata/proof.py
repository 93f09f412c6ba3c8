"""Proof scripts as data: claims about threads of several programs, and how each is to be shown.

Nothing here says that a claim holds. What the rules mean and ask for is THEORY section 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.automata.program import Axiom, Formula, Program, Related
from sa.base.source import Source, Span
from sa.base.verdict import Verdict
from sa.terms.term import Function, Term

#: A thread: the alias of its program, and its name there.
Member: TypeAlias = tuple[str, str]


class Rule(Enum):
    """The rule that a step names behind `by`. `AUTO` leaves the choice to the prover."""

    PARALLEL = "parallel"
    CHAIN = "chain"
    PRESERVATION = "preservation"
    AUTO = "auto"


class Refines(Struct, frozen=True):
    """The threads on the left refine those on the right, position by position and as a composition.

    All threads of a side are of one program, those of the two sides of two different ones. The clauses are those of
    a refinement block (`program.Refinement`): whatever the aliases are, variables of the left side are named
    `conc.x` and those of the right side `abs.x`, locals without their thread, and a formula with locals is meant for
    each position whose threads have them. `relate` is None where the script leaves the default (equal names).
    """

    left: tuple[Member, ...]
    right: tuple[Member, ...]
    relate: tuple[Related, ...] | None
    pre: tuple[Formula, ...]
    inv: tuple[Formula, ...]
    rely: tuple[Formula, ...]
    choose_init: bool
    silent_exit: bool


class Preserves(Struct, frozen=True):
    """The formula is an invariant of the composition of the threads, a weak one unless `strong`.

    It is over the variables of `composition.product.product` of these threads: globals and parameters are plain,
    locals too where there is one thread and `T.x` where there are several; `at T.CS` is a Boolean variable as in
    `program.Invariant`. `parts` are the conjuncts of the formula with their places.
    """

    side: tuple[Member, ...]
    formula: Term
    strong: bool
    parts: tuple[Formula, ...]


Claim: TypeAlias = Refines | Preserves


class Step(Struct, frozen=True):
    """A `lemma` or `theorem`. Without a rule the claim is decided directly. `cited` are names of earlier steps.

    Whether a rule fits its claim and what is cited is for the rule to say. In the text, `heading` is the step's kind
    and name, `stated` its claim with the rule.
    """

    name: str
    kind: str
    claim: Claim
    rule: Rule | None
    cited: tuple[str, ...]
    expect: Verdict | None
    origin: Origin
    heading: Span | None = None
    stated: Span | None = None


class Script(Struct, frozen=True):
    """A file of proof steps, in its order. `programs` are the imported files by alias.

    `functions` and `axioms` are those of all programs and of the script, equal ones once: a function is the same
    one wherever it is declared, and every step assumes all axioms. `expect` is for the script as a whole.
    """

    source: Source
    programs: Mapping[str, Program]
    functions: tuple[Function, ...]
    axioms: tuple[Axiom, ...]
    steps: tuple[Step, ...]
    expect: Verdict | None
