"""Names that a file uses of other files, or of its own threads from outside: `abs.N`, `conc.T.x`, `relate x`, `T.x`.

Read off the syntax tree alone, like the outline (`outline.py`), so that it works while one types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from sa.base.source import Source, Span, span_text
from sa.language import syntax
from sa.language.outline import Declared, Outline, Space, children
from sa.language.parser import parse
from sa.language.syntax.node import Node
from sa.language.syntax.proof import PreservesClaim, RefinesClaim

#: This file, where others are named by their paths.
HERE = ""

#: What only the text around it knows.
_INNER = frozenset({"argument", "bound variable", "loop variable", "identity"})


class Mention(Struct, frozen=True):
    """A name that stands at a place for what files declare, in a thread if one is named.

    `files` are written as the text writes them, relative to its folder; "" is the text itself.
    """

    name: str
    spaces: frozenset[Space]
    place: Span
    files: tuple[str, ...]
    thread: str | None = None


class Pair(Struct, frozen=True):
    """Two programs that are compared. `variables` and `threads` say that those of one name belong together."""

    abstract: str
    concrete: str
    variables: bool
    threads: bool


class Mentions(Struct, frozen=True):
    """All mentions of a text, and what it compares."""

    names: tuple[Mention, ...]
    pairs: tuple[Pair, ...]


class _Around(Struct, frozen=True):
    """What names mean in a part of a text: those before a dot, and those without; `sides` of a comparison."""

    aliases: Mapping[str, str]
    bare: tuple[str, ...] = (HERE,)


def mentions(source: Source) -> Mentions:
    """The mentions of a text. Raises InputError for errors of syntax."""
    declarations = parse(source).declarations
    imports = {d.alias.name: d.path for d in declarations if isinstance(d, syntax.Import)}
    names, pairs = list[Mention](), list[Pair]()
    for declaration in declarations:
        around = _Around(imports)
        match declaration:
            case syntax.RefinementBlock():
                around, pair = _of_block(declaration, imports, source)
                if pair is not None:
                    pairs.append(pair)
            case syntax.StepDeclaration(claim=RefinesClaim() as claim):
                around, compared = _of_claim(claim, imports, declaration.clauses.relate is None)
                pairs.extend(compared)
            case syntax.StepDeclaration(claim=PreservesClaim() as claim):
                around = _Around(imports, _files(claim.side, imports))
        names.extend(_walk(declaration, around))
    return Mentions(tuple(names), tuple(pairs))


def meant(mention: Mention, found: Outline) -> tuple[Declared, ...]:
    """What a mention can mean in a file: what stands in the file itself, else locals of its threads."""
    fitting = [
        d for d in found.declared if d.name == mention.name and d.space in mention.spaces and d.kind not in _INNER
    ]
    if mention.thread is not None:
        owners = [d.whole for d in found.declared if d.space is Space.THREAD and d.name == mention.thread]
        return tuple(d for d in fitting if any(o.start <= d.place.start < o.end for o in owners) and not d.top)
    return tuple(d for d in fitting if d.top) or tuple(fitting)


def _of_block(block: syntax.RefinementBlock, imports: Mapping[str, str], source: Source) -> tuple[_Around, Pair | None]:
    """Without an abstract side the block is about whatever the file is compared with: `conc.sa` with `abs.sa`."""
    concrete = HERE if block.concrete is None else block.concrete.text
    abstract = None if block.abstract is None else block.abstract.text
    if abstract is None and re.search(r"(?:^|[/\\])conc\.sa$", source.name):
        abstract = "abs.sa"
    aliases = {**imports, "conc": concrete}
    if abstract is None:
        return _Around(aliases, (concrete,)), None
    around = _Around({**aliases, "abs": abstract}, (concrete, abstract))
    return around, Pair(abstract, concrete, block.clauses.relate is None, not block.pairs)


def _of_claim(claim: RefinesClaim, imports: Mapping[str, str], default: bool) -> tuple[_Around, list[Pair]]:
    left, right = _files(claim.left, imports), _files(claim.right, imports)
    whole = all(len(s.threads) == 1 and s.threads[0].name in imports for s in (claim.left, claim.right))
    pairs = [Pair(a, c, default, whole) for c in left[:1] for a in right[:1]]
    return _Around(imports, (*left, *right)), pairs


def _files(side: syntax.Side, imports: Mapping[str, str]) -> tuple[str, ...]:
    aliases = (thread.name.partition(".")[0] for thread in side.threads)
    return tuple(dict.fromkeys(imports[alias] for alias in aliases if alias in imports))


def _walk(node: Node, around: _Around) -> Iterator[Mention]:
    match node:
        case syntax.Name() | syntax.Index() | syntax.Apply() | syntax.Call() | syntax.NamedType():
            yield from _named(node.name, node.span, around)
        case syntax.ThreadName():
            yield from _thread(node, around)
        case syntax.ThreadPair(concrete, abstract):
            yield _of_pair(concrete, around.bare[:1])
            yield _of_pair(abstract, around.bare[1:])
            return
        case syntax.At() if around.bare != (HERE,):
            yield from _at(node, around)
        case syntax.Member(thread, _, local, span):
            if around.bare != (HERE,):
                place = Span(span.source, span.start, span.start + len(thread))
                yield Mention(thread, frozenset({Space.THREAD}), place, around.bare)
            place = Span(local.span.source, local.span.start, local.span.start + len(local.name))
            yield Mention(local.name, frozenset({Space.VALUE}), place, around.bare, thread)
            yield from _walk(node.index, around)
            return
        case _:
            pass
    for child in children(node):
        yield from _walk(child, around)


def _named(name: str, span: Span, around: _Around) -> Iterator[Mention]:
    """`x`, `T.x`, `abs.N`, `conc.T.x`."""
    words = list(re.finditer(r"[A-Za-z_][A-Za-z_0-9]*(?:\?[0-9]+)?", span_text(span)))
    parts = name.split(".")
    if [w.group() for w in words[: len(parts)]] != parts:
        return
    places = [Span(span.source, span.start + w.start(), span.start + w.end()) for w in words[: len(parts)]]
    files, either = around.bare, frozenset({Space.VALUE})
    of_side = parts[0] in around.aliases and len(parts) > 1
    if of_side:
        files, either = (around.aliases[parts[0]],), frozenset({Space.VALUE, Space.THREAD})
        parts, places = parts[1:], places[1:]
    elif len(parts) == 1 and files == (HERE,):
        # A use as all others (`outline.py`).
        return
    if len(parts) == 1:
        yield Mention(parts[0], either, places[0], files)
    elif len(parts) == 2:
        if of_side or files != (HERE,):
            yield Mention(parts[0], frozenset({Space.THREAD}), places[0], files)
        yield Mention(parts[1], frozenset({Space.VALUE}), places[1], files, parts[0])


def _thread(node: syntax.ThreadName, around: _Around) -> Iterator[Mention]:
    first, dot, second = node.name.partition(".")
    start, source = node.span.start, node.span.source
    spaces = frozenset({Space.THREAD})
    if dot and first in around.aliases:
        text = span_text(node.span)
        at = start + text.index(second, len(first) + 1)
        yield Mention(second, spaces, Span(source, at, at + len(second)), (around.aliases[first],))
    elif not dot and first not in around.aliases and around.bare != (HERE,):
        yield Mention(first, spaces, Span(source, start, start + len(first)), around.bare)


def _of_pair(node: syntax.ThreadName, files: tuple[str, ...]) -> Mention:
    place = Span(node.span.source, node.span.start, node.span.start + len(node.name))
    return Mention(node.name, frozenset({Space.THREAD}), place, files)


def _at(node: syntax.At, around: _Around) -> Iterator[Mention]:
    text, start, source = span_text(node.span), node.span.start, node.span.source
    found = re.search(rf"\bat\s+({re.escape(node.thread)})\b.*?({re.escape(node.location)})\s*$", text, re.DOTALL)
    if found is None:
        return
    thread, location = (Span(source, start + found.start(i), start + found.end(i)) for i in (1, 2))
    yield Mention(node.thread, frozenset({Space.THREAD}), thread, around.bare)
    yield Mention(node.location, frozenset({Space.LOCATION}), location, around.bare, node.thread)
