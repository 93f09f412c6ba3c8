"""Lines of LLVM IR as instructions and declarations: what the grammar `llvm.lark` finds becomes `syntax`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

from lark import Lark, Token
from lark.common import LexerConf
from lark.exceptions import UnexpectedInput
from lark.lexer import ContextualLexer

from sa.frontends.llvm import syntax as s


class NotRead(Exception):
    """The grammar has no such line: where in the line, counted from 0."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at


def read_line(text: str, start: str) -> Any:
    """What a line is: an `instruction`, a `function`, a `variable` or a `named` type. Raises NotRead."""
    try:
        return _parser().parse(text, start=start)
    except UnexpectedInput as wrong:
        at = wrong.pos_in_stream
        raise NotRead(len(text.rstrip()) - 1 if at is None or at < 0 else at) from None


class _Lexer(ContextualLexer):
    """Lark's contextual lexer without a search for terminals that overlap: the grammar does not change while it runs.

    Lark makes that search wherever `interegular` is installed, and has no option against it.
    """

    def __init__(
        self, conf: LexerConf, states: Mapping[int, Collection[str]], always_accept: Collection[str] = ()
    ) -> None:
        conf = copy(conf)
        conf.skip_validation = True
        super().__init__(conf, dict(states), always_accept)


@cache
def _parser() -> Lark:
    grammar = (files("sa.frontends.llvm") / "llvm.lark").read_text(encoding="utf-8")
    starts = ["instruction", "function", "variable", "named"]
    plugins = {"ContextualLexer": _Lexer}
    return Lark(grammar, parser="lalr", lexer="contextual", start=starts, transformer=_builder(), _plugins=plugins)


def _name(token: str) -> str:
    """A name without its sign and quotes."""
    text = token[1:]
    return text[1:-1] if text.startswith('"') else text


def _given(children: Iterable[Any], kind: type) -> list[Any]:
    return [c for c in children if isinstance(c, kind)]


def _typed(children: Iterable[Any]) -> tuple[s.Typed, ...]:
    return tuple(_given(children, s.Typed))


def _bytes(token: str) -> bytes:
    raw = re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), token[2:-1])
    return raw.encode("latin-1", "replace")


def _flags(children: Sequence[Any]) -> tuple[frozenset[str], list[Any]]:
    """The flags among children, and the others."""
    found = [c for c in children if isinstance(c, Token) and c.type == "FLAG"]
    return frozenset(map(str, found)), [c for c in children if not (isinstance(c, Token) and c.type == "FLAG")]


def _binary(c: list[Any]) -> s.Binary:
    flags, (name, kind, left, right) = _flags(c)
    return s.Binary(str(name), flags, kind, left, right)


def _compare(c: list[Any]) -> s.Compare:
    flags, (predicate, kind, left, right) = _flags(c)
    return s.Compare(flags, str(predicate), kind, left, right)


def _cast(c: list[Any]) -> s.Cast:
    flags, (name, value, to) = _flags(c)
    return s.Cast(str(name), flags, value, to)


def _element(c: list[Any]) -> s.Element:
    flags, (kind, base, *indices) = _flags(c)
    return s.Element(flags, kind, base, tuple(indices))


def _load(c: list[Any]) -> s.Load:
    atomic, volatile, kind, pointer, order, align = c
    return s.Load(kind, pointer, volatile is not None, _order(atomic, order), align or 0)


def _store(c: list[Any]) -> s.Store:
    atomic, volatile, value, pointer, order, align = c
    return s.Store(value, pointer, volatile is not None, _order(atomic, order), align or 0)


def _order(atomic: object, order: str | None) -> str | None:
    return None if atomic is None or order is None else str(order)


def _exchange(c: list[Any]) -> s.Exchange:
    weak, volatile, pointer, expected, new, success, failure, align = c
    orders = str(success), str(failure)
    return s.Exchange(weak is not None, volatile is not None, pointer, expected, new, *orders, align or 0)


def _update(c: list[Any]) -> s.Update:
    volatile, name, pointer, value, order, align = c
    return s.Update(volatile is not None, str(name), pointer, value, str(order), align or 0)


#: What `attributes` are: words, and numbers of groups.
_Words = tuple[tuple[str, ...], tuple[int, ...]]


def _attributes(c: list[Any]) -> _Words:
    words, groups = list[str](), list[int]()
    for token in c:
        if token.type == "GROUP":
            groups.append(int(token[1:]))
        elif token.type == "NUMBER":
            words.append(f"align({token})")
        else:
            words.append(str(token))
    return tuple(words), tuple(groups)


def _argument(c: list[Any]) -> s.Argument:
    kind, (words, _), operand = c
    return s.Argument(kind, words, operand)


def _call(c: list[Any]) -> s.Call:
    _, (result, _), kind, signature, callee, arguments, (words, groups), bundles = c
    given = tuple(_given(arguments or (), s.Argument))
    return s.Call(kind, bool(signature), callee, result, given, words, groups, tuple(bundles or ()))


def _signature(c: list[Any]) -> bool:
    """Whether there may be more arguments."""
    return any(isinstance(x, Token) and x.type == "ELLIPSIS" for x in c)


#: A line `define` or `declare`: words before, result, name, arguments, whether there may be more, words behind.
Header = tuple[tuple[str, ...], s.Type, str, tuple[s.Argument, ...], bool, tuple[str, ...], tuple[int, ...]]


def _function(c: list[Any]) -> Header:
    (before, _), kind, name, arguments, (words, groups) = c
    given = tuple(_given(arguments or (), s.Argument))
    return before, kind, _name(name), given, _signature(arguments or []), words, groups


def _switch(c: list[Any]) -> s.Switch:
    value, default, *cases = c
    return s.Switch(value, default, tuple(cases))


def _alloca(c: list[Any]) -> s.Alloca:
    kind, count, align = c
    return s.Alloca(kind, count, align or 0)


#: What the parser calls for a rule with its children.
_Calls = dict[str, Callable[[list[Any]], Any]]


def _builder() -> SimpleNamespace:
    """What the parser calls for each rule with its children."""
    return SimpleNamespace(**_of_types_and_operands(), **_of_lines())


def _of_types_and_operands() -> _Calls:
    return {
        "integer": lambda c: s.IntType(int(c[0][1:])),
        "pointer_type": lambda _: s.PointerType(),
        "void": lambda _: s.VoidType(),
        "named_type": lambda c: s.NamedType(str(c[0])),
        "array": lambda c: s.ArrayType(int(c[0]), c[1]),
        "struct": lambda c: s.StructType(tuple(t for t in c if t is not None), False),
        "packed": lambda c: s.StructType(tuple(t for t in c if t is not None), True),
        "other": lambda c: s.OtherType(str(c[0])),
        "vector": lambda c: s.OtherType(f"a vector of {c[0]}"),
        "local": lambda c: s.Local(_name(c[0])),
        "global_": lambda c: s.Global(_name(c[0])),
        "number": lambda c: s.Number(int(c[0])),
        "true": lambda _: s.Number(1),
        "false": lambda _: s.Number(0),
        "null": lambda _: s.Null(),
        "undef": lambda _: s.Undef(),
        "poison": lambda _: s.Poison(),
        "zero": lambda _: s.Zero(),
        "text": lambda c: s.Text(_bytes(c[0])),
        "element": _element,
        "aggregate": lambda c: s.Aggregate(_typed(c)),
    }


def _of_lines() -> _Calls:
    return {
        "instruction": lambda c: (None if c[0] is None else _name(c[0]), c[1]),
        "typed": lambda c: s.Typed(c[0], c[1]),
        "pointer": lambda c: c[0],
        "align": lambda c: int(c[0]),
        "label": lambda c: _name(c[0]),
        "binary": _binary,
        "compare": _compare,
        "select": lambda c: s.Select(*c),
        "cast": _cast,
        "freeze": lambda c: s.Freeze(c[0]),
        "phi": lambda c: s.Phi(c[0], tuple(c[1:])),
        "incoming": lambda c: (c[0], _name(c[1])),
        "alloca": _alloca,
        "load": _load,
        "store": _store,
        "exchange": _exchange,
        "update": _update,
        "fence": lambda c: s.Fence(str(c[0])),
        "extract": lambda c: s.Extract(c[0], tuple(map(int, c[1:]))),
        "insert": lambda c: s.Insert(c[0], c[1], tuple(map(int, c[2:]))),
        "call": _call,
        "signature": _signature,
        "bundles": lambda c: c,
        "bundle": lambda c: s.Bundle(str(c[0]).strip('"'), _typed(c[1:])),
        "argument": _argument,
        "arguments": lambda c: c,
        "attributes": _attributes,
        "return": lambda c: s.Return(c[0] if c else None),
        "jump": lambda c: s.Jump(c[0]),
        "branch": lambda c: s.Branch(*c),
        "switch": _switch,
        "case": lambda c: (int(c[1]), c[2]),
        "unreachable": lambda _: s.Unreachable(),
        "offset": lambda c: s.Offset(_element(c)),
        "function": _function,
        "variable": lambda c: (_name(c[0]), c[1][0], str(c[2]) == "constant", c[3], c[4]),
        "named": lambda c: (str(c[0]), c[1]),
    }
