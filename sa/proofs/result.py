"""What became of a script: a tree of steps, each with its side conditions, every leaf settled or not."""

from __future__ import annotations

from dataclasses import dataclass

from sa.automata.proof import Script, Step
from sa.base.verdict import Unknown, Verdict
from sa.refinement.outcome import Result


@dataclass(frozen=True, slots=True)
class Leaf:
    """A side condition: where it is asked, what became of it, and why it failed or was not settled.

    `count` is how many of the same name are told together; they all hold.
    """

    name: str
    where: str
    verdict: Verdict
    why: str
    seconds: float
    count: int = 1


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step's answer. PROVED needs every leaf, every result and every cited step to be proved.

    `rule` is the one that was applied, in words; `results` are goals that were decided directly.
    """

    step: Step
    verdict: Verdict
    rule: str
    leaves: tuple[Leaf, ...]
    results: tuple[Result, ...]
    unknown: Unknown | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Proof:
    """The answers to all steps, in order, and the worst of them."""

    script: Script
    steps: tuple[StepResult, ...]
    verdict: Verdict
    seconds: float
