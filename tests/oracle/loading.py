"""A parsed file made ready for the direct interpreter: what names mean, what is shared, which threads run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.language.syntax import (
    Action,
    AnyNumber,
    Atomic,
    Await,
    Block,
    Choose,
    Const,
    Define,
    Enumeration,
    Family,
    FunctionDeclaration,
    Global,
    If,
    Local,
    Module,
    Param,
    Thread,
    Type,
    While,
)
from sa.terms.name import element
from tests.oracle.expressions import Meanings, entries_of, value_of


class Instance(Struct, frozen=True):
    """A thread to run: a member of a family has its index, or its identity, among its constants."""

    name: str
    number: int
    body: Block
    meanings: Meanings
    types: Mapping[str, Type]


class Interpreted(Struct, frozen=True):
    """A file ready to run: `shared` are the entries of parameters and globals, in declared order."""

    module: Module
    meanings: Meanings
    shared: tuple[str, ...]
    types: Mapping[str, Type]
    threads: tuple[Instance, ...]
    integers: range


def interpreted(module: Module, integers: range, counts: Mapping[str, int] | None = None) -> Interpreted:
    """The file ready to run; `integers` are the values that an arbitrary int may take.

    `counts` says how many copies there are of each family of any number. Raises KeyError where it does not.
    """
    meanings = _meanings(module)
    types: dict[str, Type] = {}
    for declaration in module.declarations:
        if isinstance(declaration, Param | Global):
            types.update({n.name: declaration.type for n in declaration.names})
    shared = tuple(e for name, type_ in types.items() for e in entries_of(name, type_, meanings))
    sizes = {**meanings.sizes, **{n: len(entries_of(n, t, meanings)) for n, t in types.items()}}
    meanings = replace(meanings, sizes=sizes)
    written = [d for d in module.declarations if isinstance(d, Thread)]
    many = [t for t in written if isinstance(t.family, AnyNumber)]
    threads: list[Instance] = []
    for thread in written:
        if thread not in many:
            threads.extend(_instances(thread, len(threads) + 1, meanings, types))
    if many:
        # Copies are known by positive numbers, the same ones that they write into locks.
        threads = [replace(t, number=-t.number) for t in threads]
    first = 1
    for thread in many:
        last = first + (counts or {})[thread.name.name] - 1
        threads.extend(_members(thread, range(first, last + 1), first, meanings, types))
        first = last + 1
    return Interpreted(module, meanings, shared, types, tuple(threads), integers)


def _meanings(module: Module) -> Meanings:
    meanings = Meanings({}, {}, {}, {})
    for declaration in module.declarations:
        match declaration:
            case Const(name, _, value):
                constants = {**meanings.constants, name.name: value_of(value, {}, meanings)}
                meanings = replace(meanings, constants=constants)
            case Define(name, parameters, body):
                macro = tuple(p.name for p in parameters), body
                meanings = replace(meanings, macros={**meanings.macros, name.name: macro})
            case FunctionDeclaration(name, formals, _, body) if body is not None:
                macro = tuple(p.name.name for p in formals if p.name), body
                meanings = replace(meanings, macros={**meanings.macros, name.name: macro})
            case Enumeration(name, constructors):
                members = {c.name: i for i, c in enumerate(constructors)}
                sizes = {**meanings.enumerations, name.name: len(constructors)}
                meanings = replace(meanings, constants={**meanings.constants, **members}, enumerations=sizes)
    return meanings


def _instances(thread: Thread, number: int, meanings: Meanings, types: Mapping[str, Type]) -> Iterator[Instance]:
    if isinstance(thread.family, Family):
        low, high = (int(value_of(bound, {}, meanings)) for bound in (thread.family.low, thread.family.high))
        yield from _members(thread, range(low, high + 1), number, meanings, types)
    else:
        local, declared = _own(thread, meanings, types)
        yield Instance(thread.name.name, number, thread.body, local, declared)


def _members(
    thread: Thread, indices: range, number: int, meanings: Meanings, types: Mapping[str, Type]
) -> Iterator[Instance]:
    local, declared = _own(thread, meanings, types)
    written = None if thread.family is None else thread.family.name
    index = "self" if written is None else written.name
    for place, i in enumerate(indices):
        constants = {**local.constants, index: i}
        name = element(thread.name.name, i)
        yield Instance(name, number + place, thread.body, replace(local, constants=constants), declared)


def _own(thread: Thread, meanings: Meanings, types: Mapping[str, Type]) -> tuple[Meanings, dict[str, Type]]:
    """What names mean in a thread, and the types of all that it may mention."""
    declared = {**types, **_declared(thread.body)}
    sizes = {**meanings.sizes, **{n: len(entries_of(n, t, meanings)) for n, t in declared.items()}}
    return replace(meanings, sizes=sizes), declared


def _declared(block: Block) -> dict[str, Type]:
    """The types of the locals of a block; a name declared in several blocks must have one type here."""
    found: dict[str, Type] = {}
    for statement in block.statements:
        if isinstance(statement.action, Local):
            found.update({n.name: statement.action.type for n in statement.action.names})
        for inner in blocks_of(statement.action):
            found.update(_declared(inner))
    return found


def blocks_of(action: Action) -> tuple[Block, ...]:
    """The blocks inside of a statement, in order."""
    match action:
        case If(arms, orelse):
            return (*(arm.body for arm in arms), *((orelse,) if orelse else ()))
        case Choose(branches):
            return branches
        case While(body=body) | Atomic(body):
            return (body,)
        case Await(body=body) if body is not None:
            return (body,)
        case _:
            return ()
