"""A solver that gives up, sometimes or always, only ever turns an answer into UNKNOWN.

The engines and the checker ask the same solver here: what it does not say, nobody may take for an answer. What the
files expect is the judge.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from sa.app.chain import chain
from sa.app.prove import ProveRequest, prove
from sa.app.refine import RefineRequest, Relate, refine
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.engines import refine as pairs
from sa.engines import verify as claims
from sa.engines.options import Options
from sa.frontends.load import load_program
from sa.hybrid import solve
from sa.smt import session
from sa.smt.horn import GivenUp
from tests.weakest.pairs import found

pytestmark = pytest.mark.slow

SPECS = Path(__file__).parents[2] / "specs"
SECONDS = 2.0
RATES = (0.2, 1.0)


@pytest.fixture(params=RATES)
def rate(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> float:
    """How often the solver gives up, on single questions and on Horn clauses."""
    rng, asked, reached = Random(7), session.Session._ask, solve.reach
    often = float(request.param)

    def unreliable(self: Any, *rest: Any) -> Any:
        return session.Undecided("on purpose") if rng.random() < often else asked(self, *rest)

    def reach(*rest: Any) -> Any:
        return GivenUp("on purpose") if rng.random() < often else reached(*rest)

    monkeypatch.setattr(session.Session, "_ask", unreliable)
    monkeypatch.setattr(solve, "reach", reach)
    return often


def _bounded() -> Limits:
    return limits(SECONDS, None)


PROGRAMS = (
    "programs/alternate.sa",
    "programs/alternate-broken.sa",
    "programs/parity-two.sa",
    "programs/parity-two-broken.sa",
    "programs/triangle.sa",
    "programs/any-number-of-cas.sa",
    "programs/any-number-of-cas-broken.sa",
    "mutex/peterson.sa",
    "mutex/peterson-broken.sa",
    "c/peterson.c",
    "c/peterson-broken.c",
    "c/unsigned-wrap.c",
    "c/unsigned-wrap-broken.c",
)


@pytest.mark.parametrize("path", PROGRAMS)
def test_verify_says_what_is_expected_or_unknown(path: str, rate: float) -> None:
    program = load_program(str(SPECS / path), families=True).program
    answer = claims.verify(program, claims.Options(_bounded())).verdict
    wrong = Verdict.PROVED if path.rpartition(".")[0].endswith("-broken") else Verdict.REFUTED
    assert answer is not wrong
    assert answer is not None


LOST = "global c : int = 0; thread T[i : 1..2] { local t : int = 0; while (true) { @count(c) c := c + 1; } }"
LOCKED = (
    "global c : int = 0; global m : 0..2 = 0; thread T[i : 1..2] { local t : int = 0;"
    "while (true) { lock(m); t := c; c := t + 1; @count(t) skip; unlock(m); } }"
)
RACING = (
    "global c : int = 0; thread T[i : 1..2] { local t : int = 0; while (true) { t := c; c := t + 1; @count(t) skip; } }"
)


def _written(folder: Path, **texts: str) -> tuple[str, ...]:
    for name, text in texts.items():
        (folder / f"{name}.sa").write_text(text, encoding="utf-8")
    return tuple(str(folder / f"{name}.sa") for name in texts)


@pytest.mark.parametrize(("concrete", "wrong"), [(LOCKED, Verdict.REFUTED), (RACING, Verdict.PROVED)])
def test_an_inferred_relation_never_says_the_opposite(
    tmp_path: Path, concrete: str, wrong: Verdict, rate: float
) -> None:
    paths = _written(tmp_path, abs=LOST, conc=concrete)
    asked = RefineRequest(paths, False, Options(_bounded()), Relate.INFER)
    (answer,) = refine(asked)
    # That the relation as it is asked fails is right of both; the opposite is said with an inferred one only.
    if answer.question.block is not None or wrong is Verdict.PROVED:
        assert answer.outcome.verdict is not wrong


XY = "global x, y : int;"
SWAPPED = "local r, s : int; r := x; s := y; @out(r, s) skip;", "local r, s : int; s := y; r := x; @out(r, s) skip;"


def test_an_environment_is_one_under_which_a_reliable_solver_proves(
    tmp_path: Path, rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = found(tmp_path, XY, *SWAPPED, Options(_bounded()))
    monkeypatch.undo()
    assert answer.hopeless is None
    if answer.environment is not None:
        again = pairs.refine(*answer.environment.programs, None, Options(limits(30.0, None)))
        assert again.verdict is Verdict.PROVED


def _pairs() -> list[tuple[str, str]]:
    kept = sorted(str(p.parent) for p in (SPECS / "optimisations").glob("*/abs.sa"))[::12]
    broken = sorted(str(p.parent) for p in (SPECS / "optimisations").glob("*/broken/abs.sa"))[5::12]
    made = [(f"{folder}/abs.sa", f"{folder}/conc.sa") for folder in (*kept, *broken)]
    for name in ("call-kept", "call-dropped", "result"):
        made += [(f"{SPECS}/c-refine/{name}.before.c", f"{SPECS}/c-refine/{name}.{k}.c") for k in ("after", "broken")]
    return made


@pytest.mark.parametrize("pair", _pairs(), ids=lambda pair: "/".join(pair[1].split("/")[-3:]))
def test_refine_says_what_is_expected_or_unknown(pair: tuple[str, str], rate: float) -> None:
    wrong = Verdict.PROVED if "broken" in pair[1] else Verdict.REFUTED
    (answer,) = refine(RefineRequest(pair, False, Options(_bounded())))
    assert answer.outcome.verdict is not wrong


ONE = "global x : int = 0; thread T { x := 3; @out(x) skip; }"
TWO = "global x : int = 0; thread T { local t : int = 1; t := t + 2; x := t; @out(t) skip; }"
THREE = "global x : int = 0; thread T { local u : int = 1; u := 3 * u; x := u; @out(u) skip; }"
FOUR = THREE.replace("3 * u", "4 * u")


@pytest.mark.parametrize(("last", "wrong"), [(THREE, Verdict.REFUTED), (FOUR, Verdict.PROVED)])
def test_a_chain_says_what_is_expected_or_unknown(tmp_path: Path, last: str, wrong: Verdict, rate: float) -> None:
    made = chain(_written(tmp_path, one=ONE, two=TWO, three=last), None, False)
    answer = prove(ProveRequest(made.path, False, Options(_bounded()), made))
    verdicts = {step.step.name: step.verdict for step in answer.proof.steps}
    assert verdicts["link1"] is not Verdict.REFUTED
    assert wrong not in (verdicts["link2"], verdicts["all"])
