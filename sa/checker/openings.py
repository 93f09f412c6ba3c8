"""The start of a play: initial states that κ relates, and that there are no others (THEORY section 7)."""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.trace import Configuration
from sa.certificates.goal import iota_of, kappa_of
from sa.certificates.play import BrokenAtStart, Chosen, Uncovered
from sa.checker.absence import absence
from sa.checker.legal import constants, initial_fault
from sa.checker.replay import Replay, outcome_fault, place
from sa.checker.ruling import Failure, Rejected, failing
from sa.checker.side import invariant
from sa.terms.build import eq, land, lnot
from sa.terms.evaluate import holds
from sa.terms.substitute import substitute
from sa.terms.term import Term


def start_faults(r: Replay, concrete: Configuration, abstract: Configuration) -> Iterator[Failure]:
    """The play starts at initial states that κ relates, which both are Spoiler's choice."""
    if r.goal.choose_init:
        yield Rejected("start", "the abstract side chooses its initial state", place(concrete, abstract))
    yield from _related(r, concrete, abstract)


def broken_at_start(r: Replay, play: BrokenAtStart) -> Iterator[Failure]:
    """Initial states that κ relates violate ι."""
    concrete, abstract = play.broken.concrete, play.broken.abstract
    yield from start_faults(r, concrete, abstract)
    yield from failing(outcome_fault(r, play.broken, concrete, abstract))


def uncovered(r: Replay, play: Uncovered) -> Iterator[Failure]:
    """κ relates no abstract initial state to a concrete one."""
    yield from _initial(r, play.concrete)
    formulas = _abstract_starts(r, play.concrete)
    yield from failing(
        absence(r.session, "initial coverage", "", formulas, r.abstract.automaton.variables, play.exhausted)
    )


def chosen(r: Replay, play: Chosen) -> Iterator[Failure]:
    """The openings are all abstract initial states that κ and ι relate to a concrete one; others are lost anyway."""
    if not r.goal.choose_init:
        yield Rejected("start", "the abstract side does not choose its initial state")
    yield from _initial(r, play.concrete)
    others: list[Term] = []
    for opening in play.openings:
        yield from _related(r, play.concrete, opening.abstract)
        yield from failing(outcome_fault(r, opening, play.concrete, opening.abstract))
        others.append(lnot(land(*(eq(v, x) for v, x in constants(opening.abstract.values).items()))))
    known = constants(play.concrete.values)
    related = (substitute(iota_of(r.goal), known), *(substitute(f, known) for f in others))
    formulas = (*_abstract_starts(r, play.concrete), *related)
    yield from failing(absence(r.session, "all openings", "", formulas, r.abstract.automaton.variables, play.exhausted))


def _abstract_starts(r: Replay, concrete: Configuration) -> tuple[Term, ...]:
    automaton, known = r.goal.abstract, constants(concrete.values)
    formulas = (automaton.init, *invariant(r.abstract, automaton.initial), kappa_of(r.goal))
    return tuple(substitute(f, known) for f in formulas)


def _initial(r: Replay, concrete: Configuration) -> Iterator[Failure]:
    fault = initial_fault(r.concrete, concrete)
    if fault is not None:
        yield Rejected("concrete initial state", fault)


def _related(r: Replay, concrete: Configuration, abstract: Configuration) -> Iterator[Failure]:
    yield from _initial(r, concrete)
    fault = initial_fault(r.abstract, abstract)
    if fault is not None:
        yield Rejected("abstract initial state", fault)
    if any(concrete.values[v] != x for v, x in abstract.values.items() if v in concrete.values):
        yield Rejected("start", "the sides have different parameters", place(concrete, abstract))
    if not holds(kappa_of(r.goal), {**concrete.values, **abstract.values}):
        yield Rejected("start", "κ does not relate the initial states", place(concrete, abstract))
