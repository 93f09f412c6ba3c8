"""`refine`: which two programs are meant, and the engine's answers about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from os.path import dirname, join

from sa.automata.program import Refinement
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.language.load import Loaded, load_program
from sa.refinement.options import Options
from sa.refinement.outcome import Outcome
from sa.refinement.refine import refine as decide


@dataclass(frozen=True, slots=True)
class RefineRequest:
    """`paths` are an abstract and a concrete file, or one file whose refinement blocks name both."""

    paths: tuple[str, ...]
    options: Options


def refine(request: RefineRequest) -> Iterator[Outcome]:
    """One outcome each question, as soon as it is known. Raises InputError and LimitReached."""
    if len(request.paths) == 2:
        abstract, concrete = (load_program(path) for path in request.paths)
        yield _answer(abstract, concrete, request.options, (*abstract.warnings, *concrete.warnings))
        return
    (path,) = request.paths
    loaded = load_program(path)
    blocks = loaded.program.refinements
    if not blocks:
        hint = "name two files: `sacheck refine ABSTRACT CONCRETE`, or write a refinement block"
        raise InputError((error("SA901", f"`{path}` has no refinement block", None, hint),))
    questions = [_question(path, loaded, block) for block in blocks]
    warnings = loaded.warnings
    for abstract, concrete in questions:
        yield _answer(abstract, concrete, request.options, (*warnings, *abstract.warnings, *concrete.warnings))
        warnings = ()


def _question(path: str, loaded: Loaded, block: Refinement) -> tuple[Loaded, Loaded]:
    """The two sides that a block names; the concrete one comes back with this block as its only one."""
    if block.abstract is None:
        hint = 'add `abstract "FILE.sa";` to the block'
        message = f"the refinement `{block.name}` does not name its abstract side"
        raise InputError((error("SA902", message, block.origin.span, hint),))
    abstract = load_program(join(dirname(path), block.abstract))
    concrete = loaded if block.concrete is None else load_program(join(dirname(path), block.concrete))
    return abstract, replace(concrete, program=replace(concrete.program, refinements=(block,)))


def _answer(abstract: Loaded, concrete: Loaded, options: Options, warnings: tuple[Diagnostic, ...]) -> Outcome:
    outcome = decide(abstract, concrete, options)
    return replace(outcome, warnings=tuple(dict.fromkeys((*warnings, *outcome.warnings))))
