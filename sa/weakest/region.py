"""The winning region in a still environment, over all states that some environment leads to (THEORY section 10).

Environments are arbitrary as far as facts go, and still as far as lemmas go: a lemma says that Duplicator loses
although nobody interferes. Locals, which no environment changes, keep what is known of them from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from sa.base.budget import Event, Shared, unheard
from sa.base.limits import LimitReached, check_time, share
from sa.base.verdict import Reason, Unknown
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.conditions.environment import closed
from sa.engines.options import Options
from sa.game.board import Board, Pair, lay_out
from sa.game.runs import Bounds
from sa.refinement.deciders import relation_of
from sa.refinement.facts import facts
from sa.simulation.endings import Answered, Patience, Stuck, Tactics
from sa.simulation.search import Search
from sa.simulation.state import NO_FACTS, dead, hypotheses
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term

#: Searches for the region itself: an answer is bad only if there is no other one.
WHOLE = (
    Tactics("region", 150, 4, Bounds(60, 2, None), Patience.NONE, known=True, anywhere=True),
    Tactics("region, late answers", 150, 4, Bounds(60, 2, None), Patience.NONE, True, True, anywhere=True),
)

#: Searches for a part of it that is said in fewer words: they stay with the answers that they chose, also where others
#: would be right by accident.
PART = (
    Tactics("part of the region", 150, 4, Bounds(100, 1, 1), Patience.FULL, known=True, anywhere=True),
    Tactics("part of the region, any answers", 150, 4, Bounds(100, 1, 1), Patience.NONE, known=True, anywhere=True),
    Tactics("part of the region, long answers", 150, 4, Bounds(60, 2, None), Patience.FULL, known=True, anywhere=True),
)

#: Searches for a part that also knows what holds from the start while nobody interferes.
REACHED = (
    Tactics("reached part of the region", 100, 4, Bounds(100, 1, 1), Patience.FULL),
    Tactics("reached part of the region, likely answers", 200, 4, Bounds(100, 1, 1), Patience.SOME, known=True),
    Tactics("reached part of the region, any answers", 200, 4, Bounds(100, 1, 1), Patience.NONE, known=True),
    Tactics("reached part of the region, long answers", 200, 4, Bounds(60, 2, None), Patience.NONE, known=True),
)

#: The part of the time that is left which each of them may take.
SHARE = 0.2


class Place(Struct, frozen=True):
    """The region at a pair of locations, over the variables of the board."""

    pair: Pair
    states: tuple[Term, ...]


class Region(Struct, frozen=True):
    """Where Duplicator wins while nobody interferes; all of it if it is `exact`.

    `relation` has the answers. Its closures are those of an environment that may do anything.
    """

    board: Board
    session: Session
    places: tuple[Place, ...]
    relation: Relation
    exact: bool


class Hopeless(Struct, frozen=True):
    """An initial state is lost although nobody interferes, by the lemmas, which are `exact` or not."""

    exact: bool


def regions(goal: Goal, tactics: Sequence[Tactics], options: Options) -> Iterator[Region | Hopeless | Unknown]:
    """What the searches find of a goal whose environments may do anything. Raises LimitReached."""
    session = Session(options.limits, tuple(a.formula for a in goal.axioms), options.seed)
    # Nothing is claimed of how the environments of the two sides match: there are none yet.
    open_, still = lay_out(replace(goal, matched=False)), lay_out(_still(goal))
    shared = Shared()
    for each in tactics:
        board = open_ if each.anywhere else still
        report = unheard if options.reports is None else options.reports(each.name)
        report(Event(each.name))
        session.bounds = share(options.limits, SHARE)
        try:
            known = shared.once(each.anywhere, partial(facts, session, board)) if each.known else NO_FACTS
            yield _region(Search(board, session, each, report, known), options)
        except LimitReached as limit:
            if limit.reason is not Reason.TIMEOUT:
                raise
            check_time(options.limits)
        finally:
            session.bounds = options.limits


def _still(goal: Goal) -> Goal:
    """The goal with nobody else there."""
    return replace(goal, concrete=closed(goal.concrete), abstract=closed(goal.abstract), closed=True)


def _region(search: Search, options: Options) -> Region | Hopeless | Unknown:
    match search.run():
        case Answered():
            found = relation_of(search)
            if isinstance(found, Unknown):
                return found
            search.session.bounds = options.limits
            return Region(search.board, search.session, tuple(_places(search)), found, search.exact and search.anywhere)
        case Stuck(reason, detail):
            return Unknown(reason, detail)
        case _:
            return Hopeless(search.exact)


def _places(search: Search) -> Iterator[Place]:
    for pair, state in search.pairs.items():
        if state.facts is not None and not dead(state):
            yield Place(pair, build.conjuncts(build.land(*hypotheses(state))))
