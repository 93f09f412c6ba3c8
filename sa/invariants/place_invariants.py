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
from sa.terms.substitute import substitute
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
    others count nothing. `ends` are the least and the greatest weight of locations that no step leaves, where ways
    there add different numbers.
    """

    numbers: Mapping[Var, int]
    places: Mapping[tuple[str, str], Term]
    total: Total = Total.SAME
    ends: Mapping[tuple[str, str], tuple[int, int]] = {}


class Step(Struct, frozen=True):
    """From where to where, what it writes, and what becomes of numbers: None where that is not known."""

    source: str
    target: str
    fails: bool
    written: frozenset[Var]
    changes: Mapping[Var, Change | None]


def equations(threads: Sequence[Automaton], guess: Guess = Guess.NOTHING, init: Term = build.TRUE) -> Iterator[Term]:
    """That the sums are what they are at the start: over the names of threads that share no locals, and `at T.q`."""
    for total in totals(threads, guess, init):
        yield from total.said()


class InBalance(Struct, frozen=True, eq=False):
    """That a sum of shared numbers and of what each thread's location weighs is what it is at the start.

    Where ways to the end of a thread add different numbers, `least` and `most` are not the same there.
    """

    numbers: Mapping[Var, int]
    begun: Term
    least: tuple[Term, ...]
    most: tuple[Term, ...]

    def said(self) -> tuple[Term, ...]:
        """It as formulas over the names of threads that share no locals, and `at T.q`."""
        low, high = (build.add(weighed(self.numbers), *placed) for placed in (self.least, self.most))
        if low is high:
            return (build.eq(low, self.begun),)
        return build.le(low, self.begun), build.le(self.begun, high)


def totals(
    threads: Sequence[Automaton], guess: Guess = Guess.NOTHING, init: Term = build.TRUE, ends: bool = False
) -> Iterator[InBalance]:
    """The sums that steps keep; with `ends`, ways to a location that no step leaves may add different numbers."""
    begun = firsts(threads, init)
    two = two_valued(threads, begun)
    spread = tuple(points(t, two) for t in threads)
    known = frozenset[Var]().union(*(p.known for p in spread))
    for found in _both_ways([p.automaton for p in spread], guess, known, ends):
        if all(v in begun for v in found.numbers):
            low, high = (tuple(build.add(*placed_weights(p, found, most)) for p in spread) for most in (False, True))
            yield InBalance(found.numbers, weighed(found.numbers, begun), low, high)


def _both_ways(
    threads: Sequence[Automaton], guess: Guess, apart_from: Collection[Var], ends: bool
) -> Iterator[Balance]:
    """The sums that all steps keep, then those that are kept unless something fails."""
    yield from (strict := list(balances(threads, guess, (), apart_from, ends=ends)))
    if not ends:
        yield from (b for b in balances(threads, guess, (), apart_from, failing=False) if b not in strict)


def placed_weights(spread: Points, balance: Balance, most: bool = False) -> Iterator[Term]:
    """What the locations of a thread weigh, with the values of its locals there: the least, or the most."""
    name, every = spread.automaton.name, Counter(place for place, _ in spread.meant.values())
    alike = dict[tuple[str, Term], list[Term]]()
    for point, (place, values) in spread.meant.items():
        end = balance.ends.get((name, point))
        weight = balance.places.get((name, point), build.ZERO) if end is None else build.integer(end[most])
        alike.setdefault((place, weight), []).append(values)
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
    ends: bool = False,
) -> Iterator[Balance]:
    """Independent sums that no step changes, where what steps add is known and locations can make up for it.

    The `others` make steps like the threads; some variables may be left out. Steps that fail lead to one location
    from everywhere; without them more sums are kept. So are more where locations may be their `ends`.
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
    last: dict[tuple[str, str], list[Forms]] | None = {} if ends else None
    for thread, listed in zip(threads, steps, strict=True):
        # What nobody else writes does not change between the thread's own steps.
        own, _ = owned(thread, everyone)
        sinks = None if last is None else dict[str, list[Forms]]()
        reached = _climbed(thread.initial, listed, unknown, rigid | own.difference(apart_from), needed, sinks)
        heights |= {(thread.name, place): forms for place, forms in reached.items()}
        if last is not None and sinks is not None:
            last |= {(thread.name, place): [reached[place], *more] for place, more in sinks.items()}
    for weights in null_space(tuple(moved), needed)[:SUMS]:
        places = {q: build.scale(-1, _weighed(forms, weights)) for q, forms in heights.items()}
        various = {q: [build.scale(-1, _weighed(forms, weights)) for forms in ways] for q, ways in (last or {}).items()}
        spans = {q: _span(ways) for q, ways in various.items() if len(set(ways)) > 1}
        if None not in spans.values():
            told = {q: span for q, span in spans.items() if span is not None}
            yield Balance(weights, {q: w for q, w in places.items() if w is not build.ZERO}, ends=told)


def _span(weights: Sequence[Term]) -> tuple[int, int] | None:
    """The least and the greatest of some numbers; None if they are not numbers."""
    values = [w.value for w in weights if isinstance(w, Int)]
    return (min(values), max(values)) if len(values) == len(weights) else None


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
                v: _turned(_change(e, v, t, known[e.source], two, flags), sizes.get(v))
                for v, t in e.updates
                if v.sort in (INT, BOOL)
            },
        )
        for edge in thread.edges
        if edge.source in known
        for e in cases(edge, two)
    )


def _change(edge: Edge, var: Var, term: Term, known: Known, two: TwoValued, flags: TwoValued) -> Change | None:
    """What the step adds to a number, if that does not depend on the number and it does not wrap around."""
    term = _unwrapped(term)
    for begun in (var, *_equals(edge, var)) if var.sort == INT else ():
        constant, parts = build.linear_parts(build.sub(term, begun))
        if not any(var in part.free for part in parts):
            return {**parts, build.ONE: constant} if constant else parts
    before = _before(edge, var, known, two.get(var, ()))
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


def _before(edge: Edge, var: Var, known: Known, values: Sequence[int]) -> int | None:
    """The value of a variable when the step is made; `values` are all that it has, where these are known."""
    for formula in build.conjuncts(edge.guard):
        said = solution(formula, frozenset({var})) if formula.free == {var} else None
        if said is not None and isinstance(said[1], Int | Bool):
            return int(said[1].value)
        if said is None and formula.free == {var} and var.sort == INT:
            left = [x for x in values if substitute(formula, {var: build.integer(x)}) is not build.FALSE]
            if len(left) == 1:
                return left[0]
    value = known.get(var)
    return None if value is None else number(value)


def _climbed(
    start: str,
    steps: Sequence[Step],
    unknown: set[Var],
    stable: frozenset[Var],
    needed: list[Form],
    sinks: dict[str, list[Forms]] | None = None,
) -> dict[str, Forms]:
    """What has been added when the thread is at a location, along the first way there, over what is `stable` between
    its steps; `needed` gets what must be 0 so that all ways add the same, and nothing that is not known. Ways to
    `sinks`, which no step leaves, may add different numbers.
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
            elif sinks is not None and step.target not in leaving:
                sinks.setdefault(step.target, []).append(dict(after))
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
