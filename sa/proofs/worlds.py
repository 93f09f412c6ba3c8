"""The programs of a script, their threads annotated: invariants and environments inferred where none are declared.

Every step of a script speaks of these same automata. What is inferred is checked once for each program, before the
first step: Theorem 6 is not assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sa.automata.automaton import Automaton, Kind, Location, variables_of
from sa.automata.program import Program
from sa.automata.proof import Member, Script
from sa.base.diagnostic import InputError, error
from sa.certificates.threads import Annotated
from sa.checker.obligation import Obligation, discharge
from sa.checker.ruling import Rejected
from sa.checker.threads import annotation_fault, together
from sa.composition.environment import closed, declared, identity
from sa.generation.checks import NotGenerated
from sa.generation.generate import automata, generate, weakened
from sa.generation.visibility import Rung
from sa.obligations.inductive import not_inductive, not_inductive_diagnostic
from sa.proofs.facts import Side
from sa.refinement.missing import conditions_of
from sa.refinement.options import Options
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: Solver resources to see that axioms contradict each other, which is seen soon or not at all.
SOON = 2_000_000


@dataclass(frozen=True, slots=True)
class World:
    """A program and its threads annotated; `goals` are the same automata with invariants that say less.

    `inferred` says that environments were not declared.
    """

    program: Program
    threads: Mapping[str, Annotated]
    goals: Mapping[str, Automaton]
    inferred: bool


def worlds_of(script: Script, session: Session, options: Options) -> dict[str, World]:
    """The programs that the script mentions, by alias.

    Raises LimitReached, InputError, and NotGenerated on an internal error.
    """
    if script.axioms and isinstance(session.again(SOON).check(()), Unsat):
        hint = "the axioms of all programs are assumed together, and from these anything follows"
        raise InputError((error("SA501", "the axioms contradict each other", script.axioms[0].origin.span, hint),))
    conditions = conditions_of(t for p in script.programs.values() for t in p.threads)
    found = dict[str, World]()
    for alias, written in script.programs.items():
        program = _starting_together(written)
        _all_or_none(program)
        inferred = len(program.threads) > 1 and not any(declared(t) for t in program.threads)
        if not inferred:
            made = tuple(_reflexive(session, t) if declared(t) else closed(t) for t in program.threads)
            weak = made
        else:
            known = generate(program.threads, Rung.HIDDEN, options.limits)
            made = automata(known, session, conditions)
            weak = weakened(known, made)
        threads = {t.name: Annotated(t, m) for t, m in zip(program.threads, made, strict=True)}
        if inferred:
            _check(session, tuple(threads.values()))
        else:
            _uncut(session, made)
        found[alias] = World(program, threads, {t.name: t for t in weak}, inferred)
    return found


def _starting_together(program: Program) -> Program:
    """What a thread says of shared variables at the start is so for all threads, as they start together."""
    shared = frozenset(v.var for t in program.threads for v in t.variables if v.kind is not Kind.LOCAL)
    said = [c for t in program.threads for c in build.conjuncts(t.init) if c.free <= shared]
    return replace(program, threads=tuple(replace(t, init=build.land(t.init, *said)) for t in program.threads))


def _reflexive(session: Session, thread: Automaton) -> Automaton:
    """The thread in an environment that may do nothing, whether that is declared or not (THEORY section 1)."""
    shared = variables_of(thread, Kind.GLOBAL)
    still: dict[Var, Term] = {primed(v): v for v in shared}

    def with_identity(place: Location) -> Location:
        env = build.TRUE if place.env is None else place.env
        if not session.implied(substitute(env, still), (place.inv,)):
            env = build.lor(env, identity(shared))
        return replace(place, env=env)

    return replace(thread, locations=tuple(with_identity(q) for q in thread.locations))


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


def side_of(worlds: Mapping[str, World], members: tuple[Member, ...]) -> Side:
    """The composition of some threads of one program."""
    alias = members[0][0]
    world = worlds[alias]
    threads = tuple(world.threads[name] for _, name in members)
    return Side(alias, threads, {name for _, name in members} == set(world.threads) and not assumes(world))


def assumes(world: World) -> bool:
    """Whether somebody outside of the program is assumed to move."""
    return any(declared(t) for t in world.program.threads)


def members_only(world: World, members: tuple[Member, ...]) -> Program:
    """The program with these threads only, in this order, as goals take them."""
    return replace(world.program, threads=tuple(world.goals[name] for _, name in members))


def faults(side: Side) -> Iterator[str]:
    """What keeps annotated threads from being the written ones."""
    yield from (fault for t in side.threads if (fault := annotation_fault(t)) is not None)


def compatible(side: Side) -> Iterator[Obligation]:
    """That the annotations are true and the threads compatible (Definition 2)."""
    yield from together(side.threads)
