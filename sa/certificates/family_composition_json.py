"""Compositions with pairs that stand for any number of copies, as JSON: the pairs, and what is known where two meet."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.family import Family, crowd
from sa.automata.program import Axiom
from sa.automata.rename import apart
from sa.certificates.composition_json import PairGoal, composition_json, read_pairs
from sa.certificates.families_json import crowd_joint_json, read_crowd_joint
from sa.certificates.family_composition import CrowdComposition, Meeting, Met, claimed
from sa.certificates.ghosts import Ghost
from sa.certificates.ghosts_json import ghosts_json, read_ghosts
from sa.certificates.scope import scope
from sa.certificates.shape import Entry, Json
from sa.terms.smtlib import smtlib
from sa.terms.term import Term, Var

#: What every composition with copies has.
_FIELDS = ("pairs", "besides", "met")


class Side(Struct, frozen=True):
    """One of the two programs: its threads, its families, and what holds of the shared variables at the start."""

    threads: tuple[Automaton, ...]
    families: tuple[Family, ...]
    init: Term


def crowd_composition_json(made: CrowdComposition) -> Json:
    """A composition as JSON, with what is known where two meet on each side."""
    met = [[_met_json(met) for met in side] for side in made.met]
    return {**composition_json(made), "met": met, **ghosts_json(made.ghosts)}


def added_ghosts(entry: Entry, concrete: Side, axioms: Sequence[Axiom]) -> tuple[Ghost, ...]:
    """The ghosts of a composition. Raises Malformed."""
    if not entry.has("ghosts"):
        return ()
    *_, ghosts = entry.fields(*_FIELDS, "ghosts")
    threads = (*concrete.threads, *(f.thread for f in concrete.families))
    scopes = [scope((t,), (a.formula for a in axioms)) for t in threads]
    return read_ghosts(ghosts.items(), threads, scopes[0], scopes)


def _met_json(met: Met) -> Json:
    meetings = [{"places": [[*m.one], [*m.other]], "said": smtlib(m.said)} for m in met.meetings]
    # What the joint invariants exclude follows from the meetings.
    return {"joint": crowd_joint_json(replace(met.joint, never=()), {}), "meetings": meetings}


def _read_met(entry: Entry, side: Side, axioms: tuple[Axiom, ...]) -> Met:
    shown, listed = entry.fields("joint", "meetings")
    joint = read_crowd_joint(shown, side.threads, side.families, side.init, {}, axioms)
    pairs = tuple(2 for _ in side.families)
    names = scope(map(apart, (*side.threads, *crowd(side.families, pairs))), (a.formula for a in axioms))
    found = list[Meeting]()
    for item in listed.items():
        places, said = item.fields("places", "said")
        spots = [tuple(part.text() for part in spot.items()) for spot in places.items()]
        match spots:
            case [(one, here), (other, there)]:
                found.append(Meeting((one, here), (other, there), said.term(names)))
            case _:
                raise places.wrong("two names, each with a location, are expected")
    # Whether these are meetings of the program is the checker's business; until then nothing is shown.
    made = Met(joint, tuple(found))
    known = {t.name for t in (*side.threads, *(f.thread for f in side.families))}
    if any(name not in known for m in found for name, _ in (m.one, m.other)):
        raise listed.wrong("a thread or a family is expected")
    return replace(made, joint=replace(joint, never=claimed(side.families, made.meetings)))


def read_crowd_composition(
    entry: Entry,
    concrete: Sequence[Automaton],
    abstract: Sequence[Automaton],
    axioms: tuple[Axiom, ...],
    goal_of: PairGoal,
    copies: tuple[tuple[int, Var], ...],
    sides: tuple[Side, Side],
    ghosts: tuple[Ghost, ...],
) -> CrowdComposition:
    """A composition of these threads, some of which are copies; of the sides the concrete one, with ghosts, is first.

    Raises Malformed.
    """
    pairs, besides, met, *_ = entry.fields(*_FIELDS, *(["ghosts"] if ghosts else []))
    made = read_pairs(pairs, besides, concrete, abstract, axioms, goal_of)
    listed = met.items()
    if len(listed) != len(sides):
        raise met.wrong("what is known of two sides is expected")
    first, second = (
        tuple(_read_met(m, side, axioms) for m in item.items()) for item, side in zip(listed, sides, strict=True)
    )
    return CrowdComposition(
        made.concrete,
        made.abstract,
        made.goals,
        made.relations,
        made.axioms,
        made.besides,
        copies=copies,
        met=(first, second),
        ghosts=ghosts,
    )
