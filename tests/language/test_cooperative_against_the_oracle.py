"""Random cooperative programs: what is found of the expansion, step by step or block by block, is what happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.checker.ruling import Accepted
from sa.engines.engine import Turn
from sa.engines.judging_claims import judged
from sa.engines.portfolio_of_claims import STATES
from sa.engines.reduction import by_turns
from sa.explicit.search import Effort, search
from sa.explicit.system import system
from sa.question.asked import Asked, Excluded, Note
from tests.generators.cooperative import random_cooperative, text_of, without_scheduler
from tests.language.texts import program_of
from tests.oracle.cooperative import answer

STEPS = {reduced: Effort(300_000, 100, reduced=reduced) for reduced in (False, True)}


def compared(seeds: Iterable[int]) -> Counter[str]:
    """All states step by step, fewer of them, and blocks with evidence that is judged: each agrees with the judge."""
    counts = Counter[str]()
    for seed in seeds:
        source = random_cooperative(Random(seed))
        truth, program = answer(source), program_of(text_of(source))
        bads = Bad(Failing(), None), Bad(None, program.invariants[0].formula)
        wanted = {n for n, happens in enumerate((truth.fails, truth.happens)) if happens}
        for effort in STEPS.values():
            found = search(system(program.threads, bads), effort, Limits())
            assert found.complete or len(found.bad) == len(bads), seed
            assert set(found.bad) == wanted, (seed, truth, text_of(source))
        asked, blocked = Asked(program.threads, bads, program.axioms), set[Bad]()
        for settled in by_turns((Turn(STATES, 1.0),), asked, Budget(Limits(), 0), unheard):
            assert not isinstance(settled, Note)
            ruling = judged(program.threads, program.axioms, settled, Limits(), 0)
            assert isinstance(ruling, Accepted), (seed, ruling)
            for bad in settled.bads:
                assert isinstance(settled, Excluded) == (bads.index(bad) not in wanted), (seed, bad)
                blocked.add(bad)
        assert blocked == set(bads), seed
        counts["refuted"] += len(wanted)
        counts["proved"] += len(bads) - len(wanted)
        counts[source.scheduler] += 1
    return counts


def test_expansion_and_blocks_are_what_happens() -> None:
    """Both answers occur, under all schedulers."""
    counts = compared(range(30))
    assert min(counts["proved"], counts["refuted"]) > 10
    assert len(counts) == 6


def reached_without(seeds: Iterable[int]) -> Counter[bool]:
    """What happens under a scheduler happens without one, too; how often it happens under one."""
    counts = Counter[bool]()
    for seed in seeds:
        source = random_cooperative(Random(seed))
        program = program_of(without_scheduler(source))
        bads = Bad(Failing(), None), Bad(None, program.invariants[0].formula)
        found = search(system(program.threads, bads), STEPS[True], Limits())
        assert found.complete or len(found.bad) == len(bads), seed
        truth = answer(source)
        for number, happens in enumerate((truth.fails, truth.happens)):
            assert not happens or number in found.bad, (seed, without_scheduler(source))
            counts[happens] += number in found.bad
    return counts


def test_threads_without_a_scheduler_do_all_that_they_do_under_one() -> None:
    """And more: some of what happens without one does not happen under it."""
    counts = reached_without(range(60))
    assert min(counts[True], counts[False]) > 5


@pytest.mark.fuzz
def test_threads_without_a_scheduler_do_more_in_a_thousand_programs() -> None:
    """The same for many seeds."""
    reached_without(range(20_000, 21_000))


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(20))
def test_expansion_and_blocks_are_what_happens_in_ten_thousand_programs(part: int) -> None:
    """The same for many seeds."""
    compared(range(1_000 + part * 500, 1_500 + part * 500))
