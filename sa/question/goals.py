"""From two programs and a refinement block to goals: who refines whom, κ, ι, and in which environment.

The defaults are those of LANGUAGE: threads are paired by name, equal globals are related always, equal locals
at the start. A block's `relate` replaces them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from math import prod
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import EXIT, Automaton, Edge, Kind, Origin, edges_from, variables_of
from sa.automata.program import Formula, Program, Refinement, Related
from sa.automata.rename import on_side, own_local
from sa.automata.scheduler import serving
from sa.base.diagnostic import Diagnostic, InputError, Label, error
from sa.certificates.goal import Goal
from sa.conditions.composition import product
from sa.conditions.environment import closed, declared, reflexive
from sa.terms import build
from sa.terms.solve import given
from sa.terms.substitute import primed, sided, substitute, unsided
from sa.terms.term import Term, Var


class Pairing(Struct, frozen=True):
    """A concrete thread (or product) and the abstract one it is to refine."""

    concrete: Automaton
    abstract: Automaton


#: Joint locations of a program that are too many for searches at all of them, and too many for plays on values.
LARGE, LARGE_FOR_PLAYS = 5_000, 100_000

#: A formula about both sides.
Said = TypeVar("Said", Formula, Related)


def goals(abstract: Program, concrete: Program, block: Refinement | None, whole: bool) -> tuple[Goal, ...]:
    """The goals of a refinement question. Raises InputError.

    Threads with declared environments are paired one by one; programs without any are closed, and the claim is
    about their products. `whole` always closes the programs.
    """
    if block is not None and block.silent_exit:
        abstract, concrete = (replace(p, threads=tuple(map(silently, p.threads))) for p in (abstract, concrete))
    pairs = pairings(abstract, concrete, block)
    rely = block.rely if block is not None else ()
    if whole or closes(abstract, concrete, block):
        return (_goal(_together(pairs), abstract, concrete, _said(block, pairs, pairs), is_closed=True),)
    second, first = ({t.name: t for t in _in_environments(p, rely).threads} for p in (concrete, abstract))
    alone = (Pairing(second[p.concrete.name], first[p.abstract.name]) for p in pairs)
    return tuple(_goal(p, abstract, concrete, _said(block, (p,), pairs), is_closed=False) for p in alone)


def _together(pairs: tuple[Pairing, ...]) -> Pairing:
    """The compositions, where nobody else moves. Paired threads' locals have the same names on both sides."""
    sides = zip(*((p.concrete, replace(p.abstract, name=p.concrete.name)) for p in pairs), strict=True)
    return Pairing(*(closed(product(threads)) for threads in sides))


def pairings(abstract: Program, concrete: Program, block: Refinement | None) -> tuple[Pairing, ...]:
    """Who refines whom. Raises InputError where the programs and the block make no question."""
    pairs = _pairings(abstract, concrete, block)
    problems = (*_type_clashes(abstract, concrete), *_strangers(block, pairs))
    if problems:
        raise InputError(problems)
    return pairs


def closes(abstract: Program, concrete: Program, block: Refinement | None) -> bool:
    """Whether nobody declares an environment, so that the programs are all there is."""
    return not (block is not None and block.rely) and not any(
        declared(t) for t in (*abstract.threads, *concrete.threads)
    )


def is_large(program: Program, most: int = LARGE) -> bool:
    """Whether there are too many joint locations to look at all of them."""
    return joint_locations(program.threads) > most


def joint_locations(threads: Sequence[Automaton]) -> int:
    """How many there are, as far as some edge of each thread leads to its own."""
    return prod(len({t.initial, *(e.target for e in t.edges)}) for t in threads)


def some_threads(abstract: Program, concrete: Program, block: Refinement | None) -> Goal | None:
    """The goal about some of the threads by themselves, as many as make no large product; one of each text first.

    What holds of them need not hold of all. None where the block speaks of others.
    """
    try:
        pairs = pairings(abstract, concrete, block)
        kept, texts = list[Pairing](), dict.fromkeys(p.concrete.origin.span for p in pairs)
        firsts = [next(p for p in pairs if p.concrete.origin.span == text) for text in texts]
        for pair in (*firsts, *(p for p in pairs if p not in firsts)):
            more = [p for p in pairs if p in kept or p is pair]
            if not any(is_large(p) for p in _only(abstract, concrete, more)):
                kept = more
        return goals(*_only(abstract, concrete, kept), block, whole=True)[0] if kept else None
    except InputError:
        return None


def _only(abstract: Program, concrete: Program, pairs: Sequence[Pairing]) -> tuple[Program, Program]:
    first, second = (p.abstract for p in pairs), (p.concrete for p in pairs)
    return replace(abstract, threads=tuple(first)), replace(concrete, threads=tuple(second))


def thread_goals(abstract: Program, concrete: Program, block: Refinement | None) -> tuple[Goal, ...]:
    """Goals of the pairs of threads as if each were alone: for questions about their texts. Raises InputError."""
    first, second = (replace(p, threads=tuple(closed(t) for t in p.threads)) for p in (abstract, concrete))
    return tuple(replace(goal, closed=True) for goal in goals(first, second, block, whole=False))


def _in_environments(program: Program, rely: tuple[Formula, ...]) -> Program:
    """The threads in their declared environments and the block's; in that of a single one without any nothing changes.

    Raises InputError where a thread has no environment and others have.
    """
    return replace(program, threads=tuple(_opened(t, rely, len(program.threads) == 1) for t in program.threads))


def _opened(automaton: Automaton, rely: tuple[Formula, ...], alone: bool) -> Automaton:
    if rely or declared(automaton):
        said = [_on_this_side(f, automaton) for f in rely]
        places = (replace(q, env=build.land(*([] if q.env is None else [q.env]), *said)) for q in automaton.locations)
        return replace(automaton, locations=tuple(places))
    if not alone:
        hint = "write a rely for each thread, or for none: then environments are inferred from the programs"
        message = f"the thread `{automaton.name}` has no rely, but other threads here do"
        raise InputError((error("SA406", message, automaton.origin.span, hint),))
    return closed(automaton)


def _on_this_side(rely: Formula, automaton: Automaton) -> Term:
    """What a rely of a block says of one side: of globals that only the other side has it says nothing here."""
    rigid = frozenset(variables_of(automaton, Kind.PARAM))
    here = frozenset(w for v in variables_of(automaton, Kind.GLOBAL) for w in (v, primed(v)))
    conjuncts = [c for c in build.conjuncts(rely.term) if c.free <= rigid or not c.free.isdisjoint(here)]
    missing = sorted({v.name for c in conjuncts for v in c.free - here - rigid})
    if missing:
        message = f"this rely applies to both sides, but one of them has no `{missing[0]}`"
        hint = "write it in the threads of the other side"
        raise InputError((error("SA409", message, rely.origin.span, hint),))
    return build.land(*conjuncts)


def _pairings(abstract: Program, concrete: Program, block: Refinement | None) -> tuple[Pairing, ...]:
    written = {p.concrete: p for p in block.pairings} if block is not None else {}
    sources = {t.name: t for t in abstract.threads}
    targets = {t.name: t for t in concrete.threads}
    pairs_exist(abstract, concrete, block)
    problems, pairs, left = list[Diagnostic](), list[Pairing](), dict(sources)
    for thread in concrete.threads:
        wanted = written[thread.name].abstract if thread.name in written else thread.name
        if wanted not in sources:
            problems.append(_alone(thread, "concrete", sources))
        elif (partner := left.pop(wanted, None)) is None:
            problems.append(error("SA402", f"two threads refine `{wanted}`", thread.origin.span))
        else:
            pairs.append(Pairing(thread, partner))
    problems.extend(_alone(t, "abstract", targets) for t in left.values())
    if problems:
        raise InputError(tuple(problems))
    if not pairs:
        raise InputError((error("SA403", "there are no threads to compare"),))
    return tuple(pairs)


def _alone(thread: Automaton, side: str, others: Mapping[str, Automaton]) -> Diagnostic:
    other = "abstract" if side == "concrete" else "concrete"
    listed = ", ".join(f"`{n}`" for n in others) or "none"
    hint = f"the {other} threads are: {listed}; pair names that differ with `thread C refines A;`"
    return error("SA404", f"the {side} thread `{thread.name}` has no partner", thread.origin.span, hint)


def pairs_exist(abstract: Program, concrete: Program, block: Refinement | None) -> None:
    """Raises InputError where a block pairs a thread, or a family, that is not there."""
    sources, targets = ([t.name for t in (*p.threads, *(f.thread for f in p.families))] for p in (abstract, concrete))
    problems = [
        error("SA401", f"no {side} thread `{name}`", pairing.origin.span, _closest(name, known))
        for pairing in (block.pairings if block is not None else ())
        for name, known, side in ((pairing.concrete, targets, "concrete"), (pairing.abstract, sources, "abstract"))
        if name not in known
    ]
    if problems:
        raise InputError(tuple(problems))


def _closest(name: str, known: Sequence[str]) -> str | None:
    close = get_close_matches(name, known, 1)
    return f"did you mean `{close[0]}`?" if close else None


def _type_clashes(abstract: Program, concrete: Program) -> Iterator[Diagnostic]:
    theirs = {v.var.name: v for v in abstract.variables}
    for mine in concrete.variables:
        other = theirs.get(mine.var.name)
        if other is None:
            continue
        if other.var.sort != mine.var.sort or (Kind.PARAM in (mine.kind, other.kind) and mine.kind != other.kind):
            labels = () if other.origin.span is None else (Label(other.origin.span, "declared differently here"),)
            yield error(
                "SA405",
                f"`{mine.var.name}` is declared differently on the two sides",
                mine.origin.span,
                "rename one of them, or give both the same type",
                labels,
            )


def _said(block: Refinement | None, pairs: tuple[Pairing, ...], every: tuple[Pairing, ...]) -> Refinement | None:
    """The block as it is meant for some pairs, of `every` pair there is: those of one goal."""
    if block is None:
        return None
    known = _locals(every)

    def meant(formulas: tuple[Said, ...]) -> tuple[Said, ...]:
        return tuple(r for f in formulas for r in _about(f, pairs, known))

    related = None if block.relate is None else meant(block.relate)
    return replace(block, relate=related, pre=meant(block.pre), inv=meant(block.inv))


def _about(formula: Said, pairs: tuple[Pairing, ...], known: frozenset[Var]) -> Iterator[Said]:
    """A formula about both sides, once; with locals, once for each of the pairs that has them all."""
    mentioned = formula.term.free & known
    if not mentioned:
        yield formula
        return
    for pair in pairs:
        own = _own(pair)
        if mentioned <= own.keys():
            yield replace(formula, term=substitute(formula.term, own)) if len(pairs) > 1 else formula


def _own(pair: Pairing) -> dict[Var, Term]:
    """The locals of a pair of threads, as formulas about both sides name them, and their names in the products."""
    sides = ((pair.concrete, "conc"), (pair.abstract, "abs"))
    return {
        sided(v, side): sided(own_local(pair.concrete.name, v), side)
        for thread, side in sides
        for v in variables_of(thread, Kind.LOCAL)
    }


def _locals(pairs: tuple[Pairing, ...]) -> frozenset[Var]:
    return frozenset(v for pair in pairs for v in _own(pair))


def _strangers(block: Refinement | None, pairs: tuple[Pairing, ...]) -> Iterator[Diagnostic]:
    """Formulas of the block with locals that no pair of threads has together."""
    known = _locals(pairs)
    for formula in () if block is None else (*map(_formula, block.relate or ()), *block.pre, *block.inv):
        if not any(True for _ in _about(formula, pairs, known)):
            hint = "the locals in a formula belong to one thread and the one that it refines"
            yield error("SA408", "this mentions locals of threads that are not paired", formula.origin.span, hint)


def _formula(related: Related) -> Formula:
    return Formula(related.term, related.origin)


def _goal(pair: Pairing, abstract: Program, concrete: Program, block: Refinement | None, is_closed: bool) -> Goal:
    start, always = _related(pair, block)
    sides = ((pair.concrete, "conc"), (pair.abstract, "abs"))
    (first, first_added), (second, second_added) = (reflexive(on_side(thread, side)) for thread, side in sides)
    name, other = pair.concrete.name, pair.abstract.name
    return Goal(
        name if name == other else f"{name} refines {other}",
        first,
        second,
        start,
        always,
        tuple(dict.fromkeys((*abstract.axioms, *concrete.axioms))),
        is_closed,
        block is not None and block.choose_init,
        first_added or second_added,
        loops_end=block is not None and block.loops_end,
        serving=serving(concrete.scheduler),
    )


def _related(pair: Pairing, block: Refinement | None) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
    """κ and ι: how the two sides are related at the start, and always."""
    if block is not None and block.relate is not None:
        related = tuple(map(_formula, block.relate))
        return (*related, *block.pre), (*related, *block.inv)
    alike = tuple(_equal(pair.concrete, pair.abstract))
    # Where a local of the same name starts is no matter for locals that start with a value of their own.
    begun = given(pair.abstract.init, frozenset(v.var for v in pair.abstract.variables if v.kind is Kind.LOCAL))
    shared = tuple(f for kind, f in alike if kind is Kind.GLOBAL)
    start = (*shared, *(f for kind, f in alike if kind is Kind.LOCAL and begun.isdisjoint(map(unsided, f.term.free))))
    return (start, shared) if block is None else ((*start, *block.pre), (*shared, *block.inv))


def _equal(concrete: Automaton, abstract: Automaton) -> Iterator[tuple[Kind, Formula]]:
    """That variables that both sides have are equal, with their kind. Schedulers' own need not be."""
    theirs = {v.var.name: v for v in abstract.variables if v.kind is not Kind.PARAM and not v.of_scheduler}
    for mine in concrete.variables:
        other = None if mine.of_scheduler else theirs.get(mine.var.name)
        if other is not None and other.kind is mine.kind and other.var.sort == mine.var.sort:
            same = build.eq(sided(mine.var, "conc"), sided(other.var, "abs"))
            yield mine.kind, Formula(same, Origin(mine.origin.span, f"`{mine.var.name}` is equal on both sides"))


def silently(thread: Automaton) -> Automaton:
    """The thread with nothing to be seen of its end, an `exit` without values that nothing follows."""
    leaving = edges_from(thread)

    def is_end(edge: Edge) -> bool:
        label = edge.label
        return label is not None and (label.action, label.values) == (EXIT, ()) and not leaving[edge.target]

    return replace(thread, edges=tuple(replace(e, label=None) if is_end(e) else e for e in thread.edges))
