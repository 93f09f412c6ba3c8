"""What other engines exclude where numbers do not wrap around, as proofs about threads whose numbers do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from sa.base.budget import Budget, Event, Report
from sa.base.limits import part_of
from sa.certificates.run import Bad
from sa.certificates.threads import Joint, Lemmas
from sa.conditions.never import at_places
from sa.domains.affine import EVERYTHING, definitions, formulas, meet, rows_of
from sa.hybrid.slicing import about_all
from sa.hybrid.unbounded_counters import Unwrapped, turned_back, unwrapped
from sa.question.asked import Asked, Excluded, Proof
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term

#: An engine, and the part of the time that is left which it may have.
Turns: TypeAlias = Sequence[tuple[Callable[[Asked, Budget, Report], Iterator[Excluded]], float]]


def by_growing(turns: Turns, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What is excluded where numbers grow that wrap around, if there are such. Raises LimitReached."""
    made = unwrapped(asked)
    if made is None:
        return
    report(Event("growing", {"numbers": len(made.ghosts)}))
    found, told, open_ = list[Excluded](), 0, made.asked.bads
    for decide, part in turns:
        if open_:
            with part_of(budget.bounds, part) as bounds:
                for answer in decide(replace(made.asked, bads=open_), replace(budget, bounds=bounds), report):
                    found.append(answer)
                    open_ = tuple(b for b in open_ if b not in answer.bads)
        if made.near_is_shown(open_):
            yield from _proofs(asked, made, found, found[told:])
            told = len(found)


def _proofs(asked: Asked, made: Unwrapped, found: Sequence[Excluded], fresh: Sequence[Excluded]) -> Iterator[Excluded]:
    """Proofs about the threads as they are. Each is one about numbers that are near each other, too."""
    near = [f for f in found if not frozenset(f.bads).isdisjoint(made.near)]
    for answer in fresh:
        bads = tuple(b for b in asked.bads if made.bads[b] in answer.bads)
        if bads:
            others = [f for f in near if f is not answer]
            proof = _proof(asked, made, bads, answer.evidence, [f.evidence for f in others])
            if proof is not None:
                yield Excluded(bads, proof, f"{answer.how}, counting how often numbers wrap around")


def _proof(
    asked: Asked, made: Unwrapped, bads: tuple[Bad, ...], own: Proof, others: Sequence[Proof]
) -> Joint | Lemmas | None:
    """The invariants together, in terms of numbers that wrap around and of how often they did."""
    if isinstance(own, Joint) and not own.sums:
        names = [t.name for t in asked.threads]
        said = [(places, [inv, *(_there(o, names, places) for o in others)]) for places, inv in own.invariants]
        if any(None in here for _, here in said):
            return None
        together = ((p, build.land(*(f for f in here if f is not None))) for p, here in said)
        invariants = tuple((places, turned_back(made, _simplified(inv))) for places, inv in together)
        return Joint(asked.threads, invariants, bads, asked.axioms, (), own.indices, made.ghosts)
    lemmas = [_lemmas(made, proof) for proof in (own, *others)]
    if None in lemmas:
        return None
    said_of_all = dict.fromkeys(turned_back(made, c) for listed in lemmas for c in listed or ())
    return Lemmas(asked.threads, tuple(said_of_all), bads, asked.axioms, made.ghosts)


def _there(proof: Proof, names: Sequence[str], places: tuple[str, ...]) -> Term | None:
    """What a proof says where threads are at these places; None where it cannot be said."""
    match proof:
        case Joint() if not proof.indices and not proof.sums:
            return dict(proof.invariants).get(places, build.FALSE)
        case Lemmas():
            here = dict(zip(names, places, strict=True))
            return build.land(*(at_places(c, here) for c in proof.lemmas))
    return None


def _lemmas(made: Unwrapped, proof: Proof) -> tuple[Term, ...] | None:
    """What a proof says as formulas about all threads; None where it cannot be said so."""
    if isinstance(proof, Joint) and not proof.indices and not proof.sums:
        proof = about_all(made.asked.threads, proof)
    return proof.lemmas if isinstance(proof, Lemmas) else None


def _simplified(formula: Term) -> Term:
    """The formula with what its equations define in terms of the rest."""
    space = meet(EVERYTHING, rows_of(formula))
    if space is None:
        return formula
    defined = definitions(space)
    rest = (c for c in build.conjuncts(formula) if not rows_of(c))
    return build.land(*formulas(space), *(substitute(c, defined) for c in rest))
