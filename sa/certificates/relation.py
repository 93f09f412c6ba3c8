"""Evidence for PROVED: a weak simulation, written so that each condition is one formula to check."""

from __future__ import annotations

from msgspec import Struct

from sa.terms.build import variable
from sa.terms.name import staged
from sa.terms.term import Term, Var


class PairRelation(Struct, frozen=True):
    """Ψ of a pair of locations is `ι ∧ Inv1 ∧ Inv2 ∧ lemmas`, over `conc.` and `abs.` variables."""

    concrete: str
    abstract: str
    lemmas: tuple[Term, ...]


#: In `Turns.after`, how many turns were made.
TURN = variable(staged("turn", "n"))


class Turns(Struct, frozen=True):
    """A silent cycle of the abstract automaton, taken `count` times, at least once, before the path edge `position`.

    `cycle` are its edges, which choose nothing. `after` gives what is changed when `TURN` turns have been made, for
    each number from 1 on, as terms over the abstract variables before the first one and `TURN`.
    """

    position: int
    cycle: tuple[int, ...]
    count: Term
    after: tuple[tuple[Var, Term], ...]


class AbstractPath(Struct, frozen=True):
    """An answer: indices into the abstract automaton's edges, in order; empty for staying.

    `witnesses` gives terms for the choices of those edges, named `choice@position`, where
    the engine knows them; choices without one stay existentially quantified. Between the edges may be `turns` of
    cycles, in the order in which they are made.
    """

    edges: tuple[int, ...]
    witnesses: tuple[tuple[Var, Term], ...] = ()
    turns: tuple[Turns, ...] = ()


class EdgeAnswer(Struct, frozen=True):
    """The answers to concrete edge number `edge` at a pair: wherever it is enabled, one of them is good."""

    concrete: str
    abstract: str
    edge: int
    answers: tuple[AbstractPath, ...]


class Relation(Struct, frozen=True):
    """A weak simulation θ: one PairRelation each pair, one EdgeAnswer each pair and concrete edge.

    `closure` gives, for each abstract location that occurs, a reflexive and transitive relation over
    `abs.` globals, their primes and `abs.` locals that contains its environment. `openings` shows initial
    coverage: substitutions for the abstract variables, one of which gives each concrete initial state a partner.
    """

    pairs: tuple[PairRelation, ...]
    answers: tuple[EdgeAnswer, ...]
    closure: tuple[tuple[str, Term], ...]
    openings: tuple[tuple[tuple[Var, Term], ...], ...]
