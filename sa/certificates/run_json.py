"""Runs as JSON, of plain values: every state in full, a step by its thread and the number of its edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.trace import Configuration, Move
from sa.certificates.run import Ending, Run, Snapshot, Turn
from sa.certificates.shape import Entry, Json, plain
from sa.certificates.state_json import read_edge, read_values, values_json
from sa.terms.term import sort_of


def run_json(run: Run, threads: Sequence[Automaton]) -> Json:
    """A run of these threads as JSON."""
    known = {t.name: t for t in threads}
    made: Json = {
        "start": _snapshot_json(run.start),
        "turns": [_turn_json(t, known[t.thread]) for t in run.turns],
        "ending": run.ending.name.lower(),
    }
    return made if run.cycle is None else {**made, "cycle": run.cycle}


def _snapshot_json(there: Snapshot) -> Json:
    threads = {
        name: {"at": c.location, "locals": values_json({v: x for v, x in c.values.items() if v not in there.shared})}
        for name, c in there.threads.items()
    }
    return {"shared": values_json(there.shared), "threads": threads}


def _turn_json(turn: Turn, thread: Automaton) -> Json:
    label = turn.move.edge.label
    sorts = [sort_of(t) for t in label.values] if label is not None else []
    return {
        "thread": turn.thread,
        "edge": thread.edges.index(turn.move.edge),
        "choices": values_json(turn.move.choices),
        "shown": [plain(x, s) for x, s in zip(turn.shown, sorts, strict=True)],
        "after": _snapshot_json(turn.after),
    }


def read_run(entry: Entry, threads: Sequence[Automaton]) -> Run:
    """A run of these threads. Raises Malformed."""
    known = {t.name: t for t in threads}
    repeated = ("cycle",) if entry.has("cycle") else ()
    start, turns, ending, *cycle = entry.fields("start", "turns", "ending", *repeated)
    made = tuple(_turn(t, known) for t in turns.items())
    begins = cycle[0].index(len(made) + 1) if cycle else None
    return Run(_snapshot(start, known), made, ending.choice(Ending), begins)


def _snapshot(entry: Entry, threads: Mapping[str, Automaton]) -> Snapshot:
    shared, places = entry.fields("shared", "threads")
    variables = dict[str, Variable]()
    for thread in threads.values():
        variables |= {v.var.name: v for v in thread.variables if v.kind is not Kind.LOCAL}
    values = read_values(shared, variables.values())
    found = dict[str, Configuration]()
    for (name, thread), part in zip(threads.items(), places.fields(*threads), strict=True):
        at, own = part.fields("at", "locals")
        mine = {v.var: values[v.var] for v in thread.variables if v.kind is not Kind.LOCAL}
        mine |= read_values(own, (v for v in thread.variables if v.kind is Kind.LOCAL))
        found[name] = Configuration(at.text(), mine)
    return Snapshot(values, found)


def _turn(entry: Entry, threads: Mapping[str, Automaton]) -> Turn:
    name, number, choices, shown, after = entry.fields("thread", "edge", "choices", "shown", "after")
    if name.text() not in threads:
        raise name.wrong("there is no such thread")
    thread = threads[name.text()]
    edge = read_edge(number, thread)
    values = edge.label.values if edge.label is not None else ()
    items = shown.items()
    if len(items) != len(values):
        raise shown.wrong("the label shows more values or less")
    there = _snapshot(after, threads)
    move = Move(edge, read_values(choices, edge.choices), there.threads[thread.name])
    return Turn(thread.name, move, tuple(x.of_sort(sort_of(t)) for x, t in zip(items, values, strict=True)), there)
