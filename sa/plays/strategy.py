"""From a lost initial state to a play: Spoiler's strategy on concrete states, read off the lemmas.

A lemma says which step to make; the states are recomputed, and every answer is enumerated from them. Nothing
here trusts a lemma: where an answer survives, there is no play and the caller gives no answer. The play is
replayed by the checker afterwards.
"""

from __future__ import annotations

from msgspec import Struct, field

from sa.automata.trace import Configuration
from sa.base.limits import spend
from sa.certificates.play import Broken, Chosen, Exhausted, Position, Step, Unmatched
from sa.game import board as boards
from sa.game.board import Board, Pair
from sa.game.rounds import Challenge
from sa.plays.positions import Survives, broken, drifting, move_of, sides
from sa.plays.regions import Regions
from sa.plays.replies import answers, replies, some_answers
from sa.simulation.algorithm_2_search import Search
from sa.simulation.state import Lemma, LostEnvironment, LostMatch, LostStep
from sa.smt.session import Sat, Session, Unsat
from sa.smt.small_models import near, pleasant
from sa.terms import build
from sa.terms.evaluate import State, holds
from sa.terms.sort import default_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: How many positions a play may have.
POSITION_BOUND = 20_000

#: How many moves a play may have one after the other.
DEPTH_BOUND = 100

#: How many abstract initial states are listed.
OPENING_BOUND = 100


class Refuter(Struct):
    """Builds plays from what a search has learned. Positions are shared where they repeat."""

    board: Board
    session: Session
    search: Search
    _memo: dict[object, Position] = field(default_factory=dict)
    _depth: int = 0
    regions: Regions | None = None

    def position(self, pair: Pair, state: State, lemma: Lemma) -> Position:
        """Spoiler's winning move from a state of the lemma's cube. Raises Survives and LimitReached."""
        key = (pair, tuple(state[v] for v in self.board.variables), lemma.number)
        found = self._memo.get(key)
        if found is None:
            spend(self.session.bounds, 1000)
            if len(self._memo) >= POSITION_BOUND:
                raise Survives("the play has too many positions")
            if self._depth >= DEPTH_BOUND:
                raise Survives("the play is too long")
            self._depth += 1
            try:
                found = self._memo[key] = self._position(pair, state, lemma)
            finally:
                self._depth -= 1
        return found

    def chosen(self, values: State) -> Chosen:
        """With `choose init`: every partner of a concrete initial state, and how it loses. Raises Survives."""
        goal = self.board.goal
        own = [v.var for v in goal.abstract.variables if v.var not in values]
        point = {v: build.constant(x, v.sort) for v, x in values.items()}
        partner = tuple(substitute(t, point) for t in boards.initial_condition(self.board))
        openings, blocked = list[Position | Broken](), list[Term]()
        while not isinstance(reply := self.session.check((*partner, *blocked)), Unsat):
            if not isinstance(reply, Sat) or len(openings) >= OPENING_BOUND:
                raise Survives("not all abstract initial states could be enumerated")
            values_too = {v: reply.values.get(v, default_value(v.sort)) for v in own}
            openings.append(self._opening({**values, **values_too}))
            same = (build.eq(v, build.constant(x, v.sort)) for v, x in values_too.items())
            blocked.append(build.lnot(build.land(*same)))
        return Chosen(Configuration(goal.concrete.initial, dict(values)), tuple(openings), Exhausted.SOLVER)

    def _opening(self, both: State) -> Position | Broken:
        goal, pair = self.board.goal, self.search.initial
        first = Configuration(pair[0], {v.var: both[v.var] for v in goal.concrete.variables})
        second = Configuration(pair[1], {v.var: both[v.var] for v in goal.abstract.variables})
        loss = broken(self.board, first, second)
        if loss is not None:
            return loss
        state = {v: both[v] for v in self.board.variables}
        for lemma in self.search.pairs[pair].lemmas:
            if all(holds(c, state) for c in lemma.cube):
                return self.position(pair, state, lemma)
        raise Survives("Spoiler does not win from every abstract initial state")

    def _position(self, pair: Pair, state: State, lemma: Lemma) -> Position:
        cause, number = root_of(lemma)
        after, picked = self.reach(pair, state, cause)
        return drifting(
            self.session, self.board, pair, state, after, lambda: self._act(pair, after, cause, picked, number)
        )

    def reach(self, pair: Pair, state: State, cause: LostStep | LostMatch) -> tuple[State, State]:
        """A state that the environments can lead to where the cause applies, with its choices; staying if possible."""
        choices = cause.challenge.choices if isinstance(cause, LostStep) else primes(self.board)
        here = {v: build.constant(state[v], v.sort) for v in self.board.variables}
        picked = pleasant(self.session, [substitute(c, here) for c in cause.cube], choices)
        if picked is not None:
            return state, picked
        moves = self.search.pairs[pair].moves
        names = {v: build.variable(v.name, v.sort, 2) for v in moves.moving}
        there: dict[Var, Term] = dict(names.items())
        relation = substitute(moves.relation, {primed(v): t for v, t in there.items()})
        question = [substitute(t, here) for t in (*(substitute(c, there) for c in cause.cube), relation)]
        found = near(self.session, question, (*choices, *names.values()), {n: state[v] for v, n in names.items()})
        if found is None:
            raise Survives("a lemma's state cannot be reached")
        return {**state, **{v: found[n] for v, n in names.items()}}, {v: found[v] for v in choices}

    def _act(self, pair: Pair, state: State, cause: LostStep | LostMatch, picked: State, number: int) -> Position:
        concrete, abstract = sides(self.board, pair, state)
        if isinstance(cause, LostMatch):
            values = {**concrete.values, **{v: picked[primed(v)] for v in self.board.concrete.globals}}
            closure = self.search.closures[pair[1]].relation
            return Position(concrete, abstract, Unmatched(Configuration(pair[0], values), closure, Exhausted.SOLVER))
        step = cause.challenge
        move = move_of(concrete, step, picked)
        found = answers(self.session, self.board, pair[1], step, {**state, **picked})
        if found is None:
            return self._among_infinitely_many(pair, step, {**state, **picked}, number)
        listed = replies(self.board, found, move.after, lambda end: self._follow(move.after, end, number))
        return Position(concrete, abstract, Step(move, listed, found.refusals, found.exhausted))

    def _among_infinitely_many(self, pair: Pair, step: Challenge, here: State, number: int) -> Position:
        """The position where all answers but those listed end in regions that are lost. Raises Survives."""
        concrete, abstract = sides(self.board, pair, here)
        move = move_of(concrete, step, {v: here[v] for v in step.choices})
        self.regions = self.regions or Regions(self.board, self.session, self.search)
        others = self.regions.lost(step.edge.target, number)
        known = tuple(build.eq(v, build.constant(x, v.sort)) for v, x in here.items())
        if not self.regions.excludes(step, pair[1], (*step.enabled, *known), others):
            raise Survives("not all abstract answers could be enumerated")
        found = some_answers(self.session, self.board, pair[1], step, here)
        listed = replies(self.board, found, move.after, lambda end: self._shown(move.after, end, number))
        silent = self.regions.silent()
        return Position(concrete, abstract, Step(move, listed, (), Exhausted.SOLVER, (), others, silent))

    def _shown(self, concrete: Configuration, abstract: Configuration, number: int) -> Position | None:
        """How the play goes on after one of infinitely many answers, if that is known."""
        try:
            return self._follow(concrete, abstract, number)
        except Survives:
            return None

    def _follow(self, concrete: Configuration, abstract: Configuration, number: int) -> Position:
        target = (concrete.location, abstract.location)
        both = {**concrete.values, **abstract.values}
        state = {v: both[v] for v in self.board.variables}
        lemma = excluded(self.search, target, state, number)
        if lemma is None:
            raise Survives(f"Spoiler does not win after every answer at {target[0]}, {target[1]}")
        return self.position(target, state, lemma)


def root_of(lemma: Lemma) -> tuple[LostStep | LostMatch, int]:
    """Why the states of a lemma are lost in the end, and the number of the lemma that says so."""
    while isinstance(lemma.cause, LostEnvironment):
        lemma = lemma.cause.lemma
    return lemma.cause, lemma.number


def excluded(search: Search, pair: Pair, state: State, number: int) -> Lemma | None:
    """The oldest lemma older than `number` that excludes a state of a pair."""
    known = search.pairs.get(pair)
    for lemma in known.lemmas if known is not None else ():
        if lemma.number < number and all(holds(c, state) for c in lemma.cube):
            return lemma
    return None


def primes(board: Board) -> tuple[Var, ...]:
    """The concrete globals after an environment step."""
    return tuple(primed(v) for v in board.concrete.globals)
