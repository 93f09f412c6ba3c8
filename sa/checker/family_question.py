"""What a refinement question asks where there are families of any number: the same for every number of copies.

With n copies on both sides it is a question about ordinary programs, in which a concrete copy and the abstract one that
it refines have the same identity. Proofs are about one copy that stands for all, its identity a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Origin, Variable
from sa.automata.family import Family, copies, family_fault, numbers, parameter_of, representative
from sa.automata.program import Pairing, Program, Refinement
from sa.certificates.ghosts import Ghost
from sa.checker.ghosts import fault_of_shared, program_with_ghosts
from sa.checker.question import NoQuestion, Question, question, silently
from sa.terms.name import element
from sa.terms.term import Var


class FamilyQuestion(Struct, frozen=True):
    """Two programs with threads and families that are paired in the same order.

    `one` is about the threads and one copy of each family; `identities` are the places of these in its pairs, each with
    the parameter that is the copy's identity on both sides. `whole`: declared environments are left out.
    """

    abstract: Program
    concrete: Program
    block: Refinement | None
    one: Question
    identities: tuple[tuple[int, Var], ...]
    whole: bool


def with_ghosts(asked: FamilyQuestion, ghosts: Sequence[Ghost]) -> FamilyQuestion:
    """The question about the concrete program with ghosts: who says yes says yes to `asked`. Raises NoQuestion.

    They change nothing of what the program does, and what is related is still related.
    """
    if not ghosts:
        return asked
    fault = fault_of_shared(ghosts, asked.concrete)
    taken = {v.var.name for v in asked.abstract.variables} | {f.name for f in asked.abstract.functions}
    if fault is None and any(g.var.name in taken for g in ghosts):
        fault = "a ghost has a name that the abstract side uses, and might be related to it"
    if fault is not None:
        raise NoQuestion(fault)
    return _about_families(asked.abstract, program_with_ghosts(ghosts, asked.concrete), asked.block, asked.whole)


def asked_of(abstract: Program, concrete: Program, block: Refinement | None, whole: bool) -> Question | FamilyQuestion:
    """The question about two programs. Raises NoQuestion."""
    if abstract.families or concrete.families:
        return _about_families(abstract, concrete, block, whole)
    return question(abstract, concrete, block, whole)


def without_families(asked: Question) -> FamilyQuestion:
    """A question about a closed program of several threads as one with families of which there are none.

    Raises NoQuestion.
    """
    if not asked.closed or len(asked.pairs) < 2:
        raise NoQuestion("nothing is put together: the question is not about a closed program of several threads")
    aligned = replace(asked.abstract, threads=_in_order(asked, asked.concrete))
    return FamilyQuestion(aligned, asked.concrete, asked.block, asked, (), whole=True)


def _in_order(asked: Question, concrete: Program) -> tuple[Automaton, ...]:
    """The abstract threads in the order of the concrete ones, which are no copies, that refine them."""
    own = {t.name for t in concrete.threads}
    return tuple(p.abstract for p in asked.pairs if p.concrete.name in own)


def with_copies(asked: FamilyQuestion, counts: Sequence[int]) -> Question:
    """The question about programs with so many copies of each family, at least one. Raises NoQuestion."""
    if len(counts) != len(asked.concrete.families) or any(n < 1 for n in counts):
        raise NoQuestion("a number of copies is expected for each family")
    first, second = (
        replace(p, threads=(*p.threads, *copies(p.families, counts)), families=())
        for p in (asked.abstract, asked.concrete)
    )
    block = asked.block
    if block is not None:
        block = replace(block, pairings=tuple(_pairings(asked, block, counts)))
    return question(first, second, block, True)


def _pairings(asked: FamilyQuestion, block: Refinement, counts: Sequence[int]) -> Iterator[Pairing]:
    """What the block says of threads, and of families said of each of their copies."""
    families = {f.thread.name for f in asked.concrete.families}
    yield from (p for p in block.pairings if p.concrete not in families)
    for mine, theirs, own in zip(asked.concrete.families, asked.abstract.families, numbers(counts), strict=True):
        for n in own:
            yield Pairing(element(mine.thread.name, n), element(theirs.thread.name, n), Origin(None))


def _about_families(abstract: Program, concrete: Program, block: Refinement | None, whole: bool) -> FamilyQuestion:
    if block is not None and block.silent_exit:
        abstract, concrete = _silent(abstract), _silent(concrete)
    partners = tuple(_partners(abstract, concrete, block))
    fault = next((f for family in (*partners, *concrete.families) if (f := family_fault(family)) is not None), None)
    if fault is not None:
        raise NoQuestion(fault)
    identities = tuple(parameter_of(f) for f in concrete.families)
    programs = (_one_copy(abstract, partners, identities), _one_copy(concrete, concrete.families, identities))
    asked = question(*programs, block, whole)
    if not asked.closed:
        raise NoQuestion("there are families of any number, and an environment is declared")
    places = {p.concrete.name: place for place, p in enumerate(asked.pairs)}
    numbered = (places[f.thread.name] for f in concrete.families)
    aligned = replace(abstract, threads=_in_order(asked, concrete), families=partners)
    return FamilyQuestion(aligned, concrete, block, asked, tuple(zip(numbered, identities, strict=True)), whole)


def _partners(abstract: Program, concrete: Program, block: Refinement | None) -> Iterator[Family]:
    """The abstract families in the order of the concrete ones that refine them."""
    written = {p.concrete: p.abstract for p in (block.pairings if block is not None else ())}
    left = {f.thread.name: f for f in abstract.families}
    for family in concrete.families:
        partner = left.pop(written.get(family.thread.name, family.thread.name), None)
        if partner is None:
            raise NoQuestion(f"no abstract family is paired with the concrete family {family.thread.name} alone")
        yield partner
    if left:
        raise NoQuestion(f"the abstract family {next(iter(left))} has no partner")


def _silent(program: Program) -> Program:
    """The program with nothing to be seen of the ends of its threads and copies."""
    families = tuple(replace(f, thread=silently(f.thread)) for f in program.families)
    return replace(program, threads=tuple(map(silently, program.threads)), families=families)


def _one_copy(program: Program, families: Sequence[Family], identities: Sequence[Var]) -> Program:
    made = tuple(representative(f, identity) for f, identity in zip(families, identities, strict=True))
    known = tuple(_declared(thread, identity) for thread, identity in zip(made, identities, strict=True))
    return replace(program, variables=(*program.variables, *known), threads=(*program.threads, *made), families=())


def _declared(thread: Automaton, identity: Var) -> Variable:
    return next(v for v in thread.variables if v.kind is Kind.PARAM and v.var == identity)
