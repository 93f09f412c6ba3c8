"""Arrays of letters that are written by the functions of `sprintf`'s family, and that nobody looks at but to print."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, meaning
from sa.frontends.c.expressions import static_type
from sa.frontends.c.formats import MAKING, WRITING
from sa.frontends.c.types import CType, Int, Pointer, Struct, cells_of
from sa.frontends.c.values import Unsupported


def is_only_printed(body: Body, node: Any) -> bool:
    """Whether an array, of a function, of the file or in a structure, is only given to functions that print it.

    A member of a structure may be looked at through pointers to other types, so those that there are count
    (`File.views`, which is complete when everything has been translated: then it is asked again).
    """
    match node:
        case c_ast.ID(name=name):
            known = meaning(body, name)
            own = known is not body.file.names.get(name)
            trees = [body.file.bodies[body.name].body] if own else _trees(body)
            return all(_prints_only(tree, partial(_is_named, name)) for tree in trees)
        case c_ast.StructRef(name=outer, field=c_ast.ID(name=name)):
            try:
                kind = static_type(body, outer)
            except Unsupported:
                return False
            kind = kind.to if isinstance(kind, Pointer) else kind
            body.file.prints_members = True
            if not isinstance(kind, Struct) or any(_shows_letters(view, kind) for view in body.file.views):
                return False
            return all(_prints_only(tree, partial(_is_field, name)) for tree in _trees(body))
        case _:
            return False


def _shows_letters(view: CType, kind: Struct) -> bool:
    """Whether who takes an object of a structure for one of another type may see letters in it."""
    if view is kind:
        return False
    try:
        return any(isinstance(inner, Int) and inner.bits == 8 for _, inner in cells_of(view))
    except Unsupported:
        return True


def _trees(body: Body) -> Iterator[Any]:
    """What the file says: the bodies of its functions, and what initialises its variables."""
    yield from (f.body for n, f in body.file.bodies.items() if n not in body.file.library)
    yield from body.file.initialisers


def _is_named(name: str, node: Any) -> bool:
    return isinstance(node, c_ast.ID) and bool(node.name == name)


def _is_field(name: str, node: Any) -> bool:
    return isinstance(node, c_ast.StructRef) and bool(node.field.name == name)


def _prints_only(node: Any, is_it: Callable[[Any], bool]) -> bool:
    """Whether what is meant is used as a whole argument of functions that write, and in `sizeof`, only.

    Who makes another text may read it as a part of that one, and has it only as the place to write to.
    """
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=called), args=args) if args is not None and called in WRITING:
            return all(_prints_only(e, is_it) for e in args.exprs if not is_it(e))
        case c_ast.FuncCall(name=c_ast.ID(name=called), args=args) if args is not None and called in MAKING:
            first, *others = args.exprs
            return (is_it(first) or _prints_only(first, is_it)) and all(_prints_only(e, is_it) for e in others)
        case c_ast.UnaryOp(op="sizeof"):
            return True
        case _:
            return not is_it(node) and all(_prints_only(child, is_it) for _, child in node.children())
