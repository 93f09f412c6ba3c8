"""Copy propagation: locals that equal a term of what nobody else writes are replaced by it, and then often not needed.

Calls that are inlined, and loads of a variable that only the loading thread writes, leave such copies behind. The same
program without them has fewer variables for every engine, whether it was written with functions or without. Facts by
location say which copies are up to date; formulas about the simpler threads are, together with these facts, inductive
for the threads as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.automata.live import live
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Joint, Lemmas
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.solve import solution
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, subterms

#: Terms of more parts are not put in the place of a variable.
SIZE = 24

#: By location the variables that equal a term there.
Facts = Mapping[str, Mapping[Var, Term]]


class Propagated(Struct, frozen=True, eq=False):
    """Threads without copies, what is bad of them by what is bad of the written ones, and what copies equal."""

    written: tuple[Automaton, ...]
    threads: tuple[Automaton, ...]
    bads: Mapping[Bad, Bad]
    facts: tuple[Facts, ...]

    def evidence(self, proof: Joint | Lemmas, bads: tuple[Bad, ...]) -> Joint | Lemmas:
        """A proof about the simpler threads as one about the written ones."""
        said = [_said(t, f) for t, f in zip(self.written, self.facts, strict=True)]
        if isinstance(proof, Joint):
            invariants = tuple(
                (places, build.land(inv, *(s[q] for s, q in zip(said, places, strict=True))))
                for places, inv in proof.invariants
            )
            return replace(proof, threads=self.written, invariants=invariants, never=bads)
        more = (
            build.implies(build.variable(at_place(t.name, place), BOOL), formula)
            for t, s in zip(self.written, said, strict=True)
            for place, formula in s.items()
            if formula is not build.TRUE
        )
        return replace(proof, threads=self.written, lemmas=(*proof.lemmas, *more), never=bads)


def propagated(threads: tuple[Automaton, ...], bads: Sequence[Bad]) -> Propagated | None:
    """The threads without copies; None where there are none."""
    spoken = frozenset[Var]().union(*(b.claim.free for b in bads if b.claim is not None))
    facts = tuple(_facts(t, _private(t, threads)) for t in threads)
    made = tuple(_without(t, f, spoken) for t, f in zip(threads, facts, strict=True))
    if all(len(m.variables) == len(t.variables) for m, t in zip(made, threads, strict=True)):
        return None
    moved = {(t.name, e): f for t, m in zip(threads, made, strict=True) for e, f in zip(t.edges, m.edges, strict=True)}

    def meant(bad: Bad) -> Bad:
        failing = bad.failing
        if failing is None or failing.thread is None or failing.edge is None:
            return bad
        return replace(bad, failing=Failing(failing.thread, moved[failing.thread, failing.edge]))

    return Propagated(threads, made, {bad: meant(bad) for bad in bads}, facts)


def _private(thread: Automaton, threads: Sequence[Automaton]) -> frozenset[Var]:
    """The thread's locals and the shared variables that no other thread writes."""
    others = {v for t in threads if t is not thread for e in t.edges for v, _ in e.updates}
    return frozenset(v.var for v in thread.variables if v.kind is Kind.LOCAL or v.var not in others)


def _facts(thread: Automaton, private: frozenset[Var]) -> Facts:
    """By location what copies equal: the greatest solution that the start and all steps of the thread keep."""
    own = frozenset(variables_of(thread, Kind.LOCAL))
    candidates = tuple(dict.fromkeys(_candidates(thread, own, private)))
    places = {e.source for e in thread.edges} | {e.target for e in thread.edges} | {thread.initial}
    found = {q.name: candidates if q.name in places else () for q in thread.locations}
    found[thread.initial] = tuple(c for c in candidates if _begins(thread, *c))
    changed = bool(candidates)
    while changed:
        changed = False
        for edge in thread.edges:
            known = _solved(found[edge.source])
            left = tuple(c for c in found[edge.target] if _kept(edge, known, *c))
            if len(left) < len(found[edge.target]):
                found[edge.target], changed = left, True
    return {place: _solved(some) for place, some in found.items()}


def _candidates(thread: Automaton, own: frozenset[Var], private: frozenset[Var]) -> Iterator[tuple[Var, Term]]:
    """What is assigned to locals, variables that a step gives new values together, and values that are known."""
    pairs = [(v, t) for e in thread.edges for v, t in e.updates if v in own]
    yield from ((v, t) for v, t in _first(thread).items() if v in private)
    # Variables first: a term in the place of a variable makes others larger.
    for v, t in sorted(pairs, key=lambda pair: not isinstance(pair[1], Var)):
        if t.free <= private and v not in t.free and sum(1 for _ in subterms((t,))) <= SIZE:
            yield v, t
    ranges = {v.var: (v.var.sort, v.low, v.high) for v in thread.variables}
    for edge in thread.edges:
        for (v, _), (w, _) in permutations(edge.updates, 2):
            if v in own and w in private and ranges[v] == ranges[w] and (w not in own or v.key > w.key):
                yield v, w


def _begins(thread: Automaton, copy: Var, term: Term) -> bool:
    """Whether the fact follows from the values that the start gives."""
    return substitute(build.eq(copy, term), _first(thread)) is build.TRUE


def _first(thread: Automaton) -> Mapping[Var, Term]:
    """The variables of which the start gives the value."""
    alone = (c for c in build.conjuncts(thread.init) if len(c.free) == 1)
    return dict(found for c in alone if (found := solution(c, c.free)) is not None and not found[1].free)


def _kept(edge: Edge, known: Mapping[Var, Term], copy: Var, term: Term) -> bool:
    """Whether the fact holds after a step before which all that is known holds."""
    chosen = frozenset(c.var for c in edge.choices)
    updates = dict(edge.updates)
    before, after = updates.get(copy, copy), substitute(term, updates)
    if not chosen.isdisjoint((before.free | after.free) - {copy}):
        return before is after
    return substitute(before, known) is substitute(after, known)


def _solved(facts: Sequence[tuple[Var, Term]]) -> dict[Var, Term]:
    """What each copy is replaced by: no term has a variable that is replaced itself."""
    found = dict[Var, Term]()
    for copy, term in facts:
        now = substitute(term, found)
        if copy in found or copy in now.free:
            continue
        found = {v: substitute(t, {copy: now}) for v, t in found.items()}
        found[copy] = now
    return found


def _without(thread: Automaton, facts: Facts, spoken: frozenset[Var]) -> Automaton:
    """The thread where copies are replaced, and variables that nobody reads any more are gone."""
    edges = tuple(_replaced(e, facts.get(e.source, {})) for e in thread.edges)
    separate = dict(zip((v.var for v in apart(thread).variables), (v.var for v in thread.variables), strict=True))
    said = frozenset(separate[v] for v in spoken if v in separate)
    kept = frozenset(v.var for v in thread.variables if v.kind is not Kind.LOCAL)
    # A range says nothing of other variables, so nobody needs a variable for it.
    ranges = frozenset(c for v in thread.variables for c in build.conjuncts(within(v)))
    places = tuple(replace(q, inv=build.land(*_others(q.inv, ranges))) for q in thread.locations)
    needed = live(replace(thread, edges=edges, locations=places), kept | said)
    edges = tuple(replace(e, updates=tuple((v, t) for v, t in e.updates if v in needed[e.target])) for e in edges)
    written = frozenset(v for e in edges for v, _ in e.updates)
    gone = frozenset(v.var for v in thread.variables).difference(kept, said, written, *needed.values())
    init = build.land(*(c for c in build.conjuncts(thread.init) if c.free.isdisjoint(gone)))
    places = tuple(
        replace(q, inv=build.land(*(c for c in build.conjuncts(q.inv) if c.free.isdisjoint(gone))))
        for q in thread.locations
    )
    variables = tuple(v for v in thread.variables if v.var not in gone)
    return replace(thread, variables=variables, locations=places, edges=edges, init=init)


def _others(formula: Term, ranges: frozenset[Term]) -> Iterator[Term]:
    return (c for c in build.conjuncts(formula) if c not in ranges)


def _replaced(edge: Edge, known: Mapping[Var, Term]) -> Edge:
    if not known:
        return edge
    guard = substitute(edge.guard, known)
    return replace(edge, guard=guard, updates=tuple((v, substitute(t, known)) for v, t in edge.updates))


def _said(thread: Automaton, facts: Facts) -> dict[str, Term]:
    """The facts by location, over the names of the whole."""
    names: dict[Var, Term] = {
        v.var: s.var for v, s in zip(thread.variables, apart(thread).variables, strict=True) if v.var is not s.var
    }
    return {
        q.name: substitute(build.land(*(build.eq(v, t) for v, t in facts.get(q.name, {}).items())), names)
        for q in thread.locations
    }
