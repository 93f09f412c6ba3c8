"""Families of any number in `refine`: what holds for every number of copies, and plays with some of them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.base.diagnostic import InputError
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.family_composition import CrowdComposition
from sa.certificates.family_composition_json import crowd_composition_json
from sa.certificates.shape import Entry, Json, Malformed
from sa.certificates.threads import Annotated
from sa.checker.composition import check_composition
from sa.checker.family_question import FamilyQuestion, asked_of
from sa.checker.judge import judge_refinement
from sa.checker.resources import Resources
from sa.checker.ruling import Accepted
from sa.checker.solvers import Z3
from sa.engines.goals import decide
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine
from sa.question.families import crowds
from sa.refinement.families import composition_of, pairs_of
from sa.refinement.family_facts import known_of
from sa.terms import build
from sa.terms.substitute import primed
from tests.endtoend.asking import read

RESOURCES = Resources(Limits(), 0, Z3)

#: The abstract side of increments, and concrete ones.
ADD = "global x : int = 0; thread T[*] { x := x + 1; }"
TORN = "global x : int = 0; thread T[*] { local r : int; r := x; x := r + 1; }"
LOCKED = """
global x, o : int = 0;
thread T[i : *] { local r : int; await o == 0 { o := i; } r := x; x := r + 1; o := 0; }
"""


def _ask(abstract: str, concrete: str, seconds: float = 30.0) -> Outcome:
    return refine(*read(abstract, concrete), Options(limits(seconds, None)))


#: By what the question is about: both sides, and the answer.
QUESTIONS = {
    "a step by itself": (ADD, ADD, Verdict.PROVED),
    "copies that only disturb each other": (ADD, TORN, Verdict.REFUTED),
    "a lock that says who has it": (ADD, LOCKED, Verdict.PROVED),
    "identities that are shown": (
        "thread T[i : *] { @me(i) skip; }",
        "thread T[j : *] { local i : int = 7; i := j; @me(i) skip; }",
        Verdict.PROVED,
    ),
    "an identity that is not shown": (
        "thread T[i : *] { @me(i) skip; }",
        "thread T[i : *] { @me(1) skip; }",
        Verdict.REFUTED,
    ),
    "an identity that only one copy has": (
        "global x : int = 0; thread T[i : *] { if (i == 2) { choose { x := 1; } or { skip; } } }",
        "global x : int = 0; thread T[i : *] { skip; }",
        Verdict.PROVED,
    ),
    "what only the second copy does": (
        "global x : int = 0; thread T[i : *] { skip; }",
        "global x : int = 0; thread T[i : *] { if (i == 2) { x := 1; } }",
        Verdict.REFUTED,
    ),
    "identities that are added up": (
        "global x : int = 0; thread T[i : *] { x := x + i; }",
        "global x : int = 0; thread T[i : *] { x := x + i; }",
        Verdict.PROVED,
    ),
    "an abstract side that waits for a second copy": (
        "global x : int = 0; thread T[i : *] { await x == 1 { x := 2; } }",
        "global x : int = 0; thread T[i : *] { x := 2; }",
        Verdict.REFUTED,
    ),
    "what nobody can disturb, as one copy may only come once": (
        "global x : int = 0; thread T[i : *] { local r : int; await x == 0 { x := 1; } r := x; @see(r) skip; }",
        "global x : int = 0; thread T[i : *] { local r : int; await x == 0 { x := 1; } r := 1; @see(r) skip; }",
        Verdict.PROVED,
    ),
    "families that disturb each other": (
        "global x : int = 0; thread T[*] { local r : int; atomic { r := x; x := r + 1; } } thread S[*] { x := 0; }",
        "global x : int = 0; thread T[*] { local r : int; r := x; x := r + 1; } thread S[*] { x := 0; }",
        Verdict.REFUTED,
    ),
    "a family beside a thread that disturbs it": (
        "global x : int = 0; thread T[*] { @see(x) skip; } thread W { x := 1; }",
        "global x : int = 0; thread T[*] { local r : int; r := x; @see(r) skip; } thread W { x := 1; }",
        Verdict.REFUTED,
    ),
    "a family beside a thread that does not matter": (
        "global x : int = 0; thread T[*] { local r, s : int; r := x; s := x; @see(r, s) skip; } thread W { x := 1; }",
        "global x : int = 0; thread T[*] { local r, s : int; r := x; s := r; @see(r, s) skip; } thread W { x := 1; }",
        Verdict.PROVED,
    ),
    "a thread that copies disturb": (
        "global x : int = 0; thread T[*] { x := 1; } thread W { local r, s : int; r := x; s := r; @see(r, s) skip; }",
        "global x : int = 0; thread T[*] { x := 1; } thread W { local r, s : int; r := x; s := x; @see(r, s) skip; }",
        Verdict.REFUTED,
    ),
    "families under other names, in another order": (
        "global x, y : int = 0; thread A[*] { x := x + 1; } thread B[i : *] { y := y + i; }",
        "global x, y : int = 0; thread C[i : *] { y := y + i; } thread D[*] { x := x + 1; }"
        " refinement r { thread C refines B; thread D refines A; }",
        Verdict.PROVED,
    ),
    "identities of another family": (
        "global x : int = 0; thread A[i : *] { x := x + i; } thread B[i : *] { x := x + 2 * i; }",
        "global x : int = 0; thread A[i : *] { x := x + 2 * i; } thread B[i : *] { x := x + i; }",
        Verdict.REFUTED,
    ),
    "initial values of locals": (
        "global x : int = 0; thread T[*] { local r : int; x := r; }",
        "global x : int = 0; thread T[*] { local r : int; x := r; }",
        Verdict.PROVED,
    ),
    "initial values that an abstract copy cannot have": (
        "global x : int; thread T[*] { local r : int = 0; @see(r) skip; }",
        "global x : int; thread T[*] { local r : int = 1; @see(r) skip; }",
        Verdict.REFUTED,
    ),
}


@pytest.mark.parametrize("about", QUESTIONS)
def test_a_question_about_any_number_of_copies_is_answered_as_it_should_be(about: str) -> None:
    abstract, concrete, expected = QUESTIONS[about]
    outcome = _ask(abstract, concrete)
    assert outcome.verdict is expected
    assert (outcome.composition is not None) == (expected is Verdict.PROVED)
    assert bool(outcome.copies) == (expected is Verdict.REFUTED)


def test_a_play_has_as_few_copies_as_it_needs() -> None:
    assert _ask(ADD, TORN).copies == (2,)
    assert _ask(ADD, ADD.replace("x + 1", "x + 2")).copies == (1,)


def test_what_fails_with_many_copies_only_is_never_proved() -> None:
    """The last one is the only copy that can show anything: it takes five."""
    abstract = "global n : int = 0; thread T[*] { n := n + 1; await n < 0; @last skip; }"
    concrete = "global n : int = 0; thread T[*] { n := n + 1; await n >= 5; @last skip; }"
    assert _ask(abstract, concrete, 6.0).verdict is Verdict.UNKNOWN


def _beside(first: str, second: str, other: str) -> str:
    """Two threads whose initial conditions are given, and copies that start only where z is false."""
    known = f"global z, {other} : bool;"
    shown = "location q0 initial; edge q0 -> q0 @show(z) { z := !z; }"
    threads = f"automaton P {{ {known} {first} {shown} }} automaton Q {{ {known} {second} {shown} }}"
    return f"{threads} automaton T[i : *] {{ {known} init !z; location q0 initial; edge q0 -> q0 @hi; }}"


def test_the_start_is_covered_without_any_copy_too() -> None:
    """Without copies, z may be true at the start of the concrete threads, and of no abstract ones."""
    abstract = _beside("init z ==> x;", "init z ==> !x;", "x")
    assert _ask(abstract, _beside("", "", "y")).verdict is not Verdict.PROVED
    assert _ask(abstract, _beside("init !z;", "", "y")).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("abstract", "concrete", "code"),
    [
        (ADD, "global x : int = 0; thread T { x := x + 1; }", "SA404"),
        ("global x : int = 0; thread T { x := x + 1; }", ADD, "SA404"),
        (ADD, ADD.replace("T", "S"), "SA404"),
        (ADD, ADD + " thread W { x := x + 1; }", "SA404"),
        (ADD + " thread W { rely x' >= x; skip; }", ADD + " thread W { rely x' >= x; skip; }", "SA411"),
        (ADD, ADD + " refinement r { rely x' >= x; }", "SA411"),
    ],
)
def test_what_is_no_question_about_families_is_an_error(abstract: str, concrete: str, code: str) -> None:
    with pytest.raises(InputError) as wrong:
        _ask(abstract, concrete)
    assert {d.code for d in wrong.value.diagnostics} == {code}


@pytest.mark.parametrize(("step", "expected"), [("x := r + 1;", Verdict.REFUTED), ("x := x + 1;", Verdict.PROVED)])
def test_relies_of_threads_beside_copies_are_left_out_of_whole_programs(step: str, expected: Verdict) -> None:
    thread = " thread W { rely x' >= x; x := x + 1; }"
    concrete = f"global x : int = 0; thread T[*] {{ local r : int; r := x; {step} }}"
    outcome = refine(*read(ADD + thread, concrete + thread), Options(limits(30.0, None), whole=True))
    assert outcome.verdict is expected
    assert "the declared relies are not used" in outcome.claim


def _composition(abstract: str, concrete: str) -> CrowdComposition:
    asked = crowds(*read(abstract, concrete))
    known = [known_of(p, asked.identities, (), limits(30.0, None)) for p in (asked.abstract, asked.concrete)]
    pairs = pairs_of(asked, known[0], known[1], True, limits(30.0, None))
    made = composition_of(pairs, [decide(goal, limits(30.0, None)) for goal in pairs.goals])
    assert made is not None
    return made


@pytest.fixture(scope="module")
def locked() -> CrowdComposition:
    return _composition(ADD, LOCKED)


def _ruling(made: CrowdComposition) -> str:
    ruling = check_composition(made, Limits())
    return "accepted" if isinstance(ruling, Accepted) else ruling.obligation


def test_a_proof_about_one_copy_beside_another_is_accepted(locked: CrowdComposition) -> None:
    assert _ruling(locked) == "accepted"


def _alone(automaton: Automaton) -> Automaton:
    """The automaton as if nobody else were there."""
    still = build.land(*(build.eq(primed(v), v) for v in variables_of(automaton, Kind.GLOBAL)))
    return replace(automaton, locations=tuple(replace(q, env=still) for q in automaton.locations))


def _of_one_copy(abstract: str, concrete: str) -> CrowdComposition:
    """A proof about one copy that nobody disturbs."""
    made = _composition(ADD, ADD)
    asked = asked_of(*read(abstract, concrete), False)
    assert isinstance(asked, FamilyQuestion)
    (pair,) = asked.one.pairs
    known = [Annotated(t, _alone(t)) for t in (pair.concrete, pair.abstract)]
    (goal,) = made.goals
    goal = replace(goal, concrete=_sided(known[0].automaton, "conc"), abstract=_sided(known[1].automaton, "abs"))
    evidence = decide(goal, limits(30.0, None)).evidence
    return replace(made, concrete=(known[0],), abstract=(known[1],), goals=(goal,), relations=(evidence,))


def _sided(automaton: Automaton, side: str) -> Automaton:
    from sa.automata.rename import on_side

    return on_side(automaton, side)


def test_a_proof_about_one_copy_that_nobody_disturbs_is_none_of_any_number() -> None:
    made = _of_one_copy(ADD, TORN)
    assert _ruling(made) == "compatible"
    # Of one thread with any number for its identity it is a proof: what copies there are is not for evidence to say.
    assert _ruling(replace(made, copies=())) == "accepted"
    assert _judged(ADD, TORN, {"verdict": "proved", "composition": crowd_composition_json(made)}) == ["compatible"]


def test_copies_are_pairs_with_an_identity_of_their_own(locked: CrowdComposition) -> None:
    ((place, identity),) = locked.copies
    assert _ruling(replace(locked, copies=((place + 1, identity),))) == "well-formed composition"
    assert _ruling(replace(locked, copies=((place, build.variable("x")),))) == "well-formed composition"
    assert _ruling(replace(locked, copies=((place, identity), (place, identity)))) == "well-formed composition"


def test_invariants_hold_beside_another_copy(locked: CrowdComposition) -> None:
    def wrong(made: Annotated) -> Annotated:
        free = build.eq(build.variable("o"), build.ZERO)
        first, *rest = made.automaton.locations
        first = replace(first, inv=build.land(first.inv, free))
        return replace(made, automaton=replace(made.automaton, locations=(first, *rest)))

    assert _ruling(replace(locked, concrete=(wrong(locked.concrete[0]),))) == "compatible"


def _judged(abstract: str, concrete: str, entry: Json) -> list[str]:
    asked = asked_of(*read(abstract, concrete), False)
    rulings = [j.ruling for j in judge_refinement(asked, Entry(entry), RESOURCES)]
    return ["accepted" if isinstance(r, Accepted) else "" if r is None else r.obligation for r in rulings]


def test_what_is_shown_of_some_copies_proves_nothing_of_all() -> None:
    entry: Json = {"verdict": "proved", "copies": [1], "goals": [{"relation": {}}]}
    with pytest.raises(Malformed, match="proves nothing of all"):
        _judged(ADD, TORN, entry)


def test_a_play_names_its_number_of_copies() -> None:
    from sa.certificates.play_json import play_json

    (result,) = _ask(ADD, TORN).results
    assert result.play is not None
    play: Json = {"play": play_json(result.play, result.goal)}
    assert _judged(ADD, TORN, {"verdict": "refuted", "copies": [2], "goals": [play]}) == ["accepted"]
    with pytest.raises(Malformed):
        _judged(ADD, TORN, {"verdict": "refuted", "copies": [1], "goals": [play]})
