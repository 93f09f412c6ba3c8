"""The text of a program in C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from tests.frontends.c.judge.syntax import (
    SEQ_CST,
    Address,
    Allocate,
    Assert,
    Assign,
    Atomic,
    Binary,
    Block,
    Break,
    Call,
    Create,
    Exit,
    Expression,
    Fence,
    Field,
    Free,
    Function,
    If,
    Join,
    Load,
    Local,
    Named,
    Number,
    Once,
    Part,
    Place,
    Program,
    Return,
    Statement,
    Sync,
    Target,
    Variable,
    While,
)

HEADERS = (
    "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"
)
#: Functions that take a pointer to attributes, which is null here.
WITH_ATTRIBUTES = ("pthread_mutex_init", "pthread_rwlock_init", "pthread_cond_init", "pthread_barrier_init")
#: Functions that take the number 0 there: not shared with other processes.
WITH_SHARING = ("pthread_spin_init", "sem_init")


def text(program: Program) -> str:
    """A file that compilers accept."""
    parts = [HEADERS, structure(program.fields)]
    for static in program.statics:
        parts.append(f"{'_Thread_local ' if static.thread_local else ''}{_declared(static)};\n")
    parts.extend(_function(f) for f in program.functions)
    return "".join(parts)


def structure(fields: Sequence[Variable]) -> str:
    """The declaration of the structure, if there is one."""
    return "struct node {\n" + "".join(f"    {_declared(f)};\n" for f in fields) + "};\n" if fields else ""


def _declared(variable: Variable) -> str:
    space = "" if variable.type.endswith("*") else " "
    initial = "" if variable.initial is None else f" = {variable.initial}"
    return f"{variable.type}{space}{variable.name}{initial}"


def _function(function: Function) -> str:
    if function.name == "main":
        head = "int main(void)"
    else:
        given = ", ".join(map(_declared, function.parameters)) or "void"
        space = "" if function.result.endswith("*") else " "
        head = f"static {function.result}{space}{function.name}({given})"
    lines = [head + " {"]
    lines.extend(f"    {_declared(v)};" for v in function.locals)
    for statement in function.body:
        lines.extend("    " + line for line in _lines(statement, function))
    if function.thread and not any(isinstance(s, Return) for s in function.body[-1:]):
        lines.append("    return 0;")
    return "\n".join([*lines, "}", ""])


def _lines(statement: Statement, function: Function) -> Iterator[str]:
    match statement:
        case If(condition, then, otherwise):
            yield f"if ({expression(condition)}) {{"
            yield from _inner(then, function)
            if otherwise:
                yield "} else {"
                yield from _inner(otherwise, function)
            yield "}"
        case While(condition, body, do):
            yield "do {" if do else f"while ({expression(condition)}) {{"
            yield from _inner(body, function)
            yield f"}} while ({expression(condition)});" if do else "}"
        case Block(variables, body):
            yield "{"
            yield from (f"    {_declared(v)};" for v in variables)
            yield from _inner(body, function)
            yield "}"
        case Return(value):
            shown = "0" if value is None else expression(value)
            yield "return;" if function.result == "void" and not _entry(function) else f"return {shown};"
        case _:
            yield _simple(statement) + ";"


def first_line(statement: Statement) -> str:
    """How a statement begins, to name it."""
    match statement:
        case If() | While() | Block() | Return():
            return type(statement).__name__.lower()
        case _:
            return _simple(statement)


def _entry(function: Function) -> bool:
    return function.thread or function.name == "main"


def _inner(body: tuple[Statement, ...], function: Function) -> Iterator[str]:
    for statement in body:
        yield from ("    " + line for line in _lines(statement, function))


def _simple(statement: Statement) -> str:
    match statement:
        case Assign(target, value):
            return f"{target.name if isinstance(target, Local) else place(target)} = {expression(value)}"
        case Atomic():
            return _atomic(statement)
        case Fence(order):
            return f"atomic_thread_fence(memory_order_{order})"
        case Allocate(function, of, result, old):
            size = f"sizeof({of})"
            shown = {"malloc": size, "calloc": f"1, {size}"}.get(function) or f"{expression(old)}, {size}"  # type: ignore[arg-type]
            return f"{result} = {function}({shown})"
        case Free(pointer):
            return f"free({expression(pointer)})"
        case Sync():
            return _sync(statement)
        case Create(handle, function, argument):
            return f"pthread_create(&{place(handle)}, 0, {function}, {expression(argument)})"
        case Join(handle):
            return f"pthread_join({place(handle)}, 0)"
        case Once(where, function):
            return f"pthread_once(&{place(where)}, {function})"
        case Call(function, arguments, result):
            return _into(result, f"{function}({', '.join(map(expression, arguments))})")
        case Break():
            return "break"
        case Exit():
            return "pthread_exit(0)"
        case Assert(value):
            return f"assert({expression(value)})"
        case If() | While() | Block() | Return():
            raise AssertionError(statement)
        case _:
            assert_never(statement)


def _into(result: str | None, shown: str) -> str:
    return shown if result is None else f"{result} = {shown}"


def _atomic(statement: Atomic) -> str:
    arguments = [f"&{place(statement.place)}"]
    if statement.expected is not None:
        arguments.append(f"&{statement.expected}")
    arguments.extend(map(expression, statement.values))
    name = f"atomic_{statement.operation}"
    if statement.operation != "init" and set(statement.orders) != {SEQ_CST}:
        name += "_explicit"
        arguments.extend(f"memory_order_{o}" for o in statement.orders)
    return _into(statement.result, f"{name}({', '.join(arguments)})")


def _sync(statement: Sync) -> str:
    arguments = [f"&{place(p)}" for p in statement.places]
    if statement.function in WITH_ATTRIBUTES or statement.function in WITH_SHARING:
        arguments.append("0")
    arguments.extend(map(str, statement.numbers))
    shown = f"{statement.function}({', '.join(arguments)})"
    return _into(statement.result, f"{shown} == 0" if statement.result else shown)


def place(of: Place) -> str:
    """The text of a place."""
    match of:
        case Named(name):
            return name
        case Part(name, field):
            return f"{name}.{field}"
        case Field(pointer, field):
            return f"{expression(pointer)}->{field}"
        case Target(pointer):
            return f"*{expression(pointer)}"
        case _:
            assert_never(of)


def expression(value: Expression) -> str:
    """The text of an expression."""
    match value:
        case Number(number):
            return str(number)
        case Local(name):
            return name
        case Load(where):
            return place(where)
        case Address(where):
            return f"&{place(where)}"
        case Binary(operator, left, right):
            return f"({expression(left)} {operator} {expression(right)})"
        case _:
            assert_never(value)
