"""Whether a function evaluates an expression at most once for each value of its index."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from sa.frontends.c.syntax_tree import nodes_of

_LOOPS = c_ast.For | c_ast.While | c_ast.DoWhile


def read_once(body: Any, element: c_ast.ArrayRef) -> bool:
    """Whether an element is read once at most with each index: outside of loops, or in one that counts the index up.

    A function with `goto` may have loops of another form.
    """
    nodes = tuple(nodes_of(body))
    if any(isinstance(n, c_ast.Goto) for n in nodes):
        return False
    around = [n for n in nodes if isinstance(n, _LOOPS) and any(inner is element for inner in nodes_of(n))]
    return not around or (len(around) == 1 and _counts(around[0], element.subscript))


def _counts(loop: Any, index: Any) -> bool:
    """Whether a loop counts a variable up from round to round, and changes it nowhere else."""
    if not isinstance(loop, c_ast.For) or not isinstance(index, c_ast.ID):
        return False
    changes = [n for n in nodes_of(loop) if _changes(n, index.name)]
    starts = [] if loop.init is None else [n for n in nodes_of(loop.init) if _changes(n, index.name)]
    step = loop.next
    counts = isinstance(step, c_ast.UnaryOp) and step.op in ("++", "p++") and _is(step.expr, index.name)
    return counts and len(changes) == 1 + len(starts) and not any(_addressed(n, index.name) for n in nodes_of(loop))


def _changes(node: Any, name: str) -> bool:
    if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        return _is(node.expr, name)
    return isinstance(node, c_ast.Assignment) and _is(node.lvalue, name)


def _addressed(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "&" and _is(node.expr, name)


def _is(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name
