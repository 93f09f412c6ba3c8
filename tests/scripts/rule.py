"""A proof rule as data: random instances, side conditions, conclusion; and the search for a counterexample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

Instance = TypeVar("Instance")


class Rule(Struct, Generic[Instance], frozen=True):
    """If all `conditions` hold then so does `conclusion`; `alive` says whether an instance says anything."""

    name: str
    sample: Callable[[Random], Instance]
    conditions: Mapping[str, Callable[[Instance], bool]]
    conclusion: Callable[[Instance], bool]
    alive: Callable[[Instance], bool]

    def holds_for(self, instance: Instance) -> bool:
        """Whether the side conditions hold, and not trivially."""
        return all(check(instance) for check in self.conditions.values()) and self.alive(instance)

    def refuted_by(self, instance: Instance) -> bool:
        """Whether the instance satisfies the conditions and not the conclusion."""
        return self.holds_for(instance) and not self.conclusion(instance)


class Variant(Struct, Generic[Instance], frozen=True):
    """A rule with one condition dropped or exchanged; `redundant` says why it is sound all the same."""

    rule: Rule[Instance]
    name: str
    redundant: str = ""


def without(rule: Rule[Instance], condition: str, redundant: str = "") -> Variant[Instance]:
    """The rule without one of its conditions."""
    assert condition in rule.conditions
    rest = {name: check for name, check in rule.conditions.items() if name != condition}
    return Variant(replace(rule, conditions=rest), f"without {condition}", redundant)


def instead(
    rule: Rule[Instance], condition: str, name: str, check: Callable[[Instance], bool], redundant: str = ""
) -> Variant[Instance]:
    """The rule with another condition in the place of one of its own."""
    assert condition in rule.conditions
    conditions = {**rule.conditions, condition: check}
    return Variant(replace(rule, conditions=conditions), name, redundant)


def concluding(
    rule: Rule[Instance], name: str, conclusion: Callable[[Instance], bool], redundant: str = ""
) -> Variant[Instance]:
    """The rule with another conclusion."""
    return Variant(replace(rule, conclusion=conclusion), name, redundant)


class Tally(Struct, Generic[Instance]):
    """What came out: samples drawn, instances among them that the conditions held for, counterexamples."""

    samples: int = 0
    instances: int = 0
    counterexamples: list[Instance] = field(default_factory=list)


def fuzz(rule: Rule[Instance], instances: int, samples: int, seed: int = 0, enough: int = 0) -> Tally[Instance]:
    """Draws until there are so many instances, samples or (where `enough` is not 0) counterexamples."""
    tally = Tally[Instance]()
    for instance in drawn(rule, samples, seed):
        tally.samples += 1
        if rule.holds_for(instance):
            tally.instances += 1
            if not rule.conclusion(instance):
                tally.counterexamples.append(instance)
        if tally.instances >= instances or (enough and len(tally.counterexamples) >= enough):
            break
    return tally


def drawn(rule: Rule[Instance], samples: int, seed: int) -> Iterator[Instance]:
    """The rule's random instances of a seed: the same for a rule and its variants."""
    rng = Random(f"{rule.name} {seed}")
    return (rule.sample(rng) for _ in range(samples))
