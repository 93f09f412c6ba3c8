"""What generation (Algorithm 1) needs from an abstract domain over named variables.

A value stands for a set of states. Boxes (`boxes`) and single boxes (`intervals`) are domains; others can stand in.
A variable that a domain does not know is one of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from sa.domains.thresholds import Thresholds
from sa.terms.interval import Interval
from sa.terms.sort import Value
from sa.terms.term import Term, Var

V = TypeVar("V")


class Domain(Protocol[V]):
    """Abstract values of type V. They are compared with `==`: equal values are equal sets."""

    def made(self) -> int:
        """How many parts of values have been computed and kept: a measure of the work, which may be less later."""

    def bottom(self) -> V:
        """No state."""

    def top(self) -> V:
        """Every state."""

    def of_formula(self, formula: Term) -> V:
        """A superset of the states that satisfy the formula."""

    def is_bottom(self, value: V) -> bool:
        """Whether there is no state."""

    def leq(self, first: V, second: V) -> bool:
        """Whether every state of the first is one of the second."""

    def join(self, first: V, second: V) -> V:
        """The smallest value with the states of both."""

    def meet(self, first: V, second: V) -> V:
        """The largest value within both."""

    def widen(self, old: V, new: V, thresholds: Thresholds, count: int) -> V:
        """An upper bound of both. `count` is how often this was done at this place: chains by ascending count end."""

    def narrow(self, old: V, new: V, count: int) -> V:
        """A value between the meet of both and `old`; from some count on `old` itself."""

    def assign(self, value: V, updates: Mapping[Var, Term]) -> V:
        """A superset of the states after the simultaneous updates. Not monotone in general."""

    def guard(self, value: V, formula: Term) -> V:
        """A value between the states that satisfy the formula and `value` itself."""

    def forget(self, value: V, variables: Iterable[Var]) -> V:
        """The states that differ from some in the value at most in these variables."""

    def factors(self, value: V) -> Sequence[tuple[frozenset[Var], V]]:
        """Values about different variables whose meet this one is; none of the value of every state."""

    def rename(self, value: V, names: Mapping[Var, Var]) -> V:
        """The states with the values of variables moved to others; `names` permutes variables of equal sorts."""

    def hull(self, value: V) -> Mapping[Var, Interval] | None:
        """The smallest box around the value, all variables in it; None if there is no state."""

    def contains(self, value: V, state: Mapping[Var, Value]) -> bool:
        """Whether a state, which gives all variables of the domain, is in the value."""

    def to_formula(self, value: V) -> Term:
        """A formula that exactly the states of the value satisfy."""
