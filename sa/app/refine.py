"""`refine`: which two programs are meant, and the engine's answers about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from os.path import dirname, join, realpath
from time import perf_counter

from sa.automata.program import Refinement
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.language.load import Loaded, load_program
from sa.refinement.options import Options
from sa.refinement.outcome import Outcome
from sa.refinement.refine import refine as decide


@dataclass(frozen=True, slots=True)
class RefineRequest:
    """`paths` are an abstract and a concrete file, or one file whose refinement blocks name the others."""

    paths: tuple[str, ...]
    options: Options


@dataclass(frozen=True, slots=True)
class Question:
    """Two programs, and the block that says more than the defaults about them."""

    abstract: Loaded
    concrete: Loaded
    block: Refinement | None


def refine(request: RefineRequest) -> Iterator[Outcome]:
    """One outcome each question, as soon as it is known. Raises InputError and LimitReached."""
    started = perf_counter()
    questions = _two_files(*request.paths) if len(request.paths) == 2 else _one_file(*request.paths)
    seconds = perf_counter() - started
    told = set[Diagnostic]()
    for question in questions:
        outcome = decide(question.abstract.program, question.concrete.program, question.block, request.options)
        found = (*question.abstract.warnings, *question.concrete.warnings, *outcome.warnings)
        warnings = tuple(d for d in dict.fromkeys(found) if d not in told)
        yield replace(outcome, warnings=warnings, seconds={"load": seconds, **outcome.seconds})
        told.update(warnings)
        seconds = 0.0


def _two_files(abstract_path: str, concrete_path: str) -> list[Question]:
    """The concrete file's blocks that are about the abstract file, or the defaults where there are none."""
    abstract, concrete = load_program(abstract_path), load_program(concrete_path)
    blocks = [
        b
        for b in concrete.program.refinements
        if b.abstract is None or realpath(_beside(concrete_path, b.abstract)) == realpath(abstract_path)
    ]
    return [Question(abstract, concrete, block) for block in blocks or [None]]


def _one_file(path: str) -> list[Question]:
    """The questions that a file's blocks ask."""
    loaded = load_program(path)
    if not loaded.program.refinements:
        hint = "name two files: `sacheck refine ABSTRACT CONCRETE`, or write a refinement block"
        raise InputError((error("SA901", f"`{path}` has no refinement block", None, hint),))
    return [_question(path, loaded, block) for block in loaded.program.refinements]


def _question(path: str, loaded: Loaded, block: Refinement) -> Question:
    if block.abstract is None:
        hint = 'add `abstract "FILE.sa";` to the block'
        message = f"the refinement `{block.name}` does not name its abstract side"
        raise InputError((error("SA902", message, block.origin.span, hint),))
    abstract = load_program(_beside(path, block.abstract))
    concrete = loaded if block.concrete is None else load_program(_beside(path, block.concrete))
    return Question(abstract, concrete, block)


def _beside(path: str, name: str) -> str:
    """A file that another file names: relative to that file's folder."""
    return join(dirname(path), name)
