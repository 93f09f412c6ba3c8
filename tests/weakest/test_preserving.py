"""Environments in which termination is preserved, too: `refine --weakest-rely --preserve termination`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.app.refine import RefineRequest, refine
from sa.base.limits import limits
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.cli.main import application
from sa.engines.options import Options
from sa.language.elaborate.program import program
from sa.language.unparse import show_program
from sa.report.weakest import clause_text
from sa.weakest.infer import Weakest
from sa.weakest.preserving import preserving

SHARED = "global flag : bool; global n : int;\nthread T {{ local r : bool; local i, m : int = 0; {0} @done skip; }}"

#: Before and after, and the rely for the whole thread: nothing where others may do anything, None where none helps.
ASKED = [
    # The read is hoisted out of the loop: who reads a flag that is not set needs that nobody sets it.
    pytest.param(
        "while (!flag) { skip; }", "r := flag; while (!r) { skip; }", ["!flag ==> !flag'"], marks=pytest.mark.fuzz
    ),
    ("while (!flag) { skip; }", "r := flag; while (!r) { r := flag; }", []),
    # The bound is read again in each round: others may lower it, and one that they raise again and again is not met.
    pytest.param(
        "m := n; while (i < m) { i := i + 1; }", "while (i < n) { i := i + 1; }", ["n' <= n"], marks=pytest.mark.fuzz
    ),
    pytest.param(
        "m := n; while (i > m) { i := i - 1; }", "while (i > n) { i := i - 1; }", ["n <= n'"], marks=pytest.mark.fuzz
    ),
    ("m := n; while (i < m) { i := i + 1; }", "m := n; while (i < m) { i := i + 2; }", []),
    ("skip;", "while (flag || !flag) { skip; }", None),
]


def options() -> Options:
    return Options(limits(60.0, None))


def found(before: str, after: str) -> Weakest:
    first, second = (program(Source(n, SHARED.format(t))) for n, t in (("abs", before), ("conc", after)))
    (answer,) = preserving(first, second, None, options())
    return answer


@pytest.mark.parametrize(("before", "after", "rely"), ASKED)
def test_the_rely_keeps_a_loop_from_going_on_for_ever(
    before: str, after: str, rely: list[str] | None, tmp_path: Path
) -> None:
    answer = found(before, after)
    if rely is None:
        assert answer.verdict is Verdict.REFUTED and answer.environment is None
        assert answer.preserved is not None and answer.preserved.run is not None
        return
    assert answer.environment is not None and answer.uniform is not None
    assert [clause_text(n.clause) for n in answer.uniform.concrete] == rely
    # What is printed is proved when it is read again.
    paths = tuple(str(tmp_path / f"{n}.sa") for n in ("abs", "conc"))
    for path, made in zip(paths, answer.environment.programs, strict=True):
        Path(path).write_text(show_program(made), encoding="utf-8")
    (again,) = refine(RefineRequest(paths, False, options(), preserve="termination"))
    assert again.outcome.verdict is Verdict.PROVED


def test_work_that_is_used_up_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after, _ = ASKED[1]
    monkeypatch.setattr("sa.weakest.preserving.UNITS", 1)
    answer = found(before, after)
    assert answer.environment is None and answer.verdict is Verdict.UNKNOWN


def test_progress_is_refused(tmp_path: Path) -> None:
    asked = ["refine", "--weakest-rely", "--preserve", "progress", "a.sa", "b.sa"]
    assert CliRunner().invoke(application(), asked).exit_code == 2
