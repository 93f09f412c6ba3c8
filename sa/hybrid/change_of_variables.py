"""Other variables for the same data: quotient and remainder instead of a number, a difference instead of one of two.

Numbers that grow for ever often have remainders and differences with few values, on which it depends what a program
does: places of a ring buffer, how full it is, who is next. As variables of their own these can be control.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import lcm

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.automata.rename import apart
from sa.explicit.transition_system import Arc, Whole
from sa.hybrid.control_variables import FEW, values_of
from sa.hybrid.cyclic import Sizes, around_which, difference, sizes_of, whole_wrapped, wrapped
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.cases import outermost
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Div, IsZero, Le, Mod, Term, Var, subterms

#: Values of a difference below the least and above the greatest one that it is compared with; or one for each thread.
SLACK = 2


class Coordinates(Struct, frozen=True, eq=False):
    """A whole and claims over other variables; `there` is by old variable what it is now, `back` the other way round.

    `stands_for` is by new variable the old one in whose place it is, and `limits` are variables with values that they
    are guessed to keep to.
    """

    whole: Whole
    claims: tuple[Term, ...]
    there: Mapping[Var, Term]
    back: Mapping[Var, Term]
    stands_for: Mapping[Var, Var]
    limits: Mapping[Var, tuple[int, int]]


class _Made(Struct):
    """The old variables as terms over new ones, and the new ones."""

    there: dict[Var, Term]
    back: dict[Var, Term]
    stands_for: dict[Var, Var]
    declared: dict[Var, list[Variable]]
    limits: dict[Var, tuple[int, int]]


def coordinates(w: Whole, claims: Sequence[Term]) -> Iterator[Coordinates]:
    """Ways to write the data with remainders and differences, if any: the one with most of these first."""
    numbers = _numbers(w)
    if sizes := around_which(w, sizes_of(w.variables)):
        w, claims = whole_wrapped(w, sizes), [wrapped(c, sizes) for c in claims]
    formulas = tuple(_formulas(w, claims))
    moduli, pairs = _moduli(w, formulas, numbers), _compared(formulas, numbers)
    _follow(w, numbers, pairs)
    owner = {v.var: i for i, t in enumerate(w.threads) for v in apart(t).variables if v.kind is Kind.LOCAL}
    slack = max(SLACK, len(w.threads))
    trees, small = _trees(pairs, numbers, owner, slack), _small(w, formulas, numbers, slack)
    guesses = ((trees, small), *(((trees, {}),) if small else ()), *((({}, {}),) if trees else ()))
    for made in (_made(numbers, moduli, t, s, sizes) for t, s in guesses):
        if made.declared:
            yield _changed(w, claims, made)


def without_guesses(made: Coordinates, control: Sequence[Var]) -> Whole:
    """The whole where variables that are not control may have any values."""
    free = made.limits.keys() - set(control)
    return replace(
        made.whole,
        variables=tuple(replace(v, low=None, high=None) if v.var in free else v for v in made.whole.variables),
    )


def _numbers(w: Whole) -> dict[Var, Variable]:
    """The numbers that change and have many values."""
    return {v.var: v for v in w.variables if v.var.sort == INT and v.kind is not Kind.PARAM and values_of(v) is None}


def _formulas(w: Whole, claims: Sequence[Term]) -> Iterator[Term]:
    yield from claims
    for arc in (a for by_place in w.arcs for here in by_place for a in here):
        yield arc.guard
        yield from arc.updates.values()


def _moduli(w: Whole, formulas: Iterable[Term], numbers: Mapping[Var, Variable]) -> dict[Var, int]:
    """By what numbers are divided, also those that others get their values from."""
    found = dict[Var, int]()
    for term in subterms(formulas):
        if isinstance(term, Mod | Div):
            for var in (v for v in term.dividend.free if v in numbers):
                _divide(found, var, term.divisor)
    updates = [u for by_place in w.arcs for here in by_place for a in here for u in a.updates.items()]
    growing = True
    while growing:
        before = dict(found)
        for var, term in updates:
            for source in (v for v in term.free if v in numbers and var in found):
                _divide(found, source, found[var])
        growing = found != before
    return found


def _divide(found: dict[Var, int], var: Var, divisor: int) -> None:
    size = lcm(found.get(var, 1), divisor)
    if size <= FEW:
        found[var] = size


def _compared(formulas: Iterable[Term], numbers: Mapping[Var, Variable]) -> dict[tuple[Var, Var], tuple[int, int]]:
    """Pairs of numbers of which the second minus the first is compared, and the least and greatest constant."""
    found = dict[tuple[Var, Var], tuple[int, int]]()
    for term in subterms(formulas):
        if not isinstance(term, Le | IsZero):
            continue
        constant, parts = linear_parts(term.total)
        if len(parts) == 1:
            constant, parts = _around(constant, parts)
        variables = sorted((v for v in parts if isinstance(v, Var) and v in numbers), key=lambda v: v.key)
        if len(parts) == 2 and len(variables) == 2 and parts[variables[0]] == -parts[variables[1]]:
            one, two = variables
            value = -constant // parts[two]
            # What is compared with a large constant, as the range of a type, need not be large.
            value = value if abs(value) < FEW else 0
            low, high = found.get((one, two), (0, 0))
            found[one, two] = min(low, value), max(high, value)
    return found


def _around(constant: int, parts: Mapping[Term, int]) -> tuple[int, Mapping[Term, int]]:
    """A sum whose sign tells whether a remainder is larger than a constant, if the dividend is near to 0."""
    ((part, factor),) = parts.items()
    if not isinstance(part, Mod) or part.divisor < FEW:
        return constant, parts
    size, bound = part.divisor, -constant // factor
    bound = bound - size if bound > size - FEW else bound
    return -bound, {p: c - size if c > size // 2 else c for p, c in linear_parts(part.dividend)[1].items()}


def _small(
    w: Whole, formulas: Iterable[Term], numbers: Mapping[Var, Variable], slack: int
) -> dict[Var, tuple[int, int]]:
    """Numbers that are compared with constants, and set to such or counted up and down: the values they may keep to."""
    found = dict[Var, tuple[int, int]]()
    for term in subterms(formulas):
        if isinstance(term, Le | IsZero) and len(term.free) == 1:
            constant, parts = linear_parts(term.total)
            part, factor = next(iter(parts.items()))
            # What is compared with a large constant, as the range of a type, need not be large.
            if isinstance(part, Var) and part in numbers and abs(value := -constant // factor) < FEW:
                low, high = found.get(part, (0, 0))
                found[part] = min(low, value), max(high, value)
    for arc in (a for by_place in w.arcs for here in by_place for a in here):
        for var in [v for v in found if not arc.updates.get(v, v).free <= {v}]:
            del found[var]
    return {v: (low - slack, high + slack) for v, (low, high) in found.items() if high - low + 2 * slack < FEW}


def _follow(w: Whole, numbers: Mapping[Var, Variable], pairs: dict[tuple[Var, Var], tuple[int, int]]) -> None:
    """Where a number is compared with another one, what is assigned to either is as good as compared."""
    copied = {
        (var, term)
        for arc in (a for by_place in w.arcs for here in by_place for a in here)
        for var, term in arc.updates.items()
        if var in numbers and isinstance(term, Var) and term in numbers
    }
    growing = True
    while growing:
        before = dict(pairs)
        for one, two in before:
            for var, source in copied:
                other = two if var is one else one if var is two else None
                if other is not None and other is not source:
                    key = (source, other) if source.key < other.key else (other, source)
                    turned = (var is one) != (key[0] is source)
                    _both(pairs, (one, two), key, turned)
        growing = pairs != before


def _both(
    pairs: dict[tuple[Var, Var], tuple[int, int]], one: tuple[Var, Var], two: tuple[Var, Var], turned: bool
) -> None:
    """Give two differences the same ends, with the opposite sign if they are `turned`: one is a copy of the other."""
    low, high = pairs[one]
    least, most = pairs.get(two, (0, 0))
    least, most = (-most, -least) if turned else (least, most)
    low, high = min(low, least), max(high, most)
    pairs[one], pairs[two] = (low, high), (-high, -low) if turned else (low, high)


def _trees(
    pairs: Mapping[tuple[Var, Var], tuple[int, int]],
    numbers: Mapping[Var, Variable],
    owner: Mapping[Var, int],
    slack: int,
) -> dict[Var, tuple[Var, int, int]]:
    """By number the one that it is seen from, with the least and greatest difference: trees of compared pairs.

    Locals are seen from shared numbers, since these are what others change.
    """
    found, group = dict[Var, tuple[Var, int, int]](), {v: v for v in numbers}
    for (one, two), (low, high) in pairs.items():
        below, above = low - slack, high + slack
        if one in owner and two in owner and owner[one] != owner[two]:
            continue
        parent, child = (two, one) if one in owner or two in found else (one, two)
        if parent is two:
            below, above = -above, -below
        if child in found or (child in owner and parent in owner) or group[one] is group[two] or above - below >= FEW:
            continue
        gone = group[child]
        group = {v: group[parent] if g is gone else g for v, g in group.items()}
        found[child] = (parent, below, above)
    return found


def _made(
    numbers: Mapping[Var, Variable],
    moduli: Mapping[Var, int],
    trees: Mapping[Var, tuple[Var, int, int]],
    small: Mapping[Var, tuple[int, int]],
    sizes: Sizes,
) -> _Made:
    made = _Made({}, {}, {}, {}, {})
    divided = dict(moduli)
    for var, size in moduli.items():
        root = var
        while root in trees:
            root = trees[root][0]
        divided[root] = lcm(divided.get(root, 1), size)
    for var, variable in numbers.items():
        if var in trees or divided.get(var, 1) == 1 or divided[var] > FEW:
            continue
        size = divided[var]
        whole, rest = build.variable(f"{var.name} / {size}", INT), build.variable(f"{var.name} % {size}", INT)
        made.there[var] = build.add(build.scale(size, whole), rest)
        made.back |= {whole: build.div(var, size), rest: build.mod(var, size)}
        made.declared[var] = [Variable(whole, variable.kind), Variable(rest, variable.kind, low=0, high=size - 1)]
    for var in trees:
        _differ(made, numbers, trees, var, sizes)
    for var, (low, high) in small.items():
        if var not in made.there and all(parent is not var for parent, _, _ in trees.values()):
            made.declared[var] = [replace(numbers[var], low=low, high=high)]
            made.limits[var] = (low, high)
    made.stands_for = {v.var: var for var, declared in made.declared.items() for v in declared}
    return made


def _differ(
    made: _Made,
    numbers: Mapping[Var, Variable],
    trees: Mapping[Var, tuple[Var, int, int]],
    var: Var,
    sizes: Sizes,
) -> None:
    """Write a number as that which it is seen from and a difference; around the shorter way if both wrap around."""
    if var in made.there or var not in trees:
        return
    parent, low, high = trees[var]
    _differ(made, numbers, trees, parent, sizes)
    more, size = build.variable(f"{var.name} - {parent.name}", INT), sizes.get(var)
    ahead = build.add(made.there.get(parent, parent), more)
    cyclic = size is not None and sizes.get(parent) == size
    made.there[var] = build.mod(ahead, size) if cyclic and size is not None else ahead
    made.back[more] = difference(var, parent, size) if cyclic and size is not None else build.sub(var, parent)
    made.declared[var] = [Variable(more, numbers[var].kind, low=low, high=high)]
    made.limits[more] = (low, high)


def _changed(w: Whole, claims: Sequence[Term], made: _Made) -> Coordinates:
    variables = tuple(v for old in w.variables for v in made.declared.get(old.var, [old]))
    arcs = tuple(tuple(tuple(_moved(a, made) for a in here) for here in by_place) for by_place in w.arcs)
    changed = replace(
        w,
        variables=variables,
        order=(*w.counters, *(v.var for v in variables)),
        init=substitute(w.init, made.there),
        arcs=arcs,
    )
    said = tuple(substitute(c, made.there) for c in claims)
    return Coordinates(changed, said, made.there, made.back, made.stands_for, made.limits)


def _moved(arc: Arc, made: _Made) -> Arc:
    updates = {v: substitute(t, made.there) for v, t in arc.updates.items() if v not in made.there}
    for new, meant in made.back.items():
        if not meant.free.isdisjoint(arc.updates):
            # What a condition chooses is decided by cases: a compare-and-swap leaves one of two remainders.
            after = outermost(substitute(substitute(meant, arc.updates), made.there))
            updates |= {} if after is new else {new: after}
    return replace(arc, guard=substitute(arc.guard, made.there), updates=updates)
