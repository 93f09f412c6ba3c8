"""Alternatives at control points settle what came from one of several threads. Random programs are in `test_engine`."""

from __future__ import annotations

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Joint
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted
from sa.hybrid.engine import by_equalities
from sa.hybrid.exploring import ALTERNATIVES
from sa.question.asked import Asked, Excluded
from tests.language.texts import program_of

CONSENSUS = """
    global p, q, chosen, first, second : int; init chosen == 0 && p != 0 && q != 0;
    thread A {{ atomic {{ if (chosen == 0) {{ chosen := p; }} }} first := chosen; }}
    thread B {{ atomic {{ if (chosen == 0) {{ chosen := q; }} }} second := chosen; }}
    invariant agreed : at A.exit && at B.exit ==> first == second && (first == p || first == {});"""

COPIED = """
    global x : int = 0; global done : bool = false;
    thread A {{ local k, m, s : int; havoc k; havoc m; assume k + m > 5;
      while (*) {{ s := s + k; if (s == {}) {{ s := s + 1; }} }}
      if (*) {{ x := k + m; }} else {{ x := 0; }} done := true; }}
    thread B {{ await done; assert x != 5; }}"""


def found(text: str) -> list[Excluded]:
    """What is excluded by equations, differences and alternatives alone; the checker accepts it."""
    program = program_of(text)
    bads = tuple(Bad(None, i.formula) for i in program.invariants) or (Bad(Failing(), None),)
    answers = list(
        by_equalities(ALTERNATIVES[1], Asked(program.threads, bads, (), init=program.init), Budget(Limits()), unheard)
    )
    for answer in answers:
        assert isinstance(answer.evidence, Joint)
        assert check_joint(answer.evidence, Limits()) == Accepted()
    return answers


def test_whoever_came_first_is_one_of_several() -> None:
    assert [answer.how for answer in found(CONSENSUS.format("q"))] == ["alternatives at control points"]
    assert found(CONSENSUS.format("first + 1")) == []


@pytest.mark.parametrize("limit", [0, 7])
def test_a_loop_without_end_has_one_alternative_in_the_end(limit: int) -> None:
    """The sums grow without bound, and what the test before the loop says is kept."""
    assert [answer.how for answer in found(COPIED.format(limit))] == ["alternatives at control points"]


def test_what_differences_exclude_is_part_of_the_evidence() -> None:
    """No alternative says that what is counted is not negative, and the checker does not take it on trust."""
    text = """
    global x : int = 0; global done : bool = false;
    thread A { local k, m, j : int; havoc k; havoc m; assume k + m > 5; j := 0;
      while (*) { j := j + 1; }
      if (j < 0) { x := 5; } else { if (*) { x := k + m; } else { x := 0; } } done := true; }
    thread B { await done; assert x != 5; }"""
    assert [answer.how for answer in found(text)] == ["alternatives at control points"]
