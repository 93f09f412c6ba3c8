"""`verify` by Lipton's reduction: the threads with blocks as single steps go to the engines of threads as they are.

What these prove of the blocks is evidence together with the reduction, and their runs are expanded step by step. Where
no step can be joined with another one the engine has nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from sa.automata.automaton import Automaton
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.base.limits import LimitReached, part_of
from sa.certificates.reduced import Composed
from sa.certificates.run import Bad, Ending, Run
from sa.certificates.states import States
from sa.certificates.threads import Joint, Keeps, Lemmas
from sa.checker.ruling import Accepted, Ruling
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.runner import Ruled, run
from sa.invariants.inductive_claims import lemmas_key
from sa.invariants.interval_facts import bounded_of, facts_of_intervals
from sa.question.asked import Asked, Excluded, Refuted, Settled
from sa.terms.evaluate import Unevaluable
from sa.transform.facts import Proved
from sa.transform.reduce import Reduction, is_gain, reduced
from sa.transform.turns import turns

#: The part of the work that facts, movers and blocks may take.
PREPARING = 0.6

#: The part of the work that intervals may take, which facts rest on.
BOUNDING = 0.4


def by_reduction(
    inner: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, report: Report
) -> Iterator[Excluded | Refuted]:
    """What the inner engines find out about blocks. Raises LimitReached."""
    made = reduction_of(asked, budget)
    if made is not None and is_gain(asked.threads, made.composed):
        yield from _of_made(made, inner, asked, budget, report)


def by_turns(
    inner: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, report: Report
) -> Iterator[Excluded | Refuted]:
    """The same where one variable says whose turn it is: a block is what a thread does in its turn. Raises
    LimitReached.
    """
    if turns(tuple(map(apart, asked.threads))) is not None:
        yield from by_reduction(inner, asked, budget, report)


def reduction_of(asked: Asked, budget: Budget) -> Reduction | None:
    """The reduction; None where its part of the work is used up before it is made. Raises LimitReached."""
    known = _known(asked, budget)
    with part_of(budget.bounds, PREPARING) as bounds:
        return reduced(asked.threads, asked.bads, asked.axioms, bounds, budget.seed, asked.shared, known)
    return None


def _known(asked: Asked, budget: Budget) -> Proved | None:
    """What intervals say of locations; None where their part of the work is used up before they do."""
    with part_of(budget.bounds, BOUNDING) as bounds:
        found = bounded_of(asked, bounds)
        facts = asked.shared.once(("facts", asked.threads), lambda: facts_of_intervals(found))
        return Proved(facts.places, facts.excluded, facts.lemmas)
    return None


def _of_made(
    made: Reduction, inner: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, report: Report
) -> Iterator[Excluded | Refuted]:
    report(Event("reduction", {"steps": _edges(made.threads), "blocks": _edges(made.composed)}))
    work = _Work(made, {bad: made.bads_of(bad) for bad in asked.bads})
    bads = made.all_of(asked.bads)
    # What engines have found out about blocks is there when they are asked again.
    about = asked.shared.once(("blocks", made.composed, bads), lambda: Asked(made.composed, bads, made.axioms))
    about.shared.once(lemmas_key(about), lambda: made.known)
    yield from _of_blocks(work, about, inner, budget, report)


class _Work(Struct, eq=False):
    """What is bad of the threads as what is bad of their blocks, and what is known so far."""

    made: Reduction
    blocks: Mapping[Bad, tuple[Bad, ...]]
    refuted: set[Bad] = field(default_factory=set)
    proofs: list[tuple[Composed, tuple[Bad, ...]]] = field(default_factory=list)
    how: dict[str, None] = field(default_factory=dict)

    def open_(self) -> list[Bad]:
        """What nothing is known of yet."""
        excluded = self.excluded()
        return [b for b in self.blocks if b not in self.refuted and not excluded.issuperset(self.blocks[b])]

    def excluded(self) -> set[Bad]:
        """What is bad of blocks and does not happen."""
        return {b for _, some in self.proofs for b in some}


def _of_blocks(
    work: _Work, about: Asked, inner: Sequence[Turn[ClaimEngine]], budget: Budget, report: Report
) -> Iterator[Excluded | Refuted]:
    """What the inner engines say, the proofs all at once: the reduction that they rest on is then checked once."""
    stopped = list[LimitReached]()
    try:
        for said in run(inner, about, budget, _unjudged, lambda _: report, lambda b: _is_over(work, b)):
            match said:
                case Ruled(settled=Excluded(bads, Keeps() | Joint() | Lemmas() | States() as proof, how)):
                    work.proofs.append((proof, bads))
                    work.how[how] = None
                case Ruled(settled=Refuted(bad, Run() as reached, how)):
                    yield from _refuted(work, bad, reached, how)
    except LimitReached as limit:
        stopped.append(limit)
    proved = tuple(b for b in work.blocks if b not in work.refuted and b not in work.open_())
    if proved:
        yield Excluded(proved, work.made.evidence(proved, tuple(p for p, _ in work.proofs)), _in_words(work))
    if stopped:
        raise stopped[0]


def _edges(threads: Sequence[Automaton]) -> int:
    return sum(len(t.edges) for t in threads)


def _unjudged(settled: Settled) -> Ruling:
    """All evidence is taken: it is judged as part of what is said of the written threads."""
    return Accepted()


def _is_over(work: _Work, block: Bad) -> bool:
    return not any(block in work.blocks[bad] for bad in work.open_())


def _in_words(work: _Work) -> str:
    steps, blocks = _edges(work.made.threads), _edges(work.made.composed)
    return f"{steps} steps reduced to {blocks}: {', '.join(work.how) or 'no block ends in a violation'}"


def _refuted(work: _Work, block: Bad, reached: Run, how: str) -> Iterator[Refuted]:
    try:
        fine = work.made.run(reached)
    except Unevaluable:
        return
    if fine is None:
        return
    # Blocks that are equal as steps may end in different failures: which one is said by the run.
    about = (b for b in work.open_() if block in work.blocks[b] and _ends_in(fine, b))
    bad = next(about, None)
    if bad is not None:
        work.refuted.add(bad)
        yield Refuted(bad, fine, f"{how}, of blocks")


def _ends_in(run: Run, bad: Bad) -> bool:
    """Whether the last step of a run that fails is the failure that this is about."""
    wanted, last = bad.failing, run.turns[-1] if run.turns else None
    if run.ending is not Ending.FAILED or wanted is None or last is None:
        return run.ending is not Ending.FAILED
    return wanted.thread in (None, last.thread) and wanted.edge in (None, last.move.edge)
