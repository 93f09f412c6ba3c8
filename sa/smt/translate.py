"""Terms to z3 expressions. Enumerations become integers; whoever asserts a formula bounds them.

The C functions are called directly: z3's Python operators spend most of their time on coercions that
typed terms do not need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, assert_never

import z3
from z3 import z3core

from sa.base.limits import Unsupported
from sa.terms.sort import ArraySort, BoolSort, EnumSort, IntSort, Sort, enumerations
from sa.terms.term import (
    And,
    Bool,
    Call,
    Connective,
    ConstantArray,
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
    Select,
    Store,
    Sum,
    Term,
    Var,
    sort_of,
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
        self._bounded: dict[Term, tuple[Var, ...]] = {}
        self._within: dict[Var, tuple[z3.BoolRef, ...]] = {}
        self._applied = 0

    def numeral(self, value: int) -> z3.ExprRef:
        """An integer numeral."""
        return z3.ArithRef(z3core.Z3_mk_numeral(self._ref, str(value), self._int.ast), self.context)

    @property
    def size(self) -> int:
        """How many terms have been translated, and how often a predicate was applied."""
        return len(self._memo) + self._applied

    def apply(self, predicate: z3.FuncDeclRef, arguments: Sequence[Term]) -> z3.BoolRef:
        """A predicate applied to terms of its sorts."""
        self._applied += 1
        asts = [self.translate(a).ast for a in arguments]
        made = z3core.Z3_mk_app(self._ref, predicate.ast, len(asts), (z3.Ast * len(asts))(*asts))
        return z3.BoolRef(made, self.context)

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
                return self._wrapped(z3core.Z3_mk_ite(self._ref, c.ast, p.ast, n.ast), sort_of(term))
            case Call(function, arguments):
                return self._function(function)(*(self.translate(a) for a in arguments))
            case Select(array, index):
                ast = z3core.Z3_mk_select(self._ref, self.translate(array).ast, self.translate(index).ast)
                return self._wrapped(ast, sort_of(term))
            case Store(array, index, value):
                a, i, x = (self.translate(t).ast for t in (array, index, value))
                return z3.ArrayRef(z3core.Z3_mk_store(self._ref, a, i, x), self.context)
            case ConstantArray(array_sort, value):
                domain = self.sort(array_sort.index).ast
                return z3.ArrayRef(z3core.Z3_mk_const_array(self._ref, domain, self.translate(value).ast), self.context)
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

    def bounded(self, formula: Term) -> tuple[Var, ...]:
        """The variables of a formula whose integers have to be kept among the values of their sorts."""
        found = self._bounded.get(formula)
        if found is None:
            found = self._bounded[formula] = tuple(v for v in formula.free if isinstance(v.sort, EnumSort))
        return found

    def within(self, var: Var) -> tuple[z3.BoolRef, ...]:
        """What keeps the integer that stands for a variable among the values of its sort."""
        match var.sort:
            case IntSort() | BoolSort() | ArraySort():
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

    def _wrapped(self, ast: z3.Ast, sort: Sort) -> z3.ExprRef:
        match sort:
            case IntSort() | EnumSort():
                return z3.ArithRef(ast, self.context)
            case BoolSort():
                return z3.BoolRef(ast, self.context)
            case ArraySort():
                return z3.ArrayRef(ast, self.context)
            case _:
                assert_never(sort)

    def _nary(self, make: Callable[..., Any], parts: list[z3.ExprRef], formula: bool) -> z3.ExprRef:
        array = (z3.Ast * len(parts))(*(p.ast for p in parts))
        ast = make(self._ref, len(parts), array)
        return z3.BoolRef(ast, self.context) if formula else z3.ArithRef(ast, self.context)

    def _binary(self, make: Callable[..., Any], left: z3.ExprRef, right: z3.ExprRef, formula: bool) -> z3.ExprRef:
        ast = make(self._ref, left.ast, right.ast)
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
            case ArraySort(index, element):
                if any(enumerations((index, element))):
                    # Nothing would keep the integers inside of an array among the constructors.
                    raise Unsupported("an array of an enumeration")
                return z3.ArraySort(self.sort(index), self.sort(element))
            case _:
                assert_never(sort)

    def _function(self, function: Function) -> z3.FuncDeclRef:
        found = self._functions.get(function)
        if found is None:
            sorts = [self.sort(s) for s in (*function.arguments, function.result)]
            # Without arguments it would be the variable of the same name. No variable is called by a number.
            name = function.name if function.arguments else len(self._functions)
            found = self._functions[function] = z3.Function(name, *sorts)
        return found
