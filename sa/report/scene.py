"""Plays and runs frame by frame, for pages on which one steps through them: pure data, made of stories and runs.

A frame is what a step of the play or run does in each lane, and the state that it leads to. A play has two lanes, the
sides; a run has one for each thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, location_of
from sa.automata.program import Program
from sa.automata.trace import Configuration
from sa.base.source import Span, position
from sa.certificates.goal import Goal
from sa.certificates.run import Ending, Run, Snapshot, Turn
from sa.report.decisions import Decision, decided, decision, told_step
from sa.report.explain import Why, is_internal, shown_variables, statement_of
from sa.report.formulas import action_name
from sa.report.passed import around
from sa.report.render_values import Told, changes_told, told_in_run, told_of, values_told
from sa.report.story import Event, Story, rounds_of
from sa.terms.sort import Value, show_value
from sa.terms.term import Var, sort_of


class Lane(Struct, frozen=True):
    """A side of a play, a thread of a run, or its scheduler. `span` is where it is declared."""

    role: str
    name: str
    span: Span | None


class Act(Struct, frozen=True):
    """What happens in a lane: a `step` of the thread, one of the `environment`, what a scheduler `decides`, that the
    lane `stays`, or has `none`.

    `shown` is the visible action; `changes` are variables with their values before and after. A step that is made of
    several lines also passes those `before` and `behind` its own; a `remark` says what no text says.
    """

    kind: str
    text: str
    span: Span | None = None
    shown: str | None = None
    changes: tuple[tuple[str, str, str], ...] = ()
    before: tuple[Span, ...] = ()
    behind: tuple[Span, ...] = ()
    remark: str = ""


class State(Struct, frozen=True):
    """Where a lane is, the same in the user's terms, and what it sees."""

    location: str
    place: str
    values: tuple[tuple[str, str], ...]


class Frame(Struct, frozen=True):
    """What a step does in each lane, what else is to be said of it, and the states after it.

    `shared` are the values that all lanes have in common; the sides of a play have none.
    """

    acts: tuple[tuple[Act, ...], ...]
    notes: tuple[str, ...]
    states: tuple[State | None, ...]
    shared: tuple[tuple[str, str], ...] = ()


class Scene(Struct, frozen=True):
    """A play or a run: its lanes, the values of parameters, its frames, the first of which is the start, its end.

    The frames behind that with the number `cycle` are gone through again and again.
    """

    kind: str
    lanes: tuple[Lane, ...]
    parameters: tuple[tuple[str, str], ...]
    frames: tuple[Frame, ...]
    ending: str
    reasons: tuple[Why, ...] = ()
    cycle: int | None = None


# ---------------------------------------------------------------- plays


def play_scene(told: Story, goal: Goal, details: bool = True) -> Scene:
    """A play, of which the story is told; with `details` also what the translation made up."""
    lanes = (
        Lane("concrete", goal.concrete.name, goal.concrete.origin.span),
        Lane("abstract", goal.abstract.name, goal.abstract.origin.span),
    )
    rigid = [v.var for v in goal.concrete.variables if v.kind is Kind.PARAM and v.var in told.concrete.values]
    parameters = tuple(values_told({v: told.concrete.values[v] for v in rigid}, None, told_of(goal.concrete)))
    concrete = told.concrete
    abstract = told.abstract
    start = (Act("start", "start"),)
    missing = (Act("none", "no such state"),)
    sides, words = (goal.concrete, goal.abstract), tuple(told_of(s, details) for s in (goal.concrete, goal.abstract))

    def states() -> tuple[State | None, ...]:
        return tuple(
            None if at is None else _state(at, side, how)
            for at, side, how in zip((concrete, abstract), sides, words, strict=True)
        )

    frames = [Frame((start, start if abstract else missing), (), states())]
    for round_ in rounds_of(told):
        concrete = round_.concrete.after
        if round_.abstract:
            abstract = round_.abstract[-1].after
        answers = tuple(_act(event, goal.abstract, words[1]) for event in round_.abstract)
        if not round_.answered:
            answers = (Act("none", "no answer"),)
        elif not answers:
            answers = (Act("stays", "stays" if round_.concrete.edge else "no change"),)
        frames.append(Frame(((_act(round_.concrete, goal.concrete, words[0]),), answers), round_.others, states()))
    return Scene("play", lanes, parameters, tuple(frames), told.ending.headline, told.ending.reasons)


def _act(event: Event, side: Automaton, how: Told) -> Act:
    after = {v: event.after.values[v] for v in shown_variables(side) if v in event.after.values}
    changes = tuple(changes_told(event.before.values, after, None, how))
    if event.edge is None:
        return Act("environment", "environment", changes=changes)
    mover = "" if event.edge.thread is None else f"{event.edge.thread}: "
    return _step(event.edge, f"{mover}{statement_of(event.edge)}", event.action, changes)


def _state(at: Configuration, side: Automaton, how: Told) -> State:
    seen = {v: at.values[v] for v in shown_variables(side) if v in at.values}
    return State(at.location, place_told(side, at.location), tuple(values_told(seen, None, how)))


def _step(edge: Edge, text: str, shown: str | None, changes: tuple[tuple[str, str, str], ...]) -> Act:
    before, behind = around(edge.origin)
    return Act("step", text, edge.origin.span, shown, changes, before, behind, edge.origin.remark)


#: Locations that nobody named.
_MADE = re.compile(r"[qL]\d+(_\d*)*")


def named_by_user(location: str) -> bool:
    """Whether the user gave a location its name."""
    return _MADE.fullmatch(location) is None


def place_told(automaton: Automaton | None, location: str) -> str:
    """A location by the name that the user gave it, or else by its line."""
    if automaton is None or named_by_user(location):
        return f"at {location}"
    span = location_of(automaton, location).origin.span
    return f"at {location}" if span is None else f"line {position(span.source, span.start).line}"


# ---------------------------------------------------------------- runs


def run_scene(run: Run, program: Program, details: bool = True) -> Scene:
    """A run of a program; with `details` also what the translation made up."""
    spans = {t.name: t.origin.span for t in (*program.threads, *(f.thread for f in program.families))}
    scheduler = None if program.scheduler is None else program.scheduler.name
    names = (*run.start.threads, *(() if scheduler is None or scheduler in run.start.threads else (scheduler,)))
    lanes = tuple(Lane("scheduler" if n == scheduler else "thread", n, spans.get(n.partition("[")[0])) for n in names)
    how = told_in_run(program, details)
    parameters = tuple(_shared(run.start.shared, program, Kind.PARAM, how))
    frames = [_frame(tuple((Act("start", "start"),) for _ in lanes), run.start, program, how)]
    before = run.start
    for turn in run.turns:
        made = decision(turn, before, program)
        acts = tuple(tuple(_acts(lane, turn, before, how, made)) for lane in lanes)
        frames.append(_frame(acts, turn.after, program, how))
        before = turn.after
    return Scene("run", lanes, parameters, tuple(frames), ending_told(run), cycle=run.cycle)


def _acts(lane: Lane, turn: Turn, before: Snapshot, how: Told, made: Decision | None) -> Iterable[Act]:
    """What a step does in a lane; in that of the scheduler also what it decides."""
    if lane.name == turn.thread:
        yield _turn(turn, before, how, made)
    changes = _changes(turn, before, how, True) if lane.role == "scheduler" else ()
    if lane.role == "scheduler" and (made is not None or changes):
        yield Act("decides", "" if made is None else decided(made), changes=changes)


def ending_told(run: Run) -> str:
    """Why a run ends, or from where on it is repeated."""
    if run.cycle is None:
        return run.ending.value
    first, last = run.cycle + 1, len(run.turns)
    steps = f"step {last} is" if first == last else f"steps {first} to {last} are"
    return f"{steps} taken again and again"


#: Endings of runs that nothing is wrong with.
GOOD_ENDINGS = frozenset({Ending.FINISHED.value, Ending.STOPPED.value})


def _turn(turn: Turn, before: Snapshot, how: Told, made: Decision | None) -> Act:
    edge = turn.move.edge
    shown = None
    if edge.label is not None:
        values = [show_value(x, sort_of(t)) for x, t in zip(turn.shown, edge.label.values, strict=True)]
        shown = f"{action_name(edge)}({', '.join(values)})" if values else action_name(edge)
    return _step(edge, told_step(statement_of(edge), made), shown, _changes(turn, before, how, False))


def _changes(turn: Turn, before: Snapshot, how: Told, of_scheduler: bool) -> tuple[tuple[str, str, str], ...]:
    old, new = before.threads[turn.thread].values, turn.move.after.values
    told = {v: x for v, x in new.items() if not is_internal(v) and (v in how.of_scheduler) == of_scheduler}
    return tuple(changes_told(old, told, turn.thread, how))


def _frame(acts: tuple[tuple[Act, ...], ...], at: Snapshot, program: Program, how: Told) -> Frame:
    """Each thread's location with its own variables, and the shared ones."""
    automata = {t.name: t for t in program.threads}
    states = list[State | None]()
    for thread, there in at.threads.items():
        own = {v: x for v, x in there.values.items() if v not in at.shared and not is_internal(v)}
        place = place_told(automata.get(thread), there.location)
        states.append(State(there.location, place, tuple(values_told(own, thread, how))))
    # A scheduler without steps of its own has a lane, but no location.
    states = [*states, *(None for _ in acts[len(states) :])]
    return Frame(acts, (), tuple(states), tuple(_shared(at.shared, program, Kind.GLOBAL, how)))


def _shared(values: Mapping[Var, Value], program: Program, kind: Kind, how: Told) -> Iterable[tuple[str, str]]:
    own = (v.var for v in program.variables if v.kind is kind and not is_internal(v.var))
    return values_told({v: values[v] for v in own if v in values}, None, how)


def spans_of(scene: Scene) -> Sequence[Span]:
    """All places that a scene speaks of."""
    made = [act for frame in scene.frames for lane in frame.acts for act in lane]
    acts = (span for act in made for span in (*act.before, act.span, *act.behind))
    told = (*(lane.span for lane in scene.lanes), *acts, *(why.span for why in scene.reasons))
    return [span for span in told if span is not None]
