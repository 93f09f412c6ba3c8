"""A refutation's play for a terminal: numbered steps, a column per side, changed variables only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind
from sa.automata.trace import Configuration
from sa.base.source import Span, position
from sa.certificates.goal import Goal
from sa.report.explain import Why, name_of, shown_variables
from sa.report.passed import passed_told
from sa.report.render_values import changes_told, told_of, values_told
from sa.report.screen import BAD, FAINT, OPEN, PLACE, STRONG, fit, pack, wrap
from sa.report.snippet import chain_told, place, snippet, statement
from sa.report.story import Ending, Event, Round, Story, rounds_of
from sa.report.text import Text, cell_len
from sa.terms.sort import show_value

_GUTTER = 4
_NARROWEST, _WIDEST = 24, 60
_MOST_REASONS = 12


class Layout(Struct, frozen=True):
    """The width of the two columns; where they do not fit `beside` each other, the abstract side stands below."""

    column: int
    beside: bool
    details: bool


def _layout(width: int, details: bool) -> Layout:
    column = (width - _GUTTER - 3) // 2
    beside = column >= _NARROWEST
    return Layout(min(_WIDEST, column) if beside else width - _GUTTER, beside, details)


def show_play(told: Story, goal: Goal, width: int, details: bool = True) -> Iterator[Text]:
    """The play's main line side by side, and below it why the abstract side has lost."""
    where = _layout(width, details)
    column = where.column
    yield from _parameters(told, goal, width)
    sides = (("concrete", goal.concrete), ("abstract", goal.abstract))
    left, right = ([_side(role, side), _file(side, column)] for role, side in sides)
    yield from _rows("", left, right, where)
    yield Text(" " * _GUTTER + (f"{'─' * (column + 1)}┼{'─' * (column + 1)}" if where.beside else "─" * column), FAINT)
    left = _state(told.concrete, goal.concrete, where)
    right = _state(told.abstract, goal.abstract, where) if told.abstract else [Text("no such state", BAD)]
    yield from _rows("0", [Text("start", FAINT), *left], [Text("start", FAINT), *right], where)
    for number, round_ in enumerate(rounds_of(told), 1):
        yield from _round(number, round_, goal, where)
    yield Text()
    yield from _ending(told.ending, goal, width)
    if told.identity:
        note = "An environment step of this play changes nothing on one side; the declared rely does not allow that "
        yield from _note(note + "step, but an environment may always do nothing.", width)


def _side(role: str, automaton: Automaton) -> Text:
    return Text.assemble((f"{role}  ", FAINT), (automaton.name, STRONG))


def _file(automaton: Automaton, column: int) -> Text:
    """The file of an automaton, the end of its path if it is long."""
    span = automaton.origin.span
    name = "" if span is None else span.source.name
    return Text(name if cell_len(name) <= column else "…" + name[1 - column :], FAINT)


def _parameters(told: Story, goal: Goal, width: int) -> Iterable[Text]:
    params = [v.var for v in goal.concrete.variables if v.kind is Kind.PARAM and v.var in told.concrete.values]
    if params:
        text = ", ".join(f"{v.name} = {show_value(told.concrete.values[v], v.sort)}" for v in params)
        yield from (Text(" " * _GUTTER) + line for line in wrap(f"where {text}", width - _GUTTER))
        yield Text()


def _state(at: Configuration, automaton: Automaton, where: Layout) -> list[Text]:
    values = {v: at.values[v] for v in shown_variables(automaton) if v in at.values}
    told = values_told(values, None, told_of(automaton, where.details))
    return pack([Text.assemble(f"{name} = ", (value, STRONG)) for name, value in told], where.column)


def _changes(event: Event, automaton: Automaton, where: Layout) -> list[Text]:
    after = {v: event.after.values[v] for v in shown_variables(automaton) if v in event.after.values}
    changes = changes_told(event.before.values, after, None, told_of(automaton, where.details))
    return [Text.assemble(f"{name}: {before} → ", (value, STRONG)) for name, before, value in changes]


def _round(number: int, round_: Round, goal: Goal, where: Layout) -> Iterator[Text]:
    column = where.column
    left = _event(round_.concrete, goal.concrete, where)
    right = [line for event in round_.abstract for line in _event(event, goal.abstract, where)]
    if not round_.answered:
        right = [Text("no answer", BAD)]
    elif not right:
        right = [Text("stays" if round_.concrete.edge else "environment: no change", FAINT)]
    for other in round_.others:
        right.extend(wrap(f"({other})", column, FAINT))
    yield from _rows("", [Text()], [Text()] if where.beside else [], where)
    yield from _rows(str(number), left, right, where)


def _event(event: Event, automaton: Automaton, where: Layout) -> list[Text]:
    changes, column = _changes(event, automaton, where), where.column
    if event.edge is None:
        return [Text("environment", OPEN), *(pack(changes, column) or [Text("no change", FAINT)])]
    shown = [Text(f"@{event.action}", PLACE)] if event.action is not None else []
    return [*_source(event.edge, automaton, column), *pack([*shown, *changes], column)]


def _source(edge: Edge, automaton: Automaton, column: int) -> list[Text]:
    """The line of an edge with its number and a caret; another file than the automaton's is named."""
    span = edge.origin.span
    if span is None:
        return [Text(name_of(edge) if edge.thread is None else f"{edge.thread}  {name_of(edge)}")]
    number = f"{_line(span)}: "
    mover = "" if edge.thread is None else f"{edge.thread}  "
    margin = len(mover) + len(number)
    found = snippet(span, column - margin, dedent=True)
    at_home = automaton.origin.span is not None and automaton.origin.span.source is span.source
    lines = [] if at_home else [Text(span.source.name, FAINT)]
    lines.append(Text.assemble((mover, STRONG), (number, FAINT), found.text))
    lines.append(Text.assemble(" " * (margin + found.start), ("^" * (found.end - found.start), PLACE)))
    return [*passed_told(edge.origin, lines, column), *wrap(chain_told(edge.origin), column, FAINT)]


def _line(span: Span) -> str:
    """The number of the span's line, as wide as the last number of the file."""
    return f"{position(span.source, span.start).line:>{len(str(len(span.source.line_starts)))}}"


def _rows(number: str, left: list[Text], right: list[Text], where: Layout) -> Iterator[Text]:
    for first, second in zip_longest(left, right if where.beside else (), fillvalue=Text()):
        gutter = (f"{number:>{_GUTTER - 1}} ", FAINT)
        beside = ((" │ ", FAINT), fit(second, where.column)) if where.beside else ()
        yield Text.assemble(gutter, fit(first, where.column), *beside)
        number = ""
    if not where.beside:
        margin = (f"{'│':>{_GUTTER - 1}} ", FAINT)
        yield from (Text.assemble(margin, fit(line, where.column)) for line in right)


def _ending(ending: Ending, goal: Goal, width: int) -> Iterator[Text]:
    yield from (Text(" " * _GUTTER) + line for line in wrap(ending.headline, width - _GUTTER, STRONG))
    for why in ending.reasons[:_MOST_REASONS]:
        yield from _reason(why, goal, width)
    hidden = len(ending.reasons) - _MOST_REASONS
    if hidden > 0:
        yield Text(" " * _GUTTER + f"… and {hidden} more, in the output of --json", FAINT)
    if ending.solver:
        yield from _note("The solver checked that there is no other answer.", width)


def _reason(why: Why, goal: Goal, width: int) -> Iterator[Text]:
    indent = " " * _GUTTER + "  "
    if why.span is not None:
        home = goal.abstract.origin.span
        at_home = home is not None and home.source is why.span.source
        where = f"{_line(why.span)}: " if at_home else f"{place(why.span)}  "
        shown = statement(why.span, max(20, width - len(indent) - cell_len(where)))
        yield Text.assemble(indent, (where, PLACE), shown)
        indent += " " * (cell_len(where) if at_home else 2)
    elif why.place:
        yield Text.assemble(indent, (why.place, PLACE))
        indent += "  "
    text = why.text + (f"   ({', '.join(why.values)})" if why.values else "")
    yield from (Text(indent) + line for line in wrap(text, width - len(indent)))


def _note(text: str, width: int) -> Iterator[Text]:
    yield from (Text(" " * _GUTTER) + line for line in wrap(text, width - _GUTTER, FAINT))
