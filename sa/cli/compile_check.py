"""`sacheck compile-check`: is what the compiler makes of a file what the file says?"""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from sa.base.limits import Limits
from sa.cli import c_options, options
from sa.cli.record import with_options
from sa.cli.refine import ask
from sa.frontends.reading import Reading

if TYPE_CHECKING:
    from sa.app.refine import RefineRequest


@with_options(options.Answering)
def compile_check(
    given: options.Answering,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of C.")],
    flags: Annotated[
        list[str] | None, typer.Argument(metavar="[-- FLAGS]...", help="What the compiler is given both times.")
    ] = None,
    cc: Annotated[str, typer.Option("--cc", metavar="CLANG", help="The compiler: a clang.")] = "clang",
    before: Annotated[
        str, typer.Option("--before", metavar="LEVEL", help="What the first module is made with.")
    ] = "-O0",
    after: Annotated[str, typer.Option("--after", metavar="LEVEL", help="What the second one is made with.")] = "-O2",
    each_pass: Annotated[
        bool, typer.Option("--each-pass", help="Compare pass by pass what is not proved as a whole.")
    ] = False,
    function: c_options.FunctionOption = None,
) -> None:
    """Compile a file of C twice, and compare each function of the second module with that of the first one.

    Exit status: 0 proved, 1 refuted, 2 wrong input, 3 unknown or not accepted, 4 internal error.
    """
    settings = given.settings_of((file,))
    with TemporaryDirectory(prefix="sacheck-") as folder:

        def request(bounds: Limits) -> RefineRequest:
            from sa.app.cache import users_cache
            from sa.app.compile_check import Compilation, compile_both, paths_in
            from sa.app.refine import RefineRequest
            from sa.engines.options import Options

            asked = Compilation(file, cc, before, after, tuple(flags or ()))
            compile_both(folder, asked)
            found = Options(bounds, cache=users_cache() if given.cache else None)
            paths = paths_in(folder, asked)
            return RefineRequest(
                paths,
                False,
                found,
                reading=Reading(function=function),
                outputs=settings.files.outputs,
                passes=asked if each_pass else None,
            )

        ask((file,), request, None, settings, options.watching_of(settings, None, False))
