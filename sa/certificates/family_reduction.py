"""A proof by Lipton's reduction where there are families of any number (THEORY section 16), and what all proofs about
families have in common.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.family import Family
from sa.automata.program import Axiom
from sa.certificates.families import CrowdJoint, CrowdKeeps
from sa.certificates.reduced import Phase
from sa.certificates.run import Bad
from sa.terms.term import Term

#: Copies of each family that a fact may speak of.
SPOKEN = 2


class CrowdReduced(Struct, frozen=True):
    """`inner` is about threads and families whose steps are the blocks of these between locations that are cut.

    `phases` are by location, of the threads and then of the families. `facts` are formulas about threads and symbolic
    copies, `SPOKEN` of each family at most; they are meant of any different copies, and are inductive together.
    `init` is what holds of the shared variables at the start. Else it is as in `Reduced`.
    """

    threads: tuple[Automaton, ...]
    families: tuple[Family, ...]
    phases: tuple[tuple[Phase, ...], ...]
    facts: tuple[Term, ...]
    inner: tuple[OfCrowds, ...]
    init: Term
    never: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]


#: A proof that something bad never happens, however many copies there are.
OfCrowds: TypeAlias = CrowdKeeps | CrowdJoint | CrowdReduced


class Crowd(Struct, frozen=True):
    """The program that a proof is about."""

    threads: tuple[Automaton, ...]
    families: tuple[Family, ...]
    init: Term
    axioms: tuple[Axiom, ...]


def crowd_of(proof: OfCrowds) -> Crowd:
    """What a proof is about."""
    threads = tuple(a.thread for a in proof.threads) if isinstance(proof, CrowdKeeps) else proof.threads
    return Crowd(threads, proof.families, proof.init, proof.axioms)


def excluded_in_crowds(proof: OfCrowds) -> tuple[Bad, ...]:
    """What a proof says does not happen."""
    return tuple(n.bad for n in proof.never) if isinstance(proof, CrowdKeeps) else proof.never
