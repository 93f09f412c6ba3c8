"""A warning for every step that touches more than one shared location: it is not one step of a real machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sa.automata.automaton import Kind
from sa.base.diagnostic import Diagnostic, warning
from sa.base.source import Span, span_text
from sa.language import syntax
from sa.language.names import (
    ArraySymbol,
    BrokenSymbol,
    MacroSymbol,
    Scope,
    SequenceSymbol,
    VariableSymbol,
    find,
    mentioned,
)

_ATOMIC = "put it into `atomic { … }` if it is one step"


def shared_steps(body: syntax.Block, scope: Scope) -> Iterator[Diagnostic]:
    """The warnings for the statements of a thread or procedure outside of atomic blocks."""
    for span, parts, divisible in _steps(body):
        touched = sorted({t for part in parts for t in shared_locations(part, scope)})
        if len(touched) > 1:
            names = ", ".join(f"`{t}`" for t in touched)
            message = f"this step touches more than one shared location: {names}"
            yield warning("SA316", message, span, f"{_ATOMIC}, or use --split" if divisible else _ATOMIC)


def _steps(block: syntax.Block) -> Iterator[tuple[Span, tuple[syntax.Expression, ...], bool]]:
    """Every step with the expressions and places that it reads and writes, and whether `--split` divides it."""
    for statement in block.statements:
        match statement.action:
            case syntax.If(arms, orelse):
                for arm in arms:
                    if arm.condition is not None:
                        yield arm.span, *_of_condition(arm.condition)
                    yield from _steps(arm.body)
                if orelse is not None:
                    yield from _steps(orelse)
            case syntax.While(condition, body, head):
                if condition is not None:
                    yield head, *_of_condition(condition)
                yield from _steps(body)
            case syntax.For(_, low, high, body, head):
                yield head, (low, high), False
                yield from _steps(body)
            case syntax.Choose(branches):
                for branch in branches:
                    yield from _steps(branch)
            case action:
                label = statement.label.values if statement.label is not None else ()
                divisible = not isinstance(action, syntax.Assume | syntax.Start | syntax.Join)
                yield statement.span, (*parts_of(action), *label), divisible


def _of_condition(condition: syntax.Condition) -> tuple[tuple[syntax.Expression, ...], bool]:
    if isinstance(condition, syntax.Attempt):
        return (*parts_of(condition.operation), condition.right), True
    return (condition,), True


def parts_of(action: syntax.Action) -> tuple[syntax.Expression, ...]:
    """The expressions and places of a simple statement; nothing for what is atomic, or a check."""
    match action:
        case syntax.Assign(places, values):
            return (*places, *values)
        case syntax.Havoc(places):
            return places
        case syntax.Assume(condition):
            return (condition,)
        case syntax.Local(_, _, value):
            return () if value is None else (value,)
        case syntax.CompareAndSwap(result, place, expected, new):
            return (*(() if result is None else (result,)), place, expected, new)
        case syntax.FetchAdd(result, place, value) | syntax.Exchange(result, place, value):
            return (*(() if result is None else (result,)), place, value)
        case syntax.Call(_, values):
            return values
        case syntax.Return(value):
            return () if value is None else (value,)
        case syntax.Lock(place) | syntax.Unlock(place):
            return (place,)
        case syntax.Start(thread) | syntax.Join(thread):
            # What the thread is at is shared.
            state, span = f"{thread.name}_state", thread.span
            return (
                syntax.Name(state, 0, span) if thread.index is None else syntax.Index(state, thread.index, 0, span),
            )
        case (
            syntax.Skip()
            | syntax.Assert()
            | syntax.If()
            | syntax.While()
            | syntax.For()
            | syntax.Choose()
            | syntax.Atomic()
            | syntax.Await()
            | syntax.Break()
            | syntax.Continue()
            | syntax.Request()
            | syntax.Suspend()
        ):
            return ()
        case _:
            assert_never(action)


def shared_locations(expression: syntax.Expression, scope: Scope) -> set[str]:
    """The shared locations that an expression mentions; elements of one array by their index as written."""
    found, pending, seen = set[str](), [(expression, scope)], set[str]()
    while pending:
        part, names = pending.pop()
        for name, span in mentioned(part):
            match find(names, name):
                case VariableSymbol(variable) if variable.kind is Kind.GLOBAL and not variable.ghost:
                    found.add("".join(span_text(span).split()))
                case SequenceSymbol(_, length) if length.kind is Kind.GLOBAL and not length.ghost:
                    found.add(name)
                case ArraySymbol(elements) if elements[0].kind is Kind.GLOBAL and not elements[0].ghost:
                    found.add("".join(span_text(span).split()))
                case MacroSymbol(definition, inner) if name not in seen:
                    seen.add(name)
                    own = {p.name: BrokenSymbol() for p in definition.parameters}
                    pending.append((definition.body, Scope(inner, {**own})))
                case _:
                    pass
    return found
