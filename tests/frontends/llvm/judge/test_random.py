"""Random functions on integers, one of them changed in one place: no answer may differ from the judge's."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.frontends.llvm.judge.functions import Function, changed, random_function, text_of
from tests.frontends.llvm.judge.interpreter import refines
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
    """A function, and it or another one, changed."""
    random = Random(seed)
    source = random_function(random)
    return (source, changed(source, random)) if random.random() < 0.9 else (source, source)


@for_each("seed", range(6, 12))
def test_no_answer_is_wrong(seed: int) -> None:
    judged(*pair_of(seed))


@pytest.mark.fuzz
@for_each("seed", range(1000, 1500))
def test_no_answer_about_many_functions_is_wrong(seed: int) -> None:
    judged(*pair_of(seed))


def test_the_judge_tells_functions_apart_and_most_are_answered() -> None:
    """Both answers occur, and refusals are few."""
    rights = Counter(refines(*pair_of(seed)) for seed in range(200))
    assert min(rights[True], rights[False]) > 30
