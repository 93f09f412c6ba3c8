"""Declarations of a file and items of automata."""

from __future__ import annotations

from lark import Token

from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.language import syntax
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
    span_of,
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
