"""What holds of every element of an array: Horn clauses about an index that nothing is known of, and the element there.

A predicate over arrays a and numbers x becomes one over an index k, a[k] and x, which is meant to hold for all k. A
step from it that reads a[i] may assume it of k and of i (Bjørner,
McMillan, Rybalchenko, SAS 2013; Monniaux, Gonnord, SAS 2016).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.limits import Unsupported
from sa.domains.affine import EVERYTHING, definitions, forget, meet, rows_of
from sa.hybrid.element_candidates import SIZES, Size, candidates, pairs
from sa.hybrid.points import Point
from sa.hybrid.ring_buffers import rings, root_of, unrolled
from sa.hybrid.solve import Held, Horn
from sa.invariants.conjunctions import conjunctions, impossible, under
from sa.invariants.examples import Examples, examples, with_elements
from sa.smt.horn import Atom, Clause, Solution, solve
from sa.smt.session import Session
from sa.terms import build
from sa.terms.name import staged
from sa.terms.sort import INT, ArraySort
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import (
    ConstantArray,
    Forall,
    Ite,
    Same,
    Select,
    Store,
    Term,
    Var,
    array_sort_of,
    children,
    sort_of,
    subterms,
)

#: The indices that nothing is known of: one is enough for most arrays, two for one that is sorted.
INDEX, SECOND = INDICES = (build.variable("k@index", INT), build.variable("l@index", INT))

#: Solver resources for each question about a conjunction.
SOON = 10000000


#: By predicate the parameters that are made of others, and how.
_Defined: TypeAlias = Mapping[str, Mapping[Var, Term]]


class Celled(Struct, frozen=True):
    """Clauses without arrays, the parameters of their predicates, and the array and index of each element."""

    parameters: Mapping[str, tuple[Var, ...]]
    clauses: tuple[Clause, ...]
    elements: Mapping[Var, tuple[Var, Var]]
    rings: Mapping[Var, int] = {}

    @property
    def meant(self) -> dict[Var, Term]:
        """What stands for elements as terms."""
        return {c: build.select(a, _reached(k, self.rings.get(a))) for c, (a, k) in self.elements.items()}


def _reached(place: Term, divisor: int | None) -> Term:
    """The index of a place, in a ring of so many elements."""
    return place if divisor is None else build.mod(place, divisor)


def _together(one: Term, other: Term, divisor: int | None) -> Term:
    """Whether two places are of one element."""
    return build.eq(one, other) if divisor is None else build.eq(build.mod(build.sub(one, other), divisor), build.ZERO)


def celled(
    parameters: Mapping[str, Sequence[Var]],
    clauses: Sequence[Clause],
    whole: frozenset[Var] = frozenset(),
    indices: tuple[Var, ...] = (INDEX,),
    rings: Mapping[Var, int] = {},
) -> Celled:
    """Clauses about elements instead of arrays, but for the `whole` ones. Raises Unsupported for arrays of arrays.

    In `rings` places are the same where their remainders by so much are.
    """
    arrays = dict.fromkeys(v for listed in parameters.values() for v in listed if isinstance(v.sort, ArraySort))
    if any(array_sort_of(a).index != INT or isinstance(array_sort_of(a).element, ArraySort) for a in arrays):
        raise Unsupported("arrays of arrays")
    named = {k: "element" if k is INDEX else "another" for k in indices}
    cells = {
        a: {k: build.variable(staged(a.name, name), array_sort_of(a).element) for k, name in named.items()}
        for a in arrays
        if a not in whole
    }
    over = {name: _over(listed, cells, indices) for name, listed in parameters.items()}
    made = tuple(_Clause(cells, whole, indices, rings).made(c) for c in clauses)
    return Celled(over, made, {c: (a, k) for a, of in cells.items() for k, c in of.items()}, rings)


class _Question(Struct, frozen=True):
    """Clauses without the parameters that are defined by others, and what defines them."""

    parameters: Mapping[str, Sequence[Var]]
    clauses: Sequence[Clause]
    defined: _Defined

    def celled(self, whole: frozenset[Var] = frozenset(), indices: tuple[Var, ...] = (INDEX,)) -> Celled:
        return celled(self.parameters, self.clauses, whole, indices)


def _question(made: Horn, equal: Mapping[Point, Term]) -> _Question:
    known = {made.names[p]: formula for p, formula in equal.items()}
    defined = {name: _defined(known[name], listed) for name, listed in made.parameters.items()}
    clauses = tuple(under(made.parameters, known, made.clauses))
    return _Question(*_independent(made.parameters, clauses, defined), defined)


def of_elements(made: Horn, stated: Horn, equal: Mapping[Point, Term], session: Session, rlimit: int) -> Held | None:
    """A solution that speaks of elements at the index, where `equal` always hold. Raises LimitReached.

    `stated` are the clauses about the whole state: what was found out may depend on what is of no use any more.
    """
    asked = _question(made, equal)
    over = asked.celled()
    first: Mapping[str, Term] = {}
    ways = tuple(_ways(asked, over, made, stated, equal))

    @cache
    def seen(way: int) -> Examples | None:
        q, inside = ways[way]
        return _seen(inside, q.parameters, q.clauses, session)

    for size, (way, (q, inside)) in product(SIZES, enumerate(ways)):
        found, settles = _conjunctions(inside, q.parameters, q.clauses, q.defined, session, size, seen(way))
        if settles:
            return _held(made, equal, inside, found)
        first = found if inside is over else first
    answer = solve(over.parameters, tuple(under(over.parameters, first, over.clauses)), session.bounds, rlimit)
    if not isinstance(answer, Solution):
        return None
    return _held(made, equal, over, {n: build.land(first[n], answer.predicates[n]) for n in first})


def _ways(
    asked: _Question, over: Celled, made: Horn, stated: Horn, equal: Mapping[Point, Term]
) -> Iterator[tuple[_Question, Celled]]:
    """Ways of speaking of elements: in arrays as rings, in all, in those that are written, and at two indices."""
    circular = rings(asked.parameters, asked.clauses)
    if circular:
        turned = replace(asked, clauses=unrolled(asked.clauses, circular))
        yield turned, celled(turned.parameters, turned.clauses, rings=circular)
    yield asked, over
    unwritten = _unwritten(asked.parameters, asked.clauses)
    if unwritten:
        yield asked, asked.celled(unwritten)
    if stated.data != made.data:
        q = _question(stated, equal)
        yield q, q.celled()
    if _reads_two(asked.clauses):
        yield asked, asked.celled(indices=INDICES)


def of_elements_alone(
    parameters: Mapping[str, Sequence[Var]],
    clauses: Sequence[Clause],
    others: Sequence[Term],
    session: Session,
    flags: frozenset[Var],
) -> Mapping[str, Term] | None:
    """A solution of clauses by conjunctions that speak of elements at the index; `others` are candidates that do not.

    Raises LimitReached.
    """
    over = celled(parameters, clauses)
    nothing = {name: dict[Var, Term]() for name in parameters}
    seen = _seen(over, parameters, clauses, session)
    for size in SIZES:
        found, settles = _conjunctions(over, parameters, clauses, nothing, session, size, seen, others, flags)
        if settles:
            return {n: substitute(f, over.meant) for n, f in found.items()}
    return None


def _reads_two(clauses: Sequence[Clause]) -> bool:
    """Whether an array is read at two places, so that it can matter how two of its elements are ordered."""
    terms = dict.fromkeys(t for c in clauses for t in (c.constraint, *(c.head.arguments if c.head else ())))
    read = {(t.array, t.index) for t in subterms(terms) if isinstance(t, Select)}
    return len(read) > len({array for array, _ in read})


def _seen(
    over: Celled, parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], session: Session
) -> Examples | None:
    """Some states at indices, of states with the whole arrays; None for rings, of which places mean other indices."""
    if over.rings:
        return None
    return with_elements(examples(session.bare(), parameters, clauses), parameters, over.parameters, over.meant)


def _conjunctions(
    over: Celled,
    parameters: Mapping[str, Sequence[Var]],
    clauses: Sequence[Clause],
    defined: _Defined,
    session: Session,
    size: Size,
    seen: Examples | None,
    others: Sequence[Term] = (),
    flags: frozenset[Var] = frozenset(),
) -> tuple[Mapping[str, Term], bool]:
    """What candidates say, and whether that is enough. Raises LimitReached."""
    cells = {a: c for c, (a, k) in over.elements.items() if k is INDEX}
    seconds = {a: c for c, (a, k) in over.elements.items() if k is SECOND}
    offered = (*candidates(parameters, clauses, INDEX, cells, size), *others)
    offered += tuple(pairs(parameters, clauses, INDICES, cells, seconds, size))
    said = {n: _sayable(offered, defined[n], frozenset(v)) for n, v in over.parameters.items()}
    found = conjunctions(session.again(SOON), over.parameters, over.clauses, said, session.bounds, seen, flags)
    ends = (c for c in over.clauses if c.head is None)
    return found, all(impossible(session, over.parameters, found, c) for c in ends)


def _held(made: Horn, equal: Mapping[Point, Term], over: Celled, found: Mapping[str, Term]) -> Held:
    return Held({p: build.land(equal[p], substitute(found[n], over.meant)) for p, n in made.names.items()})


def _unwritten(parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause]) -> frozenset[Var]:
    """Arrays that no clause changes: elements of others may be theirs at other indices, as in a copy in reverse."""
    arrays = frozenset(v for listed in parameters.values() for v in listed if isinstance(v.sort, ArraySort))
    heads = [c.head for c in clauses if c.head is not None]
    pairs = (pair for a in heads for pair in zip(parameters[a.predicate], a.arguments, strict=True))
    changed = frozenset(v for v, t in pairs if v is not t)
    # Where all stay whole there is nothing that an index is needed for.
    return arrays - changed if arrays & changed else frozenset()


def _defined(formula: Term, parameters: Sequence[Var]) -> Mapping[Var, Term]:
    """The parameters that equations in a formula make of others. Other variables are not known at the place."""
    space = meet(EVERYTHING, rows_of(formula)) or EVERYTHING
    return definitions(
        forget(space, frozenset(v for row in space.values() for c in row if c for v in c.free).difference(parameters))
    )


def _sayable(offered: Sequence[Term], defined: Mapping[Var, Term], own: frozenset[Var]) -> tuple[Term, ...]:
    """The formulas over these variables alone, where some are defined by others."""
    said = dict.fromkeys(substitute(f, defined) for f in offered)
    return tuple(f for f in said if f.free and f.free <= own)


def _independent(
    parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], defined: _Defined
) -> tuple[dict[str, tuple[Var, ...]], tuple[Clause, ...]]:
    """The predicates without the parameters that are defined by others."""

    def kept(atom: Atom) -> Atom:
        pairs = zip(parameters[atom.predicate], atom.arguments, strict=True)
        return Atom(atom.predicate, tuple(t for v, t in pairs if v not in defined[atom.predicate]))

    found = list[Clause]()
    for clause in clauses:
        said: dict[Var, Term] = {v: t for atom in clause.body for v, t in defined[atom.predicate].items()}
        body, head = tuple(kept(a) for a in clause.body), None if clause.head is None else kept(clause.head)
        if head is not None:
            head = Atom(head.predicate, tuple(substitute(t, said) for t in head.arguments))
        found.append(Clause(body, substitute(clause.constraint, said), head))
    return {n: tuple(v for v in listed if v not in defined[n]) for n, listed in parameters.items()}, tuple(found)


#: By array what stands for its elements, by index.
_Cells: TypeAlias = Mapping[Var, Mapping[Var, Var]]


def _over(listed: Sequence[Var], cells: _Cells, indices: tuple[Var, ...]) -> tuple[Var, ...]:
    """The indices come first where there are arrays."""
    inside = tuple(x for v in listed for x in (cells[v].values() if v in cells else (v,)))
    return (*indices, *inside) if any(v in cells for v in listed) else inside


class _Clause(Struct):
    """One clause while it is rewritten: names for the elements that it reads, by array and index."""

    cells: _Cells
    whole: frozenset[Var]
    indices: tuple[Var, ...]
    rings: Mapping[Var, int]
    reads: dict[tuple[Var, Term], Var] = field(default_factory=dict)

    def made(self, clause: Clause) -> Clause:
        head = None
        if clause.head is not None:
            inside = (
                [self._cell(t, k) for k in self.indices] if self._is_split(t) else [self._plain(t)]
                for t in clause.head.arguments
            )
            arguments = tuple(x for listed in inside for x in listed)
            has_arrays = any(self._is_split(t) for t in clause.head.arguments)
            head = Atom(clause.head.predicate, (*self.indices, *arguments) if has_arrays else arguments)
        parts = build.conjuncts(clause.constraint)
        said = [self._plain(c) for c in parts if _equal(c) is None]
        # Equal arrays are equal wherever they are read.
        for one, other in (sides for c in parts for sides in (_equal(c),) if sides is not None):
            for index in self._known():
                said.append(build.eq(self._cell(one, index), self._cell(other, index)))
        body = tuple(a for atom in clause.body for a in self._atoms(atom))
        return Clause(body, build.land(*said, *self._congruence()), head)

    def _atoms(self, atom: Atom) -> Iterator[Atom]:
        """The atom at the indices, and at all others that are read."""
        arrays = [a for a in atom.arguments if self._is_split(a)]
        if not arrays:
            yield atom
            return
        for chosen in product(self._known(), repeat=len(self.indices)):
            inside = ([self._cell(a, k) for k in chosen] if self._is_split(a) else [a] for a in atom.arguments)
            yield Atom(atom.predicate, (*chosen, *(x for listed in inside for x in listed)))

    def _known(self) -> tuple[Term, ...]:
        return tuple(dict.fromkeys((*self.indices, *(i for _, i in self.reads))))

    def _is_split(self, term: Term) -> bool:
        return _is_array(term) and term not in self.whole

    def _plain(self, term: Term) -> Term:
        """The term, no array, with names for elements that are read."""
        match term:
            case Select(array, index):
                return self._cell(array, self._plain(index))
            case Same(left, _) if _is_array(left):
                # Only more is possible where nothing is known of an equation.
                return build.variable(f"{term.key}@equal", sort_of(term))
            case Forall():
                raise Unsupported("quantifiers in steps")
        return rebuild(term, self._plain) if children(term) else term

    def _cell(self, array: Term, index: Term) -> Term:
        """The element of an array at an index that reads nothing."""
        match array:
            case Var() if array in self.whole:
                return build.select(array, index)
            case Var() if isinstance(index, Var) and index in self.cells.get(array, ()):
                return self.cells[array][index]
            case Var():
                return self._read(array, index)
            case ConstantArray(_, value):
                return self._plain(value)
            case Store(inner, at, value):
                here = _together(self._plain(at), index, self._ring(array))
                return build.ite(here, self._plain(value), self._cell(inner, index))
            case Ite(condition, positive, negative):
                return build.ite(self._plain(condition), self._cell(positive, index), self._cell(negative, index))
        raise Unsupported("arrays of arrays")

    def _ring(self, array: Term) -> int | None:
        root = root_of(array)
        return None if root is None else self.rings.get(root)

    def _read(self, array: Var, index: Term) -> Var:
        found = self.reads.get((array, index))
        if found is None:
            name = staged(array.name, f"read{len(self.reads)}")
            found = self.reads[array, index] = build.variable(name, array_sort_of(array).element)
        return found

    def _congruence(self) -> Iterator[Term]:
        """Elements of one array at equal indices are equal."""
        for ((a, i), x), ((b, j), y) in combinations(self.reads.items(), 2):
            if a is b:
                yield build.implies(_together(i, j, self.rings.get(a)), build.eq(x, y))
        for (a, i), x in self.reads.items():
            for k, c in self.cells.get(a, {}).items():
                yield build.implies(_together(i, k, self.rings.get(a)), build.eq(x, c))
        for a, of in self.cells.items():
            for (k, x), (other, y) in combinations(of.items(), 2):
                yield build.implies(_together(k, other, self.rings.get(a)), build.eq(x, y))


def _is_array(term: Term) -> bool:
    return isinstance(sort_of(term), ArraySort)


def _equal(formula: Term) -> tuple[Term, Term] | None:
    """The arrays that a formula says are equal, if that is what it says."""
    return (formula.left, formula.right) if isinstance(formula, Same) and _is_array(formula.left) else None
