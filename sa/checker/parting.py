"""Checks a concrete run that goes on for ever silently where no abstract run does that shows the same (THEORY 15).

The run is a lasso of the concrete side by itself, with a cycle of silent steps. The abstract runs that follow it are
made here from the goal, and are to end for the reason given.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.program import Ends
from sa.base.limits import Limits
from sa.certificates.ends import Finite, Ranked
from sa.certificates.goal import Goal
from sa.certificates.preservation import Parting
from sa.certificates.run import Turn
from sa.checker.finite import check_finite
from sa.checker.followers import Seen, ends, followers
from sa.checker.lasso import check_lasso
from sa.checker.ranked import check_ranked
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.scope import goal_fault
from sa.checker.solvers import Z3, Solvers
from sa.terms.term import sort_of


def check_parting(goal: Goal, made: Parting, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the run shows that the goal does not preserve termination. Raises LimitReached."""
    fault = goal_fault(goal) if goal.closed else "it is not closed"
    if fault is not None:
        return Rejected("well-formed goal", fault)
    run = made.lasso.run
    if run.cycle is None or any(t.move.edge.label is not None for t in run.turns[run.cycle :]):
        return Rejected("cycle", "it is not one of silent steps")
    goes_on = Ends("terminates", (goal.concrete.name,), goal.concrete.origin)
    ruling = check_lasso((goal.concrete,), goal.axioms, goes_on, made.lasso, bounds, seed, solvers)
    if not isinstance(ruling, Accepted):
        return ruling
    (begun,) = run.start.threads.values()
    threads = followers(goal, begun.values, [s for t in run.turns if (s := seen_of(t)) is not None])
    match made.ended:
        case Ranked():
            asked = replace(made.ended, threads=threads, ends=ends(goal, threads), axioms=goal.axioms)
            return check_ranked(asked, bounds, seed, solvers)
        case Finite():
            return check_finite(replace(made.ended, threads=threads, ends=ends(goal, threads)), bounds, seed)


def seen_of(turn: Turn) -> Seen | None:
    """What is seen of a step."""
    label = turn.move.edge.label
    if label is None:
        return None
    sorts = (sort_of(t).name for t in label.values)
    return Seen(label.action, tuple(zip(turn.shown, sorts, strict=True)))
