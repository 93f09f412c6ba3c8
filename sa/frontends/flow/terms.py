"""The terms of an operation: which it reads, which register it writes, and the operation over other terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from sa.frontends.flow.actions import Show, Thing
from sa.frontends.flow.graph import (
    Allocate,
    Among,
    Call,
    Divide,
    Exit,
    Fork,
    Havoc,
    Join,
    Load,
    Op,
    Room,
    Self,
    Set,
    Skip,
    Store,
    Stride,
    Test,
    Wait,
)
from sa.frontends.flow.lives import Free, Freeable, Recycle
from sa.frontends.flow.orders import Lock, Synchronise
from sa.frontends.flow.waits import Block, Signal, TimeOut, Waited
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def read_by(op: Op) -> tuple[Term, ...]:
    """The terms whose values an operation reads."""
    match op:
        case Skip():
            return ()
        case Set(_, term) | Exit(term):
            return (term,)
        case Divide(_, _, dividend, divisor):
            return (dividend, divisor)
        case Load(_, address) | Lock(address, _) | Stride(address, _) | Room(_, address):
            return (address,)
        case (
            Free(address)
            | Freeable(address)
            | Synchronise(address, _)
            | Block(address)
            | Signal(address, _)
            | Waited(_, address)
        ):
            return (address,)
        case Store(address, term):
            return (address, term)
        case Test(formula) | Wait(formula):
            return (formula,)
        case Call(_, arguments, _):
            return arguments
        case Fork(procedure, argument, _):
            return (procedure, argument)
        case Join(thread, _):
            return (thread,)
        case Show(_, values, _, things):
            return (*values, *(thing.address for thing in things))
        case Havoc(found=Thing(address)):
            return (address,)
        case _:
            return ()


def written_by(op: Op) -> Var | None:
    """The register that an operation writes."""
    match op:
        case Skip() | Test():
            return None
        case Set(var, _) | Divide(var, _, _, _) | Havoc(var, _) | Load(var):
            return var
        case Self(var) | Allocate(var, _) | Room(var, _) | Recycle(var, _) | TimeOut(var) | Waited(var, _):
            return var
        case Call(_, _, result) | Fork(_, _, result) | Join(_, result):
            return result
        case _:
            return None


def _among(among: Among | None, names: Mapping[Var, Term]) -> Among | None:
    return None if among is None else (substitute(among[0], names), among[1])


def over(op: Op, names: Mapping[Var, Term], register: Callable[[Var], Var]) -> Op:
    """The operation with other terms for variables that it reads, and another register for the one it writes."""

    def term(t: Term) -> Term:
        return substitute(t, names)

    match op:
        case Set(var, value):
            return Set(register(var), term(value))
        case Divide(var, sign, dividend, divisor):
            return Divide(register(var), sign, term(dividend), term(divisor))
        case Havoc(var, found=Thing(address) as found):
            return replace(op, var=register(var), found=replace(found, address=term(address)))
        case Havoc(var, _) | Self(var) | Allocate(var, _) | Recycle(var, _) | TimeOut(var):
            return replace(op, var=register(var))
        case Load(var, address, _, _, among):
            return replace(op, var=register(var), address=term(address), among=_among(among, names))
        case Store(address, value, _, _, among):
            return replace(op, address=term(address), term=term(value), among=_among(among, names))
        case Lock(address, _) | Synchronise(address, _):
            return replace(op, address=term(address))
        case Room(var, address):
            return Room(register(var), term(address))
        case Free(address) | Freeable(address) | Block(address) | Signal(address, _):
            return replace(op, address=term(address))
        case Waited(var, address):
            return Waited(register(var), term(address))
        case Stride(address, key):
            return Stride(term(address), key)
        case Test(formula):
            return Test(term(formula))
        case Wait(formula):
            return Wait(term(formula))
        case Call(procedure, arguments, result):
            return Call(procedure, tuple(map(term, arguments)), None if result is None else register(result))
        case Fork(procedure, argument, result):
            return Fork(term(procedure), term(argument), register(result))
        case Join(thread, result):
            return Join(term(thread), None if result is None else register(result))
        case Exit(value):
            return Exit(term(value))
        case Show(_, values, _, things):
            about = tuple(replace(thing, address=term(thing.address)) for thing in things)
            return replace(op, values=tuple(map(term, values)), things=about)
        case _:
            return op
