"""The options that say how files of C are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Annotated, TypeAlias

import typer
from msgspec.structs import replace

from sa.cli.options import (
    Asking,
    Common,
    EngineOption,
    JobsOption,
    ProfileOption,
    Settings,
    TraceOption,
    Watching,
    watching_of,
)
from sa.frontends.reading import PROPERTIES, SHORT, USUAL, Reading, is_llvm

_PANEL = "For programs in C"


class Overflow(str, Enum):  # noqa: UP042 -- typer shows the values of a str enumeration
    """What signed overflow means."""

    assume = "assume"
    check = "check"
    wrap = "wrap"


class Plain(str, Enum):  # noqa: UP042 -- as above
    """How plain shared variables are compared."""

    always = "always"
    permissions = "permissions"


class Property(str, Enum):  # noqa: UP042 -- as above
    """One kind of claim alone."""

    unreach_call = "unreach-call"
    valid_memsafety = "valid-memsafety"
    valid_deref = "valid-deref"
    valid_free = "valid-free"
    valid_memtrack = "valid-memtrack"
    memory = "memory"
    no_data_race = "no-data-race"
    no_overflow = "no-overflow"
    no_deadlock = "no-deadlock"
    termination = "termination"


CompilerOption: TypeAlias = Annotated[
    str,
    typer.Option("--cc", metavar="COMPILER", help="The compiler that preprocesses the files.", rich_help_panel=_PANEL),
]
DefineOption: TypeAlias = Annotated[
    list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.", rich_help_panel=_PANEL)
]
IncludeOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("-I", metavar="FOLDER", help="Look for headers in this folder.", rich_help_panel=_PANEL),
]
EntryOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--entry", metavar="FUNCTION", help="The function that the program starts with.", rich_help_panel=_PANEL
    ),
]
OverflowOption: TypeAlias = Annotated[
    Overflow,
    typer.Option(
        "--overflow",
        help="Signed overflow: assume that there is none, check for it, or let numbers wrap around.",
        rich_help_panel=_PANEL,
    ),
]
HeapOption: TypeAlias = Annotated[
    int,
    typer.Option(
        "--heap",
        metavar="K",
        min=1,
        help="The number of objects that an allocation in a loop may make.",
        rich_help_panel=_PANEL,
    ),
]
FunctionOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--function",
        metavar="FUNCTION",
        help="Compare one function of each file alone, in any environment.",
        rich_help_panel=_PANEL,
    ),
]
PlainOption: TypeAlias = Annotated[
    Plain | None,
    typer.Option(
        "--plain",
        help="Compare plain shared variables after each step (the default), or by permissions.",
        rich_help_panel=_PANEL,
    ),
]
FiniteOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--finite-loops/--no-finite-loops",
        help="With `--function`: whether loops of the first function that only compute are taken to end (C11 6.8.5).",
        rich_help_panel=_PANEL,
    ),
]
RacesOption: TypeAlias = Annotated[
    bool, typer.Option("--races", help="Claim that there are no data races.", rich_help_panel=_PANEL)
]
DeadlockOption: TypeAlias = Annotated[
    bool, typer.Option("--deadlock", help="Claim that there is no deadlock.", rich_help_panel=_PANEL)
]
FairOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--fair",
        help="With `--property termination`: a thread that can always take a step takes one.",
        rich_help_panel=_PANEL,
    ),
]
PropertyOption: TypeAlias = Annotated[
    Property | None, typer.Option("--property", help="Decide only the claims of one property.", rich_help_panel=_PANEL)
]

assert {p.value for p in Property} == {*PROPERTIES, *SHORT}


def _arguments(define: list[str] | None, include: list[str] | None) -> tuple[str, ...]:
    """What the preprocessor is given."""
    return (*(f"D{d}" for d in define or ()), *(f"I{i}" for i in include or ()))


class Preprocessed(Common, frozen=True):
    """The options of the commands that read files, also in C, and decide nothing."""

    cc: CompilerOption = USUAL.compiler
    define: DefineOption = None
    include: IncludeOption = None

    @property
    def reading(self) -> Reading:
        """How files of C are read."""
        return Reading(self.cc, _arguments(self.define, self.include))


class Searching(Asking, frozen=True):
    """The options of the commands that search for an answer about programs, also in C."""

    engine: EngineOption = None
    jobs: JobsOption = 1
    trace: TraceOption = None
    profile: ProfileOption = False
    overflow: OverflowOption = Overflow.assume
    heap: HeapOption = USUAL.heap
    entry: EntryOption = USUAL.entry
    cc: CompilerOption = USUAL.compiler
    define: DefineOption = None
    include: IncludeOption = None

    @property
    def reading(self) -> Reading:
        """How files of C are read."""
        return Reading(self.cc, _arguments(self.define, self.include), self.entry, self.overflow.value, self.heap)

    def settings_of(self, paths: tuple[str, ...], others: Mapping[str, str | None] = MappingProxyType({})) -> Settings:
        """What they amount to, as for other questions."""
        return super().settings_of(paths, {"--trace": self.trace, **others})

    def watching(self, settings: Settings) -> Watching:
        """What is shown of the work."""
        return watching_of(settings, self.trace, self.profile)


def reading_to_compare(given: Searching, function: str | None, plain: Plain | None, finite: bool) -> Reading:
    """How files are read that are compared. Raises typer.BadParameter."""
    if function is not None and plain is Plain.always:
        raise typer.BadParameter("`--function` compares by permissions: it and `--plain always` exclude each other")
    way = USUAL.plain if plain is None else plain.value
    return replace(given.reading, function=function, plain=way, endless=not finite)


def reading_to_verify(
    given: Searching, races: bool, deadlock: bool, only: Property | None, open_: bool, fair: bool
) -> Reading:
    """How a file with claims is read. To look for overflows is to check for them. Raises typer.BadParameter."""
    if fair and only is not Property.termination:
        raise typer.BadParameter("`--fair` is about runs without end: it goes with `--property termination`")
    asked = None if only is None else SHORT.get(only.value, only.value)
    made = replace(given.reading, races=races, deadlock=deadlock, only=asked, open=open_, fair=fair)
    return replace(made, overflow="check") if only is Property.no_overflow else made


def check_reading(how: Reading, paths: Sequence[str], others: Mapping[str, bool]) -> None:
    """That options for C stand beside no option that has no use for them. Raises typer.BadParameter."""
    if any(map(is_llvm, paths)):
        for name, given in others.items():
            if given:
                raise typer.BadParameter(f"`--{name}` is not for LLVM IR")
        if how.endless:
            raise typer.BadParameter("which loops of LLVM IR end is said by `mustprogress`: no option is for that")
    if others["chain"] and how != USUAL:
        raise typer.BadParameter("the options for C are not for `--chain`")
    if how.function is None and how.plain == USUAL.plain:
        if how.endless:
            raise typer.BadParameter("`--no-finite-loops` goes with `--function` or `--plain permissions`")
        return
    asked = "--plain permissions" if how.function is None else "--function"
    for name, given in {**others, "entry": bool(how.function) and how.entry != USUAL.entry}.items():
        if given:
            raise typer.BadParameter(f"`{asked}` and `--{name}` exclude each other")
    if len(paths) != 2:
        raise typer.BadParameter(f"`{asked}` compares two files")
