"""Terms as SMT-LIB 2 text, for certificates and for other solvers. `read_smtlib` reads it back to the same term.

A variable is a symbol with its name, primes included; what SMT-LIB's symbols cannot contain is escaped. An enumeration
is a datatype whose constructors are named `Color::Red`.
"""

from __future__ import annotations

import re
from typing import assert_never

from sa.terms.build import linear_parts
from sa.terms.sort import ArraySort, BoolSort, EnumSort, IntSort, Sort
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

#: Names that mean something in SMT-LIB or to a solver: ours get a mark behind them.
RESERVED = frozenset(
    re.findall(
        r"\w+",
        "true false not and or xor ite distinct div mod abs as let forall exists match par is lambda choose exp sin cos"
        " tan pi sqrt to_real to_int is_int divisible select store concat update Int Bool Real String Array Set Seq",
    )
)
_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
_ESCAPED = re.compile(r"[|\\%]")


def symbol(name: str) -> str:
    """A name as a symbol."""
    text = _ESCAPED.sub(lambda m: f"%{ord(m[0]):02x}", name)
    if name in RESERVED:
        text += "%"
    return text if _SIMPLE.match(text) and text != "_" else f"|{text}|"


def sort_symbol(sort: Sort) -> str:
    """A sort as SMT-LIB names it."""
    match sort:
        case IntSort():
            return "Int"
        case BoolSort():
            return "Bool"
        case EnumSort(name, _):
            return symbol(name)
        case ArraySort(index, element):
            return f"(Array {sort_symbol(index)} {sort_symbol(element)})"
        case _:
            assert_never(sort)


def constructor_symbol(sort: EnumSort, index: int) -> str:
    """A constructor of an enumeration; several enumerations may have one of that name."""
    return symbol(f"{sort.name}::{sort.constructors[index]}")


def variable_symbol(var: Var) -> str:
    """A variable as a symbol."""
    return symbol(var.name + "'" * var.primes)


def smtlib(term: Term) -> str:
    """A term as SMT-LIB 2 text."""
    match term:
        case Var():
            return variable_symbol(term)
        case Int(value):
            return _number(value)
        case Bool(value):
            return "true" if value else "false"
        case Member(sort, index):
            return constructor_symbol(sort, index)
        case Sum(constant, parts):
            pieces = [_monomial(p, c) for p, c in parts]
            return _apply("+", *pieces, *([_number(constant)] if constant else []))
        case Product(factors):
            return _apply("*", *map(smtlib, factors))
        case Div(dividend, divisor):
            return _apply("div", smtlib(dividend), _number(divisor))
        case Mod(dividend, divisor):
            return _apply("mod", smtlib(dividend), _number(divisor))
        case Ite(condition, positive, negative):
            return _apply("ite", *map(smtlib, (condition, positive, negative)))
        case Call(function, arguments):
            return _apply(symbol(function.name), *map(smtlib, arguments)) if arguments else symbol(function.name)
        case Select(array, index):
            return _apply("select", smtlib(array), smtlib(index))
        case Store(array, index, value):
            return _apply("store", *map(smtlib, (array, index, value)))
        case ConstantArray(sort, value):
            return f"((as const {sort_symbol(sort)}) {smtlib(value)})"
        case _:
            return _formula(term)


def _formula(term: Connective) -> str:
    match term:
        case Le(total):
            return _comparison("<=", total)
        case IsZero(total):
            return _comparison("=", total)
        case Same(left, right):
            return _apply("=", smtlib(left), smtlib(right))
        case Not(body):
            return _apply("not", smtlib(body))
        case And(args):
            return _apply("and", *map(smtlib, args))
        case Or(args):
            return _apply("or", *map(smtlib, args))
        case Forall(binders, body):
            listed = " ".join(f"({variable_symbol(b)} {sort_symbol(b.sort)})" for b in binders)
            return f"(forall ({listed}) {smtlib(body)})"
        case _:
            assert_never(term)


def _comparison(operator: str, total: Term) -> str:
    """`total ⋈ 0` without negative coefficients."""
    constant, parts = linear_parts(total)
    left = [_monomial(p, c) for p, c in parts.items() if c > 0]
    right = [_monomial(p, -c) for p, c in parts.items() if c < 0]
    if constant:
        (left if constant > 0 else right).append(str(abs(constant)))
    return _apply(operator, _total(left), _total(right))


def _total(pieces: list[str]) -> str:
    return _apply("+", *pieces) if len(pieces) > 1 else pieces[0] if pieces else "0"


def _monomial(part: Term, coefficient: int) -> str:
    return smtlib(part) if coefficient == 1 else _apply("*", _number(coefficient), smtlib(part))


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _apply(operator: str, *arguments: str) -> str:
    # `+` of one monomial is that monomial.
    return f"({operator} {' '.join(arguments)})" if operator != "+" or len(arguments) > 1 else arguments[0]
