"""Terms as signals of a circuit, read with a scope that says which signals their variables are at a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import z3

from sa.base.limits import Unsupported
from sa.smt.bitblast import Array, Circuit, Scope, Signal
from sa.smt.words import Bit, Word
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


def _bit_in(part: Term, factor: int) -> tuple[int, Term, bool] | None:
    """The place of the bit that a part of a sum is, and the formula that it is set by, or that it is not set by."""
    if not (isinstance(part, Ite) and isinstance(part.positive, Int) and isinstance(part.negative, Int)):
        return None
    one, other = part.positive.value * factor, part.negative.value * factor
    value = one + other
    if value <= 0 or (one and other) or value & (value - 1):
        return None
    return value.bit_length() - 1, part.condition, bool(one)


class View:
    """Terms as signals at one moment: each is made once."""

    def __init__(self, circuit: Circuit, scope: Scope) -> None:
        self._circuit, self._scope = circuit, scope
        self._made: dict[Term, Signal] = {}

    def bit(self, formula: Term) -> Bit:
        """A formula."""
        signal = self.signal(formula)
        assert isinstance(signal, bool | z3.BoolRef)
        return signal

    def word(self, term: Term) -> Word:
        """A number."""
        signal = self.signal(term)
        assert isinstance(signal, Word)
        return signal

    def signal(self, term: Term) -> Signal:
        """A term. Raises Unsupported."""
        found = self._made.get(term)
        if found is None:
            found = self._made[term] = self._signal(term)
        return found

    def _signal(self, term: Term) -> Signal:
        c = self._circuit
        match term:
            case Var():
                if term not in self._scope:
                    raise Unsupported(f"`{term.name}`, which the steps do not know")
                return self._scope[term]
            case Int(value) | Member(_, value):
                return c.words.constant(value)
            case Bool(value):
                return bool(value)
            case Sum(constant, parts):
                return self._linear(constant, parts)
            case Product(factors):
                return c.words.product([self.word(f) for f in factors])
            case Div(dividend, divisor):
                return c.words.quotient(self.word(dividend), divisor)
            case Mod(dividend, divisor):
                return c.words.remainder(self.word(dividend), divisor)
            case Ite(condition, positive, negative):
                test = self.bit(condition)
                if isinstance(test, bool):
                    return self.signal(positive if test else negative)
                return c.choose(test, self.signal(positive), self.signal(negative))
            case Select() | Store() | ConstantArray():
                return self._of_array(term)
            case Call() | Forall():
                raise Unsupported("a function without a body")
            case _:
                return self._formula(term)

    def _linear(self, constant: int, parts: Sequence[tuple[Term, int]]) -> Word:
        bits, parts, base = self._gathered(parts)
        constant += base
        words = [(self.word(part), factor) for part, factor in parts]
        constant += sum(factor * w.value for w, factor in words if w.value is not None)
        open_ = [(w, factor) for w, factor in words if w.value is None]
        if bits:
            open_.append((self._circuit.words.gathered(bits), 1))
        if not open_:
            return self._circuit.words.constant(constant)
        if constant == 0 and len(open_) == 1 and open_[0][1] == 1:
            return open_[0][0]
        return self._circuit.words.linear(constant, open_)

    def _gathered(
        self, parts: Sequence[tuple[Term, int]]
    ) -> tuple[dict[int, z3.BoolRef], Sequence[tuple[Term, int]], int]:
        """The bits of a sum, by their places; what else is added; and what those make that are no formulas."""
        found, rest, base = dict[int, z3.BoolRef](), list[tuple[Term, int]](), 0
        for part, factor in parts:
            bit = _bit_in(part, factor)
            if bit is None or bit[0] in found:
                rest.append((part, factor))
                continue
            place, condition, positive = bit
            made = self.bit(condition)
            made = made if positive else self._circuit.no(made)
            if isinstance(made, bool):
                base += made << place
            else:
                found[place] = made
        return found, rest, base

    def _formula(self, term: Le | IsZero | Same | Not | And | Or) -> Bit:
        c = self._circuit
        match term:
            case Le(total):
                return c.at_most(*self._sides(total))
            case IsZero(total):
                return c.equal(*self._sides(total))
            case Same(left, right):
                return self._same(self.signal(left), self.signal(right))
            case Not(body):
                return c.no(self.bit(body))
            case And(args):
                return c.every(self.bit(a) for a in args)
            case Or(args):
                return c.some(self.bit(a) for a in args)
            case _:
                assert_never(term)

    def _sides(self, total: Term) -> tuple[Word, Word]:
        """What is compared with what where a sum is compared with 0."""
        constant, parts = (total.constant, total.parts) if isinstance(total, Sum) else (0, ((total, 1),))
        left = self._linear(max(constant, 0), [(p, f) for p, f in parts if f > 0])
        right = self._linear(max(-constant, 0), [(p, -f) for p, f in parts if f < 0])
        return left, right

    def _same(self, left: Signal, right: Signal) -> Bit:
        match left, right:
            case Word(), Word():
                return self._circuit.equal(left, right)
            case Array(), Array():
                equation = left.expression == right.expression
                assert isinstance(equation, z3.BoolRef)
                return equation
            case bool() | z3.BoolRef(), bool() | z3.BoolRef():
                return self._circuit.same(left, right)
            case _:
                raise TypeError("signals of two sorts")

    def _of_array(self, term: Select | Store | ConstantArray) -> Signal:
        match term:
            case Select(array, index):
                inside = self._array(array)
                found = z3.Select(inside.expression, self.word(index).expression)
                return found if isinstance(found, z3.BoolRef) else Word(found, None, None)
            case Store(array, index, value):
                inside, at = self._array(array), self.word(index).expression
                return Array(z3.Store(inside.expression, at, self._element(value)), inside.sort)
            case ConstantArray(sort, value):
                domain, _ = self._circuit.sorts_of(sort)
                return Array(z3.K(domain, self._element(value)), sort)
            case _:
                assert_never(term)

    def _element(self, term: Term) -> z3.ExprRef:
        match self.signal(term):
            case Word(expression) | Array(expression):
                return expression
            case bool() as value:
                return z3.BoolVal(value, self._circuit.context)
            case bit:
                return bit

    def _array(self, array: Term) -> Array:
        signal = self.signal(array)
        assert isinstance(signal, Array)
        return signal
