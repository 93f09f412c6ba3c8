"""A direct interpreter of the surface syntax: the judge of the translation from programs to automata.

Statements are executed on stores of values, one statement one step; each test of `if`, `else if` and `while`
is a silent step of its own; an atomic block runs to its end within one step. The first step of a branch of
`choose` decides; a branch that has none of its own (it is empty, or starts with a jump or a name) is entered by
a silent step. All nondeterminism is enumerated, `havoc` of an int over given integers. No relies, no automata.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from msgspec.structs import replace

from sa.automata.automaton import EXIT, FAIL
from sa.language.syntax import (
    Block,
    Break,
    Choose,
    Continue,
    Expression,
    Global,
    If,
    Init,
    Local,
    Param,
    Return,
    Statement,
    While,
)
from sa.terms.sort import Plain
from tests.oracle.execution import Seen, executed
from tests.oracle.expressions import OutsideArray, Store, entries_of, value_of, values_of
from tests.oracle.loading import Instance, Interpreted, blocks_of

#: Where a thread is: indices of statement and sub-block in turn, down the tree; or past its exit, or failed.
Path = tuple[int, ...]
#: In place of a statement's index: in front of the sub-block, at the test of an `else if` or a branch to enter.
ENTRY = -1
DONE: Path = (-2,)
ERROR: Path = (-3,)


class ThreadState(NamedTuple):
    """A thread's control and the values of its locals that have been declared."""

    path: Path
    locals: tuple[tuple[str, Plain], ...]


class World(NamedTuple):
    """A state of the program: the shared values in the order of `shared`, and each thread's state."""

    shared: tuple[Plain, ...]
    threads: tuple[ThreadState, ...]


class WorldStep(NamedTuple):
    """A step of the thread with this index, what is seen of it and where it leads."""

    thread: int
    seen: Seen
    after: World


def initial_worlds(program: Interpreted) -> list[World]:
    """The initial states: declared values, `init`, and the values of the locals that head each thread."""
    stores: list[dict[str, Plain]] = [{}]
    for declaration in program.module.declarations:
        if isinstance(declaration, Param):
            stores = [s for given in stores for s in _declare(program, declaration, None, given)]
        elif isinstance(declaration, Global):
            stores = [s for given in stores for s in _declare(program, declaration, declaration.value, given)]
    conditions = [d.formula for d in program.module.declarations if isinstance(d, Init)]
    stores = [s for s in stores if all(value_of(c, s, program.meanings) for c in conditions)]
    return [
        World(tuple(store[e] for e in program.shared), threads)
        for store in stores
        for threads in product(*(_initial_states(program, t, store) for t in program.threads))
    ]


def _declare(
    program: Interpreted, declared: Param | Global | Local, value: Expression | None, store: Store
) -> Iterator[dict[str, Plain]]:
    """The stores in which the declared names have their value, or any value of their type."""
    domain = values_of(declared.type, program.integers, program.meanings)
    entries = [e for n in declared.names for e in entries_of(n.name, declared.type, program.meanings)]
    if value is not None:
        given = value_of(value, store, program.meanings)
        if domain is program.integers or given in domain:
            yield {**store, **dict.fromkeys(entries, given)}
        return
    for row in product(domain, repeat=len(entries)):
        yield {**store, **dict(zip(entries, row, strict=True))}


def _initial_states(program: Interpreted, thread: Instance, store: Store) -> Iterator[ThreadState]:
    local = replace(program, meanings=thread.meanings)
    head = 0
    stores = [dict(store)]
    while head < len(thread.body.statements):
        action = thread.body.statements[head].action
        if not isinstance(action, Local):
            break
        stores = [s for given in stores for s in _declare(local, action, action.value, given)]
        head += 1
    for s in stores:
        yield ThreadState((head,), _locals(s, store))


def _locals(store: Mapping[str, Plain], shared: Mapping[str, Plain]) -> tuple[tuple[str, Plain], ...]:
    return tuple(sorted((n, v) for n, v in store.items() if n not in shared))


def world_steps(program: Interpreted, world: World) -> Iterator[WorldStep]:
    """The steps of all threads. Raises Unevaluable for what is outside of the interpreter."""
    for i, (thread, state) in enumerate(zip(program.threads, world.threads, strict=True)):
        shared = dict(zip(program.shared, world.shared, strict=True))
        for seen, path, store in _thread_steps(program, thread, state, shared):
            after = ThreadState(path, () if path in (DONE, ERROR) else _locals(store, shared))
            threads = (*world.threads[:i], after, *world.threads[i + 1 :])
            yield WorldStep(i, seen, World(tuple(store[e] for e in program.shared), threads))


def _thread_steps(
    program: Interpreted, thread: Instance, state: ThreadState, shared: Store
) -> Iterator[tuple[Seen, Path, Mapping[str, Plain]]]:
    if state.path in (DONE, ERROR):
        return
    store = {**shared, **dict(state.locals)}
    for path in _heads(thread, state.path):
        if path == END:
            yield (EXIT, ()), DONE, store
            continue
        around = path[:-2] if path[-1] == ENTRY else path
        statement = _statement(thread, around)
        match statement.action:
            case If() | While():
                for target in _tests(thread, path, statement, store):
                    seen: Seen = (FAIL, ()) if target == ERROR else None
                    yield seen, target, store
            case Choose():
                yield None, (*path[:-1], 0), store
            case _:
                for outcome in executed(program, thread, statement, store):
                    if outcome.failed:
                        yield (FAIL, ()), ERROR, store
                    else:
                        yield outcome.seen, _next(path), outcome.store


#: The end of the thread's body, where its exit is still to come.
END: Path = ()


def _statement(thread: Instance, path: Path) -> Statement:
    """The statement at a path that ends with a statement's index."""
    block = thread.body
    for index, inner in zip(path[:-1:2], path[1::2], strict=True):
        block = blocks_of(block.statements[index].action)[inner]
    return block.statements[path[-1]]


def _length(thread: Instance, path: Path) -> int:
    """How many statements the block has in which a path ends."""
    if len(path) == 1:
        return len(thread.body.statements)
    return len(blocks_of(_statement(thread, path[:-2]).action)[path[-2]].statements)


def _next(path: Path) -> Path:
    return (*path[:-1], path[-1] + 1)


def _heads(thread: Instance, path: Path) -> list[Path]:
    """The statements that may make the next step: past ends of blocks and jumps, into branches of `choose`."""
    if path == END:
        return [END]
    if path[-1] == ENTRY:
        return [path]
    if path[-1] == _length(thread, path):
        if len(path) == 1:
            return [END]
        around = path[:-2]
        return [around] if isinstance(_statement(thread, around).action, While) else _heads(thread, _next(around))
    match _statement(thread, path).action:
        case Break() | Continue() | Return() as jump:
            return _heads(thread, _after_jump(thread, path, jump))
        case Choose(branches):
            starts = [(*path, i, 0 if _has_first_step(b) else ENTRY) for i, b in enumerate(branches)]
            return list(dict.fromkeys(h for start in starts for h in _heads(thread, start)))
        case _:
            return [path]


def _has_first_step(branch: Block) -> bool:
    """Whether a branch of `choose` starts with a step that can decide for it."""
    if not branch.statements or branch.statements[0].name is not None:
        return False
    return not isinstance(branch.statements[0].action, Break | Continue | Return)


def _after_jump(thread: Instance, path: Path, jump: Break | Continue | Return) -> Path:
    """Where `break`, `continue` and `return` lead from a path."""
    if isinstance(jump, Return):
        return END
    around = path[:-2]
    while not isinstance(_statement(thread, around).action, While):
        around = around[:-2]
    return _next(around) if isinstance(jump, Break) else around


def _tests(thread: Instance, path: Path, statement: Statement, store: Store) -> list[Path]:
    """Where the test of an `if` or `while` may lead; ERROR where its condition has no value."""
    action = statement.action
    if isinstance(action, While):
        outcomes = _truths(thread, action.condition, store)
        return [ERROR if o is None else (*path, 0, 0) if o else _next(path) for o in outcomes]
    assert isinstance(action, If)
    around, i = (path[:-2], path[-2]) if path[-1] == ENTRY else (path, 0)
    if i + 1 < len(action.arms):
        otherwise: Path = (*around, i + 1, ENTRY)
    else:
        otherwise = (*around, i + 1, 0) if action.orelse else _next(around)
    outcomes = _truths(thread, action.arms[i].condition, store)
    return [ERROR if o is None else (*around, i, 0) if o else otherwise for o in outcomes]


def _truths(thread: Instance, condition: Expression | None, store: Store) -> list[bool | None]:
    """The values that a condition may have: both for `*`, None where an index leaves its array."""
    if condition is None:
        return [True, False]
    try:
        return [bool(value_of(condition, store, thread.meanings))]
    except OutsideArray:
        return [None]
