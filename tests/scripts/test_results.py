"""`results.md` is about the rules that there are: each has its row, and so has each of its conditions dropped."""

from __future__ import annotations

from pathlib import Path

from tests.scripts.rules import RULES, VARIANTS

#: What THEORY section 6 asks for.
ENOUGH = 20_000


def rows() -> dict[tuple[str, str], tuple[int, int]]:
    """Instances and counterexamples by rule and by what it lacks."""
    lines = (Path(__file__).parent / "results.md").read_text().splitlines()
    cells = [[c.strip() for c in line.split("|")[1:-1]] for line in lines if line.startswith("| ")]
    return {(c[0], c[1].removesuffix(" (redundant)")): (int(c[2]), int(c[3])) for c in cells[1:]}


def test_every_rule_has_held_in_enough_instances() -> None:
    figures = rows()
    assert all(figures[rule.name, ""] == (ENOUGH, 0) for rule in RULES)


def test_every_condition_was_dropped_in_turn_and_the_rule_refuted_then() -> None:
    figures = rows()
    assert {(r.name, f"without {c}") for r in RULES for c in r.conditions} <= {(v.rule.name, v.name) for v in VARIANTS}
    for variant in VARIANTS:
        instances, counterexamples = figures[variant.rule.name, variant.name]
        assert (instances, counterexamples) == (ENOUGH, 0) if variant.redundant else counterexamples > 0, variant.name
