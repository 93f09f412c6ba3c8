"""Formulas made gate by gate: bits, numbers and arrays as signals, and a solver for what is asked of them.

What constants and bounds decide is decided while the circuit is made. Two kinds of numbers: bits for a SAT solver,
integers for an SMT solver (`words.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, assert_never

import z3
from msgspec import Struct
from z3 import z3core

from sa.base.limits import Limits, Unsupported, check_limits, spend
from sa.base.meter import Part, timed
from sa.smt.stopping import A_UNIT, A_UNIT_OF_SAT, Gauge, check_stopped
from sa.smt.value import value_in
from sa.smt.words import Bit, Bits, Integers, Word, Words
from sa.terms.sort import BOOL, INT, ArraySort, BoolSort, EnumSort, IntSort, Sort, Value
from sa.terms.term import Var


class Array(Struct, frozen=True, eq=False):
    """An array, of a sort."""

    expression: z3.ArrayRef
    sort: ArraySort


Signal: TypeAlias = Bit | Word | Array
Scope: TypeAlias = Mapping[Var, Signal]


class Model:
    """Values of signals that fulfil what was asked."""

    def __init__(self, model: z3.ModelRef, words: Words) -> None:
        self._model, self._words = model, words

    def bit(self, bit: Bit) -> bool:
        """The value of a bit."""
        return bit if isinstance(bit, bool) else z3.is_true(self._model.eval(bit, model_completion=True))

    def value(self, signal: Signal) -> Value:
        """The value of a signal. Raises NotAValue for arrays that are written in a way that is not read."""
        match signal:
            case Word():
                return self._words.number(self._model, signal)
            case Array(expression, sort):
                return value_in(self._model, expression, sort)
            case _:
                return self.bit(signal)


class Circuit:
    """Signals, what is required of them, and a solver that keeps what it has learned.

    With `bits`, numbers are bit-vectors: `fresh` and `narrow` need bounds then, and arrays are Unsupported. `rlimit`
    is what the solver may spend on each question, in its own units; 0 for no limit.
    """

    def __init__(self, bounds: Limits, bits: bool, seed: int = 0, rlimit: int = 0) -> None:
        self.bounds = bounds
        self._rlimit = rlimit
        self.context = z3.Context()
        self.words: Words = Bits(self.context) if bits else Integers(self.context)
        self.solver = z3.SolverFor("QF_FD", self.context) if bits else z3.SimpleSolver(self.context)
        self.solver.set("random_seed", seed)
        if bits:
            # Steps are taken unless something forbids it: measured, a tenth to a fifth less time.
            self.solver.set("phase", "always_true")
        self._gauge = Gauge(self.solver, A_UNIT_OF_SAT if bits else A_UNIT)
        self._required = list[z3.BoolRef]()
        self._ref = self.context.ref()
        self._names = 0

    # bits

    def fresh_bit(self, name: str) -> z3.BoolRef:
        """An unknown bit."""
        self._names += 1
        return z3.Bool(f"{name}#{self._names}", self.context)

    def no(self, bit: Bit) -> Bit:
        """Negation."""
        return not bit if isinstance(bit, bool) else z3.BoolRef(z3core.Z3_mk_not(self._ref, bit.ast), self.context)

    def every(self, bits: Iterable[Bit]) -> Bit:
        """Conjunction."""
        return self._junction(bits, False, z3core.Z3_mk_and)

    def some(self, bits: Iterable[Bit]) -> Bit:
        """Disjunction."""
        return self._junction(bits, True, z3core.Z3_mk_or)

    def _junction(self, bits: Iterable[Bit], absorbing: bool, make: object) -> Bit:
        kept = list[z3.BoolRef]()
        for bit in bits:
            if isinstance(bit, bool):
                if bit is absorbing:
                    return absorbing
            else:
                kept.append(bit)
        if len(kept) < 2:
            return kept[0] if kept else not absorbing
        array = (z3.Ast * len(kept))(*(b.ast for b in kept))
        assert callable(make)
        return z3.BoolRef(make(self._ref, len(kept), array), self.context)

    def same(self, left: Bit, right: Bit) -> Bit:
        """Equivalence."""
        if isinstance(left, bool):
            return right if left else self.no(right)
        if isinstance(right, bool):
            return left if right else self.no(left)
        return z3.BoolRef(z3core.Z3_mk_iff(self._ref, left.ast, right.ast), self.context)

    def require(self, *bits: Bit) -> None:
        """Ask for one of these bits from now on."""
        clause = self.some(bits)
        if clause is True:
            return
        formula = z3.BoolVal(False, self.context) if clause is False else clause
        self._required.append(formula)
        z3core.Z3_solver_assert(self._ref, self.solver.solver, formula.ast)

    # numbers

    def fresh(self, name: str, sort: Sort, low: int | None = None, high: int | None = None) -> Signal:
        """An unknown value of a sort, within bounds. Raises Unsupported."""
        match sort:
            case BoolSort():
                return self.fresh_bit(name)
            case EnumSort(_, constructors):
                return self._fresh_word(name, 0, len(constructors) - 1)
            case IntSort():
                return self._fresh_word(name, low, high)
            case ArraySort():
                self._names += 1
                domain, range_ = self.sorts_of(sort)
                return Array(z3.Array(f"{name}#{self._names}", domain, range_), sort)
            case _:
                assert_never(sort)

    def sorts_of(self, sort: ArraySort) -> tuple[z3.SortRef, z3.SortRef]:
        """The solver's sorts of indices and elements. Raises Unsupported."""
        if not self.words.exact or sort.index != INT or sort.element not in (INT, BOOL):
            raise Unsupported("arrays without bounds as bits, or of such elements")
        ints = z3.IntSort(self.context)
        return ints, ints if sort.element == INT else z3.BoolSort(self.context)

    def _fresh_word(self, name: str, low: int | None, high: int | None) -> Word:
        self._names += 1
        if low is not None and low == high:
            return self.words.constant(low)
        word = self.words.fresh(f"{name}#{self._names}", low, high)
        free = Word(word.expression, *self._widest(word))
        if low is not None:
            self.require(self.at_most(self.words.constant(low), free))
        if high is not None:
            self.require(self.at_most(free, self.words.constant(high)))
        return word

    def _widest(self, word: Word) -> tuple[int | None, int | None]:
        """The bounds that the representation alone gives."""
        if not isinstance(word.expression, z3.BitVecRef):
            return None, None
        width = word.expression.size()
        assert word.low is not None
        return (0, 2**width - 1) if word.low >= 0 else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)

    def at_most(self, left: Word, right: Word) -> Bit:
        """Whether one is at most the other."""
        if left.high is not None and right.low is not None and left.high <= right.low:
            return True
        if left.low is not None and right.high is not None and left.low > right.high:
            return False
        return self.words.at_most(left, right)

    def equal(self, left: Word, right: Word) -> Bit:
        """Whether they are equal."""
        if left.value is not None and left.value == right.value:
            return True
        if self.at_most(left, right) is False or self.at_most(right, left) is False:
            return False
        return self.words.equal(left, right)

    def choose(self, condition: Bit, positive: Signal, negative: Signal) -> Signal:
        """One of two signals of one sort."""
        if isinstance(condition, bool):
            return positive if condition else negative
        match positive, negative:
            case Word(), Word():
                if positive is negative or (positive.value is not None and positive.value == negative.value):
                    return positive
                return self.words.choose(condition, positive, negative)
            case Array(), Array():
                both = z3.If(condition, positive.expression, negative.expression, self.context)
                return Array(both, positive.sort)
            case bool() | z3.BoolRef(), bool() | z3.BoolRef():
                return self._either(condition, positive, negative)
            case _:
                raise TypeError("signals of two sorts")

    def _either(self, condition: z3.BoolRef, positive: Bit, negative: Bit) -> Bit:
        if isinstance(positive, bool):
            return self.some((condition, negative)) if positive else self.every((self.no(condition), negative))
        if isinstance(negative, bool):
            return self.some((self.no(condition), positive)) if negative else self.every((condition, positive))
        ast = z3core.Z3_mk_ite(self._ref, condition.ast, positive.ast, negative.ast)
        return z3.BoolRef(ast, self.context)

    def narrow(self, word: Word, low: int, high: int) -> tuple[Word, Bit]:
        """The word as one within bounds, and whether its value is."""
        fits = self.every((self.at_most(self.words.constant(low), word), self.at_most(word, self.words.constant(high))))
        low = low if word.low is None else max(low, word.low)
        high = high if word.high is None else min(high, word.high)
        return (word, False) if low > high else (self.words.narrowed(word, low, high), fits)

    # questions

    def check(self, *bits: Bit, rlimit: int | None = None) -> Model | bool | None:
        """Values with which all these bits hold; False where there are none, None where the solver gave up.

        Raises LimitReached.
        """
        if any(bit is False for bit in bits):
            return False
        spend(self.bounds, 10_000)
        rlimit = self._rlimit if rlimit is None else rlimit
        self._gauge.allow(self.bounds, rlimit)
        with timed(Part.SOLVER, "bounded runs"):
            answer = self.solver.check(*(bit for bit in bits if not isinstance(bit, bool)))
        spent = self._gauge.count(self.bounds)
        if answer == z3.sat:
            return Model(self.solver.model(), self.words)
        if answer == z3.unsat:
            return False
        check_stopped(self.solver.reason_unknown(), spent, rlimit, self.bounds)
        check_limits(self.bounds)
        return None

    def text(self, *bits: Bit) -> str:
        """What is required, with these bits, in SMT-LIB."""
        # Not of the solver that has worked on them: it no longer has them as they were.
        plain = z3.Solver(ctx=self.context)
        plain.add(*self._required)
        plain.add(self.every(bits))
        return str(plain.to_smt2())

    @property
    def required(self) -> int:
        """How much is required, in clauses."""
        return len(self._required)
