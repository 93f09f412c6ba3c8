"""The loader of `.c` and `.i` files."""

from __future__ import annotations

from msgspec.structs import replace

from sa.base.diagnostic import InputError, error
from sa.frontends.c.body import File
from sa.frontends.c.read import read
from sa.frontends.c.translate import unit_of
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.lives import FREED_TWICE, FREED_WRONGLY, LOST, USED_DEAD, USED_FREED
from sa.frontends.flow.program import program_of
from sa.frontends.reading import NO_BOUNDS, NO_OVERFLOW, USUAL, Reading
from sa.language.load import Loaded, LoadedScript
from sa.language.reading.grammar import keywords

#: What may go wrong where memory is accessed, and where it is freed, as SV-COMP divides it.
DEREFERENCES = frozenset({"pointer", "index", USED_FREED, USED_DEAD})
FREES = frozenset({FREED_TWICE, FREED_WRONGLY})

#: Where pointers to parts of objects are moved.
PARTS = "where no pointer into a part of an object is followed outside of this part"


def load_program(path: str, split: bool = False) -> Loaded:
    """The program of a file of C; each access is a step of its own anyway. Raises InputError with all errors."""
    return load_with(path, USUAL)


def load_script(path: str, split: bool = False) -> LoadedScript:
    """There are no proof scripts in C. Raises InputError."""
    raise InputError((error("SA601", f"`{path}` is a program in C, not a proof script"),))


def load(path: str, split: bool = False) -> Loaded | LoadedScript:
    """The program of a file of C. Raises InputError."""
    return load_program(path, split)


def load_with(path: str, reading: Reading) -> Loaded:
    """The same with options. Raises InputError."""
    text, reading = read(path, reading), _meant(reading)
    unit, file = unit_of(text, reading)
    program = program_of(unit, text.source, keywords(), asked(reading))
    sources = tuple(dict.fromkeys((text.source, *text.sources.values())))
    return Loaded(program, tuple(file.problems), sources, assumed=assumptions(reading, file))


def _meant(reading: Reading) -> Reading:
    """A reading that asks for one property alone is read as one that asks for it among others."""
    races = reading.races or reading.only == "no-data-race"
    return replace(reading, races=races, deadlock=reading.deadlock or reading.only == "no-deadlock")


def assumptions(reading: Reading, file: File) -> tuple[str, ...]:
    """What a claim about the program of a file takes for granted."""
    overflow = {
        "assume": (NO_BOUNDS if reading.visible and reading.function is None else NO_OVERFLOW,),
        "check": (),
        "wrap": ("signed arithmetic wraps around",),
    }
    ends = (
        "what goes wrong is a visible end on both sides",
        "other threads may go on after the process has ended, on both sides",
    )
    # A wait that may end by itself never blocks for ever. In what order waits end is the implementation's choice.
    waits = ("where waits for a condition end by signals only, in their order",) if reading.deadlock else ()
    # In C neighbouring bit fields are one memory location: a store to one of them may undo a store to another.
    fields = (
        ("where threads write no neighbouring bit fields at once",) if file.bit_fields and not reading.races else ()
    )
    sizes = (f"where memory of a size that is not constant has at most {file.sized} scalars",) if file.sized else ()
    # Equal literals may be one object, memory may be given out again, and an address may be any number.
    own = (
        ("where each object has an address of its own, a small positive number that nothing else is",)
        if file.addresses
        else ()
    )
    # Which of two objects comes first is not for C to say (C11 6.5.8).
    order = ("where objects and functions lie in memory as they are first mentioned",) if file.placed else ()
    # C counts an array within an object, and each of its scalars, for itself (C11 6.5.6); here the object is one.
    parts = (PARTS,) if file.parts and file.moves else ()
    told = (*file.granted, *parts, *waits, *fields, *sizes, *own, *order, *(ends if reading.visible else ()))
    return ("sequentially consistent", *overflow[reading.overflow], "with one order of evaluation", *told)


def asked(reading: Reading) -> Asked:
    """The claims that a reading asks for."""
    match reading.only:
        case None:
            return Asked(None, reading.races, reading.deadlock)
        case "unreach-call":
            return Asked(frozenset({"assertion", "reached"}), False, False)
        case "valid-memsafety":
            return Asked(DEREFERENCES | FREES | {LOST}, False, False)
        case "valid-deref":
            return Asked(DEREFERENCES, False, False)
        case "valid-free":
            return Asked(FREES, False, False)
        case "valid-memtrack":
            return Asked(frozenset({LOST}), False, False)
        case "no-overflow":
            return Asked(frozenset({"overflow"}), False, False)
        case "no-data-race":
            return Asked(frozenset(), True, False)
        case _:
            return Asked(frozenset(), False, True)
