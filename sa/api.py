"""What `import sa` offers: the commands as functions, with answers that print, render in a notebook, and have fields.

What is wrong with files raises `InputError`. A time limit is in seconds, and ends as UNKNOWN. The work is done in the
caller's process, where the engines heed limits; the command line can also end what does not heed them. Python's own
limit on the digits of numbers that are written is lifted: programs compute with integers of any length.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from html import escape
from time import monotonic
from typing import Any, TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import LimitReached, Limits
from sa.base.verdict import EXIT_STATUS, Reason, Unknown, Verdict

__all__ = [
    "Answer",
    "File",
    "InputError",
    "Reason",
    "Verdict",
    "certify",
    "generate",
    "load",
    "prove",
    "refine",
    "verify",
]

#: A file, as a text or a path.
Path: TypeAlias = str | os.PathLike[str]

sys.set_int_max_str_digits(0)

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
        _saved(os.fspath(path), self.html(), self._read)

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


def load(path: Path, *, split: bool = False) -> File:
    """Read a program in `.sa` or C. `split` splits steps that access several shared locations. Raises InputError."""
    from sa.frontends.load import load_program
    from sa.language.unparse import show_program

    name = os.fspath(path)
    loaded = load_program(name, split, families=True)
    return File(name, loaded.program, (*loaded.warnings, *loaded.lints), show_program(loaded.program))


def refine(
    abstract: Path,
    concrete: Path | None = None,
    *,
    timeout: float | None = None,
    whole: bool = False,
    split: bool = False,
    seed: int = 0,
) -> Answer:
    """Does the concrete program refine the abstract one? Without `concrete`: the refinement blocks of the file.

    `whole` plays the game on the two programs as wholes. Raises InputError.
    """
    from sa.app.certificate import refinement_certificate
    from sa.app.refine import Answer as Refined
    from sa.app.refine import RefineRequest
    from sa.app.refine import refine as ask
    from sa.engines.options import Options
    from sa.report.outcome_json import outcomes_json
    from sa.report.page import refinement_page
    from sa.report.refine import refinement_document, stopped_document

    paths = tuple(os.fspath(p) for p in (abstract, concrete) if p is not None)
    request = RefineRequest(paths, split, Options(_limits(timeout), seed, whole=whole))
    found = list[Refined]()
    unknown: Unknown | None = None
    try:
        found.extend(ask(request))
    except LimitReached as limit:
        unknown = Unknown(limit.reason)
    if unknown is not None and not found:
        return _stopped(unknown, " and ".join(paths))
    outcomes = [a.outcome for a in found]
    verdict = _worst([*(o.verdict for o in outcomes), *([Verdict.UNKNOWN] if unknown else [])])
    stopped = [] if unknown is None else [stopped_document(unknown, " and ".join(paths))]
    documents = [*map(refinement_document, outcomes), *stopped]
    noticed = tuple(dict.fromkeys(d for a in found for d in a.noticed))
    read = tuple(s.name for a in found if a.question is not None for s in a.question.sources)
    return Answer(
        verdict,
        lambda: "\n".join(map(_shown, documents)),
        lambda: _builtins(outcomes_json(outcomes, unknown, noticed, EXIT_STATUS[verdict])),
        lambda: refinement_page(outcomes, unknown),
        lambda path: _saved(path, refinement_certificate(path, request, found), read),
        read,
    )


def verify(path: Path, *, timeout: float | None = None, split: bool = False, seed: int = 0, jobs: int = 1) -> Answer:
    """Do the invariants, assertions and guarantees of a program hold? Asked in `jobs` processes. Raises InputError."""
    from sa.app.certificate import verification_certificate
    from sa.app.verify import VerifyRequest
    from sa.app.verify import verify as ask
    from sa.engines.verify import Options
    from sa.report.page import verification_page
    from sa.report.verify import verification_document
    from sa.report.verify_json import verification_json

    request = VerifyRequest(os.fspath(path), split, Options(_limits(timeout), seed, jobs=jobs))
    try:
        answer = ask(request)
    except LimitReached as limit:
        return _stopped(Unknown(limit.reason), request.path)
    outcome = answer.outcome
    status = 0 if outcome.verdict is None else EXIT_STATUS[outcome.verdict]
    read = tuple(s.name for s in answer.sources)
    return Answer(
        outcome.verdict,
        lambda: _shown(verification_document(outcome)),
        lambda: _builtins(verification_json(outcome, answer.noticed, status)),
        lambda: verification_page(outcome),
        lambda to: _saved(to, verification_certificate(to, request, answer), read),
        read,
    )


def prove(path: Path, *, timeout: float | None = None, jobs: int = 1, split: bool = False, seed: int = 0) -> Answer:
    """Do the steps of a proof script hold, side conditions and all? Raises InputError."""
    from sa.app.certificate import proof_certificate
    from sa.app.prove import ProveRequest
    from sa.app.prove import prove as ask
    from sa.engines.options import Options
    from sa.report.page import proof_page
    from sa.report.prove import proof_document
    from sa.report.prove_json import proof_json

    request = ProveRequest(os.fspath(path), split, Options(_limits(timeout), seed, jobs))
    try:
        answer = ask(request)
    except LimitReached as limit:
        return _stopped(Unknown(limit.reason), request.path)
    proof, noticed = answer.proof, (*answer.warnings, *answer.noticed)
    read = tuple(s.name for s in answer.sources)
    return Answer(
        proof.verdict,
        lambda: _shown(proof_document(proof, answer.seconds)),
        lambda: _builtins(proof_json(proof, noticed, answer.seconds, EXIT_STATUS[proof.verdict])),
        lambda: proof_page(proof, answer.seconds),
        lambda to: _saved(to, proof_certificate(to, request, answer), read),
        read,
    )


def generate(path: Path, *, visible: str = "locations", timeout: float | None = None, split: bool = False) -> File:
    """Infer invariants and environments of a program, and return it with them.

    `visible` says what invariants may speak of: `shared`, `locations` or `locals`. Raises InputError, LimitReached,
    and ValueError where the solver could not check what was inferred.
    """
    from sa.app.generate import VISIBLE, infer

    if visible not in VISIBLE:
        raise ValueError(f"visible is one of {', '.join(VISIBLE)}")
    name = os.fspath(path)
    found = infer(name, VISIBLE[visible], True, split, _limits(timeout))
    if isinstance(found, Unknown):
        raise ValueError(f"{found.reason.value}: {found.detail}")
    return File(name, found.program, found.diagnostics, found.text)


def certify(path: Path, *, timeout: float | None = None, source: Path | None = None) -> bool | None:
    """Does the independent checker accept a certificate? None where it cannot say. `source` is the sources' folder.

    Raises InputError.
    """
    from sa.app.certify import CertifyRequest, Choice, status_of
    from sa.app.certify import certify as judge

    folder = None if source is None else os.fspath(source)
    made = judge(CertifyRequest(os.fspath(path), folder, Choice.Z3, False, _limits(timeout)))
    status = status_of(made)
    return None if status == EXIT_STATUS[Verdict.UNKNOWN] else status == 0


def _saved(path: str, text: str, read: tuple[str, ...]) -> None:
    """Write a file that is none of those that were read. Raises InputError."""
    from sa.app.outputs import Output, refuse_loss
    from sa.app.replace_file import replace_file

    refuse_loss((Output("saving to", path),), read)
    replace_file(path, text)


def _limits(timeout: float | None) -> Limits:
    return Limits(None if timeout is None else monotonic() + timeout)


def _stopped(unknown: Unknown, subject: str) -> Answer:
    """What there is to say where a limit was reached before there was anything else."""
    from sa.report.json import stopped_json
    from sa.report.page import stopped_page
    from sa.report.refine import stopped_document

    return Answer(
        Verdict.UNKNOWN,
        lambda: _shown(stopped_document(unknown, subject)),
        lambda: _builtins(stopped_json(unknown)),
        lambda: stopped_page(unknown, subject),
    )


def _worst(verdicts: Iterable[Verdict]) -> Verdict:
    found = set(verdicts)
    return next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in found), Verdict.PROVED)


def _shown(document: Any) -> str:
    from sa.report.screen import Screen
    from sa.report.terminal import show_document

    return show_document(document, Screen())


def _builtins(document: Struct) -> Mapping[str, Any]:
    from sa.report.json import builtins

    return builtins(document)


def _frame(page: str) -> str:
    """A page inside of a notebook, where its styles and scripts touch nothing else."""
    style = f"width: 100%; height: {_HEIGHT}px; border: 0"
    return f'<iframe title="sacheck" style="{style}" sandbox="allow-scripts" srcdoc="{escape(page)}"></iframe>'
