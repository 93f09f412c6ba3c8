"""What whoever asks questions needs of a solver, whichever it is."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from sa.base.limits import Limits
from sa.smt.session import Answer
from sa.terms.term import Term


class Solver(Protocol):
    """A solver under limits. Its "no" is all that is believed of it."""

    bounds: Limits

    def assuming(self, formulas: Iterable[Term]) -> AbstractContextManager[None]:
        """Ask the questions inside under these hypotheses."""

    def check(self, formulas: Iterable[Term]) -> Answer:
        """Whether the formulas are satisfiable together. Raises LimitReached."""
