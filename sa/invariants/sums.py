"""What loops have added up: a number that grows by what depends on a counter is a sum over the counter's values.

Two threads that add up the same, in any order, have the same sum in the end; no formula without a name for the sum says
so. Whoever uses what is found here shows that it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge
from sa.certificates.sums import Summation
from sa.terms import build
from sa.terms.printer import show
from sa.terms.solve import solution
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Call, Function, Int, Ite, Select, Term, Var, subterms

#: Candidates for each number at most, and rounds in which locals are replaced by what they were assigned.
CANDIDATES, ROUNDS = 48, 3


class Sums(Struct, frozen=True):
    """Sums, and equations that say what numbers have to do with them."""

    sums: tuple[Summation, ...]
    equations: tuple[Term, ...]


NO_SUMS = Sums((), ())


class _Part(Struct, frozen=True):
    """A thread adds `sum` to a number so many times at an index, which goes up or down from one of some first values.

    The index of the sum is by `shift` more than that of the thread.
    """

    sum: Summation
    times: int
    shift: int
    others: tuple[Term, ...]
    index: Var
    step: int
    firsts: tuple[Term, ...]


def instances(sums: Iterable[Summation]) -> Callable[[Iterable[Term]], Iterator[Term]]:
    """What sums are, of the values that formulas mention and of those next to them."""
    by_function = {s.function: s for s in sums}
    known = dict[Call, tuple[Term, ...]]()

    def of(formulas: Iterable[Term]) -> Iterator[Term]:
        for call in subterms(formulas):
            if isinstance(call, Call) and call.function in by_function:
                if call not in known:
                    known[call] = tuple(_around(by_function[call.function], call))
                yield from known[call]

    return of


def _around(made: Summation, here: Call) -> Iterator[Term]:
    index, *others = here.arguments
    for step in (-1, 0):
        at = dict(zip(made.variables, (build.add(index, build.integer(step)), *others), strict=True))
        ends = (build.add(index, build.integer(step + n)) for n in (0, 1))
        before, after = (build.call(made.function, (k, *others)) for k in ends)
        yield build.eq(build.sub(after, before), substitute(made.term, at))


def sums(threads: Sequence[Automaton]) -> Sums:
    """Sums that threads with different names for their locals add up, if any."""
    numbers = dict.fromkeys(v.var for t in threads for v in t.variables if v.var.sort == INT)
    found, equations = dict[Summation, None](), dict[Term, None]()
    for number in numbers:
        writers = [t for t in threads if _changing(t, number)]
        parts = [tuple(_parts(t, number)) for t in writers]
        if not writers or not all(parts):
            continue
        firsts = dict.fromkeys(f for t in threads for f in _firsts(t, number))
        said = (_equation(number, first, chosen) for first in firsts for chosen in product(*parts))
        for formulas in islice(said, CANDIDATES):
            equations.update(dict.fromkeys(formulas))
        found.update(dict.fromkeys(p.sum for options in parts for p in options))
        entered = (f for t, options in zip(writers, parts, strict=True) for p in options for f in _entered(t, p))
        equations.update(dict.fromkeys(entered))
    return Sums(tuple(found), tuple(equations))


def _changing(thread: Automaton, number: Var) -> list[Edge]:
    """Edges that give the number a value made of what it was."""
    return [e for e in thread.edges if number in dict(e.updates).get(number, build.ZERO).free]


def _firsts(thread: Automaton, number: Var) -> Iterator[Term]:
    """Values that the number begins with, or begins again with."""
    for formula in build.conjuncts(thread.init):
        said = solution(formula, frozenset((number,)))
        if said is not None:
            yield said[1]
    for edge in thread.edges:
        value = dict(edge.updates).get(number)
        if value is not None and number not in value.free:
            yield value


def _parts(thread: Automaton, number: Var) -> Iterator[_Part]:
    """How the thread's steps add to the number, if they all add the same."""
    edges = _changing(thread, number)
    added = {_added(dict(e.updates)[number], number) for e in edges}
    if len(added) != 1 or None in added:
        return
    term = next(iter(added))
    assert term is not None
    for guarded in dict.fromkeys((term, *(_guarded(thread, e, term) for e in edges))):
        said = _unfolded(thread, guarded)
        for index in sorted((v for v in said.free if v.sort == INT and v is not number), key=lambda v: v.key):
            step, firsts = _step(thread, index), tuple(dict.fromkeys(_firsts(thread, index)))
            if step is not None and firsts:
                yield _part(said, index, step, firsts)


def _added(value: Term, number: Var) -> Term | None:
    """What a number's new value is more than its old one; None where that depends on the old one."""
    if isinstance(value, Ite) and number not in value.condition.free:
        one, two = _added(value.positive, number), _added(value.negative, number)
        return None if one is None or two is None else build.ite(value.condition, one, two)
    more = build.sub(value, number)
    return None if number in more.free else more


def _guarded(thread: Automaton, edge: Edge, term: Term) -> Term:
    """What is added, and nothing where the step or the test right before it is not taken."""
    before = [e for e in thread.edges if e.target == edge.source]
    tests = [e.guard for e in before if not e.updates] if len(before) == 1 else []
    return build.ite(build.land(edge.guard, *tests), term, build.ZERO)


def _unfolded(thread: Automaton, term: Term) -> Term:
    """The term with what its variables are assigned where there is one such assignment."""
    for _ in range(ROUNDS):
        for var in sorted(term.free, key=lambda v: v.key):
            values = [v for e in thread.edges for w, v in e.updates if w is var]
            if len(values) == 1 and var not in values[0].free and not isinstance(values[0], Int):
                term = substitute(term, {var: values[0]})
    return term


def _step(thread: Automaton, index: Var) -> int | None:
    """By how much an index changes: 1 or -1, apart from where it is set anew."""
    changes = {build.sub(v, index) for e in thread.edges for w, v in e.updates if w is index and index in v.free}
    change = next(iter(changes)) if len(changes) == 1 else None
    return change.value if isinstance(change, Int) and abs(change.value) == 1 else None


def _part(term: Term, index: Var, step: int, firsts: tuple[Term, ...]) -> _Part:
    shift, times = _shift(term, index), -1 if next(iter(build.linear_parts(term)[1].values()), 1) < 0 else 1
    term = build.scale(times, substitute(term, {index: build.sub(index, build.integer(shift))}))
    others = sorted(term.free - {index}, key=lambda v: v.key)
    formal = (build.variable("k", INT), *(build.variable(f"p{n}", v.sort) for n, v in enumerate(others)))
    meant = substitute(term, dict(zip((index, *others), formal, strict=True)))
    function = Function(f"sum of {show(meant)}", tuple(v.sort for v in formal), INT)
    return _Part(Summation(function, formal, meant), times, shift, tuple(others), index, step, firsts)


def _shift(term: Term, index: Var) -> int:
    """How far from the index functions and arrays are looked at: sums of `f(i - 1)` and of `f(i)` are the same."""
    for part in subterms((term,)):
        for at in part.arguments if isinstance(part, Call) else (part.index,) if isinstance(part, Select) else ():
            constant, parts = build.linear_parts(at)
            if parts.get(index) == 1:
                return constant
    return 0


def _equation(number: Var, first: Term, parts: Sequence[_Part]) -> Iterator[Term]:
    """The number is its first value and what threads have added to it: up to the index, or with what is there.

    The first index may be left out: it is changed before it is used, then.
    """
    for starts in product(*(p.firsts for p in parts)):
        for ends in product(product((0, 1), repeat=2), repeat=len(parts)):
            more = (_range(p, start, *end) for p, start, end in zip(parts, starts, ends, strict=True))
            yield build.eq(number, build.add(first, *more))


def _entered(thread: Automaton, part: _Part) -> Iterator[Term]:
    """What tests of the index say, that it is where it began or they held before its last step, and what is read."""
    before = {part.index: build.sub(part.index, build.integer(part.step))}
    written = (u for e in thread.edges for u in e.updates if u[0].sort == INT)
    yield from (build.eq(v, value) for v, value in written if part.index in value.free and v not in value.free)
    tests = dict.fromkeys(c for e in thread.edges for c in build.conjuncts(e.guard) if part.index in c.free)
    yield from (f for test in tests for f in (test, build.lnot(test)))
    for first in part.firsts:
        yield from (build.lor(build.eq(part.index, first), substitute(test, before)) for test in tests)


def _range(part: _Part, start: Term, later: int, further: int) -> Term:
    """The sum from the first index on, or from the next one, the index's present value left out or not."""
    ends = build.add(start, build.integer(later)), build.add(part.index, build.integer(further))
    if part.step < 0:
        ends = build.add(part.index, build.integer(1 - further)), build.add(start, build.integer(1 - later))
    shift = build.integer(part.shift)
    low, high = (build.call(part.sum.function, (build.add(end, shift), *part.others)) for end in ends)
    return build.scale(part.times, build.sub(high, low))
