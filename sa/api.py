"""What `import sa` offers: the commands as functions, with answers that print, render in a notebook, and have fields.

What is wrong with files raises `InputError`. A time limit is in seconds, and ends as UNKNOWN. The work is done in the
caller's process, where the engines heed limits; the command line can also end what does not heed them. Python's own
limit on the digits of numbers that are written is lifted: programs compute with integers of any length.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sa.answers import Answer, Asked, File, Path, builtins, saved, shown
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, Limits, limits
from sa.base.verdict import EXIT_STATUS, Reason, Unknown, Verdict

if TYPE_CHECKING:
    from sa.frontends.reading import Reading

__all__ = [
    "Answer",
    "Asked",
    "File",
    "InputError",
    "Reason",
    "Verdict",
    "batch",
    "certify",
    "generate",
    "load",
    "prove",
    "refine",
    "verify",
    "weakest_rely",
]

sys.set_int_max_str_digits(0)


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
    function: str | None = None,
    preserve: str | None = None,
    infer_relate: bool = False,
    overflow: str = "assume",
) -> Answer:
    """Does the concrete program refine the abstract one? Without `concrete`: the refinement blocks of the file.

    `whole` plays the game on the two programs as wholes. `function` compares one function of two files in C, alone in
    any environment. `preserve` asks for `termination` or `progress` as well; `infer_relate` looks for another relation
    where that of the question does not do. `overflow` of C is `assume`, `check` or `wrap`. Raises InputError, and
    ValueError for options that do not go together.
    """
    from sa.app.certificate import refinement_certificate
    from sa.app.refine import Answer as Refined
    from sa.app.refine import RefineRequest, Relate
    from sa.app.refine import refine as ask
    from sa.engines.options import Options
    from sa.report.outcome_json import outcomes_json
    from sa.report.page import refinement_page
    from sa.report.refine import refinement_document, stopped_document

    paths = tuple(os.fspath(p) for p in (abstract, concrete) if p is not None)
    _one_of("preserve", preserve, (None, "termination", "progress"))
    if function is not None and (len(paths) != 2 or whole or preserve is not None or infer_relate):
        raise ValueError("`function` compares one function of two files, without other ways to compare them")
    reading = _reading(overflow, function=function)
    relate = Relate.INFER if infer_relate else Relate.AS_ASKED
    options = Options(_limits(timeout), seed, whole=whole)
    request = RefineRequest(paths, split, options, relate, reading, preserve=preserve)
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
        lambda: "\n".join(map(shown, documents)),
        lambda: builtins(outcomes_json(outcomes, unknown, noticed, EXIT_STATUS[verdict])),
        lambda: refinement_page(outcomes, unknown),
        lambda path: saved(path, refinement_certificate(path, request, found), read),
        read,
    )


def verify(
    path: Path,
    *,
    timeout: float | None = None,
    split: bool = False,
    seed: int = 0,
    jobs: int = 1,
    races: bool = False,
    deadlock: bool = False,
    overflow: str = "assume",
) -> Answer:
    """Do the invariants, assertions and guarantees of a program hold? Asked in `jobs` processes.

    Of C also that there are no data `races` and no `deadlock`; its signed `overflow` is assumed away (`assume`), looked
    for (`check`), or wraps around (`wrap`). Raises InputError, and ValueError for an option that does not exist.
    """
    from sa.app.certificate import verification_certificate
    from sa.app.verify import VerifyRequest
    from sa.app.verify import verify as ask
    from sa.engines.verify import Options
    from sa.report.page import verification_page
    from sa.report.verify import verification_document
    from sa.report.verify_json import verification_json

    reading = _reading(overflow, races=races, deadlock=deadlock)
    request = VerifyRequest(os.fspath(path), split, Options(_limits(timeout), seed, jobs=jobs), reading)
    try:
        answer = ask(request)
    except LimitReached as limit:
        return _stopped(Unknown(limit.reason), request.path)
    outcome = answer.outcome
    status = 0 if outcome.verdict is None else EXIT_STATUS[outcome.verdict]
    read = tuple(s.name for s in answer.sources)
    return Answer(
        outcome.verdict,
        lambda: shown(verification_document(outcome)),
        lambda: builtins(verification_json(outcome, answer.noticed, status)),
        lambda: verification_page(outcome),
        lambda to: saved(to, verification_certificate(to, request, answer), read),
        read,
    )


def weakest_rely(
    abstract: Path,
    concrete: Path,
    *,
    timeout: float | None = None,
    split: bool = False,
    seed: int = 0,
    function: str | None = None,
) -> Answer:
    """In which environments do threads without relies refine? The verdict is the worst one of all pairs of threads.

    Of two files in C it is asked of one `function`.

    Raises InputError.
    """
    from sa.app.refine import RefineRequest
    from sa.app.weakest import Answer as Found
    from sa.app.weakest import weakest_relies
    from sa.engines.options import Options
    from sa.frontends.reading import Reading
    from sa.report.page import documents_page
    from sa.report.weakest import weakest_document
    from sa.report.weakest_json import weakest_json

    paths = (os.fspath(abstract), os.fspath(concrete))
    found = list[Found]()
    unknown: Unknown | None = None
    asked = RefineRequest(paths, split, Options(_limits(timeout), seed), reading=Reading(function=function))
    try:
        found.extend(weakest_relies(asked))
    except LimitReached as limit:
        unknown = Unknown(limit.reason)
    if unknown is not None and not found:
        return _stopped(unknown, " and ".join(paths))
    verdict = _worst([*(a.found.verdict for a in found), *([Verdict.UNKNOWN] if unknown else [])])
    documents = [weakest_document(a.found, a.concrete, a.seconds, a.proposal, details=True, said=a.said) for a in found]
    noticed = tuple(dict.fromkeys(d for a in found for d in a.noticed))
    pairs = [(a.found, a.abstract, a.concrete, a.seconds, a.proposal, a.said) for a in found]
    return Answer(
        verdict,
        lambda: "\n".join(map(shown, documents)),
        lambda: builtins(weakest_json(pairs, unknown, noticed, verdict, EXIT_STATUS[verdict])),
        lambda: documents_page(documents, " and ".join(paths)),
    )


def batch(commands: Iterable[Sequence[str]], *, jobs: int = 1, timeout: float = 60.0) -> tuple[Asked, ...]:
    """Many questions, each a command as for a shell, in a process with limits of its own; the answers in their order.

    `sa.batch([("verify", "queue.c", "--races"), ("refine", "before.sa", "after.sa")], jobs=2)`. What is wrong with the
    files of one question is its `error` and stops no other.
    """
    import json

    from sa.processes.commands import run_all

    asked = [tuple(command) for command in commands]
    options = ("--json", "--timeout", str(timeout))
    verdicts = {status: verdict for verdict, status in EXIT_STATUS.items()}
    found = list[Asked]()
    for command, done in zip(asked, run_all([(*c, *options) for c in asked], jobs), strict=True):
        document = json.loads(done.out) if done.out.startswith("{") else {}
        verdict = verdicts.get(done.status) if "verdict" in document else None
        found.append(Asked(command, verdict, done.seconds, document, "" if document else done.err.strip()))
    return tuple(found)


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
        lambda: shown(proof_document(proof, answer.seconds)),
        lambda: builtins(proof_json(proof, noticed, answer.seconds, EXIT_STATUS[proof.verdict])),
        lambda: proof_page(proof, answer.seconds),
        lambda to: saved(to, proof_certificate(to, request, answer), read),
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


def _reading(overflow: str, races: bool = False, deadlock: bool = False, function: str | None = None) -> Reading:
    """How C is read. Raises ValueError."""
    from sa.frontends.reading import Reading

    _one_of("overflow", overflow, ("assume", "check", "wrap"))
    return Reading(overflow=overflow, races=races, deadlock=deadlock, function=function)


def _one_of(name: str, value: str | None, choices: Sequence[str | None]) -> None:
    if value not in choices:
        raise ValueError(f"`{name}` is one of {', '.join(repr(c) for c in choices)}")


def _limits(timeout: float | None) -> Limits:
    return limits(timeout, None)


def _stopped(unknown: Unknown, subject: str) -> Answer:
    """What there is to say where a limit was reached before there was anything else."""
    from sa.report.json import stopped_json
    from sa.report.page import stopped_page
    from sa.report.refine import stopped_document

    return Answer(
        Verdict.UNKNOWN,
        lambda: shown(stopped_document(unknown, subject)),
        lambda: builtins(stopped_json(unknown)),
        lambda: stopped_page(unknown, subject),
    )


def _worst(verdicts: Iterable[Verdict]) -> Verdict:
    found = set(verdicts)
    return next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in found), Verdict.PROVED)
