"""Equations of degree two that a side keeps by itself: sums that loops compute, and products of how often they ran.

Random runs of the side alone say which equations may hold at a location: all linear dependencies between monomials of
degree at most two. Often one holds only if a loop is entered at all, so that tests at the start are tried as
assumptions. Of all these candidates those are kept that no step breaks (Houdini); nothing else is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from random import Random

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.base.limits import spend
from sa.certificates.run import Bad, Failing
from sa.explicit.transition_system import Whole, whole
from sa.invariants.linear import null_space
from sa.invariants.random_walks import moves_of, step
from sa.invariants.samples import remainders
from sa.invariants.weak import inductive
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.atoms import atoms
from sa.terms.compile import Row, executable, predicate
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.solve import extended, solution
from sa.terms.sort import INT, default_value, number
from sa.terms.substitute import substitute
from sa.terms.term import Product, Term, Var, subterms

#: Initial states: at first few, which mostly tell that all equations are linear, then
#: more. Runs from each, their steps, and states that are kept of each run at each location.
FEW, STARTS, RUNS, STEPS, EACH = 10, 40, 3, 200, 6

#: Monomials that are compared: all of degree at most two over seven variables.
COLUMNS = 36

#: States beyond the number of monomials from which equations are made; all are asked whether these hold.
MORE = 8

#: Values that what is loose at the start begins with, and how often they are drawn before the solver is asked.
VALUES, DRAWS = range(-2, 8), 20

#: Coefficients at most: what few states have in common by chance has large ones.
COEFFICIENT = 40

#: Remainders that equations are about, too.
RESTS = 2

#: Tests at the start that are tried as assumptions.
TESTS = 3


class _Side(Struct, frozen=True, eq=False):
    """A side by itself; `numbers` are its variables that equations are about, `fixed` those that no step changes.

    Equations are also about `rests`, remainders by the names that they have as numbers. `begun` are the values at the
    start that follow from others; None where initial states cannot be drawn.
    """

    automaton: Automaton
    w: Whole
    order: tuple[Var, ...]
    numbers: tuple[Var, ...]
    fixed: frozenset[Var]
    rests: Mapping[Var, Term]
    begun: Mapping[Var, Term] | None


def equations(
    session: Session, automaton: Automaton, own: frozenset[Var], known: Mapping[str, Sequence[Term]], seed: int = 0
) -> dict[str, tuple[Term, ...]]:
    """Equations over the side's `own` variables that hold where it is, given what is `known` there; none where all are
    linear. Raises LimitReached.
    """
    side = _side(automaton, own)
    if side is None:
        return {}
    random, seen, offered = Random(seed), dict[str, dict[Row, None]](), dict[str, tuple[Term, ...]]()
    for starts in (FEW, STARTS - FEW):
        _see(seen, side, session, random, starts)
        offered = {place: _candidates(side, tuple(rows)) for place, rows in seen.items()}
        # What more states have in common, fewer have as well.
        if not any(_is_square(f) for formulas in offered.values() for f in formulas):
            return {}
    # Where no run came, nothing is known of what holds: all that is known elsewhere is tried.
    pool = tuple(dict.fromkeys(f for formulas in offered.values() for f in formulas))
    begun = {q.name: (*known.get(q.name, ()), *offered.get(q.name, pool)) for q in automaton.locations}
    kept = {place: build.conjuncts(f) for place, f in inductive(session, automaton, begun, {}).items()}
    found = {place: tuple(f for f in fs if f not in known.get(place, ())) for place, fs in kept.items()}
    return found if any(_is_square(f) for fs in found.values() for f in fs) else {}


def _side(automaton: Automaton, own: frozenset[Var]) -> _Side | None:
    """The side as far as runs of it can be made; None where they cannot, or where no loop computes anything."""
    w = whole((automaton,), Bad(Failing(), None))
    order = tuple(v.var for v in automaton.variables)
    moved = {v for e in automaton.edges for v, t in e.updates if t is not v}
    numbers = tuple(v for v in order if v.sort == INT and v in own)
    counted = [v for v in numbers if v in moved]
    if w.partial or len(w.variables) != len(order) or len(counted) < 2:
        return None
    terms = (t for e in automaton.edges for t in (e.guard, *(value for _, value in e.updates)))
    begun = extended({}, build.conjuncts(w.init)) if executable((w.init,), [v.var for v in w.variables]) else None
    return _Side(automaton, w, order, numbers, frozenset(order) - moved, remainders(terms, numbers, RESTS), begun)


def _candidates(side: _Side, rows: Sequence[Row]) -> tuple[Term, ...]:
    """What may hold at a location, in the side's variables."""
    return tuple(dict.fromkeys(substitute(f, side.rests) for f in _offered(side, rows)))


def _see(found: dict[str, dict[Row, None]], side: _Side, session: Session, random: Random, starts: int) -> None:
    """Add the states of runs from so many initial states, by location, as values of the side's variables."""
    moves = moves_of(side.w)[0]
    begun = [row for _ in range(starts) if (row := _start(side, session, random)) is not None]
    for row in begun * RUNS:
        spend(session.bounds, 80)
        met = dict[int, list[Row]]()
        # Some runs go the same way time and again, so that loops which choices end go on for long.
        liked, often = (
            {at: random.choice(here) for at, here in enumerate(moves) if here},
            random.choice((0.0, 0.6, 0.9)),
        )
        for _ in range(STEPS):
            at = row[0]
            assert isinstance(at, int)
            met.setdefault(at, []).append(row[1:])
            after = step((liked[at],), row, random) if at in liked and random.random() < often else None
            after = step(moves[at], row, random) if after is None else after
            if after is None:
                break
            row = after  # the run goes on
        for at, rows in met.items():
            # Neighbours in a run are too much alike.
            some = random.sample(rows, min(len(rows), EACH))
            found.setdefault(side.automaton.locations[at].name, {}).update(dict.fromkeys(map(tuple, some)))


def _start(side: _Side, session: Session, random: Random) -> Row | None:
    """An initial state with small numbers, negative ones too."""
    found = _drawn(side, random) or _asked(side, session, random)
    if found is None:
        return None
    return (*side.w.start, *(found.get(v.var, default_value(v.var.sort)) for v in side.w.variables))


def _drawn(side: _Side, random: Random) -> State | None:
    """An initial state by chance; None where most states are none."""
    if side.begun is None:
        return None
    variables = [v.var for v in side.w.variables]
    for _ in range(DRAWS):
        drawn = {v: random.choice(VALUES) if v.sort == INT else default_value(v.sort) for v in variables}
        state = {**drawn, **{v: evaluate(term, drawn) for v, term in side.begun.items()}}
        if holds(side.w.init, state):
            return state
    return None


def _asked(side: _Side, session: Session, random: Random) -> State | None:
    known = [side.w.init]
    for v in (v.var for v in side.w.variables):
        wish = build.eq(v, build.integer(random.choice(VALUES))) if v.sort == INT else build.TRUE
        if wish is not build.TRUE and isinstance(session.check((*known, wish)), Sat):
            known.append(wish)
    found = session.check(known)
    return found.values if isinstance(found, Sat) else None


def _offered(side: _Side, rows: Sequence[Row]) -> Iterator[Term]:
    """What may hold in all states, and what may hold of those that began with some test true, or false."""
    known = (*side.numbers, *side.rests)
    always = list(_between(known, _numbers(side, rows)))
    yield from always
    for test in _tests(side):
        for assumed in (test, build.lnot(test)):
            holds = predicate(assumed, side.order)
            some = [row for row in rows if holds(row)]
            found = _between(known, _numbers(side, some)) if len(some) < len(rows) else ()
            for formula in found:
                if formula not in always:
                    yield build.implies(assumed, formula)


def _tests(side: _Side) -> tuple[Term, ...]:
    """How tests come out at the start, as far as that depends on what no step changes."""
    begun = dict(filter(None, (solution(c, frozenset(side.order)) for c in build.conjuncts(side.automaton.init))))
    found = dict.fromkeys(substitute(a, begun) for e in side.automaton.edges for a in atoms(e.guard))
    return tuple(f for f in found if f.free and f.free <= side.fixed and executable((f,), side.order))[:TESTS]


def _numbers(side: _Side, rows: Sequence[Row]) -> list[dict[Var, int]]:
    found, own = list[dict[Var, int]](), set(side.numbers)
    for row in rows:
        values = {v: value for v, value in zip(side.order, row, strict=True) if isinstance(value, int) and v in own}
        found.append({**values, **{v: number(evaluate(rest, values)) for v, rest in side.rests.items()}})
    return found


def _between(numbers: Sequence[Var], rows: Sequence[Mapping[Var, int]]) -> Iterator[Term]:
    """Linear equations, and those of degree two between the variables that the linear ones do not define."""
    linear = list(_of([(v,) for v in numbers], rows))
    yield from linear
    defined = {max(e.free, key=numbers.index) for e in linear if e.free}
    left = [v for v in numbers if v not in defined]
    yield from _of([(v,) for v in left] + list(combinations_with_replacement(left, 2)), rows)


def _of(monomials: Sequence[tuple[Var, ...]], rows: Sequence[Mapping[Var, int]]) -> Iterator[Term]:
    """The equations between monomials and a constant; none where there are too few states to tell."""
    every = (*monomials, ())
    if len(every) > COLUMNS or len(rows) < len(every) + 2:
        return
    # A few states more than there are monomials exclude nearly all that the others exclude.
    few = [{m: _value(row, m) for m in every} for row in rows[:: len(rows) // (len(every) + MORE) or 1]]
    for weights in null_space(every, few):
        # An equation that only compares squares says that numbers are one of few, which tests say in simpler words.
        likely = all(abs(w) <= COEFFICIENT for w in weights.values()) and any(len(m) == 1 for m in weights)
        if likely and not any(sum(w * _value(row, m) for m, w in weights.items()) for row in rows):
            yield build.eq(build.add(*(build.scale(w, _term(m)) for m, w in weights.items())), build.ZERO)


def _value(row: Mapping[Var, int], monomial: tuple[Var, ...]) -> int:
    result = 1
    for var in monomial:
        result *= row[var]
    return result


def _term(monomial: tuple[Var, ...]) -> Term:
    result: Term = build.ONE
    for var in monomial:
        result = build.mul(result, var)
    return result


def _is_square(formula: Term) -> bool:
    # Of one variable a square says no more than that it has few values, which bounds say better.
    return len(formula.free) > 1 and any(isinstance(t, Product) for t in subterms((formula,)))
