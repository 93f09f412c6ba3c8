"""Lipton's reduction of the concrete side of a refinement (THEORY section 17): its steps become blocks.

Visible steps are commits, and behind a commit there is one way to go on. Steps that ι notices end blocks, too. What is
found is believed by nobody: `checker/reduced_threads.py` judges phases and facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Variable
from sa.automata.program import Axiom
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.certificates.reduced import Phase, ReducedThreads
from sa.smt.session import Session
from sa.terms import build
from sa.terms.name import Name
from sa.terms.substitute import sided, substitute
from sa.terms.term import Term, Var, sort_of
from sa.transform.blocks import Composition, composed
from sa.transform.facts import Facts, lemmas_of
from sa.transform.movers import movers_of
from sa.transform.phases import Moves, Why, cuts_of
from sa.transform.reduce import RLIMIT, facts_in, is_gain, moves_of, places, possible_with


class ReducedConcrete(Struct, frozen=True, eq=False):
    """The threads with blocks as steps, the written steps of each block, and what the reduction rests on.

    `lost`: more may be known of pairs of locations.
    """

    made: tuple[Composition, ...]
    evidence: ReducedThreads
    lost: bool

    @property
    def threads(self) -> tuple[Automaton, ...]:
        """The threads whose steps are blocks."""
        return tuple(c.thread for c in self.made)


def reduced_in_stages(
    threads: tuple[Automaton, ...], iota: Term, axioms: tuple[Axiom, ...], bounds: Limits, seed: int = 0
) -> Iterator[ReducedConcrete]:
    """The reduction of closed threads by what each of them knows alone, if that is much, else by what excludes pairs of
    their locations; then the reduction of what came of it, if that is less.

    A test of what a step has found out is in one block with it, and the ways on from there are steps of their own: an
    attempt that takes a lock moves, and one that fails changes nothing. Raises LimitReached.
    """
    first = reduced_concrete(threads, iota, axioms, bounds, seed, alone=True)
    if first.lost and not is_gain(threads, first.threads):
        first = reduced_concrete(threads, iota, axioms, bounds, seed)
    yield first
    if places(first.threads) > 1:
        second = reduced_concrete(first.threads, iota, axioms, bounds, seed)
        if places(second.threads) < places(first.threads):
            yield second


def reduced_concrete(
    threads: tuple[Automaton, ...],
    iota: Term,
    axioms: tuple[Axiom, ...],
    bounds: Limits,
    seed: int = 0,
    alone: bool = False,
) -> ReducedConcrete:
    """The reduction of closed threads of which ι says this, over the names of the product. Raises LimitReached.

    What each thread knows `alone` is soon found; otherwise pairs of locations that exclude each other are looked for,
    too.
    """
    session = Session(bounds, [a.formula for a in axioms], seed, RLIMIT)
    # What is shown is no part of the facts: the threads as written have no such variables.
    facts = facts_in(tuple(map(apart, threads)), session, alone)
    own = {sided(v.var, "conc"): v.var for t in facts.threads for v in t.variables if v.kind is not Kind.PARAM}
    said = substitute(iota, dict[Var, Term](own))
    idle = tuple(tuple(_idle(facts, number, said, session)) for number in range(len(threads)))
    evidence = threads, lemmas_of(facts, session), idle
    threads = tuple(_without(t, its) for t, its in zip(threads, idle, strict=True))
    facts = replace(facts, threads=tuple(apart(_recording(t)) for t in threads))
    claims, movers = [said], movers_of(facts, session)
    made, phases = list[Composition](), list[tuple[Phase, ...]]()
    for number, thread in enumerate(threads):
        dead = frozenset(_dead(facts, number, session))
        moves = _silent(facts, number, moves_of(facts, movers, number, claims, session), dead, session)
        alive = replace(thread, edges=tuple(e for k, e in enumerate(thread.edges) if k not in dead))
        cuts = cuts_of(alive, _numbered_again(moves, thread, dead), dict[str, Why]())
        its = {q.name: cuts.phases.get(q.name, Phase.CUT) for q in thread.locations}
        kept = tuple(e for k, e in enumerate(thread.edges) if k not in dead or _is_commit(e, its))
        made.append(composed(replace(thread, edges=kept), its, bounds, shown=True))
        phases.append(tuple(its[q.name] for q in thread.locations))
    return ReducedConcrete(tuple(made), ReducedThreads(evidence[0], tuple(phases), *evidence[1:]), alone and facts.lost)


def _idle(facts: Facts, number: int, said: Term, session: Session) -> Iterator[int]:
    """Silent steps that change nothing that matters, as an attempt to take a lock that others hold."""
    thread = facts.threads[number]
    for k, edge in enumerate(thread.edges):
        if edge.source == edge.target and edge.label is None and edge.failure is None:
            changed = [
                build.lnot(build.eq(v, t)) for v, t in edge.updates if v not in _overwritten(thread, edge.source, said)
            ]
            known = (*facts.at((number, edge.source)), *_taking(edge))
            if not possible_with(session, (*known, build.lor(*changed))):
                yield k


def _overwritten(thread: Automaton, place: str, said: Term) -> frozenset[Var]:
    """Locals whose values at a location do not matter: ι does not say anything of them, and each step writes them and
    does not read them."""
    left = frozenset(v.var for v in thread.variables if v.kind is Kind.LOCAL) - said.free
    inv = next(q.inv for q in thread.locations if q.name == place)
    left = left.difference(*(c.free for c in build.conjuncts(inv) if len(c.free) > 1))
    for edge in thread.edges:
        if edge.source == place:
            shown = () if edge.label is None else edge.label.values
            left &= frozenset(v for v, _ in edge.updates)
            left -= frozenset[Var]().union(*(t.free for t in (*_taking(edge), *shown, *(t for _, t in edge.updates))))
    return left


def _without(thread: Automaton, left_out: tuple[int, ...]) -> Automaton:
    return replace(thread, edges=tuple(e for k, e in enumerate(thread.edges) if k not in left_out))


def _dead(facts: Facts, number: int, session: Session) -> list[int]:
    """Visible steps that facts exclude, most often failures."""
    return [
        k
        for k, edge in enumerate(facts.threads[number].edges)
        if edge.label is not None
        and not possible_with(session, (*facts.at((number, edge.source)), edge.guard, *map(within, edge.choices)))
    ]


def _is_commit(edge: Edge, phases: dict[str, Phase]) -> bool:
    return phases[edge.source] is not Phase.AFTER and phases[edge.target] is not Phase.BEFORE


def _silent(facts: Facts, number: int, moves: Moves, dead: frozenset[int], session: Session) -> Moves:
    """Of the steps that may be inside of a block the silent ones; behind a commit those that leave no choice."""
    edges = facts.threads[number].edges
    silent = {k for k, e in enumerate(edges) if e.label is None}
    forked = set[int]()
    for place in (q.name for q in facts.threads[number].locations):
        leaving = [k for k, e in enumerate(edges) if e.source == place and k not in dead]
        for one, other in combinations(leaving, 2):
            both = (*facts.at((number, place)), *_taking(edges[one]), *_taking(edges[other]))
            if possible_with(session, both):
                forked |= {one, other}
    choosing = {k for k, e in enumerate(edges) if e.choices}
    return Moves(moves.before & silent, (moves.after & silent) - forked - choosing, moves.goes_on)


def _taking(edge: Edge) -> tuple[Term, ...]:
    return (edge.guard, *map(within, edge.choices))


def _numbered_again(moves: Moves, thread: Automaton, dead: frozenset[int]) -> Moves:
    """The same for the thread without some of its edges."""
    left = {old: new for new, old in enumerate(k for k in range(len(thread.edges)) if k not in dead)}
    before, after = (frozenset(left[k] for k in some if k in left) for some in (moves.before, moves.after))
    return Moves(before, after, moves.goes_on)


def _recording(thread: Automaton) -> Automaton:
    """The thread with what a step shows written to variables of its own: no other step may change it."""
    shown = [
        [(build.variable(Name(f"shown {n} {k}"), sort_of(v)), v) for k, v in enumerate(e.label.values)]
        if e.label is not None
        else []
        for n, e in enumerate(thread.edges)
    ]
    edges = (replace(e, updates=(*e.updates, *own)) for e, own in zip(thread.edges, shown, strict=True))
    written = tuple(Variable(var, Kind.LOCAL) for own in shown for var, _ in own)
    return replace(thread, variables=(*thread.variables, *written), edges=tuple(edges))
