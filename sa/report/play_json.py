"""A play as JSON: the main line as it is told to the user, and Spoiler's whole strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, assert_never

from msgspec import UNSET, Struct, UnsetType

from sa.automata.automaton import Automaton
from sa.automata.program import Formula
from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal
from sa.certificates.interpreted import goal_of, plain_play
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Exhausted,
    Interpreted,
    PlainPlay,
    Play,
    Position,
    Refusal,
    SpoilerMove,
    Step,
    Uncovered,
    Unmatched,
)
from sa.report.explain import Why, Wording, action, refused, wording
from sa.report.json import OriginJson, SpanJson, ValuesJson, origin_json, span_json, values_json
from sa.report.reason import reason_of_play
from sa.report.story import Event, story
from sa.terms.meaning import in_words
from sa.terms.printer import show


class StateJson(Struct, frozen=True):
    """A state of one side."""

    location: str
    values: ValuesJson


class StartJson(Struct, frozen=True):
    """The initial states; `abstract` is null where there is none."""

    concrete: StateJson
    abstract: StateJson | None


class EventJson(Struct, frozen=True):
    """What happens to one side: a step of the thread, showing `action`, or one of its environment.

    `thread` is the one of several that makes the step, null where there is one thread only.
    """

    kind: Literal["step", "environment"]
    action: str | None
    place: OriginJson | None
    changed: ValuesJson
    thread: str | None


class RoundJson(Struct, frozen=True):
    """A round of the main line: the concrete event and the abstract ones that answer it."""

    concrete: EventJson
    abstract: list[EventJson]
    answered: bool
    other_answers: list[str]


class WhyJson(Struct, frozen=True):
    """A reason: where it lies, what is wrong, and the values that make it so."""

    span: SpanJson | None
    place: str
    text: str
    values: list[str]


class EndingJson(Struct, frozen=True):
    """Why the abstract side has lost."""

    text: str
    reasons: list[WhyJson]
    checked_by_solver: bool


class FormulaJson(Struct, frozen=True):
    """A formula of a refinement."""

    text: str
    place: OriginJson


class BrokenJson(Struct, frozen=True):
    """The states reached are not related: this formula is false in them."""

    formula: FormulaJson
    concrete: StateJson
    abstract: StateJson


class ThenJson(Struct, frozen=True):
    """Where the play goes on: at a position, by its index, or nowhere because the relation is broken."""

    position: int | UnsetType = UNSET
    broken: BrokenJson | UnsetType = UNSET


class MoveJson(Struct, frozen=True):
    """A step along an edge: the values that it chooses, and the state after it."""

    place: OriginJson
    choices: ValuesJson
    after: StateJson


class ReplyJson(Struct, frozen=True):
    """An abstract answer, and how Spoiler goes on."""

    moves: list[MoveJson]
    then: ThenJson


class RefusalJson(WhyJson, frozen=True, kw_only=True):
    """An abstract step that is no answer."""

    at: StateJson
    obstacle: str


class BeyondJson(Struct, frozen=True):
    """Abstract states that no step leaves and that are not related after the concrete step."""

    location: str
    states: str


class StepJson(Struct, frozen=True, tag_field="kind", tag="step"):
    """Spoiler makes a step of the concrete thread; `beyond` says which answers are left out."""

    step: MoveJson
    action: str | None
    replies: list[ReplyJson]
    refusals: list[RefusalJson]
    exhausted: Exhausted
    beyond: list[BeyondJson]


class EnvironmentStepJson(Struct, frozen=True, tag_field="kind", tag="environment"):
    """Spoiler moves both environments. `identity`: some step changes nothing, and the declared rely lacks it."""

    concrete: StateJson
    abstract: list[StateJson]
    identity: bool
    then: ThenJson


class UnmatchedJson(Struct, frozen=True, tag_field="kind", tag="unmatched"):
    """A step of the concrete environment that no steps of the abstract environment match."""

    concrete: StateJson
    closure: str
    exhausted: Exhausted


SpoilerMoveJson: TypeAlias = StepJson | EnvironmentStepJson | UnmatchedJson


class PositionJson(Struct, frozen=True):
    """A pair of states and Spoiler's winning move from it."""

    concrete: StateJson
    abstract: StateJson
    move: SpoilerMoveJson


class Strategy(Struct, frozen=True, tag_field="kind", kw_only=True):
    """All positions; they refer to each other by index, since a strategy may be deeper than JSON readers like."""

    positions: list[PositionJson]


class FromPosition(Strategy, frozen=True, kw_only=True, tag="position"):
    """A strategy from one pair of initial states."""

    position: int


class FromUncovered(Strategy, frozen=True, kw_only=True, tag="uncovered"):
    """A concrete initial state that is related to no abstract initial state."""

    concrete: StateJson
    exhausted: Exhausted


class FromBroken(Strategy, frozen=True, kw_only=True, tag="broken_at_start"):
    """Initial states that the precondition relates and the relation does not."""

    broken: BrokenJson


class FromChosen(Strategy, frozen=True, kw_only=True, tag="chosen"):
    """A concrete initial state for which every choice of an abstract one loses."""

    concrete: StateJson
    openings: list[ThenJson]
    exhausted: Exhausted


StrategyJson: TypeAlias = FromPosition | FromUncovered | FromBroken | FromChosen


class PlayJson(Struct, frozen=True):
    """The main line, why it ends, and the strategy with all other answers.

    `functions` says what functions without a body mean in it, such as `f(x) = 0`; `reason` what goes wrong.
    """

    start: StartJson
    steps: list[RoundJson]
    ending: EndingJson
    identity_step: bool
    strategy: StrategyJson
    functions: list[str] = []
    reason: str = ""


def play_json(play: Play, goal: Goal) -> PlayJson:
    """A play of a goal."""
    meant = list(in_words(play.meaning)) if isinstance(play, Interpreted) else []
    plain, asked = plain_play(play), goal_of(play, goal)
    told = story(plain, asked)
    return PlayJson(
        StartJson(_state(told.concrete), _state(told.abstract) if told.abstract else None),
        [
            RoundJson(
                _event(round_.concrete), [_event(e) for e in round_.abstract], round_.answered, list(round_.others)
            )
            for round_ in told.rounds
        ],
        EndingJson(told.ending.headline, [_why(w) for w in told.ending.reasons], told.ending.solver),
        told.identity,
        _strategy(plain, asked),
        meant,
        reason_of_play(plain, asked),
    )


def _event(event: Event) -> EventJson:
    before, after = event.before.values, event.after.values
    changed = {v: after[v] for v in after if before.get(v) != after[v]}
    place = origin_json(event.edge.origin) if event.edge else None
    mover = event.edge.thread if event.edge else None
    return EventJson("step" if event.edge else "environment", event.action, place, values_json(changed), mover)


def _why(why: Why) -> WhyJson:
    return WhyJson(span_json(why.span), why.place, why.text, list(why.values))


def _state(at: Configuration) -> StateJson:
    return StateJson(at.location, values_json(at.values))


def _strategy(play: PlainPlay, goal: Goal) -> StrategyJson:
    positions = list[Position]()
    numbers = dict[int, int]()

    def number(position: Position) -> int:
        if id(position) not in numbers:
            numbers[id(position)] = len(positions)
            positions.append(position)
        return numbers[id(position)]

    words = wording(goal, details=True)

    def then(target: Position | Broken) -> ThenJson:
        if isinstance(target, Position):
            return ThenJson(position=number(target))
        return ThenJson(broken=_broken(target))

    def rest() -> list[PositionJson]:
        """All positions that can be reached from those numbered so far; `then` goes on numbering."""
        nodes = list[PositionJson]()
        while len(nodes) < len(positions):
            here = positions[len(nodes)]
            move = _spoiler(here, here.move, goal.abstract, then, words)
            nodes.append(PositionJson(_state(here.concrete), _state(here.abstract), move))
        return nodes

    match play:
        case Position():
            first = number(play)
            return FromPosition(position=first, positions=rest())
        case Uncovered(concrete, exhausted):
            return FromUncovered(concrete=_state(concrete), exhausted=exhausted, positions=[])
        case BrokenAtStart(broken):
            return FromBroken(broken=_broken(broken), positions=[])
        case Chosen(concrete, openings, exhausted):
            chosen = [then(o) for o in openings]
            at = _state(concrete)
            return FromChosen(concrete=at, openings=chosen, exhausted=exhausted, positions=rest())
        case _:
            assert_never(play)


_Then: TypeAlias = Callable[[Position | Broken], ThenJson]


def _spoiler(here: Position, move: SpoilerMove, abstract: Automaton, then: _Then, words: Wording) -> SpoilerMoveJson:
    match move:
        case EnvironmentMove(concrete, states, identity, target):
            return EnvironmentStepJson(_state(concrete), [_state(s) for s in states], identity, then(target))
        case Unmatched(concrete, closure, exhausted):
            return UnmatchedJson(_state(concrete), show(closure), exhausted)
        case Step(step, replies, refusals, exhausted, beyond):
            asked = action(step.edge, {**here.concrete.values, **step.choices})
            return StepJson(
                _move(step),
                asked,
                [ReplyJson([_move(m) for m in r.moves], then(r.then)) for r in replies],
                [_refusal(r, abstract, asked, words) for r in refusals],
                exhausted,
                [BeyondJson(b.location, show(b.states)) for b in beyond],
            )
        case _:
            assert_never(move)


def _refusal(refusal: Refusal, abstract: Automaton, asked: str | None, words: Wording) -> RefusalJson:
    why = _why(refused(refusal, abstract, asked, words))
    obstacle = refusal.obstacle.name.lower()
    return RefusalJson(why.span, why.place, why.text, why.values, at=_state(refusal.at), obstacle=obstacle)


def _move(move: Move) -> MoveJson:
    return MoveJson(origin_json(move.edge.origin), values_json(move.choices), _state(move.after))


def _broken(broken: Broken) -> BrokenJson:
    return BrokenJson(_formula(broken.formula), _state(broken.concrete), _state(broken.abstract))


def _formula(formula: Formula) -> FormulaJson:
    return FormulaJson(show(formula.term), origin_json(formula.origin))
