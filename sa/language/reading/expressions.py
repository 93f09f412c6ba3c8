"""Expressions, places and types."""

from __future__ import annotations

from typing import Any

from lark import Token
from msgspec.structs import replace

from sa.base.source import Source
from sa.language import syntax
from sa.language.reading.children import Children, identifier, nodes, rejected, span_of

#: Integer literals and constants may not have more decimal digits.
MAX_DIGITS = 1000


def integer(source: Source, children: Children) -> syntax.Integer:
    """`INTEGER`."""
    if len(children[0]) > MAX_DIGITS:
        raise rejected("SA007", f"a number of more than {MAX_DIGITS} digits", source, children)
    return syntax.Integer(int(children[0]), span_of(source, children))


def boolean(source: Source, children: Children) -> syntax.Boolean:
    """`TRUE | FALSE`."""
    return syntax.Boolean(children[0] == "true", span_of(source, children))


def _path(children: Children) -> tuple[str, int]:
    """A dotted name at the start of the children and how many of them it takes."""
    size = 1
    while size < len(children) and type(children[size]) is Token and children[size] == ".":
        size += 2
    return ("".join(children[:size]) if size > 1 else str(children[0])), size


def reference(source: Source, children: Children) -> syntax.Name | syntax.Index:
    """`_path ("[" expression "]")? PRIMES?`."""
    name, size = _path(children)
    primes = len(children[-1]) if type(children[-1]) is Token and children[-1].type == "PRIMES" else 0
    if size < len(children) and type(children[size]) is Token and children[size] == "[":
        return syntax.Index(name, children[size + 1], primes, span_of(source, children))
    return syntax.Name(name, primes, span_of(source, children))


def member(source: Source, children: Children) -> syntax.Member:
    """`_path "[" expression "]" "." NAME ("[" expression "]")? PRIMES?`."""
    thread, size = _path(children)
    return syntax.Member(thread, children[size + 1], reference(source, children[size + 4 :]), span_of(source, children))


def prefixed(source: Source, children: Children) -> syntax.Unary:
    """`NOT unary | MINUS unary`."""
    return syntax.Unary(str(children[0]), children[1], span_of(source, children))


def chain(source: Source, children: Children) -> syntax.Chain:
    """`operand (OPERATOR operand)+`."""
    return syntax.Chain(tuple(children[::2]), tuple(str(c) for c in children[1::2]), span_of(source, children))


def compare(source: Source, children: Children) -> syntax.Compare:
    """`sum COMPARISON sum`."""
    return syntax.Compare(str(children[1]), children[0], children[2], span_of(source, children))


def conditional(source: Source, children: Children) -> syntax.Conditional:
    """`"if" expression "then" expression "else" expression`."""
    return syntax.Conditional(children[1], children[3], children[5], span_of(source, children))


def quantified(source: Source, children: Children) -> syntax.Quantified:
    """`(FORALL | EXISTS) binder ("," binder)* "::" expression`."""
    binders = tuple(c for c in children if type(c) is syntax.Binder)
    return syntax.Quantified(children[0] == "forall", binders, children[-1], span_of(source, children))


def binder(source: Source, children: Children) -> syntax.Binder:
    """`NAME ("," NAME)* ":" type`."""
    names = tuple(identifier(source, c) for c in children[:-2:2])
    return syntax.Binder(names, children[-1], span_of(source, children))


def apply(source: Source, children: Children) -> syntax.Apply | syntax.Old:
    """`_path "(" _expressions? ")"`; `old(e)` is the value before a step."""
    name, values, span = _path(children)[0], nodes(children), span_of(source, children)
    return syntax.Old(values[0], span) if name == "old" and len(values) == 1 else syntax.Apply(name, values, span)


def at(source: Source, children: Children) -> syntax.At:
    """`"at" NAME ("[" expression "]")? "." NAME`."""
    index = nodes(children)
    span = span_of(source, children)
    return syntax.At(str(children[1]), index[0] if index else None, str(children[-1]), span)


def parenthesised(source: Source, children: Children) -> Any:
    """`"(" expression ")"`: the expression, its span with the parentheses."""
    return replace(children[1], span=span_of(source, children))


def unchanged(source: Source, children: Children) -> syntax.Unchanged:
    """`"unchanged" _places`."""
    return syntax.Unchanged(nodes(children), span_of(source, children))


def place(source: Source, children: Children) -> syntax.Name | syntax.Index:
    """`_path ("[" expression "]")?`."""
    return reference(source, children)


def thread_name(source: Source, children: Children) -> syntax.ThreadName:
    """`_path ("[" expression "]")?`."""
    index = nodes(children)
    return syntax.ThreadName(_path(children)[0], index[0] if index else None, span_of(source, children))


def array_size(source: Source, children: Children) -> Children:
    """`"[" (expression | STAR) "]"`, kept as it is for `type_`."""
    return children


def sequence(source: Source, children: Children) -> syntax.SequenceType:
    """`NAME COMPARISON type "," bound COMPARISON`: `seq<int, 4>`."""
    name, opening, element, _, size, closing = children
    if (name, opening, closing) != ("seq", "<", ">"):
        wrong = next(t for t, meant in ((name, "seq"), (opening, "<"), (closing, ">")) if t != meant)
        hint = "put a blank between `>` and `=`" if wrong == ">=" else "a sequence is `seq<int, 4>`"
        raise rejected("SA008", "a type was expected here", source, [wrong], hint)
    return syntax.SequenceType(element, size, span_of(source, children))


def type_(source: Source, children: Children) -> syntax.Type:
    """`INT_TYPE | BOOL_TYPE | name | low ".." high`, each with an array size or without."""
    size = children.pop() if type(children[-1]) is list else None
    span = span_of(source, children)
    element: syntax.NamedType | syntax.RangeType
    if type(children[0]) is syntax.SequenceType:
        return children[0]
    if len(children) == 3:
        element = syntax.RangeType(children[0], children[2], span)
    elif type(children[0]) is Token:
        element = syntax.NamedType(str(children[0]), span)
    elif type(children[0]) is syntax.Name:
        element = syntax.NamedType(children[0].name, span)
    else:
        raise rejected("SA008", "a type was expected here", source, children, "int, bool, low..high, or an enumeration")
    if size is None:
        return element
    count = None if type(size[1]) is Token else size[1]
    return syntax.ArrayType(element, count, span_of(source, [*children, size[-1]]))
