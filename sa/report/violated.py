"""What goes wrong at the end of a run, in one sentence and in the words of the program, and the values that matter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import basename

from sa.automata.automaton import Failure, Fault, Origin
from sa.automata.program import Program
from sa.base.source import position
from sa.certificates.families import bads_of_copies
from sa.certificates.run import Ending, Run
from sa.engines.verification import Finding
from sa.report.explain import is_internal
from sa.report.race import race_told
from sa.report.render_values import told, values_told, whole_of
from sa.report.run import fault_text
from sa.report.waiting import stuck, waiting
from sa.terms.sort import Value
from sa.terms.term import Var

#: The names in a statement.
_NAMES = re.compile(r"[A-Za-z_]\w*")

#: What goes wrong because of values, which the first line then has.
_OF_VALUES = frozenset({Fault.RANGE, Fault.INDEX, Fault.DIVISION, Fault.OVERFLOW})

#: What a step does with an object that has ended, followed by who ended it.
_ENDED = {
    Fault.FREED: "uses memory that was",
    Fault.FREED_TWICE: "frees memory that was",
    Fault.ENDED: "uses a variable whose lifetime was",
    Fault.DESTROYED: "uses a synchronisation object that was",
}


def place_of(origin: Origin) -> str:
    """Where something stands: `lock.c:12`."""
    return "" if origin.span is None else f"{basename(origin.span.source.name)}:{number_of(origin)}"


def line_of(origin: Origin) -> str:
    """Where something stands in its file."""
    return "" if origin.span is None else f"line {number_of(origin)}"


def number_of(origin: Origin) -> int | None:
    """The line where something stands."""
    return None if origin.span is None else position(origin.span.source, origin.span.start).line


def reason_of_run(finding: Finding, program: Program) -> str:
    """What goes wrong at the end of a run, in one sentence."""
    run = finding.run
    assert run is not None
    if finding.ended is not None:
        return _goes_on(run, run.cycle) if run.cycle is not None else _rests(finding, run)
    if (race := race_told(finding, program)) is not None:
        return race
    values = ", ".join(violating(finding, program))
    shown = f" with {values}" if values else ""
    last = run.turns[-1] if run.turns else None
    if Fault.DEADLOCK in finding.claim.faults:
        return f"Deadlock: {stuck(finding.claim.threads, last.after if last else run.start) or 'no thread'}"
    if last is None:
        return f"{finding.claim.what} is false at the start{shown}"
    where = f"{last.thread} at {place_of(last.move.edge.origin)}"
    failure = last.move.edge.failure
    if run.ending is Ending.VIOLATED or failure is None:
        return f"{finding.claim.what} is false after the step of {where}{shown}"
    statement = _statement(failure)
    if failure.fault is Fault.ASSERTION:
        return f"{where}: `{statement}` is false{shown}"
    if (cause := _cause(failure, violating(finding, program))) is not None:
        return f"{where}: {cause}"
    return f"{where}: {fault_text(failure)} in `{statement}`{shown if failure.fault in _OF_VALUES else ''}"


def _statement(failure: Failure) -> str:
    """What fails, as it is written: without the sign that ends it or begins its body."""
    return " ".join(failure.what.split()).removesuffix(";").removesuffix("{").rstrip()


def _cause(failure: Failure, values: Sequence[str]) -> str | None:
    """The null pointer, or who ended the object, because of which a step fails; None where it is not just one.

    The step stands in its function, so that a variable of the function needs no function before its name.
    """
    told = [(name.rpartition("::")[2], value) for name, _, value in (v.rpartition(" = ") for v in values)]
    if failure.fault is Fault.POINTER and len(told) == 1 and told[0][1] == "NULL":
        return f"`{told[0][0]}` is NULL in `{_statement(failure)}`"
    ends = {value for _, value in told if " by " in value}
    if failure.fault in _ENDED and len(ends) == 1:
        return f"`{_statement(failure)}` {_ENDED[failure.fault]} {ends.pop()}"
    return None


def _rests(finding: Finding, run: Run) -> str:
    """Where the threads wait in a run that cannot go on."""
    waits = stuck(finding.claim.threads, run.turns[-1].after if run.turns else run.start)
    return f"No thread can take a step: {waits}" if waits else "No thread can take a step"


def _goes_on(run: Run, cycle: int) -> str:
    """What a run repeats for ever: the threads, and their lines."""
    lines = dict[str, set[int]]()
    for turn in run.turns[cycle:]:
        span = turn.move.edge.origin.span
        lines.setdefault(turn.thread, set()).update([] if span is None else [position(span.source, span.start).line])
    if not all(lines.values()):
        return f"{' and '.join(lines)} can go on for ever"
    first, *others = (f"{_lines(found)}" for found in lines.values())
    names = list(lines)
    told = [f"{names[0]} can repeat {first}", *(f"{n} {at}" for n, at in zip(names[1:], others, strict=True))]
    return f"{' and '.join(told)} for ever"


def _lines(found: set[int]) -> str:
    first, last = min(found), max(found)
    return f"line {first}" if first == last else f"lines {first} to {last}"


def violating(finding: Finding, program: Program) -> tuple[str, ...]:
    """Where the threads are and which values the variables have that a violated claim speaks of.

    Of a step that fails, these are the variables of the condition under which it does; what it has written before it
    fails has the value that was written. An assertion that mentions some of these is told with them alone: others say
    what the step waited for. Of a data race it is told what races.
    """
    run = finding.run
    assert run is not None
    if finding.ended is not None:
        return ()
    if (race := race_told(finding, program)) is not None:
        return (race,)
    if run.ending is Ending.VIOLATED:
        last = run.turns[-1].after if run.turns else run.start
        families = finding.claim.families
        bads = (c for b in finding.claim.bads for c in bads_of_copies(b, families, finding.counts))
        free = frozenset(v for b in bads if b.claim is not None for v in b.claim.free)
        spoken = {v.name.thread for v in free if v.name.place is not None}
        threads = [t for t in last.threads if t in spoken]
        places = tuple(f"{t} at {last.threads[t].location}" for t in threads)
        if Fault.DEADLOCK in finding.claim.faults:
            places = waiting(finding.claim.threads, last)
        return (*places, *_values(free, last.shared, None, program))
    failed = run.turns[-1]
    values = _values(failed.move.edge.guard.free, failed.after.threads[failed.thread].values, failed.thread, program)
    failure = failed.move.edge.failure
    if failure is None or failure.fault is not Fault.ASSERTION:
        return values
    mentioned = frozenset(_NAMES.findall(failure.what))
    return tuple(v for v in values if mentioned & frozenset(_NAMES.findall(v.partition(" = ")[0]))) or values


def _values(free: frozenset[Var], values: Mapping[Var, Value], thread: str | None, program: Program) -> tuple[str, ...]:
    how = told(program)
    # A part of a sequence is told as the whole.
    wholes = {w for v in free if (w := whole_of(v, thread, how)) is not None}
    parts = {v for w in wholes for v in (*w.elements, w.length)}
    known = sorted((v for v in free | parts if v in values and not is_internal(v)), key=lambda v: v.key)
    return tuple(f"{name} = {value}" for name, value in values_told({v: values[v] for v in known}, thread, how))
