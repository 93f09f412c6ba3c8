"""Threads of a program with what is claimed of them when they run together, and proofs made of their parts."""

from __future__ import annotations

from dataclasses import dataclass

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Formula
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation


@dataclass(frozen=True, slots=True)
class Annotated:
    """`automaton` is `thread` with ghosts that it never reads, and with invariants and environments that are claimed.

    Claimed is that the invariants hold whenever the thread is at the location, and that the environments allow
    whatever the other threads do then.
    """

    thread: Automaton
    automaton: Automaton


@dataclass(frozen=True, slots=True)
class Composition:
    """A proof that one composition refines another (Theorem 4): annotated threads, and a relation each pair of them.

    The goals are in the order of the threads, over automata whose invariants may say less than the annotated ones.
    `kappa` and `axioms` are those of the whole claim, over the names of the products.
    """

    concrete: tuple[Annotated, ...]
    abstract: tuple[Annotated, ...]
    goals: tuple[Goal, ...]
    relations: tuple[Relation, ...]
    axioms: tuple[Axiom, ...]


@dataclass(frozen=True, slots=True)
class Keeps:
    """A proof that a closed program never violates something: annotated threads whose invariants exclude it.

    `claim` is over shared variables and Boolean variables `at T.L`, None if only failing steps are asked about;
    `threads` may be one, the product of all.
    """

    threads: tuple[Annotated, ...]
    claim: Formula | None
    failing: bool
    axioms: tuple[Axiom, ...]
