"""Judges a play for REFUTED (`sa.certificates.play`) by evaluation and enumeration alone (THEORY section 3).

Every move of Spoiler must be legal, every leaf a loss for Duplicator, and the answers listed must be all
there are: where they can be enumerated they are. What rests on a solver's word (`Exhausted.SOLVER`) and
cannot be enumerated is counted, not believed. Meant for the tests: the product has a checker of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind, Variable, location_of, variables_of
from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal, iota_of, kappa_of, matches_environments
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Exhausted,
    Play,
    Position,
    Reply,
    Step,
    Uncovered,
    Unmatched,
)
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import Value, is_value, number
from sa.terms.substitute import primed
from sa.terms.term import Var, sort_of
from tests.oracle.explicit import (
    Action,
    Explicit,
    State,
    component_steps,
    configuration,
    environment_steps,
    explicit,
    initial_states,
    state_of,
)
from tests.oracle.formula import Unbounded

#: States looked at for one set of answers; more are not enumerated.
_LIMIT = 20_000


class Judgement(Struct, frozen=True):
    """The first thing that is wrong with a play, None if it is right, and how many leaves before that were
    not enumerated but left to a solver's word.
    """

    fault: str | None
    unchecked: int


class Case(NamedTuple):
    """A goal, its abstract side ready for enumeration, and whether the positions met, by identity, are judged."""

    goal: Goal
    abstract: Explicit
    judged: dict[int, bool]


#: A fault in words, or None for a leaf that could not be enumerated and says so.
Finding = str | None


def judge(goal: Goal, play: Play) -> Judgement:
    """Whether the play shows that the goal does not hold. Raises Unevaluable where functions are involved."""
    unchecked = 0
    # What comes after a fault need not make sense, so nothing of it is evaluated.
    for finding in _play(Case(goal, explicit(goal.abstract), {}), play):
        if finding is not None:
            return Judgement(finding, unchecked)
        unchecked += 1
    return Judgement(None, unchecked)


def _play(case: Case, play: Play) -> Iterator[Finding]:
    goal = case.goal
    match play:
        case Position(concrete, abstract):
            if goal.choose_init:
                yield "the abstract side chooses its start, and the play has only one"
            yield from _start(goal, concrete, abstract)
            yield from _position(case, play)
        case BrokenAtStart(broken):
            if goal.choose_init:
                yield "the abstract side chooses its start, and the play has only one"
            yield from _start(goal, broken.concrete, broken.abstract)
            yield from _broken(goal, broken, broken.concrete, broken.abstract)
        case Uncovered(concrete, exhausted):
            yield from _initial(goal.concrete, concrete)
            yield from _complete(lambda: _openings(case, concrete), (), exhausted, "starts")
        case Chosen(concrete, openings, exhausted):
            if not goal.choose_init:
                yield "the abstract side does not choose its start"
            for opening in openings:
                yield from _start(goal, concrete, opening.abstract)
                yield from _outcome(case, opening, concrete, opening.abstract)
            listed = [opening.abstract for opening in openings]
            yield from _complete(lambda: _openings(case, concrete), listed, exhausted, "starts")


def _outcome(
    case: Case, then: Position | Broken, concrete: Configuration, abstract: Configuration
) -> Iterator[Finding]:
    goal = case.goal
    if not _equal(then.concrete, concrete) or not _equal(then.abstract, abstract):
        yield "the play goes on from another pair than the one reached"
    if isinstance(then, Broken):
        yield from _broken(goal, then, concrete, abstract)
    else:
        yield from _position(case, then)


def _broken(goal: Goal, broken: Broken, concrete: Configuration, abstract: Configuration) -> Iterator[Finding]:
    if broken.formula not in goal.iota:
        yield "the formula said to be broken is not part of ι"
    if holds(broken.formula.term, {**concrete.values, **abstract.values}):
        yield "the formula said to be broken holds"


def _position(case: Case, here: Position) -> Iterator[Finding]:
    """What is wrong with a position and all after it. Plays share positions, so each is judged once."""
    if id(here) in case.judged:
        if not case.judged[id(here)]:
            yield "the play contains a cycle"
        return
    case.judged[id(here)] = False
    yield from _moved(case, here)
    case.judged[id(here)] = True


def _moved(case: Case, here: Position) -> Iterator[Finding]:
    goal = case.goal
    match here.move:
        case Step():
            yield from _step(case, here, here.move)
        case EnvironmentMove():
            yield from _environment_move(case, here, here.move)
        case Unmatched(concrete=concrete, exhausted=exhausted):
            if not matches_environments(goal):
                yield "environments need not be matched here"
            yield from _environment_step(goal.concrete, here.concrete, concrete)
            yield from _complete(
                lambda: _matches(case, concrete, here.abstract), (), exhausted, "matching environments"
            )


def _step(case: Case, here: Position, step: Step) -> Iterator[Finding]:
    goal = case.goal
    yield from _component_step(goal.concrete, here.concrete, step.move)
    action = _shown(here.concrete, step.move)
    for reply in step.replies:
        yield from _reply(goal, here.abstract, action, reply)
        end = reply.moves[-1].after if reply.moves else here.abstract
        yield from _outcome(case, reply.then, step.move.after, end)
    listed = [reply.moves[-1].after if reply.moves else here.abstract for reply in step.replies]
    if step.exhausted is Exhausted.UP_TO_WAITING:
        if not goal.closed:
            yield "answers may wait in closed goals only"
        won = [reply.then.abstract for reply in step.replies if isinstance(reply.then, Position)]
        listed += [configuration(case.abstract, s) for s in _silently(case, [state_of(case.abstract, w) for w in won])]
    yield from _complete(
        lambda: _answers(case, step.move.after, here.abstract, action), listed, step.exhausted, "answers"
    )


def _reply(goal: Goal, start: Configuration, action: Action, reply: Reply) -> Iterator[Finding]:
    here, seen = start, []
    for move in reply.moves:
        yield from _component_step(goal.abstract, here, move)
        if (shown := _shown(here, move)) is not None:
            seen.append(shown)
        here = move.after
    if seen != ([] if action is None else [action]):
        yield "an answer does not show what the step shows"


def _environment_move(case: Case, here: Position, environment_move: EnvironmentMove) -> Iterator[Finding]:
    goal = case.goal
    yield from _environment_step(goal.concrete, here.concrete, environment_move.concrete)
    last = here.abstract
    for after in environment_move.abstract:
        yield from _environment_step(goal.abstract, last, after)
        last = after
    if not holds(iota_of(goal), {**environment_move.concrete.values, **last.values}):
        yield "ι does not hold after the environments' moves"
    yield from _outcome(case, environment_move.then, environment_move.concrete, last)


def _start(goal: Goal, concrete: Configuration, abstract: Configuration) -> Iterator[Finding]:
    yield from _initial(goal.concrete, concrete)
    yield from _initial(goal.abstract, abstract)
    both = {**concrete.values, **abstract.values}
    if any(abstract.values[v] != concrete.values[v] for v in concrete.values if v in abstract.values):
        yield "the sides have different parameters"
    if not holds(kappa_of(goal), both):
        yield "κ does not relate the initial states"


def _initial(automaton: Automaton, there: Configuration) -> Iterator[Finding]:
    yield from _state(automaton, there)
    if there.location != automaton.initial or not holds(automaton.init, there.values):
        yield f"a state of {automaton.name} is not initial"


def _state(automaton: Automaton, there: Configuration) -> Iterator[Finding]:
    if all(there.location != q.name for q in automaton.locations):
        yield f"a state of {automaton.name} is at a location that is not there"
    elif set(there.values) != {v.var for v in automaton.variables}:
        yield f"a state of {automaton.name} does not give a value to each variable and to no other"
    elif not all(_inside(v, there.values[v.var]) for v in automaton.variables):
        yield f"a value of {automaton.name} is outside of its variable's range"
    elif not holds(location_of(automaton, there.location).inv, there.values):
        yield f"a state of {automaton.name} breaks the invariant of {there.location}"


def _inside(variable: Variable, value: Value) -> bool:
    if not is_value(value, variable.var.sort):
        return False
    low, high = variable.low, variable.high
    return (low is None or low <= number(value)) and (high is None or number(value) <= high)


def _component_step(automaton: Automaton, here: Configuration, move: Move) -> Iterator[Finding]:
    yield from _state(automaton, here)
    yield from _state(automaton, move.after)
    edge = move.edge
    if edge not in automaton.edges or (edge.source, edge.target) != (here.location, move.after.location):
        yield f"a step of {automaton.name} takes an edge that is not there"
    if set(move.choices) != {c.var for c in edge.choices} or not all(
        _inside(c, move.choices[c.var]) for c in edge.choices
    ):
        yield f"a step of {automaton.name} chooses values that it may not"
    scope = {**here.values, **move.choices}
    if not holds(edge.guard, scope):
        yield f"a step of {automaton.name} takes an edge whose guard is false"
    if {**here.values, **{v: evaluate(t, scope) for v, t in edge.updates}} != dict(move.after.values):
        yield f"a step of {automaton.name} leads elsewhere"


def _shown(here: Configuration, move: Move) -> Action:
    label = move.edge.label
    if label is None:
        return None
    scope = {**here.values, **move.choices}
    return label.action, tuple(sort_of(t).name for t in label.values), tuple(evaluate(t, scope) for t in label.values)


def _environment_step(automaton: Automaton, here: Configuration, after: Configuration) -> Iterator[Finding]:
    yield from _state(automaton, here)
    yield from _state(automaton, after)
    fixed = (*variables_of(automaton, Kind.LOCAL), *variables_of(automaton, Kind.PARAM))
    if here.location != after.location or any(here.values[v] != after.values[v] for v in fixed):
        yield f"an environment step of {automaton.name} changes what is not global"
    env = location_of(automaton, here.location).env
    then: Mapping[Var, Value] = {primed(v): value for v, value in after.values.items()}
    if env is None or not holds(env, {**here.values, **then}):
        yield f"a step is not in the environment of {automaton.name} at {here.location}"


def _complete(
    enumerate_all: Callable[[], Iterable[Configuration]], listed: Iterable[Configuration], how: Exhausted, what: str
) -> Iterator[Finding]:
    """Every one of `enumerate_all` is listed."""
    known = list(listed)
    try:
        if not all(any(_equal(there, k) for k in known) for there in enumerate_all()):
            yield f"the play does not list all {what}"
    except Unbounded as reason:
        yield None if how is Exhausted.SOLVER else f"the {what} are said to be enumerated: {reason} is unbounded"


def _equal(one: Configuration, other: Configuration) -> bool:
    return one.location == other.location and dict(one.values) == dict(other.values)


def _openings(case: Case, concrete: Configuration) -> Iterator[Configuration]:
    for s2 in initial_states(case.abstract):
        abstract = configuration(case.abstract, s2)
        agree = all(concrete.values[v] == x for v, x in abstract.values.items() if v in concrete.values)
        if agree and holds(kappa_of(case.goal), {**concrete.values, **abstract.values}):
            yield abstract


def _matches(case: Case, concrete: Configuration, abstract: Configuration) -> Iterator[Configuration]:
    x = case.abstract
    for end in _reached([state_of(x, abstract)], lambda s: environment_steps(x, s)):
        there = configuration(x, end)
        if holds(iota_of(case.goal), {**concrete.values, **there.values}):
            yield there


def _answers(case: Case, concrete: Configuration, abstract: Configuration, action: Action) -> Iterator[Configuration]:
    """The ends of the answers after which ι holds: the others lose by themselves and need not be listed."""
    x = case.abstract
    ends = _silently(case, [state_of(x, abstract)])
    if action is not None:
        steps = [step for s in ends for step in component_steps(x, s)]
        ends = _silently(case, [step.after for step in steps if step.action == action])
    for end in ends:
        there = configuration(x, end)
        if holds(iota_of(case.goal), {**concrete.values, **there.values}):
            yield there


def _silently(case: Case, states: Iterable[State]) -> list[State]:
    """What silent abstract steps lead to, the states themselves included. Raises Unbounded."""
    return _reached(states, lambda s: [t.after for t in component_steps(case.abstract, s) if t.action is None])


def _reached(states: Iterable[State], successors: Callable[[State], Iterable[State]]) -> list[State]:
    """Everything that is reached from `states`, they included. Raises Unbounded where there is no end."""
    found = dict.fromkeys(states)
    pending = list(found)
    while pending:
        fresh = [after for after in successors(pending.pop()) if after not in found]
        found.update(dict.fromkeys(fresh))
        pending.extend(fresh)
        if len(found) > _LIMIT:
            raise Unbounded("the number of states to look at")
    return list(found)
