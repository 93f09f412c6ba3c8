"""Engines of `verify` that are asked about threads in normal form: what they find out holds of the written threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Report
from sa.base.limits import LimitReached, allot, apart, count
from sa.base.verdict import Reason
from sa.certificates.families import CrowdJoint, CrowdKeeps
from sa.certificates.family_reduction import CrowdReduced
from sa.certificates.run import Bad, Run
from sa.certificates.simplified import Equal, Matter, Simplified
from sa.checker.simplified import bads_of_simpler, in_normal_form
from sa.engines.engine import ClaimEngine, Decide, Turn
from sa.question.asked import Asked, Excluded, Note, Open, Refuted, Said
from sa.terms.evaluate import Unevaluable
from sa.transform.expand import as_written
from sa.transform.normal_form import normal_form

#: Units for the normal form. It is made once, for all engines.
UNITS = 2_000_000


class _Made(Struct, frozen=True, eq=False):
    """What determines the simpler threads, these, and the question about them by what is bad of the written ones."""

    equal: tuple[Equal, ...]
    matter: tuple[Matter, ...]
    threads: tuple[Automaton, ...]
    bads: Mapping[Bad, tuple[Bad, ...]]
    asked: Asked


def about_normal_form(turn: Turn[ClaimEngine]) -> Turn[ClaimEngine]:
    """The turn of the same engine where it is asked about threads in normal form."""
    decide = partial(_decide, turn.engine.decide)
    return replace(turn, engine=replace(turn.engine, decide=decide))


def _decide(inner: Decide[Asked, Said], asked: Asked, budget: Budget, report: Report) -> Iterator[Said]:
    """What an engine says of the normal form, as what holds of the written threads. Raises LimitReached."""
    made = asked.shared.once("normal form", lambda: _made(asked, budget))
    if made is None:
        yield from inner(asked, budget, report)
        return
    simpler = {b: made.bads[b] for b in asked.bads}
    about = tuple(dict.fromkeys(b for some in simpler.values() for b in some))
    for said in inner(replace(made.asked, bads=about), budget, report):
        match said:
            case Refuted(bad, Run() as reached, how):
                yield from _refuted(asked, made, bad, reached, how)
            case Excluded(bads, proof, how) if not isinstance(
                proof, CrowdKeeps | CrowdJoint | CrowdReduced | Simplified
            ):
                excluded = tuple(b for b, some in simpler.items() if set(some) <= set(bads))
                evidence = Simplified(asked.threads, made.equal, made.matter, proof, excluded, asked.axioms)
                if excluded:
                    yield Excluded(excluded, evidence, how)
            case Open(bad):
                yield from (replace(said, bad=b) for b, some in simpler.items() if bad in some)
            case Note():
                yield said


def _made(asked: Asked, budget: Budget) -> _Made | None:
    """The normal form; None where threads are in it already, or are too large. Raises LimitReached."""
    bounds = allot(apart(budget.bounds), UNITS)
    try:
        form = normal_form(asked.threads, asked.bads, bounds)
    except LimitReached as limit:
        if limit.reason is not Reason.WORK:
            raise
        return None
    finally:
        # Whoever is asked first has it made, and may not be cut short in the middle of that.
        count(budget.bounds, bounds.work.done)
    equal = tuple(
        tuple(tuple(said[q.name].items()) for q in t.locations)
        for t, said in zip(asked.threads, form.equal, strict=True)
    )
    matter = tuple(tuple(m[q.name] for q in t.locations) for t, m in zip(asked.threads, form.matter, strict=True))
    threads = in_normal_form(asked.threads, equal, matter)
    if threads == asked.threads:
        return None
    bads = {b: tuple(bads_of_simpler(b, asked.threads, threads)) for b in asked.bads}
    return _Made(equal, matter, threads, bads, Asked(threads, (), asked.axioms))


def _refuted(asked: Asked, made: _Made, bad: Bad, reached: Run, how: str) -> Iterator[Refuted]:
    """A run of the simpler threads as one of the written ones; nothing where it is none of theirs."""
    try:
        written = as_written(asked.threads, made.threads, reached)
    except Unevaluable:
        return
    about = next((b for b in asked.bads if bad in made.bads[b]), None)
    if written is not None and about is not None:
        yield Refuted(about, written, how)
