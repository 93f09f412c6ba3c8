"""Spoiler's win in a closed game among concrete states with small values: the game of THEORY section 3, forwards.

Spoiler's steps and the initial states take few values, which only restricts him. Duplicator's answers are all there
are: a step whose answers cannot be enumerated is not used. For each step one answer at a time is looked at, the next
one when it is lost, so a pair is lost when some step has no answers left. Cheap pairs come first: a pair costs the
steps that lead to it and the distance of its initial values from the simplest ones.

That no play is found proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from sa.automata.automaton import Automaton, location_of
from sa.automata.ranges import within
from sa.base.limits import Limits, check_time
from sa.certificates.goal import Goal, kappa_of
from sa.certificates.play import Position
from sa.explicit.machine import machine
from sa.explicit.picks import by_cost, interesting, picks
from sa.smt.session import Session
from sa.terms.build import land
from sa.terms.compile import predicate
from sa.terms.evaluate import Unevaluable
from sa.terms.term import Term
from sa.values.answers import following
from sa.values.one_way import OneWay, one_way
from sa.values.pairs import Duel, Game, Turn
from sa.values.play import told

_BETWEEN_LOOKS_AT_THE_CLOCK = 256

#: Starts multiply faster than steps do: one with a value that is a place less simple waits for plays so much longer.
STEPS_PER_PLACE = 3


def refute_by_values(goal: Goal, bounds: Limits, budget: int) -> Position | None:
    """A play that refutes a closed goal, found within `budget` steps; None if none was found. Raises LimitReached.

    That initial states are uncovered or break ι is not looked for.
    """
    if not goal.closed or goal.choose_init or goal.axioms:
        return None
    try:
        game = _game(goal, one_way(goal, Session(bounds)))
        lost = _lost_start(game, bounds, budget)
        return told(game, lost, bounds) if lost is not None else None
    except Unevaluable:
        return None


def _game(goal: Goal, ways: tuple[OneWay, ...]) -> Game:
    pool = interesting(_terms(goal))
    concrete, abstract = machine(goal.concrete, pool), machine(goal.abstract, pool)
    return Game(goal, concrete, abstract, following(goal, concrete, abstract, ways))


def _terms(goal: Goal) -> Iterator[Term]:
    yield from (f.term for f in (*goal.kappa, *goal.iota))
    for automaton in (goal.concrete, goal.abstract):
        yield automaton.init
        yield from (location.inv for location in automaton.locations)
        for edge in automaton.edges:
            yield edge.guard
            yield from (t for _, t in edge.updates)


def _lost_start(game: Game, bounds: Limits, budget: int) -> Duel | None:
    """The first initial pair that turns out to be lost."""
    starts, number = _starts(game), 0
    start = next(starts, None)
    while game.work <= budget:
        while start is not None and (not game.heap or start[0] <= game.heap[0][0]):
            cost, pair = start
            if pair is not None and game.following.keeps(*pair):
                duel = _duel(game, *pair, cost)
                if duel.stride is not None:
                    return duel
                duel.is_start = True
            if game.work > budget:
                return None
            start = next(starts, None)
        if not game.heap:
            return None
        number += 1
        if number % _BETWEEN_LOOKS_AT_THE_CLOCK == 0:
            check_time(bounds)
        lost = _expand(game, heappop(game.heap)[2])
        if lost is not None:
            return lost
    return None


def _starts(game: Game) -> Iterator[tuple[int, tuple[int, int] | None]]:
    """Initial pairs by their cost, and None for each value that was looked at."""
    first, second = game.goal.concrete, game.goal.abstract
    known = dict.fromkeys((*first.variables, *second.variables))
    unknown = tuple({v.var: v for v in known}.values())
    formula = land(*_initially(first), *_initially(second), kappa_of(game.goal), *(within(v) for v in unknown))
    places = tuple([q.name for q in a.locations].index(a.initial) for a in (first, second))
    column = {v.var: i for i, v in enumerate(unknown)}
    if not unknown and not predicate(formula, ())(()):
        return
    for place, row in by_cost(picks(formula, (), unknown, game.concrete.pool), ()):
        game.looks += 1
        cost = STEPS_PER_PLACE * place
        if row is None:
            yield cost, None
        else:
            left, right = (tuple(row[column[v]] for v in m.order) for m in (game.concrete, game.abstract))
            yield cost, (game.concrete.number(places[0], left), game.abstract.number(places[1], right))


def _initially(automaton: Automaton) -> tuple[Term, Term]:
    return automaton.init, location_of(automaton, automaton.initial).inv


def _duel(game: Game, concrete: int, abstract: int, cost: int) -> Duel:
    key = concrete, abstract
    found = game.duels.get(key)
    if found is None:
        found = game.duels[key] = Duel(concrete, abstract, cost)
        heappush(game.heap, (cost, len(game.duels), found))
    return found


def _expand(game: Game, duel: Duel) -> Duel | None:
    """Make all steps from a pair; an initial pair that is lost then."""
    if duel.stride is not None:
        return None
    for stride in game.concrete.steps(duel.concrete).strides:
        game.steps += 1
        ends = game.following.first(duel.abstract, stride.action, stride.after)
        if ends is None:
            continue
        turn = Turn(duel, stride, ends)
        if not _is_answered(game, turn):
            return _lose(game, turn)
    return None


def _is_answered(game: Game, turn: Turn) -> bool:
    """Whether an answer is left, which then is looked at."""
    after, cost = turn.stride.after, turn.duel.cost + 1 + turn.stride.cost
    while turn.place < len(turn.ends):
        target = _duel(game, after, turn.ends[turn.place], cost)
        if target.stride is None:
            target.waiting.append(turn)
            return True
        turn.place += 1
    return False


def _lose(game: Game, turn: Turn) -> Duel | None:
    """The turn's pair is lost, and others are for that; the cheapest initial one of them."""
    pending, starts = [turn], list[Duel]()
    # The list grows while it is walked: breadth first, so that each pair is lost by a step that wins soon.
    for turn in pending:
        duel = turn.duel
        if duel.stride is not None:
            continue
        after = turn.stride.after
        duel.stride = turn.stride
        duel.rank = 1 + max((game.duels[after, end].rank for end in turn.ends), default=0)
        if duel.is_start:
            starts.append(duel)
        waiting, duel.waiting = duel.waiting, []
        pending.extend(t for t in waiting if t.duel.stride is None and not _is_answered(game, t))
    return min(starts, key=lambda d: d.cost, default=None)
