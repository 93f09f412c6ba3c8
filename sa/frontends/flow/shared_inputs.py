"""What two functions that are compared alone have in common: addresses, and what their pointers may point to.

The environment chooses where a pointer parameter points: to an object of its own, or into any other that both files
know and that has parts of such types. A pointer to nothing is null, or one of a number of others. So the choice is a
number that both functions get, and addresses are the same in both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.graph import PLAIN, Graph, Havoc, Object, Op, Range, Set, Storage, Stride, Unit, base
from sa.frontends.flow.layout import FIRST_SHARED
from sa.frontends.flow.terms import read_by
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import Found, evaluate
from sa.frontends.flow.views import kin
from sa.terms import build
from sa.terms.term import Term, Var

#: How the names of objects begin that parameters point to: those of C do not.
GIVEN = "*"

#: Pointers to nothing are so far apart that no distance within an object leads from one to another.
_APART = 2**24


class Part(Struct, frozen=True):
    """A part of an object, so many cells behind its start; of a large array any element, `step` cells apart each."""

    object: str
    distance: int
    step: int = 0
    count: int = 1


class Common(Struct, frozen=True):
    """The addresses of objects, the procedures, and the parts that pointer parameters may point to, by number.

    Addresses count as the `same` in both files if nothing makes `numbers` of pointers. What the functions speak of is
    `open` to pointers from outside, unless nobody outside has its address; that is so of what is `hidden`.
    Parameters with the numbers in `certain` point to something. `constants` have addresses that others may get to see.
    """

    addresses: Mapping[str, int]
    procedures: Sequence[str]
    pointed: Mapping[int, Sequence[Part]]
    same: frozenset[int]
    numbers: bool
    open: frozenset[str]
    hidden: frozenset[str]
    certain: frozenset[int] = frozenset()
    constants: frozenset[int] = frozenset()


def united(
    one: Unit,
    two: Unit,
    given: Mapping[int, Object],
    numbers: bool,
    private: Collection[str],
    certain: frozenset[int] = frozenset(),
    constants: Collection[str] = (),
) -> tuple[Unit, Unit, Common]:
    """Both units with all objects that others may reach, those given to parameters among them.

    `numbers`: pointers are made numbers somewhere, or numbers pointers. Nobody has addresses of what is `private`.
    Parameters with the numbers in `certain` point to something. `constants` with these names are the same in both.
    Raises InputError where a parameter may point to several elements of a large array at once.
    """
    shared = {o.name: o for u in (two, one) for o in u.objects if o.storage is Storage.STATIC and not o.kept}
    shared |= {o.name: o for o in given.values()}
    addresses, here = dict[str, int](), FIRST_SHARED
    for name in sorted({*shared, *constants}):
        width = max(len(o.cells) for u in (one, two) for o in (*u.objects, *given.values()) if o.name == name)
        addresses[name], here = here, here + width + 1
    hidden = frozenset(n for n in shared if n.rpartition(".")[2] in private)
    open_ = (spoken(one) | spoken(two)) - hidden
    named = [o for n, o in sorted(shared.items()) if n in open_]
    pointed = {n: tuple(_parts(o, n, given, named)) for n, o in given.items()}
    procedures = sorted({*one.procedures, *two.procedures})
    both = []
    for unit in (one, two):
        own = {o.name for o in unit.objects}
        more = (o for n, o in shared.items() if n not in own)
        both.append(replace(unit, objects=(*unit.objects, *more)))
    seen = frozenset(addresses[n] for n in constants)
    same = frozenset[int]() if numbers else frozenset(a for n, a in addresses.items() if n in shared)
    return both[0], both[1], Common(addresses, procedures, pointed, same, numbers, open_, hidden, certain, seen)


def spoken(unit: Unit) -> frozenset[str]:
    """The objects that a unit's procedures speak of."""
    steps = (s for p in unit.procedures.values() for s in p.steps)
    free = (v.name for s in steps for t in read_by(s.op) for v in t.free)
    return frozenset(n.removeprefix("&") for n in free if n.startswith("&"))


def _parts(own: Object, number: int, given: Mapping[int, Object], named: Sequence[Object]) -> Iterator[Part]:
    """Its own object, and the parts of others that look like it. Of two alike the later one may point to the first."""
    yield Part(own.name, 0)
    for other, obj in given.items():
        mutual = len(obj.cells) == len(own.cells) and any(True for _ in _alike(obj, own))
        if other != number and (other < number or not mutual):
            yield from (Part(obj.name, distance) for distance in _alike(own, obj))
    for obj in named:
        for distance in _alike(own, obj):
            row = next((r for r in obj.rows if r.start <= distance < r.start + len(r.paths) * r.count), None)
            if row is None:
                yield Part(obj.name, distance)
                continue
            width, within = len(row.paths), distance - row.start
            if within % width + len(own.cells) > width:
                message = f"a parameter that may point to several elements of the array `{obj.name}` is not accepted"
                hint = "compare the function in a file without the array, or give it to nobody"
                raise InputError((error("SA718", message, own.origin.span, hint),))
            if within < width:
                yield Part(obj.name, distance, width, row.count)


def _alike(wanted: Object, obj: Object) -> Iterator[int]:
    """Where in an object cells follow each other as in the one that is wanted."""
    for distance in range(len(obj.cells) - len(wanted.cells) + 1):
        there = obj.cells[distance : distance + len(wanted.cells)]
        start = there[0].path.removesuffix(wanted.cells[0].path)
        if all(
            c.path == start + w.path and kin(c.key, w.key) and c.synchronises == w.synchronises
            for c, w in zip(there, wanted.cells, strict=True)
        ):
            yield distance


def moved(thread: Thread, found: Found) -> Origin | None:
    """Where a pointer that was given is moved to another element: there may be some, which no object here has."""
    starts = {a for v, a in found.layout.addresses.items() if v.name.startswith(f"&{GIVEN}")}
    for step in thread.graph.steps:
        if isinstance(step.op, Stride) and starts & evaluate(step.op.address, found, thread.number):
            return step.origin
    return None


def chosen(
    graph: Graph, parameters: Sequence[Var], ranges: Sequence[Range], common: Common
) -> tuple[list[Op], list[Term]]:
    """The steps by which the environment chooses the parameters, and what it has chosen."""
    ops, shown = list[Op](), list[Term]()
    for number, (parameter, range_) in enumerate(zip(parameters, ranges, strict=True)):
        if number not in common.pointed:
            ops.append(Havoc(parameter, range_))
            shown.append(parameter)
            continue
        nothing = [build.ZERO, *(build.integer(-_APART * (n + 1)) for n in common.pointed if n <= number)]
        nothing = [] if number in common.certain else nothing
        terms, likewise = list[Term](nothing), graph.registers[parameter]
        for part in common.pointed[number]:
            address = build.add(base(part.object), build.integer(part.distance))
            if part.count > 1:
                element = build.variable(f"element of {part.object} for {parameter.name}")
                range_ = Range(0, part.count - 1)
                told = f"which element of `{part.object}` `{parameter.name}` points to"
                graph.registers[element] = replace(
                    likewise, var=element, range=range_, temporary=True, told=told, words=PLAIN
                )
                ops.append(Havoc(element, range_))
                shown.append(element)
                address = build.add(address, build.scale(part.step, element))
            terms.append(address)
        which, most = build.variable(f"choice of {parameter.name}"), len(terms) - 1
        told = f"what `{parameter.name}` points to"
        graph.registers[which] = replace(
            likewise, var=which, range=Range(0, most), temporary=True, told=told, words=PLAIN
        )
        address = terms[0]
        for place, term in enumerate(terms):
            address = build.ite(build.eq(which, build.integer(place)), term, address)
        ops += [Havoc(which, Range(0, most)), Set(parameter, address)]
        shown.append(which)
    return ops, shown
