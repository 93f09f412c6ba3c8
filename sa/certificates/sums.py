"""Sums over a range of integers as functions: what a loop has added up, said in invariants."""

from __future__ import annotations

from msgspec import Struct

from sa.terms.term import Function, Term, Var


class Summation(Struct, frozen=True):
    """The function that grows by `term` from a value of the first variable to the next: f(k + 1, x) = f(k, x) + term.

    There is one for any values of the other variables, unique but for a constant. `term` is over the variables alone.
    """

    function: Function
    variables: tuple[Var, ...]
    term: Term
