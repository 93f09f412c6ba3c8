"""Joint invariants that list values are judged case by case: what is accepted all at once is accepted, and no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Origin
from sa.automata.program import Axiom
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.threads import Joint
from sa.checker import never
from sa.checker.listed import listed
from sa.checker.ruling import Accepted
from sa.checker.threads import apart
from sa.hybrid.engine import by_equalities
from sa.hybrid.exploring import EQUALITIES
from sa.question.asked import Asked, Excluded
from sa.question.claims import claims_of
from sa.terms.build import FALSE, TRUE, call, conjuncts, disjuncts, eq, forall, integer, land, le, lor
from sa.terms.sort import INT
from sa.terms.term import Function, Term
from tests.language.texts import program_of

BOUNDS = Limits()

#: The turn and the flag are constants at each place, what is added is not.
TURNS = """
global turn : 0..2 = 2; global odd : bool = false; global x, y : int; init x == y;
thread A { while (true) { await turn == 2 { turn := 0; } x := x + 1; odd := !odd; turn := 1; } }
thread B { while (true) { await turn == 1; y := y + 1; assert x == y; turn := 2; } }
invariant even : turn == 2 ==> x == y;
"""
#: Which case a step leads to depends on data.
CHOSEN = """
global big : bool = false; global x, y : int; init x == y;
thread A { while (true) { atomic { havoc x; y := x; big := x > 3; } } }
thread B { while (true) { assert x == y; atomic { havoc big; } } }
"""


def evidence(text: str) -> Joint:
    """Joint invariants that the hybrid engine finds."""
    program = program_of(text)
    bads = tuple(b for c in claims_of(program) for b in c.bads)
    found = by_equalities(EQUALITIES, Asked(program.threads, bads, ()), Budget(BOUNDS), unheard)
    (proof,) = (f.evidence for f in found if isinstance(f, Excluded))
    assert isinstance(proof, Joint)
    return proof


def is_listed(made: Joint) -> bool:
    return listed(made, tuple(map(apart, made.threads)), lambda number, edge: False) is not None


def mutants(made: Joint) -> Iterator[Joint]:
    """Each invariant left out, without one of its cases, without what one of them says of one variable, and more."""
    for n, (places, inv) in enumerate(made.invariants):
        before, after = made.invariants[:n], made.invariants[n + 1 :]
        yield replace(made, invariants=(*before, *after))
        cases = disjuncts(inv)
        for k, case in enumerate(cases):
            others = (*cases[:k], *cases[k + 1 :])
            said: tuple[Term, ...] = case.args if len(getattr(case, "args", ())) > 1 else (case,)
            changed = [FALSE, TRUE, *(land(*said[:i], *said[i + 1 :]) for i in range(len(said)))]
            for other in changed:
                yield replace(made, invariants=(*before, (places, lor(other, *others)), *after))


def accepted(made: Joint) -> bool:
    return isinstance(never.check_joint(made, BOUNDS), Accepted)


@pytest.mark.parametrize("text", [TURNS, CHOSEN])
def test_evidence_by_cases_is_accepted(text: str) -> None:
    made = evidence(text)
    assert is_listed(made)
    assert accepted(made)


@pytest.mark.parametrize("text", [TURNS, CHOSEN])
def test_other_evidence_is_judged_as_all_at_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = list(mutants(evidence(text)))
    by_cases = [accepted(m) for m in made]
    assert sum(is_listed(m) for m in made) > len(made) // 4
    monkeypatch.setattr(never, "listed", lambda *_: None)
    assert by_cases == [accepted(m) for m in made]
    assert not all(by_cases)


def test_what_holds_in_all_cases_may_stand_beside_them() -> None:
    """Lemmas that were known before are conjuncts beside the cases, and may be disjunctions themselves."""
    made = evidence(TURNS)
    turn = next(v.var for v in made.threads[0].variables if v.var.name == "turn")
    known = land(le(turn, integer(2)), lor(eq(turn, integer(2)), le(turn, integer(1))))
    beside = replace(made, invariants=tuple((places, land(inv, known)) for places, inv in made.invariants))
    assert is_listed(beside)
    assert accepted(beside)
    wrong = replace(made, invariants=tuple((p, land(inv, eq(turn, integer(2)))) for p, inv in made.invariants))
    assert not accepted(wrong)


def test_a_case_that_contradicts_itself_is_no_case() -> None:
    """Constants are what all equations say, not what the last one says."""
    made = evidence(TURNS)
    turn = next(v.var for v in made.threads[0].variables if v.var.name == "turn")
    places, inv = made.invariants[0]
    wrong = lor(*(land(eq(turn, integer(1)), eq(turn, integer(0)), d) for d in disjuncts(inv)))
    assert not accepted(replace(made, invariants=((places, wrong), *made.invariants[1:])))


def test_a_failing_step_that_is_possible_is_seen() -> None:
    """The invariants of the right program, for the one whose assertion is wrong."""
    right, wrong = evidence(TURNS), program_of(TURNS.replace("assert x == y", "assert x == y + 1"))
    assert not accepted(replace(right, threads=wrong.threads))


def test_what_stays_open_of_a_constant_does_not_take_its_case_away() -> None:
    """What `f` is of a constant is not known: cases of which it says something are still looked at."""
    made = evidence(TURNS)
    turn = next(v.var for v in made.threads[0].variables if v.var.name == "turn")
    said = eq(call(Function("f", (INT,), INT), (turn,)), integer(3))
    wrong = program_of(TURNS.replace("assert x == y", "assert x == y + 1")).threads

    def saying(t: Automaton) -> Automaton:
        locations = tuple(replace(q, inv=land(*conjuncts(q.inv), said)) for q in t.locations)
        return replace(t, init=land(t.init, said), locations=locations)

    axiom = Axiom(forall((turn,), said), Origin(None))
    assert accepted(replace(made, threads=tuple(map(saying, made.threads)), axioms=(axiom,)))
    assert not accepted(replace(made, threads=tuple(map(saying, wrong)), axioms=(axiom,)))


@pytest.mark.parametrize("places", [("A",), ("nowhere", "nowhere")])
def test_a_joint_location_that_does_not_exist_is_refused(places: tuple[str, ...]) -> None:
    made = evidence(TURNS)
    assert not accepted(replace(made, invariants=(*made.invariants, (places, FALSE))))
