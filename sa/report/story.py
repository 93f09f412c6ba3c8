"""A play as a story: one main line through Spoiler's strategy, and what became of the other answers.

Where several abstract answers exist the main line follows the one that holds out longest; the others
are summarised. Pure data: the terminal and JSON reports are made from the same story.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from sa.automata.automaton import Automaton, Edge
from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    Drift,
    Exhausted,
    Play,
    Position,
    Reply,
    Step,
    Uncovered,
    Unmatched,
)
from sa.report.explain import Why, action, bare, broken, refused
from sa.terms.printer import show


@dataclass(frozen=True, slots=True)
class Event:
    """What happens to one side: a step along `edge` showing `action`, or its environment's where `edge` is None."""

    edge: Edge | None
    action: str | None
    before: Configuration
    after: Configuration


@dataclass(frozen=True, slots=True)
class Scene:
    """One numbered step of the play: Spoiler's event and what the abstract side does meanwhile.

    `others` counts the abstract answers that the story does not follow.
    """

    concrete: Event
    abstract: tuple[Event, ...]
    others: tuple[str, ...] = ()
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the abstract side has lost: a headline and a reason for every way out that is closed."""

    headline: str
    reasons: tuple[Why, ...]
    solver: bool


@dataclass(frozen=True, slots=True)
class Story:
    """The opening states, where there are any, the scenes and the ending. `identity`: see Drift."""

    concrete: Configuration
    abstract: Configuration | None
    scenes: tuple[Scene, ...]
    ending: Ending
    identity: bool


def story(play: Play, goal: Goal) -> Story:
    """The main line of a play."""
    match play:
        case Uncovered(concrete, exhausted):
            ending = Ending(
                "No initial state of the abstract thread is related to this initial state.",
                (),
                exhausted is Exhausted.SOLVER,
            )
            return Story(concrete, None, (), ending, False)
        case BrokenAtStart(failure):
            return _broken_start(failure, "These initial states are related by κ, but not by ι:", False)
        case Chosen(concrete, openings, exhausted):
            return _chosen(concrete, openings, exhausted is Exhausted.SOLVER, goal)
        case Position():
            return _from(play, goal)


def _broken_start(failure: Broken, headline: str, solver: bool) -> Story:
    ending = Ending(headline, (broken(failure),), solver)
    return Story(failure.concrete, failure.abstract, (), ending, False)


def _chosen(concrete: Configuration, openings: tuple[Position | Broken, ...], solver: bool, goal: Goal) -> Story:
    """Every abstract initial state loses; the story follows one."""
    if not openings:
        headline = "No initial state of the abstract thread can be chosen for this initial state."
        return Story(concrete, None, (), Ending(headline, (), solver), False)
    first = max(openings, key=_length)
    rest = len(openings) - 1
    if isinstance(first, Broken):
        told = _broken_start(first, "Every abstract initial state breaks ι, this one for example:", solver)
    else:
        told = _from(first, goal)
    if rest:
        more = Why(None, f"{_count(rest, 'other abstract initial state', 'other abstract initial states')} lost too")
        told = replace(told, ending=replace(told.ending, reasons=(*told.ending.reasons, more)))
    return told


def _from(start: Position, goal: Goal) -> Story:
    scenes = list[Scene]()
    identity = False
    here = start
    while True:
        match here.move:
            case Drift(concrete, abstract, added, then):
                events = tuple(Event(None, None, b, a) for b, a in pairwise((here.abstract, *abstract)))
                scenes.append(Scene(Event(None, None, here.concrete, concrete), events))
                identity = identity or added
                here = then
            case Unmatched(concrete, closure, exhausted):
                scenes.append(Scene(Event(None, None, here.concrete, concrete), (), answered=False))
                headline = "The abstract environment has no step that matches this one."
                most = Why(None, f"however often it moves, it keeps to {show(closure, bare)}")
                ending = Ending(headline, (most,), exhausted is Exhausted.SOLVER)
                return Story(start.concrete, start.abstract, tuple(scenes), ending, identity)
            case Step() as step:
                followed = _followed(step)
                scenes.append(_scene(step, here, followed))
                if followed is None:
                    ending = _lost(step, here, goal.abstract)
                    return Story(start.concrete, start.abstract, tuple(scenes), ending, identity)
                assert isinstance(followed.then, Position)
                here = followed.then


def _followed(step: Step) -> Reply | None:
    """The answer that holds out longest; None where all lose at once."""
    open_replies = [r for r in step.replies if isinstance(r.then, Position)]
    return max(open_replies, key=lambda r: _length(r.then)) if open_replies else None


def _scene(step: Step, here: Position, followed: Reply | None) -> Scene:
    concrete = _event(step.move, here.concrete)
    if followed is None:
        return Scene(concrete, (), answered=False)
    others = tuple(_summary(r) for r in step.replies if r is not followed)
    return Scene(concrete, tuple(_events(followed.moves, here.abstract)), others)


def _event(move: Move, before: Configuration) -> Event:
    return Event(move.edge, action(move.edge.label, {**before.values, **move.choices}), before, move.after)


def _events(moves: tuple[Move, ...], before: Configuration) -> Iterator[Event]:
    for move in moves:
        yield _event(move, before)
        before = move.after


def _summary(reply: Reply) -> str:
    """What an answer that the story does not follow leads to, in a few words."""
    how = _path(reply)
    if isinstance(reply.then, Broken):
        why = broken(reply.then)
        return f"{how}: {why.text} ({', '.join(why.values)})"
    return f"{how}: loses too, after {_count(_length(reply.then), 'more step', 'more steps')}"


def _path(reply: Reply) -> str:
    return "staying" if not reply.moves else _count(len(reply.moves), "step", "steps")


def _lost(step: Step, here: Position, abstract: Automaton) -> Ending:
    asked = action(step.move.edge.label, {**here.concrete.values, **step.move.choices})
    reasons = list[Why]()
    for reply in step.replies:
        assert isinstance(reply.then, Broken)
        why = broken(reply.then)
        span = reply.moves[-1].edge.origin.span if reply.moves else None
        how = f"after {_path(reply)}" if reply.moves else "by staying where it is"
        reasons.append(replace(why, span=span, text=f"{how}, ι is broken: {why.text}"))
    reasons.extend(refused(r, abstract, asked) for r in step.refusals)
    unique = tuple(dict.fromkeys(reasons))
    what = f"the action {asked}" if asked else "this silent step"
    return Ending(f"{abstract.name} cannot answer {what}:", unique, step.exhausted is Exhausted.SOLVER)


def _length(start: Position | Broken) -> int:
    """The number of scenes that the longest line from here takes. Plays may be deep: no recursion."""
    longest, todo = 0, [(start, 0)]
    while todo:
        node, depth = todo.pop()
        longest = max(longest, depth)
        if isinstance(node, Position):
            match node.move:
                case Drift(_, _, _, then):
                    todo.append((then, depth + 1))
                case Step(_, replies, _, _):
                    longest = max(longest, depth + 1)
                    todo.extend((r.then, depth + 1) for r in replies)
                case Unmatched():
                    longest = max(longest, depth + 1)
    return longest


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
