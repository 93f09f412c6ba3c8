"""`sacheck fmt`: one layout for all files."""

from __future__ import annotations

from typing import Annotated

import typer
from msgspec.structs import replace

from sa.base.diagnostic import Diagnostic, InputError
from sa.base.verdict import EXIT_INPUT
from sa.cli.options import Common, Settings
from sa.cli.output import write, write_json
from sa.cli.record import with_options
from sa.cli.session import complain, run

#: Status of `--check` where a file would change.
_DIFFERS = 1


@with_options(Common)
def fmt(
    given: Common,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files to format in place.")],
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit with 1 if a file would change.")] = False,
) -> None:
    """Format files in place.

    Files with syntax errors are left as they are.

    Exit status: 0 done, 1 with --check if a file would change, 2 errors.
    """
    settings = given.settings()
    run(settings, lambda: _format(files, check, settings))


def _format(files: list[str], check: bool, settings: Settings) -> int:
    from sa.app.format import format_file

    changed = list[str]()
    errors = list[Diagnostic]()
    for path in files:
        try:
            formatted = format_file(path, write=not check)
        except InputError as wrong:
            errors.extend(wrong.diagnostics)
            continue
        if formatted.changed:
            changed.append(path)
            if not settings.quiet and not settings.json:
                write(f"{'would reformat' if check else 'reformatted'} {path}\n")
    status = EXIT_INPUT if errors else _DIFFERS if check and changed else 0
    if settings.json:
        from sa.report.json import diagnostics_json

        write_json(replace(diagnostics_json(errors, status), changed=changed, written=not check))
    elif errors:
        complain(errors)
    return status
