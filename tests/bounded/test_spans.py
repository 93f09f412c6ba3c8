"""Bounds of numbers without ranges hold in all runs, however steps are interleaved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from sa.bounded.search import task
from sa.bounded.spans import spans
from sa.explicit.system import system
from sa.terms.build import variable
from tests.bounded.test_engine import asked

#: What is written where, by the letters of the statement, and the same in Python.
WRITES = ("x + y", "y + 1", "2 * x", "0 - y", "x - 2 * y", "x * y", "3", "y", "x + 5", "(if x < y then x else 0 - x)")
PYTHON = {"(if x < y then x else 0 - x)": "(x if x < y else -x)"}


def runs(threads: tuple[tuple[tuple[str, str], ...], ...], state: dict[str, int]) -> Iterator[dict[str, int]]:
    """All states that are reached."""
    yield state
    for i, thread in enumerate(threads):
        if thread:
            (target, term), *rest = thread
            after = {**state, target: eval(PYTHON.get(term, term), {}, dict(state))}
            yield from runs((*threads[:i], tuple(rest), *threads[i + 1 :]), after)


def exact(seeds: Iterable[int]) -> int:
    """How many variables of random programs have bounds; all of them keep to these."""
    found = 0
    for seed in seeds:
        rng = Random(seed)
        threads = tuple(tuple((rng.choice("xy"), rng.choice(WRITES)) for _ in range(3)) for _ in range(2))
        begun = {"x": rng.randint(-3, 3), "y": rng.randint(-3, 3)}
        bodies = ["".join(f"{target} := {term}; " for target, term in thread) for thread in threads]
        text = f"global x : int = {begun['x']}; global y : int = {begun['y']}; invariant i : x * y != 123456789; "
        question = asked(text + "".join(f"thread T{i} {{ {body} }} " for i, body in enumerate(bodies)))
        s = system(question.threads, question.bads)
        known = spans(s, task(s, 0, exactly=True).dags, 12)
        for name in "xy":
            if (v := variable(name)) in known.of and v not in known.guessed:
                low, high = known.of[v]
                assert all(low <= here[name] <= high for here in runs(threads, begun)), (seed, name)
                found += 1
    return found


def test_bounds_that_follow_from_the_steps_hold_in_all_runs() -> None:
    assert exact(range(300)) > 200
