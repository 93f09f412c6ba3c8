"""Terms to z3 expressions. Enumerations become integers; whoever asserts a formula bounds them.

The C functions are called directly: z3's Python operators spend most of their time on coercions that
typed terms do not need.
"""

from __future__ import annotations

from typing import assert_never

import z3
from z3 import z3core

from sa.terms.sort import BoolSort, EnumSort, IntSort, Sort, Value
from sa.terms.term import (
    And,
    Bool,
    Call,
    Connective,
    Div,
    Forall,
    Function,
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
    Sum,
    Term,
    Var,
)


class Translator:
    """Translates terms into one z3 context and remembers what it translated."""

    def __init__(self, context: z3.Context) -> None:
        self.context = context
        self._ref = context.ref()
        self._int = z3.IntSort(context)
        self._bool = z3.BoolSort(context)
        self._zero = self.numeral(0)
        self._memo: dict[Term, z3.ExprRef] = {}
        self._functions: dict[Function, z3.FuncDeclRef] = {}
        self._within: dict[Var, tuple[z3.BoolRef, ...]] = {}

    def numeral(self, value: int) -> z3.ExprRef:
        """An integer numeral."""
        return z3.ArithRef(z3core.Z3_mk_numeral(self._ref, str(value), self._int.ast), self.context)

    def translate(self, term: Term) -> z3.ExprRef:
        """The z3 expression of a term."""
        found = self._memo.get(term)
        if found is None:
            found = self._memo[term] = self._translate(term)
        return found

    def _translate(self, term: Term) -> z3.ExprRef:
        match term:
            case Var(_, sort, _):
                return self._constant(term.key, sort)
            case Int(value):
                return self.numeral(value)
            case Member(_, index):
                return self.numeral(index)
            case Sum(constant, parts):
                pieces = [self._monomial(p, c) for p, c in parts]
                if constant:
                    pieces.append(self.numeral(constant))
                return pieces[0] if len(pieces) == 1 else self._nary(z3core.Z3_mk_add, pieces, False)
            case Product(factors):
                return self._nary(z3core.Z3_mk_mul, [self.translate(f) for f in factors], False)
            case Div(dividend, divisor):
                return self._binary(z3core.Z3_mk_div, self.translate(dividend), self.numeral(divisor), False)
            case Mod(dividend, divisor):
                return self._binary(z3core.Z3_mk_mod, self.translate(dividend), self.numeral(divisor), False)
            case Ite(condition, positive, negative):
                c, p, n = (self.translate(t) for t in (condition, positive, negative))
                return z3.ArithRef(z3core.Z3_mk_ite(self._ref, c.ast, p.ast, n.ast), self.context)
            case Call(function, arguments):
                return self._function(function)(*(self.translate(a) for a in arguments))
            case Bool(value):
                mk = z3core.Z3_mk_true if value else z3core.Z3_mk_false
                return z3.BoolRef(mk(self._ref), self.context)
            case _:
                return self._formula(term)

    def _formula(self, term: Connective) -> z3.ExprRef:
        match term:
            case Le(total):
                return self._binary(z3core.Z3_mk_le, self.translate(total), self._zero, True)
            case IsZero(total):
                return self._binary(z3core.Z3_mk_eq, self.translate(total), self._zero, True)
            case Same(left, right):
                return self._binary(z3core.Z3_mk_eq, self.translate(left), self.translate(right), True)
            case Not(body):
                return z3.BoolRef(z3core.Z3_mk_not(self._ref, self.translate(body).ast), self.context)
            case And(args):
                return self._nary(z3core.Z3_mk_and, [self.translate(a) for a in args], True)
            case Or(args):
                return self._nary(z3core.Z3_mk_or, [self.translate(a) for a in args], True)
            case Forall(binders, body):
                bound = [self.translate(b) for b in binders]
                inside = [bound for b in binders for bound in self.within(b)]
                formula = self.translate(body)
                return z3.ForAll(bound, z3.Implies(z3.And(*inside), formula) if inside else formula)
            case _:
                assert_never(term)

    def within(self, var: Var) -> tuple[z3.BoolRef, ...]:
        """What keeps the integer that stands for a variable among the values of its sort."""
        match var.sort:
            case IntSort() | BoolSort():
                return ()
            case EnumSort(_, constructors):
                if var not in self._within:
                    expression = self.translate(var)
                    self._within[var] = (expression >= 0, expression < len(constructors))
                return self._within[var]
            case _:
                assert_never(var.sort)

    def _monomial(self, part: Term, coefficient: int) -> z3.ExprRef:
        if coefficient == 1:
            return self.translate(part)
        return self._nary(z3core.Z3_mk_mul, [self.numeral(coefficient), self.translate(part)], False)

    def _nary(self, make: object, parts: list[z3.ExprRef], formula: bool) -> z3.ExprRef:
        array = (z3.Ast * len(parts))(*(p.ast for p in parts))
        ast = make(self._ref, len(parts), array)  # type: ignore[operator]
        return z3.BoolRef(ast, self.context) if formula else z3.ArithRef(ast, self.context)

    def _binary(self, make: object, left: z3.ExprRef, right: z3.ExprRef, formula: bool) -> z3.ExprRef:
        ast = make(self._ref, left.ast, right.ast)  # type: ignore[operator]
        return z3.BoolRef(ast, self.context) if formula else z3.ArithRef(ast, self.context)

    def _constant(self, name: str, sort: Sort) -> z3.ExprRef:
        return z3.Const(name, self.sort(sort))

    def sort(self, sort: Sort) -> z3.SortRef:
        """The z3 sort of a sort. Enumerations are integers."""
        match sort:
            case IntSort() | EnumSort():
                return self._int
            case BoolSort():
                return self._bool
            case _:
                assert_never(sort)

    def _function(self, function: Function) -> z3.FuncDeclRef:
        found = self._functions.get(function)
        if found is None:
            sorts = [self.sort(s) for s in (*function.arguments, function.result)]
            found = self._functions[function] = z3.Function(function.name, *sorts)
        return found


def value_of(expression: z3.ExprRef, sort: Sort) -> Value:
    """The value that an expression without variables has in a model."""
    match sort:
        case IntSort() | EnumSort():
            return int(expression.as_long())
        case BoolSort():
            return bool(z3.is_true(expression))
        case _:
            assert_never(sort)
