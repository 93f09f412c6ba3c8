"""What a proof about the threads of a program may be, what it is about, and what it excludes."""

from __future__ import annotations

from typing import TypeAlias

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.certificates.reduced import Composed, Reduced
from sa.certificates.run import Bad
from sa.certificates.simplified import Simplified
from sa.certificates.threads import Keeps

#: A proof that something bad never happens.
OfThreads: TypeAlias = Composed | Reduced | Simplified


def about(proof: OfThreads) -> tuple[tuple[Automaton, ...], tuple[Axiom, ...]]:
    """The threads and axioms that a proof is about."""
    threads = tuple(t.thread for t in proof.threads) if isinstance(proof, Keeps) else proof.threads
    return threads, proof.axioms


def excluded_by(proof: OfThreads) -> tuple[Bad, ...]:
    """What a proof says does not happen."""
    return tuple(n.bad for n in proof.never) if isinstance(proof, Keeps) else proof.never
