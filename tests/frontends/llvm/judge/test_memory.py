"""Random functions on bytes, one of them changed in one place: no answer may differ from the judge's."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.frontends.llvm.judge.memory import Function, changed, random_function, refines, text_of
from tests.frontends.llvm.modules import answer_apart
from tests.parts import for_each

pytest.importorskip("llvmlite")


def judged(source: Function, target: Function) -> str:
    """The answer about a pair of functions. Raises AssertionError where it is wrong."""
    texts = text_of(source), text_of(target)
    with tempfile.TemporaryDirectory() as folder:
        found = answer_apart(*texts, Path(folder), seconds=5)
    right = refines(source, target)
    assert found != ("REFUTED" if right else "PROVED"), "\n".join((found, *texts))
    return found


def pair_of(seed: int) -> tuple[Function, Function]:
    """A function, and it changed."""
    random = Random(seed)
    source = random_function(random)
    return source, changed(source, random)


@pytest.mark.fuzz
@for_each("seed", range(300))
def test_no_answer_about_memory_is_wrong(seed: int) -> None:
    judged(*pair_of(seed))


def test_the_judge_tells_functions_on_memory_apart() -> None:
    """Both answers occur."""
    rights = Counter(refines(*pair_of(seed)) for seed in range(100))
    assert min(rights[True], rights[False]) > 10
