"""The options that several commands share, and what they amount to."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from msgspec import Struct

from sa.base.limits import Limits, limits

if TYPE_CHECKING:
    from sa.app.outputs import Output

#: What a command takes at most where nothing is said of it, in bytes.
_MOST_MEMORY = 4096 * 2**20

#: Seconds for each of many questions where nothing is said of it.
SECONDS = 60.0


def _positive(value: float | None) -> float | None:
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter("must be more than 0")
    return value


JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")]
WhyOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--why",
        "-v",
        help="Show details: what was tried where the answer is UNKNOWN, and all warnings about the files.",
    ),
]
QuietOption: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show only the answer and errors.")]
TimeoutOption: TypeAlias = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", callback=_positive, help="Stop after this time; the answer is then UNKNOWN."),
]
EachOption: TypeAlias = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", min=0.1, help="Stop a question after this time; its answer is UNKNOWN."),
]
QuestionsOption: TypeAlias = Annotated[
    int, typer.Option("--jobs", "-j", metavar="N", min=1, max=256, help="The number of questions asked at once.")
]
OpenOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--open",
        help="Add an environment that does, at any time, what all declared relies allow; other threads must keep to "
        "what a thread relies on.",
    ),
]
MemoryOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="MB",
        min=1,
        help="Stop when more memory is used; the answer is then UNKNOWN. Without it: half of what the machine has, "
        "at most 4096.",
    ),
]
SeedOption: TypeAlias = Annotated[int, typer.Option(metavar="N", min=0, max=2**31 - 1, help="Seed of random choices.")]


AbstractArgument: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="ABSTRACT", help="What the threads should do; or, alone, a file of refinement blocks."),
]
ConcreteArgument: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="CONCRETE", help="What the threads do.", show_default=False)
]
FurtherArgument: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FURTHER]...", help="With --chain: further programs, each of which refines the one before."
    ),
]
WholeOption: TypeAlias = Annotated[
    bool, typer.Option("--whole", help="Compare the two whole programs at once, not thread by thread.")
]


class Preserve(str, Enum):  # noqa: UP042 -- typer shows the values of a str enumeration
    """What is compared beside visible actions."""

    termination = "termination"
    progress = "progress"


PreserveOption: TypeAlias = Annotated[
    Preserve | None,
    typer.Option("--preserve", help="Compare, too, whether runs end, or whether somebody can always go on."),
]
WeakestRelyOption: TypeAlias = Annotated[
    bool, typer.Option("--weakest-rely", help="Find the weakest environments in which threads without relies refine.")
]

SplitOption: TypeAlias = Annotated[
    bool,
    typer.Option("--split", help="Split steps that access several shared locations into steps that access one each."),
]


CacheOption: TypeAlias = Annotated[
    bool, typer.Option("--cache/--no-cache", help="Use evidence of an earlier run that the checker still accepts.")
]
CertificateOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--certificate", metavar="FILE", help="Write the evidence to a file, for `sacheck certify`."),
]


EngineOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME[:PARAMETER=VALUE]",
        help="Ask only these techniques, with these parameters; `sacheck engines` lists them. Several are separated by "
        "commas.",
    ),
]
_BOUNDS = "For bounded model checking, the technique `bmc`"

RoundsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--rounds", metavar="K", min=1, help="Look at runs of at most K rounds of all threads.", rich_help_panel=_BOUNDS
    ),
]
UnwindOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--unwind",
        metavar="U",
        min=0,
        help="Look at runs in which each loop is repeated at most U times.",
        rich_help_panel=_BOUNDS,
    ),
]
ScheduleOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--schedule",
        metavar="ROUND:ROUND:…",
        help="Which threads have a turn in each round, as in `A,B:B@12-14:*`; a turn may have to end before certain "
        "lines.",
        rich_help_panel=_BOUNDS,
    ),
]
ExportOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--export",
        metavar="FILE",
        help="Write the question of --rounds and --unwind instead of an answer: as a sequential C program if the name "
        "ends in .c, as SMT-LIB 2 otherwise.",
        rich_help_panel=_BOUNDS,
    ),
]
TraceOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--trace", metavar="FILE", help="Write the progress of the engines to a file, as lines of JSON."),
]
ProfileOption: TypeAlias = Annotated[
    bool, typer.Option("--profile", help="Print at the end how much time the engines, the solver and the checker took.")
]


def engines_of(names: str | None) -> tuple[str, ...]:
    """The engines that `--engine` lists."""
    if names is None:
        return ()
    from sa.engines.technique import wanted

    return wanted(names)


ReportOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="Write the answer with all evidence to a page of HTML."),
]
SarifOption: TypeAlias = Annotated[
    str | None, typer.Option("--sarif", metavar="FILE", help="Write the answer to a file as SARIF, for code scanning.")
]
JunitOption: TypeAlias = Annotated[
    str | None, typer.Option("--junit", metavar="FILE", help="Write the answer to a file as JUnit XML, for CI.")
]


class Watching(Struct, frozen=True):
    """What a user wants to see of the work: a file for events, progress on a terminal, a profile at the end."""

    trace: str | None = None
    progress: bool = False
    profile: bool = False


def watching_of(settings: Settings, trace: str | None, profile: bool) -> Watching:
    """What is shown: progress on terminals only, and not where only the answer is wanted."""
    shown = sys.stderr.isatty() and not (settings.json or settings.quiet) and os.environ.get("TERM") != "dumb"
    return Watching(trace, shown, profile)


class Files(Struct, frozen=True):
    """Files to write the answer to, as a page and for other tools; `subject` names what is asked about.

    `others` are the files that a command writes beside them, by option; `inputs` are the paths that it is given.
    """

    sarif: str | None = None
    junit: str | None = None
    subject: str = ""
    report: str | None = None
    inputs: tuple[str, ...] = ()
    others: Mapping[str, str | None] = MappingProxyType({})

    @property
    def any(self) -> bool:
        """Whether there is a file to write the answer to."""
        return any(name is not None for name in (self.sarif, self.junit, self.report))

    @property
    def outputs(self) -> tuple[Output, ...]:
        """All files to write."""
        named = {"--sarif": self.sarif, "--junit": self.junit, "--report": self.report, **self.others}
        if all(path is None for path in named.values()):
            return ()
        from sa.app.outputs import Output

        return tuple(Output(option, path) for option, path in named.items() if path is not None)


class Settings(Struct, frozen=True):
    """What every command accepts. `timeout` in seconds, `memory` in MB; `why` asks for details."""

    json: bool
    quiet: bool
    timeout: float | None
    memory: int | None
    files: Files = Files()
    why: bool = False


class Limited(Struct, frozen=True):
    """The options of every command that takes long: what it may use, and how much it says."""

    quiet: QuietOption = False
    timeout: TimeoutOption = None
    memory: MemoryOption = None


class Common(Limited, frozen=True):
    """The options of every command that reads files."""

    json: JsonOption = False

    def settings(self, files: Files | None = None, why: bool = False) -> Settings:
        """What they amount to, with the files to write."""
        return Settings(self.json, self.quiet, self.timeout, self.memory, files or Files(), why)


class Answering(Common, frozen=True):
    """The options of the commands with a verdict: where the answer goes, and whether an earlier one counts."""

    report: ReportOption = None
    sarif: SarifOption = None
    junit: JunitOption = None
    cache: CacheOption = True
    why: WhyOption = False

    def settings_of(self, paths: tuple[str, ...], others: Mapping[str, str | None] = MappingProxyType({})) -> Settings:
        """What they amount to for files that are read; `others` are further files to write, by option."""
        return self.settings(Files(self.sarif, self.junit, paths[-1], self.report, paths, others), self.why)


class Asking(Answering, frozen=True):
    """The same with how files are read and answers found, and with evidence to keep."""

    split: SplitOption = False
    certificate: CertificateOption = None
    seed: SeedOption = 0

    def settings_of(self, paths: tuple[str, ...], others: Mapping[str, str | None] = MappingProxyType({})) -> Settings:
        """What they amount to for files that are read; `others` are further files to write, by option."""
        return super().settings_of(paths, {"--certificate": self.certificate, **others})


class Many(Common, frozen=True):
    """The options of commands that ask many questions, each in a process with limits of its own."""

    timeout: EachOption = SECONDS
    jobs: QuestionsOption = 1
    sarif: SarifOption = None
    junit: JunitOption = None

    def settings_of_all(self, others: Mapping[str, str | None] = MappingProxyType({})) -> Settings:
        """What they amount to for the command as a whole, which may take as long as it takes."""
        return Settings(self.json, self.quiet, None, None, Files(self.sarif, self.junit, others=others))

    @property
    def of_each(self) -> tuple[str, ...]:
        """The limits of each question, as options."""
        limited = {"--timeout": self.timeout, "--memory": self.memory}
        return tuple(text for name, value in limited.items() if value is not None for text in (name, str(value)))


def limits_of(settings: Settings, spent: float = 0.0) -> Limits:
    """The limits that the engine watches, when so many seconds are spent already."""
    timeout = None if settings.timeout is None else settings.timeout - spent
    return limits(timeout, memory_of(settings))


def memory_of(settings: Settings) -> int | None:
    """The limit on memory in bytes: what is asked for, or half of what the machine has, where it tells."""
    if settings.memory is not None:
        return settings.memory * 2**20
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    return min(machine // 2, _MOST_MEMORY) if machine > 0 else None


ReductionOption = Annotated[
    bool,
    typer.Option("--no-reduction", help="Do not join steps that commute with those of other threads to blocks."),
]
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain", help="Show how steps were joined to blocks: locks held, how steps move, why blocks are cut."
    ),
]

JobsOption = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", min=1, max=64, help="The number of processes that work at once."),
]

InferOption = Annotated[
    bool,
    typer.Option("--infer-relate", help="Where the relation fails or is not enough, infer another one and use it."),
]


def check_inferring(infer: bool, certificate: str | None) -> None:
    """That a certificate is not asked for of a question that no file asks. Raises typer.BadParameter."""
    if infer and certificate is not None:
        message = "a certificate is about what the files say, and they do not have the inferred relation"
        raise typer.BadParameter(f"{message}: write the proposed block into a file and name that file")


ChainOption: TypeAlias = Annotated[
    bool,
    typer.Option("--chain", help="Prove that each of three or more programs refines the one before."),
]
ScriptOption: TypeAlias = Annotated[
    str | None, typer.Option("--script", metavar="FILE", help="With --chain: write the proof script to a file.")
]


def check_chained(chain: bool, files: int, script: str | None, others: Mapping[str, object]) -> None:
    """That more than two files, and a script, are there for a chain only, and no options that it has no use for.

    Raises typer.BadParameter.
    """
    if files > 2 and not chain:
        raise typer.BadParameter("more than two files are a chain: say so with `--chain`")
    if script is not None and not chain:
        raise typer.BadParameter("`--script` is for `--chain`")
    unfit = next((name for name, given in others.items() if given), None)
    if chain and unfit is not None:
        raise typer.BadParameter(f"`--chain` and `--{unfit}` exclude each other")


def check_preserving(kept: Preserve | None, others: Mapping[str, bool]) -> None:
    """That `--preserve` has no options that do not know it. Raises typer.BadParameter."""
    unfit = next((name for name, given in others.items() if given and name != "weakest-rely"), None)
    if kept is not None and unfit is not None:
        raise typer.BadParameter(f"`--preserve` and `--{unfit}` exclude each other")
    if kept is Preserve.progress and others["weakest-rely"]:
        raise typer.BadParameter("`--weakest-rely` knows `--preserve termination` only")
