"""`sacheck show`: the automata of a file."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from sa.cli.c_options import Preprocessed
from sa.cli.options import Settings, SplitOption, watching_of
from sa.cli.output import screen, write, write_json
from sa.cli.record import with_options
from sa.cli.session import work
from sa.frontends.reading import Reading


class Format(str, Enum):  # noqa: UP042 -- typer shows the values of a str enumeration
    """How automata are drawn."""

    text = "text"
    dot = "dot"
    svg = "svg"
    sa = "sa"


@with_options(Preprocessed)
def show(
    given: Preprocessed,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file.")],
    format: Annotated[Format, typer.Option("--format", "-f", help="The format of the output.")] = Format.text,
    thread: Annotated[str | None, typer.Option(metavar="NAME", help="Only this thread.")] = None,
    split: SplitOption = False,
) -> None:
    """Show the automata of a file.

    Locations with their invariants and environments, edges with labels, guards and updates.
    """
    if given.json and format is not Format.text:
        raise typer.BadParameter("--json and --format exclude each other")
    settings = given.settings()
    work(settings, lambda bounds: _show(file, thread, split, format, given.reading, settings))


def _show(file: str, thread: str | None, split: bool, drawn: Format, how: Reading, settings: Settings) -> int:
    from sa.app.show import show as find
    from sa.cli.watching import watched

    if drawn is Format.sa:
        from sa.app.show import as_text

        write(as_text(file, split, how))
        return 0
    with watched(watching_of(settings, None, False)):
        shown = find(file, thread, split, how)
    if settings.json:
        from sa.report.automaton_json import automata_json

        write_json(automata_json(shown))
        return 0
    if drawn is Format.dot:
        from sa.report.dot import show_dot

        write(show_dot(shown))
    elif drawn is Format.svg:
        from sa.report.svg import show_svg

        write(show_svg(shown))
    else:
        from sa.report.automaton_text import show_automata

        write(show_automata(shown, screen()))
    return 0
