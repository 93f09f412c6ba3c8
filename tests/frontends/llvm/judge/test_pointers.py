"""Random functions that follow pointers from memory, one of them changed: nothing that is PROVED may be wrong."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.frontends.llvm.judge.pointers import Function, changed, random_function, refines, text_of
from tests.frontends.llvm.modules import answer_apart
from tests.parts import for_each

pytest.importorskip("llvmlite")


def judged(source: Function, target: Function) -> str:
    """The answer about a pair of functions. Raises AssertionError where it is wrong.

    What is REFUTED may be right for one thread alone, and is not looked at.
    """
    texts = text_of(source), text_of(target)
    with tempfile.TemporaryDirectory() as folder:
        found = answer_apart(*texts, Path(folder), seconds=5)
    assert found != "PROVED" or refines(source, target), "\n".join(texts)
    return found


def pair_of(seed: int) -> tuple[Function, Function]:
    """A function, and it changed: every second time wrongly, if several tries lead to that."""
    random = Random(seed)
    made = [(source, changed(source, random)) for source in (random_function(random) for _ in range(12))]
    wanted = (pair for pair in made if pair[0] != pair[1] and refines(*pair) == (seed % 2 == 0))
    return next(wanted, made[0])


@pytest.mark.fuzz
@for_each("seed", range(300))
def test_no_proof_about_pointers_from_memory_is_wrong(seed: int) -> None:
    judged(*pair_of(seed))


def test_the_judge_tells_functions_that_follow_pointers_apart() -> None:
    """Both answers occur."""
    rights = Counter(refines(*pair_of(seed)) for seed in range(100))
    assert min(rights[True], rights[False]) > 10
