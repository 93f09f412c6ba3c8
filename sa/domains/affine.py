"""Affine equalities between variables (Karr's domain), sparse, with integer coefficients.

A space is the set of states that satisfy rows `Σ coefficient · column + constant = 0`, kept in reduced
echelon form: equal sets have equal rows, and a join looks only at the rows that differ. A column is a variable, or a
number that is not affine in variables: an element, a product, a quotient, the value of a function. Booleans count as 0
and 1, enumerations as their index, arrays as any numbers that tell them apart, of which only equality says
something. The empty set has no space; operations that may meet it return None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import TypeAlias, assert_never

from sa.base.limits import Unsupported
from sa.terms import build
from sa.terms.solve import extended
from sa.terms.sort import BOOL, INT, ArraySort, BoolSort, EnumSort, IntSort, finite_values
from sa.terms.substitute import primed, substitute
from sa.terms.term import Bool, Call, Div, IsZero, Ite, Member, Mod, Not, Product, Same, Select, Term, Var, sort_of

#: Coefficients by column; the constant stands under None. Coprime, the pivot's coefficient positive.
Row: TypeAlias = dict[Term | None, int]

#: Rows by pivot: the row's first column, which is no column of another row.
Space: TypeAlias = Mapping[Term, Row]

EVERYTHING: Space = {}

#: Bounds of what is a column: the length of its key, the factors of a product; and of how many such a row may have,
#: and how many products, of which the solver knows little.
LONGEST, FACTORS, NUMBERS, PRODUCTS = 80, 2, 6, 1


def rows_of(formula: Term) -> tuple[Row, ...]:
    """The affine equalities that stand as conjuncts in a formula."""
    found = (_row(part) for part in build.conjuncts(formula))
    return tuple(row for row in found if row is not None)


def _row(literal: Term) -> Row | None:
    match literal:
        case IsZero(total):
            return _affine(total)
        case Same(left, right):
            first, second = _affine(left), _affine(right)
            return None if first is None or second is None else _combine(first, 1, second, -1)
        case Var():
            return {literal: 1, None: -1}
        case Not(Var() as var):
            return {var: 1}
        case _:
            return None


def _affine(term: Term) -> Row | None:
    """A term as an affine combination of columns, None where it is not one."""
    match term:
        case Bool(value):
            return {None: int(value)}
        case Member(_, index):
            return {None: index}
        case Not(Var() as var):
            return {var: -1, None: 1}
    const, parts = build.linear_parts(term)
    row: Row = {None: const} if const else {}
    for part, coefficient in parts.items():
        if not (isinstance(part, Var) or _is_number(part)):
            return None
        row[part] = coefficient
    numbers = [p for p in parts if not isinstance(p, Var)]
    few = len(numbers) <= NUMBERS and sum(isinstance(p, Product) for p in numbers) <= PRODUCTS
    return row if few else None


def _is_number(part: Term) -> bool:
    if not isinstance(part, Call | Div | Ite | Mod | Product | Select) or sort_of(part) != INT:
        return False
    return len(part.key) <= LONGEST and not (isinstance(part, Product) and len(part.factors) > FACTORS)


def _combine(first: Row, a: int, second: Row, b: int) -> Row:
    row = {v: a * c for v, c in first.items()}
    for v, c in second.items():
        row[v] = row.get(v, 0) + b * c
    return {v: c for v, c in row.items() if c}


def _pivot(row: Row) -> Term | None:
    return min((v for v in row if v is not None), key=_order, default=None)


def _order(column: Term) -> tuple[bool, str]:
    # Variables come first, and by name: `abs.` variables are defined by `conc.` ones.
    return not isinstance(column, Var), column.key


def _normal(row: Row) -> Row:
    divisor = gcd(*row.values()) if row else 1
    pivot = _pivot(row)
    if pivot is not None and row[pivot] < 0:
        divisor = -divisor
    return row if divisor == 1 else {v: c // divisor for v, c in row.items()}


def meet(space: Space, rows: Iterable[Row]) -> Space | None:
    """The states of the space that satisfy the rows too; None if there are none."""
    result = dict(space)
    for row in rows:
        for var in [v for v in row if v is not None and v in result]:
            definition = result[var]
            row = _combine(row, definition[var], definition, -row[var])
        row = _normal(row)
        pivot = _pivot(row)
        if pivot is None:
            if row:
                return None
            continue
        if any(c % gcd(*(k for v, k in row.items() if v is not None)) for v, c in row.items() if v is None):
            return None
        for other, old in result.items():
            if pivot in old:
                result[other] = _normal(_combine(old, row[pivot], row, -old[pivot]))
        result[pivot] = row
    return result


def forget(space: Space, variables: Iterable[Var]) -> Space:
    """The space with nothing known of the variables, nor of columns that read them."""
    result, forgotten = dict(space), dict.fromkeys(variables)
    reading = [c for c in _terms(space) if not c.free.isdisjoint(forgotten)]
    for var in (*forgotten, *dict.fromkeys(reading)):
        users = [pivot for pivot, row in result.items() if var in row]
        if not users:
            continue
        # The row with the last pivot goes: the others keep their pivots when it eliminates `var` in them.
        last = max(users, key=_order)
        gone = result.pop(last)
        for pivot in users:
            if pivot is not last:
                old = result[pivot]
                result[pivot] = _normal(_combine(old, gone[var], gone, -old[var]))
    return result


def _columns(space: Space) -> Iterable[Term]:
    return (c for row in space.values() for c in row if c is not None)


def _terms(space: Space) -> list[Term]:
    """The columns that are no variables: mostly there are none."""
    return [c for row in space.values() for c in row if c is not None and type(c) is not Var]


def join(first: Space, second: Space) -> Space:
    """The smallest space that contains both: the rows that hold in both (Zassenhaus' algorithm)."""
    if first == second:
        return first
    common = {p: row for p, row in first.items() if second.get(p) == row}
    left = [row for p, row in first.items() if p not in common]
    right = [row for p, row in second.items() if p not in common]
    if not left or not right:
        return common
    basis = dict[Term | None, tuple[Row, Row]]()
    shared = list[Row]()
    for row, copy in [*((r, r) for r in left), *((r, Row()) for r in right)]:
        while row:
            pivot = _pivot(row)
            if pivot not in basis:
                basis[pivot] = (row, copy)
                break
            old, old_copy = basis[pivot]
            a, b = old[pivot], -row[pivot]
            divisor = gcd(a, b)
            row = _combine(row, a // divisor, old, b // divisor)
            copy = _combine(copy, a // divisor, old_copy, b // divisor)
        else:
            if copy:
                shared.append(copy)
    # Rows that hold in both may have no solution in integers: then both are empty, and anything contains them.
    joined = meet(common, shared)
    return common if joined is None else joined


def grown(old: Space, new: Space) -> Space:
    """A space that contains both, in a fixed point: what is equal in one is said in columns of the other, too.

    Then other equations may be left, but fewer than there were: so a space does not grow for ever.
    """
    joined = join(_with_columns(old, new), _with_columns(new, old))
    return joined if len(joined) < len(old) else join(old, new)


def _with_columns(space: Space, other: Space) -> Space:
    """The space with equations for the other's columns that are equal to own ones: for a[i] where a[0] and i = 0."""
    if not _terms(other):
        return space
    own = frozenset(_columns(space))
    wanted = dict.fromkeys(c for c in _terms(other) if c not in own)
    if not wanted:
        return space
    known, rows = definitions(space), list[Row]()
    for column in wanted:
        same = _affine(substitute(column, known))
        if same is not None and all(c is None or c in own for c in same):
            rows.append(_combine(same, -1, {column: 1}, 1))
    found = meet(space, rows)
    return space if found is None else found


def assign(space: Space, updates: Mapping[Var, Term]) -> Space | None:
    """The space after the simultaneous updates; what is not affine is the same on both sides if it reads the same."""
    opaque = dict[Term, Var]()
    rows = list[Row]()
    for var, value in updates.items():
        row = _affine(value)
        if row is None:
            reduced = substitute(value, definitions(space))
            row = _affine(reduced)
            if row is None:
                stand_in = opaque.setdefault(reduced, build.variable(f"~{len(opaque)}", INT))
                row = {stand_in: 1}
        # What a column is now is no reason to forget what it is a column of: `k % 3` is 1 only where k is.
        rows += (same for c in row if c is not None and not isinstance(c, Var) for same in _known(space, c))
        rows.append(_combine(row, -1, {primed(var): 1}, 1))
    met = meet(space, rows)
    if met is None:
        return None
    counted = _as_counted(met, updates)
    if counted is None:
        return None
    after = forget(counted, (*updates, *opaque.values()))
    back: dict[Var, Term] = {primed(v): v for v in updates}
    # A primed name stands right after the plain one, so renaming variables keeps the echelon form.
    renamed = {substitute(p, back): {_moved(c, back): k for c, k in row.items()} for p, row in after.items()}
    return meet(EVERYTHING, renamed.values()) if _terms(after) else renamed


def _known(space: Space, column: Term) -> Iterator[Row]:
    """What a column is where the variables that it reads are known."""
    known = substitute(column, definitions(space))
    row = None if known is column else _affine(known)
    if row is not None:
        yield _combine(row, -1, {column: 1}, 1)


def _moved(column: Term | None, names: Mapping[Var, Term]) -> Term | None:
    return None if column is None else substitute(column, names)


def _as_counted(space: Space, updates: Mapping[Var, Term]) -> Space | None:
    """The space with columns over later values of variables, where these are the earlier ones plus a constant."""
    terms = _terms(space)
    if not terms:
        return space
    before = dict[Var, Term]()
    for var, value in updates.items():
        const, parts = build.linear_parts(value)
        if parts == {var: 1}:
            before[var] = build.sub(primed(var), build.integer(const))
    moved: dict[Term, Row | None] = {c: _affine(substitute(c, before)) for c in terms}
    if all(new is None for new in moved.values()):
        return space
    rows = list[Row]()
    for row in space.values():
        made: Row = {c: k for c, k in row.items() if c is None or moved.get(c) is None}
        for column, new in moved.items():
            if new is not None and column in row:
                made = _combine(made, 1, new, row[column])
        rows.append(made)
    return meet(EVERYTHING, rows)


def definitions(space: Space) -> dict[Var, Term]:
    """Variables that the space defines, as terms over those that it does not: a substitution.

    Pivots where their coefficient is 1, other variables of a row where theirs is.
    """
    found, left = dict[Var, Term](), list[Row]()
    for pivot, row in space.items():
        definition = _definition(pivot, row) if _plain(row) else None
        if definition is not None and isinstance(pivot, Var):
            found[pivot] = definition
        elif all(c is None or sort_of(c) == INT for c in row):
            left.append(row)
    return extended(found, (_equation(row) for row in left))


def _plain(row: Row) -> bool:
    return all(c is None or type(c) is Var for c in row)


def _equation(row: Row) -> Term:
    return build.is_zero(build.combine(row.get(None, 0), ((v, c) for v, c in row.items() if v is not None)))


def _definition(pivot: Term, row: Row) -> Term | None:
    others = [v for v in row if v is not None and v is not pivot]
    const = row.get(None, 0)
    if row[pivot] != 1:
        return None
    sort = sort_of(pivot)
    if sort == INT:
        if any(sort_of(v) != INT for v in others):
            return None
        return build.linear(-const, {v: -row[v] for v in others})
    every = finite_values(sort)
    if not others and every is not None and 0 <= -const < len(every):
        return build.constant(-const, sort)
    if len(others) == 1 and sort_of(others[0]) == sort:
        if row[others[0]] == -1 and const == 0:
            return others[0]
        if sort == BOOL and row[others[0]] == 1 and const == -1:
            return build.lnot(others[0])
    return None


def formulas(space: Space, defining: bool = True) -> tuple[Term, ...]:
    """The rows as equations; not `defining` leaves out those that `definitions` make true."""
    found = list[Term]()
    for pivot, row in space.items():
        definition = _definition(pivot, row)
        if definition is not None:
            if defining or not _plain(row):
                found.append(build.eq(pivot, definition))
        elif not any(v is not None and isinstance(sort_of(v), ArraySort) for v in row):
            scaled = ((_number(v), c) for v, c in row.items() if v is not None)
            found.append(build.is_zero(build.combine(row.get(None, 0), scaled)))
    return tuple(found)


def _number(column: Term) -> Term:
    """The integer that a column counts as."""
    match sort_of(column):
        case IntSort():
            return column
        case BoolSort():
            return build.ite(column, build.ONE, build.ZERO)
        case EnumSort(_, constructors) as sort:
            number: Term = build.integer(len(constructors) - 1)
            for index in reversed(range(len(constructors) - 1)):
                number = build.ite(build.eq(column, build.constant(index, sort)), build.integer(index), number)
            return number
        case ArraySort():
            raise Unsupported("an array where a number is needed")
        case _ as never:
            assert_never(never)
