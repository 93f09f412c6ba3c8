"""An array in a conjunction of literals replaced by those of its elements that the literals read (Ackermann's way).

Which indices are equal is decided as a state has it, so what comes out is about the arrays around that state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct, field

from sa.terms import build
from sa.terms.evaluate import State, evaluate
from sa.terms.sort import INT, ArrayValue, Plain, without_elements
from sa.terms.substitute import rebuild
from sa.terms.term import Select, Term, Var, array_sort_of, sort_of


class _Reads(Struct):
    """The elements read so far, by the value of the index: a term for the index and a variable for the element."""

    array: Var
    state: State
    elements: dict[Plain, tuple[Term, Var]] = field(default_factory=dict)
    same: dict[Term, None] = field(default_factory=dict)


def elements(literals: Sequence[Term], array: Var, state: State) -> tuple[list[Term], State, bool] | None:
    """Literals over elements in place of the array, the elements' values in the state, and whether nothing is lost.

    The literals hold in the state, and imply, for some values of the elements, those given for some array. None where
    the array occurs otherwise than to be read.
    """
    reads = _Reads(array, state)
    found = [_read(literal, reads) for literal in literals]
    if any(array in t.free for t in found):
        return None
    apart = list(_apart(reads))
    whole = state[array]
    assert isinstance(whole, ArrayValue)
    values = {var: whole[at] for at, (_, var) in reads.elements.items()}
    return [*found, *reads.same, *apart], values, not reads.same and not apart


def _read(term: Term, reads: _Reads) -> Term:
    if reads.array not in term.free or term is reads.array:
        return term
    if not isinstance(term, Select) or term.array is not reads.array:
        return rebuild(term, lambda t: _read(t, reads))
    index = _read(term.index, reads)
    at = without_elements(evaluate(term.index, reads.state))
    if at not in reads.elements:
        sort = array_sort_of(reads.array).element
        reads.elements[at] = index, build.variable(f"~{reads.array.key}~{len(reads.elements)}", sort)
    known, element = reads.elements[at]
    if known is not index:
        reads.same[build.eq(index, known)] = None
    return element


def _apart(reads: _Reads) -> Iterator[Term]:
    """That indices with different values differ, in the order of the state."""
    ordered = [(at, reads.elements[at][0]) for at in sorted(reads.elements)]
    for (_, one), (at, other) in pairwise(ordered):
        sort = sort_of(other)
        different = build.lt(one, other) if sort == INT else build.eq(other, build.constant(at, sort))
        if different is not build.TRUE:
            yield different
    if ordered and sort_of(ordered[0][1]) != INT and len(ordered) > 1:
        at, index = ordered[0]
        yield from build.conjuncts(build.eq(index, build.constant(at, sort_of(index))))
