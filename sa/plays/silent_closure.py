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
from sa.invariants.conjunctions import conjunctions
from sa.smt.horn import Atom, Clause
from sa.smt.session import Session
from sa.terms import build
from sa.terms.compile import Row
from sa.terms.sort import INT
from sa.terms.substitute import primed, substitute
from sa.terms.term import IsZero, Le, Term, Var

#: The most candidates between two locations, and the most variables that are compared with each other.
OFFERED, COMPARED = 120, 6


def silence(session: Session, board: Board, sources: Sequence[str]) -> tuple[Silent, ...]:
    """What silent steps from these locations lead to. Raises LimitReached."""
    silent = [e for edges in board.abstract.edges.values() for _, e in edges if e.label is None]
    # What no step leads to has all candidates, and FALSE is one of them.
    offered = (build.FALSE, *tuple(dict.fromkeys(_candidates(board, silent)))[:OFFERED])
    variables = (*board.abstract.globals, *board.abstract.locals)
    parameters = dict.fromkeys(board.abstract.locations, (*variables, *map(primed, variables)))
    nothing: dict[str, tuple[Row, ...]] = dict.fromkeys(parameters, ())
    found = list[Silent]()
    for source in sources:
        steps = tuple(_steps(board, source))
        said = conjunctions(session, parameters, steps, dict.fromkeys(parameters, offered), session.bounds, nothing)
        found += (Silent(source, target, formula) for target, formula in said.items() if formula is not build.FALSE)
    return tuple(found)


def _steps(board: Board, source: str) -> Iterator[Clause]:
    """What silent steps from the source lead to: a predicate for each target, over the states before and after."""
    variables = (*board.abstract.globals, *board.abstract.locals)
    later: dict[Var, Term] = {v: primed(v) for v in variables}
    inv = {q: p.inv for q, p in board.abstract.locations.items()}
    yield Clause((), inv[source], Atom(source, (*variables, *variables)))
    for middle, edges in board.abstract.edges.items():
        for edge in (e for _, e in edges if e.label is None):
            taken = build.land(inv[middle], edge.guard, *(within(c) for c in edge.choices))
            reached = {**later, **{v: substitute(t, later) for v, t in edge.updates}}
            known = build.land(inv[source], substitute(taken, later), substitute(inv[edge.target], reached))
            here, there = (*variables, *later.values()), (*variables, *(reached[v] for v in variables))
            yield Clause((Atom(middle, here),), known, Atom(edge.target, there))


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
