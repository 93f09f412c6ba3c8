"""Integers as z3 has them: as bit-vectors that are as wide as their values need, or as integers without bounds.

A word knows between what bounds its value is, so that what these decide needs no formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Protocol, TypeAlias

import z3
from msgspec import Struct
from z3 import z3core

from sa.base.limits import Unsupported

#: A truth value: a constant or a z3 formula.
Bit: TypeAlias = bool | z3.BoolRef

#: No product or sum is wider than this.
MOST_BITS = 96


class Word(Struct, frozen=True, eq=False):
    """An integer: its z3 expression, and bounds of its value (None where there are none)."""

    expression: z3.ExprRef
    low: int | None
    high: int | None

    @property
    def value(self) -> int | None:
        """The value of a constant."""
        return self.low if self.low == self.high else None


class Words(Protocol):
    """What both kinds of integers can do. Bits are formulas here, not constants."""

    exact: bool

    def constant(self, value: int) -> Word: ...
    def fresh(self, name: str, low: int | None, high: int | None) -> Word: ...
    def linear(self, constant: int, parts: Sequence[tuple[Word, int]]) -> Word: ...
    def product(self, factors: Sequence[Word]) -> Word: ...
    def quotient(self, dividend: Word, divisor: int) -> Word: ...
    def remainder(self, dividend: Word, divisor: int) -> Word: ...
    def choose(self, condition: z3.BoolRef, positive: Word, negative: Word) -> Word: ...
    def gathered(self, bits: Mapping[int, z3.BoolRef]) -> Word: ...
    def at_most(self, left: Word, right: Word) -> z3.BoolRef: ...
    def equal(self, left: Word, right: Word) -> z3.BoolRef: ...
    def narrowed(self, word: Word, low: int, high: int) -> Word: ...
    def number(self, model: z3.ModelRef, word: Word) -> int: ...


def bounds_of_sum(constant: int, parts: Sequence[tuple[Word, int]]) -> tuple[int | None, int | None]:
    """Bounds of a linear combination."""
    low: int | None = constant
    high: int | None = constant
    for word, factor in parts:
        ends = (word.low, word.high) if factor > 0 else (word.high, word.low)
        low = None if low is None or ends[0] is None else low + factor * ends[0]
        high = None if high is None or ends[1] is None else high + factor * ends[1]
    return low, high


def _bounds_of_product(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    corners = [a * b for a in left for b in right]
    return min(corners), max(corners)


class Integers:
    """Integers without bounds."""

    exact = True

    def __init__(self, context: z3.Context) -> None:
        self.context = context

    def constant(self, value: int) -> Word:
        """A constant."""
        return Word(z3.IntVal(value, self.context), value, value)

    def fresh(self, name: str, low: int | None, high: int | None) -> Word:
        """An unknown integer. Its bounds are the caller's to require."""
        return Word(z3.Int(name, self.context), low, high)

    def linear(self, constant: int, parts: Sequence[tuple[Word, int]]) -> Word:
        """A linear combination."""
        low, high = bounds_of_sum(constant, parts)
        if low is not None and low == high:
            return self.constant(low)
        terms = [w.expression if c == 1 else w.expression * c for w, c in parts]
        total = reduce(lambda a, b: a + b, terms)
        return Word(total + constant if constant else total, low, high)

    def product(self, factors: Sequence[Word]) -> Word:
        """A product."""
        return Word(reduce(lambda a, b: a * b, (f.expression for f in factors)), None, None)

    def quotient(self, dividend: Word, divisor: int) -> Word:
        """Rounded down, by a positive constant."""
        ends = [None if end is None else end // divisor for end in (dividend.low, dividend.high)]
        return Word(dividend.expression / divisor, ends[0], ends[1])

    def remainder(self, dividend: Word, divisor: int) -> Word:
        """In 0..divisor-1."""
        return Word(dividend.expression % divisor, 0, divisor - 1)

    def choose(self, condition: z3.BoolRef, positive: Word, negative: Word) -> Word:
        """One of two."""
        low = None if positive.low is None or negative.low is None else min(positive.low, negative.low)
        high = None if positive.high is None or negative.high is None else max(positive.high, negative.high)
        return Word(z3.If(condition, positive.expression, negative.expression, self.context), low, high)

    def gathered(self, bits: Mapping[int, z3.BoolRef]) -> Word:
        """The number with these bits, by their places."""
        zero = self.constant(0)
        return self.linear(0, [(self.choose(b, self.constant(1 << place), zero), 1) for place, b in bits.items()])

    def at_most(self, left: Word, right: Word) -> z3.BoolRef:
        """Whether one is at most the other."""
        return left.expression <= right.expression

    def equal(self, left: Word, right: Word) -> z3.BoolRef:
        """Whether they are equal."""
        return left.expression == right.expression

    def narrowed(self, word: Word, low: int, high: int) -> Word:
        """The same value, if it is within bounds."""
        # Who sees that the bounds say what it is may take it for that value also where it is not within them.
        return self.constant(low) if low == high else Word(word.expression, low, high)

    def number(self, model: z3.ModelRef, word: Word) -> int:
        """Its value in a model."""
        return int(model.eval(word.expression, model_completion=True).as_long())


def _bits(low: int, high: int) -> int:
    """How many bits tell all these numbers apart: two's complement where there are negative ones."""
    if low >= 0:
        return max(1, high.bit_length())
    return 1 + max((-low - 1).bit_length(), high.bit_length() if high >= 0 else 0)


def _ends(word: Word) -> tuple[int, int]:
    assert word.low is not None
    assert word.high is not None
    return word.low, word.high


class Bits:
    """Bit-vectors, each as wide as the bounds of its value ask for; without a sign where no value is negative.

    Sums and products are made modulo the width of their result, which loses nothing.
    Raises Unsupported for what is too wide.
    """

    exact = False

    def __init__(self, context: z3.Context) -> None:
        self.context = context
        self._ref = context.ref()
        self._numerals: dict[tuple[int, int], z3.BitVecRef] = {}

    def _wrapped(self, ast: Any) -> z3.BitVecRef:
        return z3.BitVecRef(ast, self.context)

    def _numeral(self, value: int, width: int) -> z3.BitVecRef:
        found = self._numerals.get((value, width))
        if found is None:
            found = self._numerals[value, width] = z3.BitVecVal(value, width, self.context)
        return found

    def constant(self, value: int) -> Word:
        """A constant."""
        return Word(self._numeral(value, _bits(value, value)), value, value)

    def fresh(self, name: str, low: int | None, high: int | None) -> Word:
        """An unknown integer. Its bounds are the caller's to require. Raises Unsupported where it has none."""
        if low is None or high is None:
            raise Unsupported("a number without bounds as bits")
        return Word(z3.BitVec(name, self._width(low, high), self.context), low, high)

    def _width(self, low: int, high: int) -> int:
        width = _bits(low, high)
        if width > MOST_BITS:
            raise Unsupported(f"numbers of more than {MOST_BITS} bits")
        return width

    def _cast(self, word: Word, width: int) -> z3.BitVecRef:
        """The value modulo 2 to the width."""
        expression = word.expression
        assert isinstance(expression, z3.BitVecRef)
        more = width - expression.size()
        if more == 0:
            return expression
        if word.value is not None:
            return self._numeral(word.value, width)
        if more < 0:
            return self._wrapped(z3core.Z3_mk_extract(self._ref, width - 1, 0, expression.ast))
        extend = z3core.Z3_mk_zero_ext if _ends(word)[0] >= 0 else z3core.Z3_mk_sign_ext
        return self._wrapped(extend(self._ref, more, expression.ast))

    def _shifted(self, word: Word, places: int, low: int, high: int) -> Word:
        """The upper bits, which are the number divided by a power of two and rounded down, whatever its sign."""
        whole = self._cast(word, max(self._width(*_ends(word)), places + 1))
        upper = self._wrapped(z3core.Z3_mk_extract(self._ref, whole.size() - 1, places, whole.ast))
        return Word(self._cast(Word(upper, low, high), self._width(low, high)), low, high)

    def linear(self, constant: int, parts: Sequence[tuple[Word, int]]) -> Word:
        """A linear combination."""
        low, high = bounds_of_sum(constant, parts)
        assert low is not None
        assert high is not None
        if low == high:
            return self.constant(low)
        width = self._width(low, high)
        total = None if constant == 0 else self._numeral(constant, width)
        for word, factor in parts:
            here = self._cast(word, width)
            if factor == -1 and total is not None:
                total = total - here
                continue
            scaled = here if factor == 1 else here * self._numeral(factor, width)
            total = scaled if total is None else total + scaled
        assert total is not None
        return Word(total, low, high)

    def product(self, factors: Sequence[Word]) -> Word:
        """A product."""
        low, high = reduce(_bounds_of_product, (_ends(f) for f in factors))
        if low == high:
            return self.constant(low)
        width = self._width(low, high)
        return Word(reduce(lambda a, b: a * b, (self._cast(f, width) for f in factors)), low, high)

    def quotient(self, dividend: Word, divisor: int) -> Word:
        """Rounded down, by a positive constant."""
        low, high = _ends(dividend)
        ends = low // divisor, high // divisor
        if ends[0] == ends[1]:
            return self.constant(ends[0])
        if divisor & (divisor - 1) == 0:
            return self._shifted(dividend, divisor.bit_length() - 1, *ends)
        width = self._width(min(low, 0), max(high, divisor)) + 1
        whole, by = self._cast(dividend, width), self._numeral(divisor, width)
        found = z3.UDiv(whole, by) if low >= 0 else (whole - whole % by) / by
        return Word(self._cast(Word(found, *ends), self._width(*ends)), *ends)

    def remainder(self, dividend: Word, divisor: int) -> Word:
        """In 0..divisor-1."""
        low, high = _ends(dividend)
        if low >= 0 and high < divisor:
            return dividend
        if divisor == 1:
            return self.constant(0)
        if divisor & (divisor - 1) == 0:
            return Word(self._cast(dividend, divisor.bit_length() - 1), 0, divisor - 1)
        width = self._width(min(low, 0), max(high, divisor)) + 1
        whole, by = self._cast(dividend, width), self._numeral(divisor, width)
        found = z3.URem(whole, by) if low >= 0 else whole % by
        return Word(self._cast(Word(found, 0, divisor - 1), self._width(0, divisor - 1)), 0, divisor - 1)

    def choose(self, condition: z3.BoolRef, positive: Word, negative: Word) -> Word:
        """One of two."""
        ends = (*_ends(positive), *_ends(negative))
        low, high = min(ends), max(ends)
        width = self._width(low, high)
        one, other = self._cast(positive, width), self._cast(negative, width)
        return Word(self._wrapped(z3core.Z3_mk_ite(self._ref, condition.ast, one.ast, other.ast)), low, high)

    def gathered(self, bits: Mapping[int, z3.BoolRef]) -> Word:
        """The number with these bits, by their places: nothing is added up."""
        pieces, above = list[z3.BitVecRef](), max(bits) + 1
        for place in sorted(bits, reverse=True):
            if above > place + 1:
                pieces.append(self._numeral(0, above - place - 1))
            one, zero = self._numeral(1, 1), self._numeral(0, 1)
            pieces.append(self._wrapped(z3core.Z3_mk_ite(self._ref, bits[place].ast, one.ast, zero.ast)))
            above = place
        if above:
            pieces.append(self._numeral(0, above))
        whole = reduce(lambda upper, lower: self._wrapped(z3core.Z3_mk_concat(self._ref, upper.ast, lower.ast)), pieces)
        return Word(whole, 0, sum(1 << place for place in bits))

    def _aligned(self, left: Word, right: Word) -> tuple[z3.BitVecRef, z3.BitVecRef, bool]:
        ends = (*_ends(left), *_ends(right))
        width = self._width(min(ends), max(ends))
        return self._cast(left, width), self._cast(right, width), min(ends) < 0

    def at_most(self, left: Word, right: Word) -> z3.BoolRef:
        """Whether one is at most the other."""
        one, other, signed = self._aligned(left, right)
        return one <= other if signed else z3.ULE(one, other)

    def equal(self, left: Word, right: Word) -> z3.BoolRef:
        """Whether they are equal."""
        one, other, _ = self._aligned(left, right)
        return one == other

    def narrowed(self, word: Word, low: int, high: int) -> Word:
        """The same value, if it is within bounds."""
        if low == high:
            return self.constant(low)
        return Word(self._cast(word, self._width(low, high)), low, high)

    def number(self, model: z3.ModelRef, word: Word) -> int:
        """Its value in a model."""
        value = model.eval(word.expression, model_completion=True)
        low, _ = _ends(word)
        return int(value.as_signed_long() if low < 0 else value.as_long())
