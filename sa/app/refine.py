"""`refine`: which two programs are meant, and the engine's answers about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from math import inf
from os.path import realpath
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from sa.app.noticed import never, promises_broken, with_termination
from sa.app.outputs import Output, refuse_loss
from sa.automata.program import Program, Refinement
from sa.automata.schedulers import with_schedulers
from sa.base.caveat import Said, together
from sa.base.clock import clock
from sa.base.diagnostic import Diagnostic, InputError, Severity, error
from sa.base.limits import allot, sooner
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.certificates.play import Loss
from sa.certificates.preservation import Kept
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine as decide
from sa.frontends.flow.compared import Compared, Refused
from sa.frontends.load import load_compared, load_functions
from sa.frontends.reading import USUAL, Reading, is_c, is_llvm
from sa.language.elaborate import Block, elaborate_refinement
from sa.language.loaded import Loaded
from sa.language.read import beside
from sa.language.syntax import Path

if TYPE_CHECKING:
    from sa.app.compile_check import Compilation

#: Units of work for each of many functions.
EACH = 20_000_000

#: Units of work for a function as a whole, where its passes are asked about after that.
BEFORE_PASSES = 8_000_000

#: Units of work for the question as it is asked, where another relation may be inferred.
BEFORE_INFERENCE = 30_000_000

#: Units for the question about visible actions before what is to be preserved is looked at.
BEFORE_PRESERVATION = 1_000_000

#: Said where only the relation fails and the short search found no other one.
LOOKS_LONGER = "no other relation was found in a short search; `--infer-relate` searches longer"

#: Said where nothing has to be searched.
SAME = "the two functions differ in names alone"

#: What is claimed of two functions.
ALONE = (
    "in every environment the second `{name}` does what the first one may do: the same visible actions with the same "
    "values; and it adds no write to shared memory"
)


class Relate(Enum):
    """Where the relation of the question fails, or nothing is known: leave it, propose another one, or use that."""

    AS_ASKED = "as asked"
    PROPOSE = "propose"
    INFER = "infer"


class RefineRequest(Struct, frozen=True):
    """`paths` are an abstract and a concrete file, or one file whose refinement blocks name the others.

    `split` splits steps that touch several shared locations, `reading` says how C is read. `relate` says what to do
    where the relation fails. `outputs` are what is written with the answers: no file that is read. What is to be
    preserved beside visible actions (`Kept`) may be said. Functions that a compiler has changed may be looked at after
    each of its `passes`. With `evidence` functions that differ in names alone are compared, too.
    """

    paths: tuple[str, ...]
    split: bool
    options: Options
    relate: Relate = Relate.AS_ASKED
    reading: Reading = USUAL
    outputs: tuple[Output, ...] = ()
    preserve: str | None = None
    passes: Compilation | None = None
    evidence: bool = False


class Answer(Struct, frozen=True):
    """An outcome, and what was noticed about the files themselves: `check` shows that at length.

    `last` says that nothing else was asked. Without a question the files are not accepted in a part.
    """

    outcome: Outcome
    noticed: tuple[Diagnostic, ...]
    question: Question | None
    last: bool = True


class NotAccepted(Struct, frozen=True):
    """A function that is not compared, beside others that are, and why."""

    name: str
    why: tuple[Diagnostic, ...]


class Question(Struct, frozen=True):
    """Two programs, the block that says more than the defaults about them, and what was noticed in reading.

    `sources` are all texts that were read; `said` is what an answer assumes and does not check, `claim` what is
    claimed where the relation says it in words that users do not know. `same`: the sides differ in names alone.
    `reading` is how the files were read where the request says otherwise.
    """

    abstract: Program
    concrete: Program
    block: Refinement | None
    warnings: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]
    said: Said = Said()
    claim: str | None = None
    same: bool = False
    reading: Reading | None = None


def refine(request: RefineRequest) -> Iterator[Answer]:
    """One answer each question, as soon as it is known. Raises InputError and LimitReached."""
    started = clock()
    if request.preserve is not None and any(map(is_c, request.paths)):
        request = replace(request, reading=replace(request.reading, lasting=True))
    asked = parts(request.paths, request.split, request.reading, families=True)
    refuse_loss(request.outputs, (s.name for one in asked if isinstance(one, Question) for s in one.sources))
    seconds = clock() - started
    for number, wanted in enumerate(asked, 1):
        if isinstance(wanted, NotAccepted):
            yield Answer(_refused(wanted), (), None, number == len(asked))
            continue
        if wanted.same and not request.evidence and request.preserve is None:
            said = with_termination(wanted.said, wanted.abstract, wanted.concrete, request.options.limits)
            yield Answer(_of_same(wanted, said, seconds), wanted.warnings, wanted, number == len(asked))
            seconds = 0.0
            continue
        noticed = never(wanted.abstract, wanted.concrete, request.options.limits)
        shared = _with_share(request, asked[number - 1 :])
        own = _sharing(shared, wanted, len(asked) - number + 1)
        kept = request.preserve or (wanted.block.preserve if wanted.block is not None else None)
        if kept is None:
            outcome, question = _compared(wanted, own, number - 1)
        else:
            outcome, question = _with_preservation(wanted, own, number - 1, Kept(kept))
        notes, said = promises_broken(question.abstract, question.concrete, request.options), question.said
        if kept is None:
            said = with_termination(said, question.abstract, question.concrete, request.options.limits)
        outcome = replace(
            outcome,
            claim=_claim(outcome, question),
            said=said,
            warnings=tuple(dict.fromkeys((*noticed, *outcome.warnings))),
            notes=(*outcome.notes, *notes),
            seconds={"load": seconds, **outcome.seconds},
        )
        if request.passes is not None and outcome.verdict is not Verdict.PROVED:
            # Only `compile-check` knows how the files were made.
            from sa.app.passes import by_passes

            outcome = by_passes(outcome, request.passes, shared.options)
        yield Answer(outcome, question.warnings, question, number == len(asked))
        seconds = 0.0


def _of_same(question: Question, said: Said, seconds: float) -> Outcome:
    """Two functions that differ in names alone: refinement is reflexive."""
    name, time = question.block.name if question.block else question.concrete.source.name, {"load": seconds}
    return Outcome(name, Verdict.PROVED, question.claim or "", (), (), None, time, notes=(SAME,), said=said)


def _compared(wanted: Question, request: RefineRequest, number: int) -> tuple[Outcome, Question]:
    """The outcome of a question about visible actions alone, and the question that it is of."""
    if not _may_overflow(wanted, request):
        return _counted(wanted, request)
    from sa.app.overflow import with_overflow

    return with_overflow(wanted, number, request, _counted)


def _may_overflow(question: Question, request: RefineRequest) -> bool:
    """Whether a question is about C, in which signed overflow is taken not to happen."""
    c = is_c(question.concrete.source.name)
    return c and request.reading.overflow == "assume" and question.reading is None


def _counted(wanted: Question, request: RefineRequest) -> tuple[Outcome, Question]:
    outcome, question = _answered(wanted, request)
    if question.block is not None and question.block.loops_end:
        # Few questions are about endings.
        from sa.engines.divergence import counted

        outcome = counted(outcome)
    return outcome, question


def _with_preservation(wanted: Question, request: RefineRequest, number: int, kept: Kept) -> tuple[Outcome, Question]:
    """The same with what is to be preserved. What is refuted by that need not be compared at length."""
    options = request.options
    for units in (BEFORE_PRESERVATION, inf):
        cuts, soon = options.limits.work.cuts, replace(options, limits=allot(options.limits, units))
        outcome, question = _compared(wanted, replace(request, options=soon), number)
        found = _preserved(outcome, question, kept, request, number)
        settled = outcome.verdict is not Verdict.UNKNOWN or found.verdict is Verdict.REFUTED
        if settled or options.limits.work.cuts == cuts:
            break
    return found, question


def _preserved(outcome: Outcome, question: Question, kept: Kept, request: RefineRequest, number: int) -> Outcome:
    """The outcome with what is to be preserved. Raises InputError."""
    # Few questions are about endings.
    from sa.app.preserved import Sides, with_preserved

    def sides(asked: Question) -> Sides:
        return asked.abstract, asked.concrete, asked.block, asked.claim is not None

    def checked() -> Sides | None:
        from sa.app.overflow import where_undefined

        again = where_undefined(request, number)
        return None if again is None else sides(again)

    assumed = checked if _may_overflow(question, request) else None
    return with_preserved(outcome, sides(question), kept, request.options, assumed)


def _claim(outcome: Outcome, question: Question) -> str:
    """What is claimed, in words that users know."""
    if question.claim is None or outcome.preservation is None:
        return question.claim or outcome.claim
    return f"{question.claim}; and {outcome.preservation.claim}"


def _sharing(request: RefineRequest, wanted: Question, left: int) -> RefineRequest:
    """The request with this question's units of work, where many functions are asked about, or passes after it."""
    if wanted.claim is None or (left == 1 and request.passes is None):
        return request
    units = EACH if request.passes is None else BEFORE_PASSES
    return replace(request, options=replace(request.options, limits=allot(request.options.limits, units)))


def _with_share(request: RefineRequest, asked: Sequence[Question | NotAccepted]) -> RefineRequest:
    """The request with the seconds of the first of several functions: what it leaves goes to those behind it."""
    left = sum(isinstance(one, Question) and one.claim is not None and not one.same for one in asked)
    limits = sooner(request.options.limits, 1 / max(left, 1))
    return replace(request, options=replace(request.options, limits=limits))


def _answered(question: Question, request: RefineRequest) -> tuple[Outcome, Question]:
    """The outcome of a question, or of the one with an inferred relation, where that was asked for and found."""
    options, infer = request.options, request.relate is Relate.INFER
    first = replace(options, limits=allot(options.limits, BEFORE_INFERENCE)) if infer else options
    begun = options.limits.work.done
    outcome = decide(question.abstract, question.concrete, question.block, first)
    if question.concrete.families:
        note = "no relation was inferred: this is not supported for families of any number"
        return (replace(outcome, notes=(*outcome.notes, note)) if infer else outcome), question
    # What the file expects needs no other relation.
    # The relation of functions that are compared alone is no user's business.
    expected = not infer and outcome.verdict is outcome.expected
    if request.relate is Relate.AS_ASKED or question.claim is not None or expected or outcome.verdict is Verdict.PROVED:
        return outcome, question
    from sa.app.coupling import proposed, units_for, why_none

    began, units = clock(), units_for(options.limits.work.done - begun, infer)
    told, other, block = proposed(outcome, question.abstract, question.concrete, question.block, options, units)
    told = replace(told, seconds={**told.seconds, "relate": clock() - began})
    if infer and other is not None:
        # What the files expect is about the question as they ask it.
        return replace(other, name=outcome.name, expected=None), replace(question, block=block)
    if told.proposal is None and told.escape is None and not any(r.loss is Loss.BEHAVIOUR for r in told.results):
        why = why_none(question.abstract, question.concrete, question.block)
        if infer:
            told = replace(
                told, notes=(*told.notes, f"no relation was inferred: {why or 'none that suffices was found'}")
            )
        elif why is None and any(r.loss is Loss.RELATION for r in told.results):
            told = replace(told, notes=(*told.notes, LOOKS_LONGER))
    return told, question


def _refused(wanted: NotAccepted) -> Outcome:
    """There is no answer about a function that is not accepted."""
    first = wanted.why[0]
    note = f"this function was not compared ({first.code}): {first.message}"
    warnings = tuple(replace(d, severity=Severity.WARNING) for d in wanted.why)
    return Outcome(wanted.name, Verdict.UNKNOWN, ALONE.format(name=wanted.name), (), warnings, None, {}, notes=(note,))


def questions(paths: tuple[str, ...], split: bool, reading: Reading = USUAL, families: bool = False) -> list[Question]:
    """What is asked about one file or two; `reading` says how C is read. Raises InputError.

    Unless who asks knows `families` of any number, a program that has one is an error.
    """
    return [one for one in parts(paths, split, reading, families) if isinstance(one, Question)]


def parts(
    paths: tuple[str, ...], split: bool, reading: Reading = USUAL, families: bool = False
) -> list[Question | NotAccepted]:
    """The same, with the functions that are not accepted among others that are. Raises InputError."""
    if len(paths) == 2:
        return _two_files(paths, split, reading, families)
    return [*_one_file(paths[0], split, reading, families)]


def _two_files(paths: tuple[str, ...], split: bool, reading: Reading, families: bool) -> list[Question | NotAccepted]:
    """The blocks of either file that are about the two, or the defaults where there are none."""
    abstract_path, concrete_path = paths
    if reading.function is not None or reading.plain == "permissions" or all(map(is_llvm, paths)):
        return [_alone(f) for f in load_functions((abstract_path, concrete_path), reading)]
    abstract, concrete = (load_compared(path, split, families, reading) for path in paths)
    asked = (realpath(abstract_path), realpath(concrete_path))
    blocks = list[Block | None]()
    for path, loaded in ((concrete_path, concrete), (abstract_path, abstract)):
        for block in loaded.blocks:
            about = _about(path, block)
            if about == asked[::-1] != asked:
                hint = f"write `sacheck refine {concrete_path} {abstract_path}`: the abstract file comes first"
                message = f"the refinement `{block.name}` relates these files in the opposite direction"
                raise InputError((error("SA906", message, block.origin.span, hint),))
            # A block that does not name its abstract side is about whatever the file is compared with.
            if about == asked or (block.abstract is None and loaded is concrete):
                blocks.append(block)
    return [question_about(abstract, concrete, block) for block in blocks or [None]]


def _alone(found: Compared | Refused) -> Question | NotAccepted:
    """What is asked about a function of both files."""
    return NotAccepted(found.name, found.why.diagnostics) if isinstance(found, Refused) else question_of(found)


def question_of(found: Compared) -> Question:
    """What is asked about a function of two files that is accepted."""
    question = question_about(found.abstract, found.concrete, None)
    return replace(question, block=found.block, claim=ALONE.format(name=found.name), same=found.same)


def _about(path: str, block: Block) -> tuple[str | None, str]:
    """The abstract and the concrete file that a block is about; the concrete one is the block's if it names none."""
    named = (block.abstract, block.concrete)
    abstract, concrete = (None if p is None else realpath(beside(path, p.text, p.span)) for p in named)
    return abstract, concrete or realpath(path)


def _one_file(path: str, split: bool, reading: Reading, families: bool) -> list[Question]:
    """The questions that a file's blocks ask."""
    loaded = load_compared(path, split, families, reading)
    if not loaded.blocks:
        hint = "name two files: `sacheck refine ABSTRACT CONCRETE`, or write a refinement block"
        raise InputError((error("SA901", f"`{path}` has no refinement block", None, hint),))
    return [_named(block, path, loaded, split, families) for block in loaded.blocks]


def _named(block: Block, path: str, loaded: Loaded, split: bool, families: bool) -> Question:
    """The question of a block that names its abstract side, and its concrete one unless it stands in it."""
    if block.abstract is None:
        hint = 'add `abstract "FILE.sa";` to the block'
        message = f"the refinement `{block.name}` does not name its abstract side"
        raise InputError((error("SA902", message, block.origin.span, hint),))
    abstract = _other(path, block.abstract, split, families)
    concrete = loaded if block.concrete is None else _other(path, block.concrete, split, families)
    question = question_about(abstract, concrete, block)
    return replace(question, sources=(*loaded.sources, *question.sources))


def question_about(abstract: Loaded, concrete: Loaded, block: Block | None) -> Question:
    """What is asked about two programs by a block, or by the defaults. Raises InputError."""
    warnings, sources = (*abstract.warnings, *concrete.warnings), (*abstract.sources, *concrete.sources)
    meaning, found = None, tuple[Diagnostic, ...]()
    if block is not None:
        meaning, found = elaborate_refinement(block, abstract.program, concrete.program)
        if any(d.severity is Severity.ERROR for d in found):
            raise InputError(found)
    programs = with_schedulers(abstract.program, concrete.program, meaning)
    return Question(*programs, meaning, (*warnings, *found), sources, together((abstract.said, concrete.said)))


def _other(path: str, named: Path, split: bool, families: bool) -> Loaded:
    """The program of a file that a block names; the block has the place where that file cannot be read."""
    try:
        return load_compared(beside(path, named.text, named.span), split, families)
    except InputError as wrong:
        raise InputError(tuple(replace(d, span=d.span or named.span) for d in wrong.diagnostics)) from wrong
