"""Bounds of integer terms from the declared ranges of variables: enough to see that most steps cannot go wrong."""

from __future__ import annotations

from collections.abc import Mapping

from sa.terms import build
from sa.terms.bounds import interval_of
from sa.terms.interval import Interval
from sa.terms.term import Term, Var


def interval(term: Term, ranges: Mapping[Var, Interval]) -> Interval:
    """An interval that holds the value of an integer term in every state, and next state, within the ranges."""
    here = ((v, build.variable(v.name, v.sort) if v.primes else v) for v in term.free)
    return interval_of(term, {v: ranges[known] for v, known in here if known in ranges})


def outside(term: Term, low: int, high: int, ranges: Mapping[Var, Interval]) -> Term:
    """The condition under which the value is not within `low..high`; sides that the ranges exclude are left out."""
    bottom, top = interval(term, ranges)
    below = build.FALSE if bottom is not None and low <= bottom else build.lt(term, build.integer(low))
    above = build.FALSE if top is not None and top <= high else build.lt(build.integer(high), term)
    return build.lor(below, above)
