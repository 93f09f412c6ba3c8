"""What the functions of `sa.api` return: answers that print, render in a notebook, and have fields."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic
from sa.base.verdict import Verdict

#: A file, as a text or a path.
Path: TypeAlias = str | os.PathLike[str]

#: Pixels that a page takes in a notebook.
_HEIGHT = 640


class File(Struct, frozen=True):
    """A program that was read: its threads as automata, what was noticed in the file, and the program as `.sa` text."""

    path: str
    program: Program
    noticed: tuple[Diagnostic, ...]
    text: str

    @property
    def threads(self) -> tuple[Automaton, ...]:
        """The threads, families of any number last."""
        return (*self.program.threads, *(f.thread for f in self.program.families))

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from sa.report.page import threads_page

        return _frame(threads_page(self.path, self.threads))


class Answer(Struct, frozen=True):
    """A verdict with its evidence. `verdict` is None where a program claims nothing.

    `print(answer)` shows what the command shows; in a notebook it is the page that `--report` writes.
    """

    verdict: Verdict | None
    _text: Callable[[], str]
    _json: Callable[[], Mapping[str, Any]]
    _page: Callable[[], str]
    _certificate: Callable[[str], None] | None = None
    _read: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the verdict is PROVED."""
        return self.verdict is Verdict.PROVED

    def json(self) -> Mapping[str, Any]:
        """The document that `--json` writes."""
        return self._json()

    def html(self) -> str:
        """The page that `--report` writes."""
        return self._page()

    def save_report(self, path: Path) -> None:
        """Write that page to a file. Raises InputError."""
        saved(os.fspath(path), self.html(), self._read)

    def save_certificate(self, path: Path) -> None:
        """Write the evidence for `certify`. Raises InputError, and ValueError for an answer without a certificate."""
        if self._certificate is None:
            raise ValueError("this answer has no certificate")
        self._certificate(os.fspath(path))

    def __str__(self) -> str:
        return self._text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<Answer {self.verdict.value if self.verdict else 'nothing claimed'}>"

    def _repr_html_(self) -> str:
        return _frame(self.html())


class Asked(Struct, frozen=True):
    """A command of a batch: what it was asked, its verdict, the seconds it took, and the document that `--json` writes.

    `error` is what it complained of, where there is no verdict.
    """

    command: tuple[str, ...]
    verdict: Verdict | None
    seconds: float
    json: Mapping[str, Any]
    error: str = ""


def saved(path: str, text: str, read: tuple[str, ...]) -> None:
    """Write a file that is none of those that were read. Raises InputError."""
    from sa.app.outputs import Output, refuse_loss
    from sa.app.replace_file import replace_file

    refuse_loss((Output("saving to", path),), read)
    replace_file(path, text)


def shown(document: Any) -> str:
    """A document as text."""
    from sa.report.screen import Screen
    from sa.report.terminal import show_document

    return show_document(document, Screen())


def builtins(document: Struct) -> Mapping[str, Any]:
    """A document of JSON as mappings and lists."""
    from sa.report.json import builtins as plain

    return plain(document)


def _frame(page: str) -> str:
    """A page inside of a notebook, where its styles and scripts touch nothing else."""
    style = f"width: 100%; height: {_HEIGHT}px; border: 0"
    return f'<iframe title="sacheck" style="{style}" sandbox="allow-scripts" srcdoc="{escape(page)}"></iframe>'
