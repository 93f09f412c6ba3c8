"""What elements of arrays may be, and for which indices: formulas over an index and the element there.

A part of an array is what lies between places that the program reads, writes or compares with them. What is said of the
elements there is what is written at them, and what is compared with those that are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, permutations

from msgspec import Struct

from sa.invariants.houdini import atoms_of, has_functions
from sa.smt.horn import Clause
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.cases import branches
from sa.terms.solve import solution
from sa.terms.sort import BOOL, INT, ArraySort
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import Call, Int, IsZero, Le, Or, Select, Store, Term, Var, children, sort_of, subterms

#: Formulas about other numbers at most.
OTHERS = 60


class Size(Struct, frozen=True):
    """How many ends of parts at most, and how many things that are said of elements."""

    ends: int
    said: int


#: Few candidates, and many.
SIZES = (Size(6, 6), Size(9, 16))


def candidates(
    parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], index: Var, cells: Mapping[Var, Var], size: Size
) -> tuple[Term, ...]:
    """Formulas over parameters, `index`, and `cells` in place of the elements of arrays at the index.

    Arrays without a cell are spoken of themselves.
    """
    every = frozenset(v for listed in parameters.values() for v in listed)
    data = frozenset(v for v in every if not isinstance(v.sort, ArraySort))
    terms = tuple(dict.fromkeys(t for c in clauses for t in _terms(c)))
    reached = [t for t in subterms(terms) if isinstance(t, Select | Store) and sort_of(t.index) == INT]
    atoms = tuple(dict.fromkeys(a for c in clauses for a in atoms_of(c.constraint)))
    # Of an equation and what it says of orders the equation is enough.
    equations = frozenset(a.total for a in atoms if isinstance(a, IsZero))
    equations |= frozenset(build.scale(-1, t) for t in equations)
    tests = tuple(a for a in atoms if not (isinstance(a, Le) and a.total in equations))
    wanted = tuple(dict.fromkeys(build.lnot(c.constraint) for c in clauses if c.head is None))
    tests += tuple(w for w in wanted if isinstance(w, Or))
    own = (every - cells.keys()) | {index, *cells.values()}
    of_elements = _said(tests, reached, _named(parameters, clauses), index, cells)
    said = _first((f for f in of_elements if f.free <= own), size.said)
    said = (*_applied(terms, index, cells), *_once_true(reached, _named(parameters, clauses), cells), *said)
    # An element may mean something only while there is a flag at its index.
    flags = [c for c in cells.values() if c.sort == BOOL]
    said += tuple(build.implies(flag, f) for flag in flags for f in said if flag not in f.free)
    found = _ends(parameters, clauses, reached, tests)
    # What moves tells more than bounds that never do.
    ends = _first(sorted((t for t in found if t.free <= data and not has_functions(t)), key=_is_fixed), size.ends)
    parts = tuple(dict.fromkeys(_parts(ends, index)))
    about = (build.implies(part, f) for f in said for part in parts)
    numbers = [a for a in tests if a.free and a.free <= data and not has_functions(a)]
    beyond = (build.at_most_zero(build.sub(a.total, build.ONE)) for a in numbers if isinstance(a, Le))
    ordered = (build.le(one, two) for one, two in permutations(ends, 2))
    alike = (build.eq(one, two) for one, two in _moved_alike(parameters, clauses, reached))
    others = islice((*numbers, *alike, *(w for w in wanted if w.free <= data), *beyond, *ordered), OTHERS)
    return tuple(f for f in dict.fromkeys((*others, *about)) if f.free)


def _applied(terms: Sequence[Term], index: Var, cells: Mapping[Var, Var]) -> tuple[Term, ...]:
    """That an element is what a function without a body is of its index."""
    functions = dict.fromkeys(t.function for t in subterms(terms) if isinstance(t, Call) and len(t.arguments) == 1)
    return tuple(
        build.eq(cell, build.call(f, (index,)))
        for f in functions
        for cell in cells.values()
        if f.arguments[0] == index.sort and f.result == cell.sort
    )


def _once_true(
    reached: Sequence[Select | Store], named: Mapping[Term, Sequence[Var]], cells: Mapping[Var, Var]
) -> tuple[Term, ...]:
    """That a flag which was read as true is true: nobody takes back that something was published."""
    read = ((cells.get(a), named.get(p, ())) for p in reached for a in (_array(p),) if isinstance(a, Var))
    pairs = ((v, cell) for cell, names in read for v in names if cell is not None and cell.sort == v.sort == BOOL)
    return tuple(dict.fromkeys(build.implies(v, cell) for v, cell in pairs))


def pairs(
    parameters: Mapping[str, Sequence[Var]],
    clauses: Sequence[Clause],
    indices: tuple[Var, Var],
    first: Mapping[Var, Var],
    second: Mapping[Var, Var],
    size: Size,
) -> Iterator[Term]:
    """How elements at two indices are ordered, and how they are to the numbers of the program."""
    data = frozenset(v for listed in parameters.values() for v in listed if not isinstance(v.sort, ArraySort))
    terms = tuple(dict.fromkeys(t for c in clauses for t in _terms(c)))
    reached = [t for t in subterms(terms) if isinstance(t, Select | Store) and sort_of(t.index) == INT]
    tests = tuple(dict.fromkeys(a for c in clauses for a in atoms_of(c.constraint)))
    found = _ends(parameters, clauses, reached, tests)
    ends = _first((t for t in found if t.free <= data and not has_functions(t)), size.ends)
    k, later = indices
    for array, x in first.items():
        if array not in second or x.sort != INT:
            continue
        y, numbers = second[array], sorted((v for v in data if v.sort == INT), key=lambda v: v.key)
        before = [build.land(build.le(k, later), build.lt(later, end)) for end in ends]
        within = [build.land(build.le(build.ZERO, k), b) for b in before]
        yield from (build.implies(b, said) for b in (*before, *within) for said in (build.le(x, y), build.le(y, x)))
        inside = [build.lt(k, end) for end in ends]
        inside += [build.land(build.le(build.ZERO, k), b) for b in inside]
        yield from (build.implies(b, f) for b in inside for v in numbers for f in (build.le(x, v), build.le(v, x)))


def _terms(clause: Clause) -> Iterator[Term]:
    yield clause.constraint
    yield from () if clause.head is None else clause.head.arguments


def _moved_alike(
    parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], reached: Sequence[Select | Store]
) -> Iterator[tuple[Var, Var]]:
    """Numbers that a step moves by the same where elements are what is written: a sum of ones, and their count."""
    written = dict.fromkeys(t.value.value for t in reached if isinstance(t, Store) and isinstance(t.value, Int))
    for head in (c.head for c in clauses if c.head is not None):
        pairs = [(v, t) for v, t in zip(parameters[head.predicate], head.arguments, strict=True) if v.sort == INT]
        by = [(v, d) for v, t in pairs for case in branches(t) for d in _moves(build.sub(case, v), written)]
        yield from ((v, w) for (v, one), (w, two) in combinations(by, 2) if one == two and v is not w)


def _moves(difference: Term, written: Iterable[int]) -> Iterator[int]:
    """What a difference is, other than 0, where each element in it is one of the numbers."""
    const, parts = linear_parts(difference)
    if all(isinstance(p, Select) for p in parts):
        yield from (d for w in (written if parts else (0,)) if (d := const + w * sum(parts.values())))


def _ends(
    parameters: Mapping[str, Sequence[Var]],
    clauses: Sequence[Clause],
    reached: Sequence[Select | Store],
    tests: Iterable[Term],
) -> Iterator[Term]:
    """Places that are read or written, where they begin, and what is compared with them."""
    places = dict.fromkeys(t.index for t in reached)
    # Behind what was written last begins what has not been written yet.
    written = dict.fromkeys(t.index for t in reached if isinstance(t, Store))
    yield from (end for place in written for end in (place, build.add(place, build.ONE)))
    yield from places
    named = frozenset(v for p in places for v in p.free if v.sort == INT)
    for head in (c.head for c in clauses if c.head is not None):
        pairs = zip(parameters[head.predicate], head.arguments, strict=True)
        yield from (t for v, t in pairs if v in named and v not in t.free)
    for test in tests:
        for var in sorted(test.free & named, key=lambda v: v.key):
            found = solution(build.is_zero(test.total), frozenset((var,))) if isinstance(test, Le | IsZero) else None
            if found is not None:
                yield found[1]


def _parts(ends: Sequence[Term], index: Var) -> Iterator[Term]:
    """Sets of indices: all, from an end on, before an end, and between two."""
    yield build.TRUE
    yield from (f for t in ends for f in (build.le(t, index), build.lt(index, t), build.eq(index, t)))
    for low, high in permutations(ends, 2):
        size = build.sub(high, low)
        if not isinstance(size, Int) or size.value > 0:
            yield build.land(build.le(low, index), build.lt(index, high))


def _said(
    tests: Sequence[Term],
    reached: Sequence[Select | Store],
    named: Mapping[Term, Sequence[Var]],
    index: Var,
    cells: Mapping[Var, Var],
) -> Iterator[Term]:
    arrays = {p: a for p in reached for a in (_array(p),) if isinstance(a, Var) and a in cells}
    read = {v: cells[a] for p, a in arrays.items() for v in named.get(p, ())}
    yield from (substitute(_at_cells(t, index, cells), read) for t in tests if isinstance(t, Or))
    about = dict[Term, list[Term]]()
    for test in tests:
        for part in subterms((test,)):
            if isinstance(part, Var | Select):
                about.setdefault(part, []).append(test)
    for place, array in arrays.items():
        cell, moved = cells[array], _moved(place.index, index)
        called_so = named.get(place, ())
        if isinstance(place, Store):
            value = _at_cells(place.value, index, cells)
            yield from (build.eq(cell, substitute(value, m)) for m in (*moved, {}) if sort_of(value) == cell.sort)
            called_so = [v for v in (place.value,) if isinstance(v, Var)]
        for var in dict.fromkeys(called_so):
            yield from (substitute(t, {**m, var: cell}) for t in about.get(var, ()) for m in (*moved, {}))
        yield from (substitute(_at_cells(t, index, cells), m) for t in about.get(place, ()) for m in (*moved, {}))


def _named(parameters: Mapping[str, Sequence[Var]], clauses: Iterable[Clause]) -> Mapping[Term, Sequence[Var]]:
    """Variables that an element is known as after it was read: those with its value in the heads of clauses."""
    found = dict[Term, dict[Var, None]]()
    for head in (c.head for c in clauses if c.head is not None):
        for var, term in zip(parameters[head.predicate], head.arguments, strict=True):
            if isinstance(term, Select):
                found.setdefault(term, {})[var] = None
    return {place: tuple(variables) for place, variables in found.items()}


def _is_fixed(term: Term) -> bool:
    return not term.free


def _first(terms: Iterable[Term], most: int) -> tuple[Term, ...]:
    """The first so many different ones."""
    found = dict[Term, None]()
    for term in terms:
        found[term] = None
        if len(found) == most:
            break
    return tuple(found)


def _moved(place: Term, index: Var) -> tuple[dict[Var, Term], ...]:
    """Variables of a place as they are where the place is the index."""
    found = (solution(build.eq(place, index), frozenset((v,))) for v in sorted(place.free, key=lambda v: v.key))
    return tuple({var: term} for said in found if said is not None for var, term in (said,))


def _array(place: Select | Store) -> Term:
    array: Term = place.array
    while isinstance(array, Store):
        array = array.array
    return array


def _at_cells(term: Term, index: Var, cells: Mapping[Var, Var]) -> Term:
    """The term with the element at the index wherever an element is read."""
    if isinstance(term, Select):
        array = _array(term)
        return cells[array] if isinstance(array, Var) and array in cells else term
    return rebuild(term, lambda t: _at_cells(t, index, cells)) if children(term) else term
