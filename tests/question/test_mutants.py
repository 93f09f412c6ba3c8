"""Questions are made twice: whatever goes wrong where the engines' are made, no wrong answer leaves the tool."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest

import sa.conditions.composition as product
import sa.conditions.environment as environment
import sa.engines.families
import sa.engines.programs  # noqa: F401
import sa.question.claims as claims
import sa.question.families as families
import sa.question.goals as goals
from sa.app.prove import ProveRequest, prove
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, limits
from sa.base.verdict import Verdict
from sa.engines.judging import QuestionsDiffer
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.engines.verify import Options as VerifyOptions
from sa.engines.verify import verify
from tests.endtoend.asking import read
from tests.language.texts import program_of
from tests.question.mutants import Mutant, mutants

#: What is asked, by name, and the right answers.
Asked: TypeAlias = tuple[str, Callable[[], list[str]], list[str]]

#: The modules that make questions.
MAKERS: tuple[ModuleType, ...] = (goals, claims, product, environment, families)

#: Seconds for a question in which nothing is changed, and for one where something is: no answer is no wrong one.
SECONDS, FEW = 20.0, 4.0

SHARED = "global x, y : int = 0;\n"
OPEN = SHARED + "thread T {{ rely unchanged x; {} }}\n"
TWO = SHARED + "thread T {{ local t : int = 0; {} }}\nthread U {{ {} }}\n"
MANY = SHARED + "thread T[i : *] {{ local t : int = 0; {} }}\n"
BLOCK = "refinement r {{ relate x; pre conc.y == abs.y; inv {}; silent exit; }}\n"

#: Abstract and concrete programs, and whether the one refines the other.
QUESTIONS = (
    (OPEN.format("x := x + 2;"), OPEN.format("x := x + 1; x := x + 1;"), Verdict.REFUTED),
    (OPEN.format("x := 1; x := x + 2;"), OPEN.format("x := 1; x := 3;"), Verdict.PROVED),
    (OPEN.format("y := 1; y := x;"), OPEN.format("y := 1; y := x - 1;"), Verdict.REFUTED),
    (TWO.format("t := x; @seen(t) skip;", "x := 1;"), TWO.format("t := x; @seen(t) skip;", "x := 1;"), Verdict.PROVED),
    (TWO.format("x := x + 1;", "x := 5;"), TWO.format("t := x; x := t + 1;", "x := 5;"), Verdict.REFUTED),
    (TWO.format("x := 2;", "y := 2;"), TWO.format("x := 1; x := 2;", "y := 2;"), Verdict.REFUTED),
    (
        TWO.format("x := 1;", "skip;"),
        TWO.format("x := 1;", "y := 2;") + BLOCK.format("conc.x >= 0"),
        Verdict.PROVED,
    ),
    (MANY.format("x := x + 1;"), MANY.format("t := x; x := t + 1;"), Verdict.REFUTED),
    (MANY.format("@seen(i) x := 1;"), MANY.format("t := i; @seen(t) x := 1;"), Verdict.PROVED),
    (
        MANY.format("@seen(i) x := 1;") + "thread U { skip; }",
        MANY.format("@seen(i) x := 1;") + "thread U { x := 3; }",
        Verdict.REFUTED,
    ),
)

#: Programs and the verdicts of their claims.
PROGRAMS = (
    (SHARED + "thread T { x := 1; assert x == 1; }\nthread U { x := 2; }\n", ["REFUTED"]),
    (SHARED + "thread T { guarantee x' >= x; x := x - 1; }\n", ["REFUTED"]),
    (
        SHARED + "thread T { x := 1; }\nthread U { y := x; }\ninvariant a : y <= 1;\ninvariant b : x == y;\n",
        ["PROVED", "REFUTED"],
    ),
    (MANY.format("guarantee x' >= x; x := x + 1; assert y == 0;"), ["PROVED", "PROVED"]),
    (MANY.format("t := x; x := t + 1; assert x == t + 1;"), ["REFUTED"]),
)

SCRIPT = """import "abs.sa" as abs;
import "conc.sa" as conc;
lemma one : conc.T refines abs.T relate x;
lemma all : conc refines abs relate x, y;
"""


def _answers(folder: Path, seconds: float = FEW) -> list[Asked]:
    asked = list[Asked]()
    for number, (abstract, concrete, verdict) in enumerate(QUESTIONS):
        programs = read(abstract, concrete)

        def refined(programs=programs) -> list[str]:  # type: ignore[no-untyped-def]
            return [refine(*programs, Options(limits(seconds, None))).verdict.value]

        asked.append((f"refine {number}", refined, [verdict.value]))
    for number, (text, verdicts) in enumerate(PROGRAMS):
        program = program_of(text)

        def verified(program=program) -> list[str]:  # type: ignore[no-untyped-def]
            return [f.verdict.value for f in verify(program, VerifyOptions(limits(seconds, None))).findings]

        asked.append((f"verify {number}", verified, verdicts))
    (folder / "abs.sa").write_text(TWO.format("x := 2;", "y := 2;"))
    (folder / "conc.sa").write_text(TWO.format("x := 1; x := 2;", "y := 2;"))
    (folder / "s.sa").write_text(SCRIPT)

    def proved() -> list[str]:
        made = prove(ProveRequest(str(folder / "s.sa"), False, Options(limits(seconds, None))))
        return [s.verdict.value for s in made.proof.steps]

    asked.append(("prove", proved, ["REFUTED", "REFUTED"]))
    return asked


class _Endless(BaseException):
    """A changed function does not come to an end."""


#: Seconds of processor time for a question.
_MOST = 60.0


@contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _Endless

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, _MOST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def outcome_of(ask: Callable[[], list[str]], right: list[str]) -> str:
    """How a question ends: with the right answer, with none, or with a wrong one."""
    try:
        with _limited():
            found = ask()
    except _Endless:
        return "no answer"
    except QuestionsDiffer:
        return "caught"
    except (InputError, LimitReached):
        return "no answer"
    except Exception:
        return "internal error"
    if len(found) == len(right) and all(f in (r, "UNKNOWN") for f, r in zip(found, right, strict=True)):
        return "right" if found == right else "no answer"
    return f"wrong: {found}"


def tried(mutant: Mutant, asked: Sequence[Asked], monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How questions end while a function is changed; no answer is wrong."""
    original = sys.modules[mutant.module]
    namespace: dict[str, object] = {"__name__": mutant.module}
    exec(mutant.code(), namespace)
    changed = {n: namespace[n] for n, f in vars(original).items() if callable(f) and n in namespace and n[0].islower()}
    users = [module for name, module in sys.modules.items() if name.startswith("sa.") and module is not original]
    found = Counter[str]()
    with monkeypatch.context() as patched:
        for user in users:
            for name, function in changed.items():
                if getattr(user, name, None) is getattr(original, name):
                    patched.setattr(user, name, function)
        for what, ask, right in asked:
            outcome = outcome_of(ask, right)
            assert not outcome.startswith("wrong"), f"{mutant.what}: {what} is {outcome}"
            found[outcome] += 1
    return found


#: The first part is for every day.
PARTS = 350
ALL = [m for module in MAKERS for m in mutants(module)]


def test_there_are_many_mutants() -> None:
    assert len(ALL) >= 200


def test_without_a_change_all_answers_are_right(tmp_path: Path) -> None:
    assert {what: outcome_of(ask, right) for what, ask, right in _answers(tmp_path, SECONDS)} == dict.fromkeys(
        (what for what, _, _ in _answers(tmp_path)), "right"
    )


@pytest.mark.parametrize("part", [pytest.param(n, marks=[] if n == 0 else pytest.mark.fuzz) for n in range(PARTS)])
def test_no_mutant_of_what_makes_questions_makes_a_wrong_answer(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Counter[str]()
    for mutant in ALL[part::PARTS]:
        found += tried(mutant, _answers(tmp_path), monkeypatch)
    assert found["caught"] > 1


def test_a_refinement_that_relates_nothing_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the comparison this was PROVED."""
    monkeypatch.setattr(goals, "_equal", lambda *_: iter(()))
    abstract, concrete, _ = QUESTIONS[0]
    with pytest.raises(QuestionsDiffer):
        refine(*read(abstract, concrete), Options(limits(20.0, None)))
