"""Plays as JSON, of plain values. Positions are a list in which each one comes behind those that it leads to."""

from __future__ import annotations

from typing import assert_never

from sa.automata.trace import Configuration
from sa.certificates.goal import Goal
from sa.certificates.interpreted import functions_mentioned, interpreted_goal
from sa.certificates.meaning_json import meaning_json, read_meaning
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Exhausted,
    Interpreted,
    Obstacle,
    Passed,
    Play,
    Position,
    Refusal,
    Region,
    Reply,
    Silent,
    SpoilerMove,
    Step,
    Uncovered,
    Unmatched,
    following,
)
from sa.certificates.regions_json import (
    beyond_json,
    passed_json,
    read_beyond,
    read_passed,
    read_regions,
    read_silent,
    regions_json,
    silent_json,
)
from sa.certificates.scope import goal_scope
from sa.certificates.shape import Entry, Json
from sa.certificates.state_json import move_json, read_edge, read_move, read_state, state_json
from sa.terms.read_smtlib import Names
from sa.terms.smtlib import smtlib


def play_json(play: Play, goal: Goal) -> Json:
    """A play as JSON."""
    match play:
        case Position():
            table = _Table(goal, (play,))
            return {"strategy": {"start": table.number(play), "positions": table.written}}
        case Uncovered(concrete, exhausted):
            return {"uncovered": {"concrete": state_json(concrete), "exhausted": _name(exhausted)}}
        case BrokenAtStart(broken):
            return {"broken_at_start": _broken_json(broken, goal)}
        case Chosen(concrete, openings, exhausted):
            table = _Table(goal, tuple(o for o in openings if isinstance(o, Position)))
            first = [
                {"position": table.number(o)} if isinstance(o, Position) else {"broken": _broken_json(o, goal)}
                for o in openings
            ]
            return {
                "chosen": {
                    "concrete": state_json(concrete),
                    "openings": first,
                    "exhausted": _name(exhausted),
                    "positions": table.written,
                }
            }
        case Interpreted(meaning, inner):
            told = play_json(inner, interpreted_goal(goal, meaning))
            return {"interpreted": {"functions": meaning_json(meaning), "play": told}}
        case _:
            assert_never(play)


def _name(exhausted: Exhausted) -> str:
    return exhausted.name.lower()


def _broken_json(broken: Broken, goal: Goal) -> Json:
    return {
        "concrete": state_json(broken.concrete),
        "abstract": state_json(broken.abstract),
        "conjunct": goal.iota.index(broken.formula),
    }


class _Table:
    """Positions and their numbers; a position that several answers lead to is written once."""

    def __init__(self, goal: Goal, roots: tuple[Position, ...]) -> None:
        self.written: list[Json] = []
        self._goal = goal
        self._numbers: dict[int, int] = {}
        self._kept: list[Position] = []
        for root in roots:
            self._write(root)

    def number(self, position: Position) -> int:
        return self._numbers[id(position)]

    def _write(self, root: Position) -> None:
        # Not by recursion: plays may be long.
        stack = [root]
        while stack:
            here = stack[-1]
            missing = [p for p in following(here) if isinstance(p, Position) and id(p) not in self._numbers]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if id(here) not in self._numbers:
                self._numbers[id(here)] = len(self.written)
                self._kept.append(here)
                self.written.append(self._position(here))

    def _position(self, here: Position) -> Json:
        return {
            "concrete": state_json(here.concrete),
            "abstract": state_json(here.abstract),
            "move": self._move(here.move),
        }

    def _move(self, move: SpoilerMove) -> Json:
        match move:
            case Step():
                step = move_json(move.move, self._goal.concrete)
                replies = [self._reply(r) for r in move.replies]
                more: Json = {
                    "others": regions_json(move.others),
                    "silent": silent_json(move.silent),
                    "passed": passed_json(move.passed),
                }
                return {
                    "step": {
                        **step,
                        **(more if move.others or move.silent or move.passed else {}),
                        "replies": replies,
                        "refusals": [self._refusal(r) for r in move.refusals],
                        "exhausted": _name(move.exhausted),
                        "beyond": beyond_json(move.beyond),
                    }
                }
            case EnvironmentMove(concrete, abstract, identity, then):
                return {
                    "environment": {
                        "concrete": state_json(concrete),
                        "abstract": [state_json(a) for a in abstract],
                        "identity": identity,
                        "then": self.number(then),
                    }
                }
            case Unmatched(concrete, closure, exhausted):
                return {
                    "unmatched": {
                        "concrete": state_json(concrete),
                        "closure": smtlib(closure),
                        "exhausted": _name(exhausted),
                    }
                }
            case _:
                assert_never(move)

    def _refusal(self, refusal: Refusal) -> Json:
        return {
            "edge": self._goal.abstract.edges.index(refusal.edge),
            "at": state_json(refusal.at),
            "obstacle": refusal.obstacle.name.lower(),
        }

    def _reply(self, reply: Reply) -> Json:
        if isinstance(reply.then, Position):
            then = {"position": self.number(reply.then)}
        else:
            then = {"broken": self._goal.iota.index(reply.then.formula)}
        return {"moves": [move_json(m, self._goal.abstract) for m in reply.moves], "then": then}


def read_play(entry: Entry, goal: Goal) -> Play:
    """A play about a goal that was rebuilt. Raises Malformed."""
    kind, what = entry.only()
    match kind:
        case "strategy":
            start, listed = what.fields("start", "positions")
            positions = _positions(listed, goal)
            return positions[start.index(len(positions))]
        case "uncovered":
            concrete, exhausted = what.fields("concrete", "exhausted")
            return Uncovered(read_state(concrete, goal.concrete), exhausted.choice(Exhausted))
        case "broken_at_start":
            return BrokenAtStart(_broken(what, goal))
        case "chosen":
            concrete, openings, exhausted, listed = what.fields("concrete", "openings", "exhausted", "positions")
            positions = _positions(listed, goal)
            first = tuple(_opening(o, goal, positions) for o in openings.items())
            return Chosen(read_state(concrete, goal.concrete), first, exhausted.choice(Exhausted))
        case "interpreted":
            functions, told = what.fields("functions", "play")
            meaning = read_meaning(functions, functions_mentioned(goal))
            if meaning is None:
                raise functions.wrong("what functions mean is expected")
            inner = read_play(told, interpreted_goal(goal, meaning))
            if isinstance(inner, Interpreted):
                raise told.wrong("functions have their meaning already")
            return Interpreted(meaning, inner)
        case _:
            raise entry.wrong("this kind of play is not known")


def _opening(entry: Entry, goal: Goal, positions: list[Position]) -> Position | Broken:
    kind, what = entry.only()
    if kind == "broken":
        return _broken(what, goal)
    return _earlier(entry, what, positions) if kind == "position" else _unknown(entry)


def _unknown(entry: Entry) -> Position:
    raise entry.wrong("a position or what is broken is expected")


def _earlier(entry: Entry, number: Entry, positions: list[Position]) -> Position:
    at = number.number()
    if not 0 <= at < len(positions):
        raise entry.wrong("it does not lead to a position that comes before it in the list")
    return positions[at]


def _broken(entry: Entry, goal: Goal) -> Broken:
    concrete, abstract, conjunct = entry.fields("concrete", "abstract", "conjunct")
    formula = goal.iota[conjunct.index(len(goal.iota))]
    return Broken(formula, read_state(concrete, goal.concrete), read_state(abstract, goal.abstract))


def _positions(entry: Entry, goal: Goal) -> list[Position]:
    names = goal_scope(goal)
    found = list[Position]()
    for item in entry.items():
        first, second, move = item.fields("concrete", "abstract", "move")
        concrete, abstract = read_state(first, goal.concrete), read_state(second, goal.abstract)
        found.append(Position(concrete, abstract, _move(move, goal, names, abstract, found)))
    return found


def _move(entry: Entry, goal: Goal, names: Names, abstract: Configuration, earlier: list[Position]) -> SpoilerMove:
    kind, what = entry.only()
    match kind:
        case "step":
            names_of = ("edge", "choices", "after", "replies", "refusals", "exhausted", "beyond")
            others, silent, passed = tuple[Region, ...](), tuple[Silent, ...](), tuple[Passed, ...]()
            if what.has("others"):
                edge, choices, after, replies, refusals, exhausted, beyond, regions, said, through = what.fields(
                    *names_of, "others", "silent", "passed"
                )
                others, silent = read_regions(regions, goal), read_silent(said, goal)
                passed = read_passed(through, goal)
            else:
                edge, choices, after, replies, refusals, exhausted, beyond = what.fields(*names_of)
            step = {"edge": edge.value, "choices": choices.value, "after": after.value}
            move = read_move(Entry(step, what.where), goal.concrete)
            answered = tuple(_reply(r, goal, move.after, abstract, earlier) for r in replies.items())
            refused = tuple(_refusal(r, goal) for r in refusals.items())
            how, past = exhausted.choice(Exhausted), read_beyond(beyond, goal)
            return Step(move, answered, refused, how, past, others, silent, passed)
        case "environment":
            first, steps, identity, then = what.fields("concrete", "abstract", "identity", "then")
            states = tuple(read_state(s, goal.abstract) for s in steps.items())
            return EnvironmentMove(
                read_state(first, goal.concrete), states, identity.flag(), _earlier(then, then, earlier)
            )
        case "unmatched":
            first, closure, exhausted = what.fields("concrete", "closure", "exhausted")
            concrete = read_state(first, goal.concrete)
            return Unmatched(concrete, closure.term(names), exhausted.choice(Exhausted))
        case _:
            raise entry.wrong("this kind of move is not known")


def _reply(entry: Entry, goal: Goal, reached: Configuration, abstract: Configuration, earlier: list[Position]) -> Reply:
    listed, then = entry.fields("moves", "then")
    moves = tuple(read_move(m, goal.abstract) for m in listed.items())
    kind, what = then.only()
    if kind == "broken":
        # Where a reply ends in a loss its states are those that it reaches.
        end = moves[-1].after if moves else abstract
        return Reply(moves, Broken(goal.iota[what.index(len(goal.iota))], reached, end))
    return Reply(moves, _earlier(then, what, earlier) if kind == "position" else _unknown(then))


def _refusal(entry: Entry, goal: Goal) -> Refusal:
    edge, at, obstacle = entry.fields("edge", "at", "obstacle")
    return Refusal(read_edge(edge, goal.abstract), read_state(at, goal.abstract), obstacle.choice(Obstacle))
