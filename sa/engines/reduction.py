"""`verify` by Lipton's reduction: the threads with blocks as single steps go to the engines of threads as they are.

What these prove of the blocks is evidence together with the reduction, and their runs are expanded step by step. Where
no step can be joined with another one the engine has nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Event, Report
from sa.base.limits import part_of
from sa.certificates.reduced import Composed
from sa.certificates.run import Bad, Run
from sa.certificates.states import States
from sa.certificates.threads import Joint, Keeps, Lemmas
from sa.checker.ruling import Accepted, Ruling
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.runner import Ruled, run
from sa.question.asked import Asked, Excluded, Note, Refuted, Settled
from sa.terms.evaluate import Unevaluable
from sa.transform.reduce import Reduction, reduction

#: The part of the time that facts, movers and blocks may take.
PREPARING = 0.3


def by_reduction(
    inner: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, report: Report
) -> Iterator[Excluded | Refuted | Note]:
    """What the inner engines find out about blocks. Raises LimitReached."""
    made: Reduction | None = None
    with part_of(budget.bounds, PREPARING) as bounds:
        made = reduction(asked.threads, asked.bads, asked.axioms, bounds, budget.seed)
    if made is None or all(len(t.edges) >= len(w.edges) for t, w in zip(made.composed, asked.threads, strict=True)):
        return
    report(Event("reduction", {"steps": _edges(made.threads), "blocks": _edges(made.composed)}))
    blocks = {bad: made.bads_of(bad) for bad in asked.bads}
    about = Asked(made.composed, tuple(dict.fromkeys(b for some in blocks.values() for b in some)), made.axioms)
    proofs, excluded, open_ = list[Composed](), set[Bad](), dict.fromkeys(asked.bads)
    yield from _settled(made, open_, blocks, excluded, proofs, "no block ends in a violation")
    if not open_:
        return
    for said in run(inner, about, budget, _unjudged, lambda _: report, lambda b: _is_over(b, blocks, open_)):
        if not isinstance(said, Ruled):
            continue
        match said.settled:
            case Excluded(bads, Keeps() | Joint() | Lemmas() | States() as proof, how):
                proofs.append(proof)
                excluded.update(bads)
                yield from _settled(made, open_, blocks, excluded, proofs, how)
            case Refuted(bad, Run() as reached, how):
                yield from _refuted(made, open_, blocks, bad, reached, how)


def _edges(threads: Sequence[Automaton]) -> int:
    return sum(len(t.edges) for t in threads)


def _unjudged(settled: Settled) -> Ruling:
    """All evidence is taken: it is judged as part of what is said of the written threads."""
    return Accepted()


def _is_over(block: Bad, blocks: dict[Bad, tuple[Bad, ...]], open_: dict[Bad, None]) -> bool:
    return not any(block in blocks[bad] for bad in open_)


def _settled(
    made: Reduction,
    open_: dict[Bad, None],
    blocks: dict[Bad, tuple[Bad, ...]],
    excluded: set[Bad],
    proofs: Sequence[Composed],
    how: str,
) -> Iterator[Excluded]:
    """What is excluded by now, of which each block is."""
    bads = tuple(bad for bad in open_ if excluded.issuperset(blocks[bad]))
    if bads:
        for bad in bads:
            del open_[bad]
        steps, of = _edges(made.threads), _edges(made.composed)
        yield Excluded(bads, made.evidence(bads, tuple(proofs)), f"reduction of {steps} steps to {of}, then {how}")


def _refuted(
    made: Reduction, open_: dict[Bad, None], blocks: dict[Bad, tuple[Bad, ...]], block: Bad, reached: Run, how: str
) -> Iterator[Refuted]:
    bad = next((b for b in open_ if block in blocks[b]), None)
    try:
        fine = made.run(reached)
    except Unevaluable:
        return
    if bad is not None and fine is not None:
        del open_[bad]
        yield Refuted(bad, fine, f"reduction, then {how}")
