"""`sacheck certify`: whether a certificate proves what it says, judged without the engine that wrote it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from sa.base.limits import Limits
from sa.cli.options import Common, SeedOption, Settings, watching_of
from sa.cli.output import screen, write, write_json
from sa.cli.record import with_options
from sa.cli.session import decide

if TYPE_CHECKING:
    from sa.app.certify import Judgement


class SolverName(Enum):
    """The solvers by their names."""

    z3 = "z3"
    cvc5 = "cvc5"
    both = "both"


@with_options(Common)
def certify(
    given: Common,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A certificate, as --certificate writes it.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="DIR", help="The folder of the sources; that of the certificate if not given."
        ),
    ] = None,
    solver: Annotated[
        SolverName, typer.Option("--solver", help="The solver that discharges the obligations.")
    ] = SolverName.z3,
    export: Annotated[
        str | None,
        typer.Option("--export", metavar="DIR", help="Write all obligations to a new folder, as SMT-LIB 2 files."),
    ] = None,
    seed: SeedOption = 0,
) -> None:
    """Check a certificate against its sources, without the engine that wrote it.

    Exit status: 0 accepted, 1 rejected, 2 wrong input, 3 not settled, 4 internal error.
    """
    settings = given.settings()

    def body(bounds: Limits) -> int:
        from sa.app.certify import CertifyRequest, Choice, exported
        from sa.app.certify import certify as judge
        from sa.app.replace_file import write_folder
        from sa.cli.watching import watched

        with watched(watching_of(settings, None, False), lambda: "checking the evidence"):
            made = judge(CertifyRequest(file, source, Choice(solver.value), export is not None, bounds, seed))
        if export is not None:
            write_folder(export, exported(made))
        return _end(made, file, settings)

    decide(settings, file, body)


def _end(made: Judgement, file: str, settings: Settings) -> int:
    from sa.app.certify import status_of

    status = status_of(made)
    if settings.json:
        from sa.report.certify_json import judgement_json

        write_json(judgement_json(made, status))
    else:
        from sa.report.certify import judgement_document
        from sa.report.terminal import show_document

        write(show_document(judgement_document(made, file), screen(), settings.quiet))
    return status
