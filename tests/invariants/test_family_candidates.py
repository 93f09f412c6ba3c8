"""What is offered of compare-and-swaps, of flags, and of elements that are published."""

from __future__ import annotations

from random import Random

from sa.automata.automaton import Kind, variables_of
from sa.invariants.family_candidates import candidates
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


PUBLISHED = """global f : int[*] = 0; global cur : int = 0;
thread W { while (true) { f[cur + 1] := 2 * cur + 2; cur := cur + 1; } }
thread R { local p, r : int = 0; while (true) { p := cur; r := f[p]; } }"""


def test_an_element_that_is_read_is_what_is_stored_at_such_an_index() -> None:
    threads = program_of(PUBLISHED).threads
    own = dict.fromkeys(v.var for t in threads for v in t.variables)
    said = {show(f) for f in candidates(tuple(own), threads, (), ())}
    assert {"f[p] == 2 * p", "f[cur] == 2 * cur"} <= said
