"""Values that a variable takes, found for one variable at a time: counters that tests bound, places in a ring."""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import product

from msgspec.structs import replace

from sa.automata.ranges import is_large
from sa.explicit.transition_system import Arc, Whole
from sa.hybrid.control_variables import FEW, values_of
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.substitute import substitute
from sa.terms.term import Int, Ite, Term, Var

#: Combinations of values of the variables of one update that are looked at.
COMBINATIONS = 256


def with_few(w: Whole) -> Whole:
    """The whole in which integers that take few values have these as their range.

    Of each variable it is a set that contains its first value and, for values of the sets, what each update makes of
    them where the guard does not exclude them. So no reachable state is outside.
    """
    taken = _taken(w)
    if not taken:
        return w
    variables = (
        replace(v, low=min(taken[v.var]), high=max(taken[v.var])) if v.var in taken else v for v in w.variables
    )
    return replace(w, variables=tuple(variables))


def guessed(w: Whole) -> Mapping[Var, tuple[int, int]]:
    """Limits of numbers that count: they begin with a constant, and each other value is made of such numbers.

    Which values they take depends on the tests that were passed before: whoever explores within these limits sees it.
    """
    open_ = {v.var for v in w.variables if is_large(v)}
    few = {v.var for v in w.variables if values_of(v) is not None}
    found = {v: min(values) for v, values in _begun(w).items() if v in open_}
    updates = [(a, v, t) for by_place in w.arcs for here in by_place for a in here for v, t in a.updates.items()]
    falling = True
    while falling:
        fallen = {v for a, v, t in updates if v in found and not _counts(t, found.keys() | few)}
        falling = bool(fallen)
        found = {v: x for v, x in found.items() if v not in fallen}
    written = {v for _, v, _ in updates}
    lows = {v: min(x, 0) - 1 for v, x in found.items() if v in written}
    return {v: (low, low + FEW - 1) for v, low in lows.items()}


def limited(w: Whole, limits: Mapping[Var, tuple[int, int]]) -> Whole:
    """The whole in which these variables have their limits as ranges."""
    kept = (replace(v, low=limits[v.var][0], high=limits[v.var][1]) if v.var in limits else v for v in w.variables)
    return replace(w, variables=tuple(kept))


def _counts(term: Term, known: Set[Var]) -> bool:
    """Whether these variables decide the values of a term, or conditions between such values."""
    if isinstance(term, Ite):
        return _counts(term.positive, known) and _counts(term.negative, known)
    return term.free <= known


def _begun(w: Whole) -> dict[Var, Set[int]]:
    """The first values of variables that begin with a constant."""
    said = (solution(f, f.free) for f in build.conjuncts(w.init))
    return {s[0]: {s[1].value} for s in said if s is not None and isinstance(s[1], Int)}


def _taken(w: Whole) -> Mapping[Var, Set[int]]:
    updates = [(a, v, t) for by_place in w.arcs for here in by_place for a in here for v, t in a.updates.items()]
    open_ = {v.var for v in w.variables if is_large(v)}
    found = {v: frozenset(values) for v, values in _begun(w).items() if v in open_}
    # What an update was asked about: sets only grow, so that the same sizes are the same sets.
    asked = dict[int, list[int]]()
    changed = True
    while changed:
        changed = False
        for place, (arc, v, term) in enumerate(updates):
            sizes = [len(found.get(x, ())) for x in sorted(term.free, key=lambda x: x.key)]
            if v not in found or asked.get(place) == sizes:
                continue
            asked[place] = sizes
            made = _made(arc, term, found)
            if made is None or len(found[v] | made) > FEW:
                del found[v]
                changed = True
            elif not made <= found[v]:
                found[v] |= made
                changed = True
    return {v: values for v, values in found.items() if max(values) - min(values) < FEW}


def _made(arc: Arc, term: Term, found: Mapping[Var, Set[int]]) -> Set[int] | None:
    """The values that an update makes of the values so far; None where they are too many, or others decide."""
    used = sorted(term.free, key=lambda v: v.key)
    if not all(v in found for v in used):
        return None
    sets = [sorted(found[v]) for v in used]
    size = 1
    for values in sets:
        size *= len(values)
    if size > COMBINATIONS:
        return None
    made = set[int]()
    for chosen in product(*sets):
        here = {v: build.integer(x) for v, x in zip(used, chosen, strict=True)}
        if substitute(arc.guard, here) is build.FALSE:
            continue
        value = substitute(term, here)
        if not isinstance(value, Int):
            return None
        made.add(value.value)
    return made
