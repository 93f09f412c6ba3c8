"""`verify`: which program is meant, and the answers to what it claims of itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from sa.app.outputs import Output, refuse_loss
from sa.base.budget import Budget
from sa.base.clock import clock
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.limits import LimitReached
from sa.base.source import Source
from sa.base.verdict import Unknown
from sa.engines.verification import Verification, within_bounds
from sa.engines.verify import Options
from sa.engines.verify import verify as decide
from sa.frontends.load import load_program
from sa.frontends.reading import USUAL, Reading
from sa.language.loaded import Loaded
from sa.question.asked import Asked
from sa.question.claims import claims_of

if TYPE_CHECKING:
    from sa.automata.program import Program
    from sa.transform.reduce import Reduction


class VerifyRequest(Struct, frozen=True):
    """`split` splits steps that touch several shared locations, `reading` says how C is read.

    `outputs` are what is written with the answer: no file that is read. `explain` asks for the reduction as well.
    `main` is a thread that `options.portfolio` begins with.
    """

    path: str
    split: bool
    options: Options
    reading: Reading = USUAL
    outputs: tuple[Output, ...] = ()
    explain: bool = False
    main: str | None = None


class Answer(Struct, frozen=True):
    """An outcome, what was noticed about the file itself (`check` shows that at length), and all texts read.

    The `reduction` of the threads is there where it was asked for, and the time was enough.
    """

    outcome: Verification
    noticed: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]
    reduction: Reduction | None = None


def exported(request: VerifyRequest, as_c: bool, rounds: int, unwind: int) -> str:
    """The question within bounds in SMT-LIB 2, or as a sequential C program. Raises InputError and LimitReached."""
    from sa.bounded.export import c_program, formula

    loaded = load_program(request.path, request.split, reading=request.reading)
    refuse_loss(request.outputs, (s.name for s in loaded.sources))
    program = loaded.program
    bads = dict.fromkeys(b for c in claims_of(program) if c.threads == program.threads for b in c.bads)
    asked = Asked(program.threads, tuple(bads), program.axioms)
    if as_c:
        return c_program(asked, rounds, unwind)
    return formula(asked, rounds, unwind, Budget(request.options.bounds, request.options.seed))


def verify(request: VerifyRequest, tell: Callable[[Callable[[Unknown], Answer]], None] | None = None) -> Answer:
    """The answers to all claims of a file.

    A limit that is reached leaves what is open UNKNOWN. Raises InputError, and LimitReached while the file is read.
    `tell` is given a function that makes the answer so far, should the work be given up at any moment.
    """
    started = clock()
    loaded = load_program(request.path, request.split, families=True, reading=request.reading)
    refuse_loss(request.outputs, (s.name for s in loaded.sources))
    _refuse_unknown(request.main, loaded.program)
    seconds = clock() - started

    def answer(outcome: Verification) -> Answer:
        timed = replace(outcome, seconds={"load": seconds, **outcome.seconds}, said=loaded.said)
        return Answer(within_bounds(timed), loaded.warnings, loaded.sources)

    def told(so_far: Callable[[Unknown], Verification]) -> None:
        if tell is not None:
            tell(lambda why: answer(so_far(why)))

    outcome = decide(loaded.program, request.options, told)
    warnings = outcome.warnings
    if warnings and loaded.program.source.name.endswith((".c", ".i")):
        from sa.app.overflow import told_of_overflow

        with suppress(LimitReached, InputError):
            warnings = told_of_overflow(warnings, request.path, request.reading, request.options.bounds)
    made = answer(replace(outcome, warnings=warnings, beside=_races(request, loaded, outcome)))
    return replace(made, reduction=_reduction(request, loaded.program)) if request.explain else made


def _refuse_unknown(main: str | None, program: Program) -> None:
    """Raise InputError where a thread is named that is not there."""
    names = [t.name for t in program.threads]
    if main is not None and main not in names:
        hint = f"the threads are {', '.join(names)}" if names else "it has families of threads alone"
        raise InputError((error("SA914", f"there is no thread `{main}` for `--main`", None, hint),))


def _reduction(request: VerifyRequest, program: Program) -> Reduction | None:
    """How the threads of a program are reduced for what it claims."""
    from sa.engines.reduction import reduction_of

    bads = dict.fromkeys(b for c in claims_of(program) if c.threads == program.threads for b in c.bads)
    with suppress(LimitReached):
        asked = Asked(program.threads, tuple(bads), program.axioms)
        return reduction_of(asked, Budget(request.options.bounds, request.options.seed))
    return None


def _races(request: VerifyRequest, loaded: Loaded, outcome: Verification) -> Verification | None:
    """Data races that nobody asked for, in a program in C with several threads."""
    reading, program = request.reading, outcome.program
    alone = len(program.threads) < 2 and not program.families
    if loaded.races is None or reading.races or reading.only is not None or alone:
        return None
    from sa.app.short_look import race_found

    with suppress(LimitReached, InputError):
        return race_found(loaded.races, request.options)
    return None
