"""Terms as data, hash-consed: equal terms are one object, so equality is identity.

Terms hold no positions and are always in the normal form that `build` makes; nothing else
constructs them. The intern table is the only state, is weak, and terms pickle through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2s
from typing import Any, Self, TypeAlias, TypeVar, assert_never
from weakref import ref

from msgspec import Struct

from sa.terms.name import Name
from sa.terms.sort import BOOL, INT, ArraySort, EnumSort, Sort, not_too_long


class Function(Struct, frozen=True):
    """An uninterpreted function; what is known of it are axioms."""

    name: str
    arguments: tuple[Sort, ...]
    result: Sort


class _Node:
    """Common part of all terms: `key` orders terms deterministically, `free` are the free variables.

    `negation` remembers the negation of a formula once it has been made.
    """

    __slots__ = ("__weakref__", "free", "key", "negation")
    __match_args__: tuple[str, ...] = ()
    key: str
    free: frozenset[Var]
    negation: Term | None

    def __reduce__(self) -> tuple[Any, ...]:
        return intern, (type(self), *(getattr(self, name) for name in self.__match_args__))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<{self.key}>"


class Var(_Node):
    """A variable. `primes` is 0 for the present state, 1 for the next one."""

    __slots__ = __match_args__ = ("name", "sort", "primes")
    name: Name
    sort: Sort
    primes: int


class Int(_Node):
    """An integer constant."""

    __slots__ = __match_args__ = ("value",)
    value: int


class Bool(_Node):
    """`true` or `false`."""

    __slots__ = __match_args__ = ("value",)
    value: bool


class Member(_Node):
    """A constructor of an enumeration."""

    __slots__ = __match_args__ = ("sort", "index")
    sort: EnumSort
    index: int


class Sum(_Node):
    """`constant + Σ coefficient · part`, parts ordered by key, coefficients not zero.

    Never a lone constant or a lone part with coefficient 1 and constant 0.
    """

    __slots__ = __match_args__ = ("constant", "parts")
    constant: int
    parts: tuple[tuple[Term, int], ...]


class Product(_Node):
    """A non-linear monomial: at least two factors, none a constant, a Sum or a Product."""

    __slots__ = __match_args__ = ("factors",)
    factors: tuple[Term, ...]


class Div(_Node):
    """Euclidean quotient by a constant greater than 1."""

    __slots__ = __match_args__ = ("dividend", "divisor")
    dividend: Term
    divisor: int


class Mod(_Node):
    """Euclidean remainder, in 0..divisor-1, by a constant greater than 1."""

    __slots__ = __match_args__ = ("dividend", "divisor")
    dividend: Term
    divisor: int


class Ite(_Node):
    """`if condition then positive else negative`, of any sort but bool."""

    __slots__ = __match_args__ = ("condition", "positive", "negative")
    condition: Term
    positive: Term
    negative: Term


class Call(_Node):
    """An uninterpreted function applied to arguments."""

    __slots__ = __match_args__ = ("function", "arguments")
    function: Function
    arguments: tuple[Term, ...]


class Select(_Node):
    """The element of an array at an index."""

    __slots__ = __match_args__ = ("array", "index")
    array: Term
    index: Term


class Store(_Node):
    """An array with another value at an index; never at an index that the array inside is known to have too."""

    __slots__ = __match_args__ = ("array", "index", "value")
    array: Term
    index: Term
    value: Term


class ConstantArray(_Node):
    """The array that has one value everywhere."""

    __slots__ = __match_args__ = ("sort", "value")
    sort: ArraySort
    value: Term


class Le(_Node):
    """`total <= 0`, tightened over the integers."""

    __slots__ = __match_args__ = ("total",)
    total: Term


class IsZero(_Node):
    """`total == 0`, the first coefficient positive."""

    __slots__ = __match_args__ = ("total",)
    total: Term


class Same(_Node):
    """Equality of two terms of a sort other than int, ordered by key. Arrays are equal if all elements are."""

    __slots__ = __match_args__ = ("left", "right")
    left: Term
    right: Term


class Not(_Node):
    """Negation of an atom other than `Le`."""

    __slots__ = __match_args__ = ("body",)
    body: Term


class And(_Node):
    """At least two different conjuncts, none an And, ordered by key."""

    __slots__ = __match_args__ = ("args",)
    args: tuple[Term, ...]


class Or(_Node):
    """At least two different disjuncts, none an Or, ordered by key."""

    __slots__ = __match_args__ = ("args",)
    args: tuple[Term, ...]


class Forall(_Node):
    """Universal quantification, in axioms and in obligations about them."""

    __slots__ = __match_args__ = ("binders", "body")
    binders: tuple[Var, ...]
    body: Term


#: Terms that are formulas by their shape.
Connective: TypeAlias = Le | IsZero | Same | Not | And | Or | Forall

#: A closed union: a `match` over terms ends in `assert_never`.
Term: TypeAlias = (
    Var | Int | Bool | Member | Sum | Product | Div | Mod | Ite | Call | Select | Store | ConstantArray | Connective
)

T = TypeVar("T", bound=_Node)

_EMPTY: frozenset[Var] = frozenset()
_KEY_LIMIT = 72


class _Entry(ref[Any]):
    """A term as long as it is used, and where it is in the table. A `WeakValueDictionary` takes twice as long."""

    __slots__ = ("place",)
    place: tuple[object, ...]


_table: dict[tuple[object, ...], _Entry] = {}


def _forgotten(entry: _Entry) -> None:
    # Meanwhile an equal term may have been made.
    if _table.get(entry.place) is entry:
        del _table[entry.place]


def intern(cls: type[T], *fields: Any) -> T:
    """The one term of class `cls` with these fields. For `build` and pickling only. Raises Unsupported for an integer
    that is too long.
    """
    place = (cls, *fields)
    entry = _table.get(place)
    term: T | None = None if entry is None else entry()
    if term is None:
        term = _new(cls, fields)
        entry = _Entry(term, _forgotten)
        entry.place = place
        _table[place] = entry
    return term


def _new(cls: type[T], fields: tuple[Any, ...]) -> T:
    made: Any = object.__new__(cls)
    for name, value in zip(cls.__match_args__, fields, strict=True):
        setattr(made, name, value)
    made.key, made.free = _derive(made)
    made.negation = None
    term: T = made
    return term


def remember_negation(term: Term, negation: Term) -> None:
    """Note what a formula's negation is. For `build` only."""
    term.negation = negation


def _derive(term: Term) -> tuple[str, frozenset[Var]]:
    match term:
        case Var(name, _, primes):
            return name + "'" * primes, frozenset((term,))
        case Int(value):
            return str(not_too_long(value)), _EMPTY
        case Bool(value):
            return ("true" if value else "false"), _EMPTY
        case Member(sort, index):
            return sort.constructors[index], _EMPTY
        case Sum(constant, parts):
            text = "+".join(f"{c}*{p.key}" for p, c in parts)
            return _short(f"({text}+{constant})"), _union(tuple(p for p, _ in parts))
        case Div(dividend, divisor):
            return _short(f"({dividend.key}/{divisor})"), dividend.free
        case Mod(dividend, divisor):
            return _short(f"({dividend.key}%{divisor})"), dividend.free
        case Call(function, arguments):
            return _short(f"{function.name}({','.join(a.key for a in arguments)})"), _union(arguments)
        case Forall(binders, body):
            text = f"forall {','.join(b.key for b in binders)}::{body.key}"
            return _short(text), body.free - frozenset(binders)
        case ConstantArray(array_sort, value):
            return _short(f"{array_sort.name}({value.key})"), value.free
        case Product() | Ite() | Select() | Store() | Le() | IsZero() | Same() | Not() | And() | Or():
            parts_of = children(term)
            return _short(f"{type(term).__name__}({','.join(c.key for c in parts_of)})"), _union(parts_of)
        case _:
            assert_never(term)


def _short(text: str) -> str:
    if len(text) <= _KEY_LIMIT:
        return text
    return text[:40] + "#" + blake2s(text.encode(), digest_size=12).hexdigest()


def _union(terms: tuple[Term, ...]) -> frozenset[Var]:
    result = _EMPTY
    for term in terms:
        if not term.free <= result:
            result = term.free if result <= term.free else result | term.free
    return result


def subterms(terms: Iterable[Term]) -> Iterator[Term]:
    """All terms in terms, themselves included, each once."""
    pending = list(dict.fromkeys(terms))
    seen = set(pending)
    while pending:
        here = pending.pop()
        yield here
        fresh = [t for t in children(here) if t not in seen]
        seen.update(fresh)
        pending.extend(fresh)


def children(term: Term) -> tuple[Term, ...]:
    """The direct subterms."""
    # The most frequent ones come first.
    match term:
        case And(args) | Or(args):
            return args
        case Le(total) | IsZero(total):
            return (total,)
        case Sum(_, parts):
            return tuple(p for p, _ in parts)
        case Var() | Int() | Bool() | Member():
            return ()
        case Not(body) | Forall(_, body):
            return (body,)
        case Product(factors):
            return factors
        case Div(dividend, _) | Mod(dividend, _):
            return (dividend,)
        case Ite(condition, positive, negative):
            return (condition, positive, negative)
        case Call(_, arguments):
            return arguments
        case Select(array, index):
            return (array, index)
        case Store(array, index, value):
            return (array, index, value)
        case ConstantArray(_, value):
            return (value,)
        case Same(left, right):
            return (left, right)
        case _:
            assert_never(term)


def sort_of(term: Term) -> Sort:
    """The sort of a term."""
    match term:
        case Var(_, sort, _) | Member(sort, _) | ConstantArray(sort, _):
            return sort
        case Select(array, _):
            return array_sort_of(array).element
        case Store(array, _, _):
            return sort_of(array)
        case Ite(_, positive, _):
            return sort_of(positive)
        case Call(function, _):
            return function.result
        case Int() | Sum() | Product() | Div() | Mod():
            return INT
        case Bool() | Le() | IsZero() | Same() | Not() | And() | Or() | Forall():
            return BOOL
        case _:
            assert_never(term)


def array_sort_of(array: Term) -> ArraySort:
    """The sort of an array."""
    sort = sort_of(array)
    assert isinstance(sort, ArraySort), f"{array!r} is no array"
    return sort


def has_quantifiers(term: Term) -> bool:
    """Whether a quantifier is in a term."""
    return any(isinstance(t, Forall) for t in subterms((term,)))
