"""Calls that are actions where a function is compared alone: atomic functions with their orders, fences, locks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.atomics import ATOMICS, FLAGS, followed, is_true, wrapping
from sa.frontends.c.body import Body, InMemory, converted, emit, fresh, temporary
from sa.frontends.c.callees import by_callee
from sa.frontends.c.caveats import CREATION, JOINING, LOCKS
from sa.frontends.c.expressions import NOTHING, static_type, value
from sa.frontends.c.memory_orders import order_name, order_names
from sa.frontends.c.observable_accesses import chosen, failed, loaded, placed, read_to_update, stored, updated
from sa.frontends.c.operations import load, store
from sa.frontends.c.types import INT, LONG, ULONG, CType, Function, Int, Pointer, plain, size_of
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import Begin, End, Halt, Set, Step, Test
from sa.terms import build

#: What functions of the library do to the plain variables. Their results are the environment's choice.
_LIBRARY = {
    **dict.fromkeys(
        (
            "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock", "pthread_spin_lock",
            "pthread_spin_trylock", "pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_wrlock",
            "pthread_rwlock_trywrlock", "mtx_lock", "mtx_trylock", "sem_wait", "sem_trywait",
        ),
        Sync.ACQUIRE,
    ),
    **dict.fromkeys(
        ("pthread_mutex_unlock", "pthread_spin_unlock", "pthread_rwlock_unlock", "mtx_unlock", "sem_post"),
        Sync.RELEASE,
    ),
    **dict.fromkeys(
        (
            "pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast", "cnd_wait", "cnd_signal",
            "cnd_broadcast", "pthread_barrier_wait",
        ),
        Sync.CALL,
    ),
}  # fmt: skip

_FENCES = {"relaxed": Sync.NONE, "consume": Sync.ACQUIRE, "acquire": Sync.ACQUIRE, "release": Sync.RELEASE}
_FENCING = {"atomic_thread_fence", "__atomic_thread_fence", "__sync_synchronize"}

#: What has no meaning for plain variables. What locks are made with has to be the default.
_SETTING_UP = {
    "pthread_mutex_init", "pthread_mutex_destroy", "pthread_cond_init", "pthread_cond_destroy", "pthread_spin_init",
    "pthread_spin_destroy", "pthread_rwlock_init", "pthread_rwlock_destroy", "pthread_barrier_init",
    "pthread_barrier_destroy", "sem_init", "sem_destroy", "mtx_init", "mtx_destroy", "cnd_init", "cnd_destroy",
}  # fmt: skip

#: What else has to do with threads begins so: none of it is accepted.
_OF_THREADS = (
    "pthread_", "mtx_", "cnd_", "sem_", "thrd_", "tss_", "call_once", "atomic_", "__atomic_", "__sync_",
    "__VERIFIER_atomic_",
)  # fmt: skip


def is_action(name: str) -> bool:
    """Whether a function that is not the program's own is an action of its own, or has none and is refused."""
    return name in ATOMICS or name in _LIBRARY or name in _FENCING or name.startswith(_OF_THREADS)


def leaving(body: Body) -> str:
    """What `exit` is called: only in `main` it is the same to return."""
    return "exits" if body.file.choices.function not in (None, "main") else "returns"


def action(body: Body, name: str, arguments: Sequence[Any]) -> Value:
    """The value of a call that is an action. Raises Unsupported."""
    if name in ATOMICS:
        return _atomic(body, name, arguments)
    if name in _FENCING:
        order = order_name(body, arguments[-1]) if arguments else "seq_cst"
        emit(body, Begin())
        emit(body, Show(f"fence_{order}", (), _FENCES.get(order, Sync.UPDATE)))
        emit(body, End())
        return NOTHING
    if name in ("pthread_create", "thrd_create"):
        return _creation(body, arguments)
    if name in ("pthread_join", "thrd_join"):
        return _joining(body, arguments)
    if name in ("pthread_exit", "thrd_exit"):
        # A thread that is not the first one ends where the function returns that it runs.
        last = "returns" if body.file.choices.plain == "permissions" else "leaves"
        body.file.leaves = True
        emit(body, Show(last, (number(value(body, arguments[0])),), Sync.END))
        emit(body, Halt(True))
        body.here = fresh(body)
        return NOTHING
    if name in _SETTING_UP:
        return _set_up(body, name, arguments)
    if name not in _LIBRARY:
        hint = "leave it to a function that this one calls and that is not defined"
        raise Unsupported("SA718", f"`{name}` is not supported when functions are compared alone", hint)
    things = tuple(placed(body, _thing(body, argument)) for argument in arguments)
    emit(body, Begin())
    result = chosen(body, INT)
    emit(body, Show(name, (result,), _LIBRARY[name], things))
    emit(body, End())
    return Value(result, INT)


def _thing(body: Body, argument: Any) -> InMemory:
    """A lock or the like by its address. Raises Unsupported."""
    pointer = value(body, argument)
    if not isinstance(pointer.type, Pointer):
        raise Unsupported("SA718", "this is no pointer to a lock", "give its address")
    return InMemory(number(pointer), pointer.type.to)


def _creation(body: Body, arguments: Sequence[Any]) -> Value:
    """A thread is created: a release, of which the function, its argument and the number of the thread are seen."""
    pthread = len(arguments) == 4
    where = value(body, arguments[0])
    function = value(body, arguments[2 if pthread else 1])
    argument = number(value(body, arguments[3 if pthread else 2]))
    kind = function.type.to if isinstance(function.type, Pointer) else function.type
    if not isinstance(kind, Function) or not isinstance(where.type, Pointer):
        raise Unsupported("SA720", "which function the thread runs is not known here", "name the function")
    body.file.granted[CREATION] = None
    made = temporary(body, ULONG)

    def created(name: str) -> None:
        body.file.created[name] = None
        emit(body, Begin())
        handle = chosen(body, ULONG)
        emit(body, Show(f"creates_{name}", (argument, handle), Sync.RELEASE))
        emit(body, End())
        emit(body, Set(made, handle))

    by_callee(body, number(function), kind, created)
    if number(where) is not build.ZERO:
        store(body, InMemory(number(where), where.type.to), Value(made, ULONG))
    return Value(build.ZERO, INT)


def _joining(body: Body, arguments: Sequence[Any]) -> Value:
    """A thread has ended: an acquire, with what it returned if anybody asks for that."""
    thread = number(value(body, arguments[0]))
    where = result_of_join(body, arguments)
    body.file.granted[JOINING] = None
    emit(body, Begin())
    returned = chosen(body, LONG)
    emit(body, Show("joins", (thread, returned), Sync.ACQUIRE))
    emit(body, End())
    if number(where) is not build.ZERO and isinstance(where.type, Pointer):
        kind = where.type.to
        store(body, InMemory(number(where), kind), word_as(body, Value(returned, LONG), kind))
    return Value(build.ZERO, INT)


def result_of_join(body: Body, arguments: Sequence[Any]) -> Value:
    """Where the result of a join is stored: `(void **) &r` is `&r`, a word of 8 bytes. Raises Unsupported."""
    if len(arguments) < 2:
        return Value(build.ZERO, INT)
    node = arguments[1]
    if isinstance(node, c_ast.Cast):
        kind = static_type(body, node.expr)
        if isinstance(kind, Pointer) and isinstance(kind.to, Int | Pointer):
            if size_of(kind.to) != size_of(ULONG):
                message = "the result of a thread has 8 bytes, and this object has another size"
                raise Unsupported("SA714", message, "declare it as `void *` or `long`")
            node = node.expr
    return value(body, node)


def word_as(body: Body, word: Value, kind: CType) -> Value:
    """What a thread returned, as a number or a pointer of 8 bytes."""
    return converted(body, word, kind) if isinstance(kind, Int) else Value(word.term, kind)


def _set_up(body: Body, name: str, arguments: Sequence[Any]) -> Value:
    """A lock is made or given up: the thing, and what it is made with."""
    thing = placed(body, _thing(body, arguments[0]))
    given = [value(body, a) for a in arguments[1:]]
    if any(isinstance(v.type, Pointer) and number(v) is not build.ZERO for v in given):
        message = f"`{name}` with attributes is not supported when functions are compared alone"
        raise Unsupported("SA718", message, "give NULL")
    body.file.granted[LOCKS] = None
    emit(body, Show(name, tuple(map(number, given)), things=(thing,)))
    return Value(build.ZERO, INT)


def _atomic(body: Body, name: str, arguments: Sequence[Any]) -> Value:
    what = ATOMICS[name]
    pointer = value(body, arguments[0])
    if not isinstance(pointer.type, Pointer):
        raise Unsupported("SA714", f"`{name}` of what is not a scalar is not accepted")
    kind = _BOOL if name in FLAGS else pointer.type.to
    if not isinstance(kind, Int):
        raise Unsupported("SA714", f"`{name}` of what is not a number is not accepted")
    where = InMemory(number(pointer), kind)
    orders = order_names(body, name, what, arguments)
    rest = arguments[1:]
    match what.split():
        case ["load"]:
            return loaded(body, where, orders[0])
        case ["store"] | ["init"]:
            stored(body, where, orders[0], number(converted(body, value(body, rest[0]), plain(kind))))
            return NOTHING
        case ["clear"]:
            stored(body, where, orders[0], build.ZERO)
            return NOTHING
        case ["load", "into"]:
            into = followed(body, rest[0])
            store(body, into, loaded(body, where, orders[0]))
            return NOTHING
        case ["store", "from"]:
            new = converted(body, load(body, followed(body, rest[0])), plain(kind))
            stored(body, where, orders[0], number(new))
            return NOTHING
        case ["exchange"]:
            return _updated(body, where, None, value(body, rest[0]), True, orders[0])
        case ["set"]:
            return _updated(body, where, None, Value(build.ONE, INT), True, orders[0])
        case ["fetch", sign]:
            return _updated(body, where, sign, value(body, rest[0]), True, orders[0])
        case [sign, "fetch"]:
            return _updated(body, where, sign, value(body, rest[0]), False, orders[0])
        case ["cas", how]:
            return _compared(body, where, how, rest, orders)
        case _:
            raise Unsupported("SA719", f"`{name}` is not accepted")


_BOOL = Int("_Bool", 1, False)


def _updated(body: Body, where: InMemory, sign: str | None, operand: Value, old_one: bool, order: str) -> Value:
    """Read, change and write; the value before or after."""
    kind = plain(where.type)
    old = Value(read_to_update(body, where), kind)
    new = operand if sign is None else wrapping(body, sign, old, operand)
    kept = temporary(body, where.type)
    emit(body, Set(kept, number(converted(body, new, kind))))
    updated(body, where, order, number(old), kept)
    return old if old_one else Value(kept, kind)


def _compared(body: Body, where: InMemory, how: str, rest: Sequence[Any], orders: tuple[str, str]) -> Value:
    """Compare and exchange: an update, or a load of the other order; a weak one may fail although values are equal."""
    kind = plain(where.type)
    old_given = how in ("bool", "val")
    expected_at = None if old_given else followed(body, rest[0])
    given = value(body, rest[0]) if expected_at is None else load(body, expected_at)
    before = converted(body, given, kind)
    compared = temporary(body, where.type)
    emit(body, Set(compared, number(before)))
    new = load(body, followed(body, rest[1])) if how == "from" else value(body, rest[1])
    made = temporary(body, where.type)
    emit(body, Set(made, number(converted(body, new, kind))))
    weak = how == "weak" or (how in ("n", "from") and len(rest) > 2 and is_true(body, rest[2]))
    old, result = read_to_update(body, where), temporary(body, _BOOL)
    same, other, after = fresh(body), fresh(body), fresh(body)
    equal = build.eq(old, compared)
    body.steps.append(Step(body.here, Test(equal), same, body.origin))
    body.steps.append(Step(body.here, Test(build.TRUE if weak else build.lnot(equal)), other, body.origin))
    body.here = same
    updated(body, where, orders[0], old, made)
    emit(body, Set(result, build.ONE), after)
    body.here = other
    failed(body, where, orders[1], old)
    if expected_at is not None:
        store(body, expected_at, Value(old, kind))
    emit(body, Set(result, build.ZERO), after)
    return Value(old, kind) if how == "val" else Value(build.ne(result, build.ZERO), INT)
