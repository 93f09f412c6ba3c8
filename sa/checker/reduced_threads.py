"""Checks that threads may be compared with whole blocks as their steps (THEORY section 17): who refines with blocks as
steps refines as written.

Beyond what a reduction needs for claims (`reduced.py`): only commits are visible, and what they show is as if written
to a variable of their thread, so moving past other steps does not change it. Behind a commit there is one way to go on,
since Duplicator answers the commit. What ι says may not be noticed to change inside of blocks. Steps that change
nothing are left out before all that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Variable
from sa.base.limits import Limits
from sa.certificates.reduced import Phase, ReducedThreads
from sa.certificates.threads import Lemmas
from sa.checker.blocks import Phases, blocks_shown, cycle_fault, phases_of
from sa.checker.commuting import commutations, known_at, progress, unnoticed
from sa.checker.joint_locations import in_words
from sa.checker.lemmas import check_lemmas
from sa.checker.never import discharged, program_fault, taking
from sa.checker.obligation import Case, Obligation
from sa.checker.question import Pair, Question, related
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.solvers import Z3, Solvers
from sa.checker.threads import apart
from sa.terms.build import FALSE, conjoined, conjuncts, eq, land, variable
from sa.terms.name import Name
from sa.terms.substitute import sided, substitute
from sa.terms.term import Term, Var, sort_of

#: What holds where threads are at locations.
Known: TypeAlias = Callable[[Mapping[str, str]], tuple[Term, ...]]


def check_reduced_threads(
    asked: Question, made: ReducedThreads, bounds: Limits, seed: int = 0, solvers: Solvers = Z3
) -> Ruling:
    """Whether the question with blocks as concrete steps, where PROVED, proves the question.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    fault = _fault(asked, made)
    if fault is not None:
        return Rejected("phases", fault)
    phases = tuple(phases_of(t, its) for t, its in zip(made.threads, made.phases, strict=True))
    ruling = check_lemmas(Lemmas(made.threads, made.facts, (), asked.axioms), bounds, seed, solvers)
    if isinstance(ruling, Accepted):
        iota = land(*(f.term for f in related(asked)[1]))
        ruling = discharged(_obligations(made, phases, iota), asked.axioms, bounds, seed, solvers)
    return ruling


def question_of_blocks(asked: Question, made: ReducedThreads, bounds: Limits) -> Question | str:
    """The question with blocks as the steps of the concrete threads, or what is wrong with the phases.

    Raises LimitReached.
    """
    fault = _fault(asked, made)
    if fault is not None:
        return fault
    phases = tuple(phases_of(t, its) for t, its in zip(made.threads, made.phases, strict=True))
    silent = tuple(_without_seen(t, its)[0] for t, its in zip(_busy(made), phases, strict=True))
    blocks = blocks_shown(silent, phases, bounds)
    pairs = tuple(Pair(block, pair.abstract) for block, pair in zip(blocks, asked.pairs, strict=True))
    return replace(asked, concrete=replace(asked.concrete, threads=blocks), pairs=pairs)


def _fault(asked: Question, made: ReducedThreads) -> str | None:
    threads = tuple(p.concrete for p in asked.pairs)
    if not asked.closed or len(threads) < 2:
        return "the question is not about a closed program of several threads"
    if made.threads != threads:
        return "the reduction is of other threads"
    if [len(its) for its in made.phases] != [len(t.locations) for t in threads]:
        return "there is not a phase for each location of each thread"
    if len(made.idle) != len(threads) or any(
        max(its, default=0) >= len(threads[n].edges) for n, its in enumerate(made.idle)
    ):
        return "steps are left out that are none"
    if not all(map(_is_loop, _idle(made))):
        return "a step that is left out is visible, or leads elsewhere"
    faults = (f for t, its in zip(_busy(made), made.phases, strict=True) for f in _phase_faults(t, phases_of(t, its)))
    return program_fault(threads) or next(faults, None)


def _idle(made: ReducedThreads) -> tuple[Edge, ...]:
    return tuple(t.edges[k] for t, its in zip(made.threads, made.idle, strict=True) for k in its)


def _is_loop(edge: Edge) -> bool:
    return edge.label is None and edge.failure is None and edge.source == edge.target


def _busy(made: ReducedThreads) -> tuple[Automaton, ...]:
    """The threads without their idle steps."""
    return tuple(
        replace(t, edges=tuple(e for k, e in enumerate(t.edges) if k not in its))
        for t, its in zip(made.threads, made.idle, strict=True)
    )


def _phase_faults(thread: Automaton, phases: Phases) -> Iterator[str]:
    if phases[thread.initial] is not Phase.CUT:
        yield f"{thread.name}: the initial location is inside of a block"
    for edge in _without_seen(thread, phases)[0].edges:
        if phases[edge.source] is Phase.AFTER and phases[edge.target] is Phase.BEFORE:
            yield f"{thread.name}: {edge.target} is before the commit, but is reached from {edge.source} behind it"
        if phases[edge.source] is Phase.AFTER and edge.choices:
            yield f"{thread.name}: a step from {edge.source}, behind the commit, chooses values"
    fault = cycle_fault(thread, phases)
    if fault is not None:
        yield fault


def _without_seen(thread: Automaton, phases: Phases) -> tuple[Automaton, tuple[Edge, ...]]:
    """The thread without its visible steps that are no commits, and these, none of which may be possible."""

    def is_commit(edge: Edge) -> bool:
        return phases[edge.source] is not Phase.AFTER and phases[edge.target] is not Phase.BEFORE

    kept = tuple(e for e in thread.edges if e.label is None or is_commit(e))
    return replace(thread, edges=kept), tuple(e for e in thread.edges if e.label is not None and not is_commit(e))


def _obligations(made: ReducedThreads, phases: Sequence[Phases], iota: Term) -> Iterator[Obligation]:
    written = tuple(map(apart, made.threads))
    known = known_at(written, made.facts)
    own = {sided(v.var, "conc"): v.var for t in written for v in t.variables if v.kind is not Kind.PARAM}
    said = substitute(iota, dict[Var, Term](own))
    for thread, left_out in zip(written, made.idle, strict=True):
        for edge in (thread.edges[k] for k in left_out):
            here, overwritten = {thread.name: edge.source}, _overwritten(thread, edge.source, said)
            same = conjoined(eq(v, t) for v, t in edge.updates if v not in overwritten)
            yield Obligation("idle step", in_words(here), (*known(here), *taking(edge)), (Case((), same),), edge=edge)
    busy = _busy(made)
    written = tuple(map(apart, busy))
    for thread, its in zip(written, phases, strict=True):
        for edge in _without_seen(thread, its)[1]:
            here = {thread.name: edge.source}
            taken = conjoined((*known(here), *taking(edge)))
            yield Obligation("visible step inside of a block", in_words(here), taken, (Case((), (FALSE,)),), edge=edge)
    threads = tuple(apart(_recording(_without_seen(t, its)[0])) for t, its in zip(busy, phases, strict=True))
    yield from commutations(threads, phases, made.facts)
    yield from progress(threads, phases, made.facts)
    yield from one_way(threads, phases, known)
    yield from unnoticed(threads, phases, made.facts, [said])


def _overwritten(thread: Automaton, place: str, said: Term) -> frozenset[Var]:
    """Locals of which ι says nothing that each step from a location writes, and none reads: what they are there does
    not matter."""
    found = frozenset(v.var for v in thread.variables if v.kind is Kind.LOCAL) - said.free
    for edge in (e for e in thread.edges if e.source == place):
        terms = (*taking(edge), *(t for _, t in edge.updates), *(() if edge.label is None else edge.label.values))
        found = found.intersection(v for v, _ in edge.updates).difference(*(t.free for t in terms))
    # What an invariant says of one variable alone is true of whatever the variable was there.
    inv = next(q.inv for q in thread.locations if q.name == place)
    return found.difference(*(c.free for c in conjuncts(inv) if len(c.free) > 1))


def one_way(threads: Sequence[Automaton], phases: Sequence[Phases], known: Known) -> Iterator[Obligation]:
    """Behind a commit no two steps are possible at once."""
    for thread, its in zip(threads, phases, strict=True):
        for place in (q.name for q in thread.locations if its[q.name] is Phase.AFTER):
            here = {thread.name: place}
            for one, other in combinations([e for e in thread.edges if e.source == place], 2):
                both = conjoined((*known(here), *taking(one), *taking(other)))
                yield Obligation("one way behind a commit", in_words(here), both, (Case((), (FALSE,)),), edge=one)


def _recording(thread: Automaton) -> Automaton:
    """The thread with each value that a step shows written to a variable of its own."""
    variables, edges = list[Variable](), list[Edge]()
    for number, edge in enumerate(thread.edges):
        values = edge.label.values if edge.label is not None else ()
        shown = [(variable(Name(f"shown {number} {k}"), sort_of(v)), v) for k, v in enumerate(values)]
        variables += [Variable(var, Kind.LOCAL) for var, _ in shown]
        edges.append(replace(edge, updates=(*edge.updates, *shown)))
    return replace(thread, variables=(*thread.variables, *variables), edges=tuple(edges))
