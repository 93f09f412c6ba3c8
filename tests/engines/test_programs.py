"""Programs without relies: environments are inferred, pairs put together, and products asked where that does not do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.checker.composition import check_composition
from sa.checker.ruling import Accepted
from sa.engines.goals import decide
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine
from sa.generation.visibility import Level
from sa.language.load import load_program
from sa.question import goals
from sa.refinement.compositional import Decide, Effort, attempt, begin, in_any_environment
from sa.terms import build
from sa.terms.substitute import primed
from tests.endtoend.asking import read

CLOSED = Path(__file__).parents[2] / "specs" / "closed"

a, b = build.variable("a"), build.variable("b")


def _ask(abstract: str, concrete: str, whole: bool = False) -> Outcome:
    return refine(*read(abstract, concrete), Options(limits(30.0, None), whole=whole))


def test_the_environment_that_the_paper_writes_for_gcd_is_inferred() -> None:
    abstract, concrete = (load_program(str(CLOSED / "gcd" / name)).program for name in ("abs.sa", "conc.sa"))
    outcome = refine(abstract, concrete, None, Options(limits(30.0, None)))
    assert outcome.verdict is Verdict.PROVED
    assert outcome.composition is not None
    first = outcome.inferred[0]
    assert first.thread == "T1"
    assert set(build.conjuncts(first.abstract)) == {
        build.eq(primed(a), a),
        build.lor(build.lt(a, b), build.eq(primed(b), b)),
    }


def deciding(seconds: float | None) -> Decide:
    return lambda goal: decide(goal, limits(seconds, None), briefly=True)


@pytest.mark.fuzz
def test_a_fact_about_the_environment_is_asked_for_where_a_pair_needs_it() -> None:
    """T2 decides by old copies, so only a relation between them and a, b tells what it leaves alone."""
    folder = CLOSED / "gcd" / "larger-shown"
    abstract, concrete = (load_program(str(folder / name)).program for name in ("abs.sa", "conc.sa"))
    tried = attempt(begin(abstract, concrete, None, Limits()), limits(30.0, None), deciding(30.0))
    assert tried.composition is not None
    assert set(tried.facts) == {"T1", "T2"}
    assert isinstance(check_composition(tried.composition, Limits()), Accepted)


#: The lock keeps T2 out while T1 is between its two steps, which the shared variables alone do not tell.
GUARDED = """
global free : bool = true;
global x : int = 0;
thread T1 {{
  local t : int = 0;
  while (true) {{ await (free) {{ free := false; }} t := x; {step} free := true; }}
}}
thread T2 {{
  while (true) {{ await (free) {{ free := false; }} x := x + 2; free := true; }}
}}
"""
SAFE = GUARDED.format(step="x := x + 1;")
BY_COPY = GUARDED.format(step="x := t + 1;")


@pytest.mark.fuzz
def test_locations_of_other_threads_are_shown_where_shared_variables_do_not_do() -> None:
    abstract, concrete, block = read(SAFE, BY_COPY)
    at_a_glance = begin(abstract, concrete, block, Limits())
    assert attempt(at_a_glance, Limits(), deciding(None), Effort.GLANCE).composition is None
    work = begin(abstract, concrete, block, Limits(), Level.LOCATIONS)
    tried = attempt(work, limits(30.0, None), deciding(30.0))
    assert tried.composition is not None
    assert isinstance(check_composition(tried.composition, Limits()), Accepted)


def test_threads_that_are_the_same_are_related_whatever_others_do() -> None:
    abstract, concrete, block = read(SAFE, SAFE)
    tried = in_any_environment(abstract, concrete, block, deciding(30.0))
    assert tried.composition is not None
    assert isinstance(check_composition(tried.composition, Limits()), Accepted)
    assert in_any_environment(*read(SAFE, BY_COPY), deciding(30.0)).composition is None


def test_a_bug_of_the_program_is_shown_as_a_run_of_the_whole_program() -> None:
    """T2 forgets to take the lock, and T1 writes what it has read before T2's step."""
    abstract, concrete = (
        """
        global free : bool = true;
        global x : int = 0;
        thread T1 { local t : int = 0; await (free) { free := false; } t := x; @set(x) x := t + 1; free := true; }
        thread T2 { TAKE @add(x) x := x + 2; free := true; }
        """.replace("TAKE", take)
        for take in ("await (free) { free := false; }", "free := false;")
    )
    outcome = _ask(abstract, concrete)
    assert outcome.verdict is Verdict.REFUTED
    assert [r.goal.name for r in outcome.results] == ["T1|T2"]


def test_a_pair_that_fails_is_no_refutation_where_the_abstract_threads_help_each_other() -> None:
    """Alone, T1 cannot show b at once; but nobody can tell which thread shows it."""
    abstract = "global x : int = 0; thread T1 { @a skip; } thread T2 { await (x == 0) { } @b skip; }"
    concrete = "global x : int = 0; thread T1 { @a skip; } thread T2 { @b skip; }"
    assert _ask(abstract, concrete).verdict is Verdict.PROVED


def test_programs_with_too_many_joint_locations_are_proved_pair_by_pair_and_refuted_by_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(goals, "LARGE", 4)
    assert _ask(SAFE, SAFE).composition is not None
    lost = "global x : int = 0; thread T1 { local t : int = 0; t := x; x := t + 1; } thread T2 { x := x + 2; }"
    assert _ask(lost.replace("x := t + 1", "x := x + 1"), lost).verdict is Verdict.REFUTED


@pytest.mark.parametrize("side", ["abstract", "concrete"])
def test_relies_are_declared_everywhere_or_nowhere(side: str) -> None:
    """An inferred environment is larger than the real one: a declared one cannot be matched by it, nor it by one."""
    plain = "global x : int = 0; thread A { @p(x) skip; } thread B { skip; }"
    declared = plain.replace("thread A {", "thread A { rely unchanged x;").replace("B {", "B { rely unchanged x;")
    mixed = declared.replace("B { rely unchanged x;", "B {")
    abstract, concrete = (mixed, declared) if side == "abstract" else (declared, mixed)
    with pytest.raises(InputError) as refused:
        _ask(abstract, concrete)
    assert [d.code for d in refused.value.diagnostics] == ["SA406"]


def test_pairs_whose_ends_are_not_seen_are_put_together() -> None:
    text = "global x : int = 0; thread T1 { x := 1; x := 2; } thread T2 { local t : int; t := x; }"
    outcome = _ask(text, f"{text} refinement quiet {{ relate x; silent exit; }}")
    assert outcome.verdict is Verdict.PROVED
    assert outcome.composition is not None
