"""Terms to z3 expressions. Enumerations become integers; whoever asserts a formula bounds them.

The C functions are called directly: z3's Python operators spend most of their time on coercions that
typed terms do not need.
"""

from __future__ import annotations

import z3
from z3 import z3core

from sa.terms.sort import BOOL, Sort
from sa.terms.term import (
    And,
    Bool,
    Call,
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
            case _:
                return self._formula(term)

    def _formula(self, term: Term) -> z3.ExprRef:
        match term:
            case Bool(value):
                mk = z3core.Z3_mk_true if value else z3core.Z3_mk_false
                return z3.BoolRef(mk(self._ref), self.context)
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
                within = [self.translate(body)]
                for binder, expression in zip(binders, bound, strict=True):
                    if binder.sort.constructors:
                        within.append(z3.Or(expression < 0, expression >= len(binder.sort.constructors)))
                return z3.ForAll(bound, within[0] if len(within) == 1 else z3.Or(*within))
            case _:
                raise AssertionError(f"unexpected term {term!r}")

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
        return z3.Bool(name, self.context) if sort == BOOL else z3.Int(name, self.context)

    def _function(self, function: Function) -> z3.FuncDeclRef:
        found = self._functions.get(function)
        if found is None:
            sorts = [self._bool if s == BOOL else self._int for s in (*function.arguments, function.result)]
            found = self._functions[function] = z3.Function(function.name, *sorts)
        return found
