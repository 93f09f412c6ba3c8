"""The functions that make questions, each changed in one place: what becomes of the answers?

An operator changes one node of a function's tree: a part of a conjunction or of a list is dropped, two arguments change
places, a condition is turned round, a side takes the other's name, an element of what is gone through is forgotten.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import CodeType, ModuleType

from msgspec import Struct

#: A change to a tree: where it is, what it does, in words and done.
Change = tuple[ast.AST, str, Callable[[ast.AST], ast.AST]]


class Mutant(Struct, frozen=True):
    """A module with one function changed. `what` says which, where and how; function and change by their numbers."""

    what: str
    module: str
    file: str
    function: int
    change: int

    def code(self) -> CodeType:
        """The whole module with the change; made only where it is wanted, since there are many."""
        tree = ast.parse(Path(self.file).read_text(encoding="utf-8"))
        target = tree.body[self.function]
        node, _, change = next(islice(_changes(target), self.change, None))
        _Replace(node, change).visit(target)
        ast.fix_missing_locations(tree)
        return compile(tree, self.file, "exec")


def mutants(module: ModuleType) -> Iterator[Mutant]:
    """All mutants of a module."""
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    for number, function in enumerate(tree.body):
        if isinstance(function, ast.FunctionDef):
            for place, (node, words, _) in enumerate(_changes(function)):
                what = f"{function.name}, line {getattr(node, 'lineno', 0)}: {words}"
                yield Mutant(what, module.__name__, module.__file__, number, place)


class _Replace(ast.NodeTransformer):
    def __init__(self, node: ast.AST, change: Callable[[ast.AST], ast.AST]) -> None:
        self.node, self.change = node, change

    def visit(self, node: ast.AST) -> ast.AST:
        return self.change(node) if node is self.node else super().generic_visit(node)


def _changes(function: ast.AST) -> Iterator[Change]:
    for node in _code(function):
        match node:
            case ast.Call(args=args, func=func):
                for index in range(len(args)):
                    if len(args) > 1 or isinstance(args[index], ast.Starred):
                        yield node, f"argument {index + 1} of {ast.unparse(func)} is dropped", _without_argument(index)
                if len(args) == 2:
                    yield node, f"arguments of {ast.unparse(func)} change places", _swapped
            case ast.Tuple(elts=elts, ctx=ast.Load()) if elts:
                for index in range(len(elts)):
                    yield node, f"element {index + 1} of a tuple is dropped", _without_element(index)
            case ast.IfExp() | ast.If():
                yield node, "a condition is turned round", _turned
            case ast.BoolOp():
                yield node, "`and` and `or` change places", _other_operator
            case ast.Compare(ops=[_]):
                yield node, "a comparison is turned round", _negated
            case ast.comprehension(ifs=[_, *_]):
                yield node, "a filter is forgotten", _unfiltered
            case ast.comprehension():
                yield node, "the first element is forgotten", _forgetful
            case ast.For():
                yield node, "the first round is forgotten", _forgetful
            case ast.Constant(value=bool()):
                yield node, "a truth value is the other one", _other_truth
            case ast.Constant(value="conc" | "abs"):
                yield node, "a side is the other one", _other_side


def _code(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of what a function does, annotations and messages left out."""
    for name, value in ast.iter_fields(function):
        if name in ("returns", "annotation", "decorator_list", "args") and isinstance(function, ast.FunctionDef):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Raise):
                yield child
                yield from _code(child)


def _without_argument(index: int) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Call)
        return ast.Call(node.func, [a for i, a in enumerate(node.args) if i != index], node.keywords)

    return change


def _without_element(index: int) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Tuple)
        return ast.Tuple([e for i, e in enumerate(node.elts) if i != index], ast.Load())

    return change


def _swapped(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Call)
    return ast.Call(node.func, node.args[::-1], node.keywords)


def _turned(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.IfExp | ast.If)
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def _other_operator(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def _negated(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    return ast.UnaryOp(ast.Not(), node)


def _unfiltered(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.comprehension)
    return ast.comprehension(node.target, node.iter, [], node.is_async)


def _forgetful(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.comprehension | ast.For)
    rest = ast.Slice(ast.Constant(1), None, None)
    node.iter = ast.Subscript(ast.Call(ast.Name("list", ast.Load()), [node.iter], []), rest, ast.Load())
    return node


def _other_truth(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Constant)
    return ast.Constant(not node.value)


def _other_side(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Constant)
    return ast.Constant("abs" if node.value == "conc" else "conc")
