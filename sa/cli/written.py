"""Files with the answers of a command: a page for readers; SARIF and JUnit for other tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sa.cli.options import Settings

if TYPE_CHECKING:
    from sa.report.facts import DocumentJson, Facts


def write_files(settings: Settings, document: DocumentJson, page: Callable[[], str] | None = None) -> None:
    """Write the files that were asked for with what a document says. Raises InputError where one cannot be written.

    `page` makes the report; None where there is none to make.
    """
    if settings.files.report is not None and page is not None:
        from sa.app.replace_file import replace_file

        replace_file(settings.files.report, page())
    if settings.files.sarif is not None or settings.files.junit is not None:
        from sa.report.facts import facts_of

        write_facts(settings, [facts_of(document, settings.files.subject)])


def write_facts(settings: Settings, found: Sequence[Facts]) -> None:
    """The same for several answers."""
    from sa.app.replace_file import replace_file

    if settings.files.sarif is not None:
        from sa import __version__
        from sa.app.explain import meanings
        from sa.report.sarif import sarif

        replace_file(settings.files.sarif, sarif(found, __version__, meanings()))
    if settings.files.junit is not None:
        from sa.report.junit import junit

        replace_file(settings.files.junit, junit(found))
