"""Two files, of each of which one function is compared with the other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.caveat import Said
from sa.base.diagnostic import InputError, error
from sa.base.source import Span
from sa.frontends.c.assumptions import said
from sa.frontends.c.body import File, InMemory
from sa.frontends.c.caveats import (
    DEFINED,
    LOOPS_END,
    NOT_BEHIND,
    NOTHING_OWED,
    OVERLAP,
    PARAMETERS,
    RACING_READS,
    created,
)
from sa.frontends.c.compatible_types import alike, given
from sa.frontends.c.parsing import parsed
from sa.frontends.c.read import Text, read
from sa.frontends.c.translate import unit_of
from sa.frontends.c.types import ANY_SIZE, Int, Pointer, Void, input_range, rows_of
from sa.frontends.c.types import Function as Type
from sa.frontends.flow.both import Function, mixed_of
from sa.frontends.flow.compared import Compared
from sa.frontends.flow.first_thread import chosen
from sa.frontends.flow.graph import Object, Range, Unit
from sa.frontends.flow.judged import judge
from sa.frontends.flow.must_execute import loops
from sa.frontends.flow.sequential_refinement import compared, follows, function_of
from sa.frontends.flow.shared_inputs import GIVEN, Common, united
from sa.frontends.flow.things import Key
from sa.frontends.reading import NOTHING_FREED, USUAL, Reading, used_in_one_way
from sa.language.loaded import Loaded
from sa.language.reading.keywords import keywords

#: What a claim about two functions assumes beside what holds of each file, and of environments.
ASSUMED = (DEFINED, RACING_READS)


class _Read(Struct, frozen=True):
    name: str
    text: Text
    file: File
    unit: Unit
    kind: Type


class _Pair(Struct, frozen=True):
    """A function of both files: what was read, and what is compared."""

    read: tuple[_Read, _Read]
    functions: tuple[Function, Function]


def load_functions(paths: tuple[str, str], reading: Reading) -> tuple[Compared, ...]:
    """The function that `reading` names in an abstract and in a concrete file, or what their threads run.

    Arrays whose elements are chosen by variables are kept whole where that is accepted, for whatever their size is,
    one element stands for all then. Raises InputError.
    """
    try:
        return _functions(paths, reading, True)
    except InputError:
        return _functions(paths, reading, False)


def _functions(paths: tuple[str, str], reading: Reading, whole: bool) -> tuple[Compared, ...]:
    if reading.function is not None:
        pair = _pair(paths, replace(reading, plain=USUAL.plain), reading.function, whole)
        _apart([pair])
        _begun_alike([pair], True)
        return (_compared(pair, reading, False),)
    found, names = list[_Pair](), [reading.entry]
    for name in names:
        # Where the first thread leaves, the process goes on; where it returns, it ends.
        how = replace(reading, plain=USUAL.plain) if name == reading.entry else reading
        found.append(_pair(paths, how, name, whole))
        names += [n for n in _created(found[-1]) if n not in names]
    _apart(found)
    _begun_alike(found, False)
    # What the first thread hands on has its first values there.
    used = {k: c for pair in found for f in pair.functions for k, c in f.used.items()}
    one, two = found[0].functions
    found[0] = replace(found[0], functions=(replace(one, used=used), replace(two, used=used)))
    return tuple(_compared(pair, reading, number == 0) for number, pair in enumerate(found))


def _created(pair: _Pair) -> Sequence[str]:
    """The functions that threads are created to run."""
    return tuple(dict.fromkeys(n for r in pair.read for n in r.file.created))


def _pair(paths: tuple[str, str], reading: Reading, name: str, whole: bool) -> _Pair:
    """A function of both files. If pointers are followed that were given, the environment chooses where they point."""
    one, two = (_read(path, reading, name) for path in paths)
    if whole:
        known = chosen(one.unit) | chosen(two.unit)
        one, two = _with_whole(one, known), _with_whole(two, known)
    if not alike(one.kind, two.kind):
        raise _other_type(name, two.unit.procedures[name].origin.span)
    numbers = one.file.numbers or two.file.numbers
    _no_new_overlap(one, two, name)
    objects = given(one.unit.procedures[name], one.kind, GIVEN)
    ranges = tuple(map(input_range, one.kind.parameters or ()))
    own = one.file.private & two.file.private
    first, second, common = united(one.unit, two.unit, {}, numbers, own)
    if not objects or not any(follows(u, ranges, common) for u in (first, second)):
        return _with(one, two, (first, second), ranges, common)
    for each in (one, two):
        _no_restrict(each.text)
        if each.file.numbers:
            message = "pointers that are made numbers, or numbers that are made pointers, are not accepted beside"
            hint = "compare pointers with `==` and `!=` only, or leave out the casts"
            where = each.unit.procedures[name].origin.span
            raise InputError((error("SA718", f"{message} pointers that are given", where, hint),))
        each.file.granted[PARAMETERS] = None
        if two.file.hands_on:
            each.file.granted[NOTHING_FREED] = None
        if each.file.compares is not None:
            each.file.granted[NOT_BEHIND] = None
            if one.file.recasts or two.file.recasts:
                message = "a comparison of pointers is not accepted beside pointers that become ones to other types,"
                hint = "compare pointers of one type, without casts"
                raise InputError((error("SA718", f"{message} and are given", each.file.compares.span, hint),))
    first, second, common = united(one.unit, two.unit, objects, numbers, own)
    return _with(one, two, (first, second), ranges, common)


def _with_whole(read: _Read, known: frozenset[str]) -> _Read:
    """What was read, with the arrays in some shared objects kept whole."""
    kinds = {o.name: m.type for o in read.unit.objects if isinstance(m := read.file.names.get(o.name), InMemory)}
    objects = (
        replace(o, rows=tuple(rows_of(kinds[o.name], most=ANY_SIZE))) if o.name in kinds and o.name in known else o
        for o in read.unit.objects
    )
    return replace(read, unit=replace(read.unit, objects=tuple(objects)))


def _with(one: _Read, two: _Read, units: tuple[Unit, Unit], ranges: Sequence[Range], common: Common) -> _Pair:
    first, second = (function_of(u, r.text.source, ranges, common) for r, u in zip((one, two), units, strict=True))
    one.file.granted |= {
        caveat: None
        for caveat, holds in zip((LOOPS_END, NOTHING_OWED), loops(first.thread, first.known), strict=True)
        if holds
    }
    return _Pair((one, two), (first, second))


def _compared(pair: _Pair, reading: Reading, beginning: bool) -> Compared:
    (one, two), (first, second) = pair.read, pair.functions
    _declared_alike(pair)
    abstract, concrete, block = compared(first, second, keywords(), beginning)
    judge(pair.functions, (abstract, concrete), block)
    mixed = mixed_of(first, second)
    loaded = [_loaded(program, r, reading, mixed) for program, r in ((abstract, one), (concrete, two))]
    return Compared(two.name, loaded[0], loaded[1], block)


def _begun_alike(found: Sequence[_Pair], only_known: bool) -> None:
    """Raises InputError where a variable of both files has different first values.

    `only_known`: only of variables that are used, and that both files give a value.
    """
    for pair in found:
        names = _visible(pair)
        first, second = pair.functions
        for key, value in second.first.items():
            other = first.first.get(key, value)
            if only_known and (key[0] not in names or value is None or other is None):
                continue
            if other is not value:
                message = f"`{''.join(key)}` has another first value in the other file"
                hint = "variables begin with the same values in both files"
                origin = next(o.origin for o in second.unit.objects if o.name == key[0])
                raise InputError((error("SA718", message, origin.span, hint),))


def _read(path: str, reading: Reading, name: str) -> _Read:
    reading = replace(reading, entry=name, function=name, visible=True)
    text = read(path, reading)
    _no_weak(text)
    unit, file = unit_of(parsed(text, alone=True), reading)
    kind = file.names[reading.entry]
    assert isinstance(kind, Type)
    where = file.procedures[reading.entry].origin.span
    for own in (*(kind.parameters or ()), *(() if isinstance(kind.result, Void) else (kind.result,))):
        if not isinstance(own, Int | Pointer):
            message = f"`{reading.entry}` takes or returns what is no integer and no pointer"
            hint = "when functions are compared alone, their parameters and results are integers and pointers"
            raise InputError((error("SA718", message, where, hint),))
    return _Read(name, text, file, unit, kind)


def _apart(found: Sequence[_Pair]) -> None:
    """Raises InputError where a plain variable is volatile elsewhere, or accessed atomically by another type."""
    functions = [f for pair in found for f in pair.functions]
    volatile = frozenset[Key]().union(*(f.things.others for f in functions))
    recast = frozenset[Key]().union(*(f.things.recast for f in functions))
    for function in functions:
        for name, path in sorted(function.used.keys() & (volatile | recast)):
            message = f"`{name}{path}` is a plain variable in one place, and volatile in another"
            hint = "a volatile access counts as a call: make all of them volatile, or none, in both files"
            if (name, path) in recast:
                message = f"`{name}{path}` is accessed atomically by another type than its own"
                hint = "access it by its own type"
            where = next(o.origin.span for o in function.unit.objects if o.name == name)
            raise InputError((error("SA718", message, where, hint),))


def _visible(pair: _Pair) -> frozenset[str]:
    """The objects of which others may see something."""
    return frozenset(n for f in pair.functions for n in (*(name for name, _ in f.used), *f.things.objects))


def _declared_alike(pair: _Pair) -> None:
    """Raises InputError where what is visible has other types in the other file: objects by cells, calls by types."""
    (one, two), (first, second) = pair.read, pair.functions
    visible = _visible(pair)
    objects = {o.name: o for o in first.unit.objects}
    for obj in second.unit.objects:
        other = objects.get(obj.name)
        if obj.name in visible and other is not None and _shape(obj) != _shape(other):
            raise _other_type(obj.name, obj.origin.span)
    for name, kind in two.file.names.items():
        known = one.file.names.get(name)
        if not isinstance(kind, Type) or not isinstance(known, Type) or name in {*one.file.bodies, *two.file.bodies}:
            continue
        if _numbers(kind) != _numbers(known):
            raise _other_type(name, two.unit.procedures[two.name].origin.span)


def _numbers(kind: Type) -> tuple[Int | None, tuple[Int | None, ...] | None]:
    """What is an integer of what a function takes and returns: what is visible of its calls."""
    result, *given = (k if isinstance(k, Int) else None for k in (kind.result, *(kind.parameters or ())))
    return result, None if kind.parameters is None else tuple(given)


def _shape(obj: Object) -> list[tuple[str, str, Range]]:
    return [(c.path, c.key, c.range) for c in obj.cells]


def _other_type(name: str, where: Span | None) -> InputError:
    message = f"`{name}` has another type in the other file"
    return InputError((error("SA405", message, where, "declare it alike in both files"),))


_WEAK = re.compile(r"__attribute__\s*\(\([^;{]*?\b_*(?:weak|weakref|alias|ifunc)_*\b|^\s*#\s*pragma\s+weak\b", re.M)


def _no_weak(text: Text) -> None:
    """Raises InputError for definitions that others of other files replace."""
    if _WEAK.search(text.text) is None:
        return
    found = _WEAK.search(text.source.text)
    where = Span(text.source, *((0, 0) if found is None else found.span()))
    message = "a weak definition is not supported when functions are compared alone: another one may replace it"
    raise InputError((error("SA718", message, where, "leave out the attribute if there is no other one"),))


def _no_new_overlap(one: _Read, two: _Read, name: str) -> None:
    """Raises InputError where only the second file copies blocks of which it is not known whether they overlap."""
    if OVERLAP in two.file.granted and OVERLAP not in one.file.granted:
        message = "that blocks which `memcpy` copies do not overlap is not known here, and only this file copies any"
        where = two.unit.procedures[name].origin.span
        raise InputError((error("SA718", message, where, "use `memmove`, or name the objects"),))


_RESTRICT = re.compile(r"\b(?:__)?restrict(?:__)?\b")


def _no_restrict(text: Text) -> None:
    """Raises InputError for pointers that promise what is not looked at: a refutation could break the promise."""
    if (found := _RESTRICT.search(text.source.text)) is not None:
        message = "`restrict` is not accepted where pointers are followed that were given"
        hint = "leave it out: what is then proved holds with it, too"
        raise InputError((error("SA718", message, Span(text.source, *found.span()), hint),))


def _loaded(program: Program, found: _Read, reading: Reading, mixed: frozenset[Key]) -> Loaded:
    sources = tuple(dict.fromkeys((found.text.source, *found.text.sources.values())))
    known = said(replace(reading, visible=False), found.file, found.unit)
    created_ = tuple(map(created, found.file.created)) if reading.function is not None else ()
    return Loaded(
        program,
        tuple(found.file.problems),
        sources,
        said=Said((used_in_one_way(mixed), *ASSUMED, *known.assumptions), (*known.not_checked, *created_)),
    )
