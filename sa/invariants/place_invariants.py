"""Equations between numbers and locations that all steps keep in balance: the place invariants of Petri nets.

Threads that add constants to numbers leave a weighted sum of the numbers and of where the threads are as it is: what a
semaphore lacks is held at some location. All such sums follow from the steps' changes alone, by linear algebra
(Murata, Petri Nets: Properties, Analysis and Applications, 1989, section VI: S-invariants). A Boolean counts as 0 or 1.
Whoever uses what is found shows that it holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import FAIL, Automaton, Edge, Kind
from sa.invariants.cases import TwoValued, cases, two_valued
from sa.invariants.constants import Known, constants, owned
from sa.invariants.linear import null_space
from sa.invariants.partition_by_constants import Points, points
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.solve import solution
from sa.terms.sort import BOOL, INT, number
from sa.terms.term import Bool, Int, Mod, Term, Var

#: So many numbers at most, and sums; numbers with so many values go around.
NUMBERS, SUMS, LARGE = 150, 150, 255

#: What is added to a number: coefficients by monomial, the constant part by `build.ONE`.
Change: TypeAlias = Mapping[Term, int]

#: A linear form over the weights of numbers.
Form: TypeAlias = Mapping[Var, int]

#: A linear form for each monomial.
Forms: TypeAlias = dict[Term, Form]


class Guess(Enum):
    """What is supposed of values that a thread finds and does not test: nothing, that they are what it saw last,
    as where a lock is released, or that constants change them, as in a handshake.
    """

    NOTHING = "nothing"
    UNDISTURBED = "undisturbed"
    CHANGED = "changed"


class Total(Enum):
    """What is known of a sum: that it stays what it is at the start, is at least that, or at most."""

    SAME = "same"
    LEAST = "least"
    MOST = "most"


class Balance(Struct, frozen=True):
    """A sum that no step changes, or none makes less or more: weights of numbers, and of locations by thread and name;
    others count nothing.
    """

    numbers: Mapping[Var, int]
    places: Mapping[tuple[str, str], Term]
    total: Total = Total.SAME


class Step(Struct, frozen=True):
    """From where to where, what it writes, and what becomes of numbers: None where that is not known."""

    source: str
    target: str
    fails: bool
    written: frozenset[Var]
    changes: Mapping[Var, Change | None]


def equations(threads: Sequence[Automaton], guess: Guess = Guess.NOTHING, init: Term = build.TRUE) -> Iterator[Term]:
    """That the sums are what they are at the start: over the names of threads that share no locals, and `at T.q`."""
    begun = firsts(threads, init)
    two = two_valued(threads, begun)
    spread = tuple(points(t, two) for t in threads)
    known = frozenset[Var]().union(*(p.known for p in spread))
    for found in _both_ways([p.automaton for p in spread], guess, known):
        if all(v in begun for v in found.numbers):
            placed = (w for p in spread for w in placed_weights(p, found))
            yield build.eq(build.add(weighed(found.numbers), *placed), weighed(found.numbers, begun))


def _both_ways(threads: Sequence[Automaton], guess: Guess, apart_from: Collection[Var]) -> Iterator[Balance]:
    """The sums that all steps keep, then those that are kept unless something fails."""
    yield from (strict := list(balances(threads, guess, apart_from=apart_from)))
    yield from (b for b in balances(threads, guess, apart_from=apart_from, failing=False) if b not in strict)


def placed_weights(spread: Points, balance: Balance) -> Iterator[Term]:
    """What the locations of a thread weigh, with the values of its locals there."""
    name, every = spread.automaton.name, Counter(place for place, _ in spread.meant.values())
    alike = dict[tuple[str, Term], list[Term]]()
    for point, (place, values) in spread.meant.items():
        alike.setdefault((place, balance.places.get((name, point), build.ZERO)), []).append(values)
    for (place, weight), some in alike.items():
        values = build.TRUE if len(some) == every[place] else build.lor(*some)
        yield build.ite(build.land(build.variable(at_place(name, place), BOOL), values), weight, build.ZERO)


def weighed(weights: Mapping[Var, int], values: Mapping[Var, Term] | None = None) -> Term:
    """The sum of some numbers, or of these values of them."""
    return build.add(*(build.scale(w, _number(v) if values is None else values[v]) for v, w in weights.items()))


def _number(var: Var) -> Term:
    return build.ite(var, build.ONE, build.ZERO) if var.sort == BOOL else var


def firsts(threads: Sequence[Automaton], init: Term = build.TRUE) -> dict[Var, Term]:
    """Numbers whose first value is known, over parameters; a Boolean's is 0 or 1."""
    found, params = dict[Var, Term](), _rigid(threads)
    for formula in (f for known in (init, *(t.init for t in threads)) for f in build.conjuncts(known)):
        said = solution(formula, formula.free - params)
        if said is not None and said[1].free <= params:
            var, value = said
            found.setdefault(var, _numeral(value))
    return found


def _numeral(value: Term) -> Term:
    return build.integer(int(value.value)) if isinstance(value, Bool) else value


def _rigid(threads: Sequence[Automaton]) -> frozenset[Var]:
    return frozenset(v.var for t in threads for v in t.variables if v.kind is Kind.PARAM)


def balances(
    threads: Sequence[Automaton],
    guess: Guess = Guess.NOTHING,
    others: Sequence[Automaton] = (),
    apart_from: Collection[Var] = (),
    failing: bool = True,
) -> Iterator[Balance]:
    """Independent sums that no step changes, where what steps add is known and locations can make up for it.

    The `others` make steps like the threads; some variables may be left out. Steps that fail lead to one location
    from everywhere; without them more sums are kept.
    """
    everyone = (*threads, *others)
    two = two_valued(everyone, firsts(everyone))
    every = [steps_of(t, everyone, guess, two) for t in threads]
    steps = [tuple(s for s in listed if failing or not s.fails) for listed in every]
    unknown = {v for listed in steps for s in listed for v, change in s.changes.items() if change is None}
    unknown.update(apart_from)
    moved = dict.fromkeys(v for listed in steps for s in listed for v in s.changes if v not in unknown)
    if not 0 < len(moved) <= NUMBERS:
        return
    rigid, needed, heights = _rigid(threads), list[Form](), dict[tuple[str, str], Forms]()
    for thread, listed in zip(threads, steps, strict=True):
        # What nobody else writes stays as it is between the thread's own steps.
        own, _ = owned(thread, everyone)
        reached = _climbed(thread.initial, listed, unknown, rigid | own.difference(apart_from), needed)
        heights |= {(thread.name, place): forms for place, forms in reached.items()}
    for weights in null_space(tuple(moved), needed)[:SUMS]:
        places = {q: build.scale(-1, _weighed(forms, weights)) for q, forms in heights.items()}
        yield Balance(weights, {q: w for q, w in places.items() if w is not build.ZERO})


def steps_of(thread: Automaton, threads: Sequence[Automaton], guess: Guess, two: TwoValued) -> tuple[Step, ...]:
    """The steps of one of some threads, for each case of what it tests of variables with two values."""
    own, others = owned(thread, threads)
    known = constants(thread, own, others if guess is Guess.UNDISTURBED else frozenset())
    flags = two if guess is Guess.CHANGED else {}
    sizes = {v.var: v.high + 1 for v in thread.variables if v.low == 0 and v.high is not None and v.high >= LARGE}
    return tuple(
        Step(
            e.source,
            e.target,
            e.label is not None and e.label.action == FAIL,
            frozenset(v for v, _ in e.updates),
            {
                v: _turned(_change(e, v, t, known[e.source], flags), sizes.get(v))
                for v, t in e.updates
                if v.sort in (INT, BOOL)
            },
        )
        for edge in thread.edges
        if edge.source in known
        for e in cases(edge, two)
    )


def _change(edge: Edge, var: Var, term: Term, known: Known, flags: TwoValued) -> Change | None:
    """What the step adds to a number, if that does not depend on the number and it does not wrap around."""
    term = _unwrapped(term)
    for begun in (var, *_equals(edge, var)) if var.sort == INT else ():
        constant, parts = build.linear_parts(build.sub(term, begun))
        if not any(var in part.free for part in parts):
            return {**parts, build.ONE: constant} if constant else parts
    before = _before(edge, var, known)
    if before is None and var in flags and isinstance(term, Int | Bool):
        before = sum(flags[var]) - int(term.value)
    if before is not None and isinstance(term, Int | Bool):
        return {build.ONE: int(term.value) - before} if int(term.value) != before else {}
    return None


def _turned(change: Change | None, size: int | None) -> Change | None:
    """What is added to a number that goes around after its last value as if it did not: 1 where it comes to 0 again."""
    if change is None or size is None or abs(constant := change.get(build.ONE, 0)) <= size // 2:
        return change
    return {**change, build.ONE: (constant + size // 2) % size - size // 2}


def _unwrapped(term: Term) -> Term:
    """A number that wraps around as if it did not: what is added is the least that comes to the same."""
    constant, parts = build.linear_parts(term)
    match list(parts.items()):
        case [(Mod(dividend, divisor), 1)]:
            added, inner = build.linear_parts(dividend)
            total = (constant + added + divisor // 2) % divisor - divisor // 2
            return build.linear(total, dict(inner))
        case _:
            return term


def _equals(edge: Edge, var: Var) -> Iterator[Term]:
    """What a number is equal to when the step is made, as in a compare-and-swap."""
    said = (solution(formula, frozenset({var})) for formula in build.conjuncts(edge.guard))
    yield from (s[1] for s in said if s is not None)


def _before(edge: Edge, var: Var, known: Known) -> int | None:
    """The value of a variable when the step is made."""
    for formula in build.conjuncts(edge.guard):
        said = solution(formula, frozenset({var})) if formula.free == {var} else None
        if said is not None and isinstance(said[1], Int | Bool):
            return int(said[1].value)
    value = known.get(var)
    return None if value is None else number(value)


def _climbed(
    start: str, steps: Sequence[Step], unknown: set[Var], stable: frozenset[Var], needed: list[Form]
) -> dict[str, Forms]:
    """What has been added when the thread is at a location, along the first way there, over what is `stable` between
    its steps; `needed` gets what must be 0 so that all ways add the same, and nothing that is not known.
    """
    leaving = dict[str, list[Step]]()
    for step in steps:
        leaving.setdefault(step.source, []).append(step)
    heights: dict[str, Forms] = {start: {}}
    pending = [start]
    while pending:
        for step in leaving.get(pending.pop(), ()):
            after = {m: dict(form) for m, form in heights[step.source].items()}
            for var, change in step.changes.items():
                for monomial, factor in (change or {}).items() if var not in unknown else ():
                    form = after.setdefault(monomial, {})
                    form[var] = form.get(var, 0) + factor
            left = stable - step.written
            needed += (form for m, form in after.items() if not m.free <= left)
            after = {m: form for m, form in after.items() if m.free <= left}
            if step.target not in heights:
                heights[step.target] = dict(after)
                pending.append(step.target)
            else:
                needed += _differences(after, heights[step.target])
    return heights


def _differences(one: Mapping[Term, Form], other: Mapping[Term, Form]) -> Iterator[Form]:
    for monomial in {**one, **other}:
        first, second = one.get(monomial, {}), other.get(monomial, {})
        yield {v: first.get(v, 0) - second.get(v, 0) for v in {**first, **second}}


def _weighed(forms: Mapping[Term, Form], weights: Mapping[Var, int]) -> Term:
    sums = {m: sum(weights.get(v, 0) * c for v, c in form.items()) for m, form in forms.items()}
    return build.add(*(build.scale(n, m) for m, n in sums.items()))
