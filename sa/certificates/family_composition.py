"""Proofs that programs with families of any number refine others (THEORY section 12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind
from sa.automata.family import Family, at, in_place_of, symbolic_name
from sa.certificates.families import CrowdJoint
from sa.certificates.ghosts import Ghost
from sa.certificates.run import Bad
from sa.certificates.threads import Composition
from sa.terms.build import implies, land
from sa.terms.sort import BOOL
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var, sort_of

#: Where a thread is, or a copy of a family: a name and a location.
FamilyPlace: TypeAlias = tuple[str, str]


class Meeting(Struct, frozen=True):
    """What is said wherever two are at two locations: threads, or copies of families, which are different ones.

    It is over shared variables, parameters, and locals of these two, which have the names that `called` gives.
    """

    one: FamilyPlace
    other: FamilyPlace
    said: Term


class Met(Struct, frozen=True):
    """What is said of meetings, and joint invariants that show it."""

    joint: CrowdJoint
    meetings: tuple[Meeting, ...]


class CrowdComposition(Composition, frozen=True):
    """A proof that one composition refines another where there are families of any number.

    Some of the pairs, named by their places, stand for any number of `copies` of a family: the parameter with each is
    the copy's identity, and there is no other copy with it. `met` is about the concrete side and about the abstract
    one: what two of them do beside each other is looked at in states that this allows. With `ghosts` all of this is
    about the concrete program that has them as shared variables.
    """

    copies: tuple[tuple[int, Var], ...] = ()
    met: tuple[tuple[Met, ...], tuple[Met, ...]] = ((), ())
    ghosts: tuple[Ghost, ...] = ()


def called(families: Sequence[Family], one: str, other: str) -> tuple[str, str]:
    """The names of two that meet in joint invariants: a copy is the first one of its family, or the second."""
    known = {f.thread.name: f for f in families}
    second = 2 if other == one else 1
    return (
        symbolic_name(known[one], 1) if one in known else one,
        symbolic_name(known[other], second) if other in known else other,
    )


def claimed(families: Sequence[Family], meetings: Sequence[Meeting]) -> tuple[Bad, ...]:
    """What joint invariants must exclude, so that it is as is said of meetings."""
    found = list[Bad]()
    for meeting in meetings:
        one, other = called(families, meeting.one[0], meeting.other[0])
        here = land(at(one, meeting.one[1]), at(other, meeting.other[1]))
        found.append(Bad(None, implies(here, meeting.said)))
    return tuple(found)


def fault_of_met(met: Met) -> str | None:
    """What keeps something from being said of meetings, or from being what joint invariants show."""
    joint = met.joint
    known = {t.name: t for t in (*joint.threads, *(f.thread for f in joint.families))}
    once = {t.name for t in joint.threads}
    for meeting in met.meetings:
        spots = meeting.one, meeting.other
        if meeting.one[0] == meeting.other[0] and meeting.one[0] in once:
            return "a thread does not meet itself"
        if any(name not in known or all(q.name != place for q in known[name].locations) for name, place in spots):
            return "a meeting is at a place that does not exist"
        if sort_of(meeting.said) != BOOL:
            return "what is said of a meeting is no formula"
        pair = [known[name] for name, _ in spots]
        if not meeting.said.free <= _spoken(pair, called(joint.families, meeting.one[0], meeting.other[0])):
            return "what is said of a meeting is about somebody else"
    return None if claimed(joint.families, met.meetings) == joint.never else "joint invariants show something else"


def _spoken(pair: Sequence[Automaton], names: Sequence[str]) -> frozenset[Var]:
    return frozenset(
        local_of(v.var, name) if v.kind is Kind.LOCAL else v.var
        for thread, name in zip(pair, names, strict=True)
        for v in thread.variables
    )


#: By two locations what is said wherever the first of two is at the one and the second at the other.
Known: TypeAlias = Mapping[tuple[str, str], Term]


def known_of_two(proven: Sequence[Met], one: str, other: str) -> Known:
    """What is known where two meet, a thread, or a copy that is called by its family; of copies of one family the
    first and the second in the joint invariants. It holds of any two copies, so also with either in the other's place.
    """
    found = dict[tuple[str, str], list[Term]]()
    for met in proven:
        for meeting, said in (told for m in met.meetings for told in _both_ways(met.joint.families, m)):
            if (meeting.one[0], meeting.other[0]) == (one, other):
                found.setdefault((meeting.one[1], meeting.other[1]), []).append(said)
    return {places: land(*said) for places, said in found.items()}


def _both_ways(families: Sequence[Family], meeting: Meeting) -> Iterator[tuple[Meeting, Term]]:
    yield meeting, meeting.said
    family = next((f for f in families if f.thread.name == meeting.one[0] == meeting.other[0]), None)
    exchanged: dict[Var, Term] = {}
    if family is not None:
        exchanged = {**in_place_of(family, 1, 2), **in_place_of(family, 2, 1)}
    yield Meeting(meeting.other, meeting.one, meeting.said), substitute(meeting.said, exchanged)
