"""The winning region in a still environment, over all states that some environment leads to (THEORY section 10).

Environments are arbitrary as far as facts go, and still as far as lemmas go: a lemma says that Duplicator loses
although nobody interferes, or only to end a wait. Locals, which no environment changes, keep what is known of them from
the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, variables_of
from sa.base.budget import Event, Shared, unheard
from sa.base.limits import LimitReached, allot, spend
from sa.base.verdict import Reason, Unknown
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.conditions.environment import closed, identity
from sa.engines.options import Options
from sa.game.board import Board, Pair, lay_out
from sa.game.runs import Bounds
from sa.refinement.facts import facts
from sa.refinement.found import relation_of
from sa.simulation.algorithm_2_search import Search
from sa.simulation.endings import Answered, Lost, LostChoices, Patience, Stuck, Tactics
from sa.simulation.state import NO_FACTS, dead, hypotheses
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import primed
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

#: Units of work that each of them may take.
UNITS = 12_000_000


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


#: What a search can find.
Found: TypeAlias = Region | Hopeless | Unknown


def regions(goal: Goal, tactics: Sequence[Tactics], waiting: bool, options: Options) -> Iterator[Found]:
    """What the searches find of a goal whose environments may do anything. Raises LimitReached.

    With `waiting` others may do what ends a wait.
    """
    session = Session(options.limits, tuple(a.formula for a in goal.axioms), options.seed)
    anybody, board = lay_out(replace(goal, matched=False)), lay_out(_waiting(goal) if waiting else _still(goal))
    shared = Shared()
    for each in tactics:
        report = unheard if options.reports is None else options.reports(each.name)
        report(Event(each.name))
        session.bounds = allot(options.limits, UNITS)
        try:
            about = anybody if each.anywhere else board
            known = shared.once(each.anywhere, partial(facts, session, about)) if each.known else NO_FACTS
            yield _region(Search(board, session, each, report, known), options)
        except LimitReached as limit:
            if limit.reason is not Reason.WORK:
                raise
            spend(options.limits, 500)
        finally:
            session.bounds = options.limits


def _still(goal: Goal) -> Goal:
    """The goal with nobody else there."""
    return replace(goal, concrete=closed(goal.concrete), abstract=closed(goal.abstract), closed=True)


def waits(goal: Goal) -> bool:
    """Whether the concrete thread waits anywhere for others."""
    return any(_blocked(goal.concrete, q.name) is not build.FALSE for q in goal.concrete.locations)


def _waiting(goal: Goal) -> Goal:
    """The goal with others who change nothing but what the concrete thread waits for, and that while it has to wait.

    Otherwise waiting for ever would win, and the environment that never lets the thread go on would be found.
    """
    own = variables_of(goal.concrete, Kind.GLOBAL)
    places = list[Location]()
    for place in goal.concrete.locations:
        blocked = _blocked(goal.concrete, place.name)
        others = build.land(*(build.eq(primed(v), v) for v in own if v not in blocked.free))
        places.append(replace(place, env=build.lor(build.land(blocked, others), identity(own))))
    # Abstract variables that ι determines follow; the others stay.
    links = lay_out(goal).links
    still = build.land(*(build.eq(primed(v), v) for v in variables_of(goal.abstract, Kind.GLOBAL) if v not in links))
    abstract = replace(goal.abstract, locations=tuple(replace(q, env=still) for q in goal.abstract.locations))
    concrete = replace(goal.concrete, locations=tuple(places))
    return replace(goal, concrete=concrete, abstract=abstract, matched=False)


def _blocked(automaton: Automaton, location: str) -> Term:
    """When no step at a location is possible but silent ones that change nothing; false where it is an end."""
    leaving = [e for e in automaton.edges if e.source == location]
    going = [e for e in leaving if e.target != location or e.label is not None or any(t is not v for v, t in e.updates)]
    if not going or any(e.choices for e in going):
        return build.FALSE
    blocked = build.lnot(build.lor(*(e.guard for e in going)))
    shared = frozenset(variables_of(automaton, Kind.GLOBAL))
    return blocked if blocked.free & shared else build.FALSE


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
        case Lost() | LostChoices():
            return Hopeless(search.exact)
        case _ as ending:
            assert_never(ending)


def _places(search: Search) -> Iterator[Place]:
    for pair, state in search.pairs.items():
        if state.facts is not None and not dead(state):
            yield Place(pair, build.conjoined(hypotheses(state)))
