"""The programs of a script, their threads annotated: invariants and environments inferred where none are declared.

Every step of a script speaks of these same automata. What is inferred is checked once for each program, before the
first step: Theorem 6 is not assumed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.automata.proof import Script
from sa.base.diagnostic import InputError, error
from sa.certificates.threads import Annotated
from sa.checker.obligation import discharge
from sa.checker.ruling import Rejected
from sa.checker.threads import together
from sa.conditions.environment import closed, declared, reflexive
from sa.conditions.inductive import not_inductive, not_inductive_diagnostic
from sa.engines.options import Options
from sa.generation.checks import NotGenerated
from sa.generation.generate import automata, generate, weakened
from sa.generation.visibility import Level
from sa.refinement.missing import conditions_of
from sa.rules.annotated_programs import World, infers, starting_together
from sa.smt.session import Session, Unsat

#: Solver resources to see that axioms contradict each other, which is seen soon or not at all.
SOON = 2_000_000


def worlds_of(script: Script, session: Session, options: Options) -> dict[str, World]:
    """The programs that the script mentions, by alias.

    Raises LimitReached, InputError, and NotGenerated on an internal error.
    """
    if script.axioms and isinstance(session.again(SOON).check(()), Unsat):
        hint = "the axioms of all programs are assumed, and anything follows from a contradiction"
        raise InputError((error("SA501", "the axioms contradict each other", script.axioms[0].origin.span, hint),))
    conditions = conditions_of(t for p in script.programs.values() for t in p.threads)
    found = dict[str, World]()
    for alias, written in script.programs.items():
        program = starting_together(written)
        _all_or_none(program)
        if not infers(program):
            made = tuple(reflexive(t)[0] if declared(t) else closed(t) for t in program.threads)
            weak = made
        else:
            known = generate(program.threads, Level.HIDDEN, options.limits)
            made = automata(known, session, conditions)
            weak = weakened(known, made)
        threads = {t.name: Annotated(t, m) for t, m in zip(program.threads, made, strict=True)}
        if infers(program):
            _check(session, tuple(threads.values()))
        else:
            _uncut(session, made)
        found[alias] = World(program, threads, {t.name: t for t in weak}, infers(program))
    return found


def _all_or_none(program: Program) -> None:
    """Environments are declared for all threads or inferred for all. Raises InputError."""
    lacking = [t for t in program.threads if not declared(t)]
    if lacking and len(lacking) < len(program.threads):
        hint = "write a rely for each thread, or for none: then environments are inferred from the programs"
        message = f"the thread `{lacking[0].name}` has no rely, but other threads here do"
        raise InputError((error("SA406", message, lacking[0].origin.span, hint),))


def _uncut(session: Session, threads: Sequence[Automaton]) -> None:
    """Written invariants must not cut runs (THEORY section 1). Raises InputError."""
    found = [f for t in threads for f in not_inductive(session, t)]
    if found:
        raise InputError(tuple(dict.fromkeys(not_inductive_diagnostic(f) for f in found)))


def _check(session: Session, threads: tuple[Annotated, ...]) -> None:
    """What was inferred is true (Theorem 6 is not assumed). Raises NotGenerated."""
    for obligation in together(threads):
        failure = discharge(session, frozenset(), obligation)
        if failure is not None:
            what = f"{failure.obligation} of {failure.where}: {failure.why}"
            raise NotGenerated(what, isinstance(failure, Rejected))
