"""What is learned from runs proves what many threads keep together; what it proves of random programs is true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.ruling import Accepted
from sa.invariants.ice import by_runs
from sa.question.asked import Asked, Refuted
from sa.question.claims import claims_of
from tests.generators.steering import steering_program
from tests.invariants.judge import distance
from tests.language.texts import program_of
from tests.oracle.explicit import restrict

#: Values that the programs do not leave when they are enumerated, and states that are enumerated at most.
RANGE, STATES = (-2, 4), 20_000

RING = """
    global turn : 0..4 = 4; global told : bool[4] = false; global token : int;
    thread Master {{ local sent : int = 0;
      while (true) {{ await turn == 4 {{ turn := 0; }} havoc token; sent := token; told[1] := true; turn := 4;
        await turn == 4 && told[0] {{ turn := 0; told[0] := false; }} assert token == sent + {sum}; turn := 4; }} }}
    thread Relay[i : 1..3] {{ while (true) {{ await turn == 4 && told[i] {{ turn := i; told[i] := false; }}
        token := token + 1; told[(i + 1) % 4] := true; turn := 4; }} }}
"""

CLAIMS: dict[str, tuple[str, bool]] = {
    "a number that is handed round": (RING.format(sum=3), True),
    "a number that is handed round, and is another one": (RING.format(sum=4), False),
    "a number counts the flags that are up": (
        "global n : int = 0; global f : bool[3] = false; thread T[i : 0..2] { while (true) {"
        "await !f[i] { f[i] := true; n := n + 1; } await f[i] { f[i] := false; n := n - 1; } } }"
        "invariant counted : n == (if f[0] then 1 else 0) + (if f[1] then 1 else 0) + (if f[2] then 1 else 0);",
        True,
    ),
    "and no more than there are": (
        "global n : int = 0; global f : bool[3] = false; thread T[i : 0..2] { while (true) {"
        "await !f[i] { f[i] := true; n := n + 1; } await f[i] { f[i] := false; n := n - 1; } } }"
        "invariant few : n <= 3;",
        True,
    ),
    "readers and writers with a count": (
        "global w : bool = false; global r : int = 0; global x : int = 0;"
        "thread W[i : 1..2] { while (true) { await !w && r == 0 { w := true; } x := 3; w := false; } }"
        "thread R[i : 1..2] { local l : int = 0; while (true) { await !w { r := r + 1; } l := x; assert l == x;"
        "r := r - 1; } }",
        True,
    ),
    "what is only so while a flag is up": (
        "global b : bool = false; global x, y : int = 0;"
        "thread A { while (true) { await !b; havoc x; y := x; b := true; } }"
        "thread B { while (true) { await b; assert x == y; b := false; } }",
        True,
    ),
}

#: What threads have taken off one number and not yet added to another one is in their locals.
MOVED = """
    global x : int = {first}; global y : int = 0;
    thread T[i : 1..3] {{ local some : int = 0;
      while (true) {{ havoc some; x := x - some; ON_ITS_WAY: {added} }} }}
    invariant nothing_lost :
      !at T[1].ON_ITS_WAY && !at T[2].ON_ITS_WAY && !at T[3].ON_ITS_WAY ==> x + y == {first};
"""

CLAIMS |= {
    "what is moved, while something is on its way": (MOVED.format(first=0, added="y := y + some;"), True),
    "what is moved, large at first": (MOVED.format(first=300, added="y := y + some;"), True),
    "and something is lost": (MOVED.format(first=0, added="if (some > 0) { y := y + some; }"), False),
    "what is read through an index is as it was while it is locked": (
        "global a : int[2] = 7; global busy : bool[2] = false;"
        "thread T[i : 1..2] { local k : 0..1 = 0; local l : int = 0; while (true) { havoc k;"
        "await !busy[k] { busy[k] := true; } l := a[k]; assert l == a[k]; havoc l; a[k] := l; busy[k] := false; } }",
        True,
    ),
    "and is not locked": (
        "global a : int[2] = 7;"
        "thread T[i : 1..2] { local k : 0..1 = 0; local l : int = 0; while (true) { havoc k;"
        "l := a[k]; assert l == a[k]; havoc l; a[k] := l; } }",
        False,
    ),
}


@pytest.mark.parametrize(("text", "holds"), CLAIMS.values(), ids=CLAIMS)
def test_what_many_threads_keep_together(text: str, holds: bool) -> None:
    program = program_of(text)
    wanted = bads_of(program)
    assert (set(proved(program)) == set(wanted)) == holds


#: Whoever is about to write does so in time; whoever has written waits longer than that (Fischer's protocol).
FISCHER = """
    param D : int; init D >= 1;
    global now : int = 0; global owner : 0..2 = 0; global latest : int[3] = 0; global writes : bool[3] = false;
    thread Clock {{ while (true) {{ await forall k : 1..2 :: !writes[k] || now < latest[k] {{ now := now + 1; }} }} }}
    thread P[i : 1..2] {{ local since : int = 0;
      while (true) {{
        await owner == 0 {{ latest[i] := now + D; writes[i] := true; }}
        atomic {{ owner := i; writes[i] := false; since := now; }}
        await now {longer} since + D;
        if (owner == i) {{ CS: skip; owner := 0; }} }} }}
    invariant mutex : !(at P[1].CS && at P[2].CS);
"""


@pytest.mark.parametrize(("longer", "holds"), [(">", True), (">=", False)])
def test_tests_that_follow_from_others_tell_how_long_who_waits(longer: str, holds: bool) -> None:
    program = program_of(FISCHER.format(longer=longer))
    assert (Bad(None, program.invariants[0].formula) in proved(program)) == holds


def test_what_depends_on_functions_is_left_to_others() -> None:
    program = program_of("function f(int) : int; global x : int = 0; thread T { x := f(x); } invariant i : x == x;")
    assert proved(program) == ()


def test_random_programs() -> None:
    counts = compared(range(6))
    assert counts["proved"] > counts["open"]


@pytest.mark.fuzz
def test_many_random_programs() -> None:
    compared(range(6, 400))


def bads_of(program: Program) -> tuple[Bad, ...]:
    """That no assertion fails, and each claim."""
    return (Bad(Failing(), None), *(Bad(None, i.formula) for i in program.invariants))


def proved(program: Program) -> tuple[Bad, ...]:
    """What is excluded, after the checker has accepted it."""
    done, asked = list[Bad](), Asked(program.threads, bads_of(program), program.axioms)
    for found in by_runs(asked, Budget(Limits()), unheard):
        assert isinstance(found.evidence, Lemmas)
        assert check_lemmas(found.evidence, Limits()) == Accepted()
        done += found.bads
    return tuple(done)


def compared(seeds: Iterable[int]) -> Counter[str]:
    """What is proved of random programs is true of them where their numbers are few, by enumeration."""
    counts = Counter[str]()
    for seed in seeds:
        program = program_of(steering_program(Random(seed)))
        excluded = set(proved(program))
        confined = tuple(restrict(t, *RANGE) for t in program.threads)
        for bad in bads_of(program):
            away = distance(confined, bad, STATES)
            assert away is None or bad not in excluded, seed
            counts["proved" if bad in excluded else "violated" if away is not None else "open"] += 1
    return counts


def test_a_choice_may_be_among_more_values_than_a_sequence_can_count() -> None:
    thread = "thread T { while (true) { havoc x; assert x >= 0; } }"
    program = program_of(f"global x : 0..{2**64 - 1} = 0; {thread} invariant some : x > 0;")
    asked = Asked(program.threads, tuple(b for c in claims_of(program) for b in c.bads), ())
    assert [found for found in by_runs(asked, Budget(Limits()), unheard) if isinstance(found, Refuted)] == []
