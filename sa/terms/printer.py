"""Terms as `.sa` text: what is printed parses back to the same term."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import assert_never

from sa.terms import build
from sa.terms.name import CONCRETE
from sa.terms.term import (
    And,
    Bool,
    Call,
    Connective,
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


class Strength(IntEnum):
    """How tightly an operator binds, weakest first, as in the grammar."""

    LOWEST = 0
    IMPLIES = 1
    OR = 2
    AND = 3
    COMPARE = 4
    ADD = 5
    MULTIPLY = 6
    UNARY = 7
    ATOM = 8


Namer = Callable[[Var], str]


def plain_name(var: Var) -> str:
    """The default way to write a variable."""
    return var.name + "'" * var.primes


def show(term: Term, name: Namer = plain_name) -> str:
    """A term in the syntax of the language."""
    return _show(term, name)[0]


def _show(term: Term, name: Namer) -> tuple[str, Strength]:
    match term:
        case Var():
            return name(term), Strength.ATOM
        case Int(value):
            return str(value), Strength.ATOM if value >= 0 else Strength.UNARY
        case Bool(value):
            return ("true" if value else "false"), Strength.ATOM
        case Member(sort, index):
            return sort.constructors[index], Strength.ATOM
        case Sum(constant, parts):
            return _sum(constant, parts, name)
        case Product(factors):
            return " * ".join(_in(f, Strength.UNARY, name) for f in factors), Strength.MULTIPLY
        case Div(dividend, divisor):
            return f"{_in(dividend, Strength.UNARY, name)} / {divisor}", Strength.MULTIPLY
        case Mod(dividend, divisor):
            return f"{_in(dividend, Strength.UNARY, name)} % {divisor}", Strength.MULTIPLY
        case Ite(condition, positive, negative):
            parts_of = (_show(t, name)[0] for t in (condition, positive, negative))
            return "if {} then {} else {}".format(*parts_of), Strength.LOWEST
        case Call(function, arguments):
            return f"{function.name}({', '.join(_show(a, name)[0] for a in arguments)})", Strength.ATOM
        case Select(Var() as array, at):
            shown = _show(array, name)[0]
            bare = shown.rstrip("'")
            return f"{bare}[{_show(at, name)[0]}]{shown[len(bare) :]}", Strength.ATOM
        case Select(array, at):
            return f"select({_show(array, name)[0]}, {_show(at, name)[0]})", Strength.ATOM
        case Store(array, at, value):
            return f"store({', '.join(_show(t, name)[0] for t in (array, at, value))})", Strength.ATOM
        case ConstantArray(_, value):
            return f"everywhere({_show(value, name)[0]})", Strength.ATOM
        case _:
            return _formula(term, name)


def _formula(term: Connective, name: Namer) -> tuple[str, Strength]:
    match term:
        case Le(total):
            return _comparison(total, "<=", ">=", name)
        case IsZero(total):
            return _comparison(total, "==", "==", name)
        case Not(IsZero(total)):
            return _comparison(total, "!=", "!=", name)
        case Same(left, right):
            return _equality(left, right, "==", name)
        case Not(Same(left, right)):
            return _equality(left, right, "!=", name)
        case Not(body):
            return f"!{_in(body, Strength.UNARY, name)}", Strength.UNARY
        case And(args):
            return " && ".join(_in(a, Strength.COMPARE, name) for a in args), Strength.AND
        case Or(args):
            return _disjunction(args, name)
        case Forall(binders, body):
            listed = ", ".join(f"{b.name} : {b.sort.name}" for b in binders)
            return f"forall {listed} :: {_show(body, name)[0]}", Strength.LOWEST
        case _:
            assert_never(term)


def _in(term: Term, at_least: Strength, name: Namer) -> str:
    text, strength = _show(term, name)
    return text if strength >= at_least else f"({text})"


def _disjunction(args: tuple[Term, ...], name: Namer) -> tuple[str, Strength]:
    # A disjunct that is a negated equality reads as the premise of an implication.
    premises = [a for a in args if isinstance(a, Not) and isinstance(a.body, IsZero | Same)]
    if len(premises) == 1 and len(args) == 2:
        conclusion = next(a for a in args if a is not premises[0])
        left = _in(build.lnot(premises[0]), Strength.OR, name)
        return f"{left} ==> {_in(conclusion, Strength.OR, name)}", Strength.IMPLIES
    return " || ".join(_in(a, Strength.AND, name) for a in args), Strength.OR


def _equality(left: Term, right: Term, operator: str, name: Namer) -> tuple[str, Strength]:
    if _rank(right) < _rank(left):
        left, right = right, left
    # Comparisons do not chain, so both sides are operands of at least ADD.
    return f"{_in(left, Strength.ADD, name)} {operator} {_in(right, Strength.ADD, name)}", Strength.COMPARE


def _rank(term: Term) -> int:
    """Which side of a comparison comes first: next values, the concrete program, the rest, constants."""
    if not term.free:
        return 3
    if any(v.primes for v in term.free):
        return 0
    return 1 if any(v.name.side == CONCRETE for v in term.free) else 2


def _comparison(total: Term, operator: str, flipped: str, name: Namer) -> tuple[str, Strength]:
    """`total ⋈ 0` with negative parts moved to the right; `<=` becomes `<` where that drops a 1."""
    constant, parts = build.linear_parts(total)
    left = {p: c for p, c in parts.items() if c > 0}
    right = {p: -c for p, c in parts.items() if c < 0}
    symmetric = operator == flipped
    if not left or (right and _rank(build.linear(0, right)) < _rank(build.linear(0, left))):
        left, right, operator, constant = right, left, flipped, -constant
        strict = ">"
    else:
        strict = "<"
    # Now: left + constant ⋈ right.
    if operator in ("<=", ">=") and right and constant == (1 if operator == "<=" else -1):
        operator, constant = strict, 0
    stays = bool(right) and constant > 0 and not symmetric
    first = build.linear(constant if stays else 0, left)
    second = build.linear(0 if stays else -constant, right)
    return f"{_in(first, Strength.ADD, name)} {operator} {_in(second, Strength.ADD, name)}", Strength.COMPARE


def _sum(constant: int, parts: tuple[tuple[Term, int], ...], name: Namer) -> tuple[str, Strength]:
    ordered = sorted(parts, key=lambda p: p[1] < 0)
    pieces = list[str]()
    for part, coefficient in ordered:
        # `3 * x / 2` and `-x / 2` would divide the multiple; `2 * (x / 2)` is `x - x % 2`, also in a product.
        factors = part.factors if isinstance(part, Product) else (part,)
        divided = coefficient != 1 and (isinstance(part, Mod) or any(isinstance(f, Div) for f in factors))
        text = _in(part, Strength.UNARY if divided else Strength.MULTIPLY, name)
        size = abs(coefficient)
        body = text if size == 1 else f"{size} * {text}"
        pieces.append(("- " if coefficient < 0 else "+ ") + body)
    if constant:
        pieces.append(f"{'-' if constant < 0 else '+'} {abs(constant)}")
    text = " ".join(pieces)
    text = text[2:] if text.startswith("+ ") else "-" + text[2:]
    if len(pieces) > 1:
        return text, Strength.ADD
    return text, Strength.UNARY if text.startswith("-") and "*" not in text else Strength.MULTIPLY
