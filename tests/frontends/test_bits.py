"""Operations on bits as terms: what they make of numbers is what they make of their bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest

from sa.automata.automaton import Edge, Origin
from sa.frontends.flow.bits import bitwise
from sa.frontends.flow.graph import Range, Register
from sa.frontends.flow.wraps import without_wraps
from sa.terms import build
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import INT
from sa.terms.term import Ite, Term, Var, subterms

TAG, INDEX = build.variable("tag", INT), build.variable("index", INT)


def _shifted(tag: Term) -> Term:
    """`tag << 4` of eight bits, where the tag may have been counted beyond its four."""
    return build.mod(build.scale(16, tag), 256)


def registers(tag: int, index: int) -> dict[Var, Register]:
    """The parts with their greatest values."""
    return {v: Register(v, Range(0, most), Origin(None)) for v, most in ((TAG, tag), (INDEX, index))}


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


def power(of: Term, bits: int, beyond: int = 0) -> Term:
    """`1 << of`, as cases of constants."""
    cases: Term = build.integer(beyond)
    for amount in range(bits):
        cases = build.ite(build.eq(of, build.integer(amount)), build.integer(1 << amount), cases)
    return cases


def mixed(maker: random.Random, depth: int) -> tuple[Term, Callable[[int, int], int]]:
    """A word of six bits made of two others, and what it is of their values."""
    if not depth:
        value = maker.randrange(64)
        choices: list[tuple[Term, Callable[[int, int], int]]] = [
            (TAG, lambda tag, index: tag),
            (build.integer(value), lambda tag, index: value),
            (power(INDEX, 6), lambda tag, index: 1 << index),
            (build.sub(build.integer(63), power(INDEX, 6)), lambda tag, index: 63 & ~(1 << index)),
        ]
        return maker.choice(choices)
    op = maker.choice("&|^")
    (one, first), (two, second) = mixed(maker, depth - 1), mixed(maker, depth - 1)
    made = bitwise(op, one, two, (6, False), registers(63, 5))
    if maker.randrange(3) == 0:
        return build.sub(
            build.integer(63), made
        ), lambda tag, index: 63 - joined(op, first(tag, index), second(tag, index))
    return made, lambda tag, index: joined(op, first(tag, index), second(tag, index))


def joined(op: str, one: int, two: int) -> int:
    return {"|": one | two, "^": one ^ two, "&": one & two}[op]


def test_words_that_are_put_together_bit_by_bit_are_these_words_also_by_their_digits_over_40_random_ones() -> None:
    decided = 0
    for seed in range(40):
        maker = random.Random(seed)
        term, wanted = mixed(maker, 2)
        edge = Edge(
            "a", "b", None, build.eq(term, build.integer(maker.randrange(64))), ((TAG, term),), (), Origin(None)
        )
        made = without_wraps(edge, {TAG: Range(0, 63), INDEX: Range(0, 5)}, ())
        decided += made != edge
        after = dict(made.updates).get(TAG, TAG)
        for tag, index in product(range(64), range(6)):
            at = {TAG: tag, INDEX: index}
            assert evaluate(term, at) == wanted(tag, index), (seed, at)
            assert holds(edge.guard, at) == holds(made.guard, at), (seed, at)
            if holds(edge.guard, at):
                assert evaluate(after, at) == wanted(tag, index), (seed, at)
    assert decided >= 20


def test_a_bit_that_was_just_set_is_known_to_be_set() -> None:
    """`(word | 1 << i) & ~(1 << i)` asks for each bit only whether it was set before."""
    bit = power(INDEX, 4)
    known = registers(15, 3)
    there = bitwise("|", TAG, bit, (4, False), known)
    again = bitwise("&", there, build.sub(build.integer(15), bit), (4, False), known)
    edge = Edge("a", "b", None, build.TRUE, ((TAG, again),), (), Origin(None))
    made = dict(without_wraps(edge, {TAG: Range(0, 15), INDEX: Range(0, 3)}, ()).updates)[TAG]
    assert sum(isinstance(t, Ite) for t in subterms((made,))) == 4
