"""The conditions of reduction for refinements, one by one: a pair that breaks just this one, and would be proved.

As enumeration says, blocks refine and the threads as they are written do not. The evidence is rejected; by a checker
that does not look at the condition it is accepted. Beside it stands evidence for a right pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.certificates.reduced import Phase, ReducedThreads
from sa.checker import reduced_threads
from sa.checker.blocks import Phases, blocks_shown
from sa.checker.question import Question, question, whole_goal
from sa.checker.reduced_threads import check_reduced_threads, question_of_blocks
from sa.checker.ruling import Accepted, Rejected
from sa.terms.build import eq, implies, integer, lnot, variable
from sa.terms.sort import BOOL
from sa.terms.term import Term
from tests.checker.test_reduced import Inside, Switched, accepts, nothing, without
from tests.language.texts import program_of
from tests.oracle.game import decide

BOUNDS = Limits()

SEES = "thread T2 { @see(x, y) skip; }"
SEES_BOTH = "global x, y : 0..1 = 0;", "thread T1 { atomic { x := 1; y := 1; } }", SEES
TWO_WRITES = "global u, v : 0..1 = 0; thread T1 { u := 1; v := 1; } thread T2 { @see(u, v) skip; }"
WITH_A_STOP = "global u, v : 0..1 = 0; thread T1 { u := 1; skip; v := 1; } thread T2 { @see(u, v) skip; }"
IN_ONE = " ".join(SEES_BOTH)
STILL = "global x : 0..1 = 0; thread T1 { skip; } thread T2 { @see(x) skip; }"
WAITS = "global u : 0..1 = 0; thread T1 { local n : 0..1 = 0; u := 1; await n > 0; } thread T2 { @see(u) skip; }"
DIVERGES = "global u : 0..1 = 0; thread T1 { u := 1; while (true) { skip; } } thread T2 { @see(u) skip; }"
OTHER = "thread T2 { skip; }"
EARLY = f"thread T1 {{ choose {{ @a skip; @n(1) skip; }} or {{ @a skip; @n(2) skip; }} }} {OTHER}"
LATE = f"thread T1 {{ local n : 1..2 = 1; @a skip; choose {{ n := 1; }} or {{ n := 2; }} @n(n) skip; }} {OTHER}"
HAVOC = f"thread T1 {{ local n : 1..2 = 1; @a skip; havoc n; @n(n) skip; }} {OTHER}"
ONLY_B = f"thread T1 {{ @b skip; }} {OTHER}"
BOTH = f"thread T1 {{ @a skip; @b skip; }} {OTHER}"
WRITES_AND_SAYS = "global u : 0..1 = 0; thread T1 { u := 1; @done skip; } thread T2 { @see(u) skip; }"
SAYS = "global x : 0..1 = 0; thread T1 { @done x := 1; } thread T2 { @see(x) skip; }"
AND_BACK = f"global x : 0..1 = 0; thread T1 {{ x := 1; x := 0; }} {OTHER}"
NEVER = f"global x : 0..1 = 0; thread T1 {{ skip; }} {OTHER}"
BEFORE, AFTER = Phase.BEFORE, Phase.AFTER


def asked(abstract: str, concrete: str) -> Question:
    """The question about two texts, with the default relation."""
    return question(program_of(abstract), program_of(concrete), None, False)


def evidence(
    about: Question, inside: Inside, facts: tuple[Term, ...] = (), idle: tuple[tuple[int, ...], ...] = ((), ())
) -> ReducedThreads:
    """A reduction with these locations inside of blocks, and these steps left out."""
    threads = tuple(p.concrete for p in about.pairs)
    phases = tuple(tuple(inside.get(t.name, {}).get(q.name, Phase.CUT) for q in t.locations) for t in threads)
    return ReducedThreads(threads, phases, facts, idle)


def unless_on_a_cycle(threads: Sequence[Automaton], phases: Sequence[Phases], bounds: Limits) -> tuple[Automaton, ...]:
    """Blocks without the ways that never end."""
    ahead = [replace(t, edges=tuple(e for e in t.edges if e.source < e.target)) for t in threads]
    return blocks_shown(ahead, phases, bounds)


def excludes(name: str, other: str) -> Term:
    """That one thread at its location excludes the other at its own."""
    return implies(variable(f"at {name}", BOOL), lnot(variable(f"at {other}", BOOL)))


def untouched(thread: Automaton) -> Automaton:
    """Nothing of what is shown is recorded."""
    return thread


def all_are_kept(thread: Automaton, phases: Mapping[str, Phase]) -> tuple[Automaton, tuple[Any, ...]]:
    """Visible steps are looked at as silent ones are."""
    return thread, ()


@pytest.mark.parametrize(
    ("abstract", "concrete", "inside", "facts", "off", "why"),
    [
        (IN_ONE, TWO_WRITES, {"T1": {"q1": BEFORE}}, (), {"commutations": without(BEFORE)}, "commuting steps"),
        (IN_ONE, TWO_WRITES, {"T1": {"q1": AFTER}}, (), {"commutations": without(AFTER)}, "commuting steps"),
        (IN_ONE, WITH_A_STOP, {"T1": {"q1": AFTER, "q2": BEFORE}}, (), {"_phase_faults": nothing}, "phases"),
        (STILL, WAITS, {"T1": {"q1": AFTER}}, (), {"progress": nothing}, "progress"),
        (
            STILL,
            DIVERGES,
            {"T1": {"q1": AFTER, "q2": AFTER}},
            (),
            {"cycle_fault": lambda *_: None, "blocks_shown": unless_on_a_cycle},
            "phases",
        ),
        (EARLY, LATE, {"T1": {"q1": AFTER}}, (), {"one_way": nothing}, "one way behind a commit"),
        (EARLY, HAVOC, {"T1": {"q1": AFTER}}, (), {"_phase_faults": nothing}, "phases"),
        (ONLY_B, BOTH, {"T1": {"q1": AFTER}}, (), {"_without_seen": all_are_kept}, "visible step inside of a block"),
        (SAYS, WRITES_AND_SAYS, {"T1": {"q1": BEFORE}}, (), {"_recording": untouched}, "commuting steps"),
        (NEVER, AND_BACK, {"T1": {"q1": BEFORE}}, (), {"unnoticed": nothing}, "unnoticed step"),
        (NEVER, AND_BACK, {"T1": {"q1": AFTER}}, (), {"unnoticed": nothing}, "unnoticed step"),
        (
            IN_ONE,
            TWO_WRITES,
            {"T1": {"q1": BEFORE}},
            (excludes("T1.q1", "T2.q0"), excludes("T1.q0", "T2.q0")),
            {"check_lemmas": accepts},
            "initial lemma",
        ),
    ],
    ids=[
        "right movers",
        "left movers",
        "one commit",
        "progress behind the commit",
        "no cycle inside",
        "no fork behind the commit",
        "no choice behind the commit",
        "only commits are visible",
        "what is shown does not change",
        "the relation and steps left out",
        "the relation and steps added",
        "facts",
    ],
)
def test_each_condition_is_needed(
    abstract: str,
    concrete: str,
    inside: Inside,
    facts: tuple[Term, ...],
    off: Switched,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without it a wrong refinement is proved; with it the evidence is rejected for that reason."""
    about = asked(abstract, concrete)
    assert not decide(whole_goal(about)).simulated
    made = evidence(about, inside, facts)
    ruling = check_reduced_threads(about, made, BOUNDS)
    assert isinstance(ruling, Rejected)
    assert ruling.obligation == why
    for name, other in off.items():
        monkeypatch.setattr(reduced_threads, name, other)
    assert isinstance(check_reduced_threads(about, made, BOUNDS), Accepted)
    blocks = question_of_blocks(about, made, BOUNDS)
    assert isinstance(blocks, Question)
    assert decide(whole_goal(blocks)).simulated


ADDS = """global m : 0..2 = 0; global c : 0..1 = 0;
thread T1 { local t : 0..1 = 0; lock(m); t := c; c := 1 - t; unlock(m); }
thread T2 { lock(m); @see(c) skip; unlock(m); }"""
ADDS_AT_ONCE = "global n : 0..1 = 0; thread T1 { n := 1 - n; } thread T2 { @see(n) skip; }"


def test_a_section_under_a_lock_is_one_step() -> None:
    """A right pair: the lock is taken, a variable is read and written, the lock is given back."""
    about = asked(ADDS_AT_ONCE, ADDS)
    held = {"T1": ("q1", "q2", "q3"), "T2": ("q1", "q2")}
    facts = tuple(
        implies(variable(f"at {t}.{q}", BOOL), eq(variable("m"), integer(1 if t == "T1" else 2)))
        for t, places in held.items()
        for q in places
    )
    inside = {"T1": {"q1": BEFORE, "q2": BEFORE, "q3": BEFORE}, "T2": {"q1": BEFORE, "q2": AFTER}}
    made = evidence(about, inside, facts)
    assert isinstance(check_reduced_threads(about, made, BOUNDS), Accepted)
    assert isinstance(check_reduced_threads(about, replace(made, facts=()), BOUNDS), Rejected)
    assert isinstance(check_reduced_threads(asked(ADDS_AT_ONCE, TWO_WRITES), made, BOUNDS), Rejected)


def turning(edges: str, shared: str = "global s : 0..1 = 0;", other: str = OTHER) -> str:
    """A program with a thread of these edges."""
    local = "local u : 0..1 = 0; location p initial; location q; location r;"
    return f"{shared} automaton T1 {{ {local} {edges} }} {other}"


SILENT = "thread T1 { skip; } thread T2 { skip; }"
SAYS_ZERO = f"thread T1 {{ @a(0) skip; }} {OTHER}"


@pytest.mark.parametrize(
    ("abstract", "concrete", "why"),
    [
        (
            "thread T1 { skip; } thread T2 { @see(0) skip; }",
            turning("edge p -> p when s == 0 { s := 1; } edge p -> q {}", other="thread T2 { @see(s) skip; }"),
            "idle step",
        ),
        (SAYS_ZERO, turning("edge p -> p { u := 1; } edge p -> q @a(u) { u := 0; }"), "idle step"),
        (SAYS_ZERO, turning("edge p -> p { u := 1; } edge p -> q {} edge q -> r @a(u) {}"), "idle step"),
        (f"global s : 0..1 = 0; {SILENT}", turning("edge p -> p { s := 1; } edge p -> q {}"), "idle step"),
        (SAYS_ZERO, turning("edge p -> q {} edge p -> q when false {} edge q -> r @a(1) {}"), "phases"),
        (SILENT, turning("edge p -> p @b {} edge p -> q {}"), "phases"),
    ],
    ids=["seen by others", "read by the next step", "read later", "the relation", "leads elsewhere", "visible"],
)
def test_steps_that_are_left_out_change_nothing(
    abstract: str, concrete: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first step of the thread is left out; without the condition a wrong refinement is proved."""
    about = asked(abstract, concrete)
    assert not decide(whole_goal(about)).simulated
    made = evidence(about, {}, idle=((0,), ()))
    ruling = check_reduced_threads(about, made, BOUNDS)
    assert isinstance(ruling, Rejected)
    assert ruling.obligation == why
    monkeypatch.setattr(reduced_threads, "_is_loop", lambda _: True)
    blocks = question_of_blocks(about, made, BOUNDS)
    assert isinstance(blocks, Question)
    assert decide(whole_goal(blocks)).simulated


@pytest.mark.parametrize(
    "edges",
    [
        "edge p -> p when s == 1 { s := 1; } edge p -> q @a(u) {}",
        "edge p -> p { u := 1; } edge p -> q @a(0) { u := 0; }",
        "edge p -> p { u := s; } edge p -> q @a(s) { u := s; }",
    ],
    ids=["what it is already", "a local that is written next", "an attempt"],
)
def test_a_step_that_changes_nothing_is_left_out(edges: str) -> None:
    """What a local is does not matter where each way on writes it."""
    about = asked(SAYS_ZERO, turning(edges))
    made = evidence(about, {}, idle=((0,), ()))
    assert isinstance(check_reduced_threads(about, made, BOUNDS), Accepted)
    blocks = question_of_blocks(about, made, BOUNDS)
    assert isinstance(blocks, Question)
    assert decide(whole_goal(about)).simulated
    assert decide(whole_goal(blocks)).simulated


@pytest.mark.parametrize("idle", [((0,),), ((7,), ()), ((), (), ())], ids=["too few", "no such step", "too many"])
def test_what_is_left_out_is_there(idle: tuple[tuple[int, ...], ...]) -> None:
    about = asked(SAYS_ZERO, turning("edge p -> p { u := 1; } edge p -> q @a(0) { u := 0; }"))
    ruling = check_reduced_threads(about, evidence(about, {}, idle=idle), BOUNDS)
    assert isinstance(ruling, Rejected)
    assert ruling.obligation == "phases"
