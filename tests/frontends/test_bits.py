"""Operations on bits as terms: what they make of numbers is what they make of their bits."""

from __future__ import annotations

from itertools import product

import pytest

from sa.automata.automaton import Origin
from sa.frontends.flow.bits import bitwise
from sa.frontends.flow.graph import Register
from sa.terms import build
from sa.terms.evaluate import evaluate
from sa.terms.sort import INT
from sa.terms.term import Ite, Term, Var, subterms

TAG, INDEX = build.variable("tag", INT), build.variable("index", INT)


def _shifted(tag: Term) -> Term:
    """`tag << 4` of eight bits, where the tag may have been counted beyond its four."""
    return build.mod(build.scale(16, tag), 256)


def registers(tag: int, index: int) -> dict[Var, Register]:
    """The parts with their greatest values."""
    return {v: Register(v, (0, most), Origin(None)) for v, most in ((TAG, tag), (INDEX, index))}


@pytest.mark.parametrize("op", ["|", "^", "&"])
def test_a_word_of_two_parts_is_their_sum_although_the_shift_wraps_around(op: str) -> None:
    made = bitwise(op, _shifted(TAG), INDEX, (8, False), registers(16, 15))
    assert not any(isinstance(t, Ite) for t in subterms((made,)))
    for tag, index in product(range(17), range(16)):
        high = tag * 16 % 256
        wanted = {"|": high | index, "^": high ^ index, "&": high & index}[op]
        assert evaluate(made, {TAG: tag, INDEX: index}) == wanted


def test_parts_that_may_have_a_bit_in_common_are_no_sum() -> None:
    made = bitwise("|", _shifted(TAG), INDEX, (8, False), registers(15, 16))
    assert all(evaluate(made, {TAG: t, INDEX: i}) == t * 16 | i for t, i in product(range(16), range(17)))


def test_a_word_whose_low_bits_are_taken_away_has_no_bit_in_common_with_these() -> None:
    word = build.sub(TAG, build.mod(TAG, 16))
    made = bitwise("|", word, INDEX, (8, False), registers(255, 15))
    assert not any(isinstance(t, Ite) for t in subterms((made,)))
    assert all(evaluate(made, {TAG: t, INDEX: i}) == t & ~15 | i for t, i in product(range(256), range(16)))
    more = bitwise("|", build.add(word, build.mod(TAG, 4)), INDEX, (8, False), registers(255, 15))
    assert all(evaluate(more, {TAG: t, INDEX: i}) == (t & ~15) + t % 4 | i for t, i in product(range(256), range(16)))
