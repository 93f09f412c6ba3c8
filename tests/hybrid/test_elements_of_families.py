"""Elements of arrays that any number of copies share: what is proved holds with a few copies, too."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from msgspec.structs import replace

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.families import CrowdJoint
from sa.certificates.families_json import crowd_joint_json, read_crowd_joint
from sa.certificates.shape import Entry
from sa.checker.families import check_crowd_joint
from sa.checker.ruling import Accepted, Rejected
from sa.engines.engine import Turn
from sa.engines.portfolio_of_families import BOUNDED
from sa.engines.verify import Options, verify
from sa.hybrid.families import by_elements
from sa.question.asked import Asked
from sa.question.claims import claims_of
from sa.terms.build import FALSE, variable
from tests.language.texts import program_of

WORK = """
    param n : int; init n > 0; global next : int = 0; global done : int[*] = {first};
    thread T[*] {{
      local k : int = 0;
      while (true) {{ {claim} if (k < n) {{ assert done[{read}] {wanted} 0; done[{written}] := {value}; }} }}
    }}
"""
ONCE = {
    "first": "0",
    "claim": "k := fetch_add(next, 1);",
    "read": "k",
    "wanted": "==",
    "written": "k",
    "value": "1",
}


@cache
def found(text: str) -> CrowdJoint | None:
    """The evidence that no copy's assertion fails, if there is any."""
    program = program_of(text)
    (claim,) = claims_of(program)
    asked = Asked(program.threads, claim.bads, program.axioms, families=program.families, init=program.init)
    evidence = [f.evidence for f in by_elements(asked, Budget(limits(30.0, None)), unheard)]
    assert all(isinstance(e, CrowdJoint) for e in evidence)
    return next((e for e in evidence if isinstance(e, CrowdJoint)), None)


BLOCKS = """
    global next : int = 0; global owner : int[*] = 0;
    thread T[t : *] {
      local base, k : int = 0;
      while (true) {
        base := fetch_add(next, 2); k := 0;
        while (k < 2) { owner[base + k] := t; k := k + 1; }
        assert owner[base] == t && owner[base + 1] == t;
      }
    }
"""


def test_blocks_that_copies_take_from_a_counter_are_their_own() -> None:
    assert found(BLOCKS) is not None
    overlapping = program_of(BLOCKS.replace("fetch_add(next, 2)", "fetch_add(next, 1)"))
    asked = Options(limits(30.0, None), portfolio=(Turn(BOUNDED, 1.0),))
    assert verify(overlapping, asked).verdict is Verdict.REFUTED


MEMO = """
    function f(int) : int; global known : bool[*] = false; global memo : int[*] = 0;
    thread T[*] { local k, r : int = 0; local hit : bool = false; while (*) {
      havoc k; hit := known[k];
      if (hit) { r := memo[k]; } else { r := VALUE; $ }
      assert r == VALUE; } }
"""


def test_what_an_element_means_while_its_flag_is_up_is_found() -> None:
    in_order, early = "memo[k] := r; known[k] := true;", "known[k] := true; memo[k] := r;"
    for value in ("f(k)", "k + 1"):
        made = found(MEMO.replace("VALUE", value).replace("$", in_order))
        assert made is not None and check_crowd_joint(made, Limits()) == Accepted()
    wrong = program_of(MEMO.replace("VALUE", "k + 1").replace("$", early))
    assert verify(wrong, Options(limits(60.0, None), portfolio=(Turn(BOUNDED, 1.0),))).verdict is Verdict.REFUTED


def test_work_that_is_claimed_by_a_counter_is_done_once() -> None:
    made = found(WORK.format(**ONCE))
    assert made is not None and check_crowd_joint(made, Limits()) == Accepted()


def test_evidence_that_says_less_of_elements_or_too_much_is_refused() -> None:
    made = found(WORK.format(**ONCE))
    assert made is not None
    for place, (where, said) in enumerate(made.invariants):
        for other in (FALSE,) if made.indices[0] in said.free else ():
            changed = (*made.invariants[:place], (where, other), *made.invariants[place + 1 :])
            assert isinstance(check_crowd_joint(replace(made, invariants=changed), Limits()), Rejected)
    # Of a free variable nothing is known for all integers.
    assert isinstance(check_crowd_joint(replace(made, indices=()), Limits()), Rejected)


def test_what_the_start_says_of_a_variable_is_not_said_of_an_index() -> None:
    """Else `n > 0` for all n, thus for the index 0, would prove anything."""
    text = "param n : int; global a : int[*]; init n > 0 && a[0] == 0; thread T[*] { assert a[0] != 0; }"
    program = program_of(text)
    (claim,) = claims_of(program)
    said = tuple(((q.name,), FALSE) for q in program.families[0].thread.locations)
    made = CrowdJoint((), program.families, (1,), said, program.init, claim.bads, (), indices=(variable("n"),))
    ruling = check_crowd_joint(made, Limits())
    assert isinstance(ruling, Rejected) and ruling.obligation == "well-formed threads"


def test_the_evidence_is_read_as_it_was_written() -> None:
    made = found(WORK.format(**ONCE))
    assert made is not None
    bads = {(0, n): b for n, b in enumerate(made.never)}
    entry = Entry(crowd_joint_json(made, bads))
    assert read_crowd_joint(entry, made.threads, made.families, made.init, bads, made.axioms) == made


CLAIMS = (
    "k := fetch_add(next, 1);",
    "k := next; next := k + 1;",
    "k := fetch_add(next, 2);",
    "k := fetch_add(next, -1);",
)
CHOICES = [
    {**ONCE, "first": first, "claim": claim, "wanted": wanted, "written": written}
    for first, claim, wanted, written in product(("0", "1"), CLAIMS, ("==", "!="), ("k", "k + 1"))
]


@pytest.mark.fuzz
def test_what_is_proved_is_not_refuted_by_a_few_copies() -> None:
    """Of 32 programs PROVED are proved, and none of these is refuted."""
    proved = 0
    for choice in CHOICES:
        program, made = program_of(WORK.format(**choice)), found(WORK.format(**choice))
        proved += made is not None
        if made is not None:
            runs = Options(limits(10.0, None), portfolio=(Turn(BOUNDED, 1.0),))
            assert verify(program, runs).findings[0].verdict is not Verdict.REFUTED, choice
    assert proved
