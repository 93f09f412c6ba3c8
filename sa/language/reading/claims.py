"""Refinement blocks and steps of proof scripts."""

from __future__ import annotations

from typing import Any

from lark import Token

from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.language import syntax
from sa.language.reading.children import (
    Children,
    Item,
    every,
    first,
    identifier,
    identifiers,
    item,
    nodes,
    quoted,
    rejected,
    span_of,
)


def pair(source: Source, children: Children) -> syntax.ThreadPair:
    """`"thread" thread_name "refines" thread_name ";"`."""
    return syntax.ThreadPair(children[1], children[3], span_of(source, children))


def silent_exit(source: Source, children: Children) -> Item:
    """`"silent" NAME`."""
    if children[1] != "exit":
        raise rejected("SA002", f"expected `exit` after `silent`, found `{children[1]}`", source, [children[1]])
    return item(source, children)


def rely_clause(source: Source, children: Children) -> syntax.Rely:
    """`"rely" relation`."""
    return syntax.Rely(children[1], span_of(source, children))


def _clauses(children: Children) -> syntax.Clauses:
    """What the clauses among the children say together."""
    said = {keyword: list[Any]() for keyword in ("relate", "pre", "inv", "choose", "silent")}
    written = [c for c in children if type(c) is syntax.Rely or (type(c) is Item and c.keyword in said)]
    for clause in written:
        if type(clause) is Item:
            said[clause.keyword].extend(nodes(clause.values) or clause.values)
    return syntax.Clauses(
        tuple(said["relate"]) if said["relate"] else None,
        tuple(said["pre"]),
        tuple(said["inv"]),
        every(syntax.Rely, children),
        bool(said["choose"]),
        bool(said["silent"]),
        written[0].span if written else None,
    )


def refinement(source: Source, children: Children) -> syntax.RefinementBlock:
    """`"refinement" NAME "{" (abstract | concrete | pair | preserve | _clause ";" | expect ";")* "}"`."""
    paths = dict[str, syntax.Path]()
    for part in every(Item, children):
        if part.keyword in ("abstract", "concrete"):
            if part.keyword in paths:
                raise rejected("SA011", f"a second `{part.keyword}` in one refinement block", source, [part])
            paths[part.keyword] = syntax.Path(quoted(part.values[0]), part.span)
    return syntax.RefinementBlock(
        identifier(source, children[1]),
        paths.get("abstract"),
        paths.get("concrete"),
        _clauses(children),
        _preserved(source, children),
        every(syntax.ThreadPair, children),
        _expectation(source, children, "refinement block"),
        span_of(source, children),
    )


def preserve(source: Source, children: Children) -> Item:
    """`NAME (NAME | "progress") ";"`."""
    if children[0] != "preserve" or children[1] not in ("termination", "progress"):
        wrong = children[0] if children[0] != "preserve" else children[1]
        hint = "`preserve termination;` or `preserve progress;`"
        raise rejected("SA002", f"unexpected `{wrong}`", source, [wrong], hint)
    return item(source, children)


def _preserved(source: Source, children: Children) -> str | None:
    found = [i for i in every(Item, children) if i.keyword == "preserve"]
    if len(found) > 1:
        raise rejected("SA011", "a second `preserve` in one refinement block", source, [found[1]])
    return str(found[0].values[0]) if found else None


def _expectation(source: Source, children: Children, what: str) -> Verdict | None:
    found = every(syntax.Expect, children)
    if len(found) > 1:
        raise rejected("SA011", f"a second `expect` in one {what}", source, [found[1]])
    return found[0].verdict if found else None


def side(source: Source, children: Children) -> syntax.Side:
    """`thread_name (OR thread_name)*`."""
    return syntax.Side(every(syntax.ThreadName, children), span_of(source, children))


def refines(source: Source, children: Children) -> syntax.RefinesClaim:
    """`side "refines" side`."""
    return syntax.RefinesClaim(children[0], children[2], span_of(source, children))


def preserves(source: Source, children: Children) -> syntax.PreservesClaim:
    """`side "preserves" STRONG? expression`."""
    strong = type(children[2]) is Token
    return syntax.PreservesClaim(children[0], strong, children[-1], span_of(source, children))


def by(source: Source, children: Children) -> syntax.By:
    """`"by" NAME ("(" _names ")")?`."""
    rule, *cited = identifiers(source, children)
    return syntax.By(rule, tuple(cited), span_of(source, children))


def step(source: Source, children: Children) -> syntax.StepDeclaration:
    """`("lemma" | "theorem") NAME ":" claim _clause* by? (expect? ";" | "{" (_clause ";" | expect ";")* "}")`."""
    return syntax.StepDeclaration(
        children[0] == "theorem",
        identifier(source, children[1]),
        children[3],
        _clauses(children),
        first(syntax.By, children),
        _expectation(source, children, "step"),
        span_of(source, children),
    )
