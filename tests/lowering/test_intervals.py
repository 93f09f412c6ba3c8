"""Bounds from declared ranges hold in every state within them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sa.lowering.writes import interval, outside
from sa.terms import build
from sa.terms.evaluate import evaluate, holds
from sa.terms.term import Term

X, Y, Z = (build.variable(n) for n in ("x", "y", "z"))
RANGES = {X: (-3, 4), Y: (0, 2), Z: (None, None)}

terms = st.recursive(
    st.one_of(st.integers(-5, 5).map(build.integer), st.sampled_from([X, Y, Z])),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda t: build.add(*t)),
        st.tuples(st.integers(-3, 3), inner).map(lambda t: build.scale(*t)),
        st.tuples(inner, inner).map(lambda t: build.mul(*t)),
        st.tuples(inner, st.integers(2, 4)).map(lambda t: build.div(*t)),
        st.tuples(inner, st.integers(2, 4)).map(lambda t: build.mod(*t)),
        st.tuples(inner, inner, inner).map(lambda t: build.ite(build.le(t[0], build.ZERO), t[1], t[2])),
    ),
    max_leaves=6,
)
states = st.tuples(st.integers(-3, 4), st.integers(0, 2), st.integers(-9, 9)).map(
    lambda v: dict(zip((X, Y, Z), v, strict=True))
)


@given(terms, states)
def test_the_value_of_a_term_is_within_its_interval(term: Term, state: dict[Term, int]) -> None:
    low, high = interval(term, RANGES)
    value = evaluate(term, state)  # type: ignore[arg-type]
    assert low is None or low <= value
    assert high is None or value <= high


@given(terms, states, st.integers(-4, 0), st.integers(0, 4))
def test_outside_holds_exactly_of_values_out_of_range(term: Term, state: dict[Term, int], low: int, high: int) -> None:
    value = evaluate(term, state)  # type: ignore[arg-type]
    assert holds(outside(term, low, high, RANGES), state) == (not low <= value <= high)  # type: ignore[arg-type]


def test_what_the_ranges_exclude_is_not_asked() -> None:
    assert outside(build.add(X, build.ONE), -2, 5, RANGES) is build.FALSE
    assert outside(build.add(X, build.ONE), -2, 4, RANGES) is build.lt(build.integer(3), X)
