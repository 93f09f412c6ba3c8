"""What became of a script: a tree of steps, each with its side conditions, every leaf settled or not."""

from __future__ import annotations

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.automata.proof import Script, Step
from sa.base.verdict import Unknown, Verdict
from sa.certificates.argument import Argument, Fails
from sa.certificates.run import Run
from sa.engines.outcome import Result
from sa.engines.tried import Tried


class Shown(Struct, frozen=True):
    """A variable of a counterexample as the script names it. `after` is given where a step is asked about."""

    name: str
    before: str
    after: str | None = None


class Counterexample(Struct, frozen=True):
    """Values for which a side condition fails.

    `functions` say what the functions of the axioms are then, in words. `broken` is a formula of the text that is
    false for the values, or after the step that is asked about; `step` is that step in the text of its program.
    `fails` is the same as evidence.
    """

    values: tuple[Shown, ...]
    functions: tuple[str, ...] = ()
    broken: Origin | None = None
    step: Origin | None = None
    fails: Fails | None = None


class Leaf(Struct, frozen=True):
    """A side condition: where it is asked, what became of it, and why it failed or was not settled.

    `count` is how many of the same name are told together: they all hold, or the first is told and `others` says
    where else it fails.
    """

    name: str
    where: str
    verdict: Verdict
    why: str
    seconds: float
    count: int = 1
    example: Counterexample | None = None
    others: tuple[str, ...] = ()


class StepResult(Struct, frozen=True):
    """A step's answer. PROVED needs every leaf, every result and every cited step to be proved.

    `rule` is the one that was applied, in words; `results` are goals that were decided directly; `run` is one that
    ends in a state where a claimed invariant is false. `step` cites what the answer rests on, `argument` is the
    evidence for it. `tried` are the engines that were asked for goals.
    """

    step: Step
    verdict: Verdict
    rule: str
    leaves: tuple[Leaf, ...]
    results: tuple[Result, ...]
    unknown: Unknown | None
    seconds: float
    run: Run | None = None
    argument: Argument | None = None
    tried: tuple[Tried, ...] = ()


class Proof(Struct, frozen=True):
    """The answers to all steps, in order, and the worst of them."""

    script: Script
    steps: tuple[StepResult, ...]
    verdict: Verdict
    seconds: float
