"""`refine --preserve`: whether a closed program also preserves that runs end, or that nobody is stuck.

A concrete program that always ends, or is never stuck, preserves it beside any abstract one. Otherwise the checker
looks at all states of both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, composed, edges_from
from sa.automata.program import Ends, Program, Refinement
from sa.automata.scheduler import serving
from sa.automata.standstill import no_standstill
from sa.automata.trace import Configuration
from sa.base.budget import Budget
from sa.base.clock import clock
from sa.base.diagnostic import InputError, error
from sa.base.limits import LimitReached, Limits, Unsupported, allot
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.ends import Finite, Lasso, Ranked
from sa.certificates.goal import Goal
from sa.certificates.pairs import Simulation
from sa.certificates.preservation import ByItself, Kept, Matched, Preserving, Unmatched
from sa.certificates.run import Bad, Run, Snapshot, Turn, turn_of
from sa.certificates.states import States
from sa.certificates.threads import Joint, Keeps, Lemmas
from sa.checker.lasso import check_lasso
from sa.checker.matched import check_matched, check_unmatched
from sa.checker.ruling import Accepted, Ruling
from sa.checker.run import check_steps
from sa.engines.endings import decided
from sa.engines.following import HOW, followed, followed_in_rounds, parted
from sa.engines.judging_claims import judged
from sa.engines.options import Options
from sa.engines.outcome import Outcome, Preservation
from sa.engines.portfolio_of_claims import CLAIMS, without_reduction
from sa.engines.preserving_threads import thread_by_thread
from sa.engines.runner import Ruled, run
from sa.question.asked import Asked, Excluded, Settled
from sa.question.goals import closes, goals
from sa.ranking.matched import by_all_states as all_states
from sa.terms.build import TRUE, constant, eq, land
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import Value
from sa.terms.substitute import local_of, sided
from sa.terms.term import Var

#: Said where neither is found.
_OPEN = Unknown(
    Reason.BOUND,
    "there are too many states, no relation with ranks was found, and the concrete program was not shown to {}",
)
_WORDS = {Kept.TERMINATION: "end in every run", Kept.PROGRESS: "let somebody step in every state"}


#: Units for whether the concrete program is so by itself.
ALWAYS = 40_000_000


def with_preservation(
    outcome: Outcome, abstract: Program, concrete: Program, block: Refinement | None, kept: Kept, options: Options
) -> Outcome:
    """The outcome, with what is to be preserved as a part of the verdict. Raises InputError."""
    if concrete.families or abstract.families:
        hint = "leave out `--preserve`"
        message = f"that {kept.value} is preserved is decided of programs with a known number of threads"
        raise InputError((error("SA921", message, None, hint),))
    if outcome.verdict is Verdict.REFUTED:
        return outcome
    started = clock()
    try:
        if options.whole or closes(abstract, concrete, block):
            found = _of_a_closed_program(outcome, abstract, concrete, block, kept, options)
        else:
            found = thread_by_thread(outcome, concrete, kept, options)
    except LimitReached as limit:
        found = Preservation(kept, Verdict.UNKNOWN, unknown=Unknown(limit.reason))
    verdicts = (found.verdict, outcome.verdict)
    verdict = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)
    seconds = {**outcome.seconds, "preserve": clock() - started}
    claim = f"{outcome.claim}; and {found.claim}"
    shown = replace(concrete, threads=found.threads, open=True) if found.threads else concrete
    return replace(outcome, verdict=verdict, claim=claim, preservation=found, concrete=shown, seconds=seconds)


def _of_a_closed_program(
    outcome: Outcome, abstract: Program, concrete: Program, block: Refinement | None, kept: Kept, options: Options
) -> Preservation:
    (goal,) = goals(abstract, concrete, block, whole=True)
    # The abstract side may have got further steps since.
    relation = next((r.relation for r in outcome.results if r.goal.concrete == goal.concrete), None)
    # What is not proved otherwise is not proved by what is preserved.
    ways = WAYS if outcome.verdict is Verdict.PROVED else REFUTING
    return preserved(concrete, goal, kept, options, relation, ways)


def without_run(outcome: Outcome, why: Unknown) -> Outcome:
    """The outcome, where a run that shows that something is not preserved counts for nothing."""
    assert outcome.preservation is not None
    found = replace(outcome.preservation, verdict=Verdict.UNKNOWN, run=None, unknown=why)
    return replace(outcome, verdict=Verdict.UNKNOWN, preservation=found)


def preserved(
    concrete: Program,
    goal: Goal,
    kept: Kept,
    options: Options,
    relation: Simulation | None = None,
    ways: Sequence[Way] | None = None,
) -> Preservation:
    """Whether the concrete program preserves it; `goal` compares the compositions of both programs.

    A relation that proves the goal may be known. Raises LimitReached.
    """
    asked = _Asked(concrete, goal, kept, options.limits, options.seed, relation)
    found = (way(asked) for way in (WAYS if ways is None else ways))
    nothing = Preservation(kept, Verdict.UNKNOWN, unknown=_unknown(kept))
    return replace(next((f for f in found if f is not None), nothing), goal=goal)


class _Asked(Struct, frozen=True):
    """The concrete program, the goal about both, and what is to be preserved; a relation that is known."""

    concrete: Program
    goal: Goal
    kept: Kept
    bounds: Limits
    seed: int
    relation: Simulation | None


#: What one way finds.
Way: TypeAlias = Callable[[_Asked], Preservation | None]


def _unknown(kept: Kept) -> Unknown:
    return replace(_OPEN, detail=_OPEN.detail.format(_WORDS[kept]))


def _proved(kept: Kept, how: str, evidence: Preserving) -> Preservation:
    return Preservation(kept, Verdict.PROVED, how, evidence=evidence)


def by_relation(asked: _Asked) -> Preservation | None:
    """By the relation that proves the goal."""
    made = followed(asked.goal, asked.kept, asked.relation, asked.bounds, asked.seed)
    return None if made is None else _proved(asked.kept, HOW[asked.kept], made)


def by_rounds(asked: _Asked) -> Preservation | None:
    """By another relation, in which rounds of loops are answered."""
    if asked.kept is not Kept.TERMINATION:
        return None
    made = followed_in_rounds(asked.goal, asked.relation, asked.bounds, asked.seed)
    return None if made is None else _proved(asked.kept, HOW[asked.kept], made)


def by_itself(asked: _Asked) -> Preservation | None:
    """The concrete program is so by itself."""
    proof = _always(asked.concrete, asked.kept, allot(asked.bounds, ALWAYS), asked.seed)
    if proof is None:
        return None
    return _proved(asked.kept, f"the concrete program is shown to {_WORDS[asked.kept]}", ByItself(proof))


def by_all_states(asked: _Asked) -> Preservation | None:
    """By the definition, where states are few."""
    try:
        found = all_states(asked.goal, asked.kept, asked.bounds)
    except Unevaluable:
        return None
    match found:
        case None:
            return None
        case Matched():
            if not isinstance(check_matched(asked.goal, asked.kept, found, asked.bounds), Accepted):
                return None
            return _proved(asked.kept, "all states of both programs", found)
        case Unmatched():
            shown = _run(asked.concrete, asked.goal, found.run)
            rulings = (
                check_unmatched(asked.goal, asked.kept, found, asked.bounds),
                _judged(asked.concrete, shown, asked.bounds, asked.seed),
            )
            if not all(isinstance(r, Accepted) for r in rulings):
                why = Unknown(Reason.CHECKER, "the run was not confirmed")
                return Preservation(asked.kept, Verdict.UNKNOWN, unknown=why)
            return Preservation(asked.kept, Verdict.REFUTED, run=shown, evidence=found)


def by_lasso(asked: _Asked) -> Preservation | None:
    """By a concrete run that goes on for ever where abstract ones end."""
    if asked.kept is not Kept.TERMINATION:
        return None
    made = parted(asked.goal, asked.bounds, asked.seed)
    if made is None:
        return None
    shown = _run(asked.concrete, asked.goal, made.lasso.run)
    return Preservation(asked.kept, Verdict.REFUTED, run=shown, evidence=made)


#: How it is decided: cheap ways first. The others only prove.
WAYS: tuple[Way, ...] = (by_relation, by_all_states, by_itself, by_lasso, by_rounds)
REFUTING: tuple[Way, ...] = (by_all_states, by_lasso)


#: Why a program is so by itself.
_Always: TypeAlias = Ranked | Finite | Keeps | Joint | Lemmas | States


def _always(concrete: Program, kept: Kept, bounds: Limits, seed: int) -> _Always | None:
    """Why the concrete program ends in every run, or is never stuck, whatever the abstract one does."""
    try:
        match kept:
            case Kept.TERMINATION:
                ends = Ends("terminates", tuple(t.name for t in concrete.threads), concrete.threads[0].origin)
                found = decided(concrete.threads, concrete.axioms, ends, Budget(bounds, seed), CLAIMS)
                return None if isinstance(found.evidence, Unknown | Lasso) else found.evidence
            case Kept.PROGRESS:
                return _never_stuck(concrete, bounds, seed)
    except Unsupported:
        return None
    except LimitReached as limit:
        if limit.reason is not Reason.WORK:
            raise
        return None


def _never_stuck(concrete: Program, bounds: Limits, seed: int) -> _Always | None:
    bad = Bad(None, no_standstill(concrete.threads, serving(concrete.scheduler)))

    def judge(settled: Settled) -> Ruling:
        return judged(concrete.threads, concrete.axioms, settled, bounds, seed)

    for said in run(
        without_reduction(CLAIMS), Asked(concrete.threads, (bad,), concrete.axioms), Budget(bounds, seed), judge
    ):
        if isinstance(said, Ruled) and isinstance(said.ruling, Accepted):
            evidence = said.settled.evidence if isinstance(said.settled, Excluded) else None
            return evidence if isinstance(evidence, Keeps | Joint | Lemmas | States) else None
    return None


def _judged(concrete: Program, shown: Run, bounds: Limits, seed: int) -> Ruling:
    """Whether the run is one of the concrete program, and goes on for ever where it says so."""
    if shown.cycle is None:
        return check_steps(concrete.threads, shown)
    ends = Ends("terminates", tuple(t.name for t in concrete.threads), concrete.threads[0].origin)
    begins = shown.turns[shown.cycle - 1].after if shown.cycle else shown.start
    values = dict(begins.shared)
    for name, there in begins.threads.items():
        values |= {local_of(v, name): x for v, x in there.values.items() if v not in begins.shared}
    again = land(TRUE, *(eq(v, constant(x, v.sort)) for v, x in values.items()))
    return check_lasso(concrete.threads, concrete.axioms, ends, Lasso(shown, again), bounds, seed)


def _run(concrete: Program, goal: Goal, found: Run) -> Run:
    """A run of the composition as one of the program's threads."""
    product = goal.concrete
    threads = {t.name: t for t in concrete.threads}
    several = len(threads) > 1
    here = first = _start(concrete, found.start.threads[product.name].values, several)
    turns = list[Turn]()
    for turn in found.turns:
        name, edge = _edge_of(product, threads, turn.move.edge)
        chosen = (turn.move.choices[c.var] for c in turn.move.edge.choices)
        choices = {c.var: x for c, x in zip(edge.choices, chosen, strict=True)}
        turns.append(turn_of(name, edge, choices, here))
        here = turns[-1].after
    return Run(first, tuple(turns), found.ending, found.cycle)


def _start(concrete: Program, values: Mapping[Var, Value], several: bool) -> Snapshot:
    def value(thread: Automaton, v: Var, kind: Kind) -> Value:
        if kind is Kind.PARAM:
            return values[v]
        own = local_of(v, thread.name) if several and kind is Kind.LOCAL else v
        return values[sided(own, "conc")]

    known = {t.name: {v.var: value(t, v.var, v.kind) for v in t.variables} for t in concrete.threads}
    shared = {v.var: known[t.name][v.var] for t in concrete.threads for v in t.variables if v.kind is not Kind.LOCAL}
    return Snapshot(shared, {t.name: Configuration(t.initial, known[t.name]) for t in concrete.threads})


def _edge_of(product: Automaton, threads: Mapping[str, Automaton], taken: Edge) -> tuple[str, Edge]:
    """The thread's own edge that an edge of the composition is: the composition keeps their order."""
    if len(threads) == 1:
        (thread,) = threads.values()
        return thread.name, thread.edges[product.edges.index(taken)]
    assert taken.thread is not None  # it is one of several threads
    alike = [e for e in edges_from(product)[taken.source] if e.thread == taken.thread]
    place = next(q for q in product.locations if q.name == taken.source)
    part = place.parts[composed(product).index(taken.thread)]
    return taken.thread, edges_from(threads[taken.thread])[part][alike.index(taken)]
