"""The relies of `specs/paper`, which were written by hand, beside the weakest environments of the same pairs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.measure import ask
from bench.subjects import PAPER, SUBJECTS
from sa.app.refine import questions
from sa.automata.automaton import location_of
from sa.automata.program import Program
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.goal import iota_of
from sa.engines.options import Options
from sa.engines.outcome import Result
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.substitute import primed, sided, substitute
from sa.terms.term import Term, Var
from sa.weakest.infer import Environment, Weakest, weakest


class Compared(Struct, frozen=True):
    """A thread of a subject: what was found, and how it stands to the rely of the file, None where it is not known.

    `stronger`: it excludes a step that the rely allows, from a state that the proof with the rely leaves possible.
    `weaker`: it allows a step that the rely does not.
    """

    folder: str
    found: Weakest
    stronger: bool | None
    weaker: bool | None


def compared(timeout: float) -> Iterator[Compared]:
    """All threads of the paper's subjects."""
    for subject in SUBJECTS:
        yield from compare(PAPER / subject.folder, timeout)


def compare(folder: Path, timeout: float) -> Iterator[Compared]:
    """The threads of one folder. Raises InputError and LimitReached."""
    abstract, concrete = folder / "abs.sa", folder / "conc.sa"
    written = {r.goal.concrete.name: r for r in ask(abstract, concrete, timeout).results}
    (asked,) = questions((str(abstract), str(concrete)), False)
    block = None if asked.block is None else replace(asked.block, rely=())
    programs = _undeclared(asked.abstract), _undeclared(asked.concrete)
    for found in weakest(*programs, block, Options(limits(timeout, None))):
        result = written[found.thread.name]
        known = found.environment is not None and result.verdict is Verdict.PROVED
        answer = _compared(result, found.environment) if known and found.environment is not None else (None, None)
        yield Compared(folder.name, found, *answer)


def _undeclared(program: Program) -> Program:
    threads = (replace(t, locations=tuple(replace(q, env=None) for q in t.locations)) for t in program.threads)
    return replace(program, threads=tuple(threads))


def _compared(result: Result, environment: Environment) -> tuple[bool, bool]:
    """Whether the environment is stronger, and whether it is weaker than the concrete thread's rely, somewhere."""
    goal, relation = result.goal, result.relation
    assert relation is not None
    session = Session(Limits(), tuple(a.formula for a in goal.axioms))
    (thread,) = environment.programs[1].threads
    stronger = weaker = False
    for pair in relation.pairs:
        place = location_of(goal.concrete, pair.concrete)
        inferred = _on_the_concrete_side(location_of(thread, pair.concrete).env)
        states = (place.inv, location_of(goal.abstract, pair.abstract).inv, iota_of(goal), *pair.lemmas)
        after: dict[Var, Term] = {v.var: primed(v.var) for v in goal.concrete.variables if v.var.name.side is not None}
        moved = (*states, substitute(place.inv, {v: t for v, t in after.items() if primed(v) in inferred.free}))
        assert place.env is not None
        stronger |= isinstance(session.check((*moved, place.env, build.lnot(inferred))), Sat)
        weaker |= isinstance(session.check((*moved, inferred, build.lnot(place.env))), Sat)
    return stronger, weaker


def _on_the_concrete_side(env: Term | None) -> Term:
    assert env is not None
    return substitute(env, {v: sided(v, "conc") for v in env.free})
