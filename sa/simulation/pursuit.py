"""A simpler play: Spoiler runs along one concrete run, whatever Duplicator does.

Most bugs are of this kind: some run of the concrete thread that no answers keep up with. The run is read off
the lemmas along the chosen answers; all other abstract states that may have followed so far are tracked with
it, so nothing needs to be known of them. Where one of them survives to the end there is no such play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sa.automata.trace import Configuration
from sa.base.limits import check_time
from sa.certificates.play import Position, Step
from sa.simulation.board import Board, Pair
from sa.simulation.moves import Challenge
from sa.simulation.refute import Refuter, excluded, root_of
from sa.simulation.replies import answers, replies
from sa.simulation.scene import Survives, drifting, move_of, near, sides
from sa.simulation.search import Search
from sa.simulation.state import Lemma, LostMatch
from sa.smt.session import Session
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.sort import Value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: How many positions are tracked.
POSITION_BOUND = 20_000


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the run: the concrete globals when it is made, and the step with its choices."""

    globals: State
    challenge: Challenge
    picked: State


def course(refuter: Refuter, pair: Pair, state: State, lemma: Lemma | None) -> tuple[Stage, ...]:
    """The run that the lemmas lead along, from a lost state through the chosen answers. Raises Survives."""
    board, search = refuter.board, refuter.search
    stages = list[Stage]()
    while lemma is not None:
        cause, number = root_of(lemma)
        if isinstance(cause, LostMatch):
            raise Survives("the run ends in an environment step")
        after, picked = refuter.reach(pair, state, cause)
        step = cause.challenge
        stages.append(Stage({v: after[v] for v in board.concrete.globals}, step, picked))
        here, before, lemma = {**after, **picked}, pair, None
        for answer in search.pairs[before].rounds.get(step.number, []):
            if lemma is None and all(holds(c, here) for c in answer.required):
                state = {v: evaluate(answer.updates.get(v, v), here) for v in board.variables}
                pair, lemma = answer.target, excluded(search, answer.target, state, number)
    return tuple(stages)


@dataclass(slots=True)
class Pursuit:
    """Follows a run with all abstract states at once. Positions are shared where they repeat."""

    board: Board
    session: Session
    search: Search
    stages: Sequence[Stage]
    _memo: dict[object, Position] = field(default_factory=dict)

    def position(self, number: int, pair: Pair, state: State) -> Position:
        """Spoiler's move at a stage of the run, against one abstract state. Raises Survives and LimitReached."""
        key = (number, pair, tuple(state[v] for v in self.board.variables))
        found = self._memo.get(key)
        if found is None:
            check_time(self.session.bounds)
            if number >= len(self.stages) or len(self._memo) >= POSITION_BOUND:
                raise Survives("an abstract state follows to the end")
            after = self._moved(pair, state, self.stages[number])
            found = drifting(self.session, self.board, pair, state, after, lambda: self._act(number, pair, after))
            self._memo[key] = found
        return found

    def _moved(self, pair: Pair, state: State, stage: Stage) -> State:
        """The state after the environments' moves to the stage's globals."""
        if all(state[v] == x for v, x in stage.globals.items()):
            return state
        moves = self.search.moves_at(pair)
        names = {v: build.variable(v.name, v.sort, 2) for v in moves.moving}
        point: dict[Var, Term] = {v: build.constant(state[v], v.sort) for v in self.board.variables}
        for var, name in names.items():
            point[primed(var)] = name
            if var in stage.globals:
                point[primed(var)] = build.constant(stage.globals[var], var.sort)
        free = [n for v, n in names.items() if v not in stage.globals]
        if any(state[v] != x for v, x in stage.globals.items() if v not in names):
            raise Survives("the environments cannot make the run's moves here")
        found = near(
            self.session,
            [substitute(moves.relation, point)],
            free,
            {names[v]: state[v] for v in names if names[v] in free},
        )
        if found is None:
            raise Survives("the environments cannot make the run's moves here")
        moved: dict[Var, Value] = {**state, **stage.globals}
        moved.update((v, found[n]) for v, n in names.items() if n in found)
        return moved

    def _act(self, number: int, pair: Pair, state: State) -> Position:
        stage = self.stages[number]
        concrete, abstract = sides(self.board, pair, state)
        move = move_of(concrete, stage.challenge, stage.picked)
        found = answers(self.session, self.board, pair[1], stage.challenge, {**state, **stage.picked})
        if found is None:
            raise Survives("the abstract answers could not be exhausted")
        listed = replies(self.board, found, move.after, lambda end: self._next(number, move.after, end))
        return Position(concrete, abstract, Step(move, listed, found.refusals, found.exhausted))

    def _next(self, number: int, concrete: Configuration, abstract: Configuration) -> Position:
        both = {**concrete.values, **abstract.values}
        state = {v: both[v] for v in self.board.variables}
        return self.position(number + 1, (concrete.location, abstract.location), state)
