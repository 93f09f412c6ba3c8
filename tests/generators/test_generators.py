"""The generators give what the differential tests count on: variety, verdicts of both kinds, repetition."""

from __future__ import annotations

from collections import Counter
from functools import cache

from sa.base.source import Source
from sa.language.elaborate import elaborate
from sa.language.parser import parse
from tests.generators.automata import Sample, random_goal
from tests.generators.programs import random_program
from tests.oracle.game import Ending, decided_at_start


@cache
def samples() -> list[Sample]:
    """The goals, made where they are looked at: whoever collects tests needs none."""
    return [random_goal(seed) for seed in range(400)]


FEATURES = {
    "abstract choices",
    "abstract silent cycle",
    "bool or enum",
    "choose init",
    "closed",
    "concrete choices",
    "cubes",
    "different environments",
    "env by location",
    "inequality",
    "invariants",
    "kappa without iota",
    "local iota",
    "locals on both sides",
    "non-transitive environment",
    "open",
    "params",
    "silent cycle",
    "strong kappa",
    "values",
    "weak iota",
    "weak kappa",
    "while",
}


def test_the_same_seed_gives_the_same_goal_and_the_same_program() -> None:
    assert random_goal(7) == samples()[7]
    assert random_program(7, 2) == random_program(7, 2)


def test_a_third_of_the_goals_hold_a_third_do_not_and_less_than_half_are_decided_at_the_start() -> None:
    simulated = sum(s.decision.simulated for s in samples())
    assert 0.3 * len(samples()) < simulated < 0.7 * len(samples())
    assert sum(decided_at_start(s.decision) for s in samples()) < 0.45 * len(samples())


def test_every_feature_occurs_and_in_each_both_verdicts() -> None:
    found = Counter(tag for s in samples() for tag in s.tags)
    assert set(found) == FEATURES
    assert min(found.values()) >= 5
    verdicts = {(tag, s.decision.simulated) for s in samples() for tag in s.tags}
    assert verdicts == {(tag, verdict) for tag in FEATURES for verdict in (True, False)}
    assert {s.decision.ending for s in samples()} == set(Ending)


def test_random_programs_have_no_errors_and_all_kinds_of_statements() -> None:
    texts = [random_program(seed, 1 + seed % 2) for seed in range(60)]
    for text in texts:
        elaborate(parse(Source("p.sa", text)), {})
    words = ("atomic", "await", "choose", "while (", "break", "continue", "return", "havoc", "assume", "assert")
    more = ("cas(", "fetch_add(", "lock(", "unlock(", "local t", "if (*)", "else if", "@tell(", "L1:", "next(", "big(")
    assert [w for w in (*words, *more) if not any(w in text for text in texts)] == []
