"""Threads of a program with what is claimed of them when they run together, and proofs made of their parts."""

from __future__ import annotations

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.certificates.ghosts import Ghost
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.certificates.run import Bad
from sa.certificates.sums import Summation
from sa.terms.term import Term, Var


class Annotated(Struct, frozen=True):
    """`automaton` is `thread` with ghosts that it never reads, and with invariants and environments that are claimed.

    Claimed is that the invariants hold whenever the thread is at the location, and that the environments allow
    whatever the other threads do then.
    """

    thread: Automaton
    automaton: Automaton


class Composition(Struct, frozen=True):
    """A proof that one composition refines another (Theorem 4): annotated threads, and a relation each pair of them.

    The goals are in the order of the threads, over automata whose invariants may say less than the annotated ones.
    `axioms` are those of the whole claim. What is asked is shown together with `besides`, formulas over globals of both
    sides that hold after each step, too.
    """

    concrete: tuple[Annotated, ...]
    abstract: tuple[Annotated, ...]
    goals: tuple[Goal, ...]
    relations: tuple[Relation, ...]
    axioms: tuple[Axiom, ...]
    besides: tuple[Term, ...] = ()


class Keeps(Struct, frozen=True):
    """A proof that threads by themselves never do something bad: annotated threads whose invariants exclude it.

    For a claim, `witnesses` name the threads whose invariants together imply it, wherever these threads are.
    """

    threads: tuple[Annotated, ...]
    never: tuple[Never, ...]
    axioms: tuple[Axiom, ...]


class Lemmas(Struct, frozen=True):
    """The same by formulas that are inductive together: over the names of the product, and Booleans `at T.q`.

    Unlike joint invariants they need not speak of every joint location, of which there may be very many. They may
    mention `ghosts`.
    """

    threads: tuple[Automaton, ...]
    lemmas: tuple[Term, ...]
    never: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]
    ghosts: tuple[Ghost, ...] = ()


class Never(Struct, frozen=True):
    """Something bad that does not happen."""

    bad: Bad
    witnesses: tuple[str, ...] = ()


class Joint(Struct, frozen=True):
    """The same by invariants of joint locations, one of each thread, over the names of their product.

    Joint locations that are not in `invariants` cannot be reached. Invariants may mention `ghosts`, `sums`, and
    `indices`, which are variables that the program does not know: the invariants hold for all their values.
    """

    threads: tuple[Automaton, ...]
    invariants: tuple[tuple[tuple[str, ...], Term], ...]
    never: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]
    sums: tuple[Summation, ...] = ()
    indices: tuple[Var, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
