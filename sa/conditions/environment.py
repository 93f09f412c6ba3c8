"""Environments of whole automata: doing nothing, and what was declared made reflexive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, variables_of
from sa.automata.program import Formula, Program
from sa.base.diagnostic import InputError, error
from sa.base.limits import Limits
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


def identity(variables: Sequence[Var]) -> Term:
    """The relation that changes none of the variables."""
    return build.land(*(build.eq(primed(v), v) for v in variables))


def closed(automaton: Automaton) -> Automaton:
    """The automaton in an environment that changes nothing."""
    still = identity(variables_of(automaton, Kind.GLOBAL))
    return replace(automaton, locations=tuple(replace(q, env=still) for q in automaton.locations))


def declared(automaton: Automaton) -> bool:
    """Whether some location has a declared environment."""
    return any(q.env is not None for q in automaton.locations)


def opened(program: Program, rely: tuple[Formula, ...]) -> Program:
    """The threads in their declared environments and the block's; in that of a single one without any nothing changes.

    Raises InputError where a thread has no environment and others have.
    """
    return replace(program, threads=tuple(_opened(t, rely, len(program.threads) == 1) for t in program.threads))


def _opened(automaton: Automaton, rely: tuple[Formula, ...], alone: bool) -> Automaton:
    if rely or declared(automaton):
        said = [_on_this_side(f, automaton) for f in rely]
        places = (replace(q, env=build.land(*([] if q.env is None else [q.env]), *said)) for q in automaton.locations)
        return replace(automaton, locations=tuple(places))
    if not alone:
        hint = "write a rely for each thread, or for none: then environments are inferred from the programs"
        message = f"the thread `{automaton.name}` has no rely, but other threads here do"
        raise InputError((error("SA406", message, automaton.origin.span, hint),))
    return closed(automaton)


def _on_this_side(rely: Formula, automaton: Automaton) -> Term:
    """What a rely of a block says of one side: of globals that only the other side has it says nothing here."""
    rigid = frozenset(variables_of(automaton, Kind.PARAM))
    here = frozenset(w for v in variables_of(automaton, Kind.GLOBAL) for w in (v, primed(v)))
    conjuncts = [c for c in build.conjuncts(rely.term) if c.free <= rigid or not c.free.isdisjoint(here)]
    missing = sorted({v.name for c in conjuncts for v in c.free - here - rigid})
    if missing:
        message = f"this rely applies to both sides, but one of them has no `{missing[0]}`"
        hint = "write it in the threads of the other side"
        raise InputError((error("SA409", message, rely.origin.span, hint),))
    return build.land(*conjuncts)


def reflexive(automaton: Automaton) -> tuple[Automaton, bool]:
    """The automaton with environments that may do nothing, and whether that had to be added anywhere.

    Where nothing is said of the environment it may do anything (THEORY section 1).
    """
    variables = variables_of(automaton, Kind.GLOBAL)
    still: dict[Var, Term] = {primed(v): v for v in variables}
    places = tuple(replace(q, env=build.TRUE) if q.env is None else q for q in automaton.locations)
    restless = {q.name for q in places if not _contains_identity(q, still)}
    idle = identity(variables)
    made = (replace(q, env=build.lor(q.env or build.TRUE, idle)) if q.name in restless else q for q in places)
    return replace(automaton, locations=tuple(made)), bool(restless)


def _contains_identity(place: Location, still: Mapping[Var, Term]) -> bool:
    stays = substitute(place.env or build.TRUE, still)
    return stays is build.TRUE or Session(Limits()).implied(stays, (place.inv,))
