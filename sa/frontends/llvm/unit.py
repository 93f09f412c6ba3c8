"""A function of a module as a unit of the form that is compared: its parameters, what it accesses, its steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.frontends.flow.graph import Object, Procedure, Range, Set
from sa.frontends.flow.graph import Unit as FlowUnit
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.addresses import Numbers, extended, name_of, numbered, restrained
from sa.frontends.llvm.analysis import Facts
from sa.frontends.llvm.body import (
    ENTRY,
    EXIT,
    POISON,
    UNDEF,
    Body,
    Leaf,
    Plain,
    Unit,
    bits_of,
    canonical,
    emit,
    register,
    undefined,
)
from sa.frontends.llvm.given import asked
from sa.frontends.llvm.instructions import Visible, translated
from sa.frontends.llvm.integers import between, range_in
from sa.frontends.llvm.layout import POINTER
from sa.frontends.llvm.settled import settled
from sa.frontends.llvm.shapes import Shape
from sa.frontends.llvm.values import pointer
from sa.terms import build
from sa.terms.term import Var


class Side(Struct, frozen=True):
    """A function of one of two files: its module, is it the `source`, and what is known of its registers."""

    module: s.Module
    function: s.Function
    source: bool
    facts: Facts


class Both(Struct, frozen=True):
    """What two functions have in common: which parameters have a value, by number, and which addresses are given.

    Of pointers that are parameters with numbers in `said` all is taken into account that is said of them.

    A promise that one makes and may break is `left_out` of account.

    Pointers to `functions` are numbers that both are given. Where the addresses of `strangers` decide something,
    pointers that are given on the way have addresses, too.

    What is shown at the end, or of what is given to others, may be chosen once it is seen that it is (`commits`).
    """

    defined: frozenset[int]
    said: frozenset[int]
    commits: bool
    announces: bool
    numbers: Numbers
    strangers: bool = False
    functions: tuple[str, ...] = ()
    left_out: str | None = None


def unit_of(
    side: Side, both: Both, shapes: Mapping[s.Operand, Shape], objects: Sequence[Object], own: Sequence[Object]
) -> tuple[FlowUnit, list[Range]]:
    """The unit of a function, and the ranges of its parameters, with `objects` and `own` memory. Raises InputError."""
    function = side.function
    where = Origin(function.signature.span, f"@{function.signature.name}")
    body = Body(Unit(side.module, side.source), function, side.facts, shapes, where)
    parameters = [*_parameters(body, both.defined), *numbered(body, both.numbers)]
    parameters += extended(body, both.numbers)
    for called in both.functions:
        where_ = register(body, f"function.@{called}", Range(*canonical(POINTER)), f"pointer to @{called}")
        body.functions[s.Global(called)] = where_
        parameters.append(where_)
    restrained(body, both.numbers)
    _said(body, both.said)
    translated(body, side.facts, Visible(both.commits, both.announces, both.strangers))
    name = function.signature.name
    procedure = Procedure(
        name,
        tuple(parameters),
        None,
        tuple(body.registers.values()),
        tuple(own),
        tuple(settled(body.steps, body.registers, ENTRY)),
        ENTRY,
        EXIT,
        where,
    )
    return FlowUnit(tuple(objects), {name: procedure}, name), [body.registers[p].range for p in parameters]


def _parameters(body: Body, defined: Collection[int]) -> Iterator[Var]:
    """The variables of the parameters. One that may be poison or `undef` has another one that says so."""
    for number, parameter in enumerate(body.function.signature.parameters):
        name = name_of(parameter, number)
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
            known = body.known[name_of(parameter, number)] = Plain(known.var, None)
        if isinstance(known, Plain) and (inside := range_in(parameter.attributes)) is not None:
            undefined(body, build.lnot(between(known.var, *inside)), "a parameter outside of its range")


def _said(body: Body, numbers: Collection[int]) -> None:
    """What is said of parameters that are pointers. Raises InputError."""
    for number in sorted(numbers):
        parameter = body.function.signature.parameters[number]
        name = name_of(parameter, number)
        at = asked(body, pointer(body, s.Local(name)), parameter.attributes, f"what is said of `%{name}`")
        known = body.known[name]
        if at.undef is build.FALSE and at.poison is build.FALSE:
            assert isinstance(known, Plain | Leaf)
            body.known[name] = Plain(known.var, None)
        elif isinstance(known, Leaf):
            kind = build.ite(at.poison, build.integer(POISON), known.kind)
            emit(body, Set(known.kind, kind))


def variables_of(signature: s.Signature, defined: Collection[int]) -> Mapping[int, int]:
    """By parameter, which of the variables of all parameters is its first one."""
    found, here = dict[int, int](), 0
    for number in range(len(signature.parameters)):
        found[number] = here
        here += 1 if number in defined else 2
    return found
