"""A relation keeps the lemmas that some condition of it needs, in few words, and is a weak simulation as before."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.base.budget import Budget
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.ruling import Accepted
from sa.checker.weak_simulation import check_relation
from sa.engines.goals import decide
from sa.engines.needed_lemmas import with_needed_lemmas
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.engines.shorter_lemmas import shortened
from sa.question.goals import goals
from sa.smt.session import Session
from sa.terms.build import add, eq, integer, ite, le, lnot, lor, lt, variable
from sa.terms.printer import show
from sa.terms.term import Term
from tests.endtoend.asking import read

SPECS = Path(__file__).parents[2] / "specs"
BOUNDS = Limits()
X, Y, Z = (variable(name) for name in ("x", "y", "z"))

COUNTS = """\
global x : int;
thread T {{
  rely unchanged x;
  local i, j : int = 0;
  while (i < 3) {{
    x := x + {added};
    i := i + 1;
    j := j + 2;
  }}
}}
"""


def proof(abstract: str, concrete: str) -> tuple[Goal, Relation]:
    """The goal of a pair of one thread each, and what the search says of it."""
    goal = goals(*read(abstract, concrete), whole=False)[0]
    evidence = decide(goal, BOUNDS).evidence
    assert isinstance(evidence, Relation)
    return goal, evidence


def test_what_no_condition_needs_is_left_out_and_the_rest_is_a_proof() -> None:
    goal, relation = proof(COUNTS.format(added="2"), COUNTS.format(added="1 + 1"))
    shorter = with_needed_lemmas(goal, relation, Budget(BOUNDS))
    assert isinstance(check_relation(goal, shorter, BOUNDS), Accepted)
    assert sum(len(p.lemmas) for p in shorter.pairs) < sum(len(p.lemmas) for p in relation.pairs)
    mentioned = {v.key for p in shorter.pairs for lemma in p.lemmas for v in lemma.free}
    assert not any("j" in name for name in mentioned)


def test_a_relation_without_a_lemma_that_is_needed_is_no_proof() -> None:
    goal, relation = proof(COUNTS.format(added="2"), COUNTS.format(added="1 + 1"))
    shorter = with_needed_lemmas(goal, relation, Budget(BOUNDS))
    told = [p for p in shorter.pairs if p.lemmas]
    assert told
    for pair in told:
        less = (replace(p, lemmas=()) if p is pair else p for p in shorter.pairs)
        assert not isinstance(check_relation(goal, replace(shorter, pairs=tuple(less)), BOUNDS), Accepted)


def test_a_relation_that_is_no_proof_stays_as_it_is() -> None:
    goal, relation = proof(COUNTS.format(added="2"), COUNTS.format(added="1 + 1"))
    empty = replace(relation, pairs=tuple(replace(p, lemmas=()) for p in relation.pairs))
    assert with_needed_lemmas(goal, empty, Budget(BOUNDS)) == empty


def test_the_first_example_says_at_most_three_things_at_a_place() -> None:
    abstract, concrete = SPECS / "closed/gcd/abs.sa", SPECS / "closed/gcd/conc.sa"
    found = refine(*read(abstract.read_text(), concrete.read_text()), Options(BOUNDS)).results
    relations = [r.relation for r in found]
    assert len(relations) == 2
    for relation in relations:
        assert isinstance(relation, Relation)
        assert max(len(p.lemmas) for p in relation.pairs) <= 3
        assert max(len(show(lemma)) for p in relation.pairs for lemma in p.lemmas) <= 120


@pytest.mark.parametrize(
    ("known", "lemma", "expected"),
    [
        ((le(integer(1), X),), lor(le(X, integer(0)), eq(Y, Z)), "y == z"),
        ((), lor(eq(X, integer(0)), lnot(eq(X, integer(1)))), "x != 1"),
        ((), lnot(eq(ite(eq(X, Y), integer(1), integer(0)), integer(0))), "x == y"),
        ((lt(X, Y),), eq(ite(lt(X, Y), add(X, Z), Z), Y), "x + z == y"),
        ((eq(X, integer(2)),), eq(add(X, Y), Z), "y == z - 2"),
    ],
)
def test_a_lemma_is_said_with_what_is_known_in_mind(known: tuple[Term, ...], lemma: Term, expected: str) -> None:
    assert [show(f) for f in shortened(Session(BOUNDS), known, (lemma,))] == [expected]
