"""Both sides of a goal on numbered states, and how they start: what random runs of them are made of."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from sa.automata.trace import Configuration
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.explicit.instantiate import Picks, at_random, interesting, picks
from sa.explicit.live_variables import Kept
from sa.explicit.machine import Machine, machine
from sa.smt.session import Session
from sa.terms.term import Var
from sa.values.answers import Following, following
from sa.values.monotone_bounds import one_way
from sa.values.opening import opening
from sa.values.search import terms_of

#: A range with at most so many values is tried as a whole.
FEW = 8

#: How often it is tried to make a start.
STARTS = 20


class Sides(Struct, frozen=True, eq=False):
    """Both sides of a goal, their start, the answers of the abstract one, and the numbers of the concrete edges."""

    goal: Goal
    given: tuple[Var, ...]
    starts: Picks
    concrete: Machine
    abstract: Machine
    following: Following
    numbers: dict[int, int]


def sides(
    goal: Goal, session: Session, known: tuple[Kept, Kept], pooled: int, looked_at: int, more: Sequence[int] = ()
) -> Sides:
    """The sides with what is `known` of concrete and of abstract states.

    Of numbers with many values so many are tried, and `more`, and so many abstract states are looked at for one answer.
    """
    pool = tuple(dict.fromkeys((*interesting(terms_of(goal))[:pooled], *more)))
    concrete, abstract = (
        machine(a, pool, what, FEW) for a, what in zip((goal.concrete, goal.abstract), known, strict=True)
    )
    ends = following(goal, concrete, abstract, one_way(goal, session), looked_at, Limits())
    wanted, numbers = opening(goal), {id(e): n for n, e in enumerate(goal.concrete.edges)}
    given, starts = tuple(v.var for v in wanted.variables), picks(wanted.formula, (), wanted.variables, pool, FEW)
    return Sides(goal, given, starts, concrete, abstract, ends, numbers)


def opened(board: Sides, dice: Random) -> tuple[Configuration, Configuration] | None:
    """Initial states of both sides that are related; None where none was met. Raises Unevaluable."""
    for _ in range(STARTS):
        row = at_random(board.starts, (), dice)
        if row is None:
            continue
        values = dict(zip(board.given, row, strict=True))
        first, second = (
            Configuration(side.initial, {v.var: values[v.var] for v in side.variables})
            for side in (board.goal.concrete, board.goal.abstract)
        )
        if board.following.keeps(numbered(board.concrete, first), numbered(board.abstract, second)):
            return first, second
    return None


def numbered(side: Machine, state: Configuration) -> int:
    """The number of a state in which all variables have values."""
    return side.looks(side.number_of[state.location], tuple(state.values[v] for v in side.order))
