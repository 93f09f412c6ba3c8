"""A play as a story: one main line through Spoiler's strategy, and what became of the other answers.

Where several abstract answers exist the main line follows the one that holds out longest; the others
are summarised. Pure data: the terminal and JSON reports are made from the same story.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Fault, edges_from
from sa.automata.program import Formula
from sa.automata.trace import Configuration, Move
from sa.base.source import position
from sa.certificates.goal import Goal
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Exhausted,
    Obstacle,
    PlainPlay,
    Position,
    Reply,
    Step,
    Uncovered,
    Unmatched,
    following,
)
from sa.report.explain import (
    Why,
    Wording,
    bare,
    broken,
    formula_told,
    is_told,
    name_of,
    no_choice,
    refused,
    told_action,
    wording,
    written,
)
from sa.terms.printer import show

#: By the identity of the position: equal positions on different lines are different.
Lengths: TypeAlias = dict[int, int]


class Event(Struct, frozen=True):
    """What happens to one side: a step along `edge` showing `action`, or its environment's where `edge` is None."""

    edge: Edge | None
    action: str | None
    before: Configuration
    after: Configuration


class Round(Struct, frozen=True):
    """One numbered step of the play: Spoiler's event and what the abstract side does meanwhile.

    `others` says what became of the abstract answers that the story does not follow.
    """

    concrete: Event
    abstract: tuple[Event, ...]
    others: tuple[str, ...] = ()
    answered: bool = True


class Ending(Struct, frozen=True):
    """Why the abstract side has lost: a headline and a reason for every way out that is closed."""

    headline: str
    reasons: tuple[Why, ...]
    solver: bool


class Story(Struct, frozen=True):
    """The opening states, where there are any, the rounds and the ending. `identity`: see EnvironmentMove."""

    concrete: Configuration
    abstract: Configuration | None
    rounds: tuple[Round, ...]
    ending: Ending
    identity: bool


def rounds_of(told: Story) -> Iterator[Round]:
    """The rounds as they are shown: while the abstract side stays, the same answers are wrong for the same reasons, and
    that is said once.
    """
    before: tuple[str, ...] = ()
    for round_ in told.rounds:
        again = round_.others == before and not round_.abstract and bool(before)
        yield replace(round_, others=()) if again else round_
        before = round_.others if not round_.abstract else ()


def story(play: PlainPlay, goal: Goal, details: bool = True) -> Story:
    """The main line of a play; without `details` nothing is said of what the translation made up."""
    words = wording(goal, details)
    match play:
        case Uncovered(concrete, exhausted):
            ending = Ending(
                "No initial state of the abstract thread is related to this initial state.",
                _related(goal),
                exhausted is Exhausted.SOLVER,
            )
            return Story(concrete, None, (), ending, False)
        case BrokenAtStart(failure):
            return _broken_start(failure, "The relation does not hold in these initial states:", False, words)
        case Chosen(concrete, openings, exhausted):
            return _chosen(concrete, openings, exhausted is Exhausted.SOLVER, goal, words)
        case Position():
            return _from(play, goal, _lengths((play,)), words)


def _related(goal: Goal) -> tuple[Why, ...]:
    """What is asked of two initial states beside what always holds."""
    always = {f.term for f in goal.iota}
    begun = [show(f.term) for f in goal.kappa if f.term not in always]
    return (Why(None, f"at the start: {', '.join(begun)}"),) if begun else ()


def _broken_start(failure: Broken, headline: str, solver: bool, words: Wording) -> Story:
    why = broken(failure, words)
    ending = Ending(headline, (replace(why, text=f"{why.text} is false"),), solver)
    return Story(failure.concrete, failure.abstract, (), ending, False)


def _chosen(
    concrete: Configuration, openings: tuple[Position | Broken, ...], solver: bool, goal: Goal, words: Wording
) -> Story:
    """Every abstract initial state loses; the story follows one."""
    if not openings:
        headline = "No initial state of the abstract thread can be chosen for this initial state."
        return Story(concrete, None, (), Ending(headline, (), solver), False)
    lengths = _lengths(openings)
    first = max(openings, key=lambda o: lengths[id(o)])
    rest = len(openings) - 1
    if isinstance(first, Broken):
        head = "The relation holds in no abstract initial state; for example, not in this one:"
        told = _broken_start(first, head, solver, words)
    else:
        told = _from(first, goal, lengths, words)
    if rest:
        more = Why(
            None,
            f"{_count(rest, 'other abstract initial state also fails', 'other abstract initial states also fail')}",
        )
        told = replace(told, ending=replace(told.ending, reasons=(*told.ending.reasons, more)))
    return told


def _from(start: Position, goal: Goal, lengths: Lengths, words: Wording) -> Story:
    rounds = list[Round]()
    identity = False
    here = start
    while True:
        match here.move:
            case EnvironmentMove(concrete, abstract, added, then):
                events = tuple(Event(None, None, b, a) for b, a in pairwise((here.abstract, *abstract)))
                rounds.append(Round(Event(None, None, here.concrete, concrete), events))
                identity = identity or added
                here = then
            case Unmatched(concrete, closure, exhausted):
                rounds.append(Round(Event(None, None, here.concrete, concrete), (), answered=False))
                headline = "The abstract environment has no step that matches this one."
                most = Why(None, f"any number of its steps satisfies {show(closure, bare)}")
                ending = Ending(headline, (most,), exhausted is Exhausted.SOLVER)
                return Story(start.concrete, start.abstract, tuple(rounds), ending, identity)
            case Step() as step:
                followed = _followed(step, lengths)
                rounds.append(_round(step, here, followed, words))
                if followed is None:
                    ending = _lost(step, here, goal.abstract, words)
                    return Story(start.concrete, start.abstract, tuple(rounds), ending, identity)
                assert isinstance(followed.then, Position)
                here = followed.then


def last_position(play: PlainPlay) -> Position | None:
    """Where the main line of a play ends; None where it does not begin."""
    starts = (play,) if isinstance(play, Position) else play.openings if isinstance(play, Chosen) else ()
    lengths = _lengths(starts)
    first = max(starts, key=lambda s: lengths[id(s)], default=None)
    here = first if isinstance(first, Position) else None
    while here is not None:
        match here.move:
            case EnvironmentMove(then=then):
                here = then
            case Step() as step if (followed := _followed(step, lengths)) is not None:
                assert isinstance(followed.then, Position)
                here = followed.then
            case _:
                return here
    return None


def _followed(step: Step, lengths: Lengths) -> Reply | None:
    """The answer that holds out longest; None where all lose at once."""
    open_replies = [r for r in step.replies if isinstance(r.then, Position)]
    return max(open_replies, key=lambda r: lengths[id(r.then)]) if open_replies else None


def _round(step: Step, here: Position, followed: Reply | None, words: Wording) -> Round:
    concrete = _event(step.move, here.concrete, words)
    if followed is None:
        return Round(concrete, (), answered=False)
    others = [r.then for r in step.replies if r is not followed]
    summaries = [*_summaries(others, words), *(["all other alternatives also fail later"] if step.others else [])]
    return Round(concrete, tuple(_events(followed.moves, here.abstract, words)), tuple(summaries))


def _event(move: Move, before: Configuration, words: Wording) -> Event:
    return Event(move.edge, told_action(move.edge, {**before.values, **move.choices}, words), before, move.after)


def _events(moves: tuple[Move, ...], before: Configuration, words: Wording) -> Iterator[Event]:
    for move in moves:
        yield _event(move, before, words)
        before = move.after


def _summaries(others: Sequence[Position | Broken], words: Wording) -> Iterator[str]:
    """What the answers that the story does not follow lead to, in a few words."""
    breaks = Counter(o.formula.term for o in others if isinstance(o, Broken))
    for formula, number in breaks.items():
        if not words.details and (name := written(formula, words)) is not None:
            yield f"{_count(number, 'alternative does', 'alternatives do')} not write `{name}`"
        else:
            yield f"{_count(number, 'alternative breaks', 'alternatives break')} {formula_told(formula, words)}"
    later = sum(isinstance(o, Position) for o in others)
    if later:
        yield _count(later, "alternative also fails later", "alternatives also fail later")


def _lost(step: Step, here: Position, abstract: Automaton, words: Wording) -> Ending:
    """Why every answer to the last step loses at once."""
    asked = told_action(step.move.edge, {**here.concrete.values, **step.move.choices}, words)
    reasons = list[Why]()
    for reply in step.replies:
        assert isinstance(reply.then, Broken)
        reasons.append(_breaking(reply, reply.then, words))
    # Where nothing fails on the other side, nobody expects a failing step as an answer.
    told = [r for r in step.refusals if r.edge.failure is None or step.move.edge.failure is not None]
    reasons.extend(refused(r, abstract, asked, words) for r in told if is_told(r, words))
    if step.others:
        headline = f"{abstract.name} has answers here, but each fails later."
        return Ending(headline, tuple(dict.fromkeys(reasons)), True)
    if step.exhausted is Exhausted.SOLVER:
        refusing = {r.edge for r in step.refusals} | {r.moves[-1].edge for r in step.replies if r.moves}
        reasons.extend(no_choice(e) for e in _choosing(abstract, here, step) if e not in refusing)
    if not reasons and not edges_from(abstract)[here.abstract.location]:
        reasons.append(Why(None, "it has terminated: there is no step from here"))
    failure = step.move.edge.failure
    what = f"the action {asked}" if asked else "this silent step"
    if failure is not None and failure.fault is not Fault.REACHED:
        what += f" ({failure.fault.value})"
    unique = _one_a_line(reasons) if words.alone and not words.details else tuple(dict.fromkeys(reasons))
    headline = f"{abstract.name} cannot answer {what}{':' if unique else '.'}"
    unique = (*unique, *_left_out(step, abstract))
    return Ending(headline, unique, step.exhausted is Exhausted.SOLVER or bool(step.beyond))


def _one_a_line(reasons: Sequence[Why]) -> tuple[Why, ...]:
    """The first reason of each line: a statement of a function may be many steps, which the translation made."""
    found = dict[object, Why]()
    for why in reasons:
        span = why.span
        found.setdefault(why.text if span is None else (span.source.name, position(span.source, span.start).line), why)
    return tuple(found.values())


def _left_out(step: Step, abstract: Automaton) -> Iterator[Why]:
    """Which answers need not be looked at: those through states that no step leaves."""
    places = Counter(b.states for b in step.beyond)
    for states, number in places.items():
        where = "" if number == len(abstract.locations) else " at these locations"
        reached = show(states, bare)
        yield Why(None, f"answers that reach {reached} fail: no abstract step{where} makes it false again")


def _choosing(abstract: Automaton, here: Position, step: Step) -> tuple[Edge, ...]:
    """The edges with choices that an answer may take, wherever its guards let it go behind the first one: one with the
    action of the step, where it has one, and else silent ones.
    """
    closed = {r.edge for r in step.refusals if r.obstacle is Obstacle.GUARD and r.at == here.abstract}
    label = step.move.edge.label
    asked = None if label is None else label.action
    outgoing = edges_from(abstract)
    start = here.abstract.location, asked is None
    seen, pending, found = {start}, [start], dict[Edge, None]()
    while pending:
        place, shown = pending.pop()
        for edge in outgoing[place]:
            if edge in closed or (edge.label is not None and (shown or edge.label.action != asked)):
                continue
            found |= {edge: None} if edge.choices else {}
            then = edge.target, shown or edge.label is not None
            if then not in seen:
                seen.add(then)
                pending.append(then)
    return tuple(found)


def _breaking(reply: Reply, failure: Broken, words: Wording) -> Why:
    why = broken(failure, words)
    name = None if words.details else written(failure.formula.term, words)
    does, values = (f"breaks {why.text}", why.values) if name is None else (f"does not write `{name}`", ())
    if not reply.moves:
        return Why(None, f"staying where it is {does}", values)
    how = "this step" if len(reply.moves) == 1 else f"an answer of {len(reply.moves)} steps"
    edge = reply.moves[-1].edge
    return Why(edge.origin.span, f"{how} {does}", values, name_of(edge))


def _lengths(starts: Sequence[Position | Broken]) -> Lengths:
    """How many rounds the longest line from each position takes. Plays may be deep: no recursion."""
    found: Lengths = {}
    todo: list[tuple[Position | Broken, bool]] = [(start, False) for start in starts]
    while todo:
        node, ready = todo.pop()
        if id(node) in found:
            continue
        next_ = following(node) if isinstance(node, Position) else ()
        if ready or not next_:
            longest = max((found[id(n)] for n in next_), default=0)
            found[id(node)] = longest + isinstance(node, Position)
        else:
            todo.append((node, True))
            todo.extend((n, False) for n in next_)
    return found


def broken_in(play: PlainPlay) -> tuple[Formula, ...]:
    """The conjuncts of ι that answers in a play break, those that are broken most often first."""
    starts: tuple[Position | Broken, ...]
    match play:
        case Position():
            starts = (play,)
        case Chosen(openings=openings):
            starts = openings
        case BrokenAtStart(broken=failure):
            starts = (failure,)
        case Uncovered():
            starts = ()
    seen, todo, found = {id(s) for s in starts}, list(starts), Counter[Formula]()
    while todo:
        here = todo.pop()
        if isinstance(here, Broken):
            found[here.formula] += 1
            continue
        for after in following(here):
            if id(after) not in seen:
                seen.add(id(after))
                todo.append(after)
    return tuple(formula for formula, _ in found.most_common())


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
