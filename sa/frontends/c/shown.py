"""Atomic and volatile accesses as visible actions: the place, the memory order, and the values.

What is read is the environment's choice. So atomic variables are no variables where a function is compared alone, as
in SEQ (PLDI 2022), section 2: a transition system over labels.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.frontends.c.body import Body, InMemory, emit, fresh, temporary
from sa.frontends.c.types import CType, Float, Int, Pointer, Struct, input_range, is_scalar, key_of, plain
from sa.frontends.c.values import Unsupported, Value, number, undecided
from sa.frontends.flow.graph import Begin, End, Fail, Havoc, Live, Object, Set, Show, Step, Storage, Sync, Test
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import Int as Number
from sa.terms.term import Term, Var

#: Memory orders as C11 numbers them, and accesses that are volatile instead: calls of the system, as it were.
ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
VOLATILE = "volatile"

#: How the names begin of what is accessed through a pointer: those of variables do not.
THROUGH = "*"

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


def place_of(body: Body, where: InMemory) -> tuple[str, tuple[Term, ...]]:
    """The name of the object at a place, and where in it if it has parts. Raises Unsupported as below.

    What is accessed through a pointer has the name of its type, and its address says where.
    """
    if _is_given(where.address):
        return f"{THROUGH}{key_of(where.type)}", (where.address,)
    found, index = _found(body, where.address)
    return found.name, (index,) if len(found.cells) > 1 else ()


def _is_given(address: Term) -> bool:
    """Whether an address is one that was given, and maybe a distance from there."""
    return not isinstance(address, Number) and not any(v.name.startswith("&") for v in address.free)


def _found(body: Body, address: Term) -> tuple[Object, Term]:
    """The object at an address, and where in it. Raises Unsupported where that is not known."""
    _, parts = linear_parts(address)
    bases = [v for v in parts if isinstance(v, Var) and v.name.startswith("&")]
    found: Object | None = body.file.objects.get(bases[0].name.removeprefix("&")) if len(bases) == 1 else None
    named = found is not None and found.name not in body.objects and found.storage is Storage.STATIC
    if found is None or not named or parts[bases[0]] != 1:
        hint = "access a variable of the file by its name"
        raise Unsupported("SA718", "what is accessed here is not known where a function is compared alone", hint)
    if not found.cells:
        message = f"`{found.name}`, of which the size is not known, is not accepted where a function is compared alone"
        raise Unsupported("SA718", message, "declare it with its size")
    index = build.sub(address, bases[0])
    body.file.ordered[found.name, index.value if isinstance(index, Number) else None] = None
    return found, index


def placed(body: Body, where: InMemory) -> tuple[str, tuple[Term, ...]]:
    """The name of the object at a place, and where in it if it has parts; what is outside of it is undefined.

    Raises Unsupported.
    """
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
    return place_of(body, where)


def loaded(body: Body, where: InMemory, order: str) -> Value:
    """An atomic or volatile load."""
    var = read_to_update(body, where)
    failed(body, where, order, var)
    return Value(var, plain(where.type))


def stored(body: Body, where: InMemory, order: str, new: Term) -> None:
    """An atomic or volatile store."""
    name, index = placed(body, where)
    emit(body, Begin())
    _seen(body, where, Show(f"store_{order}_{name}", (*index, new), _STORES.get(order, Sync.RELEASE)))


def read_to_update(body: Body, where: InMemory) -> Var:
    """What an atomic access finds. It has to be told by one of the next two: what is chosen is seen in one step."""
    if isinstance(where.type, Pointer):
        hint = "share numbers of elements instead of pointers"
        message = "an atomic or volatile pointer is not accepted where a function is compared alone"
        raise Unsupported("SA718", message, hint)
    placed(body, where)
    emit(body, Begin())
    return chosen(body, where.type)


def updated(body: Body, where: InMemory, order: str, old: Term, new: Term) -> None:
    """An atomic update: what it found, and what it left."""
    name, index = place_of(body, where)
    _seen(body, where, Show(f"update_{order}_{name}", (*index, old, new), _UPDATES.get(order, Sync.UPDATE)))


def failed(body: Body, where: InMemory, order: str, old: Term) -> None:
    """An atomic access that only looked."""
    name, index = place_of(body, where)
    _seen(body, where, Show(f"load_{order}_{name}", (*index, old), _LOADS.get(order, Sync.ACQUIRE)))


def chosen(body: Body, kind: CType) -> Var:
    """A value that the environment chooses."""
    range_ = input_range(kind)
    var = temporary(body, kind, range_)
    emit(body, Havoc(var, range_))
    return var


def _seen(body: Body, where: InMemory, show: Show) -> None:
    emit(body, replace(show, through=(0,) if _is_given(where.address) else ()))
    emit(body, End())
