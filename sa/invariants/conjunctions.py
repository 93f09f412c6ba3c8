"""Horn clauses solved by conjunctions of given candidates: the strongest ones that the clauses leave (Houdini).

Predicates begin as impossible. A clause whose body is possible makes its head possible: then the head has all
candidates that hold after the clause, and loses those that fail after another one. What is left is a proposal for the
checker.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from sa.base.limits import Limits, check_time
from sa.invariants.houdini import surviving
from sa.smt.horn import Atom, Clause
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import substitute, substitution
from sa.terms.term import Term, Var

#: By predicate what is claimed of its parameters; None where it is impossible.
Claimed: TypeAlias = Mapping[str, tuple[Term, ...] | None]


def conjunctions(
    session: Session,
    parameters: Mapping[str, Sequence[Var]],
    clauses: Sequence[Clause],
    offered: Mapping[str, Sequence[Term]],
    bounds: Limits,
) -> dict[str, Term]:
    """Predicates over their parameters that satisfy all clauses that have a head. Raises LimitReached."""
    kept: dict[str, tuple[Term, ...] | None] = dict.fromkeys(parameters, None)
    steps = [c for c in clauses if c.head is not None]
    said_of = [tuple(substitution(_changed(parameters, a)) for a in c.body) for c in steps]
    heads = [substitution(_changed(parameters, c.head)) for c in steps if c.head is not None]
    readers: dict[str, list[int]] = {name: [] for name in parameters}
    for number, clause in enumerate(steps):
        for atom in clause.body:
            readers[atom.predicate].append(number)
    waiting = deque(n for n, c in enumerate(steps) if not c.body)
    queued = set(waiting)
    bare = session.bare()
    while waiting:
        check_time(bounds)
        number = waiting.popleft()
        queued.discard(number)
        head = steps[number].head
        assert head is not None
        known = _known(said_of[number], kept, steps[number])
        if known is None:
            continue
        before = kept[head.predicate]
        candidates = tuple(offered[head.predicate]) if before is None else before
        left = surviving(session, bare, known, candidates, heads[number])
        if left != before:
            kept[head.predicate] = left
            waiting.extend(n for n in dict.fromkeys(readers[head.predicate]) if n not in queued)
            queued.update(readers[head.predicate])
    return {name: build.FALSE if said is None else build.land(*said) for name, said in kept.items()}


def impossible(
    session: Session, parameters: Mapping[str, Sequence[Var]], found: Mapping[str, Term], clause: Clause
) -> bool:
    """Whether the body of a clause certainly is, as far as is known of its predicates. Raises LimitReached."""
    said_of = tuple(substitution(_changed(parameters, a)) for a in clause.body)
    known = _known(said_of, {name: build.conjuncts(said) for name, said in found.items()}, clause)
    return known is None or session.implied(build.FALSE, known)


def under(
    parameters: Mapping[str, Sequence[Var]], found: Mapping[str, Term], clauses: Iterable[Clause]
) -> Iterator[Clause]:
    """The clauses where what was found of predicates is known of their bodies; without those that are impossible."""
    for clause in clauses:
        said = [
            f
            for atom in clause.body
            if atom.predicate in found
            for f in (substitute(found[atom.predicate], _changed(parameters, atom)),)
        ]
        constraint = build.land(clause.constraint, *said)
        if constraint is not build.FALSE:
            yield replace(clause, constraint=constraint)


def _known(said_of: Sequence[Callable[[Term], Term]], kept: Claimed, clause: Clause) -> tuple[Term, ...] | None:
    """The body of a clause and its constraint; None where the body is impossible.

    `said_of` takes what is said of a predicate's parameters to what it says of the arguments of each atom.
    """
    found = [clause.constraint]
    for atom, said in zip(clause.body, said_of, strict=True):
        formulas = kept[atom.predicate]
        if formulas is None:
            return None
        found += map(said, formulas)
    known = build.conjoined(found)
    return None if build.FALSE in known else known


def _changed(parameters: Mapping[str, Sequence[Var]], atom: Atom) -> dict[Var, Term]:
    """The arguments that are not the parameters themselves: most are, and substitution looks at what changes only."""
    return {v: t for v, t in zip(parameters[atom.predicate], atom.arguments, strict=True) if v is not t}
