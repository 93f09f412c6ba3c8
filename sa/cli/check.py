"""`sacheck check`: is a file well-formed, and does it say something?"""

from __future__ import annotations

from typing import Annotated

import typer

from sa.base.limits import Limits
from sa.base.verdict import EXIT_INPUT
from sa.cli import options
from sa.cli.c_options import Preprocessed
from sa.cli.options import Files, Settings
from sa.cli.output import write, write_json
from sa.cli.record import with_options
from sa.cli.session import complain, work
from sa.cli.written import write_facts
from sa.frontends.reading import Reading


@with_options(Preprocessed)
def check(
    given: Preprocessed,
    files: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, and folders with files.")],
    split: options.SplitOption = False,
    coverage: Annotated[
        bool,
        typer.Option(
            "--coverage", help="List the constructs that files in C use, whether they are accepted, and where they are."
        ),
    ] = False,
    sarif: options.SarifOption = None,
    junit: options.JunitOption = None,
) -> None:
    """Check files: syntax, names, types, vacuity, environments.

    Exit status: 0 nothing wrong (warnings allowed), 2 errors, 3 stopped by a limit.
    """
    settings = given.settings(Files(sarif, junit, " ".join(files), inputs=tuple(files)))
    if coverage:
        work(settings, lambda bounds: _covered(tuple(files), given.reading))
        return
    work(settings, lambda bounds: _check(tuple(files), split, given.reading, settings, bounds))


def _covered(files: tuple[str, ...], how: Reading) -> int:
    from sa.app.check import coverage_of
    from sa.report.coverage import Used, show_coverage

    status = 0
    for path, found in coverage_of(files, how):
        write(show_coverage(path, [Used(*construct) for construct in found]))
        status = EXIT_INPUT if not all(accepted for _, accepted, _ in found) else status
    return status


def _check(files: tuple[str, ...], split: bool, how: Reading, settings: Settings, bounds: Limits) -> int:
    from sa.app.check import check as examine
    from sa.app.check import has_errors
    from sa.cli.watching import watched

    with watched(options.watching_of(settings, None, False), lambda: "checking"):
        checked = examine(files, split, bounds, how)
    diagnostics = tuple(dict.fromkeys(d for file in checked for d in file.diagnostics))
    status = EXIT_INPUT if has_errors(checked) else 0
    if settings.json or settings.files.any:
        from sa.report.facts import facts_of
        from sa.report.json import diagnostics_json

        each = (diagnostics_json(file.diagnostics, EXIT_INPUT if has_errors((file,)) else 0) for file in checked)
        write_facts(settings, [facts_of(said, file.path) for said, file in zip(each, checked, strict=True)])
        if settings.json:
            write_json(diagnostics_json(diagnostics, status))
            return status
    complain(diagnostics)
    for file in checked:
        if file.content is not None and not settings.quiet:
            from sa.report.summary import show_summary

            write(show_summary(file.path, file.content))
    if len(checked) > 1 and not settings.quiet:
        from sa.report.summary import show_counts

        write(show_counts([file.diagnostics for file in checked]))
    return status
