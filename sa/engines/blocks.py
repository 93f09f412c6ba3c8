"""Refinement by Lipton's reduction: whoever refines with blocks as concrete steps refines as written (THEORY 17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind
from sa.automata.program import Program, Refinement
from sa.automata.rename import apart as with_own_names
from sa.base.limits import apart, part_of, spend
from sa.certificates.goal import Goal
from sa.certificates.reduced import ReducedThreads
from sa.checker.family_question import asked_of
from sa.checker.question import NoQuestion, Question, related
from sa.checker.reduced_threads import check_reduced_threads, question_of_blocks
from sa.checker.ruling import Accepted
from sa.engines.options import Options
from sa.question.goals import joint_locations
from sa.simulation.state import Facts
from sa.terms.build import FALSE, boolean, conjoined, land, variable
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import sided, substitute
from sa.terms.term import Term, Var
from sa.transform.blocks import Composition, of_steps
from sa.transform.facts import simplified
from sa.transform.refining import ReducedConcrete, reduced_in_stages

#: So many joint locations of the written threads there must be for one of the blocks.
GAIN = 2

#: The part of the work that facts, movers and blocks may take.
PREPARING = 0.5


class OfBlocks(Struct, frozen=True, eq=False):
    """The concrete program with blocks as steps, and what shows that it stands for the written one.

    `made` has the written steps of each block. The first piece of `evidence` is about the written threads, the next
    one about their blocks.
    """

    program: Program
    made: tuple[Composition, ...]
    evidence: tuple[ReducedThreads, ...]
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
    iota, stages = land(*(f.term for f in related(asked)[1])), list[ReducedConcrete]()
    with part_of(options.limits, PREPARING) as bounds:
        for stage in reduced_in_stages(threads, iota, asked.axioms, bounds, options.seed):
            stages.append(stage)
    if not stages or GAIN * joint_locations(stages[-1].threads) > joint_locations(threads):
        return None
    blocks: Question | str = asked
    for stage in stages:
        if not isinstance(blocks, Question):
            return None
        ruling = check_reduced_threads(blocks, stage.evidence, apart(options.limits), options.seed)
        if not isinstance(ruling, Accepted):
            return None
        blocks = question_of_blocks(blocks, stage.evidence, apart(options.limits))
    made = stages[0].made
    for stage in stages[1:]:
        made = tuple(map(of_steps, made, stage.made))
    last = stages[-1].threads
    note = f"by Lipton's reduction: {_edges(threads)} concrete steps are {_edges(last)} blocks"
    return OfBlocks(replace(concrete, threads=last), made, tuple(s.evidence for s in stages), note)


def facts_of_blocks(goal: Goal, evidence: Sequence[ReducedThreads], options: Options) -> Facts:
    """What the facts of the reductions say at the joint locations of the blocks."""
    found = dict[str, tuple[Term, ...]]()
    for stage in evidence:
        for place, said in _facts_of(goal, stage, options).items():
            found[place] = conjoined((*found.get(place, ()), *said))
    return found, {}


def _facts_of(goal: Goal, evidence: ReducedThreads, options: Options) -> Mapping[str, tuple[Term, ...]]:
    """What the facts of one reduction say at the joint locations of the blocks: false where these exclude each other.

    They are inductive for the written steps, and so for blocks of them, unless they rest on invariants that are written
    at locations inside of blocks: then nothing is said. Ranges, which hold everywhere, are tested by each step.
    Raises LimitReached.
    """
    if any(q.inv is not t.locations[0].inv for t in evidence.threads for q in t.locations):
        return {}
    threads = tuple(map(with_own_names, evidence.threads))
    own = {v.var: sided(v.var, "conc") for t in threads for v in t.variables if v.kind is not Kind.PARAM}
    facts = [substitute(f, dict[Var, Term](own)) for f in evidence.facts]
    places = {variable(at_place(t.name, q.name), BOOL): (n, q.name) for n, t in enumerate(threads) for q in t.locations}
    about = [(f, tuple(v for v in f.free if v in places)) for f in facts]
    memo = dict[tuple[Term, tuple[Term, ...]], Term]()
    said = dict[str, tuple[Term, ...]]()
    for here in goal.concrete.locations:
        spend(options.limits, len(facts))
        held = list[Term]()
        for fact, mentioned in about:
            values = tuple(boolean(here.parts[places[m][0]] == places[m][1]) for m in mentioned)
            if (fact, values) not in memo:
                memo[fact, values] = substitute(fact, dict(zip(mentioned, values, strict=True)))
            held.append(memo[fact, values])
        known = conjoined(held)
        said[here.name] = (FALSE,) if simplified(known) is None else known
    return said


def _edges(threads: tuple[Automaton, ...]) -> int:
    return sum(len(t.edges) for t in threads)
