"""A function that a compiler has changed, pass by pass: where each one is proved, so is what they made together."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from sa.app.compile_check import Compilation
from sa.app.refine import Question, question_of
from sa.base.caveat import together
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, allot
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.outcome import Outcome, Result
from sa.engines.refine import refine as decide
from sa.frontends.flow.compared import Compared, Refused
from sa.frontends.llvm.compile import ir_of
from sa.frontends.llvm.functions import load_chain
from sa.frontends.llvm.passes import Passed, passes_of

#: Units of work for each step.
EACH_STEP = 4_000_000


def by_passes(whole: Outcome, asked: Compilation, options: Options) -> Outcome:
    """The outcome about a function that is not proved as a whole, with what its passes tell.

    The first pass that is wrong is the answer; where all are proved, refinement is transitive.
    """
    with TemporaryDirectory(prefix="sacheck-") as folder:
        try:
            steps = _steps(asked, whole.name)
            links = load_chain([_written(folder, number, step) for number, step in enumerate(steps)], whole.name)
        except InputError as wrong:
            note = f"its passes were not compared ({wrong.diagnostics[0].code}): {wrong.diagnostics[0].message}"
            return replace(whole, notes=(*whole.notes, note))
        # Messages quote the modules, which are in memory.
        return judged(whole, [step.name for step in steps[1:]], links, options)


def judged(whole: Outcome, names: Sequence[str], links: Sequence[Compared | Refused], options: Options) -> Outcome:
    """The outcome about a function as a `whole` with the steps from each module to the next one, by their names."""
    rows, opened, said, units, same = list[Result](), list[str](), whole.said, whole.units, 0
    for number, (name, link) in enumerate(zip(names, links, strict=True), 1):
        told = f"{name} ({number} of {len(names)})"
        if isinstance(link, Refused):
            why = link.why.diagnostics[0]
            opened.append(f"{told} is not accepted ({why.code}): {why.message}")
            continue
        question = question_of(link)
        if link.same:
            same += 1
            continue
        try:
            found = _decided(question, options)
        except LimitReached as limit:
            opened.append(f"{told} and those after it were not asked about: {limit.reason.value}")
            break
        said, units = together((said, question.said)), units + found.units
        rows += (replace(r, goal=replace(r.goal, name=told)) for r in found.results)
        if found.verdict is Verdict.REFUTED:
            note = f"`{told}` is the first step that is refuted"
            claim = f"{whole.claim}; here the second one is what `{name}` has made of the first one"
            notes = (*whole.notes, note, *opened)
            return replace(
                whole, verdict=Verdict.REFUTED, claim=claim, results=tuple(rows), notes=notes, said=said, units=units
            )
        if found.verdict is not Verdict.PROVED:
            opened.append(f"{told} is not decided")
    if whole.verdict is Verdict.UNKNOWN and not opened:
        note = "each step is proved, and refinement is transitive"
        return replace(
            whole, verdict=Verdict.PROVED, results=tuple(rows), notes=(*whole.notes, note), said=said, units=units
        )
    proved = same + len({r.goal.name for r in rows if r.verdict is Verdict.PROVED})
    note = f"of the {len(names)} steps that change it {proved} are proved"
    return replace(whole, notes=(*whole.notes, note, *opened), units=units)


def _decided(question: Question, options: Options) -> Outcome:
    own = replace(options, limits=allot(options.limits, EACH_STEP))
    found = decide(question.abstract, question.concrete, question.block, own)
    if question.block is None or not question.block.loops_end:
        return found
    # Few questions are about endings.
    from sa.engines.divergence import counted

    return counted(found)


def _steps(asked: Compilation, function: str) -> list[Passed]:
    """The modules from the first level of optimisation to the second one, without those that are as the one before."""
    source = os.path.abspath(asked.source)
    first, _ = ir_of(source, asked.compiler, (*shlex.split(asked.before), *asked.flags), asked.folder)
    flags = (*shlex.split(asked.after), *asked.flags)
    after = passes_of(source, asked.compiler, flags, function, asked.folder)
    steps = [Passed("", first), replace(after[0], name=f"{asked.after} without passes"), *after[1:]]
    return [steps[0], *(two for one, two in pairwise(steps) if two.text != one.text)]


def _written(folder: str, number: int, step: Passed) -> str:
    """Where a module is written; its name says after which pass it is."""
    name = re.sub(r"\W+", "-", step.name) or "before"
    path = os.path.join(folder, f"{number:02d}-{name}.ll")
    with open(path, "w", encoding="utf-8") as file:
        file.write(step.text)
    return path
