"""The command line `sacheck`: the table of commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from sa import __version__
from sa.cli.certify import certify
from sa.cli.check import check
from sa.cli.engines import engines
from sa.cli.explain import explain
from sa.cli.fmt import fmt
from sa.cli.generate import generate
from sa.cli.init import init
from sa.cli.lsp import lsp
from sa.cli.output import cannot_write, prepare_streams, write
from sa.cli.prove import prove
from sa.cli.refine import refine
from sa.cli.session import WORKERS, internal_error
from sa.cli.show import show
from sa.cli.simulate import simulate
from sa.cli.test import ask_all
from sa.cli.verify import verify
from sa.cli.watch import watch

#: In the order in which the help lists them.
COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("refine", refine),
    ("verify", verify),
    ("prove", prove),
    ("certify", certify),
    ("check", check),
    ("test", ask_all),
    ("watch", watch),
    ("generate", generate),
    ("simulate", simulate),
    ("show", show),
    ("fmt", fmt),
    ("init", init),
    ("explain", explain),
    ("engines", engines),
    ("lsp", lsp),
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


def application() -> typer.Typer:
    """The command line application. Help is plain text: rich help would triple the time it takes."""
    # Integers are mathematical: what a program computes is written, however long it is.
    sys.set_int_max_str_digits(0)
    app = typer.Typer(
        name="sacheck",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(sacheck)
    for name, command in COMMANDS:
        app.command(name)(command)
    return app


def main() -> None:
    """Run the command line and leave with its exit status."""
    prepare_streams()
    WORKERS.set(True)
    try:
        application()(prog_name="sacheck")
    except OSError as problem:
        # Commands have their own way; this is their help, written by the library.
        cannot_write(problem)
    except Exception as bug:
        sys.exit(internal_error(bug))
