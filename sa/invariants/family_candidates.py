"""What joint invariants of threads and copies may be made of: formulas over the variables of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, permutations, product

from sa.automata.automaton import Automaton, Edge, Kind
from sa.certificates.run import Bad
from sa.invariants.congruences import remainders
from sa.invariants.houdini import atoms_of, has_functions
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.sort import BOOL, INT, ArraySort
from sa.terms.substitute import substitute
from sa.terms.term import (
    Bool,
    Call,
    Int,
    IsZero,
    Ite,
    Le,
    Member,
    Not,
    Select,
    Store,
    Sum,
    Term,
    Var,
    sort_of,
    subterms,
)

#: So many candidates at most, orders between so many numbers, and first values, or values of steps, that are compared.
CANDIDATES, ORDERED, FIRST = 300, 9, 7

#: So many equations with functions at most: each of them is a long question.
APPLIED = 40


def candidates(
    own: Sequence[Var], automata: Sequence[Automaton], identities: Sequence[Var], bads: Sequence[Bad]
) -> tuple[Term, ...]:
    """Formulas over `own` variables: comparisons that the automata or a claim make, values that are assigned, orders of
    numbers, who is known by whom, and what holds at the start where a shared variable still has its first value.
    """
    mine = frozenset(own)
    known = [v for v in identities if v in mine]
    numbers = [v for v in own if v.sort == INT and v not in known]
    formulas = [b.claim for b in bads if b.claim is not None]
    formulas += [f for t in automata for f in (t.init, *(e.guard for e in t.edges))]
    found = dict.fromkeys(a for f in dict.fromkeys(formulas) for a in atoms_of(f))
    found.update(dict.fromkeys((*_assigned(automata), *_elements(automata, numbers))))
    # What a test bounds is beyond the bound by one when the loop is left.
    guards = dict.fromkeys(a for t in automata for e in t.edges for a in atoms_of(e.guard))
    found.update(dict.fromkeys(build.at_most_zero(build.sub(a.total, build.ONE)) for a in guards if isinstance(a, Le)))
    found.update(dict.fromkeys(build.ne(one, two) for one, two in combinations(numbers, 2)))
    if len(numbers) <= ORDERED:
        found.update(dict.fromkeys(f for pair in combinations(numbers, 2) for f in _orders(*pair)))
    for identity in known:
        found.update(dict.fromkeys(f for v in numbers for f in _both(build.eq(v, identity))))
    found.update(dict.fromkeys((*_ahead(automata, numbers), *blocks(automata), *remainders(automata))))
    starts = dict.fromkeys(c for t in automata for c in build.conjuncts(t.init) if len(c.free) == 1 and c.free <= mine)
    starting = [c for c in starts if isinstance(c, IsZero | Not | Var)][:FIRST]
    found.update(dict.fromkeys(build.implies(one, two) for one, two in permutations(starting, 2)))
    sensible = (c for c in found if c.free and c.free <= mine and not has_functions(c))
    return (*_over_time(automata, bads, mine), *sensible)[:CANDIDATES]


def _over_time(automata: Sequence[Automaton], bads: Sequence[Bad], mine: frozenset[Var]) -> tuple[Term, ...]:
    """What is wanted, functions and all, and what it or the start says of first values, said of variables that have
    them then: `gcd(a, b) == gcd(A, B)` where `a` and `b` begin as `A` and `B`.
    """
    failing = (e.guard for t in automata for e in t.edges if e.failure is not None)
    wanted = dict.fromkeys(a for f in (*(b.claim or build.TRUE for b in bads), *failing) for a in atoms_of(f))
    now = _now(automata)
    said = dict.fromkeys(
        a for t in automata for f in build.conjuncts(t.init) for a in atoms_of(f) if not has_functions(a)
    )
    # Each formula with functions is a long question, so of these there are equations only.
    later: list[Term] = [a for a in wanted if isinstance(a, IsZero) and has_functions(a)]
    moved = (
        a for a in (*wanted, *said) if not a.free.isdisjoint(now) and (isinstance(a, IsZero) or not has_functions(a))
    )
    later += [f for a in moved for f in _said_now(a, now)]
    return tuple(dict.fromkeys(f for f in later if f.free and f.free <= mine and not isinstance(f, Bool)))


def _now(automata: Sequence[Automaton]) -> dict[Var, Var]:
    """By parameter a variable that begins as it."""
    rigid = {v.var for t in automata for v in t.variables if v.kind is Kind.PARAM}
    found = dict[Var, Var]()
    for formula in (f for t in automata for f in build.conjuncts(t.init)):
        said = solution(formula, formula.free - rigid)
        if said is not None and said[1] in rigid and isinstance(said[1], Var):
            found.setdefault(said[1], said[0])
    return found


def _said_now(formula: Term, now: Mapping[Var, Var]) -> Iterable[Term]:
    """A formula over variables instead of their first values; of an equation also that its sides stay the same."""
    moved = substitute(formula, now)
    if isinstance(formula, IsZero) and has_functions(formula):
        for call in (t for t in subterms((formula,)) if isinstance(t, Call)):
            yield build.eq(substitute(call, now), call)
    yield moved


def _exchanged(edge: Edge) -> Iterator[Term]:
    """Of a step that is one of two, new values by the flag that tells which it was: a compare-and-swap, a try-lock."""
    updates = dict(edge.updates)
    for flag, condition in edge.updates:
        if flag.sort == BOOL and not isinstance(condition, Bool | Var):
            for var, value in edge.updates:
                if isinstance(value, Ite) and value.condition in (condition, build.lnot(condition)):
                    same = value.condition is condition
                    won, lost = (value.positive, value.negative) if same else (value.negative, value.positive)
                    for side, then in ((flag, won), (build.lnot(flag), lost)):
                        if then.free.isdisjoint(updates):
                            yield build.implies(side, build.eq(var, then))


def _assigned(automata: Sequence[Automaton]) -> Iterator[Term]:
    """That a variable has a value that some step gives it, and that it has not."""
    for edge in (e for t in automata for e in t.edges):
        yield from _exchanged(edge)
        for var, value in edge.updates:
            if var.sort == BOOL and not isinstance(value, Bool | Var):
                yield from _both(value)
            if isinstance(value, Int | Bool | Member):
                yield from _both(var if var.sort == BOOL else build.eq(var, value))
            elif var not in value.free:
                yield build.eq(var, value)
            elif isinstance(value, Store) and value.array is var:
                yield from _stored(var, value)
            if isinstance(value, Int):
                yield from (build.le(var, value), build.le(value, var))


def _stored(array: Var, value: Store) -> Iterator[Term]:
    """That an element is what a step writes there, and that it is not."""
    said = build.eq(build.select(array, value.index), value.value)
    if array not in value.value.free | value.index.free:
        yield from _both(said)


def _ahead(automata: Sequence[Automaton], numbers: Sequence[Var]) -> Iterator[Term]:
    """That a number is what a step makes of another one, `a == total - d` before `total -= d`, `n == end - begin`; and
    that two steps make the same, `end - begin == n + 1`.
    """
    updates = (u for t in automata for e in t.edges for u in e.updates)
    values = dict.fromkeys(t for v, t in updates if isinstance(t, Sum) and t.free <= frozenset(numbers))
    few = list(values)[:FIRST]
    for value in few:
        yield from (build.eq(other, value) for other in numbers if other not in value.free)
    yield from (build.eq(one, other) for one, other in combinations(few, 2))


def blocks(automata: Sequence[Automaton]) -> Iterator[Term]:
    """That numbers which a step takes, `base := fetch_add(next, 3)`, are so far apart, and behind the shared one."""
    rigid = frozenset(v.var for t in automata for v in t.variables if v.kind is Kind.PARAM)
    taken = dict[tuple[Var, Term], dict[Var, None]]()
    for edge in (e for t in automata for e in t.edges):
        for shared, value in edge.updates:
            size = build.sub(value, shared) if isinstance(value, Sum) else build.ZERO
            if size not in (build.ZERO, build.ONE) and size.free <= rigid:
                own = (v for v, t in edge.updates if t is shared)
                taken.setdefault((shared, size), {}).update(dict.fromkeys(own))
    for (shared, size), owners in taken.items():
        yield from (build.le(build.add(v, size), shared) for v in owners)
        for one, two in combinations(owners, 2):
            yield build.lor(build.le(build.add(one, size), two), build.le(build.add(two, size), one))


def applied(automata: Sequence[Automaton], own: Sequence[Var]) -> tuple[Term, ...]:
    """That a variable is what a function without a body is of another one, `val == f(key)`, for functions of one
    argument that steps apply to a variable.
    """
    terms = (t for a in automata for e in a.edges for t in (e.guard, *(v for _, v in e.updates), *_shown(e)))
    calls = dict.fromkeys(t for t in subterms(terms) if isinstance(t, Call) and len(t.arguments) == 1)
    functions = dict.fromkeys(c.function for c in calls)
    found = (
        build.eq(value, build.call(f, (argument,)))
        for f in functions
        for value in own
        for argument in own
        if value.sort == f.result and argument.sort == f.arguments[0] and value is not argument
    )
    return tuple(islice(dict.fromkeys(found), APPLIED))


def _shown(edge: Edge) -> tuple[Term, ...]:
    return () if edge.label is None else edge.label.values


def _elements(automata: Sequence[Automaton], numbers: Sequence[Var]) -> Iterator[Term]:
    """That an element is what a step stores at such an index, `f[p] == p` after `f[n + 1] := n + 1`, or a number.

    Of indices that are read, and of variables that these get their values from.
    """
    edges = [e for t in automata for e in t.edges]
    terms = list(subterms(t for e in edges for t in (e.guard, *(value for _, value in e.updates))))
    read = dict.fromkeys(t.index for t in terms if isinstance(t, Select) and isinstance(t.index, Var))
    read.update(dict.fromkeys(t for e in edges for v, t in e.updates if v in read and isinstance(t, Var)))
    arrays = dict[Var, None]()
    for store in dict.fromkeys(t for t in terms if isinstance(t, Store)):
        if not isinstance(store.array, Var):
            continue
        arrays[store.array] = None
        place = build.variable("#place", sort_of(store.index))
        solved = solution(build.eq(store.index, place), store.index.free)
        value = store.value if solved is None else substitute(store.value, dict((solved,)))
        if solved is not None and value.free <= {place}:
            same = (v for v in read if v.sort == place.sort)
            yield from (build.eq(build.select(store.array, v), substitute(value, {place: v})) for v in same)
    shared = {v.var for t in automata for v in t.variables if v.kind is Kind.GLOBAL}
    for array, index in product(arrays, (v for v in read if v in shared)):
        if isinstance(array.sort, ArraySort) and array.sort.index == index.sort and array.sort.element == INT:
            held = (v for v in numbers if v in shared and v is not index)
            yield from (build.eq(build.select(array, index), v) for v in held)


def _both(formula: Term) -> Iterable[Term]:
    return formula, build.lnot(formula)


def _orders(one: Var, two: Var) -> Iterable[Term]:
    return build.le(one, two), build.le(two, one), build.lt(one, two), build.lt(two, one)
