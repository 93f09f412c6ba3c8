"""In how many rounds something bad is reached, by enumeration: nothing in common with the engine but the bounds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from random import Random

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.bounded.search import Bounds, Coverage, Reached, task, within
from sa.certificates.run import Bad
from sa.explicit.system import system
from sa.terms.build import eq, integer, land, lnot, variable
from sa.terms.sort import BOOL, INT
from sa.terms.term import Term
from tests.generators.threads import random_threads
from tests.invariants.judge import Whole, is_bad, names_of, starts, steps, values_of
from tests.oracle.explicit import Explicit, explicit
from tests.oracle.formula import predicate

#: A state, and how often each thread has begun each loop around it again.
Counted = tuple[Whole, tuple[tuple[tuple[str, int], ...], ...]]

#: States looked at before giving up.
MOST = 2_000


class TooMany(Exception):
    """There are more states than anyone wants to look at."""


class Irreducible(Exception):
    """A loop has two entries: what goes back in it is a matter of taste."""


def small_question(seed: int) -> tuple[tuple[Automaton, ...], Bad]:
    """Two to four small threads, and a claim: some of them are not at some places together, with some value or not."""
    rng = Random(seed)
    threads = random_threads(seed, related=True)
    parts: list[Term] = [variable(f"at {t.name}.{t.locations[-1].name}", BOOL) for t in threads]
    shared = next(v for v in threads[0].variables if v.kind is Kind.GLOBAL)
    chosen = rng.sample(parts, rng.randint(1, len(parts)))
    if shared.var.sort == INT and rng.random() < 0.5:
        chosen.append(eq(shared.var, integer(rng.randint(0, 1))))
    return threads, Bad(None, lnot(land(*chosen)))


class _Natural(Struct, frozen=True):
    """Natural loops: steps back to a place that dominates their source, and the places around."""

    back: frozenset[tuple[str, str]]
    inside: dict[str, frozenset[str]]


def _natural(thread: Automaton) -> _Natural:
    after: dict[str, set[str]] = {q.name: set() for q in thread.locations}
    for e in thread.edges:
        after[e.source].add(e.target)

    def reached(without: str | None) -> set[str]:
        found, pending = set[str](), [q for q in (thread.initial,) if q != without]
        while pending:
            here = pending.pop()
            if here not in found:
                found.add(here)
                pending += [q for q in after[here] if q != without]
        return found

    everywhere = reached(None)
    dominated = {q: everywhere - reached(q) for q in everywhere}
    back = {(p, q) for p in everywhere for q in after[p] if p in dominated[q]}
    inside = dict[str, frozenset[str]]()
    for q in {q for _, q in back}:
        around, pending = {q}, [p for p, head in back if head == q]
        while pending:
            here = pending.pop()
            if here not in around:
                around.add(here)
                pending += [p for p in everywhere if here in after[p]]
        inside[q] = frozenset(around)
    if not _ends((p, q) for p in everywhere for q in after[p] if (p, q) not in back):
        raise Irreducible
    return _Natural(frozenset(back), inside)


def _ends(steps: Iterable[tuple[str, str]]) -> bool:
    """Whether there is no cycle."""
    left = set(steps)
    while left:
        inner = {(p, q) for p, q in left if any(p == target for _, target in left)}
        if inner == left:
            return False
        left = inner
    return True


def _counted(loops: _Natural, counts: Sequence[tuple[str, int]], edge: Edge) -> tuple[tuple[str, int], ...]:
    """The counts after a step: a loop that is left is forgotten, one that is entered starts at 0."""
    before = dict(counts)
    if (edge.source, edge.target) in loops.back:
        before[edge.target] = before.get(edge.target, 0) + 1
    else:
        before[edge.target] = 0
    return tuple(sorted((h, before.get(h, 0)) for h, around in loops.inside.items() if edge.target in around))


def rounds_needed(threads: tuple[Automaton, ...], bad: Bad, most: int, unwind: int) -> int | None:
    """The least number of rounds with something bad, None if there is none up to the bounds.

    Raises TooMany and Irreducible.
    """
    everyone = [range(len(threads))] * most
    return next((n for n, is_bad_then in enumerate(_bad_after(threads, bad, everyone, unwind), 1) if is_bad_then), None)


def is_bad_in(threads: tuple[Automaton, ...], bad: Bad, pools: Sequence[Collection[int]], unwind: int) -> bool:
    """Whether something bad happens where only the threads of its pool have a turn in each round.

    Raises TooMany and Irreducible.
    """
    return any(_bad_after(threads, bad, pools, unwind))


def _bad_after(
    threads: tuple[Automaton, ...], bad: Bad, pools: Iterable[Collection[int]], unwind: int
) -> Iterator[bool]:
    """Whether something bad is the case, or can be done, after each round."""
    sides, loops = [explicit(t) for t in threads], [_natural(t) for t in threads]
    claim = None if bad.claim is None else predicate(bad.claim, names_of(threads, sides))
    begun = tuple(
        tuple((h, 0) for h, around in n.inside.items() if t.initial in around)
        for t, n in zip(threads, loops, strict=True)
    )
    here: set[Counted] = {(w, begun) for w in starts(sides)}
    for pool in pools:
        for thread in sorted(pool):
            here = _turn(sides, loops, thread, here, unwind)
        yield any(
            (claim is not None and not claim(values_of(threads, sides, whole)))
            or any(is_bad(bad, threads[t].name, edge) for t, edge, _ in steps(sides, whole))
            for whole, _ in here
        )


def _turn(
    sides: Sequence[Explicit], loops: Sequence[_Natural], thread: int, here: set[Counted], unwind: int
) -> set[Counted]:
    """The states after a turn of the thread: any number of its steps."""
    found, pending = set(here), list(here)
    while pending:
        for after in _moved(sides, loops, thread, pending.pop(), unwind):
            if after not in found:
                found.add(after)
                pending.append(after)
        if len(found) > MOST:
            raise TooMany
    return found


def _moved(
    sides: Sequence[Explicit], loops: Sequence[_Natural], thread: int, here: Counted, unwind: int
) -> Iterator[Counted]:
    whole, counts = here
    for mover, edge, after in steps(sides, whole):
        if mover == thread:
            now = _counted(loops[thread], counts[thread], edge)
            if all(n <= unwind for _, n in now):
                yield after, (*counts[:thread], now, *counts[thread + 1 :])


def found_in(
    threads: tuple[Automaton, ...], bad: Bad, most: int, unwind: int, width: int | None, canonical: bool
) -> Reached | Coverage | None:
    """What the engine says of the same bounds: the run, or what was covered last."""
    s = system(threads, (bad,))
    bounds = Bounds(most, tuple(range(len(threads))), width, canonical=canonical)
    said = list(within(task(s, unwind, exactly=True), bounds, Budget(Limits()), {0}, unheard))
    return said[-1] if said else None
