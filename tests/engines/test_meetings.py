"""What is known where two copies meet, as part of proofs about any number of them (THEORY section 12)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.families import CrowdJoint
from sa.certificates.family_composition import CrowdComposition, Meeting, Met, claimed
from sa.certificates.family_composition_json import crowd_composition_json
from sa.certificates.shape import Entry, Malformed
from sa.checker.composition import check_composition
from sa.checker.family_question import asked_of
from sa.checker.judge import judge_refinement
from sa.checker.resources import Resources
from sa.checker.ruling import Accepted
from sa.checker.solvers import Z3
from sa.engines import families
from sa.engines.goals import decide
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine
from sa.invariants.efforts import Effort
from sa.question.families import crowds
from sa.refinement.families import composition_of, pairs_of
from sa.refinement.family_facts import known_of, met_of
from sa.terms import build
from sa.terms.sort import BOOL
from sa.terms.term import Forall, subterms
from tests.endtoend.asking import read

ADD = "global x : int = 0; thread T[*] { x := x + 1; }"

#: A lock that does not say who has it: only together two copies know that they are not both inside.
SPINNING = """
global x : int = 0; global l : bool = false;
thread T[*] {
  local r : int; local was : bool = true;
  while (was) { was := exchange(l, true); }
  r := x; x := r + 1; l := false;
}
"""


def _ask(abstract: str, concrete: str) -> Outcome:
    return refine(*read(abstract, concrete), Options(limits(30.0, None)))


def _ruling(made: CrowdComposition) -> str:
    ruling = check_composition(made, Limits())
    return "accepted" if isinstance(ruling, Accepted) else ruling.obligation


@pytest.fixture(scope="module")
def spinning() -> CrowdComposition:
    asked = crowds(*read(ADD, SPINNING))
    known = [known_of(p, asked.identities, (), limits(60.0, None)) for p in (asked.abstract, asked.concrete)]
    abstract, concrete = (met_of(k, Effort.NEEDS, limits(60.0, None)) for k in known)
    pairs = pairs_of(asked, abstract, concrete, True, limits(60.0, None))
    made = composition_of(pairs, [decide(goal, limits(30.0, None)) for goal in pairs.goals])
    assert made is not None
    return made


def _saying(met: Met, *meetings: Meeting) -> Met:
    """The same joint invariants, which are to show something else."""
    families = met.joint.families
    return Met(replace(met.joint, never=claimed(families, meetings)), meetings)


PAIR = """
global p, q : int = 0;
thread W[*] { local v : int = 0; while (*) { havoc v; @set(v) p, q := v, 2 * v; } }
thread R { local r, s : int = 0; while (true) { r, s := p, q; @get(r, s) skip; } }
"""
VERSIONS = """
global a, b : int[*] = 0; global fresh : int = 1; global cur : int = 0;
thread W[*] {
  local v, k : int = 0;
  while (*) { havoc v; k := fetch_add(fresh, 1); a[k] := v; b[k] := 2 * v; @set(v) cur := k; }
}
thread R { local k, r, s : int = 0; while (true) { k := cur; r := a[k]; s := b[k]; @get(r, s) skip; } }
"""


def test_a_place_of_ones_own_in_an_array_is_written_by_nobody_else() -> None:
    """A version is filled before it is published, and the reader's version stays as it was."""
    outcome = refine(*read(PAIR, VERSIONS), Options(limits(120.0, None)))
    assert outcome.verdict is Verdict.PROVED and isinstance(outcome.composition, CrowdComposition)
    assert outcome.composition.met[0] and _ruling(outcome.composition) == "accepted"
    early = VERSIONS.replace("b[k] := 2 * v; @set(v) cur := k;", "@set(v) cur := k; b[k] := 2 * v;")
    assert early != VERSIONS
    assert refine(*read(PAIR, early), Options(limits(60.0, None))).verdict is Verdict.REFUTED


ANSWERS = """
function f(int) : int;
thread C[*] { local k, r : int = 0; while (*) { havoc k; @ask(k) skip; r := f(k); @answer(r) skip; } }
"""
TABLE = """
function f(int) : int; global known : bool[*] = false; global memo : int[*] = 0;
thread C[*] {
  local k, r : int = 0; local hit : bool = false;
  while (*) {
    havoc k; @ask(k) skip; hit := known[k];
    if (hit) { r := memo[k]; } else { r := f(k); memo[k] := r; known[k] := true; }
    @answer(r) skip;
  }
}
"""
QUEUE = """
global q : int[*] = 0; global hd, tl : int = 0;
thread P[*] { local v : int = 0; while (*) { havoc v; @enq(v) atomic { q[tl] := v; tl := tl + 1; } } }
thread C { local x : int = 0; while (true) { await hd < tl { x := q[hd]; hd := hd + 1; } @deq(x) skip; } }
"""
SLOTS = """
global cell : int[*] = 0; global full : bool[*] = false; global head, tail : int = 0;
thread P[*] {
  local v, my : int = 0;
  while (*) { havoc v; @enq(v) my := fetch_add(tail, 1); cell[my] := v; full[my] := true; }
}
thread C { local x : int = 0; while (true) { await full[head]; x := cell[head]; head := head + 1; @deq(x) skip; } }
"""


@pytest.fixture
def by_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what holds of all elements, and plays."""
    plan = (t for t in families.PLAN if isinstance(t, families.Refuting) or t.met is Effort.ELEMENTS)
    monkeypatch.setattr(families, "PLAN", tuple(plan))


@pytest.mark.usefixtures("by_elements")
@pytest.mark.parametrize(("abstract", "concrete"), [(ANSWERS, TABLE), (QUEUE, SLOTS)], ids=["memo", "queue"])
def test_what_holds_of_all_elements_is_part_of_proofs(abstract: str, concrete: str) -> None:
    outcome = refine(*read(abstract, concrete), Options(limits(60.0, None)))
    assert outcome.verdict is Verdict.PROVED and isinstance(outcome.composition, CrowdComposition)
    invariants = [q.inv for t in outcome.composition.concrete for q in t.automaton.locations]
    assert all(any(isinstance(t, Forall) for t in subterms((inv,))) for inv in invariants)
    # Searches do not look at it.
    goals = (q.inv for g in outcome.composition.goals for q in g.concrete.locations)
    assert not any(isinstance(t, Forall) for t in subterms(goals))


@pytest.mark.usefixtures("by_elements")
def test_a_certificate_has_quantifiers_in_invariants_of_threads_only() -> None:
    programs = read(ANSWERS, TABLE)
    made = refine(*programs, Options(limits(60.0, None))).composition
    assert isinstance(made, CrowdComposition)
    asked, text = asked_of(*programs, False), json.dumps(crowd_composition_json(made))

    def accepted(change: Callable[[Any], None] = lambda pair: None) -> bool:
        document = json.loads(text)
        change(document["pairs"][0])
        entry = Entry({"verdict": "proved", "composition": document})
        return [j.ruling for j in judge_refinement(asked, entry, Resources(Limits(), 0, Z3))] == [Accepted()]

    assert accepted()
    # What says too much of all elements is not kept by steps.
    for wrong in ("false", "(<= |j@everywhere| 0)", "(= (select memo |j@everywhere|) 1)"):
        said = {"inv": f"(forall ((|j@everywhere| Int)) {wrong})"}
        assert not accepted(lambda pair, said=said: pair["concrete"]["locations"]["q1"].update(said))  # type: ignore[misc]
    always = "(forall ((|j@everywhere| Int)) (or (<= |j@everywhere| 0) (<= 0 |j@everywhere|)))"
    elsewhere: list[Callable[[Any], None]] = [
        lambda pair: pair["concrete"]["locations"]["q0"].update(env=always),
        lambda pair: pair["concrete_invariants"].update(q0=always),
        lambda pair: pair["relation"]["pairs"][0]["lemmas"].append(always),
    ]
    for change in elsewhere:
        with pytest.raises(Malformed):
            accepted(change)


@pytest.mark.usefixtures("by_elements")
def test_what_is_published_too_early_is_no_proof() -> None:
    early = SLOTS.replace("cell[my] := v; full[my] := true;", "full[my] := true; cell[my] := v;")
    assert early != SLOTS and refine(*read(QUEUE, early), Options(limits(60.0, None))).verdict is Verdict.REFUTED
    early = TABLE.replace("memo[k] := r; known[k] := true;", "known[k] := true; memo[k] := r;")
    assert early != TABLE
    assert refine(*read(ANSWERS, early), Options(limits(20.0, None))).verdict is not Verdict.PROVED


def test_places_that_are_never_met_need_not_be_looked_at_together(spinning: CrowdComposition) -> None:
    assert _ruling(spinning) == "accepted"
    assert _ruling(replace(spinning, met=((), ()))) == "compatible"


def test_what_is_said_of_meetings_is_shown(spinning: CrowdComposition) -> None:
    (met,), _ = spinning.met
    everything = (replace(m, said=build.FALSE) for m in met.meetings)
    assert _ruling(replace(spinning, met=((_saying(met, *everything),), ()))) == "claim"
    free = build.lnot(build.variable("l", BOOL))
    unstable = tuple((q, build.land(inv, free)) for q, inv in met.joint.invariants)
    wrong = replace(met.joint, invariants=unstable)
    assert _ruling(replace(spinning, met=((replace(met, joint=wrong),), ()))) == "step of another copy"


def test_what_joint_invariants_do_not_claim_is_not_known_of_a_meeting(spinning: CrowdComposition) -> None:
    (met,), _ = spinning.met
    more = replace(met, meetings=(*met.meetings, replace(met.meetings[0], said=build.FALSE)))
    assert _ruling(replace(spinning, met=((more,), ()))) == "well-formed composition"


def test_what_is_said_of_a_meeting_is_about_the_two_that_meet(spinning: CrowdComposition) -> None:
    (met,), _ = spinning.met
    strange = build.eq(build.variable("strange"), build.ZERO)
    about_others = _saying(met, replace(met.meetings[0], said=strange))
    assert _ruling(replace(spinning, met=((about_others,), ()))) == "well-formed composition"
    number = replace(met, meetings=(replace(met.meetings[0], said=build.integer(5)), *met.meetings[1:]))
    assert _ruling(replace(spinning, met=((number,), ()))) == "well-formed composition"
    numbers = replace(met.joint, invariants=tuple((q, build.integer(5)) for q, _ in met.joint.invariants))
    assert _ruling(replace(spinning, met=((replace(met, joint=numbers),), ()))) == "well-formed threads"
    nowhere = _saying(met, replace(met.meetings[0], one=("T", "nowhere")))
    assert _ruling(replace(spinning, met=((nowhere,), ()))) == "well-formed composition"


def test_a_proof_about_meetings_in_another_program_is_none(spinning: CrowdComposition) -> None:
    (met,), _ = spinning.met
    (family,) = met.joint.families

    def of_another(joint: CrowdJoint) -> str:
        return _ruling(replace(spinning, met=((replace(met, joint=joint),), ())))

    assert _ruling(replace(spinning, met=((), (met,)))) == "well-formed composition"
    assert of_another(replace(met.joint, init=build.land(met.joint.init, build.variable("l", BOOL)))) == (
        "well-formed composition"
    )
    other = replace(family, thread=replace(family.thread, edges=family.thread.edges[1:]))
    assert of_another(replace(met.joint, families=(other,))) == "well-formed composition"


#: References that are counted: that it is one or more after a release needs how many copies hold one.
COUNTED = """
global rc : int = 1;
thread T[i : *] { while (true) { await rc > 0 { rc := rc + 1; } rc := rc - 1; } }
"""

#: Readers and writers: what is related while somebody writes is more than is asked.
READERS = """
global x : int = 0; global y : int = 0;
thread R[i : *] { local a : int = 0; local b : int = 0;
  while (true) { atomic { a := x; b := y; } @see(a, b) skip; } }
thread W[j : *] { local d : int = 0; while (true) { havoc d; @set(d) atomic { x := d; y := d; } } }
"""
GUARDED = """
global x : int = 0; global y : int = 0; global readers : int = 0; global writing : bool = false;
thread R[i : *] { local a : int = 0; local b : int = 0;
  while (true) {
    await !writing { readers := readers + 1; } a := x; b := y; @see(a, b) skip; readers := readers - 1;
  } }
thread W[j : *] { local d : int = 0;
  while (true) {
    havoc d; await !writing && readers == 0 { writing := true; } x := d; @set(d) y := d; writing := false;
  } }
"""
UNLESS_WRITING = """
refinement r {
  abstract "abs.sa"; concrete "conc.sa"; relate !conc.writing ==> abs.x == conc.x && abs.y == conc.y;
}
"""

#: A gate that the third one opens: what holds while a flag is up.
GATE = """
global n : int = 0;
thread T[i : *] { @arrive n := n + 1; await n >= 3; @go skip; }
"""
OPENED = """
global n : int = 0; global open : bool = false;
thread T[i : *] { local m : int = 0;
  @arrive atomic { n := n + 1; m := n; } if (m == 3) { open := true; } await open; @go skip; }
"""


def test_numbers_of_copies_are_known_of_pairs() -> None:
    assert _ask(COUNTED, COUNTED.replace("rc > 0", "rc != 0")).verdict is Verdict.PROVED
    assert _ask(COUNTED.replace("rc > 0", "rc > 1"), COUNTED).verdict is Verdict.REFUTED


def test_readers_and_writers_refine_atomic_ones() -> None:
    assert _ask(READERS, GUARDED + UNLESS_WRITING).verdict is Verdict.PROVED
    torn = GUARDED.replace("!writing && readers == 0", "!writing")
    assert _ask(READERS, torn + UNLESS_WRITING).verdict is Verdict.REFUTED


def test_what_holds_while_a_flag_is_up_is_known() -> None:
    assert _ask(GATE, OPENED).verdict is Verdict.PROVED
    assert _ask(GATE, OPENED.replace("m == 3", "m == 2")).verdict is Verdict.REFUTED


#: Numbers that are published one after the other, and never written again: readers of any number.
LATEST = """
global a : int = 0;
thread W { while (true) { @upd a := a + 1; } }
thread R[i : *] { local r : int = 0; while (true) { r := a; @ret(r) skip; } }
"""
PUBLISHED = """
global f : int[*] = 0; global cur : int = 0;
thread W { while (true) { f[cur + 1] := cur + 1; @upd cur := cur + 1; } }
thread R[i : *] { local p, r : int = 0; while (true) { p := cur; r := f[p]; @ret(r) skip; } }
"""


def test_what_was_published_stays_for_any_number_of_readers() -> None:
    assert _ask(LATEST, PUBLISHED).verdict is Verdict.PROVED
    early = PUBLISHED.replace("f[cur + 1] := cur + 1; @upd cur := cur + 1;", "@upd cur := cur + 1; f[cur] := cur;")
    assert _ask(LATEST, early).verdict is Verdict.REFUTED


#: The last result of a function is remembered, under a lock: what is there is right while nobody is at work on it.
PURE = """
function f(int) : int;
thread T[*] { local k : int = 0; while (true) { havoc k; @result(k, f(k)) skip; } }
"""
REMEMBERED = """
function f(int) : int;
global full : bool = false; global key, val, l : int = 0;
thread T[*] { local k, r : int = 0;
  while (true) {
    havoc k; lock(l);
    if (full && key == k) { r := val; } else { r := f(k); full := true; key := k; val := r; }
    unlock(l); @result(k, r) skip;
  } }
"""


def test_what_is_remembered_of_a_function_is_right() -> None:
    assert _ask(PURE, REMEMBERED).verdict is Verdict.PROVED
    assert _ask(PURE, REMEMBERED.replace("if (full && key == k)", "if (full)")).verdict is Verdict.REFUTED


#: Who asks for one of so many is counted first, and goes back where there are too many.
GRANTED = """
param MAX : int; init MAX > 0; global granted : int = 0;
thread R[i : *] { while (true) {
  await granted < MAX { @grant(i) granted := granted + 1; } @free(i) granted := granted - 1; } }
"""
ASKED = """
param MAX : int; init MAX > 0; global granted, asked : int = 0;
thread R[i : *] { local u : int = 0; while (true) {
  u := fetch_add(asked, 1);
  if (u < MAX) { @grant(i) granted := granted + 1; @free(i) granted := granted - 1; }
  u := fetch_add(asked, -1); } }
"""


def test_numbers_of_copies_say_something_of_one_copy_alone() -> None:
    asked = Options(limits(30.0, None))
    assert refine(*read(GRANTED, ASKED), asked).verdict is Verdict.PROVED
    assert refine(*read(GRANTED, ASKED.replace("u < MAX", "u <= MAX")), asked).verdict is Verdict.REFUTED
