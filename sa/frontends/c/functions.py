"""Two files, of each of which one function is compared with the other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Program, Refinement
from sa.base.diagnostic import InputError, error
from sa.base.source import Span
from sa.frontends.c.body import File
from sa.frontends.c.load import assumptions
from sa.frontends.c.read import Text, read
from sa.frontends.c.translate import unit_of
from sa.frontends.c.types import Function as Type
from sa.frontends.c.types import Int, Pointer, Void, input_range
from sa.frontends.flow.alone import Function, compared, function_of
from sa.frontends.flow.graph import Object, Range
from sa.frontends.reading import USUAL, Reading
from sa.language.load import Loaded
from sa.language.reading.grammar import keywords

#: What a claim about two functions says beside what holds of each file.
ASSUMED = (
    "of finite runs, in environments where no variable is accessed both atomically and plainly",
    "where the first function has no data races and is defined",
    "what the second one reads in a race is some value",
)


class Compared(Struct, frozen=True):
    """The programs of a function of two files, and how they are related."""

    name: str
    abstract: Loaded
    concrete: Loaded
    block: Refinement


class _Read(Struct, frozen=True):
    name: str
    text: Text
    file: File
    function: Function


def load_functions(paths: tuple[str, str], reading: Reading) -> tuple[Compared, ...]:
    """The function that `reading` names in an abstract and in a concrete file, or what their threads run.

    Raises InputError.
    """
    if reading.function is not None:
        one, two = (_read(path, replace(reading, plain=USUAL.plain), reading.function) for path in paths)
        _apart((one, two))
        _begun_alike([(one, two)], True)
        for name in dict.fromkeys((*one.file.created, *two.file.created)):
            for each in (one, two):
                each.file.granted[f"where what `{name}` does, which a new thread runs, is not compared"] = None
        return (_compared(one, two, reading, False),)
    found, names = list[tuple[_Read, _Read]](), [reading.entry]
    for name in names:
        # Where the first thread leaves, the process goes on; where it returns, it ends.
        how = replace(reading, plain=USUAL.plain) if name == reading.entry else reading
        one, two = (_read(path, how, name) for path in paths)
        found.append((one, two))
        names += [n for n in dict.fromkeys((*one.file.created, *two.file.created)) if n not in names]
    _apart([r for pair in found for r in pair])
    _begun_alike(found, False)
    # What the first thread hands on has its first values there.
    used = {k: c for pair in found for r in pair for k, c in r.function.used.items()}
    main = tuple(replace(r, function=replace(r.function, used=used)) for r in found[0])
    found[0] = main[0], main[1]
    return tuple(_compared(a, c, reading, number == 0) for number, (a, c) in enumerate(found))


def _compared(one: _Read, two: _Read, reading: Reading, beginning: bool) -> Compared:
    if one.file.names[one.name] != two.file.names[two.name]:
        raise _other_type(two.name, two.file.procedures[two.name].origin.span)
    _declared_alike(one, two)
    first, second, block = compared(one.function, two.function, keywords(), beginning)
    return Compared(two.name, _loaded(first, one, reading), _loaded(second, two, reading), block)


def _begun_alike(found: Sequence[tuple[_Read, _Read]], only_known: bool) -> None:
    """Raises InputError where a variable of both files has different first values.

    `only_known`: only of variables that are used, and that both files give a value.
    """
    for one, two in found:
        names = {name for r in (one, two) for name, _ in (*r.function.used, *r.file.ordered)}
        for key, value in two.function.first.items():
            other = one.function.first.get(key, value)
            if only_known and (key[0] not in names or value is None or other is None):
                continue
            if other is not value:
                message = f"`{''.join(key)}` has another first value in the other file"
                origin = next(o.origin for o in two.function.unit.objects if o.name == key[0])
                hint = "variables begin with the same values in both files"
                raise InputError((error("SA718", message, origin.span, hint),))


def _read(path: str, reading: Reading, name: str) -> _Read:
    reading = replace(reading, entry=name, function=name, visible=True)
    text = read(path, reading)
    _no_weak(text)
    unit, file = unit_of(text, reading)
    kind = file.names[reading.entry]
    assert isinstance(kind, Type)
    where = file.procedures[reading.entry].origin.span
    for given in (*(kind.parameters or ()), *(() if isinstance(kind.result, Void) else (kind.result,))):
        if not isinstance(given, Int | Pointer):
            message = f"`{reading.entry}` takes or returns what is no integer and no pointer"
            hint = (
                "where a function is compared alone, its parameters and its result are integers, or pointers not used"
            )
            raise InputError((error("SA718", message, where, hint),))
    given = tuple(map(input_range, kind.parameters or ()))
    return _Read(name, text, file, function_of(unit, text.source, given))


def _apart(found: Sequence[_Read]) -> None:
    """Raises InputError where a plain variable is accessed atomically, or as a volatile one, elsewhere."""
    ordered = {place for r in found for place in r.file.ordered}
    for function in (r.function for r in found):
        objects = {o.name: o for o in function.unit.objects}
        for name, path in function.used:
            for distance in (None, [c.path for c in objects[name].cells].index(path)):
                if (name, distance) in ordered:
                    message = f"`{name}{path}` is a plain variable in one place, and atomic or volatile in another"
                    hint = "where a function is compared alone, each variable is one or the other in both files"
                    raise InputError((error("SA718", message, objects[name].origin.span, hint),))


def _declared_alike(one: _Read, two: _Read) -> None:
    """Raises InputError where what is visible has other types in the other file: objects by cells, calls by types."""
    ordered = {name for r in (one, two) for name, _ in r.file.ordered}
    objects = {o.name: o for o in one.function.unit.objects}
    for obj in two.function.unit.objects:
        other = objects.get(obj.name)
        if obj.name in ordered and other is not None and _shape(obj) != _shape(other):
            raise _other_type(obj.name, obj.origin.span)
    for name, kind in two.file.names.items():
        known = one.file.names.get(name)
        if not isinstance(kind, Type) or not isinstance(known, Type) or name in {*one.file.bodies, *two.file.bodies}:
            continue
        if _numbers(kind) != _numbers(known):
            raise _other_type(name, two.file.procedures[two.name].origin.span)


def _numbers(kind: Type) -> tuple[Int | None, tuple[Int | None, ...] | None]:
    """What is an integer of what a function takes and returns: what is visible of its calls."""
    result, *given = (k if isinstance(k, Int) else None for k in (kind.result, *(kind.parameters or ())))
    return result, None if kind.parameters is None else tuple(given)


def _shape(obj: Object) -> list[tuple[str, str, Range]]:
    return [(c.path, c.key, c.range) for c in obj.cells]


def _other_type(name: str, where: Span | None) -> InputError:
    return InputError(
        (error("SA405", f"`{name}` has another type in the other file", where, "declare it alike in both files"),)
    )


_WEAK = re.compile(r"__attribute__\s*\(\([^;{]*?\b_*(?:weak|weakref|alias|ifunc)_*\b|^\s*#\s*pragma\s+weak\b", re.M)


def _no_weak(text: Text) -> None:
    """Raises InputError for definitions that others of other files replace."""
    if _WEAK.search(text.text) is None:
        return
    found = _WEAK.search(text.source.text)
    where = Span(text.source, *((0, 0) if found is None else found.span()))
    message = "a weak definition is not accepted where a function is compared alone: another one may replace it"
    raise InputError((error("SA718", message, where, "leave out the attribute if there is no other one"),))


def _loaded(program: Program, found: _Read, reading: Reading) -> Loaded:
    sources = tuple(dict.fromkeys((found.text.source, *found.text.sources.values())))
    common = assumptions(replace(reading, visible=False), found.file)
    assumed = (*ASSUMED, *found.file.granted, *(a for a in common if a != "sequentially consistent"))
    return Loaded(program, tuple(found.file.problems), sources, assumed=assumed)
