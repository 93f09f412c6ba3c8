"""Data races in words: which two accesses, by whom and where."""

from __future__ import annotations

from collections.abc import Mapping

from sa.automata.automaton import Origin
from sa.automata.program import Program
from sa.automata.rename import own_local
from sa.base.source import position
from sa.certificates.run import Ending, Run, Snapshot
from sa.engines.verification import Finding
from sa.report.render_values import told, word_of
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import Value
from sa.terms.term import Term, Var


def race_told(finding: Finding, program: Program) -> str | None:
    """The race that a run into a violation ends with; None where it is none, or the words for it are not known."""
    run = finding.run
    if run is None:
        return None
    if run.ending is Ending.VIOLATED:
        last = run.turns[-1].after if run.turns else run.start
        return next((way.words for way in finding.claim.ways if _is_so(way.formula, last)), None)
    return _since(run, program)


def _since(run: Run, program: Program) -> str | None:
    """What a step raced with that fails since another one did something."""
    failure = run.turns[-1].move.edge.failure if run.turns else None
    if failure is None or failure.since is None:
        return None
    before, found = run.start, None
    for turn in run.turns[:-1]:
        if turn.after.shared.get(failure.since) != before.shared.get(failure.since):
            found = turn
        before = turn.after
    if found is None:
        return None
    word = word_of(failure.since, found.after.shared[failure.since], told(program))
    first = f"{word} by {found.thread}{_line(found.move.edge.origin)}"
    last = run.turns[-1]
    return f"{failure.what}: {first}, {failure.here} by {last.thread}{_line(last.move.edge.origin)}, in no order"


def _line(origin: Origin) -> str:
    span = origin.span
    return "" if span is None else f" in line {position(span.source, span.start).line}"


def _is_so(formula: Term, state: Snapshot) -> bool:
    """Whether a formula holds, as far as it is about the threads of the run and not about any copies."""
    scope: dict[Var, Value] = dict(state.shared)
    for name, own in state.threads.items():
        scope |= {own_local(name, v): value for v, value in _local(own.values, state).items()}
    for var in formula.free:
        thread = var.name.thread
        if var.name.place is not None and thread is not None and thread in state.threads:
            scope[var] = state.threads[thread].location == var.name.place
    try:
        return holds(formula, scope)
    except (Unevaluable, KeyError):
        return False


def _local(values: Mapping[Var, Value], state: Snapshot) -> Mapping[Var, Value]:
    return {v: value for v, value in values.items() if v not in state.shared}
