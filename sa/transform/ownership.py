"""Ownership as a guess that is shown: what a thread has loaded is still there when it stores the next value.

Where a lock, a ticket or a turn lets nobody else write a variable, an update by a load and a store is one in place:
`s := x; x := s + 1` is `x := x + 1`. Engines know updates in place. So stores are rewritten as if the copy were up to
date, and where it is not the thread fails. Formulas that exclude these failures are inductive for the threads as they
are written, too: under them both steps are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Edge, Kind, Label, Location, variables_of
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Joint, Lemmas
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var
from sa.transform.available import available


class Owned(Struct, frozen=True, eq=False):
    """Threads with stores in place, what is bad of them by what is bad of the written ones, and guesses as failures."""

    written: tuple[Automaton, ...]
    threads: tuple[Automaton, ...]
    bads: Mapping[Bad, Bad]
    guesses: tuple[Bad, ...]

    def evidence(self, proof: Joint | Lemmas, bads: tuple[Bad, ...]) -> Joint | Lemmas:
        """A proof that excludes all guesses' failures as one about the written threads."""
        if isinstance(proof, Lemmas):
            return replace(proof, threads=self.written, never=bads)
        places = [frozenset(q.name for q in t.locations) for t in self.written]
        said = tuple((at, inv) for at, inv in proof.invariants if all(q in p for q, p in zip(at, places, strict=True)))
        return replace(proof, threads=self.written, invariants=said, never=bads)


def owned(threads: tuple[Automaton, ...], bads: Sequence[Bad], wrong: Sequence[Bad] = ()) -> Owned | None:
    """The threads as if what they store were theirs; guesses that are known to be `wrong` aside. None without any."""
    made = [_of_thread(t, wrong) for t in threads]
    guesses = tuple(g for _, _, some in made for g in some)
    if not guesses:
        return None
    moved = {(t.name, e): f for t, (_, edges, _) in zip(threads, made, strict=True) for e, f in edges}

    def meant(bad: Bad) -> Bad:
        failing = bad.failing
        if failing is None or failing.thread is None or failing.edge is None:
            return bad
        return replace(bad, failing=Failing(failing.thread, moved[failing.thread, failing.edge]))

    return Owned(threads, tuple(t for t, _, _ in made), {bad: meant(bad) for bad in bads}, guesses)


def _of_thread(thread: Automaton, wrong: Sequence[Bad]) -> tuple[Automaton, list[tuple[Edge, Edge]], list[Bad]]:
    """The thread rewritten, its edges with what became of them, and the failures that say that a guess is wrong."""
    end = next((e.target for e in thread.edges if _fails(e)), None) or _unused(thread)
    guesses, moved, added = list[Bad](), list[tuple[Edge, Edge]](), list[Edge]()
    copies = _copies(thread)
    for edge in thread.edges:
        inside = edge
        for copy, var in copies.get(edge.source, ()):
            value = dict(edge.updates).get(var)
            if value is not None and copy in value.free:
                stale = Edge(edge.source, end, Label(FAIL), build.ne(copy, var), (), (), edge.origin)
                guess = Bad(Failing(thread.name, stale), None)
                if guess not in wrong:
                    guesses.append(guess)
                    added.append(stale)
                    inside = _in_place(inside, copy, var)
        moved.append((edge, inside))
    if not guesses:
        return thread, moved, []
    places = thread.locations
    if end not in {q.name for q in places}:
        places = (*places, Location(end, build.TRUE, None, thread.origin))
    edges = (*(f for _, f in moved), *dict.fromkeys(added))
    return replace(thread, locations=places, edges=edges), moved, list(dict.fromkeys(guesses))


def _copies(thread: Automaton) -> Mapping[str, Sequence[tuple[Var, Var]]]:
    """By location the locals that are copies of shared variables, were the thread alone."""
    shared = frozenset(variables_of(thread, Kind.GLOBAL))
    own = frozenset(variables_of(thread, Kind.LOCAL))

    def pairs(formulas: Iterator[Term]) -> list[tuple[Var, Var]]:
        found = list[tuple[Var, Var]]()
        for formula in formulas:
            if len(formula.free) == 2 and len(formula.free & own) == len(formula.free & shared) == 1:
                (copy,), (var,) = formula.free & own, formula.free & shared
                if formula is build.eq(copy, var):
                    found.append((copy, var))
        return sorted(found, key=lambda pair: (pair[0].name, pair[1].name))

    known = available(thread, shared, {})
    return {place: pairs(iter(formulas)) for place, formulas in known.items()}


def _in_place(edge: Edge, copy: Var, var: Var) -> Edge:
    now: dict[Var, Term] = {copy: var}
    updates = tuple((v, substitute(t, now)) for v, t in edge.updates)
    return replace(edge, guard=substitute(edge.guard, now), updates=updates)


def _fails(edge: Edge) -> bool:
    return edge.label is not None and edge.label.action == FAIL


def _unused(thread: Automaton) -> str:
    name, taken = "stale", {q.name for q in thread.locations}
    while name in taken:
        name += "_"
    return name
