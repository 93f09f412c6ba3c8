"""The command line `sacheck`: the table of commands."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Annotated

import typer

from sa import __version__
from sa.cli.output import cannot_write, prepare_streams, write
from sa.cli.session import WORKERS, internal_error

#: Where each command is, in the order in which the help lists them.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "refine": "refine.refine",
        "verify": "verify.verify",
        "compile-check": "compile_check.compile_check",
        "batch": "batch.batch",
        "prove": "prove.prove",
        "certify": "certify.certify",
        "check": "check.check",
        "test": "test.ask_all",
        "watch": "watch.watch",
        "generate": "generate.generate",
        "simulate": "simulate.simulate",
        "show": "show.show",
        "fmt": "fmt.fmt",
        "init": "init.init",
        "explain": "explain.explain",
        "engines": "engines.engines",
        "lsp": "lsp.lsp",
    }
)


def _version(wanted: bool) -> None:
    if wanted:
        write(f"sacheck {__version__}\n")
        raise typer.Exit


def sacheck(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Prove or refute that concurrent threads refine other threads, over infinite data."""


def application(asked: str | None = None) -> typer.Typer:
    """The command line application; of one command only, where that is `asked` for: all take a tenth of a short run.

    Help is plain text: rich help would triple the time it takes.
    """
    # Integers are mathematical: what a program computes is written, however long it is.
    sys.set_int_max_str_digits(0)
    app = typer.Typer(
        name="sacheck",
        # Of no use to a command that is asked, and a shell asks without one.
        add_completion=asked not in COMMANDS,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(sacheck)
    for name in COMMANDS if asked is None or asked not in COMMANDS else (asked,):
        module, _, function = COMMANDS[name].partition(".")
        app.command(name)(getattr(import_module(f"sa.cli.{module}"), function))
    return app


def main() -> None:
    """Run the command line and leave with its exit status."""
    prepare_streams()
    WORKERS.set(True)
    try:
        application(sys.argv[1] if len(sys.argv) > 1 else None)(prog_name="sacheck")
    except OSError as problem:
        # Commands have their own way; this is their help, written by the library.
        cannot_write(problem)
    except Exception as bug:
        sys.exit(internal_error(bug))
