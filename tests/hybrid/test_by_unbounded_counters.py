"""Numbers that wrap around as numbers that do not, and rings whose elements are variables of their own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from functools import partial
from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.shape import Entry
from sa.certificates.threads import Joint, Lemmas
from sa.certificates.threads_json import joint_json, lemmas_json, read_joint, read_lemmas
from sa.checker.claims import claimed
from sa.checker.lemmas import check_lemmas
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted, Ruling
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import GROWING, QUICK_COORDINATES, Portfolio
from sa.engines.verify import Options, verify
from sa.hybrid.by_unbounded_counters import by_growing
from sa.hybrid.engine import by_equalities
from sa.hybrid.exploring import CANDIDATES, EQUALITIES
from sa.hybrid.unbounded_counters import unwrapped
from sa.question.asked import Asked, Excluded
from sa.terms import build
from sa.terms.printer import show
from tests.generators.wrapping import apart, wrapping_program
from tests.invariants.judge import distance
from tests.language.texts import program_of

#: A ring whose counters never wrap around.
RING = """
global buf : int[4] = 0; global head, tail : int = 0;
thread P {{ local n : int = {first};
  while (true) {{ await head - tail < {room}; buf[head % 4] := {value}; n := n + 1; head := head + 1; }} }}
thread C {{ local n, v : int = {first};
  while (true) {{ await head != tail; v := buf[tail % 4]; assert v == {value}; n := n + 1; tail := tail + 1; }} }}
"""

#: The same where counters, and what is in the ring, wrap around.
AROUND = """
global buf : 0..{last}[2] = 0; global head, tail : 0..{last} = 0;
thread P {{ local n : 0..{last} = 0;
  while (true) {{ await (if tail <= head then head - tail else head - tail + {last} + 1) < {room};
    buf[head % 2] := n; n := if n < {last} then n + 1 else 0; head := if head < {last} then head + 1 else 0; }} }}
thread C {{ local n, v : 0..{last} = 0;
  while (true) {{ await head != tail; v := buf[tail % 2]; assert v == n;
    n := if n < {last} then n + 1 else 0; tail := if tail < {last} then tail + 1 else 0; }} }}
"""


def verdicts(text: str, turns: Portfolio, seconds: float | None = None) -> set[Verdict]:
    return {f.verdict for f in verify(program_of(text), Options(limits(seconds, None), portfolio=turns)).findings}


def test_a_ring_keeps_what_is_written_in_order() -> None:
    for room, verdict in ((4, Verdict.PROVED), (5, Verdict.UNKNOWN)):
        assert verdicts(RING.format(first=7, room=room, value="3 - n"), (Turn(QUICK_COORDINATES, 1.0),)) == {verdict}


def test_it_does_so_where_its_counters_wrap_around() -> None:
    """Numbers of 0 … 2^32 - 1: nothing about them is found by enumeration."""
    assert verdicts(AROUND.format(last=2**32 - 1, room=2), (Turn(GROWING, 1.0),)) == {Verdict.PROVED}


@pytest.mark.parametrize(("last", "room"), [(2**32 - 1, 3), (2**32 - 2, 2)])
def test_too_much_room_and_a_size_that_is_no_multiple_of_the_ring_are_not_proved(last: int, room: int) -> None:
    assert Verdict.PROVED not in verdicts(AROUND.format(last=last, room=room), (Turn(GROWING, 1.0),), 5.0)


def test_numbers_that_nothing_is_added_to_do_not_grow() -> None:
    program = program_of("global x : 0..99 = 0; thread T { while (true) { x := 98 - x; assert x <= 98; } }")
    claim = claimed(program)[0]
    assert unwrapped(Asked(claim.threads, claim.bads, ())) is None


def test_differences_and_equations_are_of_numbers_that_grow_and_what_is_compared_is_near() -> None:
    program = program_of(
        "global x, y : 0..99 = 0;"
        f"thread A {{ while (true) {{ await {apart('x', 'y').replace('17', '100')} < 3 {{ x := {around('x')}; }} }} }}"
        f"thread B {{ while (true) {{ await x != y {{ y := {around('y')}; }} }} }}"
        "invariant three : x % 4 != 3 || y % 4 != 3 || x == y;"
    )
    (claim,) = claimed(program)
    made = unwrapped(Asked(claim.threads, claim.bads, ()))
    assert made is not None
    guards = {show(e.guard) for t in made.asked.threads for e in t.edges if e.updates}
    assert guards == {"x@growing <= y@growing + 2", "x@growing != y@growing"}
    set_to = {show(term) for t in made.asked.threads for e in t.edges for _, term in e.updates}
    assert set_to == {"x@growing + 1", "y@growing + 1"}
    (near,) = made.near
    assert near.claim is not None and show(near.claim) == "y@growing <= x@growing && x@growing <= y@growing + 99"
    assert len(made.ghosts) == 2


def around(variable: str) -> str:
    return f"(if {variable} <= 98 then {variable} + 1 else {variable} - 99)"


def proofs_of(program: Program) -> Iterable[Joint | Lemmas]:
    for claim in claimed(program):
        turns = ((partial(by_equalities, EQUALITIES), 0.5), (QUICK_COORDINATES.decide, 0.5))
        asked = Asked(claim.threads, claim.bads, program.axioms)
        for found in by_growing(turns, asked, Budget(Limits()), unheard):
            assert isinstance(found, Excluded) and isinstance(found.evidence, Joint | Lemmas)
            yield found.evidence


def test_proofs_with_ghosts_are_read_back_as_they_were() -> None:
    program = program_of(AROUND.format(last=2**16 - 1, room=2))
    claims, seen = claimed(program), 0
    for proof in proofs_of(program):
        bads = {(n, b): bad for n, c in enumerate(claims) for b, bad in enumerate(c.bads)}
        assert proof.ghosts
        if isinstance(proof, Joint):
            entry = Entry(json.loads(json.dumps(joint_json(proof, bads))))
            assert read_joint(entry, proof.threads, bads, ()) == proof
        else:
            entry = Entry(json.loads(json.dumps(lemmas_json(proof, bads))))
            assert read_lemmas(entry, proof.threads, bads, ()) == proof
        seen += 1
    assert seen


def test_a_proof_does_for_no_program_with_more_room_and_with_no_other_ghosts() -> None:
    """Each step that a ghost counts matters, or the proof is about something that needs none of it."""
    (good,), (bad,) = (claimed(program_of(AROUND.format(last=2**16 - 1, room=room))) for room in (2, 3))
    changed, rejected = 0, 0
    for proof in proofs_of(program_of(AROUND.format(last=2**16 - 1, room=2))):
        moved = replace(proof, threads=bad.threads, never=bad.bads)
        assert not isinstance(judged(moved), Accepted)
        for number, ghost in enumerate(proof.ghosts):
            for place, term in ghost.steps:
                others = tuple(s for s in ghost.steps if s[0] != place)
                for steps in (others, (*others, (place, build.add(term, build.ONE)))):
                    ghosts = (*proof.ghosts[:number], replace(ghost, steps=steps), *proof.ghosts[number + 1 :])
                    changed += 1
                    rejected += not isinstance(judged(replace(proof, ghosts=ghosts)), Accepted)
    assert good.what == bad.what
    assert rejected > changed / 2


def judged(proof: Joint | Lemmas) -> Ruling:
    return check_joint(proof, Limits()) if isinstance(proof, Joint) else check_lemmas(proof, Limits())


#: A sequence lock whose version wraps around, written for so many rounds.
SEQUENCE = """
    global version : 0..65535 = 0;
    global left, right : int = 0;
    thread Writer {{
      local i, v : int = 0;
      while ({more}) {{
        havoc v;
        version := (version + 1) % 65536; left := v; right := -v; version := (version + 1) % 65536; i := i + 1;
      }}
    }}
    thread Reader {{
      local before, after : 0..65535 = 0;
      local l, r : int = 0;
      while (true) {{
        before := version; l := left; r := right; after := version;
        if (before == after && before % 2 == 0) {{ assert l + r == 0; }}
      }}
    }}
"""


@pytest.mark.parametrize(("more", "said"), [("i < 1000", Verdict.PROVED), ("true", Verdict.UNKNOWN)])
def test_a_version_is_the_one_that_was_read_unless_it_came_round(more: str, said: Verdict) -> None:
    """Without a bound the writer may come to the same version again while the reader is between its two looks."""
    turns = ((partial(by_equalities, CANDIDATES), 1.0),)
    portfolio = (Turn(replace(GROWING, decide=partial(by_growing, turns)), 1.0),)
    assert verify(program_of(SEQUENCE.format(more=more)), Options(Limits(), portfolio=portfolio)).verdict is said


#: Seconds for one program, and about how many states the judge looks at: mostly that is all of them.
TIMEOUT, STATES = 4.0, 60_000


def judge(seeds: Iterable[int]) -> tuple[Counter[str], list[tuple[int, str]]]:
    """How many claims were answered how, with those that are said to hold and do not."""
    counted, wrong = Counter[str](), list[tuple[int, str]]()
    for seed in seeds:
        program = program_of(wrapping_program(Random(seed)))
        outcome = verify(program, Options(limits(TIMEOUT, None), portfolio=(Turn(GROWING, 1.0),)))
        for claim, finding in zip(claimed(program), outcome.findings, strict=True):
            counted[finding.verdict.value] += 1
            assert finding.verdict is not Verdict.REFUTED
            proved = finding.verdict is Verdict.PROVED
            if proved and any(distance(claim.threads, b, STATES) is not None for b in claim.bads):
                wrong.append((seed, claim.what))
    return counted, wrong


def test_what_is_proved_of_numbers_that_wrap_around_holds() -> None:
    counted, wrong = judge(range(6))
    assert not wrong
    assert counted["PROVED"] and counted["UNKNOWN"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [1_000, 2_000])
def test_what_is_proved_of_numbers_that_wrap_around_holds_of_many_programs(first: int) -> None:
    assert not judge(range(first, first + 500))[1]
