"""Functions of two modules of LLVM IR, each compared alone in any environment."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
from sa.frontends.llvm.addresses import Numbers, name_of, numbers_of
from sa.frontends.llvm.aggregates import without_aggregates
from sa.frontends.llvm.analysis import Facts, callee_of, facts_of, globals_in, is_defined, may_be_undef
from sa.frontends.llvm.attributes import check_attributes, points_somewhere, promised
from sa.frontends.llvm.calls import called_in
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
from sa.frontends.llvm.fills import without_fills
from sa.frontends.llvm.inline import inlined
from sa.frontends.llvm.library import declared_alike, is_library
from sa.frontends.llvm.objects import (
    Access,
    apart,
    by_address,
    chosen_from,
    meeting,
    named,
    object_of,
    own_objects,
    own_shapes,
    pointed,
    shapes,
    shared,
    variables,
)
from sa.frontends.llvm.observed import ASKS, Observed, observed
from sa.frontends.llvm.own import own_memory
from sa.frontends.llvm.promises import check_promises, opaque
from sa.frontends.llvm.read import read_module
from sa.frontends.llvm.same import are_same
from sa.frontends.llvm.shapes import Shape
from sa.frontends.llvm.split import split
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
    links = [_tried_link(first, second, name) for first, second in pairwise(modules)]
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


def _tried_link(first: s.Module, second: s.Module, name: str) -> Link | Refused:
    try:
        return _link(first, second, name)
    except InputError as wrong:
        return Refused(name, wrong)


def _tried_answer(link: Link, shapes: Mapping[int, Shape]) -> Compared | Refused:
    try:
        return _linked(link, shapes)
    except InputError as wrong:
        return Refused(link.name, wrong)


def _compared(first: s.Module, second: s.Module, name: str) -> Compared:
    """A function of both modules. Raises InputError."""
    link = _link(first, second, name)
    return _linked(link, _given([link]))


def _link(first: s.Module, second: s.Module, name: str) -> Link:
    """What is known of a function of both modules. Raises InputError."""
    if is_library(name):
        message = f"`@{name}` is a library function, and LLVM knows what it does"
        raise s.refused("SA744", message, first.defined[name].span, "compare a function of another name")
    sides, both = _sides(first, second, name)
    _begun_alike(sides)
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
    known = opaque((x.function, x.module) for x in sides)
    kept = [{o.name for o in unit.objects if o.kept} for unit, _ in made] if known else [set[str]()]
    one, two, common = united(made[0][0], made[1][0], given, False, (), certain, set.union(*kept))
    functions = tuple(
        function_of(unit, side.module.source, made[0][1], common) for unit, side in zip((one, two), sides, strict=True)
    )
    return _related(link.name, sides, (functions[0], functions[1]), given)


def _sides(first: s.Module, second: s.Module, name: str) -> tuple[tuple[Side, Side], Both]:
    """Both functions, and what they have in common. Raises InputError."""
    one, two = (_plain(module, name) for module in (first, second))
    _alike(one.signature, two.signature)
    asks = [observed(function, module) for function, module in ((one, first), (two, second))]
    pairs = list(enumerate(zip(one.signature.parameters, two.signature.parameters, strict=True)))
    said = frozenset(number for number, pair in pairs if _is_asked(pair, asks, number))
    defined = frozenset(number for number, pair in pairs if _is_defined(pair, number in said))
    given = ((first, one, True), (second, two, False))
    sides = [Side(module, function, source, _facts(module, function, defined)) for module, function, source in given]
    if met := meeting([a for x in sides for a in shared(x.module, x.function, x.facts)]):
        sides = [replace(x, facts=_facts(x.module, x.function, defined, met)) for x in sides]
    for side in sides:
        check_attributes(side, one.signature, said)
    _calls_alike(sides)
    check_promises((one, first), (two, second))
    words = [w for n in said for x in (one, two) for w in x.signature.parameters[n].attributes]
    bounds = any(a.bounds for a in asks) or any(w.startswith("dereferenceable") for w in words)
    numbers = Numbers()
    if bounds or any(a.addresses for a in asks) or any(w.startswith("align") for w in words):
        numbers = numbers_of([(side.function, side.module) for side in sides], bounds)
    lines = [(line.instruction, side) for side in sides for block in side.function.blocks for line in block.lines]
    commits = any(isinstance(i, s.Return) and may_be_undef(i, side.facts) for i, side in lines)
    announces = any(isinstance(i, s.Call) and _may_give_undef(i, side) for i, side in lines)
    return (sides[0], sides[1]), Both(defined, said, commits, announces, numbers)


def _facts(
    module: s.Module, function: s.Function, defined: Collection[int], met: frozenset[s.Operand] = frozenset()
) -> Facts:
    """What is known of a function's registers, and of its own memory. Raises InputError."""
    facts = facts_of(module, function, defined, met)
    return replace(facts, own=own_memory(function, module, facts))


def _plain(module: s.Module, name: str) -> s.Function:
    """A function without calls of others, aggregates and fills. Raises InputError."""
    made = without_fills(split(without_aggregates(inlined(module, name), module), module), module)
    for line in (line for block in made.blocks for line in block.lines):
        for found in globals_in(line.instruction):
            variable = module.variables.get(found.name)
            if variable is not None and "extern_weak" in variable.words:
                message = f"`@{found.name}` is `extern_weak`: perhaps there is no such variable"
                raise s.refused("SA745", message, variable.span, "use an ordinary variable")
    return made


def _is_asked(pair: tuple[s.Argument, s.Argument], asks: Sequence[Observed], number: int) -> bool:
    """Whether a parameter is a pointer of which something is asked: then all decides that is said of it.

    What is said of it in the second file alone asks something.
    """
    if not isinstance(pair[0].type, s.PointerType):
        return False
    names = [name_of(parameter, number) for parameter in pair]
    one, two = (frozenset(w for w in p.attributes if ASKS.fullmatch(w)) for p in pair)
    return not two <= one or any(n in a.registers for n, a in zip(names, asks, strict=True))


def _is_defined(pair: tuple[s.Argument, s.Argument], asked: bool) -> bool:
    """Whether a parameter has a value, or may count as one that has: of a pointer it is not asked whether it has."""
    return "noundef" in pair[0].attributes or (isinstance(pair[0].type, s.PointerType) and not asked)


def _may_give_undef(call: s.Call, side: Side) -> bool:
    """Whether an argument that others see may be `undef`."""
    given = not callee_of(call).startswith("llvm.") and callee_of(call) not in side.module.defined
    return given and any(may_be_undef(a, side.facts) for a in call.arguments)


def _calls_alike(sides: Sequence[Side]) -> None:
    """Raises InputError where what is seen of a call is not the same in both files."""
    known = dict[str, object]()
    for side in sides:
        for call in called_in(side.function):
            if any(callee_of(call) in other.module.defined for other in sides):
                message = f"`@{callee_of(call)}` is called here, and defined in the other file"
                raise s.refused("SA744", message, side.function.signature.span, "define it in both files")
            kinds = [a.type for a in call.arguments]
            shape = call.type, is_defined(call, side.module), [] if call.variadic else kinds
            if known.setdefault(callee_of(call), shape) != shape:
                message = f"`@{callee_of(call)}` is declared in several ways"
                raise s.refused("SA405", message, side.function.signature.span, "declare it alike in both files")


def _begun_alike(sides: tuple[Side, Side]) -> None:
    """Raises InputError where a variable is declared otherwise in the other file."""
    first, second = (side.module.variables for side in sides)
    for name, variable in second.items():
        other = first.get(name, variable)
        told = [(v.type, v.constant, "thread_local" in v.words) for v in (variable, other)]
        values = {repr(v.first) for v in (variable, other) if v.first is not None}
        if told[0] != told[1] or len(values) > 1:
            message = f"`@{name}` has another type or first value in the other file"
            raise s.refused("SA405", message, variable.span, "declare it alike in both files")


def _alike(one: s.Signature, two: s.Signature) -> None:
    """Raises InputError where functions have other types."""
    types = [(x.result, x.variadic, [p.type for p in x.parameters]) for x in (one, two)]
    if types[0] != types[1]:
        message = f"`@{two.name}` has another type in the other file"
        raise s.refused("SA405", message, two.span, "declare it alike in both files")
    if two.variadic:
        raise s.refused("SA744", "a function of any number of arguments is not accepted", two.span)


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
    name: str, sides: tuple[Side, Side], functions: tuple[Function, Function], given: Mapping[int, Object]
) -> Compared:
    """The programs, judged, and what is to be said of them. Raises InputError."""
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
    known = opaque((x.function, x.module) for x in sides)
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
