"""Declarations of a file and items of automata."""

from __future__ import annotations

from collections.abc import Mapping

from lark import Token

from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.language import syntax
from sa.language.habits import habit
from sa.language.reading.children import (
    Children,
    Item,
    after,
    every,
    first,
    identifier,
    identifiers,
    nodes,
    quoted,
    rejected,
    span_of,
    start_of,
    verdict,
)


def start(source: Source, children: Children) -> syntax.Module:
    """`declaration*`."""
    return syntax.Module(source, tuple(children))


def import_declaration(source: Source, children: Children) -> syntax.Import:
    """`"import" STRING "as" NAME ";"`."""
    return syntax.Import(quoted(children[1]), identifier(source, children[3]), span_of(source, children))


def const(source: Source, children: Children) -> syntax.Const:
    """`"const" NAME (":" type)? "=" expression ";"`."""
    name = identifier(source, children[1])
    return syntax.Const(name, after(":", children), after("=", children), span_of(source, children))


def param(source: Source, children: Children) -> syntax.Param:
    """`"param" _names ":" type ";"`."""
    return syntax.Param(identifiers(source, children), children[-2], span_of(source, children))


def global_(source: Source, children: Children) -> syntax.Global:
    """`GHOST? "global" _names ":" type ("=" value)? ";"`."""
    names, ghost = identifiers(source, children), children[0] == "ghost"
    return syntax.Global(names, after(":", children), after("=", children), ghost, span_of(source, children))


def elements(source: Source, children: Children) -> syntax.Elements:
    """`"{" _expressions? "}"`."""
    return syntax.Elements(nodes(children), span_of(source, children))


def enumeration(source: Source, children: Children) -> syntax.Enumeration:
    """`"enum" NAME "{" _names "}"`."""
    name, *constructors = identifiers(source, children)
    return syntax.Enumeration(name, tuple(constructors), span_of(source, children))


def define(source: Source, children: Children) -> syntax.Define:
    """`"define" NAME ("(" _names ")")? "=" expression ";"`."""
    name, *parameters = identifiers(source, children)
    return syntax.Define(name, tuple(parameters), children[-2], span_of(source, children))


def parameter(source: Source, children: Children) -> syntax.FunctionParameter:
    """`NAME ":" type | type`."""
    name = identifier(source, children[0]) if type(children[0]) is Token else None
    return syntax.FunctionParameter(name, children[-1], span_of(source, children))


def function(source: Source, children: Children) -> syntax.FunctionDeclaration:
    """`"function" NAME "(" (parameter ("," parameter)*)? ")" ":" type ("=" expression)? ";"`."""
    name = identifier(source, children[1])
    parameters = every(syntax.FunctionParameter, children)
    span = span_of(source, children)
    return syntax.FunctionDeclaration(name, parameters, after(":", children), after("=", children), span)


def procedure(source: Source, children: Children) -> syntax.Procedure:
    """`"proc" NAME "(" (formal ("," formal)*)? ")" (":" type)? block`."""
    formals, body = every(syntax.Formal, children), children[-1]
    span = span_of(source, children[:-1])
    return syntax.Procedure(identifier(source, children[1]), formals, after(":", children), body, span)


def formal(source: Source, children: Children) -> syntax.Formal:
    """`NAME ":" type`."""
    return syntax.Formal(identifier(source, children[0]), children[2], span_of(source, children))


def axiom(source: Source, children: Children) -> syntax.AxiomDeclaration:
    """`"axiom" expression ";"`."""
    return syntax.AxiomDeclaration(children[1], span_of(source, children))


def init(source: Source, children: Children) -> syntax.Init:
    """`"init" expression ";"`."""
    return syntax.Init(children[1], span_of(source, children))


def invariant(source: Source, children: Children) -> syntax.InvariantDeclaration:
    """`STRONG? "invariant" NAME ":" expression expect? ";"`."""
    name = identifiers(source, children)[0]
    formula = after(":", children)
    span = span_of(source, children)
    return syntax.InvariantDeclaration(name, formula, children[0] == "strong", _expected(children), span)


def expect(source: Source, children: Children) -> syntax.Expect:
    """`"expect" NAME`."""
    return syntax.Expect(verdict(source, children[1]), span_of(source, children))


def file_expect(source: Source, children: Children) -> syntax.Expect:
    """`expect ";"`."""
    return syntax.Expect(children[0].verdict, span_of(source, children))


def family(source: Source, children: Children) -> syntax.Family:
    """`"[" NAME ":" bound ".." bound "]"`."""
    return syntax.Family(identifier(source, children[1]), children[3], children[5], span_of(source, children))


def any_number(source: Source, children: Children) -> syntax.AnyNumber:
    """`"[" (NAME ":")? STAR "]"`."""
    name = identifiers(source, children)
    return syntax.AnyNumber(name[0] if name else None, span_of(source, children))


def rely(source: Source, children: Children) -> syntax.Rely:
    """`"rely" relation ";"`."""
    return syntax.Rely(children[1], span_of(source, children))


def guarantee(source: Source, children: Children) -> syntax.Guarantee:
    """`"guarantee" relation ";"`."""
    return syntax.Guarantee(children[1], span_of(source, children))


def terminates(source: Source, children: Children) -> syntax.Terminates:
    """`"terminates" expect? ";"`."""
    return syntax.Terminates(_expected(children), span_of(source, children))


def progress(source: Source, children: Children) -> syntax.Progress:
    """`"progress" expect? ";"`."""
    return syntax.Progress(_expected(children), span_of(source, children))


def fair(source: Source, children: Children) -> syntax.Fair:
    """`"fair" ";"`."""
    return syntax.Fair(span_of(source, children))


def leads(source: Source, children: Children) -> syntax.Leads:
    """`"leads" expression "~>" expression expect? ";"`."""
    return syntax.Leads(children[1], children[3], _expected(children), span_of(source, children))


def _expected(children: Children) -> Verdict | None:
    found = first(syntax.Expect, children)
    return None if found is None else found.verdict


def thread(source: Source, children: Children) -> syntax.Thread:
    """`"thread" NAME (family | any_number)? "{" (rely | guarantee | terminates | statement)* "}"`."""
    opening = next(c for c in children if type(c) is Token and c == "{")
    body = syntax.Block(every(syntax.Statement, children), span_of(source, [opening, children[-1]]))
    relies, guarantees = every(syntax.Rely, children), every(syntax.Guarantee, children)
    name = identifier(source, children[1])
    family = first(syntax.Family, children) or first(syntax.AnyNumber, children)
    ends = every(syntax.Terminates, children)
    return syntax.Thread(name, family, relies, guarantees, ends, body, span_of(source, children))


def automaton(source: Source, children: Children) -> syntax.AutomatonDeclaration:
    """`"automaton" NAME ("[" INTEGER "]" | any_number)? "{" automaton_item* "}"`."""
    index = int(children[3][:18]) if children[2] == "[" else first(syntax.AnyNumber, children)
    items = tuple(c for c in nodes(children) if c is not index)
    return syntax.AutomatonDeclaration(identifier(source, children[1]), index, items, span_of(source, children))


def location(source: Source, children: Children) -> syntax.LocationDeclaration:
    """`"location" NAME INITIAL? (";" | "{" (location_inv | location_env)* "}")`."""
    items = every(Item, children)
    return syntax.LocationDeclaration(
        identifier(source, children[1]),
        type(children[2]) is Token and children[2] == "initial",
        tuple(i.values[0] for i in items if i.keyword == "inv"),
        tuple(i.values[0] for i in items if i.keyword == "env"),
        span_of(source, children),
    )


def edge(source: Source, children: Children) -> syntax.EdgeDeclaration:
    """`"edge" NAME "->" NAME label? ("when" expression)? CHECKED? (block | ";")`."""
    return syntax.EdgeDeclaration(
        identifier(source, children[1]),
        identifier(source, children[3]),
        first(syntax.Label, children),
        after("when", children),
        type(children[-2]) is Token and children[-2].type == "CHECKED",
        first(syntax.Block, children),
        span_of(source, children),
    )


def event(source: Source, children: Children) -> syntax.Event:
    """`NAME ("[" expression "]")?`."""
    return syntax.Event(identifier(source, children[0]), after("[", children), span_of(source, children))


def scheduling(source: Source, children: Children) -> syntax.UsesScheduler | syntax.Events:
    """`NAME ";"`, `NAME event ("," event)* ";"`: the first name says which."""
    word, named, span = str(children[0]), every(syntax.Event, children), span_of(source, children)
    if word == "cooperative" and not named:
        return syntax.UsesScheduler(identifier(source, children[0]), span)
    if word == "scheduler" and len(named) == 1 and named[0].size is None:
        return syntax.UsesScheduler(named[0].name, span)
    if word == "event" and named:
        return syntax.Events(named, span)
    hint = _SCHEDULING.get(word) or habit(source.text, span.start, word, frozenset())
    what = f"`{word}` is not used like this" if word in _SCHEDULING else f"no declaration begins with `{word}`"
    raise rejected("SA002", what, source, children[:1], hint)


_SCHEDULING: Mapping[str, str] = {
    "cooperative": "write `cooperative;`",
    "scheduler": "write `scheduler systemc;`, or declare one: `scheduler mine { … }`",
    "event": "write `event e, f;`",
}


def scheduler(source: Source, children: Children) -> syntax.Scheduler:
    """`NAME NAME "{" (global | define | await_statement | on)* "}"`."""
    if children[0] != "scheduler":
        hint = habit(source.text, start_of(children[0]), str(children[0]), frozenset())
        raise rejected("SA002", f"no declaration begins with `{children[0]}`", source, children[:1], hint)
    return syntax.Scheduler(
        identifier(source, children[1]),
        every(syntax.Global, children),
        every(syntax.Define, children),
        every(syntax.Answer, children),
        every(syntax.Await, children),
        span_of(source, children),
    )


def on(source: Source, children: Children) -> syntax.Answer:
    """`NAME NAME "for"? ("(" _names ")")? block`."""
    parameters = identifiers(source, children[2:])
    asked = f"{children[1]}{' for' if children[2] == 'for' else ''}"
    fitting = [a for a in syntax.Asked if a.value.partition("(")[0] == asked and _takes(a) == len(parameters)]
    if children[0] != "on" or not fitting:
        hint = "a scheduler answers " + ", ".join(f"`on {a.value}`" for a in syntax.Asked)
        raise rejected("SA002", "no thread asks for this", source, children[:-1], hint)
    return syntax.Answer(fitting[0], parameters, children[-1], span_of(source, children))


def _takes(asked: syntax.Asked) -> int:
    return len(asked.value.partition("(")[2].split(",")) if "(" in asked.value else 0
