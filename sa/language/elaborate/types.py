"""Written types to sorts with bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import Context, complain
from sa.language.habits import TYPES
from sa.language.names import BrokenSymbol, TypeSymbol, did_you_mean, find
from sa.terms import build
from sa.terms.sort import BOOL, INT, ArraySort, EnumSort, Sort
from sa.terms.term import Term, Var

#: Bounds of ranges are within -2^64..2^64.
MAX_BOUND = 2**64
#: Arrays and families may not be larger.
MAX_SIZE = 1000


class Domain(Struct, frozen=True):
    """The values of one variable: a sort, and bounds if it is a range."""

    sort: Sort
    low: int | None = None
    high: int | None = None

    @property
    def is_single(self) -> bool:
        """Whether it is that of a number, a truth value or a constructor."""
        return not isinstance(self.sort, ArraySort)

    @property
    def is_sort(self) -> bool:
        """Whether it has all values of such a sort."""
        return self.is_single and self.low is None


class ArrayOf(Struct, frozen=True):
    """The values of an array."""

    element: Domain
    size: int


class SequenceOf(Struct, frozen=True):
    """The values of a sequence of up to `size` elements."""

    element: Domain
    size: int


class Nothing(Struct, frozen=True):
    """What a condition variable has: no values."""


#: What is declared of a type.
Values: TypeAlias = Domain | ArrayOf | SequenceOf | Nothing

#: Gives the value of a constant expression, None after an error.
Constant: TypeAlias = Callable[[syntax.Expression], int | None]


def resolve_type(written: syntax.Type, context: Context, constant: Constant) -> Values | None:
    """What a written type means; None after an error."""
    match written:
        case syntax.NamedType():
            return _named(written, context)
        case syntax.RangeType():
            return _range(written, context, constant)
        case syntax.ArrayType(element, size):
            inner = resolve_type(element, context, constant)
            if isinstance(inner, Nothing):
                complain(context, "SA208", "there are no arrays of condition variables", element.span)
            if not isinstance(inner, Domain):
                return None
            return _unbounded(inner, element.span, context) if size is None else _array(inner, size, context, constant)
        case syntax.SequenceType(element, size):
            inner, count = resolve_type(element, context, constant), constant(size)
            if inner is not None and not (isinstance(inner, Domain) and inner.is_single):
                complain(context, "SA208", "the elements of a sequence are single values", element.span)
            if not isinstance(inner, Domain) or not inner.is_single or count is None:
                return None
            if not 1 <= count <= MAX_SIZE:
                complain(context, "SA207", f"a sequence has room for 1 to {MAX_SIZE} elements, not {count}", size.span)
                return None
            return SequenceOf(inner, count)


def _array(element: Domain, size: syntax.Expression, context: Context, constant: Constant) -> ArrayOf | None:
    count = constant(size)
    if count is not None and not 1 <= count <= MAX_SIZE:
        hint = "`int[*]` has an element for every integer"
        complain(context, "SA207", f"an array has 1 to {MAX_SIZE} elements, not {count}", size.span, hint)
        return None
    return None if count is None else ArrayOf(element, count)


def _unbounded(element: Domain, span: Span, context: Context) -> Domain | None:
    """The values of an array with all integers as indices: functions, which are one value each."""
    if element.low is not None or isinstance(element.sort, EnumSort):
        hint = "use int; an invariant can claim what the values are"
        complain(context, "SA208", "the elements of an array without bounds are int or bool", span, hint)
        return None
    return Domain(ArraySort(INT, element.sort))


def _named(written: syntax.NamedType, context: Context) -> Domain | Nothing | None:
    if written.name == "int":
        return Domain(INT)
    if written.name == "bool":
        return Domain(BOOL)
    match find(context.scope, written.name):
        case TypeSymbol(sort):
            return Domain(sort)
        case BrokenSymbol():
            return None
        case None if written.name == "condition":
            return Nothing()
        case _:
            hint = TYPES.get(written.name) or did_you_mean(written.name, ["int", "bool", *context.scope.symbols])
            complain(context, "SA107", f"unknown type `{written.name}`", written.span, hint)
            return None


def _range(written: syntax.RangeType, context: Context, constant: Constant) -> Domain | None:
    """The values of a variable: there is at least one."""
    domain = range_of(written, context, constant)
    if domain is not None and domain.low is not None and domain.high is not None and domain.low > domain.high:
        message = f"the range {domain.low}..{domain.high} is empty"
        complain(context, "SA206", message, written.span, "write the lower bound first")
        return None
    return domain


def range_of(written: syntax.RangeType, context: Context, constant: Constant) -> Domain | None:
    """The values from one constant to another; none where the first is the greater one. None after an error."""
    low, high = constant(written.low), constant(written.high)
    if low is None or high is None:
        return None
    if low < -MAX_BOUND or high > MAX_BOUND:
        hint = "int has no bounds"
        complain(context, "SA207", "the bounds of a range must be within -2^64..2^64", written.span, hint)
        return None
    return Domain(INT, low, high)


def bounded(var: Var, domain: Domain) -> Term:
    """That a variable is within its type's bounds."""
    if domain.low is None or domain.high is None:
        return build.TRUE
    low, high = build.integer(domain.low), build.integer(domain.high)
    return build.land(build.le(low, var), build.le(var, high))
