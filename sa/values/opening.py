"""What holds of both sides at the start, and real initial states for what is known of them."""

from __future__ import annotations

from itertools import islice

from msgspec import Struct

from sa.automata.automaton import Automaton, Variable, location_of
from sa.automata.ranges import within
from sa.certificates.goal import Goal, kappa_of
from sa.explicit.instantiate import Row, by_cost, picks
from sa.explicit.machine import Machine
from sa.terms.build import land
from sa.terms.compile import predicate
from sa.terms.sort import Value
from sa.terms.term import Term, Var

#: How many values are looked at for initial states that look like known ones.
_LOOKS = 50_000


class Opening(Struct, frozen=True):
    """The variables of both sides, and what κ, initial conditions, invariants and ranges say of them at the start."""

    variables: tuple[Variable, ...]
    formula: Term


def opening(goal: Goal) -> Opening:
    """The start of a goal."""
    first, second = goal.concrete, goal.abstract
    variables = tuple({v.var: v for v in (*first.variables, *second.variables)}.values())
    ranges = (within(v) for v in variables)
    return Opening(variables, land(*_initially(first), *_initially(second), kappa_of(goal), *ranges))


def _initially(automaton: Automaton) -> tuple[Term, Term]:
    return automaton.init, location_of(automaton, automaton.initial).inv


def real_start(goal: Goal, machines: tuple[Machine, Machine], states: tuple[int, int]) -> tuple[Row, Row] | None:
    """Values of all variables that a pair of initial states stands for; None if none were found. Raises Unevaluable."""
    wanted, given = opening(goal), dict[Var, Value]()
    for m, state in zip(machines, states, strict=True):
        given.update((v, x) for v, x in zip(m.order, m.rows[state], strict=True) if v in m.kept[m.places[state]])
    unknown = tuple(v for v in wanted.variables if v.var not in given)
    row = tuple(given.values())
    if not unknown:
        found: Row | None = () if predicate(wanted.formula, tuple(given))(row) else None
    else:
        how = picks(wanted.formula, tuple(given), unknown, machines[0].pool, machines[0].few)
        found = next((r for _, r in islice(by_cost(how, row, []), _LOOKS) if r is not None), None)
    if found is None:
        return None
    values = {**given, **dict(zip((v.var for v in unknown), found, strict=True))}
    first, second = (tuple(values[v] for v in m.order) for m in machines)
    return first, second
