"""Compositions with pairs that stand for any number of copies, as JSON: the pairs, and which places are never met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.family import Family
from sa.automata.program import Axiom
from sa.certificates.composition_json import PairGoal, composition_json, read_pairs
from sa.certificates.crowd import CrowdComposition, CrowdJoint, meetings
from sa.certificates.crowd_json import crowd_joint_json, read_crowd_joint
from sa.certificates.shape import Entry, Json
from sa.certificates.threads_json import Bads
from sa.terms.term import Term, Var


class Side(Struct, frozen=True):
    """One of the two programs: its threads, its families, and what holds of the shared variables at the start."""

    threads: tuple[Automaton, ...]
    families: tuple[Family, ...]
    init: Term


def crowd_composition_json(made: CrowdComposition) -> Json:
    """A composition as JSON, with the proofs about places for each side."""
    return {**composition_json(made), "apart": [list(_joints(joints)) for joints in made.apart]}


def _joints(joints: Sequence[CrowdJoint]) -> Iterator[Json]:
    for joint in joints:
        yield crowd_joint_json(joint, _numbered(joint.threads, joint.families))


def _numbered(threads: Sequence[Automaton], families: Sequence[Family]) -> Bads:
    return {(0, number): bad for number, bad in enumerate(meetings(threads, families))}


def read_crowd_composition(
    entry: Entry,
    concrete: Sequence[Automaton],
    abstract: Sequence[Automaton],
    axioms: tuple[Axiom, ...],
    goal_of: PairGoal,
    copies: tuple[tuple[int, Var], ...],
    sides: tuple[Side, Side],
) -> CrowdComposition:
    """A composition of these threads, some of which are copies; of the sides the concrete one is first.

    Raises Malformed.
    """
    pairs, besides, apart = entry.fields("pairs", "besides", "apart")
    made = read_pairs(pairs, besides, concrete, abstract, axioms, goal_of)
    listed = apart.items()
    if len(listed) != len(sides):
        raise apart.wrong("proofs for two sides are expected")
    first, second = (
        tuple(
            read_crowd_joint(j, s.threads, s.families, s.init, _numbered(s.threads, s.families), axioms)
            for j in item.items()
        )
        for item, s in zip(listed, sides, strict=True)
    )
    return CrowdComposition(
        made.concrete,
        made.abstract,
        made.goals,
        made.relations,
        made.axioms,
        made.besides,
        copies=copies,
        apart=(first, second),
    )
