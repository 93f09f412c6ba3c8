"""Plays that lead where the abstract thread may go on silently for very long.

Where loops of the abstract side are taken to end, a run that stays in one is none that the claim is about: a play does
not count that loses only because such a loop is never left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label
from sa.automata.trace import Configuration, Move
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.interpreted import goal_of, plain_play
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    PlainPlay,
    Position,
    Step,
    Uncovered,
    Unmatched,
)
from sa.engines.outcome import Outcome, combined
from sa.explicit.instantiate import Picks, extensions, picks
from sa.terms.evaluate import Unevaluable, evaluate, holds
from sa.terms.sort import Value
from sa.terms.term import Var

_STAYS = "the play needs a loop of the first function to run forever, and C lets such loops be assumed to end"

#: More silent steps than these are very long, and so are this many states.
LENGTH, STATES = 2_000, 20_000

#: Values of one choice that are tried at most, and looks at values of all choices of a step.
VALUES, LOOKS = 64, 4_096


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
        if r.play is not None and _may_last(plain_play(r.play), goal_of(r.play, r.goal).abstract)
        else r
        for r in outcome.results
    )
    return outcome if results == outcome.results else replace(outcome, results=results, verdict=combined(results))


class _Way(Struct, frozen=True, eq=False):
    """An edge with how its choices get values: `picked` are those that its label tells at these places, then others."""

    edge: Edge
    known: tuple[Var, ...]
    told: tuple[int, ...]
    picked: tuple[Var, ...]
    how: Picks


class _Untried(Exception):
    """A step on a way into a circle has more values than are tried, or none that is known."""


def _may_last(play: PlainPlay, abstract: Automaton) -> bool:
    """Whether, as far as is known, the abstract side may go on silently for longer than is followed."""
    try:
        return _lasts(play, abstract)
    except _Untried:
        return True


def _lasts(play: PlainPlay, abstract: Automaton) -> bool:
    circling, ways = _circling(abstract), dict[str, list[_Way]]()
    known = tuple(v.var for v in abstract.variables)
    for edge in abstract.edges:
        if edge.target in circling:
            ways.setdefault(edge.source, []).append(_way(edge, known))
    current, seen = list(_states(play)), 0
    if any(v not in state.here.values for state in current for v in known):
        return True
    for _ in range(LENGTH):
        current = list({after.key: after for state in current for after in _after(state, ways)}.values())
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


def _states(play: PlainPlay) -> Iterator[_State]:
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


def _after(state: _State, ways: Mapping[str, Sequence[_Way]]) -> Iterator[_State]:
    """What silent steps lead to, and what the action does: after it only silent steps are looked at."""
    for way in ways.get(state.here.location, ()):
        edge = way.edge
        if edge.label is not None and edge.label.action != state.action:
            continue
        told = () if edge.label is None else tuple(state.shown[n] for n in way.told)
        row = (*(state.here.values[v] for v in way.known), *told)
        try:
            rows, all_of_them = extensions(way.how, row, LOOKS)
            if not all_of_them:
                raise _Untried
            for picked in rows:
                chosen = zip(way.picked, (*told, *picked), strict=True)
                before = {**state.here.values, **dict(chosen)}
                if holds(edge.guard, before):
                    done = {v: evaluate(t, before) for v, t in edge.updates}
                    here = Configuration(edge.target, {**state.here.values, **done})
                    yield _State(here, None) if edge.label is not None else replace(state, here=here)
        except Unevaluable:
            raise _Untried from None


def _way(edge: Edge, known: tuple[Var, ...]) -> _Way:
    """How the choices of an edge get values: those that the label shows are told, the others follow or are tried."""
    chosen = {c.var for c in edge.choices}
    shown = () if edge.label is None else edge.label.values
    told = {t: n for n, t in enumerate(shown) if isinstance(t, Var) and t in chosen}
    others = [c for c in edge.choices if c.var not in told]
    how = picks(edge.guard, (*known, *told), others, (), VALUES)
    return _Way(edge, known, tuple(told.values()), (*told, *(c.var for c in others)), how)
