"""The closed game among concrete states: the game of THEORY section 3, forwards.

Spoiler's steps and the initial states take few values, which only restricts him. Duplicator's answers are all there
are: a step whose answers cannot be enumerated is not used. For each step one answer at a time is looked at, the next
one when it is lost, so a pair is lost when some step has no answers left. Cheap pairs come first: a pair costs the
steps that lead to it and the distance of its initial values from the simplest ones.

That no play is found proves nothing, unless all values that there are were tried, and no pair is left to be looked at:
then the pairs that are not lost are a weak simulation (decision 014).
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from sa.automata.automaton import mover
from sa.base.limits import Limits, check_memory, spend
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import Position
from sa.explicit.instantiate import by_cost, interesting, picks
from sa.explicit.live_variables import kept
from sa.explicit.machine import Stride, machine
from sa.smt.session import Session
from sa.terms.build import conjuncts, land
from sa.terms.compile import predicate
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import default_value
from sa.terms.term import Term
from sa.values.answers import following
from sa.values.closed import closed, grows
from sa.values.first import first
from sa.values.guessed_moves import Guess, guess
from sa.values.monotone_bounds import OneWay, one_way
from sa.values.opening import opening
from sa.values.pairs import Game, Pair, Turn
from sa.values.play import told
from sa.values.search_bounds import Closed, Sought

_BETWEEN_LOOKS_AT_LIMITS = 256

#: Starts multiply faster than steps do: one with a value that is a place less simple waits for plays so much longer.
STEPS_PER_PLACE = 3

#: What it costs in a guess that another thread goes on.
SWITCH = 1

#: So many steps are made before it is looked at whether values still grow.
_BETWEEN_LOOKS_AT_VALUES = 20_000


def search(goal: Goal, bounds: Limits, sought: Sought) -> Position | Guess | Closed | None:
    """A play that refutes a closed goal, or all pairs of states that it can be in; None if there is no end.

    Where the play would be too large the steps that win are the answer. That initial states are uncovered or break ι is
    not looked for. Raises LimitReached.
    """
    if not goal.closed or goal.choose_init or goal.axioms:
        return None
    try:
        game = _game(goal, one_way(goal, Session(bounds)), sought, bounds)
        lost = _lost_start(game, bounds, sought)
        if lost is not None:
            return told(game, lost, bounds) or guess(game, lost)
    except Unevaluable:
        return None
    return closed(game) if not game.heap and not game.partial else None


def winning(goal: Goal, bounds: Limits, sought: Sought) -> Guess | None:
    """Steps that a closed goal may be lost by, if answers that were not looked at are none. Raises LimitReached."""
    match _guessed(goal, bounds, sought):
        case game, Pair() as lost:
            try:
                return guess(game, lost)
            except Unevaluable:
                return None
        case _:
            return None


def suspected(goal: Goal, bounds: Limits, sought: Sought) -> Position | None:
    """A play against a closed goal where answers that were not looked at count as none: it need not be one.

    Raises LimitReached.
    """
    match _guessed(goal, bounds, sought):
        case game, Pair() as lost:
            try:
                return told(game, lost, bounds)
            except Unevaluable:
                return None
        case _:
            return None


def _guessed(goal: Goal, bounds: Limits, sought: Sought) -> tuple[Game, Pair | None] | None:
    """A game in which answers that nobody looks at count as none, with the initial pair that is lost then."""
    if not goal.closed or goal.choose_init or goal.axioms:
        return None
    try:
        game = _game(goal, one_way(goal, Session(bounds)), sought, bounds)
        game.guessing = True
        return game, _lost_start(game, bounds, sought)
    except Unevaluable:
        return None


def _game(goal: Goal, ways: tuple[OneWay, ...], sought: Sought, bounds: Limits) -> Game:
    pool, read = interesting(terms_of(goal))[: sought.pool], iota_of(goal).free
    concrete, abstract = (machine(a, pool, kept(a, read), sought.few) for a in (goal.concrete, goal.abstract))
    ends = following(goal, concrete, abstract, ways, sought.states, bounds)
    going = first(goal.concrete, read) if sought.plays else ()
    return Game(goal, concrete, abstract, ends, first=going, partial=bool(going))


def terms_of(goal: Goal) -> Iterator[Term]:
    """The terms of a goal, whose constants are interesting."""
    yield from (f.term for f in (*goal.kappa, *goal.iota))
    for automaton in (goal.concrete, goal.abstract):
        yield automaton.init
        yield from (location.inv for location in automaton.locations)
        for edge in automaton.edges:
            yield edge.guard
            yield from (t for _, t in edge.updates)


def _lost_start(game: Game, bounds: Limits, sought: Sought) -> Pair | None:
    """The first initial pair that turns out to be lost."""
    starts, number, due = _starts(game), 0, _BETWEEN_LOOKS_AT_VALUES
    start = next(starts, None)
    while not (sought.all_or_nothing and game.partial):
        while start is not None and (not game.heap or start[0] <= game.heap[0][0]):
            cost, states = start
            if states is not None:
                if game.following.keeps(*states):
                    pair = _pair(game, *states, cost)
                    if pair.stride is not None:
                        return pair
                    pair.is_start = True
                else:
                    game.partial = True
            if game.work > sought.steps:
                game.partial = True
                break
            number = _looked(number, bounds)
            start = next(starts, None)
        if not game.heap:
            return None
        if game.work > sought.steps:
            game.partial = True
            return None
        number = _looked(number, bounds)
        if sought.all_or_nothing and game.work > due:
            due *= 2
            if any(map(grows, (game.concrete, game.abstract))):
                return None
        lost = _expand(game, heappop(game.heap)[2])
        if lost is not None:
            return lost
    return None


def _looked(number: int, bounds: Limits) -> int:
    """Count one more start or pair; now and then look at the limits. Raises LimitReached."""
    if number % _BETWEEN_LOOKS_AT_LIMITS == 0:
        spend(bounds, 6000)
        check_memory(bounds)
    return number + 1


def _starts(game: Game) -> Iterator[tuple[int, tuple[int, int] | None]]:
    """Initial pairs by their cost, and None for each value that was looked at.

    Of what does not matter to them it is not asked here whether it has values.
    """
    machines, wanted = (game.concrete, game.abstract), opening(game.goal)
    places = tuple([q.name for q in m.automaton.locations].index(m.automaton.initial) for m in machines)
    needed = frozenset().union(*(m.kept[place] for m, place in zip(machines, places, strict=True)))
    formulas = conjuncts(wanted.formula)
    while tied := frozenset().union(*(f.free for f in formulas if not f.free.isdisjoint(needed))) - needed:
        needed |= tied
    formula = land(*(f for f in formulas if f.free <= needed))
    unknown = tuple(v for v in wanted.variables if v.var in needed)
    column = {v.var: i for i, v in enumerate(unknown)}
    if not unknown and not predicate(formula, ())(()):
        return
    how = picks(formula, (), unknown, game.concrete.pool, game.concrete.few)
    game.partial = game.partial or not how.complete
    for place, row in by_cost(how, (), []):
        game.looks += 1
        cost = STEPS_PER_PLACE * place
        if row is None:
            yield cost, None
        else:
            left, right = (
                m.looks(at, tuple(row[column[v]] if v in column else default_value(v.sort) for v in m.order))
                for m, at in zip(machines, places, strict=True)
            )
            yield cost, (left, right)


def _pair(game: Game, concrete: int, abstract: int, cost: int, thread: int | None = None) -> Pair:
    key = concrete, abstract
    found = game.pairs.get(key)
    if found is None:
        found = game.pairs[key] = Pair(concrete, abstract, cost, thread)
        heappush(game.heap, (cost, len(game.pairs), found))
    return found


def _expand(game: Game, pair: Pair) -> Pair | None:
    """Make all steps from a pair; an initial pair that is lost then."""
    if pair.stride is not None:
        return None
    steps = game.concrete.steps(pair.concrete)
    game.partial = game.partial or bool(steps.open)
    for stride in _strides(game, pair.concrete, steps.strides):
        game.steps += 1
        turn = Turn(pair, stride, game.following.first(pair.abstract, stride.action, stride.after))
        if not _is_answered(game, turn):
            return _lose(game, turn)
    return None


def _strides(game: Game, state: int, strides: tuple[Stride, ...]) -> tuple[Stride, ...]:
    """The steps that are made from a state: where a thread that goes first has some, these."""
    if game.first:
        for thread in game.first[game.concrete.places[state]]:
            own = tuple(s for s in strides if s.edge.thread == thread)
            if own:
                return own
    return strides


def _is_answered(game: Game, turn: Turn) -> bool:
    """Whether an answer is left, which then is looked at, or may be left."""
    after, cost = turn.stride.after, turn.pair.cost + 1 + turn.stride.cost
    thread = turn.pair.thread
    if game.guessing:
        moved = mover(*(game.concrete.location(state) for state in (turn.pair.concrete, after)))
        cost += SWITCH if moved is not None and thread is not None and moved != thread else 0
        thread = thread if moved is None else moved
    while (end := turn.ends.at(turn.place)) is not None:
        target = _pair(game, after, end, cost, thread)
        if target.stride is None:
            target.waiting.append(turn)
            return True
        turn.place += 1
    game.partial = game.partial or turn.ends.partial
    return turn.ends.partial and not game.guessing


def _lose(game: Game, turn: Turn) -> Pair | None:
    """The turn's pair is lost, and others are for that; the cheapest initial one of them."""
    pending, starts = [turn], list[Pair]()
    # The list grows while it is walked: breadth first, so that each pair is lost by a step that wins soon.
    for turn in pending:
        pair = turn.pair
        if pair.stride is not None:
            continue
        after = turn.stride.after
        pair.stride = turn.stride
        pair.rank = 1 + max((game.pairs[after, end].rank for end in turn.ends.every()), default=0)
        if pair.is_start:
            starts.append(pair)
        waiting, pair.waiting = pair.waiting, []
        pending.extend(t for t in waiting if t.pair.stride is None and not _is_answered(game, t))
    return min(starts, key=lambda d: d.cost, default=None)
