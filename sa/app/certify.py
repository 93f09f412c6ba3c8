"""`certify`: a certificate judged again from the sources, without the engine.

The sources are read and their hashes compared first. Then the questions are made again, and the evidence is read and
judged by the checker.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from os.path import abspath, dirname, isfile, join

from msgspec import Struct
from msgspec.structs import replace

from sa import __version__
from sa.app.refine import questions
from sa.base.clock import clock
from sa.base.diagnostic import InputError, error
from sa.base.limits import LimitReached, Limits
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.certificates.document import MAX_BYTES, Document, NoCertificate, digest, read_document
from sa.certificates.shape import Malformed
from sa.checker.family_question import asked_of
from sa.checker.judge import judge_program, judge_refinement
from sa.checker.judgement import Judged, Judgement, status_of
from sa.checker.question import NoQuestion
from sa.checker.resources import Resources
from sa.checker.ruling import Rejected, Undecided
from sa.checker.second import Choice, Observer, is_installed, solvers_of
from sa.frontends.flow.sequential_refinement import never_ending
from sa.frontends.load import load_program, load_script, source_of
from sa.frontends.reading import Reading, reading_of
from sa.language.read import read_source
from sa.rules.judge import judge_script

__all__ = ["CertifyRequest", "Choice", "Judgement", "certify", "exported", "status_of"]

_OTHER_TEXT = "the text has changed since the certificate was made; a changed comment is enough"


class CertifyRequest(Struct, frozen=True):
    """`folder` is where the sources are, the certificate's folder if not given. `keeps` keeps the obligations."""

    path: str
    folder: str | None
    solver: Choice
    keeps: bool
    bounds: Limits
    seed: int = 0


def certify(request: CertifyRequest) -> Judgement:
    """Judge a certificate. Raises InputError, and LimitReached while files are read."""
    started = clock()
    if request.solver is not Choice.Z3 and not is_installed():
        hint = "in a clone of the repository: pip install -e '.[cvc5]'"
        raise InputError((error("SA911", "cvc5 is not installed", None, hint),))
    document = _document(request.path)
    observer = Observer(request.bounds, request.solver is Choice.BOTH, request.keeps)
    judged: tuple[Judged, ...] = ()
    fault = None
    try:
        fault = _unlike(document, _folder(request))
        if fault is None:
            resources = Resources(request.bounds, request.seed, solvers_of(request.solver, observer))
            judged = tuple(_judged(document, _folder(request), resources))
    except Malformed as problem:
        fault = Rejected("well-formed certificate", problem.why, problem.where)
    except NoQuestion as problem:
        fault = Rejected("question", str(problem))
    except _Foreign as problem:
        fault = problem.rejected
    return Judgement(
        document,
        fault,
        judged,
        observer.count,
        tuple(observer.open_questions),
        tuple(observer.scripts),
        clock() - started,
    )


class _Foreign(Exception):
    """The certificate is about other texts than those that are there."""

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(why)
        self.rejected = Rejected("sources", why, where)


def _document(path: str) -> Document:
    source = read_source(path, MAX_BYTES)
    try:
        return read_document(source.text)
    except NoCertificate as problem:
        hint = "certificates are written by `--certificate FILE` of refine, verify and prove"
        raise InputError(
            (error("SA910", f"`{path}` cannot be read as a certificate: {problem}", None, hint),)
        ) from None
    except Malformed as problem:
        raise InputError((error("SA910", f"`{path}` cannot be read as a certificate: {problem}"),)) from None


def _folder(request: CertifyRequest) -> str:
    return dirname(request.path) if request.folder is None else request.folder


def _unlike(document: Document, folder: str) -> Rejected | None:
    """A source that is another text than the one that the certificate is about. Raises InputError for one not there."""
    for name, hashed in document.sources.items():
        path = join(folder, *name.split("/"))
        if not isfile(path):
            hint = "the sources are looked for beside the certificate: name another folder with --source"
            raise InputError(
                (error("SA912", f"the certificate is about `{name}`, but `{path}` does not exist", None, hint),)
            )
        if digest(source_of(path).text) != hashed:
            return Rejected("sources", _OTHER_TEXT, name)
    if not set(document.files) <= set(document.sources):
        return Rejected("sources", "the certificate is about a file whose hash it does not have")
    return None


def _judged(document: Document, folder: str, resources: Resources) -> Iterator[Judged]:
    paths = tuple(join(folder, *name.split("/")) for name in document.files)
    match document.command, len(paths):
        case "refine", (1 | 2):
            yield from _refinements(document, folder, paths, resources)
        case "verify", 1:
            loaded = load_program(paths[0], document.split, True, _reading(document))
            _same_texts(document, folder, loaded.sources)
            _count(document, 1)
            yield from _limited(judge_program(loaded.program, document.questions[0], resources), paths[0])
        case "prove", 1:
            script = load_script(paths[0], document.split)
            _same_texts(document, folder, script.sources)
            _count(document, 1)
            yield from _limited(judge_script(script.script, document.questions[0], resources), paths[0])
        case _:
            raise Malformed("the certificate", "its command has no certificates, or its files are not those named")


def _reading(document: Document) -> Reading:
    return _meant(document.reading)


def _meant(written: Sequence[str]) -> Reading:
    try:
        return reading_of(written)
    except ValueError as problem:
        raise Malformed("the certificate", str(problem)) from None


def _refinements(document: Document, folder: str, paths: tuple[str, ...], resources: Resources) -> Iterator[Judged]:
    asked = questions(paths, document.split, _reading(document), families=True)
    _count(document, len(asked))
    for number, entry in enumerate(document.questions):
        part = asked[number]
        if entry.has("reading"):
            reading, entry = entry.fields("reading", "evidence")
            meant = _as_told(_reading(document), _meant(tuple(word.text() for word in reading.items())))
            part = questions(paths, document.split, meant, families=True)[number]
        _same_texts(document, folder, part.sources)
        alone = part.claim is not None and entry.has("preserved")
        abstract = never_ending(part.abstract) if alone else part.abstract
        made = asked_of(abstract, part.concrete, part.block, document.whole)
        yield from _limited(judge_refinement(made, entry, resources), entry.where)


def _as_told(asked: Reading, meant: Reading) -> Reading:
    """How the files were read for one answer: it may take overflow to be undefined. Raises Malformed."""
    if meant != replace(asked, overflow="check"):
        raise Malformed("the certificate", "an answer is about files that were read in another way than was asked")
    return meant


def _count(document: Document, number: int) -> None:
    if len(document.questions) != number:
        raise Malformed("the certificate", f"the sources ask {number} question{'' if number == 1 else 's'}")


def _same_texts(document: Document, folder: str, sources: tuple[Source, ...]) -> None:
    """What was read for the questions is what the hashes are of."""
    known = {abspath(join(folder, *name.split("/"))): hashed for name, hashed in document.sources.items()}
    for source in sources:
        if known.get(abspath(source.name)) != digest(source.text):
            raise _Foreign(_OTHER_TEXT, source.name)


def _limited(judging: Iterator[Judged], name: str) -> Iterator[Judged]:
    """The rulings; a limit that is reached leaves the rest undecided."""
    try:
        yield from judging
    except LimitReached as limit:
        yield Judged(name, Verdict.UNKNOWN, Undecided("limits", limit.reason.value))


def exported(made: Judgement) -> dict[str, str]:
    """The obligations as files, and a manifest that says what each of them is."""
    width = len(str(len(made.kept)))
    names = [f"{number:0{width}}-{_slug(posed.name)}.smt2" for number, (posed, _) in enumerate(made.kept, 1)]
    manifest = {
        "format": "sacheck-obligations/1",
        "tool": __version__,
        "expected": "unsat",
        "sources": dict(made.document.sources),
        "files": [
            {"file": name, "obligation": posed.name, "where": posed.where}
            for name, (posed, _) in zip(names, made.kept, strict=True)
        ],
    }
    scripts = {name: text for name, (_, text) in zip(names, made.kept, strict=True)}
    return scripts | {"manifest.json": json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"}


def _slug(name: str) -> str:
    return "-".join(re.findall("[a-z0-9]+", name.lower()))
