"""`generate`: a program with inferred invariants and environments, as a program that can be printed and read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.program import Program
from sa.automata.ranges import within
from sa.base.diagnostic import Diagnostic, Severity, warning
from sa.base.limits import Limits
from sa.base.verdict import Reason, Unknown
from sa.conditions.environment import declared
from sa.conditions.joint_inductiveness import uncut
from sa.frontends.load import load_program
from sa.generation.checks import NotGenerated
from sa.generation.environment import Change
from sa.generation.generate import Generated, changes, generate, unbounded, verified
from sa.generation.visibility import Exposed, Level
from sa.language.unparse import show_program
from sa.terms import build
from sa.terms.term import Var

#: What an invariant of a thread may speak of, as the command line says it.
VISIBLE = {"shared": Level.HIDDEN, "locations": Level.LOCATIONS, "locals": Level.LOCALS}


class Inferred(Struct, frozen=True):
    """A program whose threads have invariants and environments that were checked, its text, and what was noticed."""

    program: Program
    text: str
    diagnostics: tuple[Diagnostic, ...]


def infer(path: str, level: Level, closures: bool, split: bool, bounds: Limits) -> Inferred | Unknown:
    """Infer, check, print; `closures` are short environments, otherwise they are as exact as can be.

    Raises InputError, LimitReached, and NotGenerated where the solver rejects what was inferred: a bug of sacheck.
    """
    loaded = load_program(path, split)
    program = loaded.program
    doubt = uncut(program.threads, program.axioms, bounds)
    if doubt is not None:
        return Unknown(Reason.SOLVER, doubt)
    known = generate(program.threads, level, bounds, (v.var.name for v in program.variables))
    try:
        made = verified(known, tuple(a.formula for a in program.axioms), closures, bounds)
    except NotGenerated as fault:
        if fault.certain:
            raise
        return Unknown(Reason.SOLVER, str(fault))
    result = _with_ghosts(replace(program, threads=made), known.exposure)
    notes = (*loaded.warnings, *_replaced(program), *_given_up(program, known))
    return Inferred(result, show_program(result, _comments(made, changes(known))), notes)


def _with_ghosts(program: Program, exposure: Exposed) -> Program:
    """The program with what was made visible declared; locals that are read by their thread are ghosts no more."""
    counters = frozenset(exposure.counters.values())
    old = frozenset(v.var for v in program.variables)

    def plain(v: Variable) -> Variable:
        return replace(v, ghost=False) if v.ghost and v.var not in old and v.var not in counters else v

    threads = tuple(replace(t, variables=tuple(plain(v) for v in t.variables)) for t in program.threads)
    new = tuple(v for v in threads[0].variables if v.kind is not Kind.LOCAL and v.var not in old) if threads else ()
    shared = old | {v.var for v in new}
    start = (c for t in threads for c in build.conjuncts(t.init) if c.free <= shared)
    init = build.land(program.init, *start, *map(within, new)) if new else program.init
    return replace(program, variables=(*program.variables, *new), init=init, threads=threads)


def _comments(made: Iterable[Automaton], by_thread: Mapping[str, tuple[Change, ...]]) -> dict[str, tuple[str, ...]]:
    """For each thread who of the others writes what."""
    writes = {name: _written(found) for name, found in by_thread.items()}
    return {
        t.name: tuple(
            f"{name} writes {', '.join(v.name for v in written)}"
            for name, written in writes.items()
            if name != t.name and written
        )
        for t in made
    }


def _written(found: Iterable[Change]) -> list[Var]:
    return sorted({v for c in found for v in (*c.updates, *c.loose)}, key=lambda v: v.key)


def _replaced(program: Program) -> tuple[Diagnostic, ...]:
    return tuple(
        warning(
            "SA510",
            f"`{t.name}` declares an environment; the inferred one replaces it",
            t.origin.span,
            "the inferred environments hold only if exactly the threads of this file run together",
        )
        for t in program.threads
        if declared(t)
    )


def _given_up(program: Program, known: Generated) -> tuple[Diagnostic, ...]:
    spans = {t.name: t.origin.span for t in program.threads}
    return tuple(
        Diagnostic(
            "SA511",
            Severity.NOTE,
            words,
            spans[thread],
            hint="only bounds that follow from comparisons with constants are found; write others as `inv`",
        )
        for thread, words in unbounded(known).items()
    )
