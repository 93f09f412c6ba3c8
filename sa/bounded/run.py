"""What a model of a circuit says of the program: the steps of a run, with the values that they need."""

from __future__ import annotations

from collections.abc import Mapping

from sa.automata.automaton import Variable
from sa.automata.ranges import values_of
from sa.bounded.rounds import Dangerous, Fired, Rounds
from sa.certificates.run import Ending, Run
from sa.explicit.system import Act
from sa.explicit.whole import Arc, run_of
from sa.smt.circuit import Model, Signal
from sa.smt.words import Bit
from sa.terms.sort import Value, default_value
from sa.terms.term import Var

#: How many questions in vain there are about making a run shorter, and what the solver may spend on each.
IN_VAIN, QUICK = 4, 50_000

Script = list[tuple[Arc, tuple[Value, ...]]]


def run_in(rounds: Rounds, model: Model, ending: Dangerous | None) -> Run:
    """The run, up to a bad step or to a state in which a claim is false. Raises NotAValue and Unevaluable."""
    s = rounds.system
    start = {v.var: model.value(rounds.first[v.var]) for v in s.variables.values()}
    script = [step for fired in _taken(rounds, model) for step in _steps(fired, model)]
    if ending is None:
        return run_of(s.threads, start, script, Ending.VIOLATED)
    act = ending.danger.act
    names = {c.var: c.var for c in act.choices}
    script.append((act.arc, _picked(act, names, ending.choices, model)))
    return run_of(s.threads, start, script, Ending.FAILED)


def shorter(rounds: Rounds, goal: Bit, model: Model) -> Model:
    """A model of the goal with fewer turns and steps, as far as a few quick questions tell. Raises LimitReached."""
    c = rounds.circuit
    kept = list[Bit]()
    turns = [[f.bit for f in turns[thread]] for turns in rounds.turns for thread in rounds.order]
    single = [[bit] for turn in turns for bit in turn]
    in_vain = 0
    for bits in (*reversed(turns), *reversed(single)):
        if in_vain >= IN_VAIN or not any(model.bit(bit) for bit in bits):
            continue
        idle = c.no(c.some(bits))
        found = c.check(goal, *kept, idle, rlimit=QUICK)
        if isinstance(found, Model):
            kept.append(idle)
            model, in_vain = found, 0
        else:
            in_vain += 1
    return model


def _taken(rounds: Rounds, model: Model) -> list[Fired]:
    turns = (turns[thread] for turns in rounds.turns for thread in rounds.order)
    return [fired for turn in turns for fired in turn if model.bit(fired.bit)]


def _steps(fired: Fired, model: Model) -> Script:
    return [(act.arc, _picked(act, names, fired.choices, model)) for act, names in fired.hop.acts]


def _picked(act: Act, names: Mapping[Var, Var], values: Mapping[Var, Signal], model: Model) -> tuple[Value, ...]:
    """The values of all choices of a step: those that do not matter are any."""
    return tuple(model.value(values[names[c.var]]) if c.var in names else _any(c) for c in act.arc.choices)


def _any(choice: Variable) -> Value:
    every = values_of(choice)
    if every is not None:
        return every[0]
    if choice.low is not None:
        return choice.low
    return default_value(choice.var.sort) if choice.high is None else min(choice.high, 0)
