"""Both functions that are compared, without what others take the place of, and what is known of each of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.addresses import Numbers, name_of, numbers_of
from sa.frontends.llvm.aggregates import without_aggregates
from sa.frontends.llvm.alike import calls_alike, spoken_of, typed_alike
from sa.frontends.llvm.analysis import Facts, Resolution, callee_of, facts_of, globals_in, may_be_undef
from sa.frontends.llvm.attributes import check_attributes
from sa.frontends.llvm.fills import without_fills
from sa.frontends.llvm.inline import inlined
from sa.frontends.llvm.objects import meeting, shared
from sa.frontends.llvm.observed import ASKS, Observed, observed
from sa.frontends.llvm.own import own_memory
from sa.frontends.llvm.promises import check_promises, opaque
from sa.frontends.llvm.resolved import given_in, unresolved_in, without_unused
from sa.frontends.llvm.split import split
from sa.frontends.llvm.unit import Both, Side


def sides_of(first: s.Module, second: s.Module, name: str, resolution: Resolution) -> tuple[tuple[Side, Side], Both]:
    """Both functions, and what they have in common. Raises InputError."""
    one, two = (_plain(module, name) for module in (first, second))
    typed_alike(one.signature, two.signature)
    asks = [observed(function, module) for function, module in ((one, first), (two, second))]
    pairs = list(enumerate(zip(one.signature.parameters, two.signature.parameters, strict=True)))
    said = frozenset(number for number, pair in pairs if _is_asked(pair, asks, number))
    defined = frozenset(number for number, pair in pairs if _is_defined(pair, number in said))
    given = ((first, one, True), (second, two, False))
    how = _How(resolution, any("null_pointer_is_valid" in f.signature.attributes for f in (one, two)))
    sides = [Side(m, function, source, _facts(m, function, defined, how)) for m, function, source in given]
    if met := _met(sides):
        sides = [replace(x, facts=_facts(x.module, x.function, defined, how, met)) for x in sides]
    left_out = next(filter(None, [check_attributes(side, sides[0], said) for side in sides]), None)
    calls_alike(sides)
    check_promises((one, first), (two, second))
    words = [w for n in said for x in (one, two) for w in x.signature.parameters[n].attributes]
    bounds = any(a.bounds for a in asks) or any(w.startswith("dereferenceable") for w in words)
    numbers = Numbers()
    if bounds or any(a.addresses for a in asks) or any(w.startswith("align") for w in words):
        numbers = numbers_of([(side.function, side.module) for side in sides], bounds)
    lines = [(line.instruction, side) for side in sides for block in side.function.blocks for line in block.lines]
    commits = any(isinstance(i, s.Return) and may_be_undef(i, side.facts) for i, side in lines)
    announces = any(isinstance(i, s.Call) and _may_give_undef(i, side) for i, side in lines)
    strangers, functions = any(a.strangers for a in asks), tuple(sorted({n for x in sides for n in spoken_of(x)}))
    both = Both(defined, said, commits, announces, numbers, strangers, functions, left_out)
    return (sides[0], sides[1]), both


class _How(Struct, frozen=True):
    """Which memory is resolved to objects, and whether there may be one at null."""

    resolution: Resolution
    null_is_valid: bool


def _met(sides: Sequence[Side]) -> frozenset[s.Operand]:
    """The pointers of atomic accesses that may find poison. What is not resolved may be all that is accessed."""
    found = [line.instruction for x in sides for line in unresolved_in(x.module, x.function, x.facts)]
    accessed = [a for x in sides for a in shared(x.module, x.function, x.facts)]
    met = {i.pointer for i in found if isinstance(i, s.Load | s.Store | s.Update | s.Exchange)}
    if any(isinstance(i, s.Store) and i.order is None for i in found):
        met |= {a.pointer for a in accessed if a.atomic}
    return meeting(accessed) | met


def _facts(
    module: s.Module,
    function: s.Function,
    defined: Collection[int],
    how: _How,
    met: frozenset[s.Operand] = frozenset(),
) -> Facts:
    """What is known of a function's registers, and of its own memory. Raises InputError."""
    facts = facts_of(module, function, defined, met)
    facts = replace(facts, resolution=how.resolution, null_is_valid=how.null_is_valid)
    return replace(facts, own=own_memory(function, module, facts))


def opaque_of(sides: Sequence[Side], both: Both) -> str | None:
    """What may do less than a play has it do: a function that is called, or an access that is not resolved.

    So do numbers that are made pointers, and all that gives pointers, where the addresses of strangers are told, and
    a function that may break a promise of its own.
    """
    accesses = (line.text for x in sides for line in unresolved_in(x.module, x.function, x.facts))
    giving = (line.text for x in sides for line in given_in(x.function, both.strangers))
    functions = (f"@{name}" for x in sides for name in spoken_of(x))
    return opaque((x.function, x.module) for x in sides) or next(chain(accesses, giving, functions), both.left_out)


def _plain(module: s.Module, name: str) -> s.Function:
    """A function without calls of others, aggregates and fills. Raises InputError."""
    made = without_unused(without_fills(split(without_aggregates(inlined(module, name), module), module), module))
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
