"""What generated automata must satisfy, asked of the solver and not of the domain (Theorem 6 is not assumed).

A failure is a mistake of this tool and no property of the program, so it is an exception and never an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.rename import apart
from sa.conditions.compatibility import incompatibilities
from sa.conditions.environment import identity
from sa.conditions.inductive import NotInductive, Settled, not_inductive
from sa.generation.symmetry import rotates
from sa.smt.session import UNSAT, Sat, Session, Unsat
from sa.terms import build
from sa.terms.printer import show
from sa.terms.substitute import primed, substitute


class NotGenerated(Exception):
    """What was generated is not what it should be: `certain` if the solver has shown it, otherwise it cannot tell."""

    def __init__(self, what: str, certain: bool) -> None:
        super().__init__(what)
        self.certain = certain


def verify(session: Session, threads: Sequence[Automaton]) -> None:
    """Invariants are inductive and stable, environments reflexive and allow what the others do (Definition 2).

    Of threads that rotate into each other one is looked at, and all the others as what its steps disturb.
    Raises NotGenerated, LimitReached and SolverDisagrees.
    """
    for fault in _faults(session, threads):
        raise fault


def verify_together(session: Session, threads: Sequence[Automaton]) -> None:
    """Invariants are kept by the threads' own steps and by those of the others, which the environments allow.

    Less than `verify`: environments that are larger than what the others do need not keep invariants. Raises
    NotGenerated, LimitReached and SolverDisagrees.
    """
    for thread in _starting(threads):
        alone = replace(thread, locations=tuple(replace(q, env=None) for q in thread.locations))
        for found in not_inductive(session, alone):
            raise NotGenerated(_inductive_fault(found), isinstance(found.answer, Sat))
    for fault in _clashes(session, threads, len(threads)):
        raise fault


def _faults(session: Session, threads: Sequence[Automaton]) -> Iterator[NotGenerated]:
    alike, settled = 1 if rotates(threads) else len(threads), Settled()
    for thread in _starting(threads)[:alike]:
        for found in not_inductive(session, thread, settled):
            yield NotGenerated(_inductive_fault(found), isinstance(found.answer, Sat))
        shared = variables_of(thread, Kind.GLOBAL)
        for place in thread.locations:
            assert place.env is not None
            if identity(shared) in build.disjuncts(place.env):
                continue
            still = substitute(place.env, {primed(v): v for v in shared})
            answer = UNSAT if still is build.TRUE else session.check((place.inv, build.lnot(still)))
            if not isinstance(answer, Unsat):
                what = f"the environment of {thread.name} at {place.name} is not reflexive"
                yield NotGenerated(what, isinstance(answer, Sat))
    yield from _clashes(session, threads, alike)


def _starting(threads: Sequence[Automaton]) -> tuple[Automaton, ...]:
    """The threads as they begin together: each may say of shared variables how all of them begin."""
    separate = tuple(apart(t) for t in threads)
    start = build.land(*(t.init for t in separate))
    return tuple(replace(t, init=start) for t in separate)


def _clashes(session: Session, threads: Sequence[Automaton], actors: int) -> Iterator[NotGenerated]:
    for clash in incompatibilities(session, tuple(threads), actors):
        what = f"{clash.edge.source} -> {clash.edge.target} of {clash.actor.name}"
        seen = f"{clash.observer.name} at {clash.location.name}"
        yield NotGenerated(f"{what} is not allowed by the environment of {seen}", isinstance(clash.answer, Sat))


def _inductive_fault(found: NotInductive) -> str:
    where = f"{found.automaton.name} at {found.location.name}"
    if found.initially:
        how = "initially"
    elif found.edge is not None:
        how = f"after {found.edge.source} -> {found.edge.target}"
    else:
        how = "in the environment"
    return f"the invariant of {where} does not hold {how}: {show(found.conjunct)}"
