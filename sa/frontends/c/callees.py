"""Which functions a pointer may lead to."""

from __future__ import annotations

from collections.abc import Callable

from sa.frontends.c.body import Body, emit, fresh
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.types import CType, Function, Struct, Void, key_of
from sa.frontends.c.values import Unsupported
from sa.frontends.flow.graph import UNKNOWN_CALL, Fail, Skip, Step, Test, code
from sa.terms import build
from sa.terms.term import Term


def by_callee(body: Body, pointer: Term, kind: Function, each: Callable[[str], None]) -> None:
    """Do what `each` does with the function that a pointer leads to: one of this type whose address is taken.

    Where it leads to none of them, the call goes wrong. Raises Unsupported where functions are compared alone and there
    is no such function: others may be given.
    """
    for name in body.file.bodies:
        if pointer is code(name):
            each(name)
            return
    body.file.indirect = True
    names = [n for n in body.file.bodies if n in body.file.addressed and _fits(body.file.names.get(n), kind)]
    if not names and is_alone(body):
        hint = "functions are called by their own types only"
        raise Unsupported("SA714", "no function has this type and its address taken", hint)
    start, after = body.here, fresh(body)
    for name in names:
        inside = fresh(body)
        body.steps.append(Step(start, Test(build.eq(pointer, code(name))), inside, body.origin))
        body.here = inside
        each(name)
        emit(body, Skip(), after)
    wrong = fresh(body)
    none = build.land(*(build.ne(pointer, code(n)) for n in names))
    body.steps.append(Step(start, Test(none), wrong, body.origin))
    what = UNKNOWN_CALL if is_alone(body) else "pointer"
    body.steps.append(Step(wrong, Fail(what), fresh(body), body.origin))
    body.here = after


def _fits(found: object, kind: Function) -> bool:
    """Whether a function may be called by this type (C11 6.3.2.3): it is undefined otherwise."""
    return (
        isinstance(found, Function)
        and found.variadic == kind.variadic
        and _alike(found.result, kind.result)
        and (
            found.parameters is None
            or kind.parameters is None
            or (len(found.parameters) == len(kind.parameters) and all(map(_alike, found.parameters, kind.parameters)))
        )
    )


def _alike(one: CType, other: CType) -> bool:
    """Whether values of the types look the same: those of pointers do, whatever they point to."""
    return (key_of(one), isinstance(one, Struct), isinstance(one, Void)) == (
        key_of(other),
        isinstance(other, Struct),
        isinstance(other, Void),
    ) and (one == other or not isinstance(one, Struct))
