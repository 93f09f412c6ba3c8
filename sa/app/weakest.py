"""`refine --weakest-rely`: which two programs are meant, and the weakest environment of each pair of threads."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.app.coupling import MOST, proposed
from sa.app.overflow import may_overflow
from sa.app.refine import Question, RefineRequest, question_about, questions
from sa.base.caveat import Said
from sa.base.clock import clock
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.verdict import Reason, Unknown
from sa.conditions.vacuity import vacuous
from sa.engines.options import Options
from sa.engines.outcome import Proposal
from sa.engines.refine import refine
from sa.frontends.load import load_open
from sa.frontends.reading import is_c
from sa.language.unparse import show_program
from sa.question.goals import goals
from sa.question.unblocked_invariants import uncut
from sa.question.vacuous import check_not_empty
from sa.weakest.infer import Weakest, weakest
from sa.weakest.preserving import preserving

_OVERFLOW = (
    "the play without interference may need signed arithmetic to overflow, which is undefined; "
    "`--overflow wrap` defines it"
)


class Answer(Struct, frozen=True):
    """An environment or why there is none, the two programs that declare it as text, and what was noticed in reading.

    `seconds` are those since the answer before. Where no environment helps, a `proposal` may say which relation would.
    `said` is what the answer assumes.
    """

    found: Weakest
    abstract: str
    concrete: str
    noticed: tuple[Diagnostic, ...]
    seconds: float
    proposal: Proposal | None = None
    said: Said = Said()


def weakest_relies(request: RefineRequest) -> Iterator[Answer]:
    """One answer each pair of threads, as soon as it is known. Raises InputError and LimitReached."""
    started = clock()
    options = request.options
    for question in _questions(request):
        abstract, concrete, block = question.abstract, question.concrete, question.block
        asked = goals(abstract, concrete, block, whole=True)
        noticed = (*question.warnings, *vacuous((abstract, concrete), options.limits))
        check_not_empty(asked, () if block is None else block.pre, options.limits)
        uncut(asked, options.limits)
        find = weakest if request.preserve is None else preserving
        for found in find(abstract, concrete, block, options):
            if found.hopeless is not None and _is_of_overflow(request):
                found = replace(found, hopeless=None, unknown=Unknown(Reason.UNDEFINED, _OVERFLOW))
            programs = None if found.environment is None else found.environment.programs
            first, second = ("", "") if programs is None else (show_program(programs[0]), show_program(programs[1]))
            proposal = None if found.hopeless is None else _relation(question, options)
            now = clock()
            yield Answer(found, first, second, noticed, now - started, proposal, question.said)
            started = now


def _is_of_overflow(request: RefineRequest) -> bool:
    """Whether a play of a function may be one in which the first one is undefined. Raises InputError."""
    return request.reading.function is not None and may_overflow(request.paths, request.reading)


def _questions(request: RefineRequest) -> list[Question]:
    """What is asked; of C about one function of each file, since whole programs are closed. Raises InputError."""
    if request.reading.function is not None and len(request.paths) == 2:
        abstract, concrete = load_open(request.paths, request.reading)
        return [question_about(abstract, concrete, None)]
    for path in request.paths:
        if is_c(path):
            message = f"`{path}` is a whole program in C: it has no environment"
            hint = "name a function with `--function`: the rely says what others may do while it runs"
            raise InputError((error("SA705", message, None, hint),))
    return questions(request.paths, request.split, request.reading)


def _relation(question: Question, options: Options) -> Proposal | None:
    """The block of a relation with which the programs as wholes refine, if a short search finds one."""
    outcome = refine(question.abstract, question.concrete, question.block, options)
    told, _, _ = proposed(outcome, question.abstract, question.concrete, question.block, options, MOST)
    return told.proposal
