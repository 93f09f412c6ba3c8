"""The programs of a script with their threads annotated, and the compositions that claims are about.

Every step of a script speaks of these same automata.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.program import Axiom, Program
from sa.automata.proof import Member
from sa.certificates.threads import Annotated
from sa.checker.obligation import Case, Obligation, solved
from sa.checker.threads import annotation_fault, together
from sa.rules.facts import Side
from sa.terms import build
from sa.terms.term import Term


class World(Struct, frozen=True):
    """A program and its threads annotated; `goals` are the same automata with invariants that say less.

    `inferred` says that environments were not declared.
    """

    program: Program
    threads: Mapping[str, Annotated]
    goals: Mapping[str, Automaton]
    inferred: bool


class Stage(Struct, frozen=True):
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
    said = [c for t in program.threads for c in _said_of_shared(t)]
    return replace(program, threads=tuple(replace(t, init=build.land(t.init, *said)) for t in program.threads))


def _said_of_shared(thread: Automaton) -> Iterator[Term]:
    """What a thread says of shared variables at the start, by way of its locals, too."""
    local = frozenset(variables_of(thread, Kind.LOCAL))
    _, rest = solved((thread.init,), local)
    yield from (c for c in (*build.conjuncts(thread.init), *rest) if c.free.isdisjoint(local))


def others_start(worlds: Mapping[str, World], side: Side) -> Iterator[Obligation]:
    """That wherever some threads start the others of their program can, too.

    Who says that an initial state is answered by one, or that something fails from one, must name a state that the
    program can start in.
    """
    threads, own = worlds[side.program].program.threads, {t.thread.name for t in side.threads}
    said = build.conjoined(c for t in threads for c in _said_of_shared(t))
    for thread in threads:
        if thread.name not in own:
            there = Case(variables_of(thread, Kind.LOCAL), build.conjuncts(thread.init))
            yield Obligation("the others can start", thread.name, said, (there,))


def side_of(worlds: Mapping[str, World], members: tuple[Member, ...]) -> Side:
    """The composition of some threads of one program."""
    alias = members[0][0]
    world = worlds[alias]
    threads = tuple(world.threads[name] for _, name in members)
    return Side(alias, threads, {name for _, name in members} == set(world.threads) and not declares(world.program))


def matching(lower: World, upper: World) -> bool:
    """Whether environments must match (THEORY section 7): not inferred ones, which are larger than the real ones."""
    return not (lower.inferred or upper.inferred)


def members_only(world: World, members: tuple[Member, ...]) -> Program:
    """The program with these threads only, in this order, as goals take them."""
    return replace(world.program, threads=tuple(world.goals[name] for _, name in members))


def faults(side: Side) -> Iterator[str]:
    """What keeps annotated threads from being the written ones."""
    yield from (fault for t in side.threads if (fault := annotation_fault(t)) is not None)


def compatible(side: Side) -> Iterator[Obligation]:
    """That the annotations are true and the threads compatible (Definition 2)."""
    yield from together(side.threads)
