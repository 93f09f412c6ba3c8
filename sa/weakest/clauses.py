"""Excluded steps as a few clauses `when ==> kept`, each of which forbids as much as it can."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var
from sa.weakest.steps import Class, Steps, Way


class Clause(Struct, frozen=True):
    """Where `when` holds a step keeps to `kept`. Both are over shared variables, `kept` over their primes too."""

    when: tuple[Term, ...]
    kept: Term


def formula(clause: Clause) -> Term:
    """The clause as a relation."""
    return build.lor(*(build.lnot(w) for w in clause.when), clause.kept)


def clauses(session: Session, steps: Steps, way: Way) -> tuple[Clause, ...]:
    """Clauses that exclude exactly these steps between values within the ranges. Raises LimitReached."""
    after: dict[Var, Term] = {v: primed(v) for v in way.moving}
    ranges = (*way.ranges, *(substitute(r, after) for r in way.ranges))
    every = tuple(build.lnot(build.land(*c)) for c in steps.classes)

    def inside(cube: Sequence[Term]) -> bool:
        return isinstance(session.check((*ranges, *cube, *every)), Unsat)

    def covered(cube: Sequence[Term], others: Sequence[Class]) -> bool:
        return isinstance(session.check((*ranges, *cube, *(build.lnot(build.land(*o)) for o in others))), Unsat)

    short = list(dict.fromkeys(_shorter(c, way.moving, inside, covered) for c in steps.classes))
    short.sort(key=_size)
    for cube in reversed(list(short)):
        others = [c for c in short if c is not cube]
        if covered(cube, others):
            short = others
    return _with_what_stays(tuple(map(_clause, short)))


def _with_what_stays(found: Sequence[Clause]) -> tuple[Clause, ...]:
    """The same clauses, where what always stays as it is has one name: `y' == y && x + y' == x' + y` is about x."""
    stays = {p: v for c in found if not c.when for p in c.kept.free for v in c.kept.free if c.kept is _same(p, v)}
    said = ((c, substitute(c.kept, stays)) for c in found)
    simpler = (Clause(c.when, kept) if _primed(kept) else c for c, kept in said)
    return tuple(dict.fromkeys(simpler))


def _same(after: Var, before: Var) -> Term | None:
    return build.eq(after, before) if after is primed(before) else None


def _shorter(
    cube: Class,
    moving: Sequence[Var],
    inside: Callable[[Sequence[Term]], bool],
    covered: Callable[[Sequence[Term], Sequence[Class]], bool],
) -> Class:
    """A class around this one that is excluded as a whole, with as few literals as can be; changes are preferred."""
    before = [c for c in cube if not _primed(c)]
    changed = ((build.lnot(build.eq(primed(v), v)), *before) for v in moving if any(primed(v) in c.free for c in cube))
    around = [c for c in changed if covered(cube, (c,)) and inside(c)]
    after = tuple(c for c in cube if _primed(c))
    return min((_fewest(c, inside) for c in (*around, (*before, *after))), key=_size)


def _fewest(cube: Sequence[Term], inside: Callable[[Sequence[Term]], bool]) -> Class:
    kept = list(cube)
    for literal in cube:
        rest = [c for c in kept if c is not literal]
        if inside(rest):
            kept = rest
    return tuple(sorted(kept, key=lambda t: t.key))


def _size(cube: Class) -> tuple[int, int, int]:
    changes = sum(1 for c in cube if any(c is build.lnot(build.eq(primed(v), v)) for v in c.free if not v.primes))
    return len(cube), len({v for c in cube for v in c.free}), -changes


def _clause(cube: Class) -> Clause:
    when = tuple(c for c in cube if not _primed(c))
    return Clause(when, build.lor(*(build.lnot(c) for c in cube if _primed(c))))


def _primed(literal: Term) -> bool:
    return any(v.primes for v in literal.free)
