"""`sacheck simulate`: runs of a program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from sa.base.limits import Limits
from sa.base.verdict import EXIT_STATUS, Verdict
from sa.cli.options import Common, Settings, SplitOption, watching_of
from sa.cli.output import screen, write, write_json
from sa.cli.record import with_options
from sa.cli.session import run, work

if TYPE_CHECKING:
    from sa.app.simulate import SimulateRequest
    from sa.base.verdict import Unknown

_STEPS = 50
#: Status of a run that ends in a failure.
_FAILED = 1


@with_options(Common)
def simulate(
    given: Common,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The program.")],
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed of the random choice of threads and values.  [default: 0]"),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(metavar="N", min=0, help=f"The greatest number of steps.  [default: {_STEPS}]")
    ] = None,
    script: Annotated[
        str | None,
        typer.Option(
            metavar="STEPS",
            help="The steps to take, as in `T1,T2,T2:1`: a thread, and which of its steps, counted from 0.",
        ),
    ] = None,
    interactive: Annotated[bool, typer.Option("--interactive", "-i", help="Choose every step yourself.")] = False,
    split: SplitOption = False,
) -> None:
    """Run a program: seeded, scripted or step by step.

    Exit status: 0, or 1 if the run ends in a failure (a false assertion, say); 2 wrong input; 3 no run found.
    """
    if script is not None and (seed is not None or steps is not None or interactive):
        raise typer.BadParameter("--script goes with none of --seed, --steps, --interactive")
    if interactive and (given.json or steps is not None):
        raise typer.BadParameter("--interactive goes with neither --json nor --steps")
    settings = given.settings()
    if interactive:
        run(settings, lambda: _step_by_step(file, split, seed or 0, settings))
    parsed = None if script is None else tuple(_entry(part) for part in script.split(",") if part.strip())

    def body(bounds: Limits) -> int:
        from sa.app.simulate import SimulateRequest

        request = SimulateRequest(file, split, seed or 0, _STEPS if steps is None else steps, parsed)
        return _simulate(request, settings)

    work(settings, body)


def _entry(text: str) -> tuple[str, int]:
    thread, _, number = text.strip().partition(":")
    if number and not number.isdecimal():
        raise typer.BadParameter(f"`{text.strip()}` is not a step; write `T1` or `T1:2`", param_hint="--script")
    return thread, int(number or 0)


def _simulate(request: SimulateRequest, settings: Settings) -> int:
    from sa.app.simulate import failed
    from sa.app.simulate import simulate as make_run
    from sa.base.verdict import Unknown
    from sa.cli.watching import watched

    with watched(watching_of(settings, None, False), lambda: "running"):
        made = make_run(request)
    if isinstance(made.run, Unknown):
        return _no_run(made.run, settings)
    if settings.json:
        from sa.report.run_json import run_json

        write_json(run_json(made.run, made.program))
    else:
        from sa.report.run import show_ending, show_run

        if settings.quiet:
            write(show_ending(made.run.ending, len(made.run.turns), screen()))
        else:
            write(show_run(made.run, made.program, screen()))
    return _FAILED if failed(made.run.ending) else 0


def _step_by_step(file: str, split: bool, seed: int, settings: Settings) -> int:
    from sa.app.simulate import begin, failed, next_turns
    from sa.base.verdict import Unknown
    from sa.report.run import show_choices, show_ending, show_start, show_turn

    program, start = begin(file, split, seed)
    if isinstance(start, Unknown):
        return _no_run(start, settings)
    write(show_start(start, program, screen()))
    here, last, number = start, None, 0
    while isinstance(turns := next_turns(program, here, last), tuple):
        write(show_choices(turns, here, program, screen()))
        picked = _picked(len(turns))
        if picked is None:
            return 0
        last, number = turns[picked - 1], number + 1
        write(show_turn(number, last, here, program, screen()))
        here = last.after
    write(show_ending(turns, number, screen()))
    return _FAILED if failed(turns) else 0


def _picked(count: int) -> int | None:
    """The number, from 1, that the user types; None at the end of the input or on `q`."""
    while True:
        write("step? (q ends) ")
        answer = sys.stdin.readline()
        if not answer or answer.strip() == "q":
            write("\n")
            return None
        if answer.strip().isdecimal() and 1 <= int(answer) <= count:
            return int(answer)
        write(f"a number from 1 to {count}, please\n")


def _no_run(unknown: Unknown, settings: Settings) -> int:
    if settings.json:
        from sa.report.json import stopped_json

        write_json(stopped_json(unknown))
    else:
        write(f"UNKNOWN: {unknown.reason.value}: {unknown.detail}\n", sys.stderr)
    return EXIT_STATUS[Verdict.UNKNOWN]
