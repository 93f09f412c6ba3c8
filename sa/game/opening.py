"""The start of the game: initial coverage (THEORY section 7), and initial pairs that break ι at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Kind, Variable
from sa.automata.program import Formula
from sa.game.board import Board, initial_condition
from sa.game.choices import picked
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State, Unevaluable, holds
from sa.terms.name import off_side
from sa.terms.solve import solution
from sa.terms.sort import default_value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: How many partners are guessed before coverage is left open.
GUESS_BOUND = 24


class Covered(Struct, frozen=True):
    """Each concrete initial state has a partner: one of these substitutions for the abstract variables gives it."""

    openings: tuple[Mapping[Var, Term], ...]


class NotCovered(Struct, frozen=True):
    """A concrete initial state with no abstract partner; `certain` if the solver showed that there is none."""

    state: State
    certain: bool


Cover: TypeAlias = Covered | NotCovered


def cover(session: Session, board: Board, wanted: Sequence[Term] = ()) -> Cover:
    """Whether κ relates every concrete initial state to an abstract one, that satisfies `wanted` as well."""
    goal = board.goal
    concrete = (goal.concrete.init, board.concrete.locations[goal.concrete.initial].inv)
    own = [v for v in goal.abstract.variables if v.kind is not Kind.PARAM]
    partner = build.land(*initial_condition(board), *wanted)
    known = _known(substitute(partner, _decided(concrete, goal.concrete.variables)), own)
    openings = [_opening(known, {})]
    # What nothing relates begins as on the other side: both programs often say the same of it.
    like_there = _opening(known, _namesakes(own, goal.concrete.variables))
    while True:
        failed = (build.lnot(substitute(partner, opening)) for opening in openings)
        reply = session.check((*concrete, *failed))
        if isinstance(reply, Unsat):
            return Covered(tuple(openings))
        if not isinstance(reply, Sat) or len(openings) > GUESS_BOUND:
            return NotCovered({}, False)
        if like_there not in openings:
            openings.append(like_there)
            continue
        # A state that the guesses do not cover: ask for its partner, and guess that one too.
        state = {v.var: reply.values.get(v.var, default_value(v.var.sort)) for v in goal.concrete.variables}
        point = {v: build.constant(x, v.sort) for v, x in state.items()}
        partners = session.check((substitute(partner, point),))
        if not isinstance(partners, Sat):
            return NotCovered(state, isinstance(partners, Unsat) and reply.trusted)
        there = {v.var: partners.values.get(v.var, default_value(v.var.sort)) for v in own}
        openings.append(_opening(known, _near(known, state, there)))


class _Known(Struct, frozen=True, eq=False):
    """What equations give for abstract variables; those that are `open`, and what is wanted of them."""

    found: Mapping[Var, Term]
    open: tuple[Variable, ...]
    rest: Term


def _known(partner: Term, own: Sequence[Variable]) -> _Known:
    found = dict[Var, Term]()
    pending = frozenset(v.var for v in own)
    rest = partner
    while solved := next(_solutions(rest, pending), None):
        var, term = solved
        found = {v: substitute(t, {var: term}) for v, t in found.items()} | {var: term}
        rest = substitute(rest, {var: term})
        pending -= {var}
    return _Known(found, tuple(v for v in own if v.var in pending), rest)


def _opening(known: _Known, given: Mapping[Var, Term]) -> dict[Var, Term]:
    """All abstract variables: as equations give them, then as given, others at some value."""
    free = {v.var: given.get(v.var, _some_value(v)) for v in known.open}
    return {v: substitute(t, free) for v, t in known.found.items()} | free


def _near(known: _Known, state: State, partner: State) -> dict[Var, Term]:
    """Values of a partner in a state, as terms that may do for more states: bounds that the conditions give."""
    variables, here = [v.var for v in known.open], {**state, **partner}
    try:
        if holds(known.rest, here):
            return picked(variables, build.conjuncts(known.rest), here)
    except Unevaluable:
        # A function without a body has the values that the solver gives it.
        pass
    return {v: build.constant(partner[v], v.sort) for v in variables}


def _decided(initially: Sequence[Term], variables: Sequence[Variable]) -> dict[Var, Term]:
    """Variables whose initial values are constants: so what κ says under a condition may be decided."""
    own, found = frozenset(v.var for v in variables), dict[Var, Term]()
    for var, term in _solutions(build.land(*initially), own):
        if not term.free:
            found[var] = term
    return found


def _namesakes(own: Sequence[Variable], others: Sequence[Variable]) -> dict[Var, Term]:
    """For abstract variables the concrete ones of the same name and sort."""
    there = {(off_side(v.var.name), v.var.sort): v.var for v in others}
    return {v.var: there[key] for v in own if (key := (off_side(v.var.name), v.var.sort)) in there}


def _solutions(formula: Term, variables: frozenset[Var]) -> Iterator[tuple[Var, Term]]:
    for conjunct in build.conjuncts(formula):
        solved = solution(conjunct, variables)
        if solved is not None:
            yield solved


def _some_value(variable: Variable) -> Term:
    value = variable.low if variable.low is not None else default_value(variable.var.sort)
    return build.constant(value, variable.var.sort)


def broken_at_start(session: Session, board: Board) -> tuple[Formula, State] | str | None:
    """A conjunct of ι that initial states related by κ break, with such states; None if there is none.

    A string says why the question could not be settled.
    """
    opening = initial_condition(board)
    known = set(opening)
    for formula in board.goal.iota:
        for conjunct in build.conjuncts(formula.term):
            if conjunct in known:
                continue
            reply = session.check((*opening, build.lnot(conjunct)))
            if isinstance(reply, Sat):
                return formula, reply.values
            if not isinstance(reply, Unsat):
                return reply.why
    return None
