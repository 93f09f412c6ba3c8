"""What paired random runs suggest is related besides ι.

Formulas over the globals of both sides that hold in all states seen are conjoined with ι (THEORY section 7): who
refines with them refines without them. Plays on small values show which of them say too much, and these are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sa.automata.automaton import Kind, Origin, variables_of
from sa.automata.program import Formula
from sa.base.budget import Budget
from sa.certificates.goal import Goal, iota_of
from sa.certificates.interpreted import plain_play
from sa.refinement.coupling import leaves
from sa.refinement.paired_runs import paired_states
from sa.refinement.sampled import formulas_of
from sa.terms import build
from sa.terms.evaluate import State, Unevaluable, holds
from sa.terms.term import Term
from sa.values.search import suspected, terms_of
from sa.values.search_bounds import Sought

#: Plays against what is suggested; steps in which one is looked for, and values for choices without a range.
PLAYS, STEPS, VALUES = 16, 10_000, 4


def with_formulas(goal: Goal, formulas: Sequence[Term]) -> Goal:
    """The goal that relates more."""
    return replace(goal, iota=(*goal.iota, *(Formula(t, Origin(None)) for t in formulas)))


def suggested(goal: Goal, budget: Budget) -> tuple[Term, ...]:
    """Formulas over the globals of both sides that hold in paired runs, and that no quick play refutes.

    None where ι itself is refuted. Raises LimitReached.
    """
    variables, rows = paired_states(goal, budget)
    mine = len(variables_of(goal.concrete, Kind.GLOBAL))
    told = set(build.conjuncts(iota_of(goal)))
    said = tuple(f for f in formulas_of(variables, mine, rows, tuple(terms_of(goal))) if f not in told)
    for _ in range(PLAYS):
        if not said:
            return ()
        sought = Sought(STEPS, pool=VALUES, plays=True)
        play = suspected(with_formulas(goal, said), budget.bounds, sought)
        if play is None:
            return said
        always = iota_of(goal)
        ends = [{**leaf.concrete.values, **leaf.abstract.values} for leaf in leaves(plain_play(play))]
        broken = [{f for f in said if not _true(f, state)} for state in ends if _true(always, state)]
        least = min((b for b in broken if b), key=len, default=None)
        if least is None:
            return ()
        said = tuple(f for f in said if f not in least)
    return ()


def _true(formula: Term, state: State) -> bool:
    try:
        return holds(formula, state)
    except Unevaluable:
        return True
