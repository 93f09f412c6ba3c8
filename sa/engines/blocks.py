"""Refinement by Lipton's reduction: whoever refines with blocks as concrete steps refines as written (THEORY 17)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Program, Refinement
from sa.base.limits import apart, part_of
from sa.certificates.reduced import ReducedThreads
from sa.checker.family_question import asked_of
from sa.checker.question import NoQuestion, Question, related
from sa.checker.reduced_threads import check_reduced_threads
from sa.checker.ruling import Accepted
from sa.engines.options import Options
from sa.question.goals import joint_locations
from sa.terms.build import land
from sa.transform.blocks import Composition
from sa.transform.refining import reduced_concrete

#: So many joint locations of the written threads there must be for one of the blocks.
GAIN = 2

#: The part of the work that facts, movers and blocks may take.
PREPARING = 0.5


class OfBlocks(Struct, frozen=True, eq=False):
    """The concrete program with blocks as steps, and what shows that it stands for the written one."""

    program: Program
    made: tuple[Composition, ...]
    evidence: ReducedThreads
    note: str


def of_blocks(abstract: Program, concrete: Program, block: Refinement | None, options: Options) -> OfBlocks | None:
    """The concrete program of blocks, if it is smaller and the checker accepts it. Raises LimitReached."""
    try:
        asked = asked_of(abstract, concrete, block, options.whole)
    except NoQuestion:
        return None
    if not isinstance(asked, Question) or not asked.closed:
        return None
    threads = tuple(p.concrete for p in asked.pairs)
    iota = land(*(f.term for f in related(asked)[1]))
    made = None
    with part_of(options.limits, PREPARING) as bounds:
        made = reduced_concrete(threads, iota, asked.axioms, bounds, options.seed)
    if made is None:
        return None
    if GAIN * joint_locations(made.threads) > joint_locations(threads):
        return None
    ruling = check_reduced_threads(asked, made.evidence, apart(options.limits), options.seed)
    if not isinstance(ruling, Accepted):
        return None
    note = f"by Lipton's reduction: {_edges(threads)} concrete steps are {_edges(made.threads)} blocks"
    return OfBlocks(replace(concrete, threads=made.threads), made.made, made.evidence, note)


def _edges(threads: tuple[Automaton, ...]) -> int:
    return sum(len(t.edges) for t in threads)
