"""`refine --preserve` of random pairs against all words (`tests/oracle/preservation.py`), and what it refuses."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.app.refine import RefineRequest, refine
from sa.base.diagnostic import InputError
from sa.base.limits import Limits, limits
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.certificates.preservation import Kept
from sa.engines.options import Options
from sa.engines.preserving import preserved
from sa.language.elaborate.program import program
from sa.question.goals import goals
from tests.oracle.endings import graph
from tests.oracle.preservation import preserves
from tests.ranking.pairs import pair


def compared(seed: int, tally: dict[tuple[Kept, Verdict], int]) -> None:
    texts = pair(seed)
    abstract, concrete = (program(Source(f"seed {seed}", text)) for text in texts)
    above, below = graph(abstract.threads, 300), graph(concrete.threads, 300)
    if above is None or below is None:
        return
    (goal,) = goals(abstract, concrete, None, whole=True)
    for kept, loops_end in product(Kept, (False, True)):
        expected = preserves(above, below, kept is Kept.TERMINATION, loops_end)
        found = preserved(concrete, replace(goal, loops_end=loops_end), kept, Options(limits(20.0, None)))
        tally[kept, found.verdict] = tally.get((kept, found.verdict), 0) + 1
        assert found.verdict is (Verdict.PROVED if expected else Verdict.REFUTED), (seed, kept, loops_end, texts)
        assert (found.run is None) == expected


@pytest.mark.parametrize("seed", range(8))
def test_what_is_preserved_is_what_the_definition_says(seed: int) -> None:
    compared(seed, {})


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(30))
def test_what_is_preserved_of_many_pairs_is_what_the_definition_says(block: int) -> None:
    tally = dict[tuple[Kept, Verdict], int]()
    for seed in range(100 * block + 100, 100 * block + 200):
        compared(seed, tally)
    assert all(tally.get((kept, verdict), 0) > 0 for kept in Kept for verdict in (Verdict.PROVED, Verdict.REFUTED))


COUNTS = "thread T {{ local i : int = 3; while (i > 0) {{ i := i - {step}; }} @end skip; }}"


@pytest.mark.parametrize(("step", "verdict"), [(1, Verdict.PROVED), (0, Verdict.REFUTED)])
def test_a_loop_without_bounds_that_ends_is_preserved_and_one_that_does_not_is_not(
    step: int, verdict: Verdict, tmp_path: Path
) -> None:
    paths = tuple(str(tmp_path / name) for name in ("abs.sa", "conc.sa"))
    for path, by in zip(paths, (1, step), strict=True):
        Path(path).write_text(COUNTS.format(step=by))
    (answer,) = refine(RefineRequest(paths, False, Options(limits(30.0, None)), preserve="termination"))
    assert answer.outcome.verdict is verdict
    (plain,) = refine(RefineRequest(paths, False, Options(limits(30.0, None))))
    assert plain.outcome.verdict is Verdict.PROVED
    assert plain.outcome.preservation is None


def test_families_are_refused(tmp_path: Path) -> None:
    paths = tuple(str(tmp_path / name) for name in ("abs.sa", "conc.sa"))
    for path in paths:
        Path(path).write_text("global x : int = 0; thread T[i : *] { x := 1; }")
    with pytest.raises(InputError) as refused:
        list(refine(RefineRequest(paths, False, Options(Limits()), preserve="progress")))
    assert [d.code for d in refused.value.diagnostics] == ["SA921"]


def test_a_block_says_what_is_preserved(tmp_path: Path) -> None:
    (tmp_path / "abs.sa").write_text("thread T { @out skip; }")
    block = 'refinement r { abstract "abs.sa"; preserve termination; }'
    (tmp_path / "conc.sa").write_text("thread T { while (true) { skip; } @out skip; }\n" + block)
    (answer,) = refine(RefineRequest((str(tmp_path / "conc.sa"),), False, Options(limits(30.0, None))))
    assert answer.outcome.verdict is Verdict.REFUTED
    assert answer.outcome.preservation is not None
    assert answer.outcome.preservation.run is not None


#: Two cooperative threads that always go on, and two that end; the scheduler waits for them.
ALWAYS = "scheduler systemc; event go; thread A { while (true) { yield; } } thread B { while (true) { yield; } }"
ENDING = "scheduler systemc; event go; thread A {{ notify go in 0; yield; }} thread B {{ wait go; {0} }}"


@pytest.mark.parametrize(("waits", "verdict"), [("", Verdict.PROVED), ("wait go;", Verdict.REFUTED)])
def test_a_scheduler_that_waits_when_all_others_have_ended_is_not_stuck(
    waits: str, verdict: Verdict, tmp_path: Path
) -> None:
    (tmp_path / "abs.sa").write_text(ALWAYS)
    block = 'refinement r { abstract "abs.sa"; silent exit; preserve progress; }'
    (tmp_path / "conc.sa").write_text(f"{ENDING.format(waits)}\n{block}")
    (answer,) = refine(RefineRequest((str(tmp_path / "conc.sa"),), False, Options(limits(60.0, None))))
    assert answer.outcome.preservation is not None
    assert answer.outcome.preservation.verdict is verdict
