"""Runs into what is bad for tests that need one: the first of a search through states."""

from __future__ import annotations

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.bounded.bounded_model_checking import find_run
from sa.certificates.run import Bad, Run


def run_into(threads: tuple[Automaton, ...], bad: Bad) -> Run | None:
    """A shortest run among many states with few values."""
    return find_run(threads, bad, Budget(Limits()), unheard, 600_000, None)
