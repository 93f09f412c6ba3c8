"""What is offered of compare-and-swaps and of flags."""

from __future__ import annotations

from random import Random

from sa.automata.automaton import Kind, variables_of
from sa.invariants.crowd_candidates import candidates
from sa.terms.evaluate import evaluate, holds
from sa.terms.printer import show
from sa.terms.sort import BOOL
from tests.language.texts import program_of

SWAP = """global top, old : int = 0;
thread T { local seen : int = 0; local ok, free : bool = false;
  seen := top; ok := cas(top, seen, seen + 3); if (ok) { top := 0; }
  atomic { free := top == 0; if (free) { top := old; } } }"""


def test_the_flag_of_a_compare_and_swap_tells_the_new_value() -> None:
    thread = program_of(SWAP).threads[0]
    own = variables_of(thread, Kind.GLOBAL) + variables_of(thread, Kind.LOCAL)
    offered = candidates(own, (thread,), (), ())
    said = {show(f) for f in offered}
    assert {"seen == top - 3 || !ok", "old == top || !free"} <= said
    swap = next(e for e in thread.edges if any(v.name == "ok" for v, _ in e.updates))
    random = Random(1)
    for formula in (f for f in offered if show(f) == "seen == top - 3 || !ok"):
        for _ in range(50):
            before = {v: random.random() < 0.5 if v.sort == BOOL else random.randrange(4) for v in own}
            assert holds(formula, {**before, **{v: evaluate(t, before) for v, t in swap.updates}})
