"""Random pairs with sections under locks: blocks refine exactly where the threads as they are written do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from sa.base.limits import Limits
from sa.checker.question import Question, question, related, whole_goal
from sa.checker.reduced_threads import check_reduced_threads, question_of_blocks
from sa.checker.ruling import Accepted
from sa.terms.build import TRUE, land
from sa.transform.refining import reduced_concrete
from tests.generators.sections import random_pair, with_semaphore
from tests.language.texts import program_of
from tests.oracle.game import decide

BOUNDS = Limits()


def compare(seed: int, changed: Callable[[str], str] = str) -> Counter[str]:
    """Enumeration says the same of the written threads and of their blocks; what it says, if some are joined."""
    first, second = random_pair(Random(seed))
    abstract, concrete = program_of(first), program_of(changed(second))
    asked = question(abstract, concrete, None, False)
    threads = tuple(p.concrete for p in asked.pairs)
    made = reduced_concrete(threads, land(*(f.term for f in related(asked)[1])), asked.axioms, BOUNDS)
    assert isinstance(check_reduced_threads(asked, made.evidence, BOUNDS), Accepted), seed
    blocks = question_of_blocks(asked, made.evidence, BOUNDS)
    assert isinstance(blocks, Question)
    assert tuple(p.concrete for p in blocks.pairs) == made.threads, seed
    if sum(len(t.locations) for t in made.threads) == sum(len(t.locations) for t in threads):
        return Counter()
    said = decide(whole_goal(blocks)).simulated
    assert said == decide(whole_goal(asked)).simulated, seed
    return Counter(("refines" if said else "does not",))


def test_blocks_refine_where_the_written_threads_do() -> None:
    """Of some pairs; both answers occur."""
    found = sum((compare(seed) for seed in range(12)), Counter[str]())
    assert found["refines"] > 2
    assert found["does not"] > 2


def test_a_binary_semaphore_is_a_lock_to_the_reduction() -> None:
    """It is known to be zero in a section, so sections exclude each other; both answers occur."""
    found = sum((compare(seed, with_semaphore) for seed in range(4)), Counter[str]())
    assert found["refines"] > 1
    assert found["does not"] > 1


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(10))
def test_blocks_refine_where_the_written_threads_do_hundreds(part: int) -> None:
    """The same for many seeds."""
    for seed in range(1_000 + part * 60, 1_060 + part * 60):
        compare(seed)
        compare(seed, with_semaphore)


def test_places_where_no_step_leads_break_no_fact() -> None:
    """What would hold behind them is no matter: the flag is false where the branch that sets it is never taken."""
    abstract = program_of("thread T[i : 1..2] { skip; }")
    concrete = program_of("""global m : int = 0; global x : 0..2 = 0; thread T[i : 1..2] {
  local h : bool = false; lock(m); if (i == 3) { h := true; } if (!h) { x := 1; } x := 0; unlock(m); }""")
    asked = question(abstract, concrete, None, False)
    made = reduced_concrete(tuple(p.concrete for p in asked.pairs), TRUE, (), BOUNDS)
    assert isinstance(check_reduced_threads(asked, made.evidence, BOUNDS), Accepted)
