"""How many copies of a family are where, as far as shared numbers say so (THEORY section 9).

Numbers that copies add constants to are in balance with where the copies are, as with the locations of threads
(`balance`): a semaphore and the copies that hold it. Copies whose locations weigh the same in all sums are counted
together. A location counts once for each value of the locals that only get constants: whether a compare-and-swap did
what it was asked to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Variable, variables_of
from sa.automata.family import Family, symbolic
from sa.automata.rename import apart
from sa.certificates.families import Count, counter
from sa.invariants.cases import TwoValued, two_valued
from sa.invariants.partition_by_constants import Points, points, points_by_tests
from sa.invariants.path_bounds import leaks
from sa.invariants.place_invariants import Balance, Guess, Total, balances, firsts, placed_weights, weighed
from sa.question.asked import Asked
from sa.terms import build
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Int, Term, Var

#: So many counters at most where copies are counted apart by what they test.
COUNTERS = 6

#: Weights in sums, and the tests that hold: copies of the same kind are counted together.
_Kind: TypeAlias = tuple[tuple[int, ...], frozenset[Term]]


class Counted(Struct, frozen=True):
    """What is counted, the families with counters, and equations over counters, numbers, and `at T.q` of threads.

    Some equations are guesses, and some are bounds.
    """

    counts: tuple[Count, ...]
    families: tuple[Family, ...]
    equations: tuple[Term, ...]


def counted(asked: Asked) -> Counted | None:
    """Counters of copies that are in balance with something; None where there are none.

    Copies of which a test of their own variables holds are counted apart from others, if there are few counters then.
    """
    apart_by_tests = _counted(asked, points_by_tests)
    few = apart_by_tests is None or len(apart_by_tests.counts) <= COUNTERS
    return apart_by_tests if few else _counted(asked, points)


def _counted(asked: Asked, spread_by: Callable[[Automaton, TwoValued], Points]) -> Counted | None:
    firsts_of = tuple(symbolic(f, 1) for f in asked.families)
    everyone = (*asked.threads, *firsts_of)
    two = two_valued(everyone, firsts(everyone, asked.init))
    spread = tuple(spread_by(t, two) for t in everyone)
    sums = _sums(asked, tuple(apart(p.automaton) for p in spread), _left_out(asked, spread))
    counts, weights = list[Count](), list[tuple[int, ...]]()
    for family, point in zip(asked.families, spread[len(asked.threads) :], strict=True):
        for (vector, _), held in _alike(point, [b.places for b in sums]).items():
            if any(vector):
                counts.append(Count(family.thread.name, tuple(held.items())))
                weights.append(vector)
    if not counts:
        return None
    begun = firsts(tuple(apart(t) for t in everyone), asked.init)
    equations = list[Term]()
    for number, balance in enumerate(sums):
        placed = (
            substitute(w, {v: local_of(v, p.automaton.name) for v in _locals(p.automaton)})
            for p in spread[: len(asked.threads)]
            for w in placed_weights(p, balance)
        )
        held_by = (build.scale(vector[number], counter(n)) for n, vector in enumerate(weights))
        total, start = build.add(weighed(balance.numbers), *placed, *held_by), weighed(balance.numbers, begun)
        equations.append(_said(balance.total, total, start))
    return Counted(tuple(counts), tuple(_counting(f, counts) for f in asked.families), tuple(equations))


def _said(kind: Total, total: Term, start: Term) -> Term:
    match kind:
        case Total.SAME:
            return build.eq(total, start)
        case Total.LEAST:
            return build.le(start, total)
        case Total.MOST:
            return build.le(total, start)
        case _:
            assert_never(kind)


def _left_out(asked: Asked, spread: Sequence[Points]) -> frozenset[Var]:
    """Locals of copies, of which there are many, and those of threads whose values are in locations."""
    copied = [local_of(v, p.automaton.name) for p in spread[len(asked.threads) :] for v in _locals(p.automaton)]
    known = [local_of(v, p.automaton.name) for p in spread for v in p.known]
    return frozenset((*copied, *known))


def _locals(thread: Automaton) -> tuple[Var, ...]:
    return variables_of(thread, Kind.LOCAL)


def _sums(asked: Asked, spread: Sequence[Automaton], left_out: frozenset[Var]) -> list[Balance]:
    """Sums in balance, found and guessed, that begin with something known and in which copies have plain weights; and
    bounds of numbers that are in none.
    """
    others = tuple(apart(symbolic(f, 2)) for f in asked.families)
    begun, plain = firsts(spread, asked.init), {t.name for t in spread[: len(asked.threads)]}
    found = list[Balance]()
    for guess, failing in product(Guess, (True, False)):
        for balance in balances(spread, guess, others, left_out, failing):
            of_copies = (w for (t, _), w in balance.places.items() if t not in plain)
            known = all(v in begun for v in balance.numbers) and all(isinstance(w, Int) for w in of_copies)
            found += [balance] if known and balance not in found else []
    copied = [t.name for t in spread if t.name not in plain]
    held = (b for b in found if any(t in copied for t, _ in b.places))
    in_balance = left_out.union(v for b in held for v in b.numbers)
    for guess in (Guess.NOTHING, Guess.UNDISTURBED):
        for bound in leaks(spread, guess, others, in_balance, copied):
            known = all(v in begun for v in bound.numbers)
            found += [bound] if known and bound not in found else []
    return found


def _alike(copy: Points, sums: Sequence[Mapping[tuple[str, str], Term]]) -> dict[_Kind, dict[str, Term]]:
    """Conditions by location, for all points with the same weights at which the same tests hold."""
    found, every = dict[_Kind, dict[str, list[Term]]](), Counter(place for place, _ in copy.meant.values())
    for point, (place, values) in copy.meant.items():
        said = [places.get((copy.automaton.name, point), build.ZERO) for places in sums]
        vector = tuple(w.value for w in said if isinstance(w, Int))
        kind = vector, copy.tests.intersection(build.conjuncts(values))
        found.setdefault(kind, {}).setdefault(place, []).append(values)
    return {
        kind: {q: build.TRUE if len(some) == every[q] else build.lor(*some) for q, some in held.items()}
        for kind, held in found.items()
    }


def _counting(family: Family, counts: Sequence[Count]) -> Family:
    """The family with steps that keep the counters up to date."""
    thread = family.thread
    own = [(counter(n), dict(c.held)) for n, c in enumerate(counts) if c.family == thread.name]

    def counted_step(edge: Edge) -> Edge:
        changes = list[tuple[Var, Term]]()
        for var, held in own:
            after = _one(substitute(held.get(edge.target, build.FALSE), dict(edge.updates)))
            changed = build.add(var, build.sub(after, _one(held.get(edge.source, build.FALSE))))
            changes += [(var, changed)] if changed is not var else []
        return replace(edge, updates=(*edge.updates, *changes))

    declared = tuple(Variable(v, Kind.GLOBAL) for v, _ in own)
    made = replace(thread, variables=(*thread.variables, *declared), edges=tuple(counted_step(e) for e in thread.edges))
    return replace(family, thread=made)


def _one(condition: Term) -> Term:
    return build.ite(condition, build.ONE, build.ZERO)


def within(
    counts: Sequence[Count], families: Sequence[Family], copies: Sequence[tuple[Family, str, str]]
) -> Iterator[Term]:
    """That counters are at least what is seen of copies (families, their names, and where they are), and no more than
    there are copies.
    """
    most = {f.thread.name: f.most for f in families}
    for number, seen in enumerate(numbers_seen(counts, copies)):
        yield build.le(seen, counter(number))
        limit = most[counts[number].family]
        if limit is not None:
            yield build.le(counter(number), build.integer(limit))


def numbers_seen(counts: Sequence[Count], copies: Sequence[tuple[Family, str, str]]) -> Iterator[Term]:
    """How many of these different copies count, for each counter."""
    for count in counts:
        held = dict(count.held)
        seen = list[Term]()
        for family, name, place in copies:
            if family.thread.name == count.family and place in held:
                names: dict[Var, Term] = {v: local_of(v, name) for v in variables_of(family.thread, Kind.LOCAL)}
                seen.append(_one(substitute(held[place], names)))
        yield build.add(*seen)
