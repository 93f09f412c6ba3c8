"""What became of a claim, from what became of all that is bad about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from sa.base.verdict import Unknown, Verdict
from sa.certificates.ends import Finite, Lasso, Ranked
from sa.certificates.run import Bad, Run
from sa.engines.verification import Finding
from sa.question.asked import Open, Proof
from sa.question.claims import Claim

if TYPE_CHECKING:
    from sa.engines.endings import Ended


class Known(Struct, frozen=True):
    """What became of something bad, by which engine, how, and when that was known: there is a `run` into it, or a
    `proof` against it.
    """

    engine: str
    how: str
    seconds: float
    run: Run | None = None
    unknown: Unknown | None = None
    proof: Proof | None = None
    counts: tuple[int, ...] = ()


def finding_of(
    claim: Claim,
    known: Mapping[tuple[int | None, Bad], Known],
    left: Mapping[tuple[int | None, Bad], Open],
    otherwise: Known,
) -> Finding:
    """A claim is refuted by one run into something bad, and proved if everything bad about it is excluded."""
    keys = [(claim.beside, bad) for bad in claim.bads]
    parts = [known.get(key, otherwise) for key in keys]
    for part in parts:
        if part.run is not None:
            return Finding(
                claim, Verdict.REFUTED, part.how, part.seconds, run=part.run, counts=part.counts, engine=part.engine
            )
    for key, part in zip(keys, parts, strict=True):
        if part.unknown is not None:
            return Finding(claim, Verdict.UNKNOWN, "", part.seconds, unknown=part.unknown, left=left.get(key))
    how = "; ".join(dict.fromkeys(p.how for p in parts)) or "no step can break it"
    engine = "; ".join(dict.fromkeys(p.engine for p in parts))
    return Finding(claim, Verdict.PROVED, how, max((p.seconds for p in parts), default=0.0), engine=engine)


def finding_of_ends(claim: Claim, ended: Ended | None, otherwise: Known) -> Finding:
    """A claim about infinite runs: a lasso refutes it, other accepted evidence proves it."""
    if ended is None:
        return Finding(claim, Verdict.UNKNOWN, "", otherwise.seconds, unknown=otherwise.unknown)
    match ended.evidence:
        case Unknown() as unknown:
            return Finding(claim, Verdict.UNKNOWN, "", ended.seconds, unknown=unknown)
        case Lasso() as lasso:
            return Finding(
                claim, Verdict.REFUTED, ended.how, ended.seconds, run=lasso.run, ended=lasso, engine=ended.engine
            )
        case Ranked() | Finite() as evidence:
            return Finding(claim, Verdict.PROVED, ended.how, ended.seconds, ended=evidence, engine=ended.engine)
