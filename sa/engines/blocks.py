"""Refinement by Lipton's reduction: whoever refines with blocks as concrete steps refines as written (THEORY 17)."""

from __future__ import annotations

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
from sa.checker.reduced_threads import check_reduced_threads
from sa.checker.ruling import Accepted
from sa.engines.options import Options
from sa.question.goals import joint_locations
from sa.simulation.state import NO_FACTS, Facts
from sa.terms.build import FALSE, boolean, conjoined, land, variable
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import sided, substitute
from sa.terms.term import Term, Var
from sa.transform.blocks import Composition
from sa.transform.facts import simplified
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


def facts_of_blocks(goal: Goal, evidence: ReducedThreads, options: Options) -> Facts:
    """What the facts of the reduction say at the joint locations of the blocks: false where these exclude each other.

    They are inductive for the written steps, and so for blocks of them, unless they rest on invariants that are written
    at locations inside of blocks: then nothing is said. Ranges, which hold everywhere, are tested by each step.
    Raises LimitReached.
    """
    if any(q.inv is not t.locations[0].inv for t in evidence.threads for q in t.locations):
        return NO_FACTS
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
    return said, {}


def _edges(threads: tuple[Automaton, ...]) -> int:
    return sum(len(t.edges) for t in threads)
