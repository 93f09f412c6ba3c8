"""A function of a module as a unit of the form that is compared: its parameters, what it accesses, its steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.frontends.flow.graph import ANY, Object, Procedure, Range
from sa.frontends.flow.graph import Unit as FlowUnit
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import Facts
from sa.frontends.llvm.body import (
    ENTRY,
    EXIT,
    UNDEF,
    Body,
    Leaf,
    Plain,
    Unit,
    bits_of,
    canonical,
    register,
    undefined,
)
from sa.frontends.llvm.instructions import translated
from sa.frontends.llvm.shapes import Shape
from sa.terms import build
from sa.terms.term import Var


class Side(Struct, frozen=True):
    """A function of one of two files: its module, is it the `source`, and what is known of its registers."""

    module: s.Module
    function: s.Function
    source: bool
    facts: Facts


class Both(Struct, frozen=True):
    """What two functions have in common: which parameters have a value, by number, and how the end is shown."""

    defined: frozenset[int]
    commits: bool


def unit_of(
    side: Side, both: Both, shapes: Mapping[s.Operand, Shape], objects: Sequence[Object]
) -> tuple[FlowUnit, list[Range]]:
    """The unit of a function, and the ranges of its parameters. Raises InputError."""
    function = side.function
    where = Origin(function.signature.span, f"@{function.signature.name}")
    body = Body(Unit(side.module, side.source), function, side.facts, shapes, where)
    parameters = list(_parameters(body, both.defined))
    translated(body, side.facts, both.commits)
    name = function.signature.name
    procedure = Procedure(
        name,
        tuple(parameters),
        None,
        tuple(body.registers.values()),
        (),
        tuple(body.steps),
        ENTRY,
        EXIT,
        where,
    )
    return FlowUnit(tuple(objects), {name: procedure}, name), [body.registers[p].range for p in parameters]


def _parameters(body: Body, defined: Collection[int]) -> Iterator[Var]:
    """The variables of the parameters. One that may be poison or `undef` has another one that says so."""
    for number, parameter in enumerate(body.function.signature.parameters):
        name = name_of(parameter, number)
        if isinstance(parameter.type, s.PointerType):
            var = register(body, f"%{name}", ANY, f"%{name}")
            body.known[name] = Plain(var, None)
            yield var
            continue
        bits = bits_of(parameter.type, body)
        var = register(body, f"%{name}", Range(*canonical(bits)), f"%{name}")
        yield var
        if number in defined:
            body.known[name] = Plain(var, None)
            continue
        kind = register(body, f"kind.%{name}", Range(0, UNDEF), f"kind of %{name}")
        body.known[name] = Leaf(var, kind, bits)
        yield kind
    for number, parameter in enumerate(body.function.signature.parameters):
        known = body.known[name_of(parameter, number)]
        if isinstance(known, Leaf) and "noundef" in parameter.attributes:
            undefined(body, build.ne(known.kind, build.ZERO), "a parameter that must not be poison")
            body.known[name_of(parameter, number)] = Plain(known.var, None)


def name_of(parameter: s.Argument, number: int) -> str:
    """The name of a parameter without the percent sign."""
    return parameter.operand.name if isinstance(parameter.operand, s.Local) else str(number)


def numbers_of(signature: s.Signature, defined: Collection[int]) -> Mapping[int, int]:
    """By parameter, which of the variables of all parameters is its first one."""
    found, here = dict[int, int](), 0
    for number, parameter in enumerate(signature.parameters):
        found[number] = here
        here += 1 if isinstance(parameter.type, s.PointerType) or number in defined else 2
    return found
