"""Checks proofs about threads in normal form (THEORY section 16): what is shown of these holds of the written threads.

The checker makes the simpler threads itself. Each run of the written threads is one of these if values that do not
matter are left aside: the equations under which terms were replaced hold by themselves, and no step reads what does not
matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind
from sa.base.limits import Limits
from sa.certificates.proof import about, excluded_by
from sa.certificates.reduced import Reduced
from sa.certificates.run import Bad, Failing
from sa.certificates.simplified import Equal, Matter, Simplified
from sa.checker.never import discharged, is_failing, program_fault, taking
from sa.checker.obligation import Case, Obligation
from sa.checker.reduced import check_composed, check_reduced
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.solvers import Z3, Solvers
from sa.checker.threads import apart
from sa.terms.build import conjoined, conjuncts, eq, land
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, has_quantifiers, sort_of


def check_simplified(made: Simplified, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the simpler threads do all that the written ones do, and the inner proof excludes what is bad.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    fault = simplification_fault(made.threads, made.equal, made.matter) or _claim_fault(made)
    if fault is not None:
        return Rejected("normal form", fault)
    threads = in_normal_form(made.threads, made.equal, made.matter)
    if about(made.inner) != (threads, made.axioms):
        return Rejected("normal form", "the inner proof is about other threads")
    wanted = {b for bad in made.never for b in bads_of_simpler(bad, made.threads, threads)}
    if not wanted <= set(excluded_by(made.inner)):
        return Rejected("normal form", "the inner proof does not exclude all that is bad")
    ruling = discharged(_obligations(made.threads, made.equal), made.axioms, bounds, seed, solvers)
    if not isinstance(ruling, Accepted):
        return ruling
    if isinstance(made.inner, Reduced):
        return check_reduced(made.inner, bounds, seed, solvers)
    return check_composed(made.inner, bounds, seed, solvers)


def in_normal_form(
    threads: Sequence[Automaton], equal: Sequence[Equal], matter: Sequence[Matter]
) -> tuple[Automaton, ...]:
    """The threads with equals replaced by equals, without values that do not matter. Edges keep their order."""
    read = [frozenset[Var]().union(*m) - _own(t) for t, m in zip(threads, matter, strict=True)]
    shared = frozenset[Var]().union(*read)
    return tuple(
        _simpler(t, e, m, frozenset[Var]().union(*(r for k, r in enumerate(read) if k != n)), shared)
        for n, (t, e, m) in enumerate(zip(threads, equal, matter, strict=True))
    )


def simpler_threads(
    threads: tuple[Automaton, ...], equal: tuple[Equal, ...], matter: tuple[Matter, ...]
) -> tuple[Automaton, ...] | str:
    """The threads in normal form, or what is wrong with what makes it."""
    return simplification_fault(threads, equal, matter) or in_normal_form(threads, equal, matter)


def bads_of_simpler(bad: Bad, threads: Sequence[Automaton], simpler: Sequence[Automaton]) -> Iterator[Bad]:
    """The same bad thing of the simpler threads: each failing step, and the claim."""
    for thread, made in zip(threads, simpler, strict=True):
        for written, edge in zip(thread.edges, made.edges, strict=True):
            if is_failing(bad.failing, thread.name, written):
                yield Bad(Failing(thread.name, edge), None)
    if bad.claim is not None:
        yield Bad(None, bad.claim)


def _simpler(
    thread: Automaton, equal: Equal, matter: Matter, elsewhere: frozenset[Var], shared: frozenset[Var]
) -> Automaton:
    """The simpler thread, where other threads read what is `elsewhere`, and any thread what is `shared`."""
    locations = [q.name for q in thread.locations]
    said, needed = _by_name(locations, equal), dict(zip(locations, matter, strict=True))
    left = shared.union(*matter)
    gone = frozenset(v.var for v in thread.variables) - left
    # What each value of a variable satisfies, wherever the thread is, holds of a value that is out of date, too.
    always = frozenset.intersection(*(frozenset(conjuncts(q.inv)) for q in thread.locations))
    ranges = frozenset(c for c in always if len(c.free) == 1 and c.free.isdisjoint(gone))
    edges = tuple(_edge(e, said[e.source], needed[e.source], needed[e.target] | elsewhere) for e in thread.edges)
    places = tuple(replace(q, inv=_about(q.inv, needed[q.name], ranges)) for q in thread.locations)
    return replace(
        thread,
        variables=tuple(v for v in thread.variables if v.var not in gone),
        locations=places,
        init=land(*(c for c in conjuncts(thread.init) if c.free.isdisjoint(gone))),
        edges=edges,
    )


def _by_name(locations: Sequence[str], equal: Equal) -> Mapping[str, Mapping[Var, Term]]:
    return {name: dict(said) for name, said in zip(locations, equal, strict=True)}


def _own(thread: Automaton) -> frozenset[Var]:
    return frozenset(v.var for v in thread.variables if v.kind is Kind.LOCAL)


def _edge(edge: Edge, said: Mapping[Var, Term], read: Set[Var], wanted: Set[Var]) -> Edge:
    """The edge with equals put in. It tests nothing but what may be `read`, and writes only what is `wanted`."""
    label = edge.label and replace(edge.label, values=tuple(substitute(t, said) for t in edge.label.values))
    updates = tuple((v, substitute(t, said)) for v, t in edge.updates if v in wanted)
    known = read | {c.var for c in edge.choices}
    return replace(edge, label=label, guard=_about(substitute(edge.guard, said), known), updates=updates)


def _about(formula: Term, known: Set[Var], kept: Set[Term] = frozenset()) -> Term:
    """The conjuncts that mention nothing else, and those that are kept whatever they mention."""
    return land(*(c for c in conjuncts(formula) if c in kept or c.free <= known))


def simplification_fault(threads: Sequence[Automaton], equal: Sequence[Equal], matter: Sequence[Matter]) -> str | None:
    """What keeps equations and values that matter from saying what the simpler threads are."""
    sizes = [len(t.locations) for t in threads]
    if not sizes == [len(e) for e in equal] == [len(m) for m in matter]:
        return "something is not said of each location of each thread"
    fault = program_fault(threads)
    if fault is not None:
        return fault
    simpler = in_normal_form(threads, equal, matter)
    return next((f for n, t in enumerate(threads) for f in _faults(threads, t, simpler[n], equal[n], matter[n])), None)


def _faults(
    threads: Sequence[Automaton], thread: Automaton, simpler: Automaton, equal: Equal, matter: Matter
) -> Iterator[str]:
    own = _own(thread)
    written = {v for t in threads if t is not thread for e in t.edges for v, _ in e.updates}
    private = frozenset(v.var for v in thread.variables if v.var in own or v.var not in written)
    for place, said in zip(thread.locations, equal, strict=True):
        for var, term in said:
            if not {var, *term.free} <= private or var.sort != sort_of(term) or has_quantifiers(term):
                yield f"{thread.name}, {place.name}: {var.key} is not equal to a term of what the thread alone writes"
        if len({var for var, _ in said}) < len(said):
            yield f"{thread.name}, {place.name}: a variable is equal to two terms"
    needed = dict(zip((q.name for q in thread.locations), matter, strict=True))
    for edge in simpler.edges:
        read = edge.guard.free.union(*(t.free for _, t in edge.updates))
        read = read.union(*(t.free for t in edge.label.values)) if edge.label is not None else read
        passed = needed[edge.target] - {v for v, _ in edge.updates}
        chosen = {c.var for c in edge.choices}
        if not (read - chosen) | passed <= needed[edge.source]:
            yield f"{thread.name}, {edge.source} -> {edge.target}: a value that does not matter is read"


def _claim_fault(made: Simplified) -> str | None:
    """A claim reads the variables that it mentions wherever the threads are."""
    spoken = frozenset[Var]().union(*(b.claim.free for b in made.never if b.claim is not None))
    for thread, matter in zip(made.threads, made.matter, strict=True):
        named = zip((v.var for v in thread.variables), (v.var for v in apart(thread).variables), strict=True)
        claimed = {v for v, separate in named if separate in spoken}
        if not all(claimed <= m for m in matter):
            return f"{thread.name}: a claim mentions what does not matter"
    return None


def _obligations(threads: Sequence[Automaton], equal: Sequence[Equal]) -> Iterator[Obligation]:
    """The equations hold at the start and after each step of the thread. No other thread writes what they mention."""
    for thread, by_place in zip(threads, equal, strict=True):
        said = {q.name: tuple(eq(v, t) for v, t in its) for q, its in zip(thread.locations, by_place, strict=True)}
        inits = conjoined((thread.init,))
        yield Obligation("initial equation", thread.name, inits, (Case((), conjoined(said[thread.initial])),))
        for edge in thread.edges:
            landed = conjoined(substitute(f, dict(edge.updates)) for f in said[edge.target])
            if landed:
                where = f"{thread.name}, {edge.source} -> {edge.target}"
                taken = conjoined((*said[edge.source], *taking(edge)))
                yield Obligation("inductive equation", where, taken, (Case((), landed),), edge=edge)
