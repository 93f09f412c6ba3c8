"""The programs of a script with their threads annotated, and the compositions that claims are about.

Every step of a script speaks of these same automata.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sa.automata.automaton import Automaton, Kind
from sa.automata.program import Axiom, Program
from sa.automata.proof import Member
from sa.certificates.threads import Annotated
from sa.checker.obligation import Obligation
from sa.checker.threads import annotation_fault, together
from sa.rules.facts import Side
from sa.terms import build


@dataclass(frozen=True, slots=True)
class World:
    """A program and its threads annotated; `goals` are the same automata with invariants that say less.

    `inferred` says that environments were not declared.
    """

    program: Program
    threads: Mapping[str, Annotated]
    goals: Mapping[str, Automaton]
    inferred: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """The programs of a script by alias, and the axioms that every step assumes."""

    worlds: Mapping[str, World]
    axioms: tuple[Axiom, ...]


def declares(program: Program) -> bool:
    """Whether some thread declares what it relies on: then somebody outside of the program is assumed to move."""
    return any(q.env is not None for t in program.threads for q in t.locations)


def infers(program: Program) -> bool:
    """Whether what its threads do to each other is inferred."""
    return len(program.threads) > 1 and not declares(program)


def starting_together(program: Program) -> Program:
    """What a thread says of shared variables at the start is so for all threads, as they start together."""
    shared = frozenset(v.var for t in program.threads for v in t.variables if v.kind is not Kind.LOCAL)
    said = [c for t in program.threads for c in build.conjuncts(t.init) if c.free <= shared]
    return replace(program, threads=tuple(replace(t, init=build.land(t.init, *said)) for t in program.threads))


def side_of(worlds: Mapping[str, World], members: tuple[Member, ...]) -> Side:
    """The composition of some threads of one program."""
    alias = members[0][0]
    world = worlds[alias]
    threads = tuple(world.threads[name] for _, name in members)
    return Side(alias, threads, {name for _, name in members} == set(world.threads) and not declares(world.program))


def members_only(world: World, members: tuple[Member, ...]) -> Program:
    """The program with these threads only, in this order, as goals take them."""
    return replace(world.program, threads=tuple(world.goals[name] for _, name in members))


def faults(side: Side) -> Iterator[str]:
    """What keeps annotated threads from being the written ones."""
    yield from (fault for t in side.threads if (fault := annotation_fault(t)) is not None)


def compatible(side: Side) -> Iterator[Obligation]:
    """That the annotations are true and the threads compatible (Definition 2)."""
    yield from together(side.threads)
