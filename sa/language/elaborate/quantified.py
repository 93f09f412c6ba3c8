"""Quantifiers: in axioms over any values, elsewhere over finitely many, which are written out one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

from msgspec.structs import replace

from sa.language import syntax
from sa.language.elaborate.context import Context, complain, within
from sa.language.elaborate.types import MAX_SIZE, Domain, Values, bounded
from sa.language.names import Scope, TermSymbol, declare
from sa.terms import build
from sa.terms.sort import BOOL, EnumSort
from sa.terms.term import Term, Var

#: Give the term of a formula, and the values of a type.
Formula: TypeAlias = Callable[[syntax.Expression, Context], Term | None]
TypeOf: TypeAlias = Callable[[syntax.Type, Context], Values | None]


def quantified(written: syntax.Quantified, context: Context, boolean: Formula, type_of: TypeOf) -> Term | None:
    """The meaning of `forall` and `exists`; None after an error."""
    if context.mode.quantifiers:
        return _over_all(written, context, boolean, type_of)
    domains = [_instances(b, context, type_of) for b in written.binders for _ in b.names]
    names = [n for b in written.binders for n in b.names]
    finite = [d for d in domains if d is not None]
    if len(finite) < len(domains):
        return None
    count = 1
    for values in finite:
        count *= len(values)
    if count > MAX_SIZE:
        complain(context, "SA207", f"a quantifier over {count} cases, more than {MAX_SIZE}", written.span)
        return None
    parts = list[Term]()
    for row in product(*finite):
        scope = Scope(context.scope)
        for name, value in zip(names, row, strict=True):
            declare(scope, name, TermSymbol(value), context.problems)
        part = boolean(written.body, replace(within(context, scope), unrolled=True))
        if part is None:
            # The other cases have the same error.
            return None
        parts.append(part)
    return build.land(*parts) if written.universal else build.lor(*parts)


def _instances(binder: syntax.Binder, context: Context, type_of: TypeOf) -> tuple[Term, ...] | None:
    """The values of a type that has finitely many, or the indices of a family of threads; None after an error."""
    if isinstance(binder.type, syntax.NamedType) and binder.type.name in context.members:
        low, high = context.members[binder.type.name]
        return tuple(build.integer(i) for i in range(low, high + 1))
    domain = type_of(binder.type, context)
    match domain:
        case None:
            return None
        case Domain(sort, None) if sort == BOOL:
            return build.FALSE, build.TRUE
        case Domain(EnumSort(_, constructors) as sort):
            return tuple(build.constant(i, sort) for i in range(len(constructors)))
        case Domain(_, int(low), int(high)) if high - low < MAX_SIZE:
            return tuple(build.integer(i) for i in range(low, high + 1))
        case _:
            hint = "give it a range, `forall i : 0..9 :: …`; quantifiers over all values are for axioms"
            message = f"a quantifier in {context.mode.what} is over a few values"
            complain(context, "SA312", message, binder.span, hint)
            return None


def _over_all(written: syntax.Quantified, context: Context, boolean: Formula, type_of: TypeOf) -> Term | None:
    bound = _binder_scope(written.binders, context, type_of)
    if bound is None:
        return None
    variables, bounds, scope = bound
    inside = boolean(written.body, within(context, scope))
    if inside is None:
        return None
    if written.universal:
        return build.forall(variables, build.implies(bounds, inside))
    return build.lnot(build.forall(variables, build.lnot(build.land(bounds, inside))))


def _binder_scope(
    binders: tuple[syntax.Binder, ...], context: Context, type_of: TypeOf
) -> tuple[tuple[Var, ...], Term, Scope] | None:
    """Variables for binders, what their types say of them, and a scope that has them."""
    scope = Scope(context.scope)
    variables, bounds = list[Var](), list[Term]()
    for binder in binders:
        domain = type_of(binder.type, context)
        if not isinstance(domain, Domain) or not domain.is_single:
            if domain is not None:
                complain(context, "SA208", "a quantified variable is a single value", binder.span)
            return None
        for name in binder.names:
            var = build.variable(name.name, domain.sort)
            declare(scope, name, TermSymbol(var), context.problems)
            variables.append(var)
            bounds.append(bounded(var, domain))
    return tuple(variables), build.land(*bounds), scope
