"""Families of any number in `refine`: pairs of threads, and of copies that stand for all, in their environments.

What is known of them is made in `family_facts.py`, environments in `family_environments.py`, and the proof is put
together here (THEORY section 12). Nothing here is trusted: the checker asks whether it is so.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Axiom
from sa.base.limits import Limits
from sa.certificates.family_composition import CrowdComposition, Met
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.certificates.threads import Annotated
from sa.question.asked import Decision
from sa.question.families import Crowds, with_one_copy
from sa.question.goals import goals
from sa.refinement.family_environments import Side, side_of
from sa.refinement.family_facts import Known
from sa.refinement.missing import conditions_of
from sa.smt.session import Session


class Pairs(Struct, frozen=True):
    """The pairs of threads, and of copies that stand for all, in their environments."""

    asked: Crowds
    abstract: Side
    concrete: Side
    goals: tuple[Goal, ...]
    met: tuple[tuple[Met, ...], tuple[Met, ...]]


def pairs_of(asked: Crowds, abstract: Known, concrete: Known, closures: bool, bounds: Limits) -> Pairs:
    """The goals about pairs, in closures or in environments as exact as can be. Raises LimitReached and InputError."""
    one = with_one_copy(asked)
    axioms = _axioms(asked)
    session = Session(bounds, tuple(a.formula for a in axioms))
    extra = conditions_of((*one.abstract.threads, *one.concrete.threads))
    first, second = (side_of(known, session, closures, extra) for known in (abstract, concrete))
    programs = (replace(one.abstract, threads=first.weak), replace(one.concrete, threads=second.weak))
    made = tuple(replace(g, matched=False) for g in goals(*programs, one.block, whole=False))
    return Pairs(asked, first, second, made, (concrete.met, abstract.met))


def composition_of(pairs: Pairs, decisions: Sequence[Decision]) -> CrowdComposition | None:
    """The proof of the whole; None where a pair was not shown."""
    relations = tuple(d.evidence for d in decisions if isinstance(d.evidence, Relation))
    if len(relations) < len(pairs.goals):
        return None
    one = with_one_copy(pairs.asked)
    concrete, abstract = (
        {t.name: Annotated(t, made) for t, made in zip(p.threads, side.strong, strict=True)}
        for p, side in ((one.concrete, pairs.concrete), (one.abstract, pairs.abstract))
    )
    places = {g.concrete.name: place for place, g in enumerate(pairs.goals)}
    families = zip(pairs.asked.concrete.families, pairs.asked.identities, strict=True)
    return CrowdComposition(
        tuple(concrete[g.concrete.name] for g in pairs.goals),
        tuple(abstract[g.abstract.name] for g in pairs.goals),
        pairs.goals,
        relations,
        _axioms(pairs.asked),
        copies=tuple((places[f.thread.name], own) for f, own in families),
        met=pairs.met,
    )


def _axioms(asked: Crowds) -> tuple[Axiom, ...]:
    return tuple(dict.fromkeys((*asked.abstract.axioms, *asked.concrete.axioms)))
