"""Plays that lead where the abstract thread may go on silently for very long.

Where loops of the abstract side are taken to end, a run that stays in one is none that the claim is about: a play does
not count that loses only because such a loop is never left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label, Variable
from sa.automata.ranges import count_of, values_of
from sa.automata.trace import Configuration, Move
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Play,
    Position,
    Step,
    Uncovered,
    Unmatched,
)
from sa.engines.outcome import Outcome, combined
from sa.terms.evaluate import Unevaluable, evaluate, holds
from sa.terms.sort import Value
from sa.terms.term import Var

_STAYS = "a play leads where a loop of the first function may go on for ever, which is taken to end"

#: More silent steps than these are very long, and so are this many states.
LENGTH, STATES = 2_000, 20_000

#: Values of one choice that are tried at most.
VALUES = 64


class _State(Struct, frozen=True):
    """An abstract state of a play, and the action with its values that is to be shown from there."""

    here: Configuration
    action: str | None
    shown: tuple[Value, ...] = ()

    @property
    def key(self) -> object:
        return self.here.location, tuple(self.here.values.values()), self.action


def counted(outcome: Outcome) -> Outcome:
    """The outcome without plays that may lose only because a loop is never left that is taken to end."""
    results = tuple(
        replace(r, verdict=Verdict.UNKNOWN, play=None, loss=None, unknown=Unknown(Reason.BOUND, _STAYS))
        if r.play is not None and _may_last(r.play, r.goal.abstract)
        else r
        for r in outcome.results
    )
    return outcome if results == outcome.results else replace(outcome, results=results, verdict=combined(results))


class _Untried(Exception):
    """A step on a way into a circle has more values than are tried, or none that is known."""


def _may_last(play: Play, abstract: Automaton) -> bool:
    """Whether, as far as is known, the abstract side may go on silently for longer than is followed."""
    try:
        return _lasts(play, abstract)
    except _Untried:
        return True


def _lasts(play: Play, abstract: Automaton) -> bool:
    circling, edges = _circling(abstract), dict[str, list[Edge]]()
    for edge in abstract.edges:
        if edge.target in circling:
            edges.setdefault(edge.source, []).append(edge)
    current, seen = list(_states(play)), 0
    for _ in range(LENGTH):
        current = list({after.key: after for state in current for after in _after(state, edges)}.values())
        seen += len(current)
        if not current or seen > STATES:
            break
    return bool(current)


def _circling(automaton: Automaton) -> Set[str]:
    """The locations from which silent steps lead into a circle of such steps."""
    left = {q.name for q in automaton.locations}
    while True:
        going_on = {e.source for e in automaton.edges if e.label is None and e.source in left and e.target in left}
        if going_on == left:
            return left
        left = going_on


def _states(play: Play) -> Iterator[_State]:
    pending: list[Position | Broken] = []
    match play:
        case Position():
            pending.append(play)
        case Chosen():
            pending += play.openings
        case BrokenAtStart():
            pending.append(play.broken)
        case Uncovered():
            pass
    while pending:
        here = pending.pop()
        made = here.move if isinstance(here, Position) else None
        match made:
            case Step(move=Move(edge=Edge(label=Label() as label), choices=choices)):
                before = {**here.concrete.values, **choices}
                yield _State(here.abstract, label.action, tuple(evaluate(t, before) for t in label.values))
            case _:
                yield _State(here.abstract, None)
        match made:
            case Step():
                pending += [r.then for r in made.replies]
            case EnvironmentMove():
                pending.append(made.then)
            case Unmatched() | None:
                pass


def _after(state: _State, edges: Mapping[str, Sequence[Edge]]) -> Iterator[_State]:
    """What silent steps lead to, and what the action does: after it only silent steps are looked at."""
    for edge in edges.get(state.here.location, ()):
        if edge.label is not None and edge.label.action != state.action:
            continue
        told = dict[Var, Value]() if edge.label is None else dict(_told(edge.label, state.shown))
        for picked in product(*(_tried(c, told) for c in edge.choices)):
            before = {**state.here.values, **dict(picked)}
            try:
                if holds(edge.guard, before):
                    done = {v: evaluate(t, before) for v, t in edge.updates}
                    here = Configuration(edge.target, {**state.here.values, **done})
                    yield _State(here, None) if edge.label is not None else replace(state, here=here)
            except Unevaluable:
                raise _Untried from None


def _told(label: Label, shown: Sequence[Value]) -> Iterator[tuple[Var, Value]]:
    return ((t, v) for t, v in zip(label.values, shown, strict=False) if isinstance(t, Var))


def _tried(choice: Variable, told: Mapping[Var, Value]) -> Sequence[tuple[Var, Value]]:
    """The values of a choice, or the one that is shown. Raises _Untried where there are too many."""
    if choice.var in told:
        return [(choice.var, told[choice.var])]
    count, every = count_of(choice), values_of(choice)
    if every is None or count is None or count > VALUES:
        raise _Untried
    return [(choice.var, v) for v in every]
