"""The checker on proofs about families of any number: each condition is asked for, and each matters."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.limits import Limits
from sa.base.verdict import Verdict
from sa.certificates.families import Count, CrowdJoint, CrowdKeeps, counter
from sa.certificates.threads import Annotated, Never
from sa.checker.claims import claimed
from sa.checker.families import check_crowd_joint, check_crowd_keeps
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.engines.engine import Turn
from sa.engines.portfolio_of_families import COUNTS
from sa.engines.verify import Options, verify
from sa.terms import build
from sa.terms.sort import BOOL
from sa.terms.term import Term, Var
from tests.language.texts import program_of

LOCK = (
    "global l : bool = false; thread T[i : *] { await !l { l := true; } CS: skip; l := false; }"
    " invariant mutex : forall i, j : T :: i != j ==> !(at T[i].CS && at T[j].CS);"
)
OWNER = (
    "global o : int = 0; thread T[i : *] { await o == 0 { o := i; } CS: skip; o := 0; }"
    " invariant mutex : forall i, j : T :: i != j ==> !(at T[i].CS && at T[j].CS);"
)
ONCE = "global x : int = 0; thread T[*] { await x == 0 { x := 1; } A: skip; } "


def var(name: str) -> Var:
    return build.variable(name)


def joint(program: Program, count: int, said: dict[tuple[str, ...], Term]) -> CrowdJoint:
    """What is said of joint locations of the copies, against all claims."""
    bads = tuple(b for c in claimed(program) for b in c.bads)
    axioms = program.axioms
    return CrowdJoint(program.threads, program.families, (count,), tuple(said.items()), program.init, bads, axioms)


def keeps(program: Program, said: dict[str, Term], witnesses: tuple[str, ...]) -> CrowdKeeps:
    """What is said of each copy at some locations, against all claims."""
    (family,) = program.families
    thread = family.thread
    places = tuple(
        replace(q, inv=build.land(q.inv, said.get(q.name, build.TRUE)), env=build.TRUE) for q in thread.locations
    )
    never = tuple(Never(b, witnesses if b.claim is not None else ()) for c in claimed(program) for b in c.bads)
    made = Annotated(thread, replace(thread, locations=places))
    return CrowdKeeps((), program.families, (made,), program.init, never, program.axioms)


def refused(ruling: Ruling) -> str:
    """The obligation that fails."""
    assert isinstance(ruling, Rejected), ruling
    return ruling.obligation


def lock_of_two() -> dict[tuple[str, ...], Term]:
    """No two copies are inside together; where one is, the lock is taken."""
    taken = build.variable("l", BOOL)
    outside, inside = ("q0", "q3", "exit"), ("CS", "q2")
    nobody = {(a, b): build.TRUE for a in outside for b in outside}
    return nobody | {p: taken for a in outside for b in inside for p in ((a, b), (b, a))}


def test_joint_invariants_of_two_copies_show_what_holds_of_any_number() -> None:
    assert isinstance(check_crowd_joint(joint(program_of(LOCK), 2, lock_of_two()), Limits()), Accepted)


def test_a_third_copy_may_break_what_two_keep() -> None:
    program = program_of("global x : int = 0; thread T[*] { x := x + 1; } invariant few : x <= 2;")
    after = {"q0": 0, "q1": 1, "exit": 1}
    exact = {(a, b): build.eq(var("x"), build.integer(m + n)) for a, m in after.items() for b, n in after.items()}
    assert refused(check_crowd_joint(joint(program, 2, exact), Limits())) == "step of another copy"


def test_joint_invariants_hold_at_the_start() -> None:
    said = lock_of_two() | {("q0", "q0"): build.variable("l", BOOL)}
    assert refused(check_crowd_joint(joint(program_of(LOCK), 2, said), Limits())) == "initial invariant"


def test_joint_invariants_are_kept_by_the_copies_that_they_speak_of() -> None:
    said = lock_of_two()
    del said["CS", "q0"]
    assert refused(check_crowd_joint(joint(program_of(LOCK), 2, said), Limits())) == "inductive invariant"


def test_joint_invariants_imply_the_claim() -> None:
    said = dict.fromkeys(((a, b) for a in places_of(LOCK) for b in places_of(LOCK)), build.TRUE)
    assert refused(check_crowd_joint(joint(program_of(LOCK), 2, said), Limits())) == "claim"


def test_joint_invariants_speak_of_a_copy_of_each_family_at_least() -> None:
    made = joint(program_of("global x : int = 0; thread T[*] { x := 1; } invariant v : x == 0;"), 0, {(): X_IS_0})
    assert refused(check_crowd_joint(made, Limits())) == "well-formed threads"


X_IS_0 = build.eq(var("x"), build.ZERO)
HELD = {q: build.eq(var("o"), var("i")) for q in ("CS", "q2")}
PAIR = ("T[#1]", "T[#2]")


def test_copies_that_know_their_identities_exclude_each_other() -> None:
    assert isinstance(check_crowd_keeps(keeps(program_of(OWNER), HELD, PAIR), Limits()), Accepted)


def test_one_copy_does_not_witness_what_two_do() -> None:
    assert refused(check_crowd_keeps(keeps(program_of(OWNER), HELD, PAIR[:1]), Limits())) == "claim"


def test_another_copy_may_break_what_a_copy_says_of_shared_variables() -> None:
    said: dict[str, Term] = dict.fromkeys(("CS", "q2"), build.variable("l", BOOL))
    assert refused(check_crowd_keeps(keeps(program_of(LOCK), said, PAIR), Limits())) == "compatible"


def test_identities_are_positive() -> None:
    claim = "invariant somebody : forall i : T :: at T[i].CS ==> o != 0;"
    program = program_of(OWNER.partition("invariant")[0] + claim)
    assert isinstance(check_crowd_keeps(keeps(program, HELD, PAIR[:1]), Limits()), Accepted)


def test_a_claim_about_shared_variables_may_rest_on_a_copy_that_can_always_start() -> None:
    program = program_of("global x : int = 0; thread T[*] { x := 0; } invariant v : x == 0;")
    said = dict.fromkeys(("q0", "q1", "exit"), X_IS_0)
    assert isinstance(check_crowd_keeps(keeps(program, said, PAIR[:1]), Limits()), Accepted)


def test_without_copies_nobody_says_how_the_shared_variables_start() -> None:
    """With any copy x is 0 at the start; without one it is anything."""
    program = program_of(
        "global x : int; automaton T[*] { init x == 0; location a initial; edge a -> a; } invariant v : x == 0;"
    )
    assert refused(check_crowd_keeps(keeps(program, {"a": X_IS_0}, PAIR[:1]), Limits())) == "further copy"
    made = joint(program, 1, {("a",): X_IS_0})
    assert refused(check_crowd_joint(made, Limits())) == "further copy"


def test_a_failing_step_of_the_family_is_one_of_every_copy() -> None:
    text = "global o : int = 0; thread T[i : *] { o := i; assert o == i; }"
    program = program_of(text)
    assert refused(check_crowd_keeps(keeps(program, {}, ()), Limits())) == "failing step"
    hoped = {"q1": build.eq(var("o"), var("i"))}
    assert refused(check_crowd_keeps(keeps(program, hoped, ()), Limits())) == "compatible"


def test_steps_do_not_change_identities() -> None:
    made = keeps(program_of(OWNER), HELD, PAIR)
    (family,), (copy,) = made.families, made.copies
    edges = tuple(replace(e, updates=(*e.updates, (family.identity, build.ONE))) for e in family.thread.edges)
    other = replace(family, thread=replace(family.thread, edges=edges))
    changed = replace(made, families=(other,), copies=(Annotated(other.thread, replace(copy.automaton, edges=edges)),))
    assert refused(check_crowd_keeps(changed, Limits())) == "well-formed threads"


def test_a_copy_is_annotated_as_its_family_is_written() -> None:
    made = keeps(program_of(OWNER), HELD, PAIR)
    (copy,) = made.copies
    edges = copy.automaton.edges[1:]
    changed = replace(made, copies=(replace(copy, automaton=replace(copy.automaton, edges=edges)),))
    assert refused(check_crowd_keeps(changed, Limits())) == "well-formed threads"


def test_a_claim_about_three_copies_has_three_witnesses() -> None:
    said = {"A": build.eq(var("x"), build.ONE)}
    text = ONCE + "invariant v : forall i, j, k : T :: at T[i].A && at T[j].A && at T[k].A ==> x == 1;"
    names = tuple(f"T[#{n}]" for n in (1, 2, 3))
    program = program_of(text)
    assert len(claimed(program)[-1].bads) > 1
    assert isinstance(check_crowd_keeps(keeps(program, said, names), Limits()), Accepted)


def places_of(text: str) -> list[str]:
    return [q.name for q in program_of(text).families[0].thread.locations]


COUNTER = (
    "global n : int = 0; thread T[*] { local ok : bool = false; n := n + 1; IN: skip; n := n - 1; OUT: skip; }"
    " invariant inside : forall i : T :: at T[i].IN ==> n >= 1;"
)
INSIDE = Count("T", (("IN", build.TRUE), ("q2", build.TRUE)))
BROKEN = ("inductive invariant", "step of another copy")
HELD_BY = build.eq(var("n"), counter(0))


def counted(text: str, said: Term, *counts: Count) -> CrowdJoint:
    """What is said of all locations of one copy, with these counts."""
    return replace(joint(program_of(text), 1, {(q,): said for q in places_of(text)}), counted=counts)


def test_numbers_of_copies_are_at_least_what_is_seen_of_them() -> None:
    assert isinstance(check_crowd_joint(counted(COUNTER, HELD_BY, INSIDE), Limits()), Accepted)


def test_a_number_is_no_more_than_is_said_of_where_copies_are() -> None:
    fewer = Count("T", (("IN", build.TRUE),))
    assert refused(check_crowd_joint(counted(COUNTER, HELD_BY, fewer), Limits())) in BROKEN


def test_nothing_bounds_a_number_from_above() -> None:
    text = COUNTER.partition("invariant")[0] + "invariant few : n <= 4;"
    said = build.land(HELD_BY, build.le(counter(0), build.integer(4)))
    assert refused(check_crowd_joint(counted(text, said, INSIDE), Limits())) in BROKEN


def test_copies_that_are_not_seen_count_too() -> None:
    only_one = counted(COUNTER, build.land(HELD_BY, build.le(counter(0), build.ONE)), INSIDE)
    assert refused(check_crowd_joint(only_one, Limits())) in BROKEN


def test_copies_count_by_their_own_variables() -> None:
    some = Count("T", (("IN", build.eq(var("n"), build.ONE)),))
    assert refused(check_crowd_joint(counted(COUNTER, HELD_BY, some), Limits())) == "well-formed threads"


def test_no_copy_counts_where_it_starts() -> None:
    all_of_them = Count("T", tuple((q, build.TRUE) for q in ("q0", "IN", "q2")))
    assert refused(check_crowd_joint(counted(COUNTER, build.TRUE, all_of_them), Limits())) == "counted copies"


def test_who_counts_may_depend_on_locals() -> None:
    text = (
        "global n : int = 0; thread T[*] { local ok : bool = false; while (true) { atomic { ok := cas(n, 0, 1); }"
        " if (ok) { IN: skip; n := 0; } } } invariant one : forall i : T :: at T[i].IN ==> n == 1;"
    )
    outcome = verify(program_of(text), Options(Limits(), portfolio=(Turn(COUNTS, 1.0),)))
    assert [f.verdict for f in outcome.findings] == [Verdict.PROVED]


def test_counted_locations_are_those_of_the_family() -> None:
    for wrong in (Count("U", ()), Count("T", (("nowhere", build.TRUE),)), Count("T", (("IN", build.TRUE),) * 2)):
        assert refused(check_crowd_joint(counted(COUNTER, HELD_BY, wrong), Limits())) == "well-formed threads"


SEATS = (
    "global n : int = $; thread T[*] { while (true) { await n > 0 { n := n - 1; } IN: skip; n := n + 1; } }"
    " invariant two : forall i, j : T :: i != j ==> !(at T[i].IN && at T[j].IN);"
)


def seats(number: str) -> CrowdJoint:
    """That seats are free or taken, said of one copy, against a claim about two."""
    text = SEATS.replace("$", number)
    free_or_taken = build.eq(build.add(var("n"), counter(0)), build.integer(int(number)))
    inside = Count("T", (("IN", build.TRUE), ("q3", build.TRUE)))
    return counted(text, build.land(free_or_taken, build.le(build.ZERO, var("n"))), inside)


def test_what_is_known_of_one_copy_and_of_how_many_there_are_shows_claims_about_two() -> None:
    assert isinstance(check_crowd_joint(seats("1"), Limits()), Accepted)


def test_two_copies_may_be_where_there_are_two_seats() -> None:
    assert refused(check_crowd_joint(seats("2"), Limits())) == "claim"


def test_what_is_known_of_one_copy_is_known_of_each_that_a_claim_speaks_of() -> None:
    text = (
        "global x : int = 0; thread T[i : *] { local v : int = 0; x := x + 1; v := 1; } "
        "invariant two : forall i, j : T :: i != j ==> T[i].v + T[j].v <= $;"
    )
    own = {(q,): build.le(var("T[#1].v"), build.ONE) for q in places_of(text.replace("$", "2"))}
    assert isinstance(check_crowd_joint(joint(program_of(text.replace("$", "2")), 1, own), Limits()), Accepted)
    assert refused(check_crowd_joint(joint(program_of(text.replace("$", "1")), 1, own), Limits())) == "claim"


def test_a_number_is_no_greater_than_that_of_all_copies_where_that_is_assumed() -> None:
    text = "global n : int = 0; thread T[*] { n := n + 1; IN: skip; } invariant few : n <= 100;"
    begun = Count("T", tuple((q, build.TRUE) for q in places_of(text) if q != "q0"))
    made = counted(text, HELD_BY, begun)
    (family,) = made.families

    def ruling(most: int | None) -> Ruling:
        return check_crowd_joint(replace(made, families=(replace(family, most=most),)), Limits())

    assert isinstance(ruling(100), Accepted)
    assert refused(ruling(101)) == refused(ruling(None)) == "claim"
    assert refused(ruling(1)) == "well-formed threads"
