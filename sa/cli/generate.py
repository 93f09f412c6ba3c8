"""`sacheck generate`: invariants and environments of plain threads."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from sa.base.limits import Limits
from sa.base.verdict import EXIT_STATUS, Unknown, Verdict
from sa.cli.options import Common, Settings, SplitOption, watching_of
from sa.cli.output import write, write_json
from sa.cli.record import with_options
from sa.cli.session import complain, work


class Visible(str, Enum):  # noqa: UP042 -- typer shows the values of a str enumeration
    """What invariants of a thread may speak of."""

    shared = "shared"
    locations = "locations"
    locals = "locals"


@with_options(Common)
def generate(
    given: Common,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The program.")],
    visible: Annotated[
        Visible, typer.Option("--visible", help="What threads know of each other, by ghost variables.")
    ] = Visible.shared,
    closure: Annotated[
        bool,
        typer.Option(
            "--closure/--exact", help="Environments: a short transitive formula, or every step of the other threads."
        ),
    ] = True,
    split: SplitOption = False,
) -> None:
    """Infer invariants and environments, check them, and print the program with them.

    Exit status: 0; 2 wrong input; 3 stopped by a limit, or the solver could not check what was inferred.
    """
    settings = given.settings()
    work(settings, lambda bounds: _generate(file, visible, closure, split, settings, bounds))


def _generate(file: str, visible: Visible, closure: bool, split: bool, settings: Settings, bounds: Limits) -> int:
    from sa.app.generate import VISIBLE, infer
    from sa.cli.watching import watched

    with watched(watching_of(settings, None, False), lambda: "inferring environments"):
        found = infer(file, VISIBLE[visible.value], closure, split, bounds)
    if isinstance(found, Unknown):
        if settings.json:
            from sa.report.json import stopped_json

            write_json(stopped_json(found))
        else:
            import sys

            write(f"UNKNOWN: {found.reason.value}: {found.detail}\n", sys.stderr)
        return EXIT_STATUS[Verdict.UNKNOWN]
    if settings.json:
        from sa.report.automaton_json import generated_json

        write_json(generated_json(found.program.threads, found.text, found.diagnostics))
        return 0
    if not settings.quiet:
        complain(found.diagnostics)
    write(found.text)
    return 0
