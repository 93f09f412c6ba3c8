"""Atomic and volatile accesses as visible actions: the place, the memory order, and the values.

What is read is the environment's choice. So atomic variables are no variables where a function is compared alone, as
in SEQ (PLDI 2022), section 2: a transition system over labels.
"""

from __future__ import annotations

from sa.frontends.c.body import Body, InMemory, emit, fresh, temporary
from sa.frontends.c.types import CType, Float, Int, Pointer, Struct, input_range, is_scalar, key_of, plain, synchronises
from sa.frontends.c.values import Unsupported, Value, number, undecided
from sa.frontends.flow.actions import Atomic, Show, Sync, Thing
from sa.frontends.flow.graph import Begin, End, Fail, Havoc, Live, Object, Set, Step, Storage, Test
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import Int as Number
from sa.terms.term import Term, Var

#: Memory orders as C11 numbers them, and accesses that are volatile instead: calls of the system, as it were.
ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
VOLATILE = "volatile"

_LOADS = {"relaxed": Sync.NONE, VOLATILE: Sync.CALL}
_STORES = {"relaxed": Sync.NONE, VOLATILE: Sync.CALL}
_UPDATES = {"relaxed": Sync.NONE, "consume": Sync.ACQUIRE, "acquire": Sync.ACQUIRE, "release": Sync.RELEASE}


def is_alone(body: Body) -> bool:
    """Whether a function is compared alone, in any environment."""
    return body.file.choices.function is not None


def end_of_life(body: Body, before: frozenset[str]) -> None:
    """Objects that were not there before do not live any longer: others with arbitrary values take their places.

    Where a function is compared alone nothing may know their addresses then: `flow/alone` looks for that.
    """
    if not is_alone(body):
        return
    for name, made in body.objects.items():
        if name not in before and made.storage is Storage.AUTO:
            if len(body.scopes) > 1:
                body.ended[name] = None
            emit(body, Live(name))


def survivor(body: Body, result: Value, before: frozenset[str]) -> Value:
    """The value of statements in an expression, behind the life of their objects."""
    if not is_alone(body) or body.objects.keys() <= before or isinstance(result.type, Struct):
        return result
    if is_scalar(result.type):
        var = temporary(body, result.type)
        emit(body, Set(var, number(result)))
        result = Value(var, result.type)
    end_of_life(body, before)
    return result


def order_of(body: Body, where: InMemory) -> str | None:
    """The order of a plain access of a place, None where it is no action. Raises Unsupported."""
    kind = where.type
    if not is_alone(body) or not isinstance(kind, Int | Float | Pointer):
        return None
    if isinstance(kind, Float):
        if kind.volatile:
            raise undecided()
        return None
    return "seq_cst" if kind.atomic else VOLATILE if kind.volatile else None


def _is_given(address: Term) -> bool:
    """Whether an address is one that was given, and maybe a distance from there."""
    return not isinstance(address, Number) and not any(v.name.startswith("&") for v in address.free)


def _found(body: Body, address: Term) -> tuple[Object, Term]:
    """The object at an address, and where in it. Raises Unsupported where that is not known."""
    _, parts = linear_parts(address)
    bases = [v for v in parts if isinstance(v, Var) and v.name.startswith("&")]
    name = bases[0].name.removeprefix("&") if len(bases) == 1 else ""
    found = body.objects.get(name, body.file.objects.get(name))
    if found is None or found.storage is Storage.THREAD or parts[bases[0]] != 1:
        hint = "access a variable by its name"
        raise Unsupported("SA718", "it is not known what this accesses, which a comparison of functions needs", hint)
    if not found.cells:
        message = f"`{found.name}`, of which the size is not known, is not supported when functions are compared alone"
        raise Unsupported("SA718", message, "declare it with its size")
    return found, build.sub(address, bases[0])


def placed(body: Body, where: InMemory) -> Thing:
    """What an action is about at a place; outside of an object it is undefined. Raises Unsupported."""
    if _is_given(where.address):
        # Pointers to nothing are not positive.
        distance, _ = linear_parts(where.address)
        inside, what = build.lt(build.integer(distance), where.address), "pointer"
    else:
        found, index = _found(body, where.address)
        inside = build.land(build.le(build.ZERO, index), build.lt(index, build.integer(len(found.cells))))
        what = "index"
    if inside is not build.TRUE:
        on, wrong = fresh(body), fresh(body)
        body.steps.append(Step(body.here, Test(build.lnot(inside)), wrong, body.origin))
        body.steps.append(Step(wrong, Fail(what), fresh(body), body.origin))
        emit(body, Test(inside), on)
    return _thing(where)


def _thing(where: InMemory) -> Thing:
    return Thing(where.address, key_of(where.type), synchronises(where.type))


def loaded(body: Body, where: InMemory, order: str) -> Value:
    """An atomic or volatile load."""
    var = read_to_update(body, where, order != VOLATILE)
    failed(body, where, order, var)
    return Value(var, plain(where.type))


def stored(body: Body, where: InMemory, order: str, new: Term) -> None:
    """An atomic or volatile store."""
    placed(body, where)
    emit(body, Begin())
    _seen(body, where, Atomic.STORE, order, (new,), _STORES.get(order, Sync.RELEASE))


def read_to_update(body: Body, where: InMemory, atomic: bool = True) -> Var:
    """What an atomic access finds. It has to be told by one of the next two: what is chosen is seen in one step."""
    if isinstance(where.type, Pointer):
        hint = "share numbers of elements instead of pointers"
        message = "an atomic or volatile pointer is not supported when functions are compared alone"
        raise Unsupported("SA718", message, hint)
    thing = placed(body, where)
    emit(body, Begin())
    return chosen(body, where.type, thing if atomic else None)


def updated(body: Body, where: InMemory, order: str, old: Term, new: Term) -> None:
    """An atomic update: what it found, and what it left."""
    _seen(body, where, Atomic.UPDATE, order, (old, new), _UPDATES.get(order, Sync.UPDATE))


def failed(body: Body, where: InMemory, order: str, old: Term) -> None:
    """An atomic access that only looked."""
    _seen(body, where, Atomic.LOAD, order, (old,), _LOADS.get(order, Sync.ACQUIRE))


def chosen(body: Body, kind: CType, found: Thing | None = None) -> Var:
    """A value that the environment chooses, or that is `found` somewhere by an atomic access."""
    range_ = input_range(kind)
    var = temporary(body, kind, range_)
    emit(body, Havoc(var, range_, found=found))
    return var


def _seen(body: Body, where: InMemory, how: Atomic, order: str, values: tuple[Term, ...], sync: Sync) -> None:
    atomic = None if order == VOLATILE else how
    emit(body, Show(f"{how.value}_{order}", values, sync, (_thing(where),), atomic))
    emit(body, End())
