"""What a model of a circuit says of the program: the steps of a run, with the values that they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sa.bounded.dag import some_value
from sa.bounded.rounds import Dangerous, Fired, Rounds
from sa.bounded.shorter_runs import Script, Step
from sa.certificates.run import Ending, Run
from sa.explicit.system import Act, System
from sa.explicit.transition_system import Arc, run_of
from sa.smt.bitblast import Model, Signal
from sa.terms.sort import Value
from sa.terms.term import Var


def script_in(rounds: Rounds, model: Model, ending: Dangerous | None) -> Script:
    """What happens, up to a bad step or to a state in which a claim is false. Raises NotAValue."""
    s = rounds.system
    start = {v.var: model.value(rounds.first[v.var]) for v in s.variables.values()}
    steps = tuple(
        step for turns in rounds.turns for fired in _fired(rounds, turns, model) for step in _steps(fired, model)
    )
    if ending is None:
        return Script(start, steps, None)
    act = ending.danger.act
    return Script(start, steps, Step(act, _chosen(act, {c.var: c.var for c in act.choices}, ending.choices, model)))


def run_along(s: System, script: Script) -> Run:
    """The run with the values of all variables. Raises Unevaluable."""
    steps = list(map(_picked, script.steps))
    if script.ending is None:
        return run_of(s.threads, script.start, steps, Ending.VIOLATED)
    return run_of(s.threads, script.start, [*steps, _picked(script.ending)], Ending.FAILED)


def round_of_last(rounds: Rounds, model: Model, steps: int) -> int:
    """The round in which the last one of so many first steps is taken; 1 where there are none."""
    taken = ((number, fired) for number, turns in enumerate(rounds.turns, 1) for fired in _fired(rounds, turns, model))
    numbers = [number for number, fired in taken for _ in fired.hop.acts]
    return numbers[steps - 1] if steps else 1


def _fired(rounds: Rounds, turns: Sequence[Sequence[Fired]], model: Model) -> list[Fired]:
    return [fired for thread in rounds.order for fired in turns[thread] if model.bit(fired.bit)]


def _steps(fired: Fired, model: Model) -> list[Step]:
    return [Step(act, _chosen(act, names, fired.choices, model)) for act, names in fired.hop.acts]


def _chosen(act: Act, names: Mapping[Var, Var], values: Mapping[Var, Signal], model: Model) -> dict[Var, Value]:
    return {c.var: model.value(values[names[c.var]]) for c in act.choices}


def _picked(step: Step) -> tuple[Arc, tuple[Value, ...]]:
    """The step with the values of all its choices: those that do not matter are any."""
    arc = step.act.arc
    return arc, tuple(step.chosen.get(c.var, some_value(c)) for c in arc.choices)
