"""The two sides of a refinement, as formulas about both of them name their variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.language import syntax
from sa.language.elaborate.context import Context
from sa.language.elaborate.expressions import constant_integer
from sa.language.names import ArraySymbol, HiddenSymbol, SequenceSymbol, Symbol, TermSymbol, TypeSymbol, VariableSymbol
from sa.terms import build
from sa.terms import sort as sorts
from sa.terms.interval import Interval
from sa.terms.name import Name, element, measured, named, on_side, whole
from sa.terms.substitute import sided
from sa.terms.term import Var

#: What variables of the two sides are called in terms.
CONCRETE, ABSTRACT = "conc", "abs"


class Side(Struct, frozen=True):
    """One side: its variables, parameters included, are `written.x` in the text and `meant.x` in terms.

    Locals are named without their thread, so the same name may come several times. `several` are names that more than
    one local of a thread has, with that thread: they cannot be used.
    """

    written: str
    meant: str
    variables: tuple[Variable, ...]
    several: frozenset[tuple[str, str]] = frozenset()


def names_of_both(sides: tuple[Side, Side]) -> tuple[dict[str, Symbol], dict[Var, Interval]]:
    """The names of both sides' variables, and the ranges of these, plain globals included. Parameters are plain."""
    names, ranges = dict[str, Symbol](), dict[Var, Interval]()
    for side in sides:
        parameters = {v.var.name: v for v in side.variables if v.kind is Kind.PARAM}
        for name, parameter in parameters.items():
            names.setdefault(name, VariableSymbol(parameter))
        _enter(side, names, ranges)
        for variable in side.variables:
            if variable.kind is not Kind.LOCAL:
                bounds = (variable.low, variable.high)
                same = ranges.get(variable.var, bounds) == bounds
                ranges[variable.var] = bounds if same else (None, None)
    return names, ranges


def _enter(side: Side, names: dict[str, Symbol], ranges: dict[Var, Interval]) -> None:
    """Enter what changes on one side: `written.x` for `meant.x`."""
    found, clashing = dict[Name, Variable](), set[Name]()
    for variable in side.variables:
        if variable.kind is Kind.PARAM:
            continue
        name = on_side(variable.var.name, side.written)
        qualified = replace(variable, var=sided(variable.var, side.meant))
        known = found.setdefault(name, qualified)
        if known.var is not qualified.var:
            clashing.add(whole(name))
        elif (known.low, known.high) != (qualified.low, qualified.high):
            found[name] = replace(known, low=None, high=None)
    names.update(grouped(found))
    names.update({name: HiddenSymbol("threads declare it with different types") for name in clashing})
    names.update({f"{side.written}.{name}": of_several(thread, name) for thread, name in side.several})
    ranges.update({v.var: (v.low, v.high) for v in found.values()})


def of_several(thread: str, name: str) -> HiddenSymbol:
    """What a name stands for that more than one local of a thread has."""
    return HiddenSymbol(f"more than one local of `{thread}` is called `{name}`: give each a name of its own")


def parameter_clashes(sides: tuple[Side, Side]) -> Iterator[str]:
    """The parameters that have different types on the two sides."""
    first, second = ({v.var.name: v.var for v in s.variables if v.kind is Kind.PARAM} for s in sides)
    yield from (name for name, var in second.items() if first.get(name, var) is not var)


def plain_names(sides: tuple[Side, Side]) -> dict[str, Symbol]:
    """Globals and parameters by their plain names, for relies, which hold for both sides. Locals too, so that it
    can be said what is wrong with them.
    """
    shared = {v.var.name: v for s in sides for v in s.variables if v.kind is not Kind.LOCAL}
    local = {v.var.name: v for s in sides for v in s.variables if v.kind is Kind.LOCAL}
    return grouped({n: v for n, v in local.items() if n not in shared}) | grouped(shared)


def enumerations(variables: Iterable[Variable]) -> dict[str, Symbol]:
    """The enumerations that variables have, with their constructors."""
    names = dict[str, Symbol]()
    for sort in sorts.enumerations(v.var.sort for v in variables):
        names.setdefault(sort.name, TypeSymbol(sort))
        for index, constructor in enumerate(sort.constructors):
            names.setdefault(constructor, TermSymbol(build.constant(index, sort)))
    return names


def grouped(variables: Mapping[Name, Variable]) -> dict[str, Symbol]:
    """Variables as symbols; those named like the elements of an array or sequence are one."""
    symbols, arrays = dict[str, Symbol](), dict[str, list[Variable]]()
    for name, variable in variables.items():
        if name.position is None:
            symbols[name] = VariableSymbol(variable)
        else:
            arrays.setdefault(whole(name), []).append(variable)
    lengths = {measured(n): v for n, v in variables.items() if v.sequence}
    for array, elements in arrays.items():
        length = lengths.get(named(array))
        symbols[array] = ArraySymbol(tuple(elements)) if length is None else SequenceSymbol(tuple(elements), length)
    return symbols


def thread_name(name: syntax.ThreadName, context: Context) -> str | None:
    """The name of a thread or of a member of a family; None after an error."""
    if name.index is None:
        return name.name
    index = constant_integer(name.index, context)
    return None if index is None else element(name.name, index)
