"""Simultaneous substitution, renaming and priming."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import assert_never

from sa.terms import build
from sa.terms.name import of_thread, off_side, on_side
from sa.terms.term import (
    And,
    Bool,
    Call,
    ConstantArray,
    Div,
    Forall,
    Int,
    IsZero,
    Ite,
    Le,
    Member,
    Mod,
    Not,
    Or,
    Product,
    Same,
    Select,
    Store,
    Sum,
    Term,
    Var,
)


def substitute(term: Term, mapping: Mapping[Var, Term]) -> Term:
    """`term` with every variable of `mapping` replaced, all at once; the result is in normal form."""
    if isinstance(term, Var):
        return mapping.get(term, term)
    return term if term.free.isdisjoint(mapping) else substitution(mapping)(term)


def substitution(mapping: Mapping[Var, Term]) -> Callable[[Term], Term]:
    """`substitute` with one mapping for many terms: it remembers what became of each, and of their subterms."""
    domain, memo = frozenset(mapping), dict[Term, Term]()

    def go(term: Term) -> Term:
        if term.free.isdisjoint(domain):
            return term
        if isinstance(term, Var):
            return mapping[term]
        found = memo.get(term)
        if found is None:
            if isinstance(term, Forall):
                found = _under_binders(term.binders, term.body, mapping)
            else:
                found = rebuild(term, go)
            memo[term] = found
        return found

    return go


def rebuild(term: Term, go: Callable[[Term], Term]) -> Term:
    """`term` with `go` applied to its direct subterms, in normal form again. Not for binders or leaves."""
    # What is there most often comes first.
    match term:
        case IsZero(total):
            return build.is_zero(go(total))
        case Sum(constant, parts):
            return build.combine(constant, [(go(p), c) for p, c in parts])
        case Not(body):
            return build.lnot(go(body))
        case Le(total):
            return build.at_most_zero(go(total))
        case And(args):
            return build.land(*[go(a) for a in args])
        case Or(args):
            return build.lor(*[go(a) for a in args])
        case Same(left, right):
            return build.eq(go(left), go(right))
        case Product(factors):
            result: Term = build.ONE
            for factor in factors:
                result = build.mul(result, go(factor))
            return result
        case Div(dividend, divisor):
            return build.div(go(dividend), divisor)
        case Mod(dividend, divisor):
            return build.mod(go(dividend), divisor)
        case Ite(condition, positive, negative):
            return build.ite(go(condition), go(positive), go(negative))
        case Call(function, arguments):
            return build.call(function, tuple(go(a) for a in arguments))
        case Select(array, index):
            return build.select(go(array), go(index))
        case Store(array, index, value):
            return build.store(go(array), go(index), go(value))
        case ConstantArray(sort, value):
            return build.constant_array(sort, go(value))
        case Var() | Int() | Bool() | Member() | Forall():
            raise AssertionError(f"{term!r} is a leaf or binds variables")
        case _:
            assert_never(term)


def _under_binders(binders: tuple[Var, ...], body: Term, mapping: Mapping[Var, Term]) -> Term:
    inner = {v: t for v, t in mapping.items() if v not in binders}
    captured = frozenset[Var]().union(*(t.free for t in inner.values()))
    fresh = {b: _fresh(b, captured | body.free) for b in binders if b in captured}
    inner.update(fresh)
    return build.forall(tuple(fresh.get(b, b) for b in binders), substitute(body, inner))


def _fresh(binder: Var, taken: Iterable[Var]) -> Var:
    names = {v.name for v in taken}
    number = 1
    while f"{binder.name}_{number}" in names:
        number += 1
    return build.variable(f"{binder.name}_{number}", binder.sort)


def primed(var: Var) -> Var:
    """The variable's next-state copy."""
    return build.variable(var.name, var.sort, var.primes + 1)


def prime(term: Term, variables: Iterable[Var]) -> Term:
    """`term` with the given variables replaced by their next-state copies."""
    return substitute(term, {v: primed(v) for v in variables})


def called(var: Var, name: str) -> Var:
    """The variable under another name."""
    return build.variable(name, var.sort, var.primes)


def sided(var: Var, side: str) -> Var:
    """The variable of one program of a refinement, as in `conc.x`."""
    return called(var, on_side(var.name, side))


def unsided(var: Var) -> Var:
    """The variable as its own program has it."""
    return called(var, off_side(var.name))


def local_of(var: Var, thread: str) -> Var:
    """A thread's local beside other threads, as in `T.x`."""
    return called(var, of_thread(var.name, thread))
