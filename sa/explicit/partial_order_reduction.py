"""Which threads may be stepped alone: persistent sets of threads, where no cycle can leave the others waiting forever.

Two steps are independent if neither writes what the other reads or writes. A set P of threads is persistent at a
joint location if the steps that P's threads have there are independent of all steps that the other threads can ever
make from their locations (Godefroid, Partial-Order Methods, 1996, section 4.4: conflicting transitions). Only P need be
stepped if one of its threads stands at a location of `first` and can move: these locations form no cycle, and their
steps change nothing that a question speaks of. Decision 009 has the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import reduce
from operator import or_

from msgspec import Struct

from sa.explicit.system import Act, System
from sa.terms.name import at_place
from sa.terms.term import Var


class Footprint(Struct, frozen=True, eq=False):
    """What steps read and write: a bit for each variable."""

    reads: int
    writes: int

    def conflicts(self, other: Footprint) -> bool:
        """Whether some of the steps may not be independent of some of the others."""
        return bool(self.writes & (other.writes | other.reads) | self.reads & other.writes)


class Reduction(Struct, frozen=True, eq=False):
    """The places whose steps may go first, by thread; and what is not independent.

    Each place of each thread has a bit, `bits` by thread and place. `conflicts` gives by such a bit those of the places
    from which another thread can ever make a step that conflicts with one from here.
    """

    first: tuple[frozenset[int], ...]
    bits: tuple[tuple[int, ...], ...]
    conflicts: Mapping[int, int]


def reduction(s: System) -> Reduction:
    """The places whose steps may go first, and what is needed to see when."""
    bits = {v: 1 << i for i, v in enumerate((*s.counters, *s.variables))}
    here = tuple(tuple(_footprint(s, acts, bits) for acts in by_place) for by_place in s.acts)
    targets = [[[a.arc.target for a in acts] for acts in by_place] for by_place in s.acts]
    after = tuple(map(later, targets, here))
    whole = [prints[start] for prints, start in zip(after, s.start, strict=True)]
    first = list[frozenset[int]]()
    for thread, by_place in enumerate(s.acts):
        others = [w for i, w in enumerate(whole) if i != thread]
        quiet = {p for p, acts in enumerate(by_place) if acts and not any(is_seen(s, a) for a in acts)}
        alone = {p for p in quiet if not any(here[thread][p].conflicts(o) for o in others)}
        first.append(without_cycles(targets[thread], quiet, alone))
    return Reduction(tuple(first), *_conflicts(here, after))


def _conflicts(
    here: Sequence[Sequence[Footprint]], after: Sequence[Sequence[Footprint]]
) -> tuple[tuple[tuple[int, ...], ...], Mapping[int, int]]:
    bits, taken = list[tuple[int, ...]](), 0
    for by_place in here:
        bits.append(tuple(1 << taken + place for place in range(len(by_place))))
        taken += len(by_place)
    found = dict[int, int]()
    for thread, by_place in enumerate(here):
        others = [t for t in range(len(here)) if t != thread]
        for place, mine in enumerate(by_place):
            hits = (bits[t][p] for t in others for p, theirs in enumerate(after[t]) if mine.conflicts(theirs))
            found[bits[thread][place]] = all_of(hits)
    return tuple(bits), found


def _footprint(s: System, acts: Sequence[Act], bits: Mapping[Var, int]) -> Footprint:
    return Footprint(
        all_of(bits[v] for a in acts for v in a.reads), all_of(bits[v] for a in acts for v in writes(s, a))
    )


def all_of(bits: Iterable[int]) -> int:
    """All the bits together."""
    return reduce(or_, bits, 0)


def writes(s: System, act: Act) -> Iterator[Var]:
    """What a step changes, the counter of its thread included."""
    yield from act.updates
    yield from act.forgotten
    if act.arc.source != act.arc.target:
        yield s.counters[act.arc.thread]


def is_seen(s: System, act: Act) -> bool:
    """Whether the step may change what a question says of a state."""
    thread = s.threads[act.arc.thread]
    moved = {at_place(thread.name, thread.locations[p].name) for p in (act.arc.source, act.arc.target)}
    if act.arc.source == act.arc.target:
        moved = set()
    for bad in s.bads:
        if bad.claim is not None and any(v in act.updates or v.name in moved for v in bad.claim.free):
            return True
    return False


def later(following: Sequence[Iterable[int]], here: Sequence[Footprint]) -> tuple[Footprint, ...]:
    """What steps touch from each place on, where places are followed by others, and what they touch at each."""
    reached = [{p} for p in range(len(here))]
    changed = True
    while changed:
        changed = False
        for place, targets in enumerate(following):
            more = reached[place].union(*(reached[t] for t in targets))
            changed = changed or len(more) > len(reached[place])
            reached[place] = more
    return tuple(
        Footprint(all_of(here[p].reads for p in places), all_of(here[p].writes for p in places)) for places in reached
    )


def without_cycles(following: Sequence[Iterable[int]], places: Set[int], wanted: Set[int]) -> frozenset[int]:
    """As many of the places as go without a cycle among them, rather the wanted ones."""
    left = set(places)
    while (cycle := _cycle(following, left)) is not None:
        left.remove(max(cycle, key=lambda p: (p not in wanted, -p)))
    return frozenset(left)


def _cycle(following: Sequence[Iterable[int]], places: Set[int]) -> list[int] | None:
    """Places of a cycle within `places`, depth first."""
    done = set[int]()
    for root in sorted(places):
        if root in done:
            continue
        path, pending = [root], [iter(following[root])]
        while pending:
            place = next((p for p in pending[-1] if p in places), None)
            if place is None:
                done.add(path.pop())
                pending.pop()
            elif place in path:
                return path[path.index(place) :]
            elif place not in done:
                path.append(place)
                pending.append(iter(following[place]))
    return None


def candidates(r: Reduction, places: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """Threads that may go first from a joint location, each with the other threads that must be stepped with it.

    Small sets come first; sets of all threads are left out.
    """
    standing = [bits[place] for bits, place in zip(r.bits, places, strict=True)]
    joint = sum(standing)
    found = list[tuple[int, tuple[int, ...]]]()
    for thread, place in enumerate(places):
        if place in r.first[thread]:
            together = _together(r, joint, standing[thread])
            if together != joint:
                others = (t for t, bit in enumerate(standing) if bit & together and t != thread)
                found.append((thread, tuple(others)))
    return sorted(found, key=lambda c: (len(c[1]), c[0]))


def _together(r: Reduction, joint: int, start: int) -> int:
    """The least persistent set with a thread, as the bits of where its threads stand."""
    inside, fresh = start, start
    while fresh and inside != joint:
        bit = fresh & -fresh
        fresh ^= bit
        more = r.conflicts[bit] & joint & ~inside
        inside |= more
        fresh |= more
    return inside
