"""Sums, products, Euclidean quotients and remainders, with caps on how large a result may grow."""

from __future__ import annotations

from collections.abc import Mapping

from sa.automata.automaton import Fault, Kind, Variable
from sa.base.diagnostic import warning
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import Context, complain
from sa.language.names import is_of_file, mentioned
from sa.lowering.paths import Determined, Need, Wrong
from sa.lowering.writes import interval
from sa.terms import build
from sa.terms.interval import Interval
from sa.terms.name import QUOTIENT, chosen
from sa.terms.sort import INT
from sa.terms.term import Int, Term, Var

#: Constants of a program may not have more bits.
MAX_BITS = 4096
#: A product of sums is multiplied out; it may not have more terms.
MAX_MONOMIALS = 1000
#: A divisor with so few values is one of them by cases.
MOST_DIVISORS = 20


def arithmetic(expression: syntax.Chain, operands: list[Term | None], context: Context) -> Term | None:
    """The value of `a + b - c` or of `a * b / c`, None after an error."""
    terms = [t for t in operands if t is not None]
    if len(terms) < len(operands):
        return None
    if expression.operators[0] in "+-":
        signed = [t if o == "+" else build.scale(-1, t) for o, t in zip(expression.operators, terms[1:], strict=True)]
        return _checked(build.add(terms[0], *signed), expression.span, context)
    result: Term | None = terms[0]
    for operator, operand, written in zip(expression.operators, terms[1:], expression.operands[1:], strict=True):
        if result is None:
            return None
        if operator == "*":
            result = _product(result, operand, expression.span, context)
        else:
            result = _quotient(operator, result, operand, written, context)
    return result


def _product(left: Term, right: Term, span: Span, context: Context) -> Term | None:
    sizes = [len(build.linear_parts(t)[1]) + 1 for t in (left, right)]
    if sizes[0] * sizes[1] > MAX_MONOMIALS:
        complain(context, "SA211", f"this product multiplies out to more than {MAX_MONOMIALS} terms", span)
        return None
    if left.free and right.free and not isinstance(left, Int) and not isinstance(right, Int):
        message = "a product of variables: solvers may not decide it"
        context.problems.append(warning("SA210", message, span, "products with constants are always fine"))
    return _checked(build.mul(left, right), span, context)


def _quotient(
    operator: str, dividend: Term, divisor: Term, written: syntax.Expression, context: Context
) -> Term | None:
    span = written.span
    if divisor is build.ZERO:
        if context.undefined is not None and not all(is_of_file(context.scope, n) for n, _ in mentioned(written)):
            # Another member of the family, or another round of the loop, may be meant.
            context.undefined.append(Wrong(build.TRUE, Fault.DIVISION))
            return build.ZERO
        complain(context, "SA205", "the divisor is 0", span)
        return None
    if isinstance(divisor, Int):
        return _by(operator, dividend, divisor.value)
    low, high = interval(divisor, context.ranges)
    zero = (low is None or low <= 0) and (high is None or high >= 0)
    few = low is not None and high is not None and high - low < MOST_DIVISORS
    if context.undefined is None and (zero or not few):
        why = "may be 0" if few else "is not constant"
        hint = f"declare what divides with a range of at most {MOST_DIVISORS} values without 0, such as `1..9`"
        complain(
            context, "SA205", f"the right side of `{operator}` {why}, and {context.mode.what} cannot fail", span, hint
        )
        return None
    if context.undefined is not None and zero:
        context.undefined.append(Wrong(build.is_zero(divisor), Fault.DIVISION))
    if low is not None and high is not None and few:
        result: Term = build.ZERO
        for value in (v for v in range(low, high + 1) if v):
            result = build.ite(build.eq(divisor, build.integer(value)), _by(operator, dividend, value), result)
        return result
    assert context.undefined is not None
    return _determined(operator, dividend, divisor, context.undefined, next(context.divisions), context.ranges)


def _by(operator: str, dividend: Term, divisor: int) -> Term:
    return build.div(dividend, divisor) if operator == "/" else build.mod(dividend, divisor)


def _determined(
    operator: str, dividend: Term, divisor: Term, needs: list[Need], number: int, ranges: Mapping[Var, Interval]
) -> Term:
    """The quotient is chosen: the only one with a rest that is not negative and smaller than the divisor.

    It is no farther from 0 than the dividend.
    """
    low, high = interval(dividend, ranges)
    size = None if low is None or high is None else max(abs(low), abs(high))
    ends = (None, None) if size is None else (-size, size)
    choice = Variable(build.variable(chosen(QUOTIENT, number), INT), Kind.LOCAL, *ends)
    rest = build.sub(dividend, build.mul(choice.var, divisor))
    small = build.lor(build.lt(rest, divisor), build.lt(rest, build.scale(-1, divisor)))
    needs.append(Determined(choice, build.land(build.le(build.ZERO, rest), small)))
    return choice.var if operator == "/" else rest


def _checked(term: Term, span: Span, context: Context) -> Term | None:
    constant, parts = build.linear_parts(term)
    if constant.bit_length() > MAX_BITS or any(c.bit_length() > MAX_BITS for c in parts.values()):
        complain(context, "SA209", f"a constant of more than {MAX_BITS} bits", span)
        return None
    return term
