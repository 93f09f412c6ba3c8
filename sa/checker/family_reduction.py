"""Checks proofs by Lipton's reduction where there are families of any number (THEORY section 16).

Each condition of a reduction is about two threads, so it holds of any number of copies if it holds of threads and two
symbolic copies. Facts hold of any different copies if a step of one copy keeps what is said of any two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.family import Family, at, crowd, different, family_fault, in_place_of, spoken_of, symbolic_name
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.certificates.families import CrowdJoint, CrowdKeeps
from sa.certificates.family_reduction import SPOKEN, Crowd, CrowdReduced, OfCrowds, crowd_of, excluded_in_crowds
from sa.certificates.family_reduction_json import Composing
from sa.certificates.reduced import Phase
from sa.certificates.run import Bad
from sa.certificates.threads import Lemmas
from sa.checker.blocks import Phases, bads_of_blocks, phases_of
from sa.checker.commuting import commutations, progress, unnoticed
from sa.checker.families import check_crowd_joint, check_crowd_keeps, further_copies
from sa.checker.lemmas import Setting, check_lemmas
from sa.checker.never import discharged, program_fault
from sa.checker.obligation import Obligation
from sa.checker.reduced import blocks_in_phases
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.solvers import Z3, Solvers
from sa.terms.substitute import substitution
from sa.terms.term import Term, Var

#: Copies of each family that are looked at: those that a fact speaks of, and one more, which may take a step.
LOOKED_AT = SPOKEN + 1


def check_of_crowds(proof: OfCrowds, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether a proof excludes what it says it does, for any number of copies.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    match proof:
        case CrowdKeeps():
            return check_crowd_keeps(proof, bounds, seed, solvers)
        case CrowdJoint():
            return check_crowd_joint(proof, bounds, seed, solvers)
        case CrowdReduced():
            return check_crowd_reduced(proof, bounds, seed, solvers)
        case _:
            assert_never(proof)


def check_crowd_reduced(made: CrowdReduced, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the reduction is one, and its inner evidence excludes what is bad. Raises as `check_of_crowds`."""
    composed = crowd_of_blocks(made.threads, made.families, made.phases, made.never, bounds)
    if isinstance(composed, str):
        return Rejected("phases", composed)
    fault = _facts_fault(made)
    if fault is not None:
        return Rejected("well-formed facts", fault)
    about = Crowd(composed.threads, composed.families, made.init, made.axioms)
    if any(crowd_of(inner) != about for inner in made.inner):
        return Rejected("composed blocks", "the inner evidence is about another program")
    if not set(composed.bads) <= set[Bad]().union(*map(excluded_in_crowds, made.inner)):
        return Rejected("composed blocks", "the inner evidence does not exclude all that is bad")
    ruling = _check_facts(made, bounds, seed, solvers)
    if isinstance(ruling, Accepted):
        known = different(made.families, _claimed(made))
        ruling = discharged(_obligations(made), made.axioms, bounds, seed, solvers, known)
    for inner in made.inner:
        if isinstance(ruling, Accepted):
            ruling = check_of_crowds(inner, bounds, seed, solvers)
    return ruling


class CrowdOfBlocks(Struct, frozen=True, eq=False):
    """Threads and families with blocks as steps, and what is bad of them."""

    threads: tuple[Automaton, ...]
    families: tuple[Family, ...]
    bads: tuple[Bad, ...]


def crowd_of_blocks(
    threads: tuple[Automaton, ...],
    families: tuple[Family, ...],
    phases: Sequence[Sequence[Phase]],
    never: Sequence[Bad],
    bounds: Limits,
) -> CrowdOfBlocks | str:
    """The program whose steps are blocks, or what is wrong with the phases. Raises LimitReached."""
    fault = next((fault for f in families if (fault := family_fault(f)) is not None), None)
    written = (*threads, *(f.thread for f in families))
    made = fault or blocks_in_phases(written, phases, never, bounds)
    if isinstance(made, str):
        return made
    of_families = zip(families, made.threads[len(threads) :], strict=True)
    bads = tuple(dict.fromkeys(b for bad in never for b in bads_of_blocks(bad, made)))
    return CrowdOfBlocks(made.threads[: len(threads)], tuple(replace(f, thread=t) for f, t in of_families), bads)


def composing(bounds: Limits) -> Composing:
    """The program that an inner proof is about, as the checker makes it."""

    def composed(about: Crowd, phases: Sequence[Sequence[Phase]], never: Sequence[Bad]) -> Crowd | str:
        made = crowd_of_blocks(about.threads, about.families, phases, never, bounds)
        return made if isinstance(made, str) else Crowd(made.threads, made.families, about.init, about.axioms)

    return composed


def _facts_fault(made: CrowdReduced) -> str | None:
    """Facts speak of threads and of so many copies of each family as are looked at."""
    everyone = (*made.threads, *crowd(made.families, [SPOKEN] * len(made.families)))
    known = frozenset(v for t in map(apart, everyone) for v in _names(t))
    if any(not fact.free <= known for fact in made.facts):
        return "a fact is not about the threads and two copies of each family"
    return program_fault((*made.threads, *crowd(made.families, _claimed(made))))


def _names(thread: Automaton) -> Iterator[Var]:
    yield from (v.var for v in thread.variables)
    yield from (at(thread.name, q.name) for q in thread.locations)


def _claimed(made: CrowdReduced) -> tuple[int, ...]:
    """Copies of each family that are looked at: those that claims speak of, and one more."""
    claims = [bad.claim for bad in made.never if bad.claim is not None]
    return tuple(max((LOOKED_AT, *(1 + spoken_of(c, f) for c in claims))) for f in made.families)


def _check_facts(made: CrowdReduced, bounds: Limits, seed: int, solvers: Solvers) -> Ruling:
    """Whether the facts, said of any different copies, are inductive. The first copy stands for all that take steps."""
    counts = [LOOKED_AT] * len(made.families)
    everyone = (*made.threads, *crowd(made.families, counts))
    actors = frozenset(t.name for t in (*made.threads, *crowd(made.families, [1] * len(made.families))))
    facts = _of_any_copies(made, LOOKED_AT)
    setting = Setting(made.init, different(made.families, counts), actors)
    return check_lemmas(Lemmas(everyone, facts, (), made.axioms), bounds, seed, solvers, setting)


def _of_any_copies(made: CrowdReduced, count: int) -> tuple[Term, ...]:
    """The facts about the first two copies of each family said of any two of so many."""
    said = dict[Term, None]()
    for chosen in product(*(permutations(range(1, count + 1), SPOKEN) for _ in made.families)):
        names = dict[Var, Term]()
        for family, numbers in zip(made.families, chosen, strict=True):
            for first, number in enumerate(numbers, 1):
                names |= _in_place_of(family, first, number)
        said |= dict.fromkeys(map(substitution(names), made.facts))
    return tuple(said)


def _in_place_of(family: Family, one: int, other: int) -> dict[Var, Term]:
    """The names of what facts say of one symbolic copy, replaced by those of another one."""
    first, second = symbolic_name(family, one), symbolic_name(family, other)
    places = (q.name for q in family.thread.locations)
    return {**in_place_of(family, one, other), **{at(first, q): at(second, q) for q in places}}


def _obligations(made: CrowdReduced) -> Iterator[Obligation]:
    """Two copies of each family commute like any two; the conditions on one thread are about the first of them."""
    yield from further_copies(made.families, made.init)
    threads, phases = _beside(made, [SPOKEN] * len(made.families))
    facts = _of_any_copies(made, SPOKEN)
    yield from commutations(threads, phases, facts)
    yield from progress(threads, phases, facts)
    claims = [b.claim for b in made.never if b.claim is not None]
    if claims:
        counts = _claimed(made)
        yield from unnoticed(*_beside(made, counts), _of_any_copies(made, min(counts)), claims)


def _beside(made: CrowdReduced, counts: Sequence[int]) -> tuple[tuple[Automaton, ...], tuple[Phases, ...]]:
    """The threads and so many copies of each family with names of their own, and their phases."""
    once = len(made.threads)
    of_families = zip(made.phases[once:], counts, strict=True)
    listed = (*made.phases[:once], *(its for its, count in of_families for _ in range(count)))
    threads = (*made.threads, *crowd(made.families, counts))
    return tuple(map(apart, threads)), tuple(phases_of(t, its) for t, its in zip(threads, listed, strict=True))
