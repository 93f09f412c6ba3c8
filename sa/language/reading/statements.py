"""Statements and blocks."""

from __future__ import annotations

from typing import Any

from lark import Token

from sa.base.source import Source, Span
from sa.language import syntax
from sa.language.reading.children import (
    Children,
    after,
    end_of,
    every,
    first,
    identifier,
    identifiers,
    nodes,
    rejected,
    span_of,
    start_of,
)


def block(source: Source, children: Children) -> syntax.Block:
    """`"{" statement* "}"`."""
    return syntax.Block(tuple(children[1:-1]), span_of(source, children))


def statement(source: Source, children: Children) -> syntax.Statement:
    """`(NAME ":")? label? action`."""
    name = identifier(source, children[0]) if type(children[0]) is Token else None
    label_ = children[-2] if len(children) > 1 and type(children[-2]) is syntax.Label else None
    return syntax.Statement(children[-1], name, label_, span_of(source, children))


def label(source: Source, children: Children) -> syntax.Label:
    """`"@" NAME ("(" _expressions ")")?`."""
    return syntax.Label(str(children[1]), nodes(children[2:]), span_of(source, children))


def assign(source: Source, children: Children) -> syntax.Assign | syntax.CompareAndSwap | syntax.FetchAdd:
    """`_places ":=" (_expressions | cas | fetch_add) ";"`."""
    middle = next(i for i, c in enumerate(children) if type(c) is Token and c == ":=")
    places, values = nodes(children[:middle]), nodes(children[middle + 1 :])
    span = span_of(source, children)
    if type(values[0]) is not _Primitive:
        return syntax.Assign(places, values, span)
    if len(places) > 1:
        raise rejected("SA009", "cas and fetch_add give one value", source, children[:middle], "assign to one variable")
    operands = values[0].operands
    if len(operands) == 3:
        return syntax.CompareAndSwap(places[0], operands[0], operands[1], operands[2], span)
    return syntax.FetchAdd(places[0], operands[0], operands[1], span)


class _Primitive:
    """`cas(…)` or `fetch_add(…)` until the assignment around it is read."""

    __slots__ = ("operands", "span")

    def __init__(self, operands: tuple[Any, ...], span: Span) -> None:
        self.operands, self.span = operands, span


def primitive(source: Source, children: Children) -> _Primitive:
    """`"cas" "(" place "," expression "," expression ")"`, `"fetch_add" "(" place "," expression ")"`."""
    return _Primitive(nodes(children), span_of(source, children))


def havoc(source: Source, children: Children) -> syntax.Havoc:
    """`"havoc" _places ";"`."""
    return syntax.Havoc(nodes(children), span_of(source, children))


def skip(source: Source, children: Children) -> syntax.Skip:
    """`"skip" ";"`."""
    return syntax.Skip(span_of(source, children))


def assume(source: Source, children: Children) -> syntax.Assume:
    """`"assume" expression ";"`."""
    return syntax.Assume(children[1], span_of(source, children))


def assert_statement(source: Source, children: Children) -> syntax.Assert:
    """`"assert" expression ";"`."""
    return syntax.Assert(children[1], span_of(source, children))


def await_statement(source: Source, children: Children) -> syntax.Await:
    """`"await" expression (block | ";")`."""
    return syntax.Await(children[1], first(syntax.Block, children[2:]), span_of(source, children))


def atomic(source: Source, children: Children) -> syntax.Atomic:
    """`"atomic" block`."""
    return syntax.Atomic(children[1], span_of(source, children))


def arm(source: Source, children: Children) -> syntax.Arm:
    """`"if" "(" condition ")" block`."""
    return syntax.Arm(_condition(children[2]), children[4], span_of(source, children[:4]))


def _condition(child: Any) -> Any:
    return None if type(child) is Token else child


def conditional_statement(source: Source, children: Children) -> syntax.If:
    """`arm ("else" arm)* ("else" block)?`."""
    return syntax.If(every(syntax.Arm, children), first(syntax.Block, children[-1:]), _around(source, children))


def _around(source: Source, children: Children) -> Span:
    # An arm's own span ends before its block.
    last = children[-1].body if type(children[-1]) is syntax.Arm else children[-1]
    return Span(source, start_of(children[0]), end_of(last))


def while_statement(source: Source, children: Children) -> syntax.While:
    """`"while" "(" condition ")" block`."""
    head = span_of(source, children[:4])
    return syntax.While(_condition(children[2]), children[4], head, span_of(source, children))


def choose(source: Source, children: Children) -> syntax.Choose:
    """`"choose" block ("or" block)*`."""
    return syntax.Choose(every(syntax.Block, children), span_of(source, children))


def break_statement(source: Source, children: Children) -> syntax.Break:
    """`"break" ";"`."""
    return syntax.Break(span_of(source, children))


def continue_statement(source: Source, children: Children) -> syntax.Continue:
    """`"continue" ";"`."""
    return syntax.Continue(span_of(source, children))


def return_statement(source: Source, children: Children) -> syntax.Return:
    """`"return" ";"`."""
    return syntax.Return(span_of(source, children))


def local(source: Source, children: Children) -> syntax.Local:
    """`GHOST? "local" _names ":" type ("=" expression)? ";"`."""
    names = identifiers(source, children)
    span = span_of(source, children)
    return syntax.Local(names, after(":", children), after("=", children), children[0] == "ghost", span)


def lock(source: Source, children: Children) -> syntax.Lock:
    """`"lock" "(" place ")" ";"`."""
    return syntax.Lock(children[2], span_of(source, children))


def unlock(source: Source, children: Children) -> syntax.Unlock:
    """`"unlock" "(" place ")" ";"`."""
    return syntax.Unlock(children[2], span_of(source, children))
