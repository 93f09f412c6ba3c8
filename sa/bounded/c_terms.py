"""Terms as C expressions over `long long`, where no intermediate result is too large for that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import assert_never

from sa.base.limits import Unsupported
from sa.terms.compile import inside_out, repeated
from sa.terms.sort import ArraySort, BoolSort, EnumSort, IntSort, Sort
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

#: No number is larger than this, so that sums and what helps to make remainders fit into 64 bits.
_LARGEST = 2**61

#: Quotients and remainders are rounded down, as in the program.
MODULO = "static number modulo(number a, number b) { return (a % b + b) % b; }\n"
QUOTIENT = "static number quotient(number a, number b) { return a / b - (a % b < 0); }\n"

#: Words that name something else: keywords, and what the program has of its own.
_TAKEN = """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm
    main begin end until way number modulo quotient assert abort reach_error"""

#: Compilers need not take expressions that are nested more deeply than 63 times.
_DEEPEST = 20


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier of C for each name, each its own. None ends in an underscore."""
    found, used = dict[str, str](), set(_TAKEN.split())
    for name in dict.fromkeys(names):
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "x"
        plain = plain if plain[0].isalpha() else f"x{plain}"
        made, number = plain, 2
        while made in used:
            made, number = f"{plain}_{number}", number + 1
        used.add(made)
        found[name] = made
    return found


def numeral(value: int) -> str:
    """A constant."""
    text = str(value) if abs(value) < 2**31 else f"{value}LL"
    return f"({text})" if value < 0 else text


class Text:
    """C for terms: `lines` declare what is needed several times, or nested too deeply; `of` is an expression.

    Raises Unsupported for what has no text here, and where a result may be too large.
    """

    def __init__(self, terms: Sequence[Term], names: Mapping[Var, str], ends: Mapping[Var, tuple[int, int]]) -> None:
        self.lines = list[str]()
        self._names = dict[Term, str](names.items())
        size = dict[Term, int]()
        for term in inside_out(terms):
            size[term] = _size(term, size, ends)
            if size[term] > _LARGEST:
                raise Unsupported("numbers that may need more than 64 bits, in C")
        for term in repeated(terms, _DEEPEST):
            name = f"t{len(self.lines)}_"
            self.lines.append(f"const number {name} = {self._written(term)};")
            self._names[term] = name

    def of(self, term: Term) -> str:
        """The term as an operand."""
        match term:
            case Int() | Bool() | Member() | Not() | Div() | Mod():
                return self.whole(term)
            case _:
                return self._names.get(term) or f"({self._written(term)})"

    def whole(self, term: Term) -> str:
        """The term where nothing stands beside it."""
        return self._names.get(term) or self._written(term)

    def _written(self, term: Term) -> str:
        match term:
            case Int(value) | Member(_, value):
                return numeral(value)
            case Bool(value):
                return str(int(value))
            case Sum(constant, parts):
                return self._sum(constant, parts)
            case Product(factors):
                return " * ".join(self.of(f) for f in factors)
            case Div(dividend, divisor):
                return f"quotient({self.whole(dividend)}, {numeral(divisor)})"
            case Mod(dividend, divisor):
                return f"modulo({self.whole(dividend)}, {numeral(divisor)})"
            case Ite(condition, positive, negative):
                return f"{self.of(condition)} ? {self.of(positive)} : {self.of(negative)}"
            case Le(total):
                return " <= ".join(self._sides(total))
            case IsZero(total):
                return " == ".join(self._sides(total))
            case Same(left, right):
                return f"{self.of(left)} == {self.of(right)}"
            case Not(IsZero(total)):
                return f"({' != '.join(self._sides(total))})"
            case Not(body):
                return f"!{self.of(body)}"
            case And(args):
                return " && ".join(self.of(a) for a in args)
            case Or(args):
                return " || ".join(self.of(a) for a in args)
            case Var() | Select() | Store() | ConstantArray() | Call() | Forall():
                raise Unsupported("functions and arrays without bounds in C")
            case _:
                assert_never(term)

    def _sum(self, constant: int, parts: Sequence[tuple[Term, int]]) -> str:
        pieces = [("-" if c < 0 else "+", self._times(abs(c), p)) for p, c in parts]
        pieces += [("-" if constant < 0 else "+", numeral(abs(constant)))] if constant else []
        pieces.sort(key=lambda piece: piece[0])
        (sign, first), *rest = pieces
        return ("" if sign == "+" else sign) + " ".join([first, *(f"{sign} {text}" for sign, text in rest)])

    def _times(self, factor: int, term: Term) -> str:
        return self.of(term) if factor == 1 else f"{numeral(factor)} * {self.of(term)}"

    def _sides(self, total: Term) -> tuple[str, str]:
        """What is compared with what where a sum is compared with 0."""
        if total in self._names or not isinstance(total, Sum):
            return self.of(total), "0"
        sides = [(total.constant, 1), *((c, p) for p, c in total.parts)]
        left = [(c, p) for c, p in sides if c > 0]
        right = [(-c, p) for c, p in sides if c < 0]
        return self._side(left), self._side(right)

    def _side(self, parts: Sequence[tuple[int, Term | int]]) -> str:
        texts = [numeral(c) if isinstance(p, int) else self._times(c, p) for c, p in parts]
        # A number stands behind what it is added to.
        return " + ".join((*texts[1:], texts[0]) if len(texts) > 1 and isinstance(parts[0][1], int) else texts) or "0"


def _size(term: Term, size: Mapping[Term, int], ends: Mapping[Var, tuple[int, int]]) -> int:
    """How large the value, or what it is added up from, may be in either direction."""
    match term:
        case Var(_, sort, _):
            return _largest(sort, ends.get(term))
        case Int(value) | Member(_, value):
            return abs(value)
        case Sum(constant, parts):
            return abs(constant) + sum(abs(c) * size[p] for p, c in parts)
        case Product(factors):
            return prod(size[f] for f in factors)
        case Div(dividend, divisor) | Mod(dividend, divisor):
            return size[dividend] + divisor
        case Ite(_, positive, negative):
            return max(size[positive], size[negative])
        case _:
            return 1


def _largest(sort: Sort, ends: tuple[int, int] | None) -> int:
    match sort:
        case BoolSort():
            return 1
        case EnumSort(_, constructors):
            return len(constructors)
        case IntSort() if ends is not None:
            return max(map(abs, ends))
        case IntSort() | ArraySort():
            raise Unsupported("numbers and arrays without bounds, in C")
        case _:
            assert_never(sort)
