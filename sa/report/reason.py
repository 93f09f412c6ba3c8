"""What goes wrong in a play, in one sentence and in the words of the two programs."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from posixpath import basename
from typing import assert_never

from msgspec import Struct

from sa.automata.automaton import EXIT, FAIL, UNDEFINED, Automaton, Edge, Kind, Origin, Shown, edges_from
from sa.automata.trace import Configuration
from sa.base.source import position
from sa.certificates.goal import Goal
from sa.certificates.play import Broken, BrokenAtStart, Chosen, PlainPlay, Position, Step, Uncovered, Unmatched
from sa.report.explain import BEGINS, Wording, bare, broken, is_internal, shown_variables, told_action, wording, written
from sa.report.formulas import action_name
from sa.report.passed import statement_place
from sa.report.render_values import changes_told, told_of, values_told
from sa.report.story import last_position
from sa.terms import build
from sa.terms.evaluate import State, Unevaluable, evaluate, holds
from sa.terms.name import ABSTRACT
from sa.terms.sort import Value, show_value
from sa.terms.term import Term, Var, sort_of

#: So many values are listed, and so many abstract states are looked at.
_VALUES, _STATES = 4, 256


class _Sides(Struct, frozen=True):
    """The two programs by the names of their files, or by their sides where these are one."""

    concrete: str
    abstract: str


def reason_of_play(play: PlainPlay, goal: Goal) -> str:
    """What Spoiler shows at the end of the main line."""
    sides = _sides(goal)
    match play:
        case Uncovered(concrete):
            start = _state(concrete, goal.concrete)
            return f"no initial state of {sides.abstract} is related to {start} in {sides.concrete}"
        case BrokenAtStart(failure):
            return _broken_at_start(failure, goal)
        case Position() | Chosen():
            here = last_position(play)
            if here is not None:
                return _at(here, goal, sides)
            first = play.openings[0] if isinstance(play, Chosen) and play.openings else None
            if isinstance(first, Broken):
                return _broken_at_start(first, goal)
            return f"{sides.abstract} has no initial state here"
        case _:
            assert_never(play)


def _sides(goal: Goal) -> _Sides:
    spans = (goal.concrete.origin.span, goal.abstract.origin.span)
    names = tuple("" if span is None else span.source.name for span in spans)
    short = tuple(map(basename, names))
    if all(short) and short[0] != short[1]:
        return _Sides(*short)
    return _Sides("the concrete program", "the abstract program")


def _state(here: Configuration, side: Automaton) -> str:
    values = {v: here.values[v] for v in shown_variables(side) if v in here.values}
    return ", ".join(f"{name} = {value}" for name, value in values_told(values, None, told_of(side))) or "the start"


def _broken_at_start(failure: Broken, goal: Goal) -> str:
    why = broken(failure, wording(goal, details=False))
    values = f" ({', '.join(why.values)})" if why.values else ""
    return f"{why.text} is false at the start{values}"


def _at(here: Position, goal: Goal, sides: _Sides) -> str:
    match here.move:
        case Unmatched(concrete):
            after = {v: concrete.values[v] for v in shown_variables(goal.concrete) if v in concrete.values}
            changes = changes_told(here.concrete.values, after, None, told_of(goal.concrete))
            done = ", ".join(f"{name}: {first} → {last}" for name, first, last in changes) or "what it does"
            return f"the environment of {sides.concrete} may do {done}, and that of {sides.abstract} may not"
        case Step() as step:
            edge = step.move.edge
            where = f"{sides.concrete}{_line(edge.origin, goal.concrete)}"
            if edge.failure is not None or (edge.label is not None and edge.label.action == FAIL):
                how = "" if edge.failure is None else f" ({edge.failure.fault.value})"
                return f"{where} fails{how}, and {sides.abstract} does not"
            if edge.label is None:
                return _silent(step, where, goal, sides)
            return _shows(step, here, where, goal, sides)
        case move:
            raise AssertionError(move)


def _line(origin: Origin, side: Automaton) -> str:
    span = statement_place(origin, side.origin.span)
    return "" if span is None else f":{position(span.source, span.start).line}"


# ---------------------------------------------------------------- silent steps


def _silent(step: Step, where: str, goal: Goal, sides: _Sides) -> str:
    """A step that breaks what is related, whatever the abstract side does."""
    failures = [r.then for r in step.replies if isinstance(r.then, Broken)]
    if not failures:
        if step.others:
            return f"every answer of {sides.abstract} to the step at {where} fails later"
        return f"{sides.abstract} has no answer to the step at {where}"
    formulas = list(dict.fromkeys(f.formula for f in failures))
    words = wording(goal, details=False)
    name = written(formulas[0].term, words)
    if name is not None and len(formulas) == 1:
        given = _given(goal.concrete, failures[0].concrete.values, words)
        return f"{where} writes `{name}` where {sides.abstract} does not{given}"
    pairs = [_pair(f.term) for f in formulas]
    found = sorted((p for p in pairs if p is not None), key=lambda p: p[0].key)
    if len(found) == len(pairs):
        mine = _words([p[0] for p in found], failures[0].concrete.values, goal.concrete)
        theirs = [_words([p[1] for p in found], f.abstract.values, goal.abstract) for f in failures]
        between = "; or "
        if len(found) == 1:
            # The name once.
            between, theirs = " or ", [theirs[0], *(s.rpartition(" = ")[2] for s in theirs if s != theirs[0])]
        return f"{where} leads to {mine}, and {sides.abstract} has {_either(theirs, between)}"
    why = broken(failures[0], words)
    values = f" ({', '.join(why.values)})" if why.values else ""
    others = "" if len(formulas) == 1 else ", or breaks something else"
    return f"after {where} every answer of {sides.abstract} breaks {why.text}{values}{others}"


def _pair(term: Term) -> tuple[Var, Var] | None:
    """The concrete and the abstract variable that a formula says to be equal."""
    if len(term.free) != 2:
        return None
    second, first = sorted(term.free, key=lambda v: v.name.side != ABSTRACT)
    equal = sort_of(first) == sort_of(second) and build.eq(first, second) is term
    return (first, second) if equal and second.name.side == ABSTRACT != first.name.side else None


def _words(variables: Sequence[Var], values: Mapping[Var, Value], side: Automaton) -> str:
    told = values_told({v: values[v] for v in variables}, None, told_of(side))
    return ", ".join(f"{name} = {value}" for name, value in told)


# ---------------------------------------------------------------- visible steps


class _Offer(Struct, frozen=True):
    """A step with an action that silent steps of the abstract side lead to, and the state before it."""

    edge: Edge
    before: State


def _shows(step: Step, here: Position, where: str, goal: Goal, sides: _Sides) -> str:
    """A visible step that the abstract side cannot make, or not with these values."""
    edge = step.move.edge
    before = {**here.concrete.values, **step.move.choices}
    words = wording(goal, details=False)
    asked = told_action(edge, before, words)
    fails = any(isinstance(r.then, Broken) for r in step.replies) or bool(step.others)
    if edge.label is not None and edge.label.action == EXIT and not fails:
        return f"{sides.concrete} ends{_at_line(edge.origin, goal.concrete)} where {sides.abstract} cannot"
    if edge.label is not None and edge.label.action == UNDEFINED:
        given = _given(goal.concrete, here.concrete.values, words)
        return f"the behaviour of {where} is undefined where that of {sides.abstract} is not{given}"
    every, complete = _offers(goal.abstract, here.abstract)
    offered = [o for o in every if action_name(o.edge) == action_name(edge)]
    if not offered and not fails:
        others = _others(every, goal, sides, words) if complete else None
        if others is not None:
            return f"{where} shows {asked} where {others}"
        return f"{where} shows {asked}, which {sides.abstract} cannot show here"
    example = "" if complete else ", for example,"
    lines = {_line(o.edge.origin, goal.abstract) for o in offered}
    there = sides.abstract + (lines.pop() if len(lines) == 1 else "")
    found = [_differences(edge, before, goal.concrete, o, goal.abstract) for o in offered]
    if found and found[0][0] and all(mine == found[0][0] for mine, _ in found):
        theirs = _either((", ".join(theirs) for _, theirs in found), "; or ")
        shows, has = ("publishes", "publishes") if words.alone and _releases(edge) else ("shows", "has")
        return f"{where} {shows} {', '.join(found[0][0])} where {there} {has}{example} {theirs}"
    shown = [str(told_action(o.edge, o.before, words)) for o in offered]
    if any(o.edge.label is not None and not _is_known(o.edge.label.values, o.before) for o in offered):
        # What the step shows it chooses: no choice is an answer.
        return f"{where} shows {asked}, which {there} cannot show here"
    if shown and asked not in shown:
        return f"{where} shows {asked} where {there} shows{example} {_either(shown, ' or ')}"
    return _silent(step, where, goal, sides)


def _given(side: Automaton, values: Mapping[Var, Value], words: Wording) -> str:
    """The arguments of a function that is compared alone, unless it changes them: `, with n = 0`."""
    begin = {e for e in side.edges if e.label is not None and e.label.action == BEGINS}
    changed = {v for e in side.edges if e not in begin for v, _ in e.updates}
    shown = {v.var: v.shown for v in side.variables if v.kind is Kind.LOCAL and v.shown is not None}
    own = {v for v, s in shown.items() if not s.about and s.name not in words.followed and not is_internal(v)}
    found = {v for e in begin for v, _ in e.updates} & own & values.keys() - changed
    told = _words(sorted(found, key=lambda v: v.key), values, side)
    return f", with {told}" if told else ""


def _releases(edge: Edge) -> bool:
    """Whether others may see after the step what was written before it."""
    return edge.label is not None and re.search(r"release|unlock", edge.label.action) is not None


def _others(every: Sequence[_Offer], goal: Goal, sides: _Sides, words: Wording) -> str | None:
    """What the abstract side does instead, where that is known."""
    ends = [o.edge.label is not None and o.edge.label.action == EXIT for o in every]
    if any(ends):
        return f"{sides.abstract} ends" if all(ends) else None
    if not every or any(o.edge.label is not None and not _is_known(o.edge.label.values, o.before) for o in every):
        return None
    lines = {_line(o.edge.origin, goal.abstract) for o in every}
    there = sides.abstract + (lines.pop() if len(lines) == 1 else "")
    return f"{there} shows {_either((str(told_action(o.edge, o.before, words)) for o in every), ' or ')}"


def _is_known(values: Iterable[Term], state: State) -> bool:
    """Whether the values are known in a state, without choices."""
    return all(v in state for t in values for v in t.free)


def _either(texts: Iterable[str], between: str) -> str:
    """Each text once, and not too many."""
    once = list(dict.fromkeys(texts))
    return between.join([*once[:_VALUES], "…"] if len(once) > _VALUES else once)


def _at_line(origin: Origin, side: Automaton) -> str:
    line = _line(origin, side)
    return f" at line {line[1:]}" if line else ""


def _differences(
    edge: Edge, before: State, concrete: Automaton, offered: _Offer, abstract: Automaton
) -> tuple[list[str], list[str]]:
    """The variables that both labels show with different values, as each side has them."""
    mine, theirs = list[str](), list[str]()
    assert edge.label is not None
    assert offered.edge.label is not None
    for one, two in zip(edge.label.values, offered.edge.label.values, strict=False):
        name, other = _named(one, concrete), _named(two, abstract)
        try:
            first, second = evaluate(one, before), evaluate(two, offered.before)
        except Unevaluable:
            continue
        if first != second and name is not None and other is not None:
            mine.append(f"{name} = {show_value(first, sort_of(one))}")
            theirs.append(f"{other} = {show_value(second, sort_of(two))}")
    return mine, theirs


def _named(term: Term, side: Automaton) -> str | None:
    """The only variable of the program that a value depends on."""
    shown = {v.var: v.shown or Shown(bare(v.var)) for v in side.variables if not is_internal(v.var)}
    found = [s.name for v in term.free if (s := shown.get(v)) is not None and not s.about]
    return found[0] if len(found) == 1 else None


def _offers(abstract: Automaton, start: Configuration) -> tuple[Sequence[_Offer], bool]:
    """Visible steps that silent ones lead to, the nearest first, and whether these are all.

    They are not where silent steps choose values, or lead to too many states.
    """
    outgoing = edges_from(abstract)
    found, complete = list[_Offer](), True
    seen, todo = {_key(start)}, deque([start])
    while todo and len(seen) < _STATES:
        here = todo.popleft()
        for edge in outgoing[here.location]:
            try:
                possible = holds(edge.guard, here.values)
                after = {**here.values, **{v: evaluate(t, here.values) for v, t in edge.updates}}
            except Unevaluable:
                possible, after = True, None
            if possible and edge.label is not None:
                found.append(_Offer(edge, here.values))
            elif possible and after is None:
                complete = False
            elif possible and after is not None and _key(then := Configuration(edge.target, after)) not in seen:
                seen.add(_key(then))
                todo.append(then)
    return found, complete and not todo


def _key(here: Configuration) -> tuple[str, tuple[Value, ...]]:
    return here.location, tuple(here.values.values())
