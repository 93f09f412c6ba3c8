"""The start of the game: initial coverage (THEORY section 7), and initial pairs that break ι at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sa.automata.automaton import Kind, Variable
from sa.automata.program import Formula
from sa.simulation.board import Board, initial_condition
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Not, Same, Term, Var


@dataclass(frozen=True, slots=True)
class NotCovered:
    """A concrete initial state with no abstract partner; `certain` if the solver showed that there is none."""

    state: State
    certain: bool


def uncovered(session: Session, board: Board) -> NotCovered | None:
    """A concrete initial state that κ relates to no abstract initial state, None if all are covered."""
    goal = board.goal
    concrete = (goal.concrete.init, board.concrete.locations[goal.concrete.initial].inv)
    own = [v for v in goal.abstract.variables if v.kind is not Kind.PARAM]
    partner = build.land(*initial_condition(board))
    witnesses = list[Term]()
    for candidate in _partners(partner, own):
        witnesses.append(candidate)
        if isinstance(session.check((*concrete, *(build.lnot(w) for w in witnesses))), Unsat):
            return None
    reply = session.check((*concrete, *(build.lnot(w) for w in witnesses)))
    while isinstance(reply, Sat):
        # A state that the guesses do not cover: ask for its partner, and guess that one too.
        point = {v: build.constant(x, v.sort) for v, x in reply.values.items()}
        partners = session.check((substitute(partner, point),))
        if not isinstance(partners, Sat):
            return NotCovered(reply.values, isinstance(partners, Unsat))
        if len(witnesses) > _GUESSES:
            return NotCovered(reply.values, False)
        guess = {v.var: build.constant(partners.values.get(v.var, 0), v.var.sort) for v in own}
        witnesses.append(substitute(partner, guess))
        reply = session.check((*concrete, *(build.lnot(w) for w in witnesses)))
    return None if isinstance(reply, Unsat) else NotCovered({}, False)


_GUESSES = 24


def _partners(partner: Term, own: list[Variable]) -> Iterator[Term]:
    """The partner condition with the abstract variables replaced: by what equations say, else by a guess."""
    solved, pending = partner, {v.var for v in own}
    progress = True
    while progress:
        progress = False
        for conjunct in build.conjuncts(solved):
            found = _definition(conjunct, pending)
            if found is not None:
                solved = substitute(solved, {found[0]: found[1]})
                pending.discard(found[0])
                progress = True
                break
    yield substitute(solved, {v.var: _some_value(v) for v in own if v.var in pending})


def _definition(conjunct: Term, pending: set[Var]) -> tuple[Var, Term] | None:
    match conjunct:
        case IsZero(total):
            const, parts = build.linear_parts(total)
            for part, coefficient in parts.items():
                if isinstance(part, Var) and part in pending and abs(coefficient) == 1:
                    rest = build.linear(const, {p: c for p, c in parts.items() if p is not part})
                    if part not in rest.free:
                        return part, build.scale(-coefficient, rest)
        case Same(left, right):
            for var, term in ((left, right), (right, left)):
                if isinstance(var, Var) and var in pending and var not in term.free:
                    return var, term
        case Var() if conjunct in pending:
            return conjunct, build.TRUE
        case Not(Var() as var) if var in pending:
            return var, build.FALSE
    return None


def _some_value(variable: Variable) -> Term:
    value = variable.low or 0 if variable.var.sort == INT else 0
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
