"""`verify` where threads load and store what is theirs for the time being: stores are looked at as updates in place.

A guess that is wrong is left out as soon as a run shows that, and the rest is tried again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.base.budget import Budget, Event, Report
from sa.base.limits import part_of
from sa.certificates.run import Bad
from sa.certificates.threads import Joint, Lemmas
from sa.engines.engine import ClaimEngine, Turn
from sa.question.asked import Asked, Excluded, Note, Refuted
from sa.transform.ownership import Owned, owned

#: So often guesses are left out that a run refutes.
RETRIES = 8


def by_ownership(
    inner: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, report: Report
) -> Iterator[Excluded | Note]:
    """What the inner engines exclude where the stores of owners are updates in place. Raises LimitReached."""
    wrong = list[Bad]()
    for _ in range(RETRIES):
        made = owned(asked.threads, asked.bads, wrong)
        if made is None:
            return
        report(Event("ownership", {"guesses": len(made.guesses)}))
        refuted = list[Bad]()
        yield from _proofs(made, inner, asked, budget, report, refuted)
        if not refuted:
            return
        wrong.extend(refuted)


def _proofs(
    made: Owned, inner: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, report: Report, refuted: list[Bad]
) -> Iterator[Excluded]:
    """Proofs that exclude wrong guesses and something else; guesses that a run refutes go to `refuted`."""
    open_ = dict(made.bads)
    for turn in inner:
        about = Asked(made.threads, (*made.guesses, *open_.values()), asked.axioms)
        with part_of(budget.bounds, turn.share) as bounds:
            for said in turn.engine.decide(about, Budget(bounds, budget.seed), report):
                match said:
                    case Refuted(bad) if bad in made.guesses:
                        refuted.append(bad)
                        return
                    case Excluded(bads, Joint() | Lemmas() as proof, how) if set(made.guesses) <= set(bads):
                        proved = tuple(bad for bad, moved in open_.items() if moved in bads)
                        for bad in proved:
                            del open_[bad]
                        if proved:
                            yield Excluded(proved, made.evidence(proof, proved), f"{how}, stores in place")
                    case _:
                        pass
        if not open_:
            return
