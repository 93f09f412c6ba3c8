"""Bounds of numbers without ranges hold in all runs, however steps are interleaved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

import pytest

from sa.base.limits import LimitReached, Limits, limits
from sa.bounded.search import task
from sa.bounded.spans import spans
from sa.explicit.system import system
from sa.terms.build import variable
from tests.bounded.test_engine import asked

#: What is written where, by the letters of the statement, and the same in Python.
WRITES = ("x + y", "y + 1", "2 * x", "0 - y", "x - 2 * y", "x * y", "3", "y", "x + 5", "(if x < y then x else 0 - x)")
CUT = "(if y > 2 then 2 else if y < -1 then -1 else y)"
SLOWER = "(if x + y <= 4 then x + 3 else x - y)"
PYTHON = {
    "(if x < y then x else 0 - x)": "(x if x < y else -x)",
    CUT: "(2 if y > 2 else -1 if y < -1 else y)",
    SLOWER: "(x + 3 if x + y <= 4 else x - y)",
}
#: What a step waits for.
GUARDS = ("true", "x < 4", "y >= x", "x + 2 * y <= 3", "x == y + 1", "!(x == 2)")


#: A step: what it waits for, and what it writes where.
Written = tuple[str, str, str]


def runs(threads: tuple[tuple[Written, ...], ...], state: dict[str, int]) -> Iterator[dict[str, int]]:
    """All states that are reached."""
    yield state
    for i, thread in enumerate(threads):
        if thread and eval({"true": "True", "!(x == 2)": "x != 2"}.get(thread[0][0], thread[0][0]), {}, dict(state)):
            (_, target, term), *rest = thread
            after = {**state, target: eval(PYTHON.get(term, term), {}, dict(state))}
            yield from runs((*threads[:i], tuple(rest), *threads[i + 1 :]), after)


def exact(seeds: Iterable[int]) -> int:
    """How many variables of random programs have bounds; all of them keep to these."""
    found = 0
    for seed in seeds:
        rng = Random(seed)
        writes, guards = (*WRITES, CUT, SLOWER), GUARDS if seed % 2 else GUARDS[:1]
        threads = tuple(
            tuple((rng.choice(guards), rng.choice("xy"), rng.choice(writes)) for _ in range(3)) for _ in range(2)
        )
        begun = {"x": rng.randint(-3, 3), "y": rng.randint(-3, 3)}
        bodies = ["".join(f"await {g} {{ {v} := {t}; }} " for g, v, t in thread) for thread in threads]
        text = f"global x : int = {begun['x']}; global y : int = {begun['y']}; invariant i : x * y != 123456789; "
        question = asked(text + "".join(f"thread T{i} {{ {body} }} " for i, body in enumerate(bodies)))
        s = system(question.threads, question.bads)
        known = spans(s, task(s, 0, exactly=True).dags, 12, Limits())
        for name in "xy":
            if (v := variable(name)) in known.of and v not in known.guessed:
                low, high = known.of[v]
                assert all(low <= here[name] <= high for here in runs(threads, begun)), (seed, name)
                found += 1
    return found


def test_bounds_are_looked_for_within_the_limit_of_time() -> None:
    s = system(asked("global x, y : int = 0; thread T { while (*) { x := x + y; y := y + x; } }").threads, ())
    with pytest.raises(LimitReached):
        spans(s, task(s, 4, exactly=True).dags, 12, limits(0.0, None))


def test_bounds_that_follow_from_the_steps_hold_in_all_runs() -> None:
    assert exact(range(100)) > 60


def test_what_a_step_waits_for_bounds_what_it_writes() -> None:
    text = "global x, y : int = 0; invariant never : x + y != 99; "
    text += "thread T { while (true) { await x < 7 { x := x + 1; } } } "
    text += "thread U { local v : int; while (true) { havoc v; y := if v > 9 then 9 else if v < 0 then 0 else v; } }"
    question = asked(text)
    s = system(question.threads, question.bads)
    known = spans(s, task(s, 50, exactly=True).dags, None, Limits())
    assert known.of[variable("x")] == (0, 7) and known.of[variable("y")] == (0, 9)
