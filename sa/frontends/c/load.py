"""The loader of `.c` and `.i` files."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.diagnostic import InputError, error
from sa.frontends.c.assumptions import said
from sa.frontends.c.body import File
from sa.frontends.c.caveats import ENDS, SEQUENTIAL
from sa.frontends.c.parsing import Parsed, parsed
from sa.frontends.c.read import read
from sa.frontends.c.translate import unit_of
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.graph import KEPT, Unit
from sa.frontends.flow.lives import FREED_TWICE, FREED_WRONGLY, LOST, USED_DEAD, USED_FREED
from sa.frontends.flow.open_functions import open_functions
from sa.frontends.flow.program import program_of, race_program
from sa.frontends.reading import USUAL, Reading, is_overflow_left_out
from sa.language.loaded import Loaded, LoadedScript
from sa.language.reading.keywords import keywords

#: What may go wrong where memory is accessed, and where it is freed, as SV-COMP divides it.
DEREFERENCES = frozenset({"pointer", "index", KEPT, USED_FREED, USED_DEAD})
FREES = frozenset({FREED_TWICE, FREED_WRONGLY})


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
    reading, tree = _meant(reading), parsed(read(path, reading), reading.function is not None)
    text = tree.text
    unit, file = unit_of(tree, reading)
    program = program_of(unit, text.source, keywords(), asked(reading))
    sources = tuple(dict.fromkeys((text.source, *text.sources.values())))

    def races() -> Program | None:
        """The same text, and nothing claimed but that there are no data races."""
        other = replace(reading, races=True, deadlock=False, only="no-data-race")
        return race_program(unit_of(tree, other)[0], text.source, keywords())

    return Loaded(
        program, tuple(file.problems), sources, said=said(reading, file, unit, bool(program.families)), races=races
    )


def load_open(paths: Sequence[str], reading: Reading) -> tuple[Loaded, ...]:
    """The function of each file that a reading names, as a thread among others that may do anything.

    Raises InputError.
    """
    assert reading.function is not None
    reading = replace(reading, entry=reading.function, function=None, visible=True)
    texts = [parsed(read(path, reading)) for path in paths]
    units = [unit_of(text, reading) for text in texts]
    programs = open_functions([u for u, _ in units], [t.text.source for t in texts], keywords())
    return tuple(
        _open(program, text, unit, file, reading)
        for program, text, (unit, file) in zip(programs, texts, units, strict=True)
    )


def _open(program: Program, text: Parsed, unit: Unit, file: File, reading: Reading) -> Loaded:
    known = said(reading, file, unit)
    # The end of the function is not that of the process.
    assumed = (SEQUENTIAL, *(c for c in known.assumptions if c is not ENDS[1]))
    sources = tuple(dict.fromkeys((text.text.source, *text.text.sources.values())))
    return Loaded(program, tuple(file.problems), sources, said=replace(known, assumptions=assumed))


def _meant(reading: Reading) -> Reading:
    """A reading that asks for one property alone is read as one that asks for it among others.

    A loop does not end because a number overflows in it: where that is neither claimed nor left to the user, numbers
    wrap around, as they do on machines.
    """
    if reading.only == "termination" and is_overflow_left_out(reading):
        reading = replace(reading, overflow="wrap")
    races = reading.races or reading.only == "no-data-race"
    return replace(reading, races=races, deadlock=reading.deadlock or reading.only in ("no-deadlock", "termination"))


def asked(reading: Reading) -> Asked:
    """The claims that a reading asks for."""
    match reading.only:
        case None:
            return Asked(None, reading.races, reading.deadlock, fused=not reading.lasting)
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
        case "termination":
            # No two steps are one: who waits in between would keep nobody waiting.
            kinds = frozenset({"overflow"} if reading.overflow == "check" else ())
            return Asked(kinds, False, True, fused=False, ends=True, fair=reading.fair)
        case "no-data-race":
            return Asked(frozenset(), True, False)
        case _:
            return Asked(frozenset(), False, True)
