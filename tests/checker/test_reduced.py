"""The conditions of reduction, one by one: a program that breaks just this one, which is false and would be proved.

Each program is wrong, as enumeration shows. The evidence is rejected; by a checker that does not look at the condition
it is accepted. Beside it stands evidence for a right program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.reduced import Phase, Reduced
from sa.certificates.run import Bad
from sa.checker import commuting, reduced
from sa.checker.blocks import Blocks, Phases, bads_of_blocks, blocks_of, phases_of
from sa.checker.obligation import Obligation
from sa.checker.reduced import check_reduced
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.explicit.deciders import by_few_states
from sa.question.asked import Asked, Excluded
from sa.question.claims import claims_of
from sa.terms.build import eq, implies, integer, lnot, variable
from sa.terms.sort import BOOL
from sa.terms.term import Term
from tests.invariants.judge import distance
from tests.language.texts import program_of

BOUNDS = Limits()

#: The phases of locations that are not cut, by thread.
Inside = Mapping[str, Mapping[str, Phase]]

READER = "thread T2 { assert !(x == 1 && y == 0); }"
TWO_WRITES = f"global x, y : 0..2 = 0; thread T1 {{ x := 1; y := 1; }} {READER}"
WITH_A_STOP = f"global x, y : 0..2 = 0; thread T1 {{ x := 1; skip; y := 1; }} {READER}"
BLOCKS = "global x : 0..2 = 0; thread T1 { local n : 0..2 = 0; x := 1; await n > 0; } thread T2 { assert x == 0; }"
DIVERGES = "global x : 0..2 = 0; thread T1 { x := 1; while (true) { skip; } } thread T2 { assert x == 0; }"
BACK_AGAIN = "global x : 0..2 = 0; thread T1 { x := 1; x := 0; } invariant zero : x == 0;"
FAILS = "global x : 0..2 = 1; thread T1 { assert x == 0; }"
COUNTER = """global m : 0..2 = 0; global c : 0..2 = 0;
thread T1 { lock(m); c := c + 1; c := c - 1; unlock(m); } thread T2 { lock(m); assert c == 0; unlock(m); }"""


def bads_of(program: Program) -> tuple[Bad, ...]:
    """All that is bad about a program but that a lock is given back by somebody else."""
    return tuple(b for c in claims_of(program) if "unlock" not in c.name for b in c.bads)


def evidence(
    program: Program, inside: Inside, facts: tuple[Term, ...] = (), compose: Callable[..., Blocks] = blocks_of
) -> Reduced:
    """What enumeration shows of the composed threads, as evidence; it has to exclude all that is bad about them."""
    threads, bads = program.threads, bads_of(program)
    phases = tuple(tuple(inside.get(t.name, {}).get(q.name, Phase.CUT) for q in t.locations) for t in threads)
    made = compose(threads, tuple(phases_of(t, p) for t, p in zip(threads, phases, strict=True)), BOUNDS)
    wanted = tuple(dict.fromkeys(b for bad in bads for b in bads_of_blocks(bad, made)))
    asked = Asked(made.threads, wanted, program.axioms)
    inner = tuple(
        said.evidence
        for said in (by_few_states(asked, Budget(BOUNDS, 0), unheard) if wanted else ())
        if isinstance(said, Excluded)
    )
    return Reduced(threads, phases, facts, inner, bads, program.axioms)  # type: ignore[arg-type]


def without(phase: Phase) -> Callable[..., Iterator[Obligation]]:
    """Obligations to commute without those of steps before, or behind, a commit."""

    def weaker(threads: Sequence[Automaton], phases: Sequence[Phases], facts: tuple[Term, ...]) -> Iterator[Obligation]:
        cut = [{q: Phase.CUT if p is phase else p for q, p in its.items()} for its in phases]
        return commuting.commutations(threads, cut, facts)

    return weaker


def nothing(*_: object) -> Iterator[Any]:
    """No obligations."""
    return iter(())


def accepts(*_: object) -> Ruling:
    """Whatever it is."""
    return Accepted()


def unless_on_a_cycle(threads: Sequence[Automaton], phases: Sequence[Phases], bounds: Limits) -> Blocks:
    """Blocks without the ways that never end."""
    ahead = [
        replace(
            t,
            edges=tuple(
                e for e in t.edges if its[e.target] is Phase.CUT or its[e.source] is Phase.CUT or e.source < e.target
            ),
        )
        for t, its in zip(threads, phases, strict=True)
    ]
    return blocks_of(ahead, phases, bounds)


def only_shape(thread: Automaton, phases: Phases, never: Sequence[Bad]) -> Iterator[str]:
    """No faults but cycles."""
    fault = reduced.cycle_fault(thread, phases)
    return iter(() if fault is None else (fault,))


def excludes(name: str, other: str) -> Term:
    """That one thread at its location excludes the other at its own."""
    return implies(variable(f"at {name}", BOOL), lnot(variable(f"at {other}", BOOL)))


Switched = Mapping[str, Callable[..., Any]]


@pytest.mark.parametrize(
    ("text", "inside", "facts", "off", "why"),
    [
        (TWO_WRITES, {"T1": {"q1": Phase.BEFORE}}, (), {"commutations": without(Phase.BEFORE)}, "commuting steps"),
        (TWO_WRITES, {"T1": {"q1": Phase.AFTER}}, (), {"commutations": without(Phase.AFTER)}, "commuting steps"),
        (BLOCKS, {"T1": {"q1": Phase.AFTER}}, (), {"progress": nothing}, "progress"),
        (DIVERGES, {"T1": {"q1": Phase.AFTER, "q2": Phase.AFTER}}, (), {"cycle_fault": lambda *_: None}, "phases"),
        (BACK_AGAIN, {"T1": {"q1": Phase.AFTER}}, (), {"unnoticed": nothing}, "unnoticed step"),
        (BACK_AGAIN, {"T1": {"q1": Phase.BEFORE}}, (), {"unnoticed": nothing}, "unnoticed step"),
        (
            WITH_A_STOP,
            {"T1": {"q1": Phase.AFTER, "q2": Phase.BEFORE}},
            (),
            {"_phase_faults": only_shape},
            "phases",
        ),
        (FAILS, {"T1": {"fail": Phase.BEFORE}}, (), {"_phase_faults": only_shape}, "phases"),
        (
            TWO_WRITES,
            {"T1": {"q1": Phase.BEFORE}},
            (excludes("T1.q1", "T2.q0"), excludes("T1.q0", "T2.q0")),
            {"check_lemmas": accepts},
            "initial lemma",
        ),
    ],
    ids=[
        "right movers",
        "left movers",
        "progress behind the commit",
        "no cycle inside",
        "claims and steps added",
        "claims and steps left out",
        "one commit",
        "failures end blocks",
        "facts",
    ],
)
def test_each_condition_is_needed(
    text: str, inside: Inside, facts: tuple[Term, ...], off: Switched, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it a wrong program is proved; with it the evidence is rejected for that reason."""
    program = program_of(text)
    assert any(distance(program.threads, bad) is not None for bad in bads_of(program))
    compose = unless_on_a_cycle if "cycle_fault" in off else blocks_of
    made = evidence(program, inside, facts, compose)
    ruling = check_reduced(made, BOUNDS)
    assert isinstance(ruling, Rejected)
    assert ruling.obligation == why
    monkeypatch.setattr(reduced, "blocks_of", compose)
    for name, other in off.items():
        monkeypatch.setattr(reduced, name, other)
    assert isinstance(check_reduced(made, BOUNDS), Accepted)


def test_a_section_under_a_lock_is_one_step() -> None:
    """A right program: the lock is taken, the counter goes up and down, the lock is given back."""
    program = program_of(COUNTER)
    held = {("T1", "q1"), ("T1", "q2"), ("T1", "q3"), ("T2", "q1"), ("T2", "q2")}
    facts = tuple(
        implies(variable(f"at {t}.{q}", BOOL), eq(variable("m"), integer(1 if t == "T1" else 2)))
        for t, q in sorted(held)
    )
    inside = {
        "T1": {"q1": Phase.BEFORE, "q2": Phase.BEFORE, "q3": Phase.BEFORE, "q4": Phase.AFTER},
        "T2": {"q1": Phase.BEFORE, "q2": Phase.BEFORE},
    }
    made = evidence(program, inside, facts)
    assert isinstance(check_reduced(made, BOUNDS), Accepted)
    # Without the facts nobody knows that the sections exclude each other.
    assert isinstance(check_reduced(replace(made, facts=()), BOUNDS), Rejected)


def test_the_inner_evidence_has_to_exclude_each_block_and_to_be_about_the_blocks() -> None:
    """What is shown of other threads, or of some blocks only, is rejected."""
    program = program_of(COUNTER)
    made = evidence(program, {})
    assert isinstance(check_reduced(made, BOUNDS), Accepted)
    assert isinstance(check_reduced(replace(made, inner=()), BOUNDS), Rejected)
    inside = tuple(tuple(Phase.AFTER if q.name == "q4" else Phase.CUT for q in t.locations) for t in program.threads)
    other = check_reduced(replace(made, phases=inside), BOUNDS)
    assert isinstance(other, Rejected)
    assert other.obligation == "composed blocks"
