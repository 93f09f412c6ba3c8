"""Values of surface expressions, straight from the syntax trees: part of the interpreter that judges elaboration.

Arrays are one entry of the store for each element, `flag[2]`. Enumerations are the index of the constructor.
`&&`, `||`, `==>` and conditionals evaluate only what decides, as an index may lie outside of its array.
Nothing is checked that `sacheck check` has checked; a tree outside of what programs execute (primes, `old`,
`at`, quantifiers, functions without a body) raises Unevaluable.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sa.language.syntax import (
    Apply,
    ArrayType,
    Boolean,
    Chain,
    Compare,
    Conditional,
    Expression,
    Index,
    Integer,
    Name,
    NamedType,
    Place,
    RangeType,
    Type,
    Unary,
)
from sa.terms import name as names
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import Plain

Store = Mapping[str, Plain]


class OutsideArray(Exception):
    """An index that the array does not have."""


class Meanings(Struct, frozen=True):
    """What names mean that are not variables. `sizes` are those of arrays, by name."""

    constants: Mapping[str, Plain]
    macros: Mapping[str, tuple[tuple[str, ...], Expression]]
    enumerations: Mapping[str, int]
    sizes: Mapping[str, int]


def value_of(expression: Expression, store: Store, meanings: Meanings) -> Plain:
    """The value of an expression. Raises OutsideArray and Unevaluable."""

    def go(e: Expression) -> Plain:
        return value_of(e, store, meanings)

    match expression:
        case Integer(value) | Boolean(value):
            return value
        case Name(name, 0):
            return _named(name, store, meanings)
        case Index():
            return store[element(expression, store, meanings)]
        case Unary("!", operand):
            return not go(operand)
        case Unary("-", operand):
            return -go(operand)
        case Compare(operator, left, right):
            return _compared(operator, go(left), go(right))
        case Conditional(condition, positive, negative):
            return go(positive) if go(condition) else go(negative)
        case Chain(operands, ("&&", *_)):
            return all(go(e) for e in operands)
        case Chain(operands, ("||", *_)):
            return any(go(e) for e in operands)
        case Chain((*premises, conclusion), ("==>", *_)):
            return not all(go(e) for e in premises) or bool(go(conclusion))
        case Chain(operands, operators):
            return _chained([go(e) for e in operands], operators)
        case Apply(name, arguments) if name in meanings.macros:
            parameters, body = meanings.macros[name]
            # The body sees globals and its own parameters; a parameter hides a variable of the same name.
            return value_of(body, {**store, **dict(zip(parameters, map(go, arguments), strict=True))}, meanings)
        case _:
            raise Unevaluable(type(expression).__name__)


def _named(name: str, store: Store, meanings: Meanings) -> Plain:
    if name in store:
        return store[name]
    if name in meanings.constants:
        return meanings.constants[name]
    if name in meanings.macros:
        return value_of(meanings.macros[name][1], store, meanings)
    raise Unevaluable(name)


def element(place: Index, store: Store, meanings: Meanings) -> str:
    """The store's entry for an element of an array. Raises OutsideArray."""
    index = int(value_of(place.index, store, meanings))
    if not 0 <= index < meanings.sizes[place.name]:
        raise OutsideArray(place.name)
    return names.element(place.name, index)


def entry(place: Place, store: Store, meanings: Meanings) -> str:
    """The store's entry for something that can be assigned to. Raises OutsideArray."""
    return element(place, store, meanings) if isinstance(place, Index) else place.name


def _compared(operator: str, left: Plain, right: Plain) -> bool:
    match operator:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case _:
            return left >= right


def _chained(values: list[Plain], operators: tuple[str, ...]) -> Plain:
    result = values[0]
    for operator, value in zip(operators, values[1:], strict=True):
        result = _combined(operator, result, value)
    return result


def _combined(operator: str, left: Plain, right: Plain) -> Plain:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":  # Euclidean: the remainder is never negative
            return left // right if right > 0 else -(left // -right)
        case "%":
            return left % abs(right)
        case _:  # <==>
            return left == right


def values_of(type_: Type, integers: range, meanings: Meanings) -> range | tuple[Plain, ...]:
    """The values of a type, `integers` standing for all of ℤ; of an array's elements."""
    match type_:
        case ArrayType(inner, _):
            return values_of(inner, integers, meanings)
        case RangeType(low, high):
            return range(int(value_of(low, {}, meanings)), int(value_of(high, {}, meanings)) + 1)
        case NamedType("int"):
            return integers
        case NamedType("bool"):
            return (False, True)
        case NamedType(name):
            return range(meanings.enumerations[name])


def entries_of(name: str, type_: Type, meanings: Meanings) -> list[str]:
    """The store's entries for a variable: one, or one for each element of an array."""
    if not isinstance(type_, ArrayType):
        return [name]
    return [names.element(name, i) for i in range(int(value_of(type_.size, {}, meanings)))]
