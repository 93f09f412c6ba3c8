"""Statements and blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from lark import Token
from msgspec.structs import replace

from sa.base.source import Source, Span
from sa.language import syntax
from sa.language.habits import habit
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
    """`LABEL ("(" _expressions ")")?`. Behind the `@` any word is a name, after blanks and comments too."""
    name = re.split(r"[^A-Za-z_0-9]", children[0])[-1]
    return syntax.Label(name, nodes(children[1:]), span_of(source, children))


def assign(source: Source, children: Children) -> _Assignment:
    """`_places ":=" (_values | cas | fetch_add | exchange) ";"`."""
    middle = next(i for i, c in enumerate(children) if type(c) is Token and c == ":=")
    places, values = nodes(children[:middle]), nodes(children[middle + 1 :])
    span = span_of(source, children)
    operation: syntax.Operation | syntax.Expression = values[0]
    if not isinstance(operation, syntax.Operation):
        return syntax.Assign(places, values, span)
    if len(places) > 1:
        message = f"{operation.keyword} gives one value"
        raise rejected("SA009", message, source, children[:middle], "assign to one variable")
    return replace(operation, result=places[0], span=span)


_Assignment: TypeAlias = syntax.Assign | syntax.CompareAndSwap | syntax.FetchAdd | syntax.Exchange

_OPERATIONS: Mapping[str, Callable[..., syntax.Operation]] = {
    "cas": syntax.CompareAndSwap,
    "fetch_add": syntax.FetchAdd,
    "exchange": syntax.Exchange,
}


def operation(source: Source, children: Children) -> syntax.Operation:
    """`"cas" "(" place "," expression "," expression ")"`, `"fetch_add" "(" place "," expression ")"`."""
    return _OPERATIONS[str(children[0])](None, *nodes(children), span_of(source, children))


def update(source: Source, children: Children) -> syntax.Assign:
    """`place (ADD_TO | TAKE_FROM | MULTIPLY_BY) expression ";"`: an assignment."""
    place, operator, value = children[0], str(children[1])[0], children[2]
    new = syntax.Chain((place, value), (operator,), span_of(source, children[:3]))
    return syntax.Assign((place,), (new,), span_of(source, children))


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


def attempt(source: Source, children: Children) -> syntax.Attempt:
    """`NOT? (cas | exchange)`: compared with true; `(fetch_add | exchange) COMPARISON sum`."""
    span = span_of(source, children)
    if type(children[0]) is Token:
        return syntax.Attempt(children[1], "!=", syntax.Boolean(True, span), span)
    if len(children) == 1:
        return syntax.Attempt(children[0], "==", syntax.Boolean(True, span), span)
    return syntax.Attempt(children[0], str(children[1]), children[2], span)


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


def for_statement(source: Source, children: Children) -> syntax.For:
    """`"for" NAME "in" bound ".." bound block`."""
    if children[2] != "in":
        raise rejected("SA002", f"unexpected `{children[2]}`", source, [children[2]], "write `for i in 0..9 { … }`")
    name, head = identifier(source, children[1]), span_of(source, children[:6])
    return syntax.For(name, children[3], children[5], children[6], head, span_of(source, children))


def call(source: Source, children: Children) -> syntax.Call:
    """`_path "(" _expressions? ")" ";"`."""
    opening = next(i for i, c in enumerate(children) if type(c) is Token and c == "(")
    name = "".join(str(c) for c in children[:opening])
    return syntax.Call(name, nodes(children[opening:]), span_of(source, children))


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
    """`"return" expression? ";"`."""
    return syntax.Return(children[1] if len(children) > 2 else None, span_of(source, children))


def local(source: Source, children: Children) -> syntax.Local:
    """`GHOST? "local" _names ":" type ("=" value)? ";"`."""
    names, ghost = identifiers(source, children), children[0] == "ghost"
    return syntax.Local(names, after(":", children), after("=", children), ghost, span_of(source, children))


def lock(source: Source, children: Children) -> syntax.Lock:
    """`"lock" "(" place ")" ";"`."""
    return syntax.Lock(children[2], span_of(source, children))


def request(source: Source, children: Children) -> syntax.Start | syntax.Join | syntax.Request | syntax.Suspend:
    """`NAME thread_name (NAME sum)? ";"`, `NAME "for" sum ";"`, `NAME ";"`: the first name says which."""
    word, span = str(children[0]), span_of(source, children)
    about, joint = first(syntax.ThreadName, children), [str(c) for c in children[1:-1] if type(c) is Token]
    delay = children[-2] if joint else None
    match word, joint:
        case "start", [] if about is not None:
            return syntax.Start(about, span)
        case "join", [] if about is not None:
            return syntax.Join(about, span)
        case "suspend", [] if about is None:
            return syntax.Suspend(span)
        case ("yield", []) | ("wait", ["for"]) if about is None:
            return syntax.Request(syntax.Asked.WAIT_FOR if joint else syntax.Asked.YIELD, None, delay, span)
        case ("wait" | "notify" | "cancel") as asked, [] if about is not None:
            return syntax.Request(syntax.Asked(f"{asked}(e)"), about, None, span)
        case "notify", ["in"]:
            return syntax.Request(syntax.Asked.NOTIFY_IN, about, delay, span)
        case _:
            hint = habit(source.text, span.start, word, frozenset()) or _REQUESTS.get(word)
            hint = hint or habit(source.text, span.end - 1, ";", frozenset())
            what = f"`{word}` is not used like this" if word in _REQUESTS else f"no statement begins with `{word}`"
            raise rejected("SA002", what, source, children[:1], hint)


_REQUESTS: Mapping[str, str] = {
    "start": "write `start T;`",
    "join": "write `join T;`",
    "yield": "write `yield;`",
    "wait": "write `wait e;` or `wait for 2;`",
    "notify": "write `notify e;` or `notify e in 2;`",
    "cancel": "write `cancel e;`",
    "suspend": "write `suspend;`",
}


def unlock(source: Source, children: Children) -> syntax.Unlock:
    """`"unlock" "(" place ")" ";"`."""
    return syntax.Unlock(children[2], span_of(source, children))
