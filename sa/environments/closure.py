"""Reflexive and transitive closures of environment relations (THEORY section 3, "env* must be closed").

A relation is a formula over variables and their primes. First the exact closure: pairs that two steps reach
and one does not are added, cube by cube, until there are none; relations that are transitive already, as
most are, take one question. Where that does not end, the strongest relation out of a family of reflexive
and transitive templates that contains the relation: an over-approximation, good for proofs only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from sa.conditions.environment import identity
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.atoms import atoms
from sa.terms.implicant import implicant
from sa.terms.project import project
from sa.terms.sort import INT
from sa.terms.substitute import primed, substitute
from sa.terms.term import IsZero, Le, Term, Var

#: How many cubes the exact closure may add before it gives up.
CUBE_BOUND = 40

#: A closure whose cubes have more different equations and bounds of the same variables, such as `x' == x + 2`,
#: `x' == x + 3`, …, is taken for one without an end.
ALIKE = 10


class Closure(Struct, frozen=True):
    """A reflexive, transitive relation that contains the environment; `exact` if it is the smallest one."""

    relation: Term
    exact: bool


def close(session: Session, step: Term, variables: Sequence[Var], invariant: Term) -> Closure:
    """The closure of `step` over `variables`, between states that satisfy `invariant`.

    `invariant` may mention variables that do not change. The result is restricted to `invariant` after the step
    and to be used where it holds before.
    """
    after: dict[Var, Term] = {v: primed(v) for v in variables}
    kept = substitute(invariant, after)
    relation = build.land(step, kept)
    if _frame_only(step, variables):
        return Closure(relation, True)
    if not session.implied(substitute(step, {primed(v): v for v in variables}), (invariant,)):
        relation = build.lor(relation, identity(variables))
    exact = _saturate(session, relation, variables, invariant)
    if exact is not None:
        return Closure(exact, True)
    return Closure(build.land(*_templates(session, relation, variables, invariant), kept), False)


def _frame_only(step: Term, variables: Sequence[Var]) -> bool:
    """Whether the step leaves some variables alone and does not speak of the others: reflexive and transitive."""
    frame = {build.eq(primed(v), v) for v in variables}
    return all(c in frame for c in build.conjuncts(step))


def _saturate(session: Session, relation: Term, variables: Sequence[Var], invariant: Term) -> Term | None:
    middle = {v: build.variable(v.name, v.sort, 2) for v in variables}
    to_middle = {primed(v): m for v, m in middle.items()}
    alike = defaultdict[frozenset[Var], set[Term]](set)
    for _ in range(CUBE_BOUND):
        first = substitute(relation, to_middle)
        second = substitute(relation, middle)
        question = (invariant, substitute(invariant, middle), first, second, build.lnot(relation))
        answer = session.check(question)
        if isinstance(answer, Unsat):
            return relation
        if not isinstance(answer, Sat):
            return None
        literals = implicant((first, second), answer.values)
        cube, _ = project(literals, middle.values(), answer.values)
        for literal in cube:
            if isinstance(literal, IsZero | Le):
                alike[literal.free].add(literal)
        if any(len(found) > ALIKE for found in alike.values()):
            return None
        relation = build.lor(relation, build.land(*cube))
    return None


def _templates(session: Session, relation: Term, variables: Sequence[Var], invariant: Term) -> Iterator[Term]:
    """Templates, each reflexive and transitive, that every step satisfies; so is their conjunction."""
    for template in _candidates(relation, variables):
        if session.implied(template, (invariant, relation)):
            yield template


def _candidates(relation: Term, variables: Sequence[Var]) -> Iterator[Term]:
    after = {v: primed(v) for v in variables}
    guards = [
        g for g in sorted({*atoms(relation)}, key=lambda t: t.key) if g.free and all(not v.primes for v in g.free)
    ]
    preserved = [build.implies(g, substitute(g, after)) for g in guards]
    yield from preserved
    for var in variables:
        same = build.eq(primed(var), var)
        yield same
        if var.sort == INT:
            yield build.le(var, primed(var))
            yield build.le(primed(var), var)
        for guard, kept in zip(guards, preserved, strict=True):
            yield build.land(build.implies(guard, same), kept)
