"""From a lost initial state to a play: Spoiler's strategy on concrete states, read off the lemmas.

A lemma says which step to make; the states are recomputed, and every answer is enumerated from them. Nothing
here trusts a lemma: where an answer survives, there is no play and the caller gives no answer. The play is
replayed by the checker afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sa.automata.trace import Configuration, Move
from sa.certificates.play import Broken, Chosen, Drift, Exhausted, Position, Reply, Step, Unmatched
from sa.simulation import board as boards
from sa.simulation.board import Board, Pair
from sa.simulation.moves import Challenge
from sa.simulation.replies import Taken, answers
from sa.simulation.search import Search
from sa.simulation.state import Lemma, LostDrift, LostMatch, LostStep
from sa.simulation.wander import wander
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.sort import Value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: How many positions a play may have.
POSITION_BOUND = 20_000

#: How many abstract initial states are listed.
OPENING_BOUND = 100


class Survives(Exception):
    """Duplicator has an answer that no lemma excludes, or the answers could not be exhausted."""


@dataclass(slots=True)
class Refuter:
    """Builds plays from what a search has learned. Positions are shared where they repeat."""

    board: Board
    session: Session
    search: Search
    _memo: dict[object, Position] = field(default_factory=dict)

    def position(self, pair: Pair, state: State, lemma: Lemma) -> Position:
        """Spoiler's winning move from a state of the lemma's cube. Raises Survives and LimitReached."""
        key = (pair, tuple(state[v] for v in self.board.variables), lemma.number)
        found = self._memo.get(key)
        if found is None:
            if len(self._memo) >= POSITION_BOUND:
                raise Survives("the play has too many positions")
            found = self._memo[key] = self._position(pair, state, lemma)
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
                raise Survives("the abstract initial states could not be exhausted")
            values_too = {v: reply.values.get(v, 0) for v in own}
            openings.append(self._opening({**values, **values_too}))
            same = (build.eq(v, build.constant(x, v.sort)) for v, x in values_too.items())
            blocked.append(build.lnot(build.land(*same)))
        return Chosen(Configuration(goal.concrete.initial, dict(values)), tuple(openings), Exhausted.SOLVER)

    def _opening(self, both: State) -> Position | Broken:
        goal, pair = self.board.goal, self.search.initial
        first = Configuration(pair[0], {v.var: both[v.var] for v in goal.concrete.variables})
        second = Configuration(pair[1], {v.var: both[v.var] for v in goal.abstract.variables})
        broken = self._broken(first, second)
        if broken is not None:
            return broken
        state = {v: both[v] for v in self.board.variables}
        for lemma in self.search.pairs[pair].lemmas:
            if all(holds(c, state) for c in lemma.cube):
                return self.position(pair, state, lemma)
        raise Survives("an abstract initial state survives")

    def _position(self, pair: Pair, state: State, lemma: Lemma) -> Position:
        root = lemma
        while isinstance(root.cause, LostDrift):
            root = root.cause.lemma
        cause = root.cause
        assert isinstance(cause, LostStep | LostMatch)
        choices = cause.challenge.choices if isinstance(cause, LostStep) else self._concrete_primed()
        after, picked = self._reach(pair, state, cause.cube, choices)
        if any(after[v] != state[v] for v in self.board.variables):
            return self._drift(pair, state, after, lambda: self._act(pair, after, cause, picked, root.number))
        return self._act(pair, state, cause, picked, root.number)

    def _concrete_primed(self) -> tuple[Var, ...]:
        return tuple(primed(v) for v in self.board.concrete.globals)

    def _reach(self, pair: Pair, state: State, cube: tuple[Term, ...], choices: tuple[Var, ...]) -> tuple[State, State]:
        """A state of the cube that the environments can lead to, with values of the choices; staying if possible."""
        here = {v: build.constant(state[v], v.sort) for v in self.board.variables}
        picked = self._solve(tuple(substitute(c, here) for c in cube), choices)
        if picked is not None:
            return state, picked
        moves = self.search.pairs[pair].moves
        there: dict[Var, Term] = {v: build.variable(v.name, v.sort, 2) for v in moves.moving}
        question = [substitute(c, there) for c in cube]
        question.append(substitute(moves.relation, {primed(v): t for v, t in there.items()}))
        wanted = (*choices, *(build.variable(v.name, v.sort, 2) for v in moves.moving))
        found = self._solve(tuple(substitute(q, here) for q in question), wanted)
        if found is None:
            raise Survives("a lemma's state cannot be reached")
        after = {**state, **{v: found[build.variable(v.name, v.sort, 2)] for v in moves.moving}}
        return after, {v: found[v] for v in choices}

    def _solve(self, formulas: tuple[Term, ...], wanted: tuple[Var, ...]) -> dict[Var, Value] | None:
        reply = self.session.check(f for f in formulas if f is not build.TRUE)
        if not isinstance(reply, Sat) or not reply.trusted:
            return None
        return {v: reply.values.get(v, 0) for v in wanted}

    def _drift(self, pair: Pair, state: State, after: State, then: Callable[[], Position]) -> Position:
        steps = wander(self.session, self.board, pair, state, after)
        if steps is None:
            raise Survives("the environments' moves could not be made step by step")
        position = then()
        for stop in reversed(steps):
            concrete, abstract = self._sides(pair, stop.before)
            last, _ = self._sides(pair, stop.after)
            through = tuple(Configuration(pair[1], values) for values in stop.abstract)
            identity = self.board.goal.added_identity and stop.stays
            position = Position(concrete, abstract, Drift(last, through, identity, position))
        return position

    def _act(self, pair: Pair, state: State, cause: LostStep | LostMatch, picked: State, number: int) -> Position:
        concrete, abstract = self._sides(pair, state)
        if isinstance(cause, LostMatch):
            values = {**concrete.values, **{v: picked[primed(v)] for v in self.board.concrete.globals}}
            closure = self.search.closures[pair[1]].relation
            return Position(concrete, abstract, Unmatched(Configuration(pair[0], values), closure, Exhausted.SOLVER))
        step = cause.challenge
        here = {**state, **picked}
        after = {**concrete.values, **{v: evaluate(t, here) for v, t in step.edge.updates}}
        move = Move(step.edge, dict(picked), Configuration(step.edge.target, after))
        found = answers(self.session, self.board, pair[1], step, here)
        if found is None:
            raise Survives("the abstract answers could not be exhausted")
        replies = tuple(self._reply(step, here, move, taken, number) for taken in found.moves)
        return Position(concrete, abstract, Step(move, replies, found.refusals, found.exhausted))

    def _reply(self, step: Challenge, here: State, move: Move, taken: Taken, number: int) -> Reply:
        ends = taken.moves[-1].after if taken.moves else Configuration(taken.location, taken.values)
        broken = self._broken(move.after, ends)
        if broken is not None:
            return Reply(taken.moves, broken)
        target = (step.edge.target, ends.location)
        both = {**move.after.values, **ends.values}
        state = {v: both[v] for v in self.board.variables}
        known = self.search.pairs.get(target)
        for lemma in known.lemmas if known is not None else ():
            if lemma.number < number and all(holds(c, state) for c in lemma.cube):
                return Reply(taken.moves, self.position(target, state, lemma))
        raise Survives(f"an answer at {target[0]}, {target[1]} survives")

    def _broken(self, concrete: Configuration, abstract: Configuration) -> Broken | None:
        both = {**concrete.values, **abstract.values}
        for formula in self.board.goal.iota:
            if not holds(formula.term, both):
                return Broken(formula, concrete, abstract)
        return None

    def _sides(self, pair: Pair, state: State) -> tuple[Configuration, Configuration]:
        full = boards.full_state(self.board, state)
        goal = self.board.goal
        first = {v.var: full[v.var] for v in goal.concrete.variables}
        second = {v.var: full[v.var] for v in goal.abstract.variables}
        return Configuration(pair[0], first), Configuration(pair[1], second)
