"""Whether states and steps of a play exist, by evaluation alone (THEORY section 1). All functions raise Unevaluable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sa.automata.automaton import Edge, Variable
from sa.automata.trace import Configuration, Move
from sa.checker.side import Side
from sa.terms.build import constant
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import Value, is_value, number
from sa.terms.substitute import primed
from sa.terms.term import Term, Var, sort_of

#: What is seen of a step: the action, the sorts and the values it shows; None for a silent step.
Action = tuple[str, tuple[str, ...], tuple[Value, ...]] | None


def state_fault(s: Side, there: Configuration) -> str | None:
    """Why this is no state: a value for each variable, within its range, and `Inv` of the location."""
    if there.location not in s.locations:
        return f"the location {there.location} does not exist"
    if set(there.values) != {v.var for v in s.automaton.variables}:
        return "a state must give a value to each variable and to nothing else"
    for variable in s.automaton.variables:
        if not is_inside(variable, there.values[variable.var]):
            return f"the value of {variable.var.name} is outside of its range"
    if not holds(s.locations[there.location].inv, there.values):
        return f"the invariant of {there.location} is false"
    return None


def is_inside(variable: Variable, value: Value) -> bool:
    """Whether a variable or a choice may have this value."""
    if not is_value(value, variable.var.sort):
        return False
    low, high = variable.low, variable.high
    return (low is None or low <= number(value)) and (high is None or number(value) <= high)


def initial_fault(s: Side, there: Configuration) -> str | None:
    """Why this is no initial state."""
    fault = state_fault(s, there)
    if fault is None and (there.location != s.automaton.initial or not holds(s.automaton.init, there.values)):
        return "it is not initial"
    return fault


def step_fault(s: Side, here: Configuration, move: Move) -> str | None:
    """Why this component step is not possible from a state that is one."""
    edge = move.edge
    if not any(edge == e for _, e in s.outgoing[here.location]):
        return f"no such edge leaves {here.location}"
    if set(move.choices) != {c.var for c in edge.choices}:
        return "a step must give a value to each choice and to nothing else"
    if not all(is_inside(c, move.choices[c.var]) for c in edge.choices):
        return "a choice is outside of its range"
    scope = {**here.values, **move.choices}
    if not holds(edge.guard, scope):
        return "the guard is false"
    if move.after.location != edge.target or updated(edge, here.values, move.choices) != dict(move.after.values):
        return "the step leads elsewhere"
    return state_fault(s, move.after)


def updated(edge: Edge, values: Mapping[Var, Value], choices: Mapping[Var, Value]) -> dict[Var, Value]:
    """The values after an edge."""
    scope = {**values, **choices}
    return {**values, **{v: evaluate(t, scope) for v, t in edge.updates}}


def shown(edge: Edge, values: Mapping[Var, Value], choices: Mapping[Var, Value]) -> Action:
    """What is seen of an edge."""
    if edge.label is None:
        return None
    scope = {**values, **choices}
    sorts = tuple(sort_of(t).name for t in edge.label.values)
    return edge.label.action, sorts, tuple(evaluate(t, scope) for t in edge.label.values)


def environment_fault(s: Side, here: Configuration, after: Configuration) -> str | None:
    """Why this environment step is not possible from a state that is one."""
    fault = state_fault(s, after)
    if fault is not None:
        return fault
    if after.location != here.location or any(after.values[v] != here.values[v] for v in (*s.params, *s.locals)):
        return "an environment step may change globals only"
    env = s.locations[here.location].env
    nexts: dict[Var, Value] = {primed(v): after.values[v] for v in s.globals}
    if env is None or not holds(env, {**here.values, **nexts}):
        return f"the environment at {here.location} does not allow it"
    return None


def same(one: Configuration, other: Configuration) -> bool:
    """Whether two configurations are the same state."""
    return one.location == other.location and dict(one.values) == dict(other.values)


def constants(values: Mapping[Var, Value], variables: Sequence[Var] | None = None) -> dict[Var, Term]:
    """The values as a substitution, of all or of some variables."""
    return {v: constant(values[v], v.sort) for v in (values if variables is None else variables)}
