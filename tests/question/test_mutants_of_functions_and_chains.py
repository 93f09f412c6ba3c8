"""Chains and functions of C alone are questions too: whatever goes wrong where these are made, no answer is wrong.

What was run, and what became of it: `results.md`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

import sa.app.chain as chains
import sa.frontends.flow.both as both
import sa.frontends.flow.sequential_refinement as alone
import sa.question.goals as goals
from sa.app.prove import ProveRequest, prove
from sa.app.refine import RefineRequest, refine
from sa.base.limits import limits
from sa.engines.options import Options
from sa.frontends.flow.sequential_refinement import Misread
from sa.frontends.reading import Reading
from tests.question.mutants import mutants
from tests.question.test_mutants import FEW, SECONDS, Asked, tried

#: A function of C, others in its place, and whether each of them refines it.
FUNCTION = "#include <stdatomic.h>\nint x; atomic_int y; int f(int n) {{ {} }}\n"
BEFORE = FUNCTION.format("x = 1; x = n; atomic_store(&y, 1); return n + 1;")
AFTER = {
    "x = n; atomic_store(&y, 1); return n + 1;": "PROVED",
    "atomic_store(&y, 1); x = n; return n + 1;": "REFUTED",
    "x = n; atomic_store(&y, 2); return n + 1;": "REFUTED",
    "x = n; return n + 1;": "REFUTED",
}

#: The programs of chains, and the right answers of all links and of the chain.
SHARED = "global x, y : int = 0;\n"
CHAINS = (
    (
        SHARED + "thread T { x := 2; }",
        SHARED + "thread T { x := 1 + 1; }",
        SHARED + 'thread T { y := 1; x := 2; }\nrefinement r { abstract "1.sa"; relate x; }',
        ["PROVED", "PROVED", "PROVED"],
    ),
    (
        SHARED + "thread T { x := 2; }",
        SHARED + "thread T { x := 1; x := 2; }",
        SHARED + "thread T { x := 1; x := 1 + 1; }",
        ["REFUTED", "PROVED", "UNKNOWN"],
    ),
    (
        SHARED + "thread A { x := 2; } thread B { x := 3; }",
        SHARED + "thread A { x := 2; } thread B { x := 3; }",
        SHARED + "thread A { x := 2; } thread B { x := 7; }",
        ["PROVED", "REFUTED", "UNKNOWN"],
    ),
)


def _functions(folder: Path, seconds: float = FEW) -> list[Asked]:
    asked = list[Asked]()
    (folder / "before.c").write_text(BEFORE)
    for number, (body, right) in enumerate(AFTER.items()):
        after = folder / f"after{number}.c"
        after.write_text(FUNCTION.format(body))
        asked.append((body, partial(_compared, str(folder / "before.c"), str(after), seconds), [right]))
    return asked


def _compared(before: str, after: str, seconds: float) -> list[str]:
    request = RefineRequest((before, after), False, Options(limits(seconds, None)), reading=Reading(function="f"))
    return [answer.outcome.verdict.value for answer in refine(request)]


def _chains(folder: Path, seconds: float = FEW) -> list[Asked]:
    asked = list[Asked]()
    for number, (*programs, right) in enumerate(CHAINS):
        place = folder / str(number)
        place.mkdir(exist_ok=True)
        for name, text in enumerate(programs):
            (place / f"{name}.sa").write_text(str(text))
        asked.append((f"chain {number}", partial(_proved, place, seconds), list(right)))
    return asked


def _proved(place: Path, seconds: float) -> list[str]:
    made = chains.chain([str(place / f"{n}.sa") for n in range(3)], None, False)
    request = ProveRequest(made.path, False, Options(limits(seconds, None)), made)
    return [step.verdict.value for step in prove(request).proof.steps]


def test_a_pair_in_which_a_variable_is_not_related_is_an_internal_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the conditions on pairs a store behind a release was PROVED to be the same as one before it."""
    cells = both._cells
    monkeypatch.setattr(both, "_cells", lambda *pair: dict([*cells(*pair).items()][1:]))
    _, ask, _ = _functions(tmp_path)[1]
    with pytest.raises(Misread):
        ask()


#: A chain whose links relate locals, and that pairs threads of different names.
LOCALS = (
    SHARED + "thread T { local u : int = 0; u := 1; x := u; }",
    SHARED
    + """thread U { local v : int = 0; local w : int = 0; w := 2; v := 1; x := v; }
    refinement r { abstract "0.sa"; relate x; relate conc.v == abs.u; pre abs.u == 0; inv conc.v <= 1; silent exit;
    thread U refines T; }""",
    SHARED + "thread V { local v : int = 0; v := 1; x := v; }\n"
    'refinement r { abstract "1.sa"; relate x; rely x\' == x; thread V refines U; }',
    ["PROVED", "PROVED", "UNKNOWN"],
)


def test_what_blocks_say_of_locals_and_threads_is_what_the_links_say(tmp_path: Path) -> None:
    for name, text in enumerate(LOCALS[:3]):
        (tmp_path / f"{name}.sa").write_text(str(text))
    assert _proved(tmp_path, SECONDS)[:2] == LOCALS[3][:2]


#: What makes the questions, and what is asked.
MAKERS: tuple[tuple[ModuleType, str], ...] = ((goals, "functions"), (alone, "functions"), (chains, "chains"))
#: A label without an action is no label: the types say so.
NO_PROGRAM = re.compile(r"_anything, .* argument 1 of Label is dropped")
ALL = [(mutant, kind) for module, kind in MAKERS for mutant in mutants(module) if not NO_PROGRAM.match(mutant.what)]
#: The first part is for every day.
PARTS = 200


def _asked(kind: str, folder: Path, seconds: float = FEW) -> list[Asked]:
    return _functions(folder, seconds) if kind == "functions" else _chains(folder, seconds)


def test_without_a_change_all_answers_are_right(tmp_path: Path) -> None:
    for kind in ("functions", "chains"):
        for what, ask, right in _asked(kind, tmp_path, SECONDS):
            assert ask() == right, what


@pytest.mark.parametrize("part", [pytest.param(n, marks=[] if n == 0 else pytest.mark.fuzz) for n in range(PARTS)])
def test_no_mutant_makes_a_wrong_answer(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Counter[str]()
    for mutant, kind in ALL[part::PARTS]:
        found += tried(mutant, _asked(kind, tmp_path), monkeypatch)
    assert found
