"""What engines of `verify` are asked, and what they may answer.

An answer is evidence for the checker and no verdict. `Refuted` is all that an engine can say which only looks for runs,
or only up to a bound: no type of its answers has room for a proof.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.base.budget import Shared
from sa.certificates.run import Bad, Run
from sa.certificates.threads import Joint, Keeps

#: Evidence that something bad never happens.
Proof: TypeAlias = Keeps | Joint


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Which of these bad things do the threads, by themselves, never do? Functions mean what the axioms say of them."""

    threads: tuple[Automaton, ...]
    bads: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]
    shared: Shared = field(default_factory=Shared)


@dataclass(frozen=True, slots=True)
class Excluded:
    """Evidence that none of these bad things happens, and in words how it was found."""

    bads: tuple[Bad, ...]
    evidence: Proof
    how: str


@dataclass(frozen=True, slots=True)
class Refuted:
    """A run in which something bad happens, and in words how it was found."""

    bad: Bad
    evidence: Run
    how: str

    @property
    def bads(self) -> tuple[Bad, ...]:
        """What the evidence is about, as of a proof."""
        return (self.bad,)


@dataclass(frozen=True, slots=True)
class Note:
    """What an engine says of the question besides: where precision was given up, how far it came."""

    words: str


Settled: TypeAlias = Excluded | Refuted
