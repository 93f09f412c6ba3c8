"""Terms as Python functions over rows of values, for those who evaluate the same terms many thousand times.

`evaluate` is the definition. A term is written as Python source once; subterms that occur several times, and
those that stand too deep for the parser, become variables of the function. What `evaluate` has no value for
(functions without a body, quantifiers, variables that the row lacks) is left to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, assert_never

from sa.terms import build
from sa.terms.evaluate import evaluate
from sa.terms.sort import Sort, Value, array_value, stored
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
    children,
    subterms,
)

Row = Sequence[Value]

#: Python's parser gives up at about 200 nested parentheses; each level of a term needs at most two.
_DEEPEST = 40


def executable(terms: Sequence[Term], variables: Sequence[Var]) -> bool:
    """Whether terms over `variables` have values: no functions without a body, no quantifiers, nothing else."""
    known = frozenset(variables)
    return not any(isinstance(t, Call | Forall) or (isinstance(t, Var) and t not in known) for t in subterms(terms))


def predicate(formula: Term, variables: Sequence[Var]) -> Callable[[Row], bool]:
    """Whether a formula holds in a row of values of `variables`. The function raises Unevaluable."""
    return _compiled(formula, variables)


def compiled(term: Term, variables: Sequence[Var]) -> Callable[[Row], Value]:
    """The value of a term in a row of values of `variables`. The function raises Unevaluable."""
    return _compiled(term, variables)


def _compiled(term: Term, variables: Sequence[Var]) -> Callable[[Row], Any]:
    if not executable((term,), variables):
        return lambda row: evaluate(term, dict(zip(variables, row, strict=False)))
    writer = _Writer(variables, (term,))
    return _function([*writer.lines, f"return {writer.expression(term)}"], writer)


def guarded(guard: Term, terms: Sequence[Term], variables: Sequence[Var]) -> Callable[[Row], tuple[Value, ...] | None]:
    """The values of terms in a row where the guard holds, None elsewhere. The function raises Unevaluable."""
    if not executable((guard, *terms), variables):
        return lambda row: _interpreted(guard, terms, dict(zip(variables, row, strict=False)))
    test = _Writer(variables, (guard,))
    writer = _Writer(variables, tuple(terms), test.sorts)
    lines = list(test.lines)
    if guard is not build.TRUE:
        lines.append(f"if not {test.expression(guard)}: return None")
    return _function([*lines, *writer.lines, f"return ({_items(terms, variables, writer)})"], writer)


def _interpreted(guard: Term, terms: Sequence[Term], state: Mapping[Var, Value]) -> tuple[Value, ...] | None:
    return tuple(evaluate(t, state) for t in terms) if evaluate(guard, state) else None


def _items(terms: Sequence[Term], variables: Sequence[Var], writer: _Writer) -> str:
    """The items of a tuple; where it repeats a stretch of the row, that stretch."""
    text, i = "", 0
    while i < len(terms):
        end = i
        while end < min(len(terms), len(variables)) and terms[end] is variables[end]:
            end += 1
        if end - i > 3:
            text += f"*r[{i}:{end}],"
            i = end
        else:
            text += f"{writer.expression(terms[i])},"
            i += 1
    return text


def _function(lines: Sequence[str], writer: _Writer) -> Callable[[Row], Any]:
    text = "def function(r):\n" + "".join(f"    {line}\n" for line in lines)
    return _defined(text, writer.sorts) if writer.sorts else _of_text(text)


@lru_cache(maxsize=1 << 12)
def _of_text(text: str) -> Callable[[Row], Any]:
    # What threads do differs by the columns of a row only, if at all.
    return _defined(text, {})


def _defined(text: str, sorts: Mapping[str, object]) -> Callable[[Row], Any]:
    scope: dict[str, object] = {"stored": stored, "array_value": array_value, **sorts}
    exec(text, scope)
    made = scope["function"]
    assert callable(made)
    return made


class _Writer:
    """Python text for terms over a row `r`. `lines` compute the subterms that have names, in order."""

    def __init__(
        self, variables: Sequence[Var], terms: tuple[Term, ...], sorts: dict[str, object] | None = None
    ) -> None:
        self.lines: list[str] = []
        self.sorts = {} if sorts is None else sorts
        self._names: dict[Term, str] = {v: f"r[{i}]" for i, v in enumerate(variables)}
        for term in repeated(terms, _DEEPEST):
            name = f"t{len(self.lines)}"
            self.lines.append(f"{name} = {self._written(term)}")
            self._names[term] = name

    def expression(self, term: Term) -> str:
        """A term as an expression in parentheses, or a name."""
        return self._names.get(term) or self._written(term)

    def _written(self, term: Term) -> str:
        go = self.expression
        match term:
            case Int(value) | Bool(value) | Member(_, value):
                return f"({value})" if value < 0 else str(value)
            case Sum(constant, parts):
                pieces = [go(p) if c == 1 else f"{c}*{go(p)}" for p, c in parts]
                return f"({' + '.join([*pieces, *([str(constant)] if constant else [])])})"
            case Le(total):
                return f"({go(total)} <= 0)"
            case IsZero(total):
                return f"({self._equation(total)})"
            case And(args):
                return f"({' and '.join(go(a) for a in args)})"
            case Or(args):
                return f"({' or '.join(go(a) for a in args)})"
            case Not(body):
                return f"(not {go(body)})"
            case Same(left, right):
                return f"({go(left)} == {go(right)})"
            case Ite(condition, positive, negative):
                return f"({go(positive)} if {go(condition)} else {go(negative)})"
            case Div(dividend, divisor):
                return f"({go(dividend)} // {divisor})"
            case Mod(dividend, divisor):
                return f"({go(dividend)} % {divisor})"
            case Product(factors):
                return f"({' * '.join(go(f) for f in factors)})"
            case Select(array, index):
                return f"{go(array)}[{go(index)}]"
            case Store(array, index, value):
                return f"stored({go(array)}, {go(index)}, {go(value)})"
            case ConstantArray(sort, value):
                return f"array_value({self._sort(sort)}, {go(value)}, {{}})"
            case Var() | Call() | Forall():
                raise AssertionError(f"{term!r} is not executable")
            case _:
                assert_never(term)

    def _sort(self, sort: Sort) -> str:
        name = f"s{len(self.sorts)}"
        self.sorts[name] = sort
        return name

    def _equation(self, total: Term) -> str:
        """`x - 3 == 0` is quicker as `x == 3`."""
        if isinstance(total, Sum) and total.constant and total not in self._names:
            rest = build.linear(0, dict(total.parts))
            return f"{self.expression(rest)} == {-total.constant}"
        return f"{self.expression(total)} == 0"


def repeated(terms: Sequence[Term], deepest: int) -> list[Term]:
    """The compound subterms that occur several times or nest so many levels, each behind those inside it."""
    # Variables and constants, which rows mostly consist of, are no compound terms.
    terms = [t for t in terms if children(t)]
    uses, depth, found = Counter(terms), dict[Term, int](), list[Term]()
    every = inside_out(terms)
    for term in every:
        uses.update(children(term))
    for term in every:
        depth[term] = 1 + max((depth[c] for c in children(term)), default=0)
        if children(term) and (uses[term] > 1 or depth[term] >= deepest):
            found.append(term)
            depth[term] = 1
    return found


def inside_out(terms: Sequence[Term]) -> list[Term]:
    """All subterms once, each behind its own subterms."""
    order = dict[Term, None]()
    pending = [(t, False) for t in reversed(terms)]
    while pending:
        term, is_left = pending.pop()
        if is_left:
            order.setdefault(term)
        elif term not in order:
            pending.append((term, True))
            pending.extend((c, False) for c in children(term))
    return list(order)
