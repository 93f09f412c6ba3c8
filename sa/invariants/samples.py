"""Equations of degree one, two and three that hold wherever random runs came: candidates for invariants, nothing more.

A run's states at one choice of locations give one linear equation each in the unknown coefficients of monomials; what
satisfies all of them is a null space (Sharma, Gupta, Hariharan, Aiken, Liang, Nori: A Data Driven Approach for
Algebraic Loop Invariants, ESOP 2013). Linear equations come first, and variables that they define are left out of the
monomials of higher degree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, islice
from random import Random

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad, Failing
from sa.explicit.transition_system import Whole, whole
from sa.invariants.linear import null_space
from sa.invariants.random_walks import moves_of, start, step
from sa.smt.session import Session
from sa.terms import build
from sa.terms.compile import Row, compiled, predicate
from sa.terms.solve import solution
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Div, Mod, Product, Term, Var, subterms

#: Runs, and their steps.
RUNS, STEPS = 200, 100

#: Numbers that equations are about at most, and states that are looked at of one choice of locations, of each run.
NUMBERS, STATES, EACH = 9, 60, 10

#: Numbers of which there are equations of degree three at most.
CUBED = 3

#: Coefficients of equations of degree two and three at most.
COEFFICIENT = 40

#: Equations that are looked for.
POOL = 60


class Sampled(Struct, frozen=True):
    """Equations, and which of them held in all states that were seen of some choice of locations."""

    every: tuple[Term, ...]
    held: Mapping[tuple[str, ...], tuple[Term, ...]]

    def at(self, places: tuple[str, ...]) -> tuple[Term, ...]:
        """What may hold at these locations: any of the equations where no run came."""
        return self.held.get(places, self.every)


def equations(threads: tuple[Automaton, ...], seed: int, bounds: Limits) -> Sampled:
    """What random runs suggest, over the names of separate threads. Raises LimitReached.

    An equation that was found at some locations is looked for at all of them: where few states were seen, it may be
    the only one known.
    """
    w = whole(threads, Bad(Failing(), None))
    numbers = [v for v in w.order if v.sort == INT and v not in w.counters]
    if w.partial or not 1 < len(numbers) <= NUMBERS:
        return Sampled((), {})
    arcs = (a for by_place in w.arcs for here in by_place for a in here)
    rests = remainders((t for a in arcs for t in (a.guard, *a.updates.values())), numbers, NUMBERS - len(numbers))
    of_rests = tuple(compiled(term, numbers) for term in rests.values())
    seen = dict[tuple[str, ...], dict[Row, None]]()
    often = Counter[tuple[int, tuple[str, ...]]]()
    for run, places, row in _visited(w, Random(seed), bounds):
        states = seen.setdefault(places, {})
        often[run, places] += 1
        # A run that goes on for long says much about what it began with.
        if len(states) < STATES and often[run, places] <= EACH:
            here = tuple(row[w.order.index(v)] for v in numbers)
            states[(*here, *(value(here) for value in of_rests))] = None
    moving = frozenset(v for by_place in w.arcs for here in by_place for a in here for v in a.updates)
    pool = dict[Term, None]()
    for states in seen.values():
        spend(bounds, 200)
        pool.update(dict.fromkeys(_equations([*numbers, *rests], moving, list(states))))
    every = tuple(sorted((substitute(e, rests) for e in pool), key=_degree))[:POOL]
    tests = [(e, predicate(e, numbers)) for e in every]
    held = {places: tuple(e for e, holds in tests if all(map(holds, states))) for places, states in seen.items()}
    return Sampled(every, held)


def remainders(terms: Iterable[Term], numbers: Sequence[Var], most: int) -> dict[Var, Term]:
    """Remainders that are asked for, also where something is divided, as numbers: what a loop that halves leaves over.

    They are `most`, or fewer.
    """
    divided = (t for t in subterms(terms) if isinstance(t, Div | Mod) and t.free <= frozenset(numbers))
    found = dict.fromkeys(rest for t in divided if isinstance(rest := build.mod(t.dividend, t.divisor), Mod))
    return {build.variable(f"#rest{n}"): rest for n, rest in enumerate(islice(found, most))}


def _equations(numbers: Sequence[Var], moving: frozenset[Var], states: Sequence[Row]) -> Iterator[Term]:
    rows = [dict(zip(numbers, map(int, _plain(row)), strict=True)) for row in states]
    linear = list(_of(tuple((v,) for v in numbers), rows))
    yield from linear
    defined = {max(e.free, key=numbers.index) for e in linear if e.free}
    left = [v for v in numbers if v not in defined]
    pairs = tuple(combinations_with_replacement(left, 2))
    if linear and not left:
        return
    squares = [e for e in _of((*((v,) for v in left), *pairs), rows) if e not in linear]
    yield from squares
    defined |= {s[0] for e in squares if (s := solution(e, frozenset(left))) is not None}
    left = [v for v in left if v not in defined and v in moving]
    if squares and len(left) <= CUBED:
        powers = (combinations_with_replacement(left, n) for n in (1, 2, 3))
        yield from _of(tuple(m for some in powers for m in some), rows)


def _degree(equation: Term) -> int:
    return max(len(t.factors) if isinstance(t, Product) else 1 for t in subterms((equation,)))


def _plain(row: Row) -> Iterator[int]:
    for value in row:
        assert isinstance(value, int)
        yield value


def _of(monomials: tuple[tuple[Var, ...], ...], rows: Sequence[Mapping[Var, int]]) -> Iterator[Term]:
    """The equations between monomials and a constant; none where there are too few states to tell."""
    every = (*monomials, ())
    if len(rows) < len(every) + 2:
        return
    forms = [{m: _product(row, m) for m in every} for row in rows]
    for weights in null_space(every, forms):
        # What few states have in common by chance has large coefficients.
        if any(abs(w) > COEFFICIENT for w in weights.values()) and any(len(m) > 1 for m in monomials):
            continue
        parts = (build.scale(w, _term(m)) for m, w in weights.items())
        yield build.eq(build.add(*parts), build.ZERO)


def _term(monomial: tuple[Var, ...]) -> Term:
    result: Term = build.ONE
    for var in monomial:
        result = build.mul(result, var)
    return result


def _product(row: Mapping[Var, int], monomial: tuple[Var, ...]) -> int:
    result = 1
    for var in monomial:
        result *= row[var]
    return result


def _visited(w: Whole, random: Random, bounds: Limits) -> Iterator[tuple[int, tuple[str, ...], Row]]:
    """The states of random runs: the run's number, where the threads are, and the values."""
    moves, session = moves_of(w), Session(bounds)
    for run in range(RUNS):
        spend(bounds, 200)
        row = start(w, session, random)
        if row is None:
            return
        # Threads run for a while each, so that some come to their end early.
        mover, calm = 0, random.choice((0.0, 0.5, 0.9))
        for _ in range(STEPS):
            places = tuple(int(q) for q in _plain(row[: len(w.counters)]))
            yield run, tuple(t.locations[q].name for t, q in zip(w.threads, places, strict=True)), row
            if random.random() >= calm:
                mover = random.randrange(len(w.threads))
            after = step(moves[mover][places[mover]], row, random)
            if after is None:
                mover = random.randrange(len(w.threads))
                continue
            row = after
