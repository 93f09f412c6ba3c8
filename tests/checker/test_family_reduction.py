"""The checker on reductions of families of any number: each condition is asked for, and random evidence proves nothing
that is false.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.family import crowd
from sa.automata.program import Program
from sa.automata.rename import apart
from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, Limits, allot
from sa.certificates.families import CrowdJoint, CrowdKeeps
from sa.certificates.family_reduction import Crowd, CrowdReduced, OfCrowds
from sa.certificates.reduced import Phase
from sa.certificates.run import Bad
from sa.checker.claims import claimed
from sa.checker.family_reduction import check_crowd_reduced, check_of_crowds, crowd_of_blocks
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.engines.portfolio_of_families import APART, BOXES, COUNTS
from sa.question.asked import Asked, Excluded
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.term import Term
from sa.transform.family_reduce import crowd_reduction
from tests.engines.test_crowds_against_the_oracle import places, violated
from tests.generators.crowds import sketch_of_sections
from tests.language.texts import program_of

SECTION = (
    "global m, x : int = 0; thread T[i : *] { local r : int = 0;"
    " await m == 0 { m := i; } r := x; x := r + 1; x := x - 1; m := 0; }"
    " invariant zero : m == 0 ==> x == 0;"
)

#: The phases of the locations that are not cut.
Inside = Mapping[str, Phase]


def bads_of(program: Program) -> tuple[Bad, ...]:
    """All that is bad about a program."""
    return tuple(dict.fromkeys(b for c in claimed(program) for b in c.bads))


def evidence(program: Program, inside: Inside, facts: tuple[Term, ...], bads: tuple[Bad, ...]) -> CrowdReduced | str:
    """What engines show of blocks with these phases, or what is wrong with the phases."""
    written = (*program.threads, *(f.thread for f in program.families))
    phases = tuple(tuple(inside.get(q.name, Phase.CUT) for q in t.locations) for t in written)
    made = crowd_of_blocks(program.threads, program.families, phases, bads, Limits())
    if isinstance(made, str):
        return made
    inner, open_ = list[OfCrowds](), list(made.bads)
    for engine in (BOXES, APART, COUNTS):
        asked = Asked(made.threads, tuple(open_), program.axioms, families=made.families, init=program.init)
        try:
            for said in engine.decide(asked, Budget(allot(Limits(), 500_000)), unheard) if open_ else ():
                if isinstance(said, Excluded) and isinstance(said.evidence, CrowdKeeps | CrowdJoint):
                    inner.append(said.evidence)
                    open_ = [b for b in open_ if b not in said.bads]
        except LimitReached:
            pass
    return CrowdReduced(
        program.threads, program.families, phases, facts, tuple(inner), program.init, bads, program.axioms
    )


def at(copy: int, place: str) -> Term:
    """That a copy is at a location."""
    return build.variable(at_place(f"T[#{copy}]", place), BOOL)


def held(program: Program, copy: int, inside: Inside) -> Term:
    """A copy that is inside holds the lock."""
    (thread,) = (apart(t) for t in crowd(program.families, (copy,))[copy - 1 :])
    (identity,) = (v.var for v in thread.variables if v.var.name.endswith(".i"))
    return build.land(*(build.implies(at(copy, q), build.eq(build.variable("m"), identity)) for q in inside))


def refused(ruling: Ruling) -> str:
    """The obligation that fails."""
    assert isinstance(ruling, Rejected), ruling
    return ruling.obligation


def inside_of(program: Program) -> Inside:
    """All locations between the lock and the release as before the commit."""
    (family,) = program.families
    last = {e.source for e in family.thread.edges if e.label is not None} | {family.thread.initial, "exit"}
    return {q.name: Phase.BEFORE for q in family.thread.locations if q.name not in last}


def made(text: str, facts: bool = True) -> CrowdReduced:
    """Evidence with the section as one block."""
    program = program_of(text)
    inside = inside_of(program)
    said = evidence(program, inside, (held(program, 1, inside),) if facts else (), bads_of(program))
    assert isinstance(said, CrowdReduced)
    return said


def test_a_section_of_any_copy_is_a_block() -> None:
    assert isinstance(check_crowd_reduced(made(SECTION), Limits()), Accepted)


def test_steps_that_do_not_commute_with_those_of_another_copy_are_no_block() -> None:
    assert refused(check_crowd_reduced(made(SECTION, facts=False), Limits())) == "commuting steps"


def test_a_lock_that_protects_nothing_makes_no_fact() -> None:
    open_ = SECTION.replace("await m == 0 { m := i; }", "await m == 0 { m := 0; }")
    assert refused(check_crowd_reduced(made(open_), Limits())) == "inductive lemma"


def test_what_a_third_copy_makes_false_is_no_fact() -> None:
    """The number is what two copies have added: so it is while there are no others."""
    program = program_of(
        "global n : int = 0; thread T[*] { atomic { n := n + 1; } A: skip; n := n - 0; } invariant few : n <= 2;"
    )
    (family,) = program.families
    start = family.thread.initial
    few = build.implies(build.land(at(1, start), at(2, start)), build.eq(build.variable("n"), build.ZERO))
    said = evidence(program, {}, (few,), bads_of(program))
    assert isinstance(said, CrowdReduced)
    assert refused(check_crowd_reduced(said, Limits())) in ("composed blocks", "inductive lemma")
    without = replace(said, never=(), inner=())
    assert refused(check_crowd_reduced(without, Limits())) == "inductive lemma"


def test_facts_about_a_third_copy_are_refused() -> None:
    program = program_of(SECTION)
    inside = inside_of(program)
    third = replace(made(SECTION), facts=(held(program, 3, inside),))
    assert refused(check_crowd_reduced(third, Limits())) == "well-formed facts"


def test_a_claim_that_a_block_would_hide_is_noticed() -> None:
    text = SECTION.replace("m == 0 ==> x == 0", "x == 0")
    assert refused(check_crowd_reduced(made(text), Limits())) == "unnoticed step"


def test_inner_evidence_about_another_program_proves_nothing() -> None:
    one, other = made(SECTION), made(SECTION.replace("r + 1", "r + 1 - 1 + 1").replace("x - 1", "x - r - 1"))
    assert refused(check_crowd_reduced(replace(one, inner=other.inner), Limits())) == "composed blocks"


def forged(seeds: range, most: int) -> tuple[int, list[int]]:
    """How many spoilt reductions are accepted, and those of them that prove something false."""
    accepted, wrong = 0, list[int]()
    for seed in seeds:
        rng, sketch = Random(seed), sketch_of_sections(seed)
        program = program_of(sketch.text())
        about = Crowd(program.threads, program.families, program.init, program.axioms)
        found = crowd_reduction(about, bads_of(program), None, rng.random() < 0.5, Limits(), 0)
        inside = {q: phase for cuts in found.cuts for q, phase in cuts.phases.items()}
        for q in rng.sample(sorted(inside), min(2, len(inside))):
            inside[q] = rng.choice((Phase.BEFORE, Phase.AFTER, Phase.CUT))
        facts = tuple(f for f in found.lemmas if rng.random() < 0.9)
        for place, claim in places(claimed(program)):
            said = evidence(program, inside, facts, claim.bads)
            if isinstance(said, CrowdReduced) and isinstance(check_of_crowds(said, Limits()), Accepted):
                accepted += 1
                if any(violated(sketch, place, n) for n in range(most + 1)):
                    wrong.append(seed)
    return accepted, wrong


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [0, 150])
def test_reductions_with_other_phases_and_without_some_facts_prove_nothing_that_is_false(first: int) -> None:
    accepted, wrong = forged(range(first, first + 150), 3)
    assert accepted
    assert not wrong
