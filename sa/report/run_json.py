"""Simulated runs as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sa.certificates.run import Run, Snapshot, Turn
from sa.report.json import origin_json, values_json
from sa.terms.sort import Value
from sa.terms.term import Var

RUN_FORMAT = "sacheck-run/1"


def run_json(run: Run) -> dict[str, Any]:
    """The start with all values, the steps with changed values, and why the run ends."""
    before = run.start
    steps = list[dict[str, Any]]()
    for turn in run.turns:
        steps.append(_turn(turn, before))
        before = turn.after
    return {
        "format": RUN_FORMAT,
        "start": {
            "shared": values_json(run.start.shared),
            "threads": {name: _thread(run.start, name) for name in run.start.threads},
        },
        "steps": steps,
        "ending": run.ending.name.lower(),
    }


def _thread(at: Snapshot, name: str) -> dict[str, Any]:
    there = at.threads[name]
    own = {v: x for v, x in there.values.items() if v not in at.shared}
    return {"location": there.location, "values": values_json(own)}


def _turn(turn: Turn, before: Snapshot) -> dict[str, Any]:
    label = turn.move.edge.label
    return {
        "thread": turn.thread,
        "place": origin_json(turn.move.edge.origin),
        "location": turn.move.after.location,
        "action": label.action if label else None,
        "shown": list(turn.shown),
        "changed": values_json(_changed(before.threads[turn.thread].values, turn.move.after.values)),
    }


def _changed(old: Mapping[Var, Value], new: Mapping[Var, Value]) -> dict[Var, Value]:
    return {v: x for v, x in new.items() if old[v] != x}
