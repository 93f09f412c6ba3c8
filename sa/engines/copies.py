"""`verify` of threads without copies: what other engines exclude there holds of the threads as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.base.budget import Budget, Event, Report
from sa.base.limits import part_of
from sa.certificates.threads import Joint, Lemmas
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.taken_back import taken_back
from sa.question.asked import Asked, Excluded
from sa.transform.copies import propagated


def by_copies(inner: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What the inner engines exclude where copies are replaced by what they equal. Raises LimitReached."""
    made = asked.shared.once(("copies", asked.bads), lambda: propagated(asked.threads, asked.bads))
    if made is None:
        return
    number = sum(len(t.variables) - len(m.variables) for t, m in zip(made.written, made.threads, strict=True))
    report(Event("copies", {"variables fewer": number}))
    about = asked.shared.once(("without copies", asked.bads), lambda: Asked(made.threads, (), asked.axioms))
    open_ = dict(made.bads)
    for turn in inner:
        left = Asked(made.threads, tuple(open_.values()), asked.axioms, shared=about.shared)
        with part_of(budget.bounds, turn.share) as bounds:
            for said in turn.engine.decide(left, Budget(bounds, budget.seed), report):
                match said:
                    case Excluded(bads, Joint() | Lemmas() as proof, how):
                        yield from taken_back(made, open_, bads, proof, f"{how}, without copies")
                    case _:
                        pass
        if not open_:
            return
