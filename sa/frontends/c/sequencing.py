"""Operands that C evaluates in no order (C11 6.5p2, p3): where that is undefined, and where it may matter.

A variable that is changed beside another access of it, with no sequence point in between, makes the program undefined.
Where it is two calls, or accesses through pointers, one order is as good as another, and the program may notice which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from sa.frontends.c.body import Constant, File, InMemory, complain
from sa.frontends.c.gnu import OMITTED
from sa.frontends.c.places import span
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.c.types import Function, is_scalar
from sa.frontends.c.values import Unsupported
from sa.frontends.flow.graph import Fork

#: What may be read or written that is no variable of the function by its name.
MEMORY = "*"

#: Functions without an effect that anybody sees: two of them may change places. Some read memory.
_INPUTS = ("__VERIFIER_nondet_", "__builtin_")
_PURE = {
    "malloc", "calloc", "abs", "labs", "llabs", "rand", "pthread_self", "thrd_current", "offsetof",
    "isalnum", "isalpha", "isdigit", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit",
    "toupper", "tolower",
}  # fmt: skip
_READING = {"strlen", "strnlen", "strcmp", "strncmp", "strchr", "strrchr", "strstr", "memcmp", "memchr"}
#: Functions behind which nothing may come.
_LEAVING = frozenset(
    {"exit", "_exit", "_Exit", "quick_exit", "abort", "pthread_exit", "thrd_exit", "__VERIFIER_assume", "longjmp"}
)
_JUMPS = ("&&", "||")


class Effects(Struct, frozen=True):
    """What an evaluation does. `uses` and `changes` are variables by their names, `pending` changes without a sequence
    point behind; `reads` and `writes` are parts of variables, and memory.

    It may access what is volatile or atomic (`qualified`), call, act so that others see it, end the thread, and fail.
    """

    uses: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    pending: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    qualified: bool = False
    calls: bool = False
    acts: bool = False
    leaves: bool = False
    fails: bool = False


_NOTHING = Effects()
_UNKNOWN = Effects(
    reads=frozenset({MEMORY}), writes=frozenset({MEMORY}), qualified=True, calls=True, acts=True, fails=True
)


class Conflict(Struct, frozen=True):
    """Operands whose order matters. With a `name`, this variable makes it undefined."""

    node: Any
    name: str | None


class _Scope(Struct, frozen=True):
    """A function: the names of variables that only it can access, of arrays, and of what is volatile or atomic.

    `known` is what other functions do; `shared` says that other threads may run.
    """

    file: File
    closed: frozenset[str]
    arrays: frozenset[str]
    qualified: frozenset[str]
    known: Mapping[str, Effects]
    shared: bool
    found: list[Conflict]


def check(file: File, nodes: Iterable[Any]) -> None:
    """Note in a file what is undefined for want of an order, and the places where an order is taken for granted."""
    for found in conflicts(file, nodes):
        if found.name is not None:
            message = f"`{found.name}` is changed and used in no order, which is undefined (C11 6.5p2)"
            complain(file, found.node, Unsupported("SA733", message, "write the change as a statement of its own"))
        elif (place := span(found.node, file.text)) is not None:
            file.unordered[place] = None


def conflicts(file: File, nodes: Iterable[Any]) -> tuple[Conflict, ...]:
    """The operands in the functions of a file that are reached, where an order is undefined or may matter."""
    nodes = list(nodes)
    arrays, qualified = _declared(nodes)
    reached = dict.fromkeys(file.copies[n].function if n in file.copies else n for n in file.procedures)
    own = [n for n in reached if n not in file.library]
    known, found = dict.fromkeys(own, _NOTHING), list[Conflict]()
    forks = any(isinstance(step.op, Fork) for made in file.procedures.values() for step in made.steps)
    shared = forks or file.choices.function is not None
    changed = True
    while changed:
        changed = False
        found.clear()
        for name in own:
            node = file.bodies[name]
            scope = _Scope(file, _closed(file, node), arrays, qualified, known, shared, found)
            made = _outward(scope, _effects(scope, node.body))
            changed |= made != known[name]
            known[name] = made
    return tuple(found)


def _declared(nodes: Iterable[Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Names of arrays, and names of variables, fields and types that are volatile or atomic or lead to such."""
    arrays, qualified = set[str](), set[str]()
    for here in (n for node in nodes for n in nodes_of(node)):
        if not isinstance(here, c_ast.Decl | c_ast.Typedef) or here.name is None:
            continue
        if isinstance(here.type, c_ast.ArrayDecl):
            arrays.add(here.name)
        for part in nodes_of(here.type):
            words = (*getattr(part, "quals", ()), *(part.names if isinstance(part, c_ast.IdentifierType) else ()))
            if any(w in ("volatile", "_Atomic") or w.startswith("atomic_") or w in qualified for w in words):
                qualified.add(here.name)
    return frozenset(arrays), frozenset(qualified)


def _closed(file: File, function: Any) -> frozenset[str]:
    """Variables of a function that nothing points to."""
    names, taken = set[str](), set[str]()
    for here in nodes_of(function):
        match here:
            case c_ast.Decl(name=str(name), storage=storage, type=kind):
                kept = "static" in storage or "extern" in storage or isinstance(kind, c_ast.ArrayDecl)
                (taken if kept or name in file.names else names).add(name)
            case c_ast.UnaryOp(op="&", expr=inner):
                taken.add(_root(inner))
            case _:
                pass
    return frozenset(names - taken)


def _root(node: Any) -> str:
    """The variable that a place is in, or memory."""
    match node:
        case c_ast.ID(name=name):
            return str(name)
        case c_ast.StructRef(type=".", name=outer) | c_ast.ArrayRef(name=outer):
            return _root(outer)
        case _:
            return MEMORY


def _outward(scope: _Scope, made: Effects) -> Effects:
    """What the caller of a function can tell of what it does."""

    none, memory = frozenset[str](), frozenset({MEMORY})
    return replace(
        made,
        uses=none,
        changes=none,
        pending=none,
        reads=none if made.uses | made.reads <= scope.closed else memory,
        writes=none if made.changes | made.writes <= scope.closed else memory,
        calls=True,
    )


def _effects(scope: _Scope, node: Any) -> Effects:
    """What the evaluation of an expression or a statement does."""
    match node:
        case c_ast.Constant() | c_ast.Typename():
            return _NOTHING
        case c_ast.UnaryOp(op="sizeof" | "_Alignof"):
            return _NOTHING
        case c_ast.UnaryOp(op="&", expr=inner):
            return _of_place(scope, inner)
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=inner):
            return _changing(scope, node, inner, _NOTHING, reads=True)
        case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
            return _then(_of_place(scope, node), _access(scope, node))
        case c_ast.Assignment(op=op, lvalue=left, rvalue=right):
            return _changing(scope, node, left, _effects(scope, right), reads=op != "=")
        case c_ast.BinaryOp(op=op, left=left, right=right) if op in _JUMPS:
            return _then(_effects(scope, left), _effects(scope, right))
        case c_ast.BinaryOp(op=op, left=left, right=right):
            made = _beside(scope, node, (_effects(scope, left), _effects(scope, right)))
            return replace(made, fails=made.fails or op in "/%")
        case c_ast.TernaryOp(cond=condition, iftrue=one, iffalse=two):
            omitted = isinstance(one, c_ast.ID) and one.name == OMITTED
            first = _NOTHING if omitted else _effects(scope, one)
            return _then(_effects(scope, condition), _either(first, _effects(scope, two)))
        case c_ast.Cast(expr=inner):
            return _effects(scope, inner)
        case c_ast.FuncCall():
            return _call(scope, node)
        case c_ast.InitList(exprs=exprs):
            return _beside(scope, node, [_effects(scope, e) for e in exprs or ()])
        case c_ast.Compound():
            return _block(scope, node)
        case c_ast.Decl(init=first):
            return _NOTHING if first is None else _effects(scope, first)
        case _:
            return reduce(_then, (_effects(scope, child) for _, child in node.children()), _NOTHING)


def _of_place(scope: _Scope, node: Any) -> Effects:
    """What finding a place does, without an access of it."""
    match node:
        case c_ast.ID():
            return _NOTHING
        case c_ast.StructRef(type=".", name=outer):
            return _of_place(scope, outer)
        case c_ast.ArrayRef(name=outer, subscript=index):
            base = _of_place(scope, outer) if _is_array(scope, outer) else _effects(scope, outer)
            return replace(_beside(scope, node, (base, _effects(scope, index))), fails=True)
        case c_ast.StructRef(name=inner) | c_ast.UnaryOp(op="*", expr=inner):
            return replace(_effects(scope, inner), fails=True)
        case _:
            return _effects(scope, node)


def _is_array(scope: _Scope, node: Any) -> bool:
    match node:
        case c_ast.ID(name=name):
            return name in scope.arrays
        case c_ast.StructRef(field=field):
            return field.name in scope.arrays
        case _:
            return isinstance(node, c_ast.ArrayRef)


def _access(scope: _Scope, node: Any) -> Effects:
    """A read of a place. Arrays, functions and what nothing changes are not read."""
    if isinstance(node, c_ast.ID):
        name = str(node.name)
        if _is_array(scope, node) or _is_fixed(scope, name):
            return _NOTHING
        return Effects(uses=frozenset({name}), qualified=name in scope.qualified)
    if _is_array(scope, node) and not isinstance(node, c_ast.ArrayRef):
        return _NOTHING
    named = {n.name for n in nodes_of(node) if isinstance(n, c_ast.ID)}
    root = MEMORY if _follows(scope, node) else _root(node)
    return Effects(reads=frozenset({root}), qualified=not scope.qualified.isdisjoint(named))


def _is_fixed(scope: _Scope, name: str) -> bool:
    """Whether a name of the file means the same for ever."""
    match scope.file.names.get(name):
        case Function() | Constant():
            return name not in scope.closed
        case InMemory(type=kind) if scope.file.choices.function is None and is_scalar(kind):
            return name not in scope.closed and name not in scope.file.assigned
        case _:
            return False


def _follows(scope: _Scope, node: Any) -> bool:
    """Whether a place is found by a pointer."""
    match node:
        case c_ast.ID():
            return False
        case c_ast.StructRef(type=".", name=outer):
            return _follows(scope, outer)
        case c_ast.ArrayRef(name=outer):
            return not _is_array(scope, outer) or _follows(scope, outer)
        case _:
            return True


def _changing(scope: _Scope, node: Any, left: Any, right: Effects, reads: bool) -> Effects:
    """An assignment: behind the values of both sides, but not behind what else they change (C11 6.5.16p3)."""
    place, read = _of_place(scope, left), _access(scope, left) if reads else _NOTHING
    made = _beside(scope, node, (_then(place, read), right))
    if not isinstance(left, c_ast.ID):
        target = _access(scope, left)
        return replace(_then(made, target), writes=made.writes | target.reads, pending=made.pending)
    if left.name in made.pending:
        scope.found.append(Conflict(node, left.name))
    name = frozenset({left.name})
    qualified = made.qualified or left.name in scope.qualified
    return replace(made, changes=made.changes | name, pending=made.pending | name, qualified=qualified)


def _call(scope: _Scope, node: c_ast.FuncCall) -> Effects:
    """A call: arguments beside each other, then a sequence point, then the function (C11 6.5.2.2p10)."""
    arguments = [_effects(scope, a) for a in (node.args.exprs if node.args is not None else ())]
    called = _UNKNOWN
    if isinstance(node.name, c_ast.ID) and node.name.name not in scope.closed:
        called = _named(scope, node.name.name)
    else:
        arguments.append(_effects(scope, node.name))
    return replace(_then(_beside(scope, node, arguments), called), pending=frozenset())


def _named(scope: _Scope, name: str) -> Effects:
    """What a function does that is called by its name."""
    if name in scope.known:
        return scope.known[name]
    if name in scope.file.bodies and name not in scope.file.library:
        return _UNKNOWN
    if name in _PURE or name.startswith(_INPUTS):
        return _NOTHING
    if name in _READING:
        return Effects(reads=frozenset({MEMORY}), calls=True, fails=True)
    return replace(_UNKNOWN, leaves=name in _LEAVING)


def _block(scope: _Scope, node: Any) -> Effects:
    """Statements: each ends with a sequence point, and its variables are its own."""
    made = reduce(_then, (_effects(scope, s) for s in node.block_items or ()), _NOTHING)
    own = {n.name for n in nodes_of(node) if isinstance(n, c_ast.Decl)}
    return replace(
        made,
        uses=frozenset(),
        changes=frozenset(),
        pending=frozenset(),
        reads=(made.reads | made.uses) - own,
        writes=(made.writes | made.changes) - own,
    )


def _then(one: Effects, two: Effects) -> Effects:
    """The one, a sequence point, and the other."""
    return replace(_either(one, two), pending=two.pending)


def _either(one: Effects, two: Effects) -> Effects:
    return Effects(
        one.uses | two.uses,
        one.changes | two.changes,
        one.pending | two.pending,
        one.reads | two.reads,
        one.writes | two.writes,
        one.qualified or two.qualified,
        one.calls or two.calls,
        one.acts or two.acts,
        one.leaves or two.leaves,
        one.fails or two.fails,
    )


def _beside(scope: _Scope, node: Any, operands: Iterable[Effects]) -> Effects:
    """Operands in no order. What is undefined or may matter is noted."""
    made = _NOTHING
    for operand in operands:
        for one, two in ((made, operand), (operand, made)):
            both = one.changes & (two.uses | two.changes)
            if both:
                scope.found.append(Conflict(node, min(both)))
            elif _matters(scope, one, two):
                scope.found.append(Conflict(node, None))
        made = _either(made, operand)
    return made


def _matters(scope: _Scope, one: Effects, two: Effects) -> bool:
    """Whether somebody can tell which one came first; to be asked both ways.

    Plain accesses of which none is a write are told apart by other threads only in a data race.
    """
    written, touched = one.changes | one.writes, two.uses | two.changes | two.reads | two.writes
    if _meet(scope, written, touched) or (one.acts and two.calls) or (one.leaves and two.fails):
        return True
    return scope.shared and one.qualified and all(_is_open(scope, e) for e in (one, two))


def _is_open(scope: _Scope, made: Effects) -> bool:
    return not (made.uses | made.changes | made.reads | made.writes) <= scope.closed


def _meet(scope: _Scope, written: frozenset[str], touched: frozenset[str]) -> bool:
    """Whether what is written may be what is accessed: through a pointer, all that has an address."""
    return bool(
        written & touched
        or (MEMORY in written and touched - scope.closed)
        or (MEMORY in touched and written - scope.closed)
    )
