"""Runs of a closed program that end in a violation: a failing step, or a state where a claim is false.

First the concrete states breadth first with few values, then formulas for longer and longer runs. Both have
budgets that no clock decides. That no run is found says nothing; a run that is found is checked by `checker.run`.
"""

from __future__ import annotations

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.base.budget import Report, unheard
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad, Run
from sa.explicit.evidence import run_into
from sa.explicit.instantiate import FEW
from sa.explicit.search import Effort as States
from sa.explicit.search import search
from sa.explicit.system import system
from sa.explicit.transition_system import can_be_bad, whole
from sa.invariants.bounded_model_checking import unroll


class Effort(Struct, frozen=True):
    """How hard to look: states looked at, length of the runs that the solver looks for, its resources for each.

    Zero states, or a negative length, leaves that strategy out.
    """

    states: int = 600_000
    depth: int = 24
    rlimit: int = 5_000_000


def find_run(
    threads: tuple[Automaton, ...], bad: Bad, bounds: Limits, effort: Effort | None = None, report: Report = unheard
) -> Run | None:
    """A run of the threads by themselves that ends in a violation, if one is found.

    Declared environments play no part. Axioms would be of no use: what depends on functions without a body
    cannot be evaluated, and is no run. Raises LimitReached, and SolverDisagrees on an internal error.
    """
    spend(bounds, 200)
    effort = effort or Effort()
    w = whole(threads, bad)
    if not can_be_bad(w, bad):
        return None
    if effort.states > 0:
        found = search(
            system(threads, (bad,)), States(effort.states, FEW, reduced=False, inexact=effort.states), bounds, report
        )
        run = run_into(found, 0) if found.bad else None
        if run is not None or (found.complete and not found.bad):
            return run
    return unroll(w, bad, effort.depth, effort.rlimit, bounds, report) if effort.depth >= 0 else None
