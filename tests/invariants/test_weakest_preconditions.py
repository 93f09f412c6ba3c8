"""What steps need so that claims hold afterwards, with what is in balance: small programs with their broken twins."""

from __future__ import annotations

from random import Random

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.ruling import Accepted
from sa.invariants.inductive_claims import by_claims, by_preconditions
from sa.question.asked import Asked
from tests.generators.programs import random_program
from tests.invariants.judge import random_claim
from tests.invariants.test_inductive_claims import bads
from tests.language.texts import program_of

#: Programs with a place where a number makes the difference: it is right with the first one and wrong with the second.
#: The others take seconds each.
USUAL = ("a square under a lock", "turns")
TWINS = {
    "a square under a lock": (
        """global x, y : int = 0; global l : 0..2 = 0;
        thread T[i : 1..2] {{ while (true) {{ lock(l); x := x + 2 * y + {}; y := y + 1; unlock(l); }} }}
        invariant square : l == 0 ==> x == y * y;""",
        ("1", "2"),
    ),
    "turns": (
        """global turn : bool = false; global x, y : int = 0;
        thread A {{ while (true) {{ await !turn; x := x + 1; turn := true; }} }}
        thread B {{ while (true) {{ await turn; y := y + {}; assert x == y; turn := false; }} }}""",
        ("1", "2"),
    ),
    "readers and a writer": (
        """global readers, a, b : int = 0; global writing : bool = false;
        thread R[i : 1..3] {{ local x, y : int = 0; while (true) {{
          await !writing {{ readers := readers + 1; }} x := a; y := b; assert x == y; readers := readers - {}; }} }}
        thread W {{ local t : int = 0; while (true) {{
          await !writing && readers == 0 {{ writing := true; }} havoc t; a := t; b := t; writing := false; }} }}""",
        ("1", "2"),
    ),
    "a server that is asked and answers": (
        """global req, ack : bool = false; global n, d, q, r : int = 0;
        thread Client {{ local x, y : int; while (true) {{ havoc x; havoc y; assume x >= 0 && y > 0;
          n := x; d := y; req := true; await ack; ack := false; assert n == q * d + r && r >= 0 && r < d; }} }}
        thread Server {{ while (true) {{ await req; req := false; q, r := 0, n;
          while (r >= d) {{ q, r := q + {}, r - d; }} ack := true; }} }}""",
        ("1", "2"),
    ),
    "a copy that is replaced when nobody reads it": (
        """global ptr : 0..1 = 0; global val, rd : int[2] = 0;
        thread Reader[i : 1..2] {{ local p : 0..1 = 0; local x, y : int = 0; while (true) {{
          atomic {{ p := ptr; rd[p] := rd[p] + 1; }} x := val[p]; y := val[p]; assert x == y; rd[p] := rd[p] - 1; }} }}
        thread Updater {{ local o : 0..1 = 0; while (true) {{
          o := 1 - ptr; await rd[o] <= {}; val[o] := val[o] + 1; ptr := o; }} }}""",
        ("0", "1"),
    ),
    "transfers under locks": (
        """global a, b : int = 100; global l, m : 0..2 = 0;
        thread T {{ local x : int = 0; while (true) {{ havoc x; assume x > 0; lock(l); lock(m);
          if (a >= x) {{ a := a - x; b := b + {}; }} unlock(m); unlock(l); }} }}
        thread Audit {{ local s : int = 0; while (true) {{ lock(l); lock(m); s := a + b; assert s == 200;
          assert a >= 0; unlock(m); unlock(l); }} }}""",
        ("x", "x + 1"),
    ),
    "slots that are reserved first": (
        """param CAP : int; init CAP > 0; global free : int = CAP; global full, count : int = 0;
        thread P[i : 1..2] {{ while (true) {{ await free > 0 {{ free := free - 1; }}
          count := count + {}; assert count <= CAP; full := full + 1; }} }}
        thread C {{ while (true) {{ await full > 0 {{ full := full - 1; }}
          count := count - 1; assert count >= 0; free := free + 1; }} }}""",
        ("1", "2"),
    ),
}


def is_proved(text: str) -> bool:
    """Whether claims, and then preconditions, exclude all that is claimed; the checker looks at it."""
    program = program_of(text)
    asked = Asked(program.threads, bads(program), program.axioms)
    left = set(asked.bads)
    for engine in (by_claims, by_preconditions):
        for found in engine(asked, Budget(Limits()), unheard):
            assert isinstance(found.evidence, Lemmas)
            assert check_lemmas(found.evidence, Limits()) == Accepted()
            left -= set(found.bads)
    return not left


@pytest.mark.parametrize("name", [n if n in USUAL else pytest.param(n, marks=pytest.mark.fuzz) for n in TWINS])
def test_the_right_one_is_proved_and_the_wrong_one_is_not(name: str) -> None:
    text, (right, wrong) = TWINS[name]
    assert is_proved(text.format(right))
    assert not is_proved(text.format(wrong))


@pytest.mark.parametrize("seed", range(20))
def test_what_is_excluded_is_accepted(seed: int) -> None:
    threads = program_of(random_program(seed, threads=2)).threads
    asked = Asked(threads, (Bad(None, random_claim(Random(seed), threads)), Bad(Failing(), None)), ())
    for found in by_preconditions(asked, Budget(Limits()), unheard):
        assert isinstance(found.evidence, Lemmas)
        assert check_lemmas(found.evidence, Limits()) == Accepted()
