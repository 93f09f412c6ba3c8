"""What silent abstract steps lead to, however many they are: relations that hold of none and are kept by one more.

Conjunctions of candidates: a variable stays, only grows or shrinks, keeps its remainder, moves along with another one,
or satisfies a test of the program. Those that no silent step breaks are what is left (Houdini).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import gcd

from sa.automata.automaton import Edge
from sa.automata.ranges import within
from sa.certificates.play import Silent
from sa.game.board import Board
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import INT
from sa.terms.substitute import primed, substitute
from sa.terms.term import IsZero, Le, Term, Var

#: The most candidates between two locations, and the most variables that are compared with each other.
OFFERED, COMPARED = 120, 6


def silence(session: Session, board: Board, sources: Sequence[str]) -> tuple[Silent, ...]:
    """What silent steps from these locations lead to. Raises LimitReached."""
    silent = {q: [e for _, e in edges if e.label is None] for q, edges in board.abstract.edges.items()}
    everything = [e for edges in silent.values() for e in edges]
    offered = tuple(dict.fromkeys(_candidates(board, everything)))[:OFFERED]
    found = list[Silent]()
    for source in sources:
        kept = _kept(session, board, silent, source, offered)
        found.extend(Silent(source, target, build.land(*formulas)) for target, formulas in kept.items())
    return tuple(found)


def _kept(
    session: Session, board: Board, silent: Mapping[str, list[Edge]], source: str, offered: tuple[Term, ...]
) -> dict[str, list[Term]]:
    """The candidates that hold of every target that silent steps from the source lead to."""
    variables = (*board.abstract.globals, *board.abstract.locals)
    stays: dict[Var, Term] = {primed(v): v for v in variables}
    later: dict[Var, Term] = {v: primed(v) for v in variables}
    inv = {q: p.inv for q, p in board.abstract.locations.items()}
    kept = {source: _holding(session, (inv[source],), {f: substitute(f, stays) for f in offered})}
    waiting = [source]
    while waiting:
        middle = waiting.pop()
        for edge in silent[middle]:
            taken = build.land(inv[middle], edge.guard, *(within(c) for c in edge.choices))
            reached = {**later, **{v: substitute(t, later) for v, t in edge.updates}}
            known = (inv[source], *kept[middle], substitute(taken, later), substitute(inv[edge.target], reached))
            if isinstance(session.check(build.conjoined(known)), Unsat):
                continue
            moved = {primed(v): reached[v] for v in variables}
            before = kept.get(edge.target)
            after = _holding(session, known, {f: substitute(f, moved) for f in (offered if before is None else before)})
            if before is None or len(after) < len(before):
                kept[edge.target] = after
                waiting.append(edge.target)
    return kept


def _holding(session: Session, known: Sequence[Term], goals: Mapping[Term, Term]) -> list[Term]:
    """The formulas whose goals follow from what is known."""
    hypotheses = build.conjoined(known)
    left = {f: g for f, g in goals.items() if g is not build.TRUE and g not in hypotheses}
    lost = set[Term]()
    while left:
        answer = session.check((*hypotheses, build.lnot(build.land(*left.values()))))
        if isinstance(answer, Unsat):
            break
        fallen = {f for f, g in left.items() if isinstance(answer, Sat) and _is_false(g, answer)}
        fallen = fallen or {f for f, g in left.items() if not session.implied(g, hypotheses)}
        if not fallen:
            break
        lost |= fallen
        left = {f: g for f, g in left.items() if f not in fallen}
    return [f for f in goals if f not in lost]


def _is_false(goal: Term, answer: Sat) -> bool:
    try:
        return not holds(goal, answer.values)
    except Unevaluable:
        return False


def _candidates(board: Board, edges: Sequence[Edge]) -> Iterator[Term]:
    variables = (*board.abstract.globals, *board.abstract.locals)
    numbers = [v for v in variables if v.sort == INT and any(dict(e.updates).get(v, v) is not v for e in edges)]
    steps = {v: [build.sub(dict(e.updates).get(v, v), v) for e in edges] for v in numbers}
    for var in variables:
        yield build.eq(primed(var), var)
    for var in numbers:
        yield build.le(var, primed(var))
        yield build.le(primed(var), var)
        yield from _remainders(var, steps[var])
    later: dict[Var, Term] = {v: primed(v) for v in variables}
    for formula in dict.fromkeys(a for e in edges for c in build.conjuncts(e.guard) for a in _weaker(c)):
        if formula.free and formula.free <= later.keys():
            holds_then = substitute(formula, later)
            yield holds_then
            # Or a variable of the test is where it was before the first step.
            yield from (build.lor(holds_then, build.eq(primed(v), v)) for v in _changing(formula, numbers))
    for var in variables:
        yield from _assigned(var, edges, later)
    yield from _together(numbers[:COMPARED], steps)


def _assigned(var: Var, edges: Sequence[Edge], later: Mapping[Var, Term]) -> Iterator[Term]:
    """A variable has what was assigned to it last, as it was before the first step or is now, or was not changed."""
    still = build.eq(primed(var), var)
    given = (t for e in edges for v, t in e.updates if v is var and var not in t.free and t.free <= later.keys())
    values = dict.fromkeys(value for t in given for value in (t, substitute(t, later)))
    equal = [build.eq(primed(var), value) for value in values]
    for one in equal:
        yield one
        yield build.lor(one, still)
    if len(equal) > 1:
        yield build.lor(*equal, still)


def _changing(formula: Term, numbers: Sequence[Var]) -> list[Var]:
    return [v for v in numbers if v in formula.free]


def _remainders(var: Var, steps: Sequence[Term]) -> Iterator[Term]:
    """What changes by multiples of a number keeps its remainder."""
    factors = list[int]()
    for step in steps:
        const, parts = build.linear_parts(step)
        factors += [const, *parts.values()]
    size = gcd(*factors)
    if size > 1:
        yield build.eq(build.mod(primed(var), size), build.mod(var, size))


def _weaker(formula: Term) -> Iterator[Term]:
    """A test, and what is left of its bound after the step that uses it up."""
    if isinstance(formula, Le | IsZero):
        yield formula
        yield build.lnot(formula)
        if isinstance(formula, Le):
            yield build.le(formula.total, build.ONE)


def _together(numbers: Sequence[Var], steps: Mapping[Var, list[Term]]) -> Iterator[Term]:
    """Two numbers that change by constants in proportion to each other."""
    for one, other in combinations(numbers, 2):
        pairs = [(build.linear_parts(a), build.linear_parts(b)) for a, b in zip(steps[one], steps[other], strict=True)]
        moved = {a[0] for a, _ in pairs if not a[1] and a[0]}, {b[0] for _, b in pairs if not b[1] and b[0]}
        for first in sorted(moved[0]):
            for second in sorted(moved[1]):
                ways = [build.scale(f, build.sub(primed(v), v)) for f, v in ((second, one), (first, other))]
                yield build.eq(*ways)
                yield build.le(*ways)
                yield build.le(ways[1], ways[0])
