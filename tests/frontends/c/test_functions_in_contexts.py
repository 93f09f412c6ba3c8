"""No function that is PROVED to refine another one does anything new in any context that was tried."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from sa.app.refine import RefineRequest, refine
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.frontends.reading import Reading
from tests.frontends.c.contexts import Read, Write, changed, code, contexts, text, told_apart


def verdict(before: str, after: str, folder: Path, seconds: float) -> Verdict:
    """Whether the function of one text refines that of the other."""
    paths = folder / "before.i", folder / "after.i"
    for path, written in zip(paths, (before, after), strict=True):
        path.write_text(written)
    request = RefineRequest(
        (str(paths[0]), str(paths[1])), False, Options(limits(seconds, None)), reading=Reading(function="f")
    )
    (answer,) = refine(request)
    return answer.outcome.verdict


def compared(seed: int, count: int, folder: Path, seconds: float) -> dict[Verdict, int]:
    """How many pairs have each verdict; none that is PROVED is told apart."""
    random, found = Random(seed), dict.fromkeys(Verdict, 0)
    while sum(found.values()) < count:
        before = code(random, random.choice((2, 3, 4)))
        after = changed(random, before)
        if after == before:
            continue
        given = verdict(text(before), text(after), folder, seconds)
        found[given] += 1
        if given is Verdict.PROVED:
            assert (other := told_apart(before, after, list(contexts(random, 150)))) is None, (before, after, other)
    return found


def test_the_judge_sees_a_publication_before_the_data() -> None:
    before = (Write("g", 1), Write("x", 1, "release"))
    reader = (
        Read("r", "x", "acquire"),
        *(),
    )
    assert told_apart(before, before[::-1], list(contexts(Random(1), 400))) is not None
    assert told_apart(before, before, [reader, *contexts(Random(1), 100)]) is None


def test_random_changes(tmp_path: Path) -> None:
    found = compared(1, 12, tmp_path, 10)
    assert found[Verdict.PROVED] and found[Verdict.REFUTED]


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_random_changes(seed: int, tmp_path: Path) -> None:
    found = compared(seed, 60, tmp_path, 10)
    assert found[Verdict.PROVED] > 5
