"""The search on goals that show one thing each, from text."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest

from sa.app.refine import RefineRequest, refine
from sa.base.budget import Budget, Report
from sa.base.limits import Limits, limits
from sa.base.source import Source
from sa.base.verdict import Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import EnvironmentMove, Position, Step, Uncovered, Unmatched
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.engine import Prover, Turn
from sa.engines.goals import decide, decisions
from sa.engines.options import Options
from sa.engines.portfolio_of_goals import PORTFOLIOS, Depth, portfolio
from sa.engines.technique import Technique
from sa.language.elaborate import program
from sa.question.asked import Decision, GoalAsked, Related
from sa.question.goals import goals


def _goal(abstract: str, concrete: str) -> Goal:
    first, second = program(Source("abs.sa", abstract)), program(Source("conc.sa", concrete))
    (goal,) = goals(first, second, None, whole=False)
    return goal


def _decided(abstract: str, concrete: str) -> Decision:
    goal = _goal(abstract, concrete)
    decision = decide(goal, limits(30.0, None))
    if not isinstance(decision.evidence, Unknown):
        assert isinstance(check(goal, decision.evidence, Limits()), Accepted)
    return decision


def test_a_counter_that_must_not_reach_minus_one_needs_horn_clauses() -> None:
    text = "thread T {{ local x : int = 0; while (true) {{ x := x + 1; @seen {} }} }}"
    decision = _decided(text.format("await (x != -1) { skip; }"), text.format("skip;"))
    assert isinstance(decision.evidence, Relation)
    assert decision.strategy == "chc"


def test_an_answer_may_need_several_turns_of_an_abstract_loop() -> None:
    abstract = "global g : 0..9 = 0; thread T { local x : 0..9 = 0; while (x < 3) { x := x + 1; } g := x; }"
    decision = _decided(abstract, "global g : 0..9 = 0; thread T { g := 3; }")
    assert isinstance(decision.evidence, Relation)


def test_an_abstract_havoc_answers_with_the_concrete_value() -> None:
    text = "global g : int = 0; thread T {{ local t : int = 5; {} }}"
    decision = _decided(text.format("havoc g;"), text.format("g := 7 * t;"))
    assert isinstance(decision.evidence, Relation)


def test_a_concrete_havoc_over_all_integers_refutes_an_abstract_constant() -> None:
    text = "global g : int = 0; thread T {{ {} }}"
    decision = _decided(text.format("g := 1;"), text.format("havoc g;"))
    assert isinstance(decision.evidence, Position)


def test_guessing_the_future_is_refuted_and_does_not_escape() -> None:
    abstract = "thread T { choose { @a skip; @b skip; } or { @a skip; @c skip; } }"
    concrete = "thread T { @a skip; choose { @b skip; } or { @c skip; } }"
    decision = _decided(abstract, concrete)
    assert isinstance(decision.evidence, Position)


def test_an_environment_that_does_more_on_the_concrete_side_is_refuted_by_that_step() -> None:
    text = "global x : int = 0; thread T {{ rely {}; @a skip; }}"
    decision = _decided(text.format("x' >= x"), text.format("x' == x || x' == x - 1"))
    assert isinstance(decision.evidence, Position)
    assert isinstance(decision.evidence.move, Unmatched)


def test_an_uncovered_initial_state_is_refuted() -> None:
    text = "global x : int; init {}; thread T {{ @a skip; }}"
    decision = _decided(text.format("x > 3"), text.format("x > 2"))
    assert isinstance(decision.evidence, Uncovered)


def test_spoiler_moves_the_environment_first_where_only_that_wins() -> None:
    abstract = "global x : int = 0; thread T { rely x' >= x; @a await (x < 5) { skip; } }"
    concrete = "global x : int = 0; thread T { rely x' >= x; @a skip; }"
    decision = _decided(abstract, concrete)
    assert isinstance(decision.evidence, Position)
    assert isinstance(decision.evidence.move, EnvironmentMove)
    assert isinstance(decision.evidence.move.then.move, Step)


@pytest.mark.parametrize("sort", ["0..15", "int"])
def test_spoiler_may_need_many_moves_of_an_environment_that_counts(sort: str) -> None:
    rely = "rely x' == x || x' == x + 1; rely y' == y;"
    text = f"global x : {sort} = 0; global y : int = 0; thread T {{{{ {rely} while (*) {{{{ {{}} }}}} }}}}"
    decision = _decided(text.format("if (x < 12) { y := 1; } else { y := 2; }"), text.format("y := 1;"))
    assert isinstance(decision.evidence, Position)


def test_an_environment_that_is_not_transitive_is_closed_exactly() -> None:
    # Two environment steps lead from 0 to 2 and one does not; only then is the action possible.
    text = "global x : 0..2 = 0; thread T {{ rely x' == x || x == 0 && x' == 1 || x == 1 && x' == 2; {} }}"
    decision = _decided(text.format("@a await (x < 2) { skip; }"), text.format("@a skip;"))
    assert isinstance(decision.evidence, Position)


def test_a_refutation_never_depends_on_a_function_without_a_body() -> None:
    text = "function f(int) : int; global x : int = 0; thread T {{ x := {}; }}"
    decision = _decided(text.format("f(1)"), text.format("f(2)"))
    assert isinstance(decision.evidence, Unknown)
    assert isinstance(_decided(text.format("f(1)"), text.format("f(1)")).evidence, Relation)


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["gcd", "strength-reduction", "peterson"])
def test_the_same_input_gives_the_same_work(subject: str) -> None:
    folder = Path(__file__).parents[2] / "specs" / "paper" / subject
    texts = [(folder / name).read_text() for name in ("abs.sa", "conc.sa")]
    first, second = program(Source("abs.sa", texts[0])), program(Source("conc.sa", texts[1]))
    goal = goals(first, second, None, whole=False)[0]
    # One round without an end: where a share of the time ends a search, others work in between.
    runs = [decide(goal, Limits(end=inf)) for _ in range(3)]
    assert len({(r.effort, r.strategy) for r in runs}) == 1


@pytest.mark.parametrize("value", ["a * b + 3", "a / b", "f(a) * b", "m[a]"])
def test_what_does_not_change_in_a_loop_is_computed_once_before_it(value: str) -> None:
    text = (
        "global a, b, n, s : int; global m : int[*]; init b > 0; function f(int) : int;"
        "thread T {{ rely unchanged a, b, n, s, m; local i, t : int = 0; {} while (i < n) {{ s := s + {}; i += 1; }} }}"
    )
    decision = _decided(text.format("", value), text.format(f"t := {value};", "t"))
    assert isinstance(decision.evidence, Relation)


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        (
            "lock(l); x := x + 1; unlock(l); lock(l); y := y + 1; unlock(l);",
            "lock(l); x := x + 1; y := y + 1; unlock(l);",
        ),
        ("x := 1; x := x + 2; y := y + x; x := 1;", "x := 3; y := y + 3; x := 1;"),
    ],
)
def test_a_short_answer_may_make_detours_that_it_takes_back(abstract: str, concrete: str) -> None:
    """A lock released and taken again, a value written over: what counts is what has changed at the end."""
    shared = "global l : int = 0; global x, y : int = 0;"
    first, second = (f"{shared} thread A {{ while (true) {{ {t} }} }}" for t in (abstract, concrete))
    goal = _goal(first, second)
    (found, *_) = decisions(goal, Budget(limits(30.0, None), 0), portfolio(Depth.FULL, ("simulation:answers=short",)))
    evidence = found.evidence
    assert isinstance(evidence, Relation)
    assert isinstance(check(goal, evidence, Limits()), Accepted)


def test_an_engine_whose_formulas_get_too_deep_gives_up_and_the_next_one_is_asked() -> None:
    def deep(asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
        yield from deep(asked, budget, report)

    goal = _goal("thread T { @a skip; }", "thread T { @a skip; }")
    turns = (Turn(Prover(Technique("deep", ""), {}, deep), 1.0), PORTFOLIOS[Depth.FULL][2])
    (first, *_) = decisions(goal, Budget(limits(30.0, None), 0), turns)
    assert isinstance(first.evidence, Relation) and first.strategy == "simulation:answers=first"


COUNTED = """
automaton f {{
  local k : int = 0;
  location start initial; location here; location around; location end; location done;
  edge start -> here {{ local n : int; havoc n; atomic {{ @begins(n) k := n; }} }}
  edge here -> around checked {{ {first} }}
  edge around -> around when k >= {least} checked {{ k := k - 1; }}
  edge around -> end @returns({result}) when k < {least};
  edge end -> done;
}}
"""
EARLY = COUNTED.format(first="k := k - 1;", least=1, result="k")
LATE = COUNTED.format(first="skip;", least=2, result="k - 1")


@pytest.mark.parametrize(("abstract", "concrete"), [(EARLY, LATE), (LATE, EARLY), (EARLY, EARLY), (LATE, LATE)])
def test_a_loop_of_one_step_is_compared_with_its_rotated_form(abstract: str, concrete: str) -> None:
    assert isinstance(_decided(abstract, concrete).evidence, Relation)


def test_a_rotated_loop_with_one_round_too_few_is_refuted() -> None:
    decision = _decided(LATE, COUNTED.format(first="skip;", least=3, result="k - 1"))
    assert not isinstance(decision.evidence, Relation | Unknown)


def test_a_step_of_another_thread_is_no_answer_because_it_writes_the_same(tmp_path: Path) -> None:
    """The other thread may add one too, but only the answer `stay` leads to a relation."""
    other = "thread O { while (*) { x := x + 1; } }"
    shared = "param N : int; init N >= 0; global x : int;"
    first, second = tmp_path / "abs.sa", tmp_path / "conc.sa"
    first.write_text(f"{shared} thread S {{ x := x + N; @result(x) skip; }} {other}")
    loop = "while (i < N) { atomic { x := x + 1; i := i + 1; } }"
    second.write_text(
        f"{shared} thread S {{ local i : int = 0; {loop} @result(x) skip; }} {other}"
        " refinement r { pre conc.x == abs.x; relate true; }"
    )
    (answer,) = refine(RefineRequest((str(first), str(second)), False, Options(limits(20.0, None))))
    assert answer.outcome.verdict is Verdict.PROVED
