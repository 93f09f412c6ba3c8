"""How a step of a proof script is shown or refuted, as data: what rules are applied to, and where they fail.

It is evidence about a claim that was made from the script; it never says what the claim is.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.certificates.proof import OfThreads
from sa.certificates.relation import Relation
from sa.certificates.run import Run
from sa.terms.meaning import Meaning
from sa.terms.sort import Value
from sa.terms.term import Term, Var


class Way(Enum):
    """What a claim follows from: cited steps by one of the rules, or itself of each thread, or of all as one."""

    PARALLEL = "parallel"
    CHAIN = "chain"
    PRESERVATION = "preservation"
    THREADS = "threads"
    JOINT = "joint"


class Simulated(Struct, frozen=True):
    """A relation for the claim's goal: of its pair of threads among others, else of the whole programs."""

    relation: Relation


class PairByPair(Struct, frozen=True):
    """A relation for each pair of threads of the claim, put together by Theorem 4."""

    relations: tuple[Relation, ...]


class Played(Struct, frozen=True):
    """A play of the claim's goal; if `alone`, of its threads as they are written, while nobody else moves."""

    play: Play
    goal: Goal
    alone: bool


class ByRule(Struct, frozen=True):
    """The cited steps, by the parallel, chain or preservation rule."""

    way: Way


class Inductive(Struct, frozen=True):
    """Formulas by location that make the claim an invariant: of each thread, or one list of all threads as one."""

    way: Way
    parts: tuple[Mapping[str, Term], ...]


class Excluded(Struct, frozen=True):
    """A proof about the whole program that the claim is never false."""

    proof: OfThreads


class Violated(Struct, frozen=True):
    """A run at whose end the claim is false: of the whole program, or of the claim's thread of this number alone."""

    run: Run
    threads: tuple[Automaton, ...]
    number: int | None


class Fails(Struct, frozen=True):
    """Values for which a side condition is false, where functions mean this."""

    way: Way
    condition: str
    where: str
    values: Mapping[Var, Value]
    meaning: Meaning | None


Argument: TypeAlias = Simulated | PairByPair | Played | ByRule | Inductive | Excluded | Violated | Fails
