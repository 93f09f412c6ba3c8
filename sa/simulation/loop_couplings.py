"""What ties the two sides together where a concrete loop is closed: equations of both that hold at the pair there.

An answer that keeps them goes round the abstract loop as often as the concrete one does. They are hints for the choice
of an answer, never reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sa.domains import affine
from sa.game.board import Board, Pair
from sa.game.rounds import Round
from sa.simulation.state import PairState
from sa.terms import build
from sa.terms.evaluate import State, holds
from sa.terms.name import off_side
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def ties_after(board: Board, pairs: Mapping[Pair, PairState], answer: Round) -> Iterator[Term]:
    """The equations of both sides at the pair to which an answer closes a loop, as conditions before the answer."""
    target = pairs.get(answer.target)
    if target is None or not _closes_loop(board, answer):
        return
    for tie in _ties(board, target):
        yield substitute(tie, answer.updates)


def _ties(board: Board, state: PairState) -> dict[Term, None]:
    """The equations of both sides at a pair; variables of the same name come first, whatever stands for them there.

    What these make an equation of the concrete side alone ties nothing: the concrete step loses it whatever the answer.
    """
    mine = dict.fromkeys((*board.concrete.globals, *board.concrete.locals))
    theirs = {off_side(v.name): v for v in (*board.abstract.globals, *board.abstract.locals)}
    known = affine.definitions(state.facts or affine.EVERYTHING)
    named = ((v, theirs[name]) for v in mine if (name := off_side(v.name)) in theirs)
    equal: dict[Var, Term] = {w: v for v, w in named if known.get(v, v) is known.get(w, w)}
    found = dict.fromkeys(build.eq(v, w) for w, v in equal.items())
    for equation in state.equations:
        rest = substitute(equation, equal)
        if rest.free & mine.keys() and not rest.free <= mine.keys():
            found[equation] = None
    return found


def lost_ties(
    board: Board, pairs: Mapping[Pair, PairState], answers: Iterable[Round], state: State
) -> Mapping[Round, int]:
    """How much answers lose in a state that close a loop. To come to a new pair is worse than to lose nothing."""
    return {a: _lost(board, pairs, a, state) for a in answers}


def _lost(board: Board, pairs: Mapping[Pair, PairState], answer: Round, state: State) -> int:
    if not _closes_loop(board, answer):
        return 0
    if answer.target not in pairs:
        return 1
    return 2 * sum(not holds(t, state) for t in ties_after(board, pairs, answer))


def _closes_loop(board: Board, answer: Round) -> bool:
    edge, order = answer.challenge.edge, board.concrete.order
    # In a composition a loop of one thread says nothing about how far the others are.
    alone = len(board.concrete.locations[edge.source].parts) <= 1
    return alone and order[edge.target] <= order[edge.source]
