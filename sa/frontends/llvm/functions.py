"""Functions of two modules of LLVM IR, each compared alone in any environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.base.caveat import Caveat, Said
from sa.base.diagnostic import InputError
from sa.frontends.flow.both import Function, mixed_of
from sa.frontends.flow.compared import Compared, Refused
from sa.frontends.flow.graph import Object, Range
from sa.frontends.flow.graph import Unit as FlowUnit
from sa.frontends.flow.judged import judge
from sa.frontends.flow.must_execute import loops
from sa.frontends.flow.sequential_refinement import compared, function_of
from sa.frontends.flow.shared_inputs import united
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.addresses import name_of, numbers_of
from sa.frontends.llvm.alike import begun_alike
from sa.frontends.llvm.analysis import Resolution, callee_of
from sa.frontends.llvm.attributes import points_somewhere, promised
from sa.frontends.llvm.caveats import (
    DEFINED,
    LIBRARY,
    LOOPS_END,
    NO_UNDEF,
    NOTHING_OWED,
    PARAMETERS,
    RACING_READS,
    TYPES,
)
from sa.frontends.llvm.library import declared_alike, is_library
from sa.frontends.llvm.objects import (
    Access,
    apart,
    by_address,
    chosen_from,
    named,
    object_of,
    own_objects,
    own_shapes,
    pointed,
    shapes,
    shared,
    variables,
)
from sa.frontends.llvm.read import read_module
from sa.frontends.llvm.same import are_same
from sa.frontends.llvm.shapes import Shape
from sa.frontends.llvm.sides import opaque_of, sides_of
from sa.frontends.llvm.unit import Both, Side, unit_of, variables_of
from sa.frontends.reading import NOTHING_FREED, used_in_one_way
from sa.language.loaded import Loaded
from sa.language.reading.keywords import keywords


def load_functions(paths: tuple[str, str], name: str | None) -> tuple[Compared | Refused, ...]:
    """A function of an abstract and of a concrete module, or all that both define. Raises InputError."""
    first, second = declared_alike([*map(read_module, paths)])
    if name is not None:
        for module in (first, second):
            if name not in module.defined:
                near = get_close_matches(name, sorted(module.defined), 1, 0.6)
                hint = f"did you mean `{near[0]}`?" if near else None
                raise s.refused("SA747", f"`{module.source.name}` does not define `@{name}`", None, hint)
        return (_compared(first, second, name),)
    names = [n for n in first.defined if n in second.defined]
    if not names:
        raise s.refused("SA747", f"`{paths[0]}` and `{paths[1]}` define no function of one name", None)
    return tuple(_tried(first, second, n) for n in names)


def _tried(first: s.Module, second: s.Module, name: str) -> Compared | Refused:
    try:
        return _compared(first, second, name)
    except InputError as wrong:
        return Refused(name, wrong)


def load_chain(paths: Sequence[str], name: str) -> tuple[Compared | Refused, ...]:
    """A function of several modules, each compared with the one before. Raises InputError.

    What parameters point to is the same in all of them, and so is how the end is shown: so the answers compose.
    """
    modules = declared_alike([read_module(path) for path in paths])
    found = [_chain(modules, name, resolution) for resolution in Resolution]
    return next((made for made in found if not any(isinstance(x, Refused) for x in made)), found[0])


def _chain(modules: Sequence[s.Module], name: str, resolution: Resolution) -> tuple[Compared | Refused, ...]:
    links = [_tried_link(first, second, name, resolution) for first, second in pairwise(modules)]
    made = [link for link in links if isinstance(link, Link)]
    commits = any(link.both.commits for link in made)
    shapes = _given(made)
    return tuple(
        link
        if isinstance(link, Refused)
        else _tried_answer(replace(link, both=replace(link.both, commits=commits)), shapes)
        for link in links
    )


class Link(Struct, frozen=True):
    """A function of two modules, and the accesses of each."""

    name: str
    sides: tuple[Side, Side]
    both: Both
    found: tuple[Sequence[Access], Sequence[Access]]


def _tried_link(first: s.Module, second: s.Module, name: str, resolution: Resolution) -> Link | Refused:
    try:
        return _link(first, second, name, resolution)
    except InputError as wrong:
        return Refused(name, wrong)


def _tried_answer(link: Link, shapes: Mapping[int, Shape]) -> Compared | Refused:
    try:
        return _linked(link, shapes)
    except InputError as wrong:
        return Refused(link.name, wrong)


def _compared(first: s.Module, second: s.Module, name: str) -> Compared:
    """A function of both modules, with as much of memory resolved to objects as is accepted. Raises InputError."""
    refused = list[InputError]()
    for resolution in Resolution:
        try:
            link = _link(first, second, name, resolution)
            return _linked(link, _given([link]))
        except InputError as wrong:
            refused.append(wrong)
            if wrong.diagnostics[0].code not in _OF_MEMORY:
                break
    raise refused[0]


#: Errors that may be about the objects that memory is resolved to.
_OF_MEMORY = frozenset({"SA718", "SA744", "SA745"})


def _link(first: s.Module, second: s.Module, name: str, resolution: Resolution) -> Link:
    """What is known of a function of both modules. Raises InputError."""
    if is_library(name):
        message = f"`@{name}` is a library function, and LLVM knows what it does"
        raise s.refused("SA744", message, first.defined[name].span, "compare a function of another name")
    sides, both = sides_of(first, second, name, resolution)
    begun_alike(sides)
    one, two = (shared(side.module, side.function, side.facts) for side in sides)
    if not both.numbers.given and any(by_address(side.module, (*one, *two)) for side in sides):
        _refuse_alignment(sides, both)
        pairs = [(side.function, side.module) for side in sides]
        both = replace(both, numbers=numbers_of(pairs, both.numbers.bounds))
    return Link(name, sides, both, (one, two))


def _refuse_alignment(sides: Sequence[Side], both: Both) -> None:
    """Raises InputError where accesses depend on what is said of a parameter that counts as having a value."""
    for side in sides:
        for number, parameter in enumerate(side.function.signature.parameters):
            if number not in both.said and any(w.startswith("align(") for w in parameter.attributes):
                message = f"an access whose alignment is not that of `%{name_of(parameter, number)}` is not accepted"
                raise s.refused("SA745", message, side.function.signature.span, "leave out `align` in both files")


def _linked(link: Link, pointed_to: Mapping[int, Shape]) -> Compared:
    """The programs of a function of both modules, whose parameters point to these. Raises InputError.

    Arrays whose elements are chosen by variables are kept whole where that is accepted: one element stands for all.
    """
    if chosen := chosen_from((*link.found[0], *link.found[1])):
        with suppress(InputError):
            return _with_whole(link, pointed_to, chosen)
    return _with_whole(link, pointed_to, frozenset())


def _with_whole(link: Link, pointed_to: Mapping[int, Shape], whole: frozenset[str]) -> Compared:
    sides, both, found = link.sides, link.both, link.found
    pointed_to = promised(sides[0].function.signature, pointed_to)
    apart((*found[0], *found[1]), list(pointed_to.values()), both.numbers.given)
    if pointed_to and len(_types(sides[0])) > 1:
        message = "`!tbaa` of several types, beside pointers that are given, is not accepted"
        raise s.refused("SA744", message, sides[0].function.signature.span, "compile with `-fno-strict-aliasing`")
    given, certain = _objects(sides[0].function.signature, pointed_to, both)
    all_ = (*found[0], *found[1])
    made = [_unit(side, both, own, all_, pointed_to, whole) for side, own in zip(sides, found, strict=True)]
    # Where a play is no answer it does not matter that equal constants may have several names, or one place.
    known = opaque_of(sides, both)
    kept = [{o.name for o in unit.objects if o.kept} for unit, _ in made] if known else [set[str]()]
    one, two, common = united(made[0][0], made[1][0], given, False, (), certain, set.union(*kept))
    functions = tuple(
        function_of(unit, side.module.source, made[0][1], common) for unit, side in zip((one, two), sides, strict=True)
    )
    return _related(link.name, sides, (functions[0], functions[1]), given, known)


def _unit(
    side: Side,
    both: Both,
    found: Sequence[Access],
    all_: Sequence[Access],
    given: Mapping[int, Shape],
    whole: frozenset[str],
) -> tuple[FlowUnit, list[Range]]:
    own = {**named(side.module, side.function, all_), **shapes(side.module, found, all_)}
    parameters = side.function.signature.parameters
    known: dict[s.Operand, Shape] = {s.Global(name): shape for name, shape in own.items()}
    known |= {p: shape for n, shape in given.items() if (p := parameters[n].operand) is not None}
    inner = own_shapes(side.module, side.function, side.facts)
    known |= {s.Local(name): shape for name, shape in inner.items()}
    return unit_of(side, both, known, variables(side.module, own, whole), own_objects(inner, side.facts, side.module))


def _given(links: Sequence[Link]) -> Mapping[int, Shape]:
    """What parameters point to, by their numbers: all that any of the functions accesses. Raises InputError."""
    made = dict[int, Shape]()
    parameters = links[0].sides[0].function.signature.parameters if links else ()
    for number in range(len(parameters)):
        own = [
            access
            for link in links
            for side, accessed in zip(link.sides, link.found, strict=True)
            for access in accessed
            if access.place.base == side.function.signature.parameters[number].operand
        ]
        shape = pointed(own)
        if shape is not None:
            made[number] = shape
    return made


def _objects(
    signature: s.Signature, given: Mapping[int, Shape], both: Both
) -> tuple[Mapping[int, Object], frozenset[int]]:
    """What parameters point to, by the numbers of their variables, and which of them certainly point to it."""
    numbers, where = variables_of(signature, both.defined), Origin(signature.span)
    certain = points_somewhere(signature, given)
    made = {numbers[n]: object_of(name_of(signature.parameters[n], n), shape, where) for n, shape in given.items()}
    return made, frozenset(numbers[n] for n in certain)


def _related(
    name: str,
    sides: tuple[Side, Side],
    functions: tuple[Function, Function],
    given: Mapping[int, Object],
    known: str | None,
) -> Compared:
    """The programs, judged, and what is to be said of them; what is `known` is opaque. Raises InputError."""
    mixed = mixed_of(*functions)
    if added := sorted(mixed - functions[0].things.atomic.keys()):
        # A plain read that races is poison, and no action.
        message = f"`{''.join(added[0])}` is accessed atomically in the second file alone, which is not accepted"
        raise s.refused("SA745", message, sides[1].function.signature.span, "access it atomically in both files")
    for key, cell in functions[1].used.items():
        if functions[0].used.get(key, cell).key != cell.key:
            message = f"`@{key[0]}` has another type in the other file"
            raise s.refused("SA405", message, sides[1].function.signature.span, "declare it alike in both files")
    ending, others = loops(functions[0].thread, functions[0].known)
    abstract, concrete, block = compared(*functions, keywords())
    judge(functions, (abstract, concrete), block)
    block = replace(block, opaque=known)
    typed = bool(_types(sides[1]))
    holds = {LOOPS_END: ending, NOTHING_OWED: others, PARAMETERS: bool(given), TYPES: typed}
    holds |= {NOTHING_FREED: bool(given) and _calls(sides[1]), LIBRARY: known is not None and is_library(known)}
    assumed = (DEFINED, RACING_READS, used_in_one_way(mixed), NO_UNDEF, *(c for c, so in holds.items() if so))
    loaded = [
        Loaded(program, (), (side.module.source,), said=_said(assumed))
        for program, side in zip((abstract, concrete), sides, strict=True)
    ]
    return Compared(name, loaded[0], loaded[1], block, are_same(sides))


def _types(side: Side) -> frozenset[str]:
    """What is said of the types of accesses."""
    lines = (line for block in side.function.blocks for line in block.lines)
    return frozenset(line.attachments["tbaa"] for line in lines if "tbaa" in line.attachments)


def _calls(side: Side) -> bool:
    """Whether functions are called that the module does not define."""
    calls = [i for block in side.function.blocks for line in block.lines if isinstance(i := line.instruction, s.Call)]
    return any(not callee_of(c).startswith("llvm.") for c in calls)


def _said(assumed: Sequence[Caveat]) -> Said:
    return Said(tuple(assumed))
