"""What a file declares and where its names are used: read off the syntax tree alone, so that it works while one types.

Names do not shadow others: the declaration that a use means is the innermost one around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from sa.base.source import Source, Span, span_text
from sa.language import syntax
from sa.language.parser import parse
from sa.language.syntax.declaration import AnyNumber, Family, Formal, FunctionParameter
from sa.language.syntax.expression import Binder, NamedType
from sa.language.syntax.node import Node
from sa.language.syntax.proof import By
from sa.language.syntax.statement import Call


class Space(Enum):
    """Names of different spaces have nothing to do with each other."""

    VALUE = "value"
    THREAD = "thread"
    LOCATION = "location"
    INVARIANT = "invariant"
    REFINEMENT = "refinement"
    STEP = "step"


class Declared(Struct, frozen=True, eq=False):
    """A declaration: of what kind, the name and its place, the whole text, where it can be used (None: anywhere).

    `top` says that it stands in the file itself, not in a thread or a procedure.
    """

    kind: str
    name: str
    space: Space
    place: Span
    whole: Span
    scope: Span | None
    top: bool


class Use(Struct, frozen=True):
    """A use of a name; of a location `thread` names the thread that has it."""

    name: str
    space: Space
    place: Span
    thread: str | None = None


class Outline(Struct, frozen=True):
    """All declarations and all uses of a file, in the order of the text."""

    declared: tuple[Declared, ...]
    uses: tuple[Use, ...]


def outline(source: Source) -> Outline:
    """The outline of a text. Raises InputError for errors of syntax."""
    declared, uses = list[Declared](), list[Use]()
    for declaration in parse(source).declarations:
        _walk(declaration, (), declared, uses)
    return Outline(tuple(sorted(declared, key=_start)), tuple(sorted(uses, key=_start)))


def _start(found: Declared | Use) -> int:
    return found.place.start


def meaning(found: Outline, offset: int) -> Declared | None:
    """The declaration of the name at an offset, where it is declared in this file."""
    for declared in found.declared:
        if declared.place.start <= offset <= declared.place.end:
            return declared
    use = next((u for u in found.uses if u.place.start <= offset <= u.place.end), None)
    return None if use is None else declaration_of(found, use)


def declaration_of(found: Outline, use: Use) -> Declared | None:
    """The innermost declaration that a use can mean."""
    fitting = [d for d in found.declared if d.name == use.name and d.space is use.space and _reaches(d, use, found)]
    return min(fitting, key=lambda d: _length(d.scope), default=None)


def _reaches(declared: Declared, use: Use, found: Outline) -> bool:
    if use.thread is not None:
        owners = (d for d in found.declared if d.space is Space.THREAD and d.name == use.thread)
        return any(o.whole == declared.scope for o in owners)
    scope = declared.scope
    return scope is None or scope.start <= use.place.start <= scope.end


def _length(scope: Span | None) -> int:
    return scope.end - scope.start if scope is not None else 1 << 60


# ---------------------------------------------------------------- the tree


def _walk(node: Node, above: tuple[Node, ...], declared: list[Declared], uses: list[Use]) -> None:
    declared.extend(_declared(node, above))
    uses.extend(_uses(node, above))
    for child in children(node):
        _walk(child, (*above, node), declared, uses)


def children(node: Node) -> Iterator[Node]:
    """The parts of a node of the syntax tree."""
    for name in node.__struct_fields__:
        value = getattr(node, name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, Node):
                yield child


def _scope(above: tuple[Node, ...], *kinds: type[Node]) -> Span | None:
    """The innermost node of some kinds."""
    spans = (getattr(node, "span", None) for node in reversed(above) if isinstance(node, kinds))
    return next((span for span in spans if isinstance(span, Span)), None)


def _declared(node: Node, above: tuple[Node, ...]) -> Iterator[Declared]:
    top = not above
    owner = _scope(above, syntax.Thread, syntax.AutomatonDeclaration)
    block = _scope(above, syntax.Block, syntax.AutomatonDeclaration)

    def made(kind: str, name: syntax.Identifier, space: Space, whole: Span, scope: Span | None) -> Declared:
        return Declared(kind, name.name, space, name.span, whole, scope, top)

    match node:
        case syntax.Const() | syntax.Define() | syntax.FunctionDeclaration() | syntax.Procedure():
            kinds = {syntax.Const: "constant", syntax.Define: "definition", syntax.Procedure: "procedure"}
            yield made(kinds.get(type(node), "function"), node.name, Space.VALUE, node.span, None)
            if isinstance(node, syntax.Define):
                for parameter in node.parameters:
                    yield made("argument", parameter, Space.VALUE, parameter.span, node.span)
        case syntax.Param():
            yield from (made("parameter", name, Space.VALUE, node.span, None) for name in node.names)
        case syntax.Global():
            yield from (made("global", name, Space.VALUE, node.span, block) for name in node.names)
        case syntax.Local():
            yield from (made("local", name, Space.VALUE, node.span, block) for name in node.names)
        case syntax.Enumeration():
            yield made("type", node.name, Space.VALUE, node.span, None)
            yield from (made("constructor", name, Space.VALUE, node.span, None) for name in node.constructors)
        case syntax.Import():
            yield made("file", node.alias, Space.VALUE, node.span, None)
        case syntax.Event():
            yield made("event", node.name, Space.VALUE, node.span, None)
        case syntax.Scheduler():
            yield made("scheduler", node.name, Space.VALUE, node.span, None)
        case syntax.Answer():
            yield from (made("argument", name, Space.VALUE, name.span, node.span) for name in node.parameters)
        case Formal() | FunctionParameter():
            if node.name is not None:
                whole = _scope(above, syntax.Procedure, syntax.FunctionDeclaration)
                yield made("argument", node.name, Space.VALUE, node.span, whole)
        case Binder():
            bound = _scope(above, syntax.Quantified)
            yield from (made("bound variable", name, Space.VALUE, node.span, bound) for name in node.names)
        case syntax.For():
            yield made("loop variable", node.name, Space.VALUE, node.head, node.span)
        case Family() | AnyNumber():
            if node.name is not None:
                yield made("identity", node.name, Space.VALUE, node.span, owner)
        case syntax.Thread() | syntax.AutomatonDeclaration():
            yield made("thread", node.name, Space.THREAD, node.span, None)
        case syntax.Statement():
            if node.name is not None:
                yield made("location", node.name, Space.LOCATION, node.span, owner)
        case syntax.LocationDeclaration():
            yield made("location", node.name, Space.LOCATION, node.span, owner)
        case syntax.InvariantDeclaration():
            yield made("invariant", node.name, Space.INVARIANT, node.span, None)
        case syntax.RefinementBlock():
            yield made("refinement", node.name, Space.REFINEMENT, node.span, None)
        case syntax.StepDeclaration():
            yield made("step", node.name, Space.STEP, node.span, None)
        case _:
            pass


def _uses(node: Node, above: tuple[Node, ...]) -> Iterator[Use]:
    match node:
        case syntax.Name() | syntax.Index() | syntax.Apply() | Call() | NamedType():
            first, dot, _ = node.name.partition(".")
            place = Span(node.span.source, node.span.start, node.span.start + len(first))
            yield Use(first, Space.VALUE, place)
            if dot:
                # A local of a thread, or a name of an imported file.
                yield Use(first, Space.THREAD, place)
        # Who refines whom is about two files (`mentions.py`).
        case syntax.ThreadName() if not (above and isinstance(above[-1], syntax.ThreadPair)):
            first, dot, _ = node.name.partition(".")
            place = Span(node.span.source, node.span.start, node.span.start + len(first))
            # Without a dot it is a thread, or in a script an imported file.
            yield Use(first, Space.VALUE, place)
            if not dot:
                yield Use(first, Space.THREAD, place)
        case syntax.UsesScheduler(name, place):
            if name.span != Span(place.source, place.start, place.start + len(name.name)):
                yield Use(name.name, Space.VALUE, name.span)
        case syntax.At():
            yield from _at(node)
        case syntax.Member(thread, _, _, span):
            yield Use(thread, Space.THREAD, Span(span.source, span.start, span.start + len(thread)))
        case syntax.EdgeDeclaration():
            for end in (node.source, node.target):
                yield Use(end.name, Space.LOCATION, end.span)
        case By():
            yield from (Use(cited.name, Space.STEP, cited.span) for cited in node.cited)
        case _:
            pass


def _at(node: syntax.At) -> Iterator[Use]:
    """`at T[1].CS` uses a thread and one of its locations."""
    text, start, source = span_text(node.span), node.span.start, node.span.source
    thread = re.search(rf"\bat\s+({re.escape(node.thread)})\b", text)
    location = re.search(rf"({re.escape(node.location)})\s*$", text)
    if thread is not None:
        yield Use(node.thread, Space.THREAD, Span(source, start + thread.start(1), start + thread.end(1)))
    if location is not None:
        place = Span(source, start + location.start(1), start + location.end(1))
        yield Use(node.location, Space.LOCATION, place, node.thread)
