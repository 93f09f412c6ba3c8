"""Simulated runs for a terminal: a column per thread, changed variables only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import THREAD_ENDS, Edge, Failure, Fault, Kind, Link
from sa.automata.program import Program
from sa.base.source import position
from sa.certificates.run import Ending, Run, Snapshot, Turn
from sa.report.decisions import Decision, decided, decision, told_step
from sa.report.explain import is_internal, statement_of
from sa.report.formulas import action_name
from sa.report.passed import passed_told
from sa.report.render_values import Told, changes_told, is_before, told_in_run, values_told
from sa.report.screen import BAD, FAINT, GOOD, OPEN, STRONG, Screen, fit, pack, render, wrap
from sa.report.snippet import chain_told
from sa.report.text import Text
from sa.terms.sort import Value, show_value
from sa.terms.term import Var, sort_of

_GUTTER = 4
_NARROWEST, _WIDEST = 22, 48
_STYLE = {Ending.FINISHED: GOOD, Ending.FAILED: BAD, Ending.VIOLATED: BAD, Ending.BLOCKED: BAD}


class Layout(Struct, frozen=True):
    """The threads' columns; where they do not fit there is one, and steps name their thread.

    A `scheduler` has a column of its own, the last one, for its decisions and its own steps.
    """

    threads: tuple[str, ...]
    column: int
    together: bool
    scheduler: str | None


def layout(start: Snapshot, program: Program, width: int) -> Layout:
    """Columns for the threads of a run."""
    scheduler = None if program.scheduler is None else program.scheduler.name
    threads = (*start.threads, *(() if scheduler is None or scheduler in start.threads else (scheduler,)))
    column = (width - _GUTTER) // max(1, len(threads)) - 3
    if column < _NARROWEST:
        return Layout(threads, width - _GUTTER, True, scheduler)
    return Layout(threads, column if len(threads) == 1 else min(column, _WIDEST), False, scheduler)


def show_run(run: Run, program: Program, screen: Screen) -> str:
    """A whole run: its start, its steps, why it ends."""
    return render(screen, run_lines(run, program, screen.width))


def run_lines(run: Run, program: Program, width: int, details: bool = True) -> Iterator[Text]:
    """The same as lines of a longer report; without `details` nothing that the translation made up."""
    where, how = layout(run.start, program, width), told_in_run(program, details)
    yield from _start(run.start, program, where, how)
    before, chains = run.start, dict[str, tuple[Link, ...]]()
    for number, turn in enumerate(run.turns, 1):
        chain = turn.move.edge.origin.chain
        if run.cycle == number - 1:
            yield Text(f"{' ' * _GUTTER}from here on, again and again:", STRONG)
        made = decision(turn, before, program)
        yield from _turn(number, turn, before, where, how, made, chains.get(turn.thread) != chain)
        before, chains[turn.thread] = turn.after, chain
    yield from _ending(run.ending, len(run.turns), run.turns[-1].move.edge.failure if run.turns else None)


def show_start(start: Snapshot, program: Program, screen: Screen) -> str:
    """The head of a run that is made step by step."""
    return render(screen, _start(start, program, layout(start, program, screen.width), told_in_run(program)))


def show_turn(number: int, turn: Turn, before: Snapshot, program: Program, screen: Screen) -> str:
    """One step of a run that is made step by step."""
    where, how = layout(before, program, screen.width), told_in_run(program)
    return render(screen, _turn(number, turn, before, where, how, decision(turn, before, program)))


def show_ending(ending: Ending, steps: int, screen: Screen) -> str:
    """The last line of a run."""
    return render(screen, _ending(ending, steps))


def show_choices(turns: Sequence[Turn], before: Snapshot, program: Program, screen: Screen) -> str:
    """The steps to choose from, numbered from 1."""
    lines, how = list[Text](), told_in_run(program)
    for number, turn in enumerate(turns, 1):
        made = decision(turn, before, program)
        line = Text.assemble((f"{number:>{_GUTTER + 2}} ", STRONG), f"{turn.thread}  ", *_head(turn, made))
        changes = ", ".join(c.plain for kept in (False, True) for c in _changes(turn, before, how, kept))
        lines.append(line.append(f"   {changes}", FAINT) if changes else line)
    return render(screen, lines)


def _start(start: Snapshot, program: Program, where: Layout, how: Told) -> Iterator[Text]:
    told = False
    for kind in (Kind.PARAM, Kind.GLOBAL):
        own = (v.var for v in program.variables if v.kind is kind and not is_internal(v.var))
        hidden = how.hidden | {v for v, x in start.shared.items() if is_before(v, x, how)}
        values = {v: start.shared[v] for v in own if v in start.shared and v not in hidden}
        if values:
            word = "where " if kind is Kind.PARAM else "start "
            width = where.column if where.together else len(where.threads) * (where.column + 3)
            pieces = pack(_values(values, None, how), width)
            for number, line in enumerate(pieces):
                yield Text.assemble(" " * _GUTTER, (word if number == 0 else " " * len(word), FAINT), line)
            told = True
    if told:
        yield Text()
    if where.together:
        return
    yield _row("", [_title(name, where) for name in where.threads], where)
    yield Text(
        " " * _GUTTER + "┼".join("─" * (where.column + (1 if i == 0 else 2)) for i in range(len(where.threads))), FAINT
    )
    local = [_values(_own(start, name), name, how) for name in where.threads if name in start.threads]
    if any(local):
        yield from _rows("0", [pack(pieces, where.column) for pieces in local], where)


def _title(name: str, where: Layout) -> Text:
    if name == where.scheduler:
        return Text.assemble(("scheduler ", FAINT), (name, STRONG))
    return Text(name, STRONG)


def _own(at: Snapshot, thread: str) -> Mapping[Var, Value]:
    return {v: value for v, value in at.threads[thread].values.items() if v not in at.shared and not is_internal(v)}


def _values(values: Mapping[Var, Value], thread: str | None, how: Told) -> list[Text]:
    told = values_told(values, thread, how)
    return [Text.assemble(f"{name} = ", (value, STRONG)) for name, value in told]


def _turn(
    number: int,
    turn: Turn,
    before: Snapshot,
    where: Layout,
    how: Told,
    made: Decision | None,
    chained: bool = True,
) -> Iterator[Text]:
    origin = turn.move.edge.origin
    chain = wrap(chain_told(origin), where.column, FAINT) if chained else []
    lines = passed_told(origin, [Text.assemble(*_head(turn, made))], where.column)
    lines = [*wrap(origin.remark, where.column, STRONG), *lines, *chain]
    if where.together:
        # The other lines stand below the first one.
        margin = " " * (len(turn.thread) + 2)
        lines = [Text.assemble((margin if n else f"{turn.thread}  ", STRONG), line) for n, line in enumerate(lines)]
    lines.extend(pack(_changes(turn, before, how, False), where.column))
    told = [] if made is None else wrap(decided(made), where.column, STRONG)
    told.extend(pack(_changes(turn, before, how, True), where.column))
    if where.together:
        mark = Text("" if where.scheduler is None else f"{where.scheduler}  ", STRONG)
        cells = [[*lines, *(mark + line for line in told)]]
    else:
        own = {turn.thread: lines}
        if where.scheduler is not None:
            own[where.scheduler] = [*own.get(where.scheduler, []), *told]
        cells = [own.get(thread, []) for thread in where.threads]
    yield from _rows(str(number), cells, where)


def _head(turn: Turn, made: Decision | None) -> list[tuple[str, str]]:
    """The line number, the statement, or that the thread goes on with it, and what it shows."""
    edge = turn.move.edge
    span = edge.origin.span
    if span is None:
        head = [(edge.origin.text, "")]
    else:
        text = told_step(statement_of(edge), made)
        digits = len(str(len(span.source.line_starts)))
        head = [(f"{position(span.source, span.start).line:>{digits}}: ", FAINT), (text, "")]
    told = head[-1][0] == THREAD_ENDS or head[-1][0].startswith(f"@{action_name(edge)} ")
    said = edge.label is None or (not edge.label.values and told)
    return head if said else [*head, (f"  @{_action(edge, turn.shown)}", STRONG)]


def _action(edge: Edge, shown: tuple[Value, ...]) -> str:
    assert edge.label is not None
    values = [show_value(x, sort_of(t)) for x, t in zip(shown, edge.label.values, strict=True)]
    return f"{action_name(edge)}({', '.join(values)})" if values else f"{action_name(edge)}"


def _changes(turn: Turn, before: Snapshot, how: Told, of_scheduler: bool) -> list[Text]:
    old, new = before.threads[turn.thread].values, turn.move.after.values
    told = {v: x for v, x in new.items() if not is_internal(v) and (v in how.of_scheduler) == of_scheduler}
    changes = changes_told(old, told, turn.thread, how)
    return [Text.assemble(f"{name}: {first} → ", (last, STRONG)) for name, first, last in changes]


def _rows(number: str, cells: Sequence[Sequence[Text]], where: Layout) -> Iterator[Text]:
    for i in range(max([1, *map(len, cells)])):
        yield _row(number if i == 0 else "", [c[i] if i < len(c) else Text() for c in cells], where)


def _row(number: str, cells: Iterable[Text], where: Layout) -> Text:
    line = Text(f"{number:>{_GUTTER - 1}} ", style="")
    return line.append_text(Text(" │ ", FAINT).join(fit(cell, where.column) for cell in cells))


def fault_text(failure: Failure) -> str:
    """How a step goes wrong, and what more is known of it."""
    return f"{failure.fault.value} ({failure.detail})" if failure.detail else failure.fault.value


def _ending(ending: Ending, steps: int, failure: Failure | None = None) -> Iterator[Text]:
    yield Text()
    count = f"{steps} step" if steps == 1 else f"{steps} steps"
    # What an assertion or a call says stands in the claim.
    plain = (Fault.ASSERTION, Fault.REACHED)
    known = ending is Ending.FAILED and failure is not None and failure.fault not in plain
    why = f": {fault_text(failure)}" if known and failure is not None else ""
    yield Text.assemble(" " * _GUTTER, (f"{ending.value}{why}", _STYLE.get(ending, OPEN)), (f"  ({count})", FAINT))
