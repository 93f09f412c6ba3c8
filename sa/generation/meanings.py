"""Functions without a body, given one: meanings that satisfy all axioms, so that what fails for them is refuted.

A meaning is tried, never believed: each axiom is put to the solver with the meaning in place of the function, and is
then a formula without functions. That also shows that the axioms do not contradict each other. Few simple meanings
are tried; that none is found says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, combinations

from sa.automata.program import Axiom
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.meaning import Meaning, called, calls, interpreted
from sa.terms.sort import BOOL, INT, ArraySort, Sort, finite_values
from sa.terms.substitute import substitute
from sa.terms.term import Bool, Call, Function, Int, IsZero, Le, Member, Not, Same, Term, Var, children

#: How many conditions are tried, and of how many comparisons of the axioms each is made.
CONDITIONS, WIDTH = 40, 3


def meanings(session: Session, functions: tuple[Function, ...], axioms: tuple[Axiom, ...]) -> Iterator[Meaning]:
    """Meanings that satisfy the axioms. `session` assumes no axioms. Raises LimitReached."""
    for meaning in _candidates(functions, axioms):
        if all(_holds(session, interpreted(a.formula, meaning)) for a in axioms):
            yield meaning


def _holds(session: Session, formula: Term) -> bool:
    return isinstance(session.check((build.lnot(formula),)), Unsat)


# ---------------------------------------------------------------- what is tried


def _candidates(functions: tuple[Function, ...], axioms: tuple[Axiom, ...]) -> Iterator[Meaning]:
    """Constants, arguments and their neighbours, and one or the other by a condition of what the axioms compare."""
    own, table = {f: _parameters(f) for f in functions}, _table(axioms)

    def meaning(bodies: Mapping[Function, Term]) -> Meaning:
        return Meaning({f: (own[f], _but(own[f], table.get(f, {}), bodies[f])) for f in functions})

    for body in (_zero, _one, _first, _two, _next, _opposite, _sum, _size, _above, _weighted):
        yield meaning({f: body(f, own[f]) for f in functions})
    tests = {f: tuple(_conditions(f, own[f], axioms)) for f in functions}
    for number in range(max((len(t) for t in tests.values()), default=0)):
        for low, high in ((_zero, _one), (_zero, _first)):
            yield meaning(
                {
                    f: _either(tests[f][number % len(tests[f])], low(f, own[f]), high(f, own[f]))
                    if tests[f]
                    else low(f, own[f])
                    for f in functions
                }
            )


def _table(axioms: tuple[Axiom, ...]) -> Mapping[Function, Mapping[tuple[Term, ...], Term]]:
    """The values for constants that axioms give outright."""
    found = dict[Function, dict[tuple[Term, ...], Term]]()
    for part in (c for axiom in axioms for c in build.conjuncts(axiom.formula)):
        for call in calls(part):
            value = None if part.free else _value(part, call)
            if value is not None and all(isinstance(a, Int | Bool | Member) for a in call.arguments):
                found.setdefault(call.function, {})[call.arguments] = value
    return found


def _value(equation: Term, call: Call) -> Term | None:
    """The constant that an equation says a call is."""
    match equation:
        case Call():
            return build.TRUE if equation is call else None
        case Not(Call() as denied):
            return build.FALSE if denied is call else None
        case Same(left, right):
            other = right if left is call else left if right is call else None
            return other if isinstance(other, Bool | Member) else None
        case IsZero(total):
            const, parts = build.linear_parts(total)
            return build.integer(-const * parts[call]) if list(parts) == [call] and abs(parts[call]) == 1 else None
        case _:
            return None


def _but(parameters: tuple[Var, ...], table: Mapping[tuple[Term, ...], Term], otherwise: Term) -> Term:
    """A body with other values for some constants, where it has not these already."""
    for arguments, value in table.items():
        if substitute(otherwise, dict(zip(parameters, arguments, strict=True))) is value:
            continue
        here = build.land(*(build.eq(p, a) for p, a in zip(parameters, arguments, strict=True)))
        otherwise = _either(here, value, otherwise)
    return otherwise


def _parameters(function: Function) -> tuple[Var, ...]:
    names = "xyz" if len(function.arguments) <= 3 else ""
    return tuple(build.variable(names[i] if names else f"x{i + 1}", sort) for i, sort in enumerate(function.arguments))


def _constant(value: int, sort: Sort) -> Term:
    every = finite_values(sort)
    return build.constant(value if every is None else every[min(value, len(every) - 1)], sort)


def _zero(function: Function, parameters: tuple[Var, ...]) -> Term:
    return _constant(0, function.result)


def _one(function: Function, parameters: tuple[Var, ...]) -> Term:
    return _constant(1, function.result)


def _first(function: Function, parameters: tuple[Var, ...]) -> Term:
    return next((p for p in parameters if p.sort == function.result), _constant(1, function.result))


def _two(function: Function, parameters: tuple[Var, ...]) -> Term:
    """Two values, which tell the least value of the first argument from others; axioms often bound what there is."""
    if not parameters or isinstance(parameters[0].sort, ArraySort):
        return _one(function, parameters)
    low, high = (1, 2) if finite_values(function.result) is None else (0, 1)
    condition = build.eq(parameters[0], _constant(0, parameters[0].sort))
    return _either(condition, _constant(low, function.result), _constant(high, function.result))


def _next(function: Function, parameters: tuple[Var, ...]) -> Term:
    first = _first(function, parameters)
    return build.add(first, build.ONE) if function.result == INT else first


def _opposite(function: Function, parameters: tuple[Var, ...]) -> Term:
    first = _first(function, parameters)
    if function.result == INT:
        return build.scale(-1, first)
    return build.lnot(first) if function.result == BOOL else first


def _sum(function: Function, parameters: tuple[Var, ...]) -> Term:
    """All arguments have the same part in it."""
    if function.result != INT:
        return _first(function, parameters)
    return build.add(*(p for p in parameters if p.sort == INT))


def _size(function: Function, parameters: tuple[Var, ...]) -> Term:
    total = _sum(function, parameters)
    return build.ite(build.le(build.ZERO, total), total, build.scale(-1, total)) if function.result == INT else total


def _above(function: Function, parameters: tuple[Var, ...]) -> Term:
    """Always above zero, and different for different numbers above it."""
    size = _size(function, parameters)
    return build.add(build.ONE, size) if function.result == INT else size


def _weighted(function: Function, parameters: tuple[Var, ...]) -> Term:
    """All arguments have a part in it, each another one."""
    if function.result != INT:
        return _first(function, parameters)
    numbers = enumerate((p for p in parameters if p.sort == INT), 1)
    return build.add(build.ONE, *(build.scale(weight, p) for weight, p in numbers))


def _either(condition: Term, positive: Term, negative: Term) -> Term:
    if positive in (build.TRUE, build.FALSE):
        return build.lor(build.land(condition, positive), build.land(build.lnot(condition), negative))
    return build.ite(condition, positive, negative)


def _conditions(function: Function, parameters: tuple[Var, ...], axioms: tuple[Axiom, ...]) -> Iterator[Term]:
    """Conjunctions of comparisons that axioms make of variables that the function is applied to."""
    found = dict[Term, None]()
    for axiom in axioms:
        for call in calls(axiom.formula):
            plain = all(isinstance(a, Var) for a in call.arguments)
            if call.function == function and plain and len(set(call.arguments)) == len(call.arguments):
                names = {a: p for a, p in zip(call.arguments, parameters, strict=True) if isinstance(a, Var)}
                for atom in _atoms(axiom.formula):
                    if atom.free and atom.free <= names.keys() and not called(atom):
                        found[substitute(atom, names)] = None
    several = chain.from_iterable(combinations(found, n) for n in range(1, WIDTH + 1))
    made = dict.fromkeys(build.land(*atoms) for atoms in several)
    yield from (c for c in list(made)[:CONDITIONS] if c is not build.FALSE)


def _atoms(term: Term) -> Iterator[Term]:
    """The comparisons in a formula, each also negated."""
    waiting, seen = [term], set[Term]()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        if isinstance(here, Le | IsZero | Same):
            yield here
            yield build.lnot(here)
        elif not isinstance(here, Not) or not isinstance(here.body, Var):
            waiting.extend(children(here))
