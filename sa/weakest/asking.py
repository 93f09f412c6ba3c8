"""Questions about a pair of threads, each a program by itself, in environments that are declared by location."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Program, Refinement
from sa.base.diagnostic import InputError, error
from sa.base.limits import allot
from sa.certificates.goal import Goal
from sa.checker.question import question
from sa.conditions.environment import declared
from sa.engines.judging import same_goals
from sa.engines.options import Options
from sa.engines.outcome import Result
from sa.engines.portfolio_of_goals import Depth
from sa.engines.results import answered
from sa.question.goals import Pairing, goals, pairings
from sa.terms import build
from sa.weakest.clauses import Clause, formula
from sa.weakest.needed import Declared

#: Units of work that one question about an environment may take.
UNITS = 12_000_000


class Asking(Struct, frozen=True):
    """A pair of threads, each a program by itself, and how to ask about it."""

    abstract: Program
    concrete: Program
    block: Refinement | None
    options: Options


def asked(
    abstract: Program, concrete: Program, block: Refinement | None, options: Options
) -> Iterator[tuple[Pairing, Asking]]:
    """The pairs of threads of two programs without relies. Raises InputError."""
    _undeclared(abstract, concrete, block)
    for pair in pairings(abstract, concrete, block):
        yield pair, Asking(*_alone(pair, abstract, concrete), _about(block, pair), options)


def _undeclared(abstract: Program, concrete: Program, block: Refinement | None) -> None:
    declaring = next((t for p in (abstract, concrete) for t in p.threads if declared(t)), None)
    if declaring is None and not (block is not None and block.rely):
        return
    place = block.origin.span if declaring is None and block is not None else None
    place = declaring.origin.span if declaring is not None else place
    hint = "leave out the relies: `--weakest-rely` infers them"
    raise InputError((error("SA410", "a rely is declared here, and the weakest one is asked for", place, hint),))


def _alone(pair: Pairing, abstract: Program, concrete: Program) -> tuple[Program, Program]:
    return replace(abstract, threads=(pair.abstract,)), replace(concrete, threads=(pair.concrete,))


def _about(block: Refinement | None, pair: Pairing) -> Refinement | None:
    """The block as far as it is about a pair of threads."""
    if block is None:
        return None
    own = tuple(p for p in block.pairings if p.concrete == pair.concrete.name)
    return replace(block, pairings=own)


def in_one_place(said: Iterable[Clause]) -> Declared:
    """Clauses that stand for all locations, as those of one place without a name."""
    return {"": tuple(dict.fromkeys(said))}


def everywhere(asking: Asking, here: Declared, there: Declared) -> tuple[Declared, Declared]:
    """The same by location, for either side."""
    (concrete,), (abstract,) = asking.concrete.threads, asking.abstract.threads
    return {q.name: here[""] for q in concrete.locations}, {q.name: there[""] for q in abstract.locations}


def answer_in(asking: Asking, here: Declared, there: Declared, depth: Depth = Depth.FULL) -> Result:
    """The answer in this environment, with a part of the work. Raises LimitReached, and QuestionsDiffer."""
    bounds = allot(asking.options.limits, UNITS)
    return answered(goal_in(asking, here, there), replace(asking.options, limits=bounds), depth)


def goal_in(asking: Asking, here: Declared, there: Declared) -> Goal:
    """The goal about the two programs with these environments, which the checker makes in the same way."""
    abstract, concrete = programs_in(asking, here, there)
    (goal,) = goals(abstract, concrete, asking.block, whole=False)
    same_goals(question(abstract, concrete, asking.block, whole=False), (goal,))
    return goal


def programs_in(asking: Asking, here: Declared, there: Declared) -> tuple[Program, Program]:
    """The abstract and the concrete program with environments; where nothing is said others may do anything."""
    return _declaring(asking.abstract, there), _declaring(asking.concrete, here)


def _declaring(program: Program, said: Declared) -> Program:
    (thread,) = program.threads
    locations = tuple(replace(q, env=build.land(*map(formula, said.get(q.name, ())))) for q in thread.locations)
    return replace(program, threads=(replace(thread, locations=locations),))
