"""What is said of steps that are left if something is shown of states: which of it is shown is asked all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.program import Ends
from sa.certificates.ends import Elimination, Round, Spot, Unanswered, Unjust
from sa.certificates.run import Bad
from sa.ranking.justice import (
    kept_while_open,
    known_before,
    never,
    never_beside,
    spots_beside,
    spots_everywhere,
    unanswered,
)
from sa.ranking.left import Search, components_of, exclude, settled_in, within
from sa.ranking.points import Step, closed_in
from sa.terms.build import ZERO, lnot
from sa.terms.term import Term

#: So many steps of a component are offered to be excluded by justice.
_TRIED = 2

#: What of the first of these groups of which something never happens, as far as that can be shown. Raises LimitReached.
Shows: TypeAlias = Callable[[Sequence[tuple[Bad, ...]]], frozenset[Bad]]


class _Untaken(Struct, frozen=True, eq=False):
    """A step of a component would only be taken where it does not lower a rank."""

    thread: int
    component: tuple[int, ...]
    edge: int


class _Unjust(Struct, frozen=True, eq=False):
    """Steps of a component, each beside threads at spots; in the order of what is bad."""

    thread: int
    component: tuple[int, ...]
    steps: tuple[Step, ...]
    spots: tuple[Spot, ...]


class _Open(Struct, frozen=True, eq=False):
    """All threads are at spots while the claim is open."""

    kept: Term
    spots: tuple[Spot, ...]


_Offer: TypeAlias = _Untaken | _Unjust | _Open


def by_states(search: Search, asked: Sequence[int], ends: Ends, shows: Shows) -> list[Elimination] | None:
    """What can be said since something is shown of states: the first such thing that is shown. Raises LimitReached."""
    offers = list(_untaken(search, asked))
    if ends.until is not None and ends.fair:
        offers.append(_left_open(search, ends))
    if ends.fair:
        offers += _unjust(search, asked)
    shown = shows([bads for bads, _ in offers]) if offers else frozenset()
    found = next(((bads, offer) for bads, offer in offers if not shown.isdisjoint(bads)), None)
    return None if found is None else _said(search, *found, shown)


def _said(search: Search, bads: tuple[Bad, ...], offer: _Offer, shown: frozenset[Bad]) -> list[Elimination]:
    everywhere = [s for t in search.threads for s in settled_in(t)]
    match offer:
        case _Open(kept, spots):
            return [*everywhere, Unanswered(kept, spots)]
        case _Untaken(number, component, edge):
            exclude(search.threads[number], component, {edge})
            return [*everywhere, Round(number, component, (ZERO,) * len(component), (edge,))]
        case _Unjust(number, component, steps, spots):
            strict = {s.passage[2] for b, s in zip(bads, steps, strict=True) if b in shown}
            exclude(search.threads[number], component, strict)
            return [*everywhere, Unjust(number, component, tuple(sorted(strict)), spots)]


def _untaken(search: Search, asked: Sequence[int]) -> Iterator[tuple[tuple[Bad, ...], _Offer]]:
    for number in asked:
        thread = search.threads[number]
        given = {id(s) for s in thread.graph.steps}
        for component in components_of(thread.steps):
            for step in (s for s in within(thread, component) if id(s) not in given):
                yield (never(search, number, step),), _Untaken(number, component, step.passage[2])


def _left_open(search: Search, ends: Ends) -> tuple[tuple[Bad, ...], _Offer]:
    kept, spots = kept_while_open(search, ends), spots_everywhere(search)
    return (unanswered(search, kept, lnot(closed_in(ends)), spots),), _Open(kept, spots)


def _unjust(search: Search, asked: Sequence[int]) -> Iterator[tuple[tuple[Bad, ...], _Offer]]:
    for number in (n for n in asked if search.threads[n].steps):
        thread, spots = search.threads[number], spots_beside(search, number)
        for component in components_of(thread.steps):
            # Where most is known, it is excluded soonest.
            steps = sorted(within(thread, component), key=lambda s: -len(known_before(thread, s)))[:_TRIED]
            bads = tuple(never_beside(search, number, s, spots) for s in steps)
            yield bads, _Unjust(number, component, tuple(steps), spots)
