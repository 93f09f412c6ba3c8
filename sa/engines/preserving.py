"""`refine --preserve`: whether a closed program also preserves that runs end, or that nobody is stuck.

A concrete program that always ends, or is never stuck, preserves it beside any abstract one. Otherwise the checker
looks at all states of both sides.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, composed, edges_from
from sa.automata.program import Ends, Program, Refinement
from sa.automata.standstill import no_standstill
from sa.automata.trace import Configuration
from sa.base.budget import Budget
from sa.base.clock import clock
from sa.base.diagnostic import InputError, error
from sa.base.limits import LimitReached, Limits, Unsupported, allot
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.ends import Lasso
from sa.certificates.goal import Goal
from sa.certificates.preservation import Kept
from sa.certificates.run import Bad, Ending, Run, Snapshot, Turn
from sa.checker.enumeration import Endless
from sa.checker.lasso import check_lasso
from sa.checker.preservation import Broken, TooMany, broken
from sa.checker.ruling import Accepted, Ruling
from sa.checker.run import check_steps
from sa.engines.endings import decided
from sa.engines.judging_claims import judged
from sa.engines.options import Options
from sa.engines.outcome import Outcome, Preservation
from sa.engines.portfolio_of_claims import CLAIMS
from sa.engines.runner import Ruled, run
from sa.explicit.whole import turn_of
from sa.question.asked import Asked, Excluded, Settled
from sa.question.goals import closes, goals
from sa.terms.build import TRUE, constant, eq, land
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import Value
from sa.terms.substitute import local_of, sided
from sa.terms.term import Var

#: Said where neither is found.
_OPEN = Unknown(Reason.BOUND, "there are too many states, and the concrete program was not shown to {}")
_WORDS = {Kept.TERMINATION: "end in every run", Kept.PROGRESS: "let somebody step in every state"}


#: Units for whether the concrete program is so by itself.
ALWAYS = 40_000_000

#: What is claimed beside the rest.
_CLAIMS = {
    Kept.TERMINATION: "a run that goes on for ever without a visible action has an abstract one that does so",
    Kept.PROGRESS: "a run that is stuck has an abstract one that is stuck or at its end",
}


def with_preservation(
    outcome: Outcome, abstract: Program, concrete: Program, block: Refinement | None, kept: Kept, options: Options
) -> Outcome:
    """The outcome, with what is to be preserved as a part of the verdict. Raises InputError."""
    if concrete.families or abstract.families or not closes(abstract, concrete, block):
        hint = "leave out `--preserve`"
        message = f"that {kept.value} is preserved is decided of closed programs with a known number of threads"
        raise InputError((error("SA921", message, None, hint),))
    if outcome.verdict is Verdict.REFUTED:
        return outcome
    started = clock()
    (goal,) = goals(abstract, concrete, block, whole=True)
    try:
        found = preserved(concrete, goal, kept, options)
    except LimitReached as limit:
        found = Preservation(kept, Verdict.UNKNOWN, unknown=Unknown(limit.reason))
    verdicts = (found.verdict, outcome.verdict)
    verdict = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)
    seconds = {**outcome.seconds, "preserve": clock() - started}
    claim = f"{outcome.claim}; and {_CLAIMS[kept]}"
    return replace(outcome, verdict=verdict, claim=claim, preservation=found, concrete=concrete, seconds=seconds)


def preserved(concrete: Program, goal: Goal, kept: Kept, options: Options) -> Preservation:
    """Whether the concrete program preserves it; `goal` compares the compositions of both programs.

    Raises LimitReached.
    """
    bounds = options.limits
    if _always(concrete, kept, allot(bounds, ALWAYS), options.seed):
        return Preservation(kept, Verdict.PROVED, f"the concrete program is shown to {_WORDS[kept]}")
    try:
        found = broken(goal, kept, bounds)
    except (TooMany, Endless, Unevaluable):
        return Preservation(kept, Verdict.UNKNOWN, unknown=replace(_OPEN, detail=_OPEN.detail.format(_WORDS[kept])))
    if found is None:
        return Preservation(kept, Verdict.PROVED, "all states of both programs")
    shown = _run(concrete, goal, found)
    ruling = _judged(concrete, shown, bounds, options.seed)
    if not isinstance(ruling, Accepted):
        return Preservation(kept, Verdict.UNKNOWN, unknown=Unknown(Reason.CHECKER, "the run was not confirmed"))
    return Preservation(kept, Verdict.REFUTED, run=shown)


def _always(concrete: Program, kept: Kept, bounds: Limits, seed: int) -> bool:
    """Whether the concrete program ends in every run, or is never stuck, whatever the abstract one does."""
    try:
        match kept:
            case Kept.TERMINATION:
                ends = Ends("terminates", tuple(t.name for t in concrete.threads), concrete.threads[0].origin)
                found = decided(concrete.threads, concrete.axioms, ends, Budget(bounds, seed), CLAIMS)
                return not isinstance(found.evidence, Unknown | Lasso)
            case Kept.PROGRESS:
                return _never_stuck(concrete, bounds, seed)
    except Unsupported:
        return False
    except LimitReached as limit:
        if limit.reason is not Reason.WORK:
            raise
        return False


def _never_stuck(concrete: Program, bounds: Limits, seed: int) -> bool:
    bad = Bad(None, no_standstill(concrete.threads))

    def judge(settled: Settled) -> Ruling:
        return judged(concrete.threads, concrete.axioms, settled, bounds, seed)

    for said in run(CLAIMS, Asked(concrete.threads, (bad,), concrete.axioms), Budget(bounds, seed), judge):
        if isinstance(said, Ruled) and isinstance(said.ruling, Accepted):
            return isinstance(said.settled, Excluded)
    return False


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


def _run(concrete: Program, goal: Goal, found: Broken) -> Run:
    """A run of the composition as one of the program's threads."""
    product = goal.concrete
    threads = {t.name: t for t in concrete.threads}
    several = len(threads) > 1
    here = first = _start(concrete, found.start, several)
    turns = list[Turn]()
    for number, chosen in found.taken:
        name, edge = _edge_of(product, threads, product.edges[number])
        choices = {c.var: x for c, x in zip(edge.choices, chosen, strict=True)}
        turns.append(turn_of(name, edge, choices, here))
        here = turns[-1].after
    ending = Ending.BLOCKED if found.cycle is None else Ending.REPEATED
    return Run(first, tuple(turns), ending, found.cycle)


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
