"""Numbers that wrap around as numbers that do not: most programs depend on their differences and remainders alone.

`head - tail` is how full a buffer is, whether the numbers wrapped around on the way or not, and `head % 8` is the same
place. So the question is asked about threads in which such numbers grow for ever, and are compared as if they were
never farther apart than their size. There equations and orders are simple, and any engine may look for them. That they
are not farther apart has to be shown, too. How often each number of the program as it is has wrapped around is a ghost,
and with it what was found is about that program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label, Location, Variable
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.base.budget import Shared
from sa.certificates.ghosts import Ghost
from sa.certificates.run import Bad, Failing
from sa.explicit.transition_system import Whole, whole
from sa.hybrid.cyclic import Sizes, around_which, sizes_of, wrapped
from sa.question.asked import Asked
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.cases import branches
from sa.terms.name import staged
from sa.terms.sort import INT
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import IsZero, Ite, Mod, Term, Var, children

#: What stands for a number that grows, and how often it has wrapped around, are called after it.
GROWING, WRAPS = "growing", "wraps"


class Unwrapped(Struct, frozen=True, eq=False):
    """A question about threads whose numbers do not wrap around, `bads` by those of the threads as they are.

    The answer is one about these if also all of `near` never happens. `numbers` are what grows, each as a number that
    wraps around, how often it did, and its size.
    """

    asked: Asked
    bads: Mapping[Bad, Bad]
    near: tuple[Bad, ...]
    ghosts: tuple[Ghost, ...]
    numbers: Mapping[Var, tuple[Var, Var, int]]

    def near_is_shown(self, left: Sequence[Bad]) -> bool:
        """Whether none of what is left to be shown is that numbers are near each other."""
        return frozenset(left).isdisjoint(self.near)


def unwrapped(asked: Asked) -> Unwrapped | None:
    """The question where numbers do not wrap around; None where none of them do."""
    w = whole(asked.threads, Bad(None, None))
    known = sizes_of(w.variables)
    sizes = _copied(w, known, around_which(w, known)) if known else known
    if w.partial or not sizes:
        return None
    turning = _Turning(sizes)
    made = [_thread(t, turning) for t in asked.threads]
    bads = {b: _bad(b, asked.threads, made, turning) for b in asked.bads}
    near = tuple(Bad(None, f) for f in turning.near())
    question = replace(asked, threads=tuple(made), bads=(*bads.values(), *near), shared=Shared())
    numbers = {turning.growing(v): (v, turning.wraps(v), size) for v, size in sizes.items()}
    return Unwrapped(question, bads, near, tuple(_ghosts(asked.threads, turning)), numbers)


def turned_back(made: Unwrapped, formula: Term) -> Term:
    """A formula about numbers that grow as one about numbers that wrap around and how often they did.

    That two of these differ by a constant is said of both parts, so that no solver has to find it out.
    """
    if isinstance(formula, IsZero) and (apart := _apart(made, formula.total)):
        (one, turns, size), (other, others_turns, _), by = apart
        is_below = build.lt(other, build.integer(size - by))
        total = build.add(other, build.integer(by))
        reached = build.ite(is_below, total, build.sub(total, build.integer(size)))
        more = build.ite(is_below, others_turns, build.add(others_turns, build.ONE))
        return build.land(build.eq(one, reached if by else other), build.eq(turns, more if by else others_turns))
    if isinstance(formula, Var) and formula in made.numbers:
        number, turns, size = made.numbers[formula]
        return build.add(number, build.scale(size, turns))
    return rebuild(formula, lambda t: turned_back(made, t)) if children(formula) else formula


def _apart(made: Unwrapped, total: Term) -> tuple[tuple[Var, Var, int], tuple[Var, Var, int], int] | None:
    """Two numbers of one size of which the first is so much more than the second, which is less than the size."""
    constant, parts = linear_parts(total)
    by_factor = {c: made.numbers[p] for p, c in parts.items() if isinstance(p, Var) and p in made.numbers}
    if len(parts) != 2 or by_factor.keys() != {1, -1} or by_factor[1][2] != by_factor[-1][2]:
        return None
    # x - y + constant is 0.
    more, less = (by_factor[1], by_factor[-1]) if constant <= 0 else (by_factor[-1], by_factor[1])
    return (more, less, abs(constant)) if abs(constant) < more[2] else None


def _copied(w: Whole, known: Sizes, begun: Sizes) -> Sizes:
    """These numbers, and those of the same size that they are copied from or to."""
    found: dict[Var, int] = dict(begun)
    updates = (u for t in w.arcs for here in t for a in here for u in a.updates.items())
    pairs = [(v, x) for v, term in updates for x in branches(term) if isinstance(x, Var)]
    growing = True
    while growing:
        growing = False
        for one, two in pairs:
            for v, x in ((one, two), (two, one)):
                if x in found and v not in found and known.get(v) == found[x]:
                    found[v] = found[x]
                    growing = True
    return found


class _Turning(Struct):
    """Terms over the names of the whole, turned into such over numbers that grow, and what was compared on the way."""

    sizes: Sizes
    apart_by: dict[Term, tuple[int, bool]] = field(default_factory=dict)

    @property
    def back(self) -> dict[Var, Term]:
        """What grows as the number and how often it has wrapped around."""
        return {self.growing(v): build.add(v, build.scale(m, self.wraps(v))) for v, m in self.sizes.items()}

    def wraps(self, var: Var) -> Var:
        """How often a number has wrapped around."""
        return build.variable(staged(var.name, WRAPS), INT)

    def growing(self, var: Var) -> Var:
        """What stands for a number."""
        return build.variable(staged(var.name, GROWING), INT)

    def value(self, term: Term) -> Term:
        """The same value over numbers that grow, as long as these are near each other."""
        return self._value(wrapped(term, self.sizes))

    def total(self, term: Term) -> Term:
        """What a number is set to that grows: something with that value as its remainder."""
        return self._total(wrapped(term, self.sizes))

    def near(self) -> Iterator[Term]:
        """That numbers which are compared are near each other, and in order where their distance counts."""
        for difference, (size, counts) in self.apart_by.items():
            low = build.ZERO if counts else build.integer(1 - size)
            yield build.land(build.le(low, difference), build.le(difference, build.integer(size - 1)))

    def _value(self, term: Term) -> Term:
        match term:
            case Var() if term in self.sizes:
                return build.mod(self.growing(term), self.sizes[term])
            case IsZero(Mod(dividend, size)) if (found := self._sum(dividend, size)) and found[1] == 0:
                self.apart_by.setdefault(found[0], (size, False))
                return build.is_zero(found[0])
            case Mod(dividend, size) if found := self._sum(dividend, size):
                if found[1] != 0:
                    return build.mod(found[0], size)
                self.apart_by[found[0]] = (size, True)
                return found[0]
        return rebuild(term, self._value) if children(term) else term

    def _total(self, term: Term) -> Term:
        match term:
            case Var() if term in self.sizes:
                return self.growing(term)
            case Ite(condition, positive, negative):
                return build.ite(self._value(condition), self._total(positive), self._total(negative))
            case Mod(dividend, size) if (found := self._sum(dividend, size)) and found[1] == 1:
                return found[0]
        return self._value(term)

    def _sum(self, dividend: Term, size: int) -> tuple[Term, int] | None:
        """A sum of numbers of this size with small factors, and the sum of the factors of those that grow."""
        constant, parts = linear_parts(dividend)
        near = {p: _around_zero(c, size) for p, c in parts.items()}
        total = sum(c for p, c in near.items() if isinstance(p, Var) and self.sizes.get(p) == size)
        if not any(isinstance(p, Var) and self.sizes.get(p) == size for p in parts):
            return None
        terms = (
            build.scale(c, self.growing(p) if isinstance(p, Var) and self.sizes.get(p) == size else self._value(p))
            for p, c in near.items()
        )
        return build.add(build.integer(_around_zero(constant, size)), *terms), total


def _around_zero(number: int, size: int) -> int:
    """The number with this remainder that is nearest to 0."""
    return (number + size // 2) % size - size // 2


def _thread(thread: Automaton, turning: _Turning) -> Automaton:
    """The thread over numbers that grow, with its own names."""
    separate = apart(thread)
    renamed = [*zip(separate.variables, thread.variables, strict=True)]
    for e, original in zip(separate.edges, thread.edges, strict=True):
        renamed += zip(e.choices, original.choices, strict=True)
    own: dict[Var, Term] = {s.var: v.var for s, v in renamed}
    own |= {turning.growing(s.var): turning.growing(v.var) for s, v in renamed if s.var in turning.sizes}

    def said(formula: Term) -> Term:
        return substitute(turning.value(formula), own)

    def location(place: Location) -> Location:
        ranges = frozenset(c for v in separate.variables if v.var in turning.sizes for c in build.conjuncts(within(v)))
        kept = (c for c in build.conjuncts(place.inv) if c not in ranges)
        return replace(place, inv=build.land(*map(said, kept)), env=None)

    def edge(e: Edge, original: Edge) -> Edge:
        updates = tuple(
            (_var(own[turning.growing(v)]), substitute(turning.total(t), own))
            if v in turning.sizes
            else (_var(own[v]), said(t))
            for v, t in e.updates
        )
        label = None if e.label is None else Label(e.label.action)
        return replace(original, label=label, guard=said(e.guard), updates=updates)

    first = {v: turning.growing(v) for v in turning.sizes}
    # Where the first value is known its range says nothing more.
    begun = build.conjuncts(separate.init)
    known = {v for c in begun if isinstance(c, IsZero) and len(c.free) == 1 for v in c.free}
    inside = {c: v.var for v in separate.variables if v.var in first for c in build.conjuncts(within(v))}
    ranges = (c for c, v in inside.items() if v not in known)
    init = substitute(build.land(*(c for c in begun if c not in inside), *ranges), first)
    return replace(
        thread,
        variables=tuple(
            _variable(v, s.var, turning) for v, s in zip(thread.variables, separate.variables, strict=True)
        ),
        locations=tuple(map(location, separate.locations)),
        init=substitute(init, own),
        edges=tuple(edge(e, o) for e, o in zip(separate.edges, thread.edges, strict=True)),
    )


def _var(term: Term) -> Var:
    assert isinstance(term, Var)
    return term


def _variable(own: Variable, there: Var, turning: _Turning) -> Variable:
    if there not in turning.sizes:
        return own
    return replace(own, var=turning.growing(own.var), low=None, high=None)


def _bad(bad: Bad, threads: Sequence[Automaton], made: Sequence[Automaton], turning: _Turning) -> Bad:
    failing = bad.failing
    if failing is not None and failing.edge is not None:
        edges = {e: n for t, m in zip(threads, made, strict=True) for e, n in zip(t.edges, m.edges, strict=True)}
        failing = Failing(failing.thread, edges[failing.edge])
    return Bad(failing, None if bad.claim is None else turning.value(bad.claim))


def _ghosts(threads: Sequence[Automaton], turning: _Turning) -> Iterator[Ghost]:
    """How often numbers have wrapped around: what was to be set and what was set differ by so many sizes."""
    separate, back = [apart(t) for t in threads], turning.back
    for var, size in turning.sizes.items():
        steps = (
            ((index, number), _wraps(term, size, turning, back))
            for index, thread in enumerate(separate)
            for number, e in enumerate(thread.edges)
            for v, term in e.updates
            if v is var
        )
        yield Ghost(turning.wraps(var), build.ZERO, tuple(steps))


def _wraps(term: Term, size: int, turning: _Turning, back: Mapping[Var, Term]) -> Term:
    if isinstance(term, Ite) and isinstance(wrapped(term, turning.sizes), Ite):
        one, two = (_wraps(t, size, turning, back) for t in (term.positive, term.negative))
        return build.ite(term.condition, one, two)
    total = substitute(turning.total(term), back)
    return _by_case(term, lambda t: build.div(build.sub(total, t), size))


def _by_case(term: Term, made: Callable[[Term], Term]) -> Term:
    if isinstance(term, Ite):
        return build.ite(term.condition, _by_case(term.positive, made), _by_case(term.negative, made))
    return made(term)
