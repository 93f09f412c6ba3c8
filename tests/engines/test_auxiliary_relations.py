"""Pairs of threads are enough where more is related than is asked, and what is PROVED so is true of what is asked.

The judge enumerates the game of the question as it is asked, in which nothing is related.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sa.app.certificate import refinement_certificate
from sa.app.refine import RefineRequest
from sa.app.refine import refine as ask
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.certificates.shape import Entry
from sa.certificates.threads import Composition
from sa.checker.judge import judge_refinement
from sa.checker.question import question
from sa.checker.ruling import Accepted
from sa.engines import families, programs
from sa.engines.auxiliary_relations import related_besides
from sa.engines.met_pairs import Proving, Work, pairs_in, proved_from
from sa.engines.options import Options
from sa.engines.outcome import Found, Outcome
from sa.engines.portfolio_of_goals import Depth
from sa.engines.refine import refine
from sa.generation.visibility import Level
from sa.invariants.efforts import Effort as Needed
from sa.question.families import crowds
from sa.question.goals import LARGE, goals, is_large, some_threads
from sa.refinement.compositional import Effort
from sa.terms.printer import show
from tests.certificates.mutation import COURT
from tests.endtoend.asking import read
from tests.generators.family_pairs import FamilyPair, random_family_pair
from tests.oracle.explicit import restrict_goal
from tests.oracle.game import decide

#: The least sum of two numbers: each thread adds to both, on the concrete side under a lock.
ABSTRACT = """
global a, b : int = 0;
thread T[i : 1..2] { while (true) { atomic { a := a + i; b := b + 2 * i; @now(a, b) skip; } } }
thread R { local x, y : int = 0; while (true) { x, y := a, b; @saw(x, y) skip; } }
"""
CONCRETE = """
global p, q : int = 0;
global l : int = 0;
thread T[i : 1..2] { while (true) { lock(l); p := p + i; q := q + 2 * i; @now(p, q) l := 0; } }
thread R { local x, y : int = 0; while (true) { lock(l); x := p; y := q; unlock(l); @saw(x, y) skip; } }
"""

FAMILY = "global n : int = 0; thread T[i : *] { while (true) { atomic { n := n + 1; @now(n) skip; } } }"
SWAPPING = """
global x : int = 0;
thread T[i : *] {
  local o : int = 0;
  local ok : bool = false;
  while (true) { o := x; atomic { ok := cas(x, o, o + 1); if (ok) { @now(o + 1) skip; } } }
}
"""


#: Whoever reads under the abstract lock may read without it: the other side is at work on one number only.
LOCKED_READS = """
global x : int = 0; global l : int = 0;
thread R[*] { local r : int = 0; while (*) { lock(l); r := x; unlock(l); @read(r) skip; } }
thread W { while (true) { lock(l); x := x + 1; unlock(l); } }
"""
PLAIN_READS = """
global x : int = 0; global m : int = 0;
thread R[*] { local r : int = 0; while (*) { r := x; @read(r) skip; } }
thread W { while (true) { lock(m); x := x + 1; unlock(m); } }
"""


def test_an_abstract_lock_that_nothing_relates_is_free_whenever_the_concrete_side_stands() -> None:
    outcome = refine(*read(LOCKED_READS, PLAIN_READS), Options(limits(60.0, None)))
    assert outcome.verdict is Verdict.PROVED and isinstance(outcome.composition, Composition)
    assert [show(t) for t in outcome.composition.besides] == ["abs.l == 0"]
    twice = PLAIN_READS.replace("x := x + 1;", "x := x + 2; x := x - 1;")
    assert refine(*read(LOCKED_READS, twice), Options(limits(60.0, None))).verdict is Verdict.REFUTED


def test_what_is_equal_to_its_namesake_is_not_compared_with_others() -> None:
    """Nor does it matter that abstract threads can go around for ever."""
    moving = "global a, b : int = 5; thread T[i : 1..2] { while (*) { a, b := a - i, b + i; } }"
    slowly = """global a, b : int = 5; global l : int = 0;
    thread T[i : 1..2] { while (*) { lock(l); a := a - i; b := b + i; unlock(l); } }
    refinement r { abstract "a.sa"; concrete "c.sa"; relate conc.l == 0 ==> conc.a == abs.a && conc.b == abs.b; }"""
    said = found(moving, slowly)
    assert said and not any("conc.a == abs.b" in f or "conc.b == abs.a" in f for f in said)
    assert "conc.b == abs.b" not in said or "conc.a == abs.a" not in said


def found(abstract: str, concrete: str) -> list[str]:
    (goal,) = goals(*read(abstract, concrete), whole=True)
    return [show(t) for t in related_besides((goal,), Options(limits(60.0, None)))]


def only_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask nobody else who can prove."""
    plan = tuple(programs.Pairs(Level.HIDDEN, Effort.BRIEF, besides) for besides in programs.Besides)
    monkeypatch.setattr(programs, "PLAN", plan)
    monkeypatch.setattr(families, "PLAN", tuple(t for t in families.PLAN if getattr(t, "besides", False)))


def test_equations_are_asked_for_while_nobody_is_at_work() -> None:
    """What is written in two steps under a lock is equal while nobody who writes has it."""
    (said,) = found(ABSTRACT, CONCRETE)
    assert said == "conc.l == 0 ==> conc.p == abs.a && conc.q == abs.b"


def test_nothing_is_related_where_all_is() -> None:
    """Nor where plays leave nothing of it."""
    assert not found(FAMILY.replace("*", "1..2"), FAMILY.replace("*", "1..2"))
    assert not found("global x : int = 0; thread T { x := 1; }", "global y : int = 0; thread T { y := 2; }")


#: A queue without bounds: what is behind its end may differ.
UNBOUNDED = (
    """
    global q : int[*] = 0; global a, z : int = 0;
    thread P { local v : int = 0; while (true) { havoc v; atomic { @put(v) q[z] := v; z := z + 1; } } }
    thread C { local r : int = 0; while (true) { await a < z { r := q[a]; a := a + 1; @get(r) skip; } } }
    """,
    """
    global m : int[*] = 0; global h, t : int = 0;
    thread P { local v : int = 0; while (true) { havoc v; m[t] := v; @put(v) t := t + 1; } }
    thread C { local r : int = 0; while (true) { await h < t; r := m[h]; @get(r) h := h + 1; } }
    """,
)


@pytest.mark.fuzz  # 13 s of processor time.
def test_arrays_may_differ_at_one_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the element which is just being written."""
    only_besides(monkeypatch)
    made = refine(*read(*UNBOUNDED), Options(limits(60.0, None)))
    assert made.verdict is Verdict.PROVED
    assert made.composition is not None
    assert "store(abs.q, conc.t, conc.m[conc.t]) == conc.m" in map(show, made.composition.besides)


#: A lock for each end of a queue: whoever takes from it must know that only what is behind its end may differ.
TWO_LOCKS = """
global buf : int[*] = 0; global head, tail, hl, tl : int = 0;
thread E[i : 1..2] { local v : int = 0; while (*) {
  havoc v; lock(tl); buf[tail] := v; @enq(v) tail := tail + 1; unlock(tl); } }
thread D[i : 1..2] { local w : int = 0; while (*) {
  lock(hl); if (head < tail) { w := buf[head]; head := head + 1; unlock(hl); @deq(w) skip; } else { unlock(hl); } } }
refinement two_locks {
  abstract "abs.sa"; concrete "conc.sa"; relate head, tail; relate conc.tl == 0 ==> conc.buf == abs.buf;
}
"""
ONE_STEP_EACH = """
global buf : int[*] = 0; global head, tail : int = 0;
thread E[i : 1..2] { local v : int = 0; while (*) {
  havoc v; @enq(v) atomic { buf[tail] := v; tail := tail + 1; } } }
thread D[i : 1..2] { local w : int = 0; while (*) {
  await head < tail { w := buf[head]; head := head + 1; } @deq(w) skip; } }
"""


def test_some_threads_suggest_what_is_related_where_all_are_too_many() -> None:
    """Numbers that are related already are places all the same."""
    abstract, concrete, block = read(ONE_STEP_EACH, TWO_LOCKS)
    assert is_large(concrete)
    some = some_threads(abstract, concrete, block)
    assert some is not None and 1 < len(some.concrete.locations) < LARGE
    said = [show(f) for f in related_besides((some,), Options(limits(30.0, None)))]
    assert "store(abs.buf, conc.tail, conc.buf[conc.tail]) == conc.buf" in said


@pytest.mark.fuzz  # 25 s of processor time.
def test_pairs_that_know_where_they_meet_are_proved_with_more_related() -> None:
    assert refine(*read(ONE_STEP_EACH, TWO_LOCKS), Options(limits(90.0, None))).verdict is Verdict.PROVED


def test_differences_are_related_to_numbers() -> None:
    """How many there are on the one side is a number, on the other how far two counters are apart."""
    said = found(
        "global n : int = 0; thread P { while (*) { @put n := n + 1; } } thread C { while (*) { @get n := n - 1; } }",
        "global h, t : int = 0; thread P { while (*) { @put t += 1; } } thread C { while (*) { @get h += 1; } }",
    )
    assert said == ["abs.n + conc.h == conc.t"]


def test_names_need_not_be_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of families, too, and what is claimed is what was asked."""
    only_besides(monkeypatch)
    made = refine(*read(FAMILY, SWAPPING), Options(limits(60.0, None)))
    assert made.verdict is Verdict.PROVED
    assert made.composition is not None
    assert [show(t) for t in made.composition.besides] == ["conc.x == abs.n"]
    assert made.claim == (
        "for any number of copies, every run of the concrete program has an abstract run with the same visible actions"
    )


def test_a_certificate_says_what_is_related_besides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the pairs prove nothing; and it cannot say less than what is asked."""
    only_besides(monkeypatch)
    folder, (abstract, concrete) = tmp_path, ("global g : int = 0;", "global x : int = 0;")
    threads = "thread T[i : 1..3] {{ while (true) {{ atomic {{ {0} := {0} + i; @now({0}) skip; }} {1} }} }}"
    (folder / "abs.sa").write_text(abstract + threads.format("g", ""))
    (folder / "conc.sa").write_text(concrete + threads.format("x", "skip;"))
    request = RefineRequest((str(folder / "abs.sa"), str(folder / "conc.sa")), False, Options(limits(60.0, None)))
    answers = list(ask(request))
    assert answers[0].outcome.verdict is Verdict.PROVED
    composition = answers[0].outcome.composition
    assert composition is not None
    assert composition.besides
    document = json.loads(refinement_certificate(str(folder / "p.json"), request, answers))["questions"][0]
    asked = question(answers[0].question.abstract, answers[0].question.concrete, None, whole=False)

    def accepted(changed: Any) -> bool:
        return all(isinstance(j.ruling, Accepted) for j in judge_refinement(asked, Entry(changed), COURT))

    assert accepted(document)
    for besides in ([], ["false"], ["(= |conc.x| (+ |abs.g| 1))"]):
        assert not accepted({**document, "composition": {**document["composition"], "besides": besides}})


def renamed(pair: FamilyPair) -> FamilyPair:
    """The question about programs that name no global alike, with nothing related."""
    silent = "silent exit;" if "silent" in pair.block else ""
    return replace(pair, block=f"refinement asked {{ {silent} }}")


def texts(abstract: str, concrete: str) -> tuple[str, str]:
    return re.sub(r"\b([xbo])\b(?!\()", r"\1_there", abstract), concrete


def judge(seeds: Iterable[int], copies: int) -> tuple[Counter[str], list[int]]:
    """How many questions about families, and about two copies, were answered how, and which wrongly."""
    counted, wrong = Counter[str](), list[int]()
    for seed in seeds:
        pair = renamed(random_family_pair(seed))
        two = tuple(2 for _ in pair.families)
        for asked in (texts(*pair.texts()), texts(*pair.with_copies(two))):
            outcome = refine(*read(*asked), Options(limits(8.0, None)))
            counted[_how(outcome)] += 1
            for counts in (
                [two] if asked != texts(*pair.texts()) else [tuple(n for _ in two) for n in range(copies + 1)]
            ):
                if outcome.verdict is Verdict.PROVED and holds(texts(*pair.with_copies(counts))) is False:
                    wrong.append(seed)
    return counted, wrong


def _how(outcome: Outcome) -> str:
    besides = outcome.composition is not None and bool(outcome.composition.besides)
    return f"{outcome.verdict.value}{' besides' if besides else ''}"


def holds(asked: tuple[str, str]) -> bool | None:
    (goal,) = goals(*read(*asked), whole=True)
    if len(goal.concrete.locations) * len(goal.abstract.locations) > 20_000:
        return None
    return decide(restrict_goal(goal, -5, 9)).simulated


@pytest.mark.fuzz
def test_what_is_proved_with_more_related_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    only_besides(monkeypatch)
    counted, wrong = judge(range(3), 2)
    assert not wrong
    assert counted["PROVED besides"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [1_000, 2_000])
def test_what_is_proved_with_more_related_is_true_of_many(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    only_besides(monkeypatch)
    assert not judge(range(first, first + 150), 2)[1]


#: A value with two versions, one of which is current, and readers whom the writer waits for.
REGISTER = """
global cur : int = 0;
thread W { local v : int; while (true) { havoc v; @write(v) cur := v; } }
thread R[i : 1..2] { local r : int; while (true) { r := cur; @read(i, r) skip; } }
"""
VERSIONS = """
global data : int[2] = 0; global now : 0..1 = 0; global inside : bool[3] = false;
thread W { local v : int; local n : 0..1 = 0;
  while (true) { havoc v; n := 1 - now; await !inside[1]; await !inside[2]; data[n] := v; @write(v) now := n; } }
thread R[i : 1..2] { local r : int; local p : 0..1 = 0;
  while (true) { inside[i] := true; p := now; r := data[p]; inside[i] := false; @read(i, r) skip; } }
"""


def _versions(concrete: str) -> Found:
    asked = read(REGISTER, concrete)
    whole = some_threads(*asked)
    assert whole is not None
    options = Options(limits(40.0, None))
    said = related_besides((whole,), options)
    assert "(conc.now == 0 ==> conc.data[0] == abs.cur)" in " ".join(map(show, said))
    proving = Proving(closures=True, depth=Depth.GLANCE, met=Needed.NEEDS)
    pairs = pairs_in(Work(crowds(*asked)), proving, said, options, options.limits)
    return proved_from(pairs, proving, options, options.limits)


def test_the_current_one_of_two_versions_is_related() -> None:
    assert _versions(VERSIONS).composition is not None


def test_who_does_not_wait_for_a_reader_writes_what_is_being_read() -> None:
    hasty = VERSIONS.replace("await !inside[2]; ", "")
    assert refine(*read(REGISTER, hasty), Options(limits(40.0, None))).verdict is Verdict.REFUTED
