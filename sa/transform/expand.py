"""Runs of composed threads, and of threads in normal form, as runs of the written ones: step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Kind
from sa.automata.trace import Configuration
from sa.certificates.run import Ending, Run, Snapshot, Turn, turn_of
from sa.terms import build
from sa.terms.evaluate import evaluate
from sa.terms.solve import solution
from sa.terms.sort import Value, default_value
from sa.terms.term import Var
from sa.transform.blocks import Composition


def expanded(threads: Sequence[Automaton], made: Sequence[Composition], run: Run) -> Run | None:
    """The run step by step; None where a step is none of the composed ones. Raises Unevaluable."""
    start = _snapshot(threads, run.start)
    here, turns = start, list[Turn]()
    composed = {c.thread.name: c for c in made}
    for turn in run.turns:
        block = composed[turn.thread]
        parts = next((p for e, p in zip(block.thread.edges, block.parts, strict=True) if e == turn.move.edge), None)
        if parts is None:
            return None
        for part in parts:
            choices = {own: turn.move.choices[named] for own, named in part.choices}
            step = turn_of(turn.thread, part.edge, choices, here)
            turns.append(step)
            here = step.after
    return replace(run, start=start, turns=_until_failure(turns, run.ending))


def as_written(threads: Sequence[Automaton], simpler: Sequence[Automaton], run: Run) -> Run | None:
    """A run of threads in normal form as one of the written ones, whose edges are in the same order; None where a step
    is none of theirs. Raises Unevaluable.

    A thread that only seems to go on, since its test was left out, stays where it is: its later steps do not matter.
    """
    begun = {t.name: _begun(t, run.start.threads[t.name]) for t in threads}
    shared = (v.var for t in threads for v in t.variables if v.kind is not Kind.LOCAL)
    values = {v: x for t in begun.values() for v, x in t.values.items()}
    start = Snapshot({**{v: values[v] for v in shared}, **run.start.shared}, begun)
    here, turns, resting = start, list[Turn](), set[str]()
    edges = {t.name: tuple(zip(t.edges, s.edges, strict=True)) for t, s in zip(threads, simpler, strict=True)}
    for turn in (t for t in run.turns if t.thread not in resting):
        scope = {**here.threads[turn.thread].values, **turn.move.choices}
        alike = (e for e, s in edges[turn.thread] if s == turn.move.edge)
        written = next((e for e in alike if evaluate(e.guard, scope)), None)
        if written is None:
            resting.add(turn.thread)
            continue
        turns.append(turn_of(turn.thread, written, turn.move.choices, here))
        here = turns[-1].after
    ends = not run.turns or run.ending is not Ending.FAILED or run.turns[-1].thread not in resting
    return replace(run, start=start, turns=tuple(turns)) if ends else None


def _begun(thread: Automaton, there: Configuration) -> Configuration:
    """The start of a thread with values for variables that do not matter: those it gives them, or any."""
    alone = (c for c in build.conjuncts(thread.init) if len(c.free) == 1)
    given = dict(found for c in alone if (found := solution(c, c.free)) is not None and not found[1].free)
    values = dict[Var, Value]()
    for v in (v for v in thread.variables if v.var not in there.values):
        usual = default_value(v.var.sort) if v.low is None else v.low
        values[v.var] = evaluate(given[v.var], {}) if v.var in given else usual
    return replace(there, values={**there.values, **values})


def _snapshot(threads: Sequence[Automaton], there: Snapshot) -> Snapshot:
    """The same state; the written threads have the same variables."""
    return Snapshot(there.shared, {t.name: there.threads[t.name] for t in threads})


def _until_failure(turns: Sequence[Turn], ending: Ending) -> tuple[Turn, ...]:
    """The steps up to the first failing one, where the run ends in one."""

    def steps() -> Iterator[Turn]:
        for turn in turns:
            yield turn
            label = turn.move.edge.label
            if ending is Ending.FAILED and label is not None and label.action == FAIL:
                return

    return tuple(steps())
