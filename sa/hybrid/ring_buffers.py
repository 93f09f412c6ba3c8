"""Arrays that are reached at remainders only, as rings are: `q[t % 8]` is the element of t, whatever t is.

An element then has a place for each integer that the program counts to, so what is said of places between two counters
can be said of such arrays too. Places are the same where their remainders are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sa.smt.horn import Atom, Clause
from sa.terms import build
from sa.terms.sort import ArraySort
from sa.terms.substitute import rebuild
from sa.terms.term import ConstantArray, Mod, Same, Select, Store, Term, Var, children


def rings(parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause]) -> dict[Var, int]:
    """The arrays that are reached at remainders of one divisor only, and the divisor."""
    found, others = dict[Var, int](), set[Var]()
    for array, divisor in (use for c in clauses for use in _uses(parameters, c)):
        if divisor is None or found.setdefault(array, divisor) != divisor:
            others.add(array)
    return {array: divisor for array, divisor in found.items() if array not in others}


def _uses(parameters: Mapping[str, Sequence[Var]], clause: Clause) -> Iterator[tuple[Var, int | None]]:
    """How arrays are used: at remainders by a divisor, or in another way."""
    yield from _within(clause.constraint, None)
    if clause.head is not None:
        for own, term in zip(parameters[clause.head.predicate], clause.head.arguments, strict=True):
            yield from _within(term, own)


def _within(term: Term, own: Var | None) -> Iterator[tuple[Var, int | None]]:
    """The uses in a term. An array may be handed on as itself, `own`, with or without something stored."""
    match term:
        case Var() if isinstance(term.sort, ArraySort):
            if term is not own:
                yield term, None
        case Select(array, index) | Store(array, index, _):
            root = root_of(array)
            divisor = index.divisor if isinstance(index, Mod) else None
            if isinstance(term, Store) and root is not own:
                divisor = None
            if root is not None:
                yield root, divisor
            yield from (use for part in children(term) for use in _within(part, root))
        case Same(Var() as array, ConstantArray(_, value)) | Same(ConstantArray(_, value), Var() as array):
            yield from _within(value, None)
        case _:
            yield from (use for part in children(term) for use in _within(part, None))


def root_of(array: Term) -> Var | None:
    """The array that something was stored in, if it has a name."""
    while isinstance(array, Store):
        array = array.array
    return array if isinstance(array, Var) else None


def unrolled(clauses: Sequence[Clause], found: Mapping[Var, int]) -> tuple[Clause, ...]:
    """The clauses with counters in place of their remainders where rings are reached."""

    def at_counters(term: Term) -> Term:
        match term:
            case Select(array, Mod(counter, _)) if root_of(array) in found:
                return build.select(at_counters(array), at_counters(counter))
            case Store(array, Mod(counter, _), value) if root_of(array) in found:
                return build.store(at_counters(array), at_counters(counter), at_counters(value))
        return rebuild(term, at_counters) if children(term) else term

    def changed(atom: Atom) -> Atom:
        return Atom(atom.predicate, tuple(map(at_counters, atom.arguments)))

    return tuple(
        Clause(tuple(map(changed, c.body)), at_counters(c.constraint), None if c.head is None else changed(c.head))
        for c in clauses
    )
