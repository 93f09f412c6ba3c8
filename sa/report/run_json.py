"""Runs as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sa.automata.program import Program
from sa.certificates.run import Run, Snapshot, Turn
from sa.certificates.shape import plain
from sa.report.decisions import decision
from sa.report.json import OriginJson, ValueJson, ValuesJson, origin_json, values_json
from sa.terms.sort import Value
from sa.terms.term import Var, sort_of


class ThreadJson(Struct, frozen=True):
    """Where a thread is, and the values of its own variables."""

    location: str
    values: ValuesJson


class SnapshotJson(Struct, frozen=True):
    """A state of a program."""

    shared: ValuesJson
    threads: dict[str, ThreadJson]


class TurnJson(Struct, frozen=True, omit_defaults=True):
    """A step of one thread: where it leads, what it shows, and the values that change.

    In a cooperative program a step may have a scheduler's decision: whom it `resumes`, or the threads that are `ready`
    behind it, where these are others than before or a thread hands over.
    """

    thread: str
    place: OriginJson
    location: str
    action: str | None
    shown: list[ValueJson]
    changed: ValuesJson
    resumes: str | None = None
    ready: list[str] | None = None


class RunJson(Struct, frozen=True, omit_defaults=True, tag_field="format", tag="sacheck-run/1"):
    """`sacheck simulate`, and each run of `verify` and `prove`: the start, the steps, and why there are no more.

    Where there is a `cycle`, the steps behind so many are taken again and again.
    """

    start: SnapshotJson
    steps: list[TurnJson]
    ending: str
    cycle: int | None = None


def run_json(run: Run, program: Program | None) -> RunJson:
    """The start with all values, the steps with changed values, and why the run ends."""
    before = run.start
    steps = list[TurnJson]()
    for turn in run.turns:
        steps.append(_turn(turn, before, program))
        before = turn.after
    threads = {name: _thread(run.start, name) for name in run.start.threads}
    return RunJson(SnapshotJson(values_json(run.start.shared), threads), steps, run.ending.name.lower(), run.cycle)


def _thread(at: Snapshot, name: str) -> ThreadJson:
    there = at.threads[name]
    own = {v: x for v, x in there.values.items() if v not in at.shared}
    return ThreadJson(there.location, values_json(own))


def _turn(turn: Turn, before: Snapshot, program: Program | None) -> TurnJson:
    label = turn.move.edge.label
    shown = [] if label is None else [plain(x, sort_of(t)) for x, t in zip(turn.shown, label.values, strict=True)]
    made = None if program is None else decision(turn, before, program)
    return TurnJson(
        turn.thread,
        origin_json(turn.move.edge.origin),
        turn.move.after.location,
        label.action if label else None,
        shown,
        values_json(_changed(before.threads[turn.thread].values, turn.move.after.values)),
        None if made is None else made.resumes,
        None if made is None or made.ready is None else list(made.ready),
    )


def _changed(old: Mapping[Var, Value], new: Mapping[Var, Value]) -> dict[Var, Value]:
    return {v: x for v, x in new.items() if old[v] != x}
