"""Refinement questions about families of any number, as questions about programs without them (THEORY section 12).

With n copies on both sides two programs are ordinary ones. One copy that stands for all has its identity as a
parameter. Families are paired like threads, and a concrete copy refines the abstract one with its own identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.automata.family import Family, copies, numbers, parameter_of, representative
from sa.automata.program import Pairing, Program, Refinement
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.question.goals import pairs_exist, silently
from sa.terms.name import element
from sa.terms.term import Var


class Crowds(Struct, frozen=True):
    """Two programs whose threads and families are paired in their order, with parameters for copies' identities."""

    abstract: Program
    concrete: Program
    block: Refinement | None
    identities: tuple[Var, ...]


class Sides(Struct, frozen=True):
    """Two programs without families, and the block about them."""

    abstract: Program
    concrete: Program
    block: Refinement | None


def crowds(abstract: Program, concrete: Program, block: Refinement | None) -> Crowds:
    """The families of two programs, paired. Raises InputError where one has no partner."""
    pairs_exist(abstract, concrete, block)
    written = {p.concrete: p for p in block.pairings} if block is not None else {}
    left = {f.thread.name: f for f in abstract.families}
    partners, problems = list[Family](), list[Diagnostic]()
    for family in concrete.families:
        name = family.thread.name
        partner = left.pop(written[name].abstract if name in written else name, None)
        if partner is None:
            problems.append(_alone(family, "concrete", abstract))
        else:
            partners.append(partner)
    problems += (_alone(f, "abstract", concrete) for f in left.values())
    if problems:
        raise InputError(tuple(problems))
    order = [written[t.name].abstract if t.name in written else t.name for t in concrete.threads]
    # Who has no partner is an error of the question, which is made later.
    known = sorted(abstract.threads, key=lambda t: order.index(t.name) if t.name in order else len(order))
    aligned = replace(abstract, threads=tuple(known), families=tuple(partners))
    if block is not None and block.silent_exit:
        aligned, concrete = _silent(aligned), _silent(concrete)
    return Crowds(aligned, concrete, block, tuple(parameter_of(f) for f in concrete.families))


def _silent(program: Program) -> Program:
    families = tuple(replace(f, thread=silently(f.thread)) for f in program.families)
    return replace(program, threads=tuple(map(silently, program.threads)), families=families)


def _alone(family: Family, side: str, other: Program) -> Diagnostic:
    name, against = family.thread.name, "abstract" if side == "concrete" else "concrete"
    listed = ", ".join(f"`{f.thread.name}`" for f in other.families) or "none"
    hint = f"the families of any number on the {against} side are: {listed}; a family refines a family"
    return error("SA404", f"the {side} family `{name}` has no partner", family.thread.origin.span, hint)


def with_copies(asked: Crowds, counts: Sequence[int]) -> Sides:
    """The question about so many copies of each family."""
    first, second = (
        replace(p, threads=(*p.threads, *copies(p.families, counts)), families=())
        for p in (asked.abstract, asked.concrete)
    )
    block = asked.block
    return Sides(first, second, None if block is None else replace(block, pairings=_copied(asked, block, counts)))


def _copied(asked: Crowds, block: Refinement, counts: Sequence[int]) -> tuple[Pairing, ...]:
    """Pairings of threads, and of the copies of families that are paired."""
    families = {f.thread.name for f in asked.concrete.families}
    found = [p for p in block.pairings if p.concrete not in families]
    for mine, theirs, own in zip(asked.concrete.families, asked.abstract.families, numbers(counts), strict=True):
        first, second = mine.thread, theirs.thread
        found += (Pairing(element(first.name, n), element(second.name, n), Origin(None)) for n in own)
    return tuple(found)


def with_one_copy(asked: Crowds) -> Sides:
    """The question about the threads and one copy of each family, which stands for all of them."""
    first, second = (_represented(p, asked.identities) for p in (asked.abstract, asked.concrete))
    return Sides(first, second, asked.block)


def _represented(program: Program, identities: Sequence[Var]) -> Program:
    made = tuple(representative(f, own) for f, own in zip(program.families, identities, strict=True))
    known = (v for t, own in zip(made, identities, strict=True) for v in t.variables if v.var == own)
    return replace(program, variables=(*program.variables, *known), threads=(*program.threads, *made), families=())


def few_copies(asked: Crowds, most: int) -> Iterator[tuple[int, ...]]:
    """Numbers of copies of each family, from 1 to `most`: few in all first."""
    numbers = product(range(1, most + 1), repeat=len(asked.concrete.families))
    return iter(sorted(numbers, key=lambda counts: (sum(counts), counts)))
