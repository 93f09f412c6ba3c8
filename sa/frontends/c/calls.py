"""Calls: functions of the program and of the library, and words that the front end gives a meaning itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from itertools import zip_longest
from typing import Any, TypeAlias

from pycparser import c_ast

from sa.frontends.c.allocation import allocate, free, reallocate
from sa.frontends.c.allocators import WORDS, copy_for, is_any_memory, used_as
from sa.frontends.c.answers_of_library import ANSWERS
from sa.frontends.c.atomics import ATOMICS, atomic
from sa.frontends.c.blocks import BLOCKS
from sa.frontends.c.body import Body, converted, emit, fresh, meaning, temporary
from sa.frontends.c.callees import by_callee
from sa.frontends.c.endings import ENDINGS
from sa.frontends.c.errors import ERRING, may_fail
from sa.frontends.c.expressions import NOTHING, branch, constant, taken, value
from sa.frontends.c.externs import (
    anything,
    assembler,
    between,
    cancelled,
    cleaned,
    jumping,
    outside,
    signalled,
    unread,
)
from sa.frontends.c.formats import MAKING, WRITING
from sa.frontends.c.generic import selected
from sa.frontends.c.gnu import BARRIERS
from sa.frontends.c.least_arguments import LEAST
from sa.frontends.c.numbers_in_texts import numbered
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.offsets import distance_of
from sa.frontends.c.operations import kept
from sa.frontends.c.ordered import action, is_action
from sa.frontends.c.overflows import OVERFLOWS
from sa.frontends.c.printing import PRINTING
from sa.frontends.c.synchronising import SYNCHRONISING, begin_region, end_region
from sa.frontends.c.system import SYSTEM
from sa.frontends.c.texts import TEXTS
from sa.frontends.c.threads import THREADS
from sa.frontends.c.types import INT, LONG, ULONG, CType, Float, Function, Int, Pointer, Struct, is_scalar, key_of
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import (
    Begin,
    Call,
    End,
    Range,
    Set,
    Store,
    Wait,
)
from sa.frontends.flow.heap import LOCK
from sa.frontends.flow.orders import Act, Lock
from sa.frontends.flow.waits import Block, Signal, TimeOut, Unblock, Waited
from sa.terms import build

#: Functions whose results come from outside: where the outside sees what is done, it sees these calls.
_FROM_OUTSIDE = {
    "getpid", "clearerr", "getchar", "getc", "fgetc", "fgets", "fopen", "fclose", "feof", "ferror",
    "time", "clock", "clock_gettime", "timespec_get", "gettimeofday", "scanf", "fscanf", "sscanf",
    "atoi", "atol", "strtol", "strtoul", "strtoll",
    "strtoull", "strtod", "strerror", "getenv",
}  # fmt: skip

Handler: TypeAlias = Callable[[Body, Sequence[Any]], Value]

#: Words of CBMC and of ESBMC that mean what those of SV-COMP mean.
_SAME = {
    f"__{verifier}_{word}": f"__VERIFIER_{word}"
    for verifier in ("CPROVER", "ESBMC")
    for word in ("assert", "assume", "atomic_begin", "atomic_end")
}
_VERIFIERS = ("__VERIFIER_", "__CPROVER_", "__ESBMC_")

#: Words whose meaning is what a program of the competition means by them, however it defines them.
_MEANT = {"reach_error", "assume_abort_if_not", "abort", "exit"}

_INPUTS: dict[str, CType] = {
    "bool": Int("_Bool", 1, False), "char": Int("char", 8, True), "uchar": Int("unsigned char", 8, False),
    "short": Int("short", 16, True), "ushort": Int("unsigned short", 16, False), "int": INT,
    "uint": Int("unsigned int", 32, False), "unsigned": Int("unsigned int", 32, False), "long": Int("long", 64, True),
    "ulong": ULONG, "size_t": ULONG, "u8": Int("unsigned char", 8, False), "u16": Int("unsigned short", 16, False),
    "u32": Int("unsigned int", 32, False), "S32": INT, "loff_t": Int("long", 64, True), "pthread_t": ULONG,
    "longlong": LONG, "ulonglong": ULONG, "double": Float("double", 64), "float": Float("float", 32),
}  # fmt: skip


def call(body: Body, node: c_ast.FuncCall) -> Value:
    """The value of a call. Raises Unsupported."""
    arguments = node.args.exprs if node.args is not None else []
    if isinstance(node.name, c_ast.GenericSelection):
        node = c_ast.FuncCall(selected(body, node.name), node.args, node.coord)
    before = body.wanted
    if isinstance(node.name, c_ast.ID):
        name = node.name.name
        own = name in body.file.bodies and name not in body.file.library
        if not own and len(arguments) < LEAST.get(name, 0):
            raise Unsupported("SA719", f"`{name}` takes {LEAST[name]} arguments", "give it all of them")
        if name not in WORDS and not is_any_memory(meaning(body, name)):
            # Whatever else it returns, its arguments are for themselves.
            body.wanted = None
        elif before is None and (name in WORDS or name in body.file.allocators):
            body.wanted = used_as(body, node)
    result = _called(body, node, arguments)
    body.wanted = before
    return result


def _called(body: Body, node: c_ast.FuncCall, arguments: Sequence[Any]) -> Value:
    if isinstance(node.name, c_ast.ID):
        name = node.name.name
        found = meaning(body, name)
        if found is None or isinstance(found, Function):
            return _named(body, name, found, arguments)
    pointer = value(body, node.name.expr if _is_followed(node.name) else node.name)
    return _indirect(body, pointer, arguments)


def _is_followed(node: Any) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "*"


def _named(body: Body, name: str, kind: Function | None, arguments: Sequence[Any]) -> Value:
    own = name in body.file.bodies and name not in body.file.library
    name = name if own else _SAME.get(name, name)
    if own and not name.startswith("__") and name not in _MEANT:
        return _direct(body, name, arguments)
    if is_alone(body) and is_action(name):
        return action(body, name, arguments)
    if body.file.choices.visible and (name in _FROM_OUTSIDE or name in WRITING or name in MAKING):
        return outside(body, name, kind, arguments)
    if name in ERRING and not body.file.choices.visible and may_fail(body, name, arguments):
        body.file.call(body, c_ast.FuncCall(c_ast.ID("__sacheck_errs"), None))
    if name in _WORDS:
        return _WORDS[name](body, arguments)
    if name in ATOMICS:
        return atomic(body, name, arguments)
    if name == "offsetof":
        distance = distance_of(body, c_ast.FuncCall(c_ast.ID(name), c_ast.ExprList(list(arguments))), constant)
        assert distance is not None
        return Value(build.integer(distance.bytes), ULONG)
    if name.startswith("__VERIFIER_nondet_"):
        known = kind.result if kind is not None and is_scalar(kind.result) else None
        known = known or _INPUTS.get(name.removeprefix("__VERIFIER_nondet_"))
        if known is not None and not arguments:
            return anything(body, known)
    if name in body.file.bodies:
        return _direct(body, name, arguments)
    if name.startswith(_VERIFIERS):
        # What a verifier's own word means is not to be guessed: it may assume, claim, or change memory.
        near = get_close_matches(name, (*_WORDS, *(f"__VERIFIER_nondet_{i}" for i in _INPUTS)), 1, 0.93)
        hint = f"did you mean `{near[0]}`?" if near else "define it, or use one of SV-COMP"
        raise Unsupported("SA716", f"there is no function `{name}`", hint)
    return outside(body, name, kind, arguments)


def _direct(body: Body, name: str, arguments: Sequence[Any]) -> Value:
    """A call of a function with a body."""
    kind = body.file.names[name]
    assert isinstance(kind, Function)
    # Arguments are evaluated before the function is entered, so they are no part of its region.
    values = _given(body, kind, arguments)
    if not name.startswith("__VERIFIER_atomic_"):
        return _inlined(body, name, kind, values)
    if is_alone(body):
        return action(body, name, ())
    values = [kept(body, v) if isinstance(v.type, Struct) else v for v in values]
    begin_region(body)
    result = _inlined(body, name, kind, values)
    end_region(body)
    return result


def _given(body: Body, kind: Function, arguments: Sequence[Any]) -> list[Value]:
    """The values of arguments, each taken as what its parameter is."""
    return [taken(body, a, k) for a, k in zip_longest(arguments, (kind.parameters or ())[: len(arguments)])]


def _inlined(body: Body, name: str, kind: Function, values: Sequence[Value]) -> Value:
    parameters = kind.parameters if kind.parameters is not None else tuple(v.type for v in values)
    # Arguments without parameters are evaluated, and a function without `va_arg` cannot read them.
    if len(parameters) != len(values) and not (kind.variadic and len(parameters) < len(values)):
        raise Unsupported("SA719", f"`{name}` takes {len(parameters)} arguments")
    given = tuple(number(converted(body, v, k)) for v, k in zip(values, parameters, strict=False))
    name = copy_for(body, name, kind, given)
    if name not in body.file.wanted:
        body.file.wanted.append(name)
    if isinstance(kind.result, Struct):
        where = temporary(body, Pointer(kind.result))
        emit(body, Call(name, given, where))
        return Value(where, kind.result)
    if not is_scalar(kind.result):
        emit(body, Call(name, given, None))
        return NOTHING
    result = temporary(body, kind.result)
    emit(body, Call(name, given, result))
    return Value(result, kind.result)


def _indirect(body: Body, pointer: Value, arguments: Sequence[Any]) -> Value:
    """A call through a pointer: a choice among the functions with this type whose address is taken."""
    kind = pointer.type.to if isinstance(pointer.type, Pointer) else pointer.type
    if not isinstance(kind, Function):
        raise Unsupported("SA719", "this is not a function")
    if not is_any_memory(kind):
        body.wanted = None
    values = _given(body, kind, arguments)
    given = Pointer(kind.result) if isinstance(kind.result, Struct) else kind.result
    result = temporary(body, given) if is_scalar(given) else None

    def called(name: str) -> None:
        made = _inlined(body, name, kind, values)
        if result is not None:
            emit(body, Set(result, number(made)))

    by_callee(body, number(pointer), kind, called)
    return NOTHING if result is None else Value(result, kind.result)


def _barrier(name: str) -> Handler:
    """Assembly that orders accesses: a call of which nothing is known, as it were."""

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        emit(body, Begin())
        emit(body, Show(f"assembly_{name}", (), Sync.CALL))
        emit(body, End())
        return NOTHING

    return handler


def _begin(body: Body, arguments: Sequence[Any]) -> Value:
    emit(body, Begin())
    return NOTHING


def _end(body: Body, arguments: Sequence[Any]) -> Value:
    emit(body, End())
    return NOTHING


def _wait(body: Body, arguments: Sequence[Any]) -> Value:
    on, off = fresh(body), fresh(body)
    branch(body, arguments[0], on, off)
    body.here = off
    emit(body, Wait(build.FALSE))
    body.here = on
    return NOTHING


def _own(body: Body, arguments: Sequence[Any]) -> Value:
    """The owner of a lock is another one from now on."""
    where = number(value(body, arguments[0]))
    emit(body, Store(where, number(value(body, arguments[1])), key_of(INT), LOCK))
    return NOTHING


def _lock(act: Act) -> Handler:
    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        emit(body, Lock(number(value(body, arguments[0])), act))
        return NOTHING

    return handler


def _block(body: Body, arguments: Sequence[Any]) -> Value:
    emit(body, Block(number(value(body, arguments[0]))))
    return NOTHING


def _unblock(body: Body, arguments: Sequence[Any]) -> Value:
    emit(body, Begin())
    emit(body, Unblock())
    return NOTHING


def _unblock_in_time(body: Body, arguments: Sequence[Any]) -> Value:
    # Time may be over until the region begins, so nothing comes between.
    var = temporary(body, INT, Range(0, 1))
    emit(body, TimeOut(var))
    _unblock(body, arguments)
    return Value(var, INT)


def _signal(every: bool) -> Handler:
    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        emit(body, Signal(number(value(body, arguments[0])), every))
        return NOTHING

    return handler


def _waited_for(body: Body, arguments: Sequence[Any]) -> Value:
    var = temporary(body, INT, Range(0, 1))
    emit(body, Waited(var, number(value(body, arguments[0]))))
    return Value(var, INT)


def _nothing(body: Body, arguments: Sequence[Any]) -> Value:
    return NOTHING


def _expected(body: Body, arguments: Sequence[Any]) -> Value:
    return value(body, arguments[0])


_WORDS: dict[str, Handler] = {
    **{word: _barrier(name) for name, word in BARRIERS.items()},
    **SYNCHRONISING,
    "__sacheck_begin": _begin, "__sacheck_end": _end, "__sacheck_wait": _wait,
    "__sacheck_own": _own, "__sacheck_take": _lock(Act.TAKE), "__sacheck_give": _lock(Act.GIVE),
    "__sacheck_try": _lock(Act.TRY),
    "pthread_cancel": cancelled, "__sacheck_cleanup": cleaned,
    "__builtin_expect": _expected, "__builtin_ia32_pause": _nothing, "__builtin_prefetch": _nothing,
    "__atomic_signal_fence": _nothing,
    **ANSWERS, **BLOCKS, **ENDINGS, **OVERFLOWS, **PRINTING, **SYSTEM, **TEXTS, **THREADS,
    "__sacheck_block": _block, "__sacheck_unblock": _unblock, "__sacheck_unblock_in_time": _unblock_in_time,
    "__sacheck_signal": _signal(False), "__sacheck_broadcast": _signal(True), "__sacheck_waited_for": _waited_for,
    "malloc": lambda body, arguments: allocate(body, arguments, False),
    "calloc": lambda body, arguments: allocate(body, arguments, True), "realloc": reallocate, "free": free,
    "__sacheck_any": lambda body, arguments: anything(body, Int("_Bool", 1, False)),
    # A compiler may say either of what is no literal.
    "__builtin_constant_p": lambda body, arguments: anything(body, Int("_Bool", 1, False)),
    # 0 for no error, or its number.
    "__sacheck_error": lambda body, arguments: between(body, 0, 133),
    "__sacheck_number": lambda body, arguments: anything(body, LONG),
    **dict.fromkeys(("setjmp", "_setjmp", "sigsetjmp", "longjmp", "siglongjmp"), jumping),
    **dict.fromkeys(("signal", "raise", "kill", "sigaction", "sigwait", "pthread_sigmask", "pthread_kill"), signalled),
    "__sacheck_argument": unread, "__sacheck_assembler": assembler,
    "atoi": numbered(INT, "int"), "strtod": numbered(Float("double", 64)),
    **dict.fromkeys(("atol", "atoll", "strtol", "strtoll"), numbered(LONG, "long")),
    **dict.fromkeys(("strtoul", "strtoull"), numbered(ULONG, "unsigned", "long")),
    "rand": lambda body, arguments: between(body, 0, 2**31 - 1),
}  # fmt: skip
