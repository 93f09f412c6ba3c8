"""Whether steps may be left out: conditions under which a persistent set of threads is enough.

Steps are given by what they read and write. Threads are independent if neither writes what the other reads or writes.
If the steps that threads P have at a joint location are independent of all steps that the others can ever make from
theirs, then in every run from there the first step of P can be put first. A run without any step of P goes on after
one of P that no question sees, and there are only finitely many of those in a row, since they form no cycle.
Decision 009 has the proof.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sa.terms.term import Var


class Effect(Struct, frozen=True, eq=False):
    """What steps from a place read and write, whether a question can see them, and where they lead."""

    reads: frozenset[Var]
    writes: frozenset[Var]
    seen: bool
    targets: frozenset[int]


def first_fault(first: frozenset[int], effects: Sequence[Effect]) -> str | None:
    """Why the steps from these places of a thread may not go before those of others."""
    if any(not 0 <= place < len(effects) for place in first):
        return "a location that goes first does not exist"
    if any(effects[place].seen for place in first):
        return "a step that goes first changes what is asked about"
    left = set(first)
    while ends := {place for place in left if left.isdisjoint(effects[place].targets)}:
        left -= ends
    return "locations that go first form a cycle" if left else None


def onwards(effects: Sequence[Effect]) -> tuple[tuple[frozenset[Var], frozenset[Var]], ...]:
    """What all steps that a thread can make from a place on read and write, by place."""
    reads = [set(e.reads) for e in effects]
    writes = [set(e.writes) for e in effects]
    changed = True
    while changed:
        changed = False
        for place, effect in enumerate(effects):
            for target in effect.targets:
                for known in (reads, writes):
                    if not known[target] <= known[place]:
                        known[place] |= known[target]
                        changed = True
    return tuple((frozenset(r), frozenset(w)) for r, w in zip(reads, writes, strict=True))


class Dependence(Struct, frozen=True, eq=False):
    """Who depends on whom. Each place of each thread is a bit, `bits` by thread and place.

    `clashes` gives by such a bit those of places of other threads from which these can ever make a step that is not
    independent of all steps from here.
    """

    bits: tuple[tuple[int, ...], ...]
    clashes: tuple[tuple[int, ...], ...]


def dependence(effects: Sequence[Sequence[Effect]]) -> Dependence:
    """Of the steps that threads make from their places."""
    later = [onwards(by_place) for by_place in effects]
    bits, used = list[tuple[int, ...]](), 0
    for by_place in effects:
        bits.append(tuple(1 << used + place for place in range(len(by_place))))
        used += len(by_place)

    def clashing(thread: int, mine: Effect) -> int:
        found = 0
        for other, by_place in enumerate(later):
            for place, (reads, writes) in enumerate(by_place):
                apart = mine.writes.isdisjoint(reads) and mine.writes.isdisjoint(writes)
                if other != thread and not (apart and mine.reads.isdisjoint(writes)):
                    found |= bits[other][place]
        return found

    return Dependence(tuple(bits), tuple(tuple(clashing(t, e) for e in es) for t, es in enumerate(effects)))


def persistent(thread: int, places: Sequence[int], known: Dependence) -> frozenset[int]:
    """The least set with the thread whose steps from these places are independent of whatever the others will do."""
    standing = [bits[place] for bits, place in zip(known.bits, places, strict=True)]
    joint, inside, fresh = sum(standing), standing[thread], [thread]
    while fresh:
        member = fresh.pop()
        more = known.clashes[member][places[member]] & joint & ~inside
        inside |= more
        if inside == joint:
            return frozenset(range(len(places)))
        fresh += [t for t, bit in enumerate(standing) if bit & more]
    return frozenset(t for t, bit in enumerate(standing) if bit & inside)
