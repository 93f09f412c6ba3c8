"""Numbers that wrap around, as unsigned numbers of C do: their sums, written as cases, as remainders.

`if x <= M - 2 then x + 1 else x + 1 - M` is `(x + 1) % M` for x in 0 … M - 1, and `x == y` says that `(x - y) % M`
is 0. In this form the difference of two such numbers is seen to change by what is added to them, whether one of them
wraps around or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec.structs import replace

from sa.automata.automaton import Variable
from sa.explicit.transition_system import Arc, Whole
from sa.hybrid.control_variables import FEW
from sa.terms import build, interval
from sa.terms.bounds import Ranges, assuming, interval_of
from sa.terms.build import linear_parts
from sa.terms.sort import INT
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import Bool, Forall, Int, IsZero, Ite, Le, Member, Mod, Term, Var, sort_of, subterms

#: By number how many values it has, which are those from 0 on.
Sizes = Mapping[Var, int]


def sizes_of(variables: Iterable[Variable]) -> dict[Var, int]:
    """The numbers that may wrap around: those that are not negative, and have a last value."""
    numbers = ((v.var, v.high) for v in variables if v.var.sort == INT and v.low == 0 and v.high is not None)
    return {v: high + 1 for v, high in numbers if high >= FEW}


def wrapped(term: Term, sizes: Sizes) -> Term:
    """The same term with sums and equations modulo the sizes, where numbers keep to their ranges."""
    memo, turns = dict[Term, Term](), tuple(dict.fromkeys(sizes.values()))

    def go(part: Term) -> Term:
        if isinstance(part, Var | Int | Bool | Member | Forall):
            return part
        if part not in memo:
            made = rebuild(part, go)
            if isinstance(made, Ite) and sort_of(made) == INT:
                made = next((build.mod(t, m) for m in turns if (t := _sum(made, m, sizes))), made)
            memo[part] = _equation(made.total, sizes, made) if isinstance(made, IsZero) else made
        return memo[part]

    return go(term)


def around_which(w: Whole, sizes: Sizes) -> Sizes:
    """The numbers of sizes around which something is added up."""
    made = whole_wrapped(w, sizes) if sizes else w
    updates = (t for by_place in made.arcs for here in by_place for a in here for t in a.updates.values())
    used = {t.divisor for t in subterms(updates) if isinstance(t, Mod)}
    return {v: size for v, size in sizes.items() if size in used}


def whole_wrapped(w: Whole, sizes: Sizes) -> Whole:
    """The whole with guards and updates in this form."""
    arcs = (((_arc_wrapped(a, sizes) for a in here) for here in by_place) for by_place in w.arcs)
    return replace(w, arcs=tuple(tuple(tuple(here) for here in by_place) for by_place in arcs))


def _arc_wrapped(arc: Arc, sizes: Sizes) -> Arc:
    updates = {v: wrapped(t, sizes) for v, t in arc.updates.items()}
    return replace(arc, guard=wrapped(arc.guard, sizes), updates=updates)


def _sum(term: Ite, size: int, sizes: Sizes) -> Term | None:
    """A sum that the term is the remainder of, if both its cases are and lie in the range."""
    ranges: Ranges = {v: (0, sizes[v] - 1) for v in term.free if v in sizes}
    cases = (term.positive, term.condition), (term.negative, build.lnot(term.condition))
    if any(isinstance(t, Ite) for t, _ in cases) or not all(_is_inside(t, c, size, ranges) for t, c in cases):
        return None
    for (one, _), (two, condition) in (cases, cases[::-1]):
        # What is set to 0 behind its last value is one more than that.
        there = assuming(condition, ranges) or {}
        known: dict[Var, Term] = {v: build.integer(x) for v, (x, y) in there.items() if x is not None and x == y}
        for exact in ({}, known):
            constant, parts = linear_parts(substitute(build.sub(one, two), exact))
            if not parts and constant != 0 and constant % size == 0:
                return one
    return None


def _is_inside(term: Term, condition: Term, size: int, ranges: Ranges) -> bool:
    """Whether the term is one of 0 … size - 1 where the condition holds."""
    there = assuming(condition, ranges)
    if there is None:
        return True
    values = interval_of(term, there)
    if isinstance(condition, Le):
        # The condition may say how two variables of the sum are related.
        above, more = linear_parts(build.add(term, condition.total))
        below, less = linear_parts(build.sub(term, condition.total))
        values = interval.meet(values, (None if more else above, None if less else below)) or values
    low, high = values
    return low is not None and low >= 0 and high is not None and high < size


def _equation(total: Term, sizes: Sizes, formula: Term) -> Term:
    """That two numbers of one range are equal, as a remainder that is 0."""
    constant, parts = linear_parts(total)
    if constant == 0 and len(parts) == 2 and sorted(parts.values()) == [-1, 1]:
        found = {sizes.get(p) if isinstance(p, Var) else p.divisor if isinstance(p, Mod) else None for p in parts}
        size = found.pop() if len(found) == 1 else None
        if size is not None and size in sizes.values():
            return build.is_zero(build.mod(total, size))
    return formula


@lru_cache(maxsize=1 << 12)
def difference(one: Var, two: Var, size: int) -> Term:
    """How far the first number is ahead of the second one, around the shorter way: from -size/2 to size/2 - 1."""
    half = size // 2
    return build.sub(build.mod(build.add(one, build.scale(-1, two), build.integer(half)), size), build.integer(half))
