"""The steps that schedulers take by themselves, where two programs are compared: the other side's has none of these."""

from __future__ import annotations

from collections.abc import Set

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Location, Origin
from sa.automata.program import Program, Refinement
from sa.automata.ranges import within
from sa.terms import build


def with_schedulers(abstract: Program, concrete: Program, block: Refinement | None) -> tuple[Program, Program]:
    """Both programs; where one has a scheduler with steps of its own, the other one has a thread of that name, too.

    That thread takes no step, so nothing changes but that the scheduler has a partner. Those that a block pairs have
    one.
    """
    pairings = () if block is None else block.pairings
    paired = {name for p in pairings for name in (p.abstract, p.concrete)}
    return _beside(abstract, concrete, paired), _beside(concrete, abstract, paired)


def _beside(program: Program, other: Program, paired: Set[str]) -> Program:
    name = None if other.scheduler is None or not other.scheduler.steps else other.scheduler.name
    if name is None or name in paired or any(t.name == name for t in program.threads):
        return program
    return replace(program, threads=(*program.threads, _idle(name, program)))


def _idle(name: str, program: Program) -> Automaton:
    inv, origin = build.land(*map(within, program.variables)), Origin(None)
    place = Location("deciding", inv, None, origin)
    return Automaton(name, program.variables, (place,), place.name, program.init, (), origin)
