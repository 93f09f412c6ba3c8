"""Two files, of each of which one function is compared with the other."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Program, Refinement
from sa.base.diagnostic import InputError, error
from sa.frontends.c.body import File
from sa.frontends.c.load import assumptions
from sa.frontends.c.read import Text, read
from sa.frontends.c.translate import unit_of
from sa.frontends.c.types import Function as Type
from sa.frontends.c.types import Int, Pointer, Void
from sa.frontends.flow.alone import Function, compared, function_of
from sa.frontends.reading import Reading
from sa.language.load import Loaded
from sa.language.reading.grammar import keywords

#: What a claim about two functions says beside what holds of each file.
ASSUMED = (
    "of finite runs, in environments where no variable is accessed both atomically and plainly",
    "where the first function has no data races and is defined",
    "what the second one reads in a race is some value",
)


class _Read(Struct, frozen=True):
    text: Text
    file: File
    function: Function


def load_functions(paths: tuple[str, str], reading: Reading) -> tuple[Loaded, Loaded, Refinement]:
    """The function that `reading` names in an abstract and in a concrete file. Raises InputError."""
    assert reading.function is not None
    meant = replace(reading, entry=reading.function, visible=True)
    one, two = (_read(path, meant) for path in paths)
    if one.file.names[meant.entry] != two.file.names[meant.entry]:
        message = f"`{meant.entry}` has another type in the other file"
        raise InputError((error("SA405", message, two.file.procedures[meant.entry].origin.span),))
    ordered = {*one.file.ordered, *two.file.ordered}
    for found in (one, two):
        _apart(found.function, ordered)
    first, second, block = compared(one.function, two.function, keywords())
    return _loaded(first, one, meant), _loaded(second, two, meant), block


def _read(path: str, reading: Reading) -> _Read:
    text = read(path, reading)
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
    return _Read(text, file, function_of(unit, text.source))


def _apart(function: Function, ordered: Collection[tuple[str, int | None]]) -> None:
    """Raises InputError where a plain variable is accessed atomically, or as a volatile one, elsewhere."""
    objects = {o.name: o for o in function.unit.objects}
    for name, path in function.used:
        for distance in (None, [c.path for c in objects[name].cells].index(path)):
            if (name, distance) in ordered:
                message = f"`{name}{path}` is a plain variable in one place, and atomic or volatile in another"
                hint = "where a function is compared alone, each variable is one or the other in both files"
                raise InputError((error("SA718", message, objects[name].origin.span, hint),))


def _loaded(program: Program, found: _Read, reading: Reading) -> Loaded:
    sources = tuple(dict.fromkeys((found.text.source, *found.text.sources.values())))
    common = assumptions(replace(reading, visible=False), found.file.bit_fields, found.file.sized)
    assumed = (*ASSUMED, *(a for a in common if a != "sequentially consistent"))
    return Loaded(program, tuple(found.file.problems), sources, assumed=assumed)
